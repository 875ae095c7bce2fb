"""Read Gambit's extensive-form files, each as a game whose tree is a list of nodes in preorder."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from solvent.foundation.errors import InputError
from solvent.foundation.storage.reading import read_text
from solvent.games.efg.labels import unique_labels, unquote
from solvent.games.game import CHANCE, TERMINAL, GameError, ListedState, State


@dataclass(frozen=True, slots=True)
class Moves:
    """The actions of an infoset as the file lists them; those of chance have probabilities."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()

    def __str__(self) -> str:
        shown = [f'"{label}"' for label in self.labels]
        if self.probabilities:
            shown = [f"{label} {weight}" for label, weight in zip(shown, self.probabilities, strict=True)]
        return "{ " + " ".join(shown) + " }"


@dataclass(slots=True)
class Infoset:
    """An infoset of the file. Chance nodes have infosets too."""

    player: int
    number: int
    name: str
    moves: Moves
    at: int
    """The position in the file, in characters, at which its actions are given."""
    actions: tuple[str, ...]
    """The labels of the moves, made distinct."""
    text: str = ""


@dataclass(slots=True)
class Tree:
    """The nodes in preorder, one row per node."""

    infosets: list[Infoset | None] = field(default_factory=list)
    """The infoset of each node; None at the end of a history."""
    children: list[list[int]] = field(default_factory=list)
    payoffs: list[tuple[float, ...]] = field(default_factory=list)
    """The sum of the outcomes along the history, in chips; empty except at the end of a history."""


class EfgGame:
    """A two-player game that was read from a Gambit file."""

    players = 2

    def __init__(self, path: str, title: str, names: Sequence[str], tree: Tree) -> None:
        self.path = path
        self.title = title
        self.names = tuple(names)
        self._tree = tree

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<game {self}>"

    def root(self) -> State:
        """The state before anything has happened."""
        return _State(self._tree, 0)


class _State(ListedState):
    """A node of the file."""

    __slots__ = ("_infoset", "_row", "_tree")

    def __init__(self, tree: Tree, row: int) -> None:
        self._tree = tree
        self._row = row
        self._infoset = tree.infosets[row]

    def _acting(self) -> Infoset:
        if self._infoset is None:
            raise GameError("nobody moves at the end of a history")
        return self._infoset

    def player(self) -> int:
        return TERMINAL if self._infoset is None else self._infoset.player

    def actions(self) -> tuple[str, ...]:
        return self._acting().actions

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


Payoffs = tuple[Fraction, Fraction]

_Entry = tuple[Infoset | None, Payoffs | None]
"""A node of the file: its infoset (None at the end of a history) and its outcome (None if it has none)."""


def read_efg(path: str | os.PathLike[str]) -> EfgGame:
    """Read the game in a Gambit file. Errors name the line of the file that is wrong."""
    try:
        text = read_text(path, MOST_BYTES)
    except InputError as error:
        raise GameError(str(error)) from None
    return _Reader(os.fspath(path), text).game()


_TOKEN = re.compile(
    r"""\s*(?: (?P<text> "[^"\\]*(?:\\.[^"\\]*)*" )
             | (?P<sign> [{},] )
             | (?P<word> [^\s{},"]+ )
             | (?P<open> " ) )""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?(?:\d+/0*[1-9]\d*|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)", re.ASCII)
MOST_BYTES = 4 << 30
"""Bytes of the largest file that is read; one of them takes many of memory."""
_LONGEST_NUMBER = 1000
_LONGEST_INTEGER = 18
_LARGEST_SHOWN = 10**40
"""Numerators and denominators from here on are shown rounded."""
_END = "end"
_number = lru_cache(maxsize=4096)(Fraction)


class _Reader:
    """A recursive-descent parser with one token of look-ahead."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.source = text
        self.end = len(text.rstrip())
        self.infosets: dict[tuple[int, int], Infoset] = {}
        self.outcomes: dict[int, Payoffs] = {}
        self.entries: dict[str, _Entry] = {}
        """Entries by the lines that are one whole entry: most lines of a large file repeat earlier ones."""
        self.node_at = 0
        self.next_at = 0
        self.advance()

    def game(self) -> EfgGame:
        title, names = self.prologue()
        tree = self.tree()
        if self.kind != _END:
            self.fail(f"the tree is complete, but {self.found()} follows")
        for player in range(2):
            infosets = [infoset for infoset in self.infosets.values() if infoset.player == player]
            texts = unique_labels([each.name for each in infosets], [each.number for each in infosets])
            for infoset, text in zip(infosets, texts, strict=True):
                infoset.text = text
        return EfgGame(self.path, title, names, tree)

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
        return unquote(self.take("text", what))

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
        """Return the next token as error messages show it."""
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

    def tree(self) -> Tree:
        tree = Tree()
        nothing: Payoffs = (Fraction(0), Fraction(0))
        # For every node still to come: the row of its parent, and the sum of the outcomes above it. In preorder
        # the last one pushed is the next one read.
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
        """Read the entry that begins here."""
        line_end = self.source.find("\n", self.at)
        line_end = len(self.source) if line_end < 0 else line_end
        line = self.source[self.at : line_end]
        entry = self.entries.get(line)
        if entry is not None:
            self.node_at, self.next_at = self.at, line_end
            self.advance()
            if self.kind in ("word", _END):
                return entry
            self.next_at = self.node_at  # This time the entry continues below the line.
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

    def infoset(self, player: int) -> Infoset:
        number = self.take_integer("an infoset's number")
        name = self.take_text("a name") if self.kind == "text" else ""
        moves = self.moves(player, number) if self.token == "{" else None
        known = self.infosets.get((player, number))
        if known is None:
            if moves is None:
                self.fail_undescribed(player, number)
            known = Infoset(player, number, name, moves, self.node_at, unique_labels(moves.labels))
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

    def moves(self, player: int, number: int) -> Moves:
        """Read the actions in braces; those of chance are followed by their probabilities."""
        self.advance()
        labels, probabilities = [], []
        while self.token != "}":
            labels.append(self.take_text("an action in quotes or '}'"))
            if player == CHANCE:
                probabilities.append(self.take_number("a probability"))
        if not labels:
            self.fail(f"{_infoset_name(player, number)} has no actions", self.node_at)
        self.advance()
        moves = Moves(tuple(labels), tuple(probabilities))
        if player == CHANCE:
            self.check_probabilities(number, moves)
        return moves

    def check_probabilities(self, number: int, moves: Moves) -> None:
        for label, probability in zip(moves.labels, moves.probabilities, strict=True):
            if probability < 0:
                where = f"'{label}' of {_infoset_name(CHANCE, number)}"
                self.fail(f"{where} has the negative probability {_shown(probability)}", self.node_at)
        total = sum(moves.probabilities, Fraction(0))
        if total != 1:
            where = _infoset_name(CHANCE, number)
            self.fail(f"the probabilities of {where} sum to {_shown(total)}, not to 1", self.node_at)

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
            here, before = (" and ".join(map(_shown, payoffs)) for payoffs in (described, known))
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


def _shown(number: Fraction) -> str:
    """Return a number as error messages show it: exact where it is short, else rounded."""
    if max(abs(number.numerator), number.denominator) >= _LARGEST_SHOWN:
        try:
            return f"about {float(number):.6g}"
        except OverflowError:
            return "a number too large for floating point"
    return str(number) if number.denominator == 1 else f"{number} (about {float(number):.6g})"


def _infoset_name(player: int, number: int) -> str:
    return f"chance infoset {number}" if player == CHANCE else f"infoset {number} of player {player + 1}"
