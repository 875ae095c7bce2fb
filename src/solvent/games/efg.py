"""Gambit's extensive-form files (`.efg`), read and written.

The format (https://gambitproject.readthedocs.io, "Game representation formats") lists a tree in preorder, one
node an entry: `c` chance, `p` a player's move, `t` the end. Infosets and outcomes are numbered, and described
where they are first mentioned. An outcome may stand at any node; a history pays the sum of those it passes.

Gambit takes only printable ASCII in labels, with no space at either end and no two in a row. What it does not
take is written as a character reference, `&#10;` for a new line, and read back as what it was.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import NoReturn, TextIO

from solvent.games.game import (
    CHANCE,
    TERMINAL,
    Game,
    GameError,
    ListedState,
    Probability,
    State,
    chance_children,
    children,
)

Payoffs = tuple[Fraction, Fraction]


def unique_labels(labels: Sequence[str], numbers: Sequence[int] | None = None) -> tuple[str, ...]:
    """The labels, told apart by number (by position, from 1, unless given) where they are empty or repeat.

    >>> unique_labels(["fold", "raise", "raise", ""])
    ('fold', 'raise 2', 'raise 3', '4')
    """
    counts = Counter(labels)
    taken = {label for label in labels if label and counts[label] == 1}
    if len(taken) == len(labels):
        return tuple(labels)
    unique = []
    for label, number in zip(labels, numbers or range(1, len(labels) + 1), strict=True):
        if label not in taken or counts[label] != 1:
            label = f"{label} {number}" if label else str(number)
            while label in taken:
                label += "'"
            taken.add(label)
        unique.append(label)
    return tuple(unique)


# The game


@dataclass(frozen=True, slots=True)
class _Moves:
    """What may be done at an infoset as the file has it; chance's moves have probabilities."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()

    def __str__(self) -> str:
        shown = [f'"{label}"' for label in self.labels]
        if self.probabilities:
            shown = [f"{label} {weight}" for label, weight in zip(shown, self.probabilities, strict=True)]
        return "{ " + " ".join(shown) + " }"


@dataclass(slots=True)
class _Infoset:
    """An infoset of the file; chance's moves have theirs too."""

    player: int
    number: int
    name: str
    moves: _Moves
    at: int
    """Where in the file its moves are given."""
    actions: tuple[str, ...] = field(init=False)
    text: str = ""

    def __post_init__(self) -> None:
        self.actions = unique_labels(self.moves.labels)


@dataclass(slots=True)
class _Tree:
    """The nodes in preorder, a row each."""

    infosets: list[_Infoset | None] = field(default_factory=list)
    """None at the end of a history."""
    children: list[list[int]] = field(default_factory=list)
    payoffs: list[tuple[float, ...]] = field(default_factory=list)
    """Summed along the history; empty except at its end."""


class EfgGame:
    """A two-player game from a Gambit file."""

    players = 2

    def __init__(self, path: str, title: str, names: Sequence[str], tree: _Tree) -> None:
        self.path = path
        self.title = title
        self.names = tuple(names)
        self._tree = tree

    def __str__(self) -> str:
        return self.path

    def root(self) -> State:
        """The state before anything has happened."""
        return _State(self._tree, 0)


class _State(ListedState):
    """A node of the file."""

    __slots__ = ("_infoset", "_row", "_tree")

    def __init__(self, tree: _Tree, row: int) -> None:
        self._tree = tree
        self._row = row
        self._infoset = tree.infosets[row]

    def _acting(self) -> _Infoset:
        if self._infoset is None:
            raise GameError("nobody moves at the end of a history")
        return self._infoset

    def player(self) -> int:
        return TERMINAL if self._infoset is None else self._infoset.player

    def actions(self) -> tuple[str, ...]:
        return self._acting().actions

    def chance(self) -> list[tuple[str, Fraction]]:
        infoset = self._acting()
        return list(zip(infoset.actions, infoset.moves.probabilities, strict=True))

    def child(self, action: str) -> _State:
        position = self._acting().actions.index(action)
        return _State(self._tree, self._tree.children[self._row][position])

    def children(self) -> list[_State]:
        return [_State(self._tree, row) for row in self._tree.children[self._row]]

    def chance_children(self) -> list[tuple[str, Fraction, _State]]:
        infoset = self._acting()
        return list(zip(infoset.actions, infoset.moves.probabilities, self.children(), strict=True))

    def infoset(self) -> str:
        return self._acting().text

    def payoffs(self) -> tuple[float, ...]:
        return self._tree.payoffs[self._row]


# Reading

_Entry = tuple[_Infoset | None, Payoffs | None]
"""A node of the file: its infoset, unless a history ends there, and its outcome, if it has one."""


def read_efg(path: str | os.PathLike[str]) -> EfgGame:
    """The game in a Gambit file. What is wrong with the file is told with its line."""
    shown = os.fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise GameError(f"there is no file {shown}") from None
    except IsADirectoryError:
        raise GameError(f"{shown} is a directory, not a .efg file") from None
    except UnicodeDecodeError:
        raise GameError(f"{shown} is not a Gambit .efg file: it is not text in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise GameError(f"{shown} cannot be read: {reason}") from None
    return _Reader(shown, text).game()


_TOKEN = re.compile(
    r"""\s*(?: (?P<text> "[^"\\]*(?:\\.[^"\\]*)*" )
             | (?P<sign> [{},] )
             | (?P<word> [^\s{},"]+ )
             | (?P<open> " ) )""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?(?:\d+/0*[1-9]\d*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)", re.ASCII)
_LONGEST_NUMBER = 1000
_LONGEST_INTEGER = 18
_END = "end"


class _Reader:
    """Reads one file from its first token to its last, always looking at the next one."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.source = text
        self.end = len(text.rstrip())
        self.infosets: dict[tuple[int, int], _Infoset] = {}
        self.outcomes: dict[int, Payoffs] = {}
        self.entries: dict[str, _Entry] = {}
        """What a line that is one whole entry says: most lines of a large file repeat earlier ones."""
        self.node_at = 0
        self.next_at = 0
        self.advance()

    def game(self) -> EfgGame:
        title, names = self.prologue()
        tree = self.tree()
        if self.kind != _END:
            self.fail(f"the tree is complete, but {self.found()} follows")
        for player in range(2):
            self.name_infosets(player)
        return EfgGame(self.path, title, names, tree)

    def name_infosets(self, player: int) -> None:
        infosets = [infoset for infoset in self.infosets.values() if infoset.player == player]
        names = unique_labels([each.name for each in infosets], [each.number for each in infosets])
        for infoset, name in zip(infosets, names, strict=True):
            infoset.text = name

    # Tokens

    def advance(self) -> None:
        self.taken_to = self.next_at
        match = _TOKEN.match(self.source, self.next_at)
        if match is None:
            self.kind, self.token, self.at = _END, "", self.end
            return
        self.kind = match.lastgroup or _END
        self.token = match[self.kind]
        self.at = match.start(self.kind)
        self.next_at = match.end()
        if self.kind == "open":
            self.fail("the file ends inside the quoted text that begins here")

    def take(self, kind: str, what: str) -> str:
        if self.kind != kind:
            self.fail_expecting(what)
        token = self.token
        self.advance()
        return token

    def take_text(self, what: str) -> str:
        return _unquote(self.take("text", what))

    def take_sign(self, sign: str, what: str) -> None:
        if self.token != sign:
            self.fail_expecting(what)
        self.advance()

    def take_integer(self, what: str) -> int:
        if not (self.token.isascii() and self.token.isdigit() and len(self.token) <= _LONGEST_INTEGER):
            self.fail_expecting(what)
        return int(self.take("word", what))

    def take_number(self, what: str) -> Fraction:
        if len(self.token) > _LONGEST_NUMBER or not _NUMBER.fullmatch(self.token):
            self.fail_expecting(what)
        return _number(self.take("word", what))

    # Errors

    def line(self, at: int) -> int:
        return self.source.count("\n", 0, at) + 1

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        line = self.line(self.at if at is None else at)
        raise GameError(f"{self.path}, line {line}: {message}")

    def fail_expecting(self, what: str) -> NoReturn:
        if self.kind == _END:
            self.fail(f"the file ends where {what} should stand")
        self.fail(f"{self.found()} stands where {what} should")

    def found(self) -> str:
        """The next token as an error shows it."""
        token = " ".join(self.token.split())
        token = token if len(token) <= 40 else token[:40] + "..."
        return token if self.kind == "text" else f"'{token}'"

    # Prologue

    def prologue(self) -> tuple[str, list[str]]:
        self.version()
        title = self.take_text("the game's title in quotes")
        self.take_sign("{", "'{' before the players' names")
        names = []
        while self.token != "}":
            names.append(self.take_text("a player's name in quotes or '}'"))
        if len(names) != 2:
            count = f"{len(names)} player{'s' * (len(names) != 1)}"
            self.fail(f"the game has {count}; solvent takes games of two players")
        self.advance()
        if self.kind == "text":
            self.take_text("the comment")
        return title, names

    def version(self) -> None:
        if self.token == "NFG":
            raise GameError(
                f"{self.path} is a Gambit strategic-form file (NFG), not an extensive-form one (EFG)"
            )
        if self.kind != "word" or self.token != "EFG":
            raise GameError(f"{self.path} is not a Gambit .efg file: it does not begin with 'EFG 2 R'")
        self.advance()
        if self.token != "2":
            self.fail(f"the file has EFG version {self.found()}; only version 2 is read")
        self.advance()
        if self.token not in ("R", "D"):
            self.fail_expecting("R or D (the kind of numbers)")
        self.advance()

    # Nodes

    def tree(self) -> _Tree:
        tree = _Tree()
        nothing: Payoffs = (Fraction(0), Fraction(0))
        # For every node still to come: its parent's row, and what the history has paid so far. Preorder makes
        # the last one the next.
        missing = [(-1, nothing)]
        while missing:
            if self.kind == _END:
                count = f"at least {len(missing)} node{'s are' if len(missing) > 1 else ' is'}"
                self.fail(f"the file ends before the tree is complete: {count} missing")
            parent, paid = missing.pop()
            row = len(tree.infosets)
            infoset, outcome = self.node()
            if outcome is not None:
                paid = outcome if paid is nothing else (paid[0] + outcome[0], paid[1] + outcome[1])
            if parent >= 0:
                tree.children[parent].append(row)
            tree.infosets.append(infoset)
            tree.children.append([])
            tree.payoffs.append(() if infoset else self.in_floats(paid))
            if infoset:
                missing.extend([(row, paid)] * len(infoset.actions))
        return tree

    def node(self) -> _Entry:
        """The entry that begins here."""
        line_end = self.source.find("\n", self.at)
        line_end = len(self.source) if line_end < 0 else line_end
        line = self.source[self.at : line_end]
        entry = self.entries.get(line)
        if entry is not None:
            self.node_at, self.next_at = self.at, line_end
            self.advance()
            if self.kind in ("word", _END):
                return entry
            self.next_at = self.node_at  # this time the entry goes on below the line
            self.advance()
        entry = self.entry()
        if self.taken_to <= line_end <= self.at:
            self.entries[line] = entry
        return entry

    def entry(self) -> _Entry:
        self.node_at = self.at
        kind = self.token if self.kind == "word" else ""
        if kind not in ("c", "p", "t"):
            self.fail_expecting("a node (c, p or t)")
        self.advance()
        self.take_text("the node's label in quotes")
        infoset = None
        if kind == "c":
            infoset = self.infoset(CHANCE)
        elif kind == "p":
            player = self.take_integer("a player's number")
            if player not in (1, 2):
                self.fail(f"player {player} moves, but the players are 1 and 2", self.node_at)
            infoset = self.infoset(player - 1)
        return infoset, self.outcome()

    def in_floats(self, paid: Payoffs) -> tuple[float, float]:
        try:
            return float(paid[0]), float(paid[1])
        except OverflowError:
            self.fail("a payoff is too large for a floating-point number", self.node_at)

    def infoset(self, player: int) -> _Infoset:
        number = self.take_integer("an infoset's number")
        name = self.take_text("a name") if self.kind == "text" else ""
        moves = self.moves(player, number) if self.token == "{" else None
        known = self.infosets.get((player, number))
        if known is None:
            if moves is None:
                self.fail_undescribed(player, number)
            known = _Infoset(player, number, name, moves, self.node_at)
            self.infosets[player, number] = known
        elif moves is not None and moves != known.moves:
            where = f"here but {known.moves} on line {self.line(known.at)}"
            self.fail(f"{_infoset_name(player, number)} has the actions {moves} {where}", self.node_at)
        return known

    def fail_undescribed(self, player: int, number: int) -> NoReturn:
        message = f"{_infoset_name(player, number)} is mentioned before its actions are given"
        owners = [owner for owner in (CHANCE, 0, 1) if (owner, number) in self.infosets]
        if owners:
            others = " and ".join(_infoset_name(owner, number) for owner in owners)
            message += f" ({others} is another: each player's infosets are numbered apart)"
        self.fail(message, self.node_at)

    def moves(self, player: int, number: int) -> _Moves:
        """The actions in braces, for chance with their probabilities."""
        self.advance()
        labels, probabilities = [], []
        while self.token != "}":
            labels.append(self.take_text("an action in quotes or '}'"))
            if player == CHANCE:
                probabilities.append(self.take_number("a probability"))
        if not labels:
            self.fail(f"{_infoset_name(player, number)} has no actions", self.node_at)
        self.advance()
        moves = _Moves(tuple(labels), tuple(probabilities))
        if player == CHANCE:
            self.check_probabilities(number, moves)
        return moves

    def check_probabilities(self, number: int, moves: _Moves) -> None:
        for label, probability in zip(moves.labels, moves.probabilities, strict=True):
            if probability < 0:
                where = f"'{label}' of {_infoset_name(CHANCE, number)}"
                self.fail(f"{where} has the negative probability {probability}", self.node_at)
        total = sum(moves.probabilities)
        if total != 1:
            about = "" if total.denominator == 1 else f" (about {float(total):.6g})"
            where = _infoset_name(CHANCE, number)
            self.fail(f"the probabilities of {where} sum to {total}{about}, not to 1", self.node_at)

    def outcome(self) -> Payoffs | None:
        number = self.take_integer("an outcome's number")
        named = self.kind == "text"
        if named:
            self.take_text("a name")
        described = self.payoffs(number) if self.token == "{" else None
        if number == 0:
            if named or described is not None:
                self.fail("outcome 0 means none, so it has no name and no payoffs", self.node_at)
            return None
        known = self.outcomes.get(number, described)
        if known is None:
            self.fail(f"outcome {number} is mentioned before its payoffs are given", self.node_at)
        if described is not None and described != known:
            here, before = (" and ".join(map(str, payoffs)) for payoffs in (described, known))
            self.fail(f"outcome {number} pays {here} here but {before} before", self.node_at)
        self.outcomes[number] = known
        return known

    def payoffs(self, number: int) -> Payoffs:
        self.advance()
        payoffs: list[Fraction] = []
        while self.token != "}":
            payoffs.append(self.take_number("a payoff or '}'"))
            if self.token == ",":
                self.advance()
        if len(payoffs) != 2:
            self.fail(f"outcome {number} must pay 2 players, not {len(payoffs)}", self.node_at)
        self.advance()
        return payoffs[0], payoffs[1]


@lru_cache(maxsize=4096)
def _number(token: str) -> Fraction:
    return Fraction(token)


def _infoset_name(player: int, number: int) -> str:
    return f"chance infoset {number}" if player == CHANCE else f"infoset {number} of player {player + 1}"


# Writing


def write_efg(game: Game, target: str | os.PathLike[str] | TextIO) -> None:
    """Write a two-player game as a Gambit file, to a path or an open text stream.

    The tree is written as it is walked, so it need not fit in memory. Probabilities become fractions that sum
    to exactly 1, as Gambit demands; payoffs become fractions that read back as the same numbers.
    """
    if game.players != 2:
        raise GameError(f"{game} has {game.players} players; .efg files are written for two")
    if isinstance(target, str | os.PathLike):
        with _open_aside(target) as stream:
            stream.writelines(_lines(game))
    else:
        target.writelines(_lines(game))


@contextmanager
def _open_aside(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A file that takes its place only when it is complete, so a failure spares what was there."""
    place = Path(path)
    try:
        if place.exists() and not place.is_file():  # a device or a pipe (a directory refuses)
            with place.open("w", encoding="ascii") as stream:
                yield stream
            return
        place = place.resolve()
        part = place.with_name(place.name + ".part")
        try:
            with part.open("w", encoding="ascii") as stream:
                yield stream
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise GameError(f"{os.fspath(path)} cannot be written: {error.strerror}") from None


def _lines(game: Game) -> Iterator[str]:
    title, names = str(game), ("Player 1", "Player 2")
    if isinstance(game, EfgGame):
        title, names = game.title, (game.names[0], game.names[1])
    yield f"EFG 2 R {_quote(title)} {{ {' '.join(map(_quote, names))} }}\n"
    yield '""\n\n'
    nodes = _NodeWriter(game)
    missing = [game.root()]
    while missing:
        line, children = nodes.write(missing.pop())
        yield line
        missing.extend(reversed(children))


class _NodeWriter:
    """Writes nodes, numbering infosets and outcomes as they come.

    Each is described wherever it is mentioned, as Gambit does itself: OpenSpiel's reader asks for it.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chance_moves = 0
        self.infosets: tuple[dict[str, tuple[str, list[str]]], ...] = ({}, {})
        """Of each player, by text: the line and the actions."""
        self.outcomes: dict[tuple[float, ...], str] = {}
        """By payoffs: the line."""

    def write(self, state: State) -> tuple[str, list[State]]:
        """The node's line and its children."""
        player = state.player()
        if player == TERMINAL:
            return self.terminal(state), []
        if player == CHANCE:
            return self.chance(state)
        return self.decision(state, player)

    def terminal(self, state: State) -> str:
        payoffs = tuple(state.payoffs())
        line = self.outcomes.get(payoffs)
        if line is None:
            number = len(self.outcomes) + 1
            shown = ", ".join(self.payoff(payoff) for payoff in payoffs)
            line = self.outcomes[payoffs] = f't "" {number} "Outcome {number}" {{ {shown} }}\n'
        return line

    def payoff(self, payoff: float) -> str:
        try:
            return str(_payoff_fraction(payoff))
        except (OverflowError, ValueError):
            raise GameError(f"{self.game} pays {payoff}, which no .efg file can say") from None

    def chance(self, state: State) -> tuple[str, list[State]]:
        outcomes = list(chance_children(state))
        self.chance_moves += 1
        try:
            probabilities = exact_probabilities([probability for _, probability, _ in outcomes])
        except GameError as error:
            raise GameError(f"{self.game} cannot be written: {error}") from None
        labels = unique_labels([label for label, _, _ in outcomes])
        shown = " ".join(
            f"{_quote(label)} {weight}" for label, weight in zip(labels, probabilities, strict=True)
        )
        return f'c "" {self.chance_moves} "" {{ {shown} }} 0\n', [child for _, _, child in outcomes]

    def decision(self, state: State, player: int) -> tuple[str, list[State]]:
        text, actions = state.infoset(), list(state.actions())
        known = self.infosets[player].get(text)
        if known is None:
            number = len(self.infosets[player]) + 1
            shown = " ".join(map(_quote, unique_labels(actions)))
            line = f'p "" {player + 1} {number} {_quote(text)} {{ {shown} }} 0\n'
            known = self.infosets[player][text] = line, actions
        elif known[1] != actions:
            raise GameError(
                f"{self.game} cannot be written: infoset {text!r} of player {player} offers {known[1]} "
                f"in one state and {actions} in another"
            )
        return known[0], list(children(state, actions))


def exact_probabilities(probabilities: Sequence[Probability]) -> list[Fraction]:
    """The probabilities as fractions that sum to exactly 1, each as close as its rounding was.

    >>> [str(probability) for probability in exact_probabilities([1 / 3, 1 / 3, 1 / 3])]
    ['1/3', '1/3', '1/3']
    """
    if not all(0 <= float(probability) <= 1 for probability in probabilities):
        raise GameError(f"chance probabilities {list(map(str, probabilities))} are not all between 0 and 1")
    exact = all(isinstance(probability, int | Fraction) for probability in probabilities)
    given = [Fraction(each if exact else float(each)) for each in probabilities]
    total = sum(given, Fraction(0))
    if abs(total - 1) > Fraction(0 if exact else 1, 10**9):
        raise GameError(f"chance probabilities sum to {total if exact else float(total)}, not to 1")
    if exact:
        return given
    for denominator in (10**3, 10**6, 10**9):
        simple = [probability.limit_denominator(denominator) for probability in given]
        close = all(abs(near - far) * 2**48 <= far for near, far in zip(simple, given, strict=True))
        if close and sum(simple) == 1:
            return simple
    largest = given.index(max(given))
    given[largest] += 1 - total
    return given


def _payoff_fraction(payoff: float | Fraction) -> Fraction:
    """The simplest fraction that reads back as this number: 1/3 rather than 0.3333333333333333."""
    if isinstance(payoff, int | Fraction):
        return Fraction(payoff)
    payoff = float(payoff)  # NumPy's numbers too
    near = Fraction(payoff).limit_denominator(10**6)
    return near if float(near) == payoff else Fraction(repr(payoff))


# Labels

_ESCAPED = re.compile(r'\\(["\\])|&#([0-9]{1,7});')
# A backslash stays only before a letter, as in \beta: Gambit takes it as escaping a quote or a backslash, and
# reads two of them as three.
_NOT_GAMBITS = re.compile(r"[^ -~]|\A | \Z|(?<= ) |\\(?![A-Za-z])|&(?=#)")


def _unquote(token: str) -> str:
    """The text between quotes, escaped characters restored."""
    return _ESCAPED.sub(_unescape, token[1:-1])


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    code = int(match[2])
    return chr(code) if code < 0xD800 or 0xE000 <= code <= 0x10FFFF else match[0]


def _quote(label: str) -> str:
    """The label in quotes, what Gambit does not take in it escaped."""
    return '"' + _NOT_GAMBITS.sub(_escape, label).replace('"', '\\"') + '"'


def _escape(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
