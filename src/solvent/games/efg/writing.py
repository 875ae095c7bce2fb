"""Write any two-player game as a Gambit extensive-form file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TextIO

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.storage.files import replacing_text
from solvent.games.efg.labels import quote, unique_labels
from solvent.games.efg.reading import EfgGame
from solvent.games.game import (
    CHANCE,
    TERMINAL,
    Game,
    GameError,
    Probability,
    State,
    chance_children,
    children,
    player_of,
)
from solvent.games.own import name_of
from solvent.games.public_rules import PublicRules

MOST_NODES = 20_000_000
"""The most nodes that a file may list by default; it then has one to two gigabytes."""
LINES_BETWEEN_REPORTS = 65_536
WRITING_GAME = "writing the game"
"""The stage that progress reports name."""


def write_efg(
    game: Game,
    target: str | os.PathLike[str] | TextIO,
    most_nodes: int = MOST_NODES,
    watch: Watch | None = None,
) -> None:
    """Write a two-player game as a Gambit file, to a path or an open text stream.

    The tree is written while it is walked, so it need not fit in memory. Probabilities become fractions that sum
    to exactly 1, as Gambit demands; payoffs become fractions that read back as the same numbers. A game with more
    than `most_nodes` histories is refused, before anything is written where its rules can count them. `watch` is
    called now and then with the number of nodes written so far.
    """
    if game.players != 2:
        raise GameError(f"{game} has {game.players} players; .efg files are written for two")
    if isinstance(game, PublicRules) and (histories := game.histories()) > most_nodes:
        raise GameError(f"{game} has {histories:,} histories; an .efg file may list at most {most_nodes:,}")
    lines = _lines(game, most_nodes, watch)
    if isinstance(target, str | os.PathLike):
        with _open(target) as stream:
            stream.writelines(lines)
    else:
        target.writelines(lines)


@contextmanager
def _open(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a file that replaces `path` only once it is complete, so that a failure spares what was there."""
    place = Path(path)
    if not place.exists() or place.is_file():
        with replacing_text(place.resolve(), "ascii") as stream:
            yield stream
        return
    try:
        with place.open("w", encoding="ascii") as stream:  # a device or a pipe; a folder refuses
            yield stream
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _lines(game: Game, most_nodes: int, watch: Watch | None) -> Iterator[str]:
    title, names = name_of(game), ("Player 1", "Player 2")
    if isinstance(game, EfgGame):
        title, names = game.title, (game.names[0], game.names[1])
    yield f"EFG 2 R {quote(title)} {{ {' '.join(map(quote, names))} }}\n"
    yield '""\n\n'
    nodes, number, missing = _NodeWriter(game), 2, [game.root()]
    while missing:
        line, children = nodes.write(missing.pop())
        if number == most_nodes + 2:  # the prologue has two lines
            raise GameError(
                f"{game} has more than {most_nodes:,} histories, the most that an .efg file may list"
            )
        if watch is not None and number % LINES_BETWEEN_REPORTS == LINES_BETWEEN_REPORTS - 1:
            watch(Progress(WRITING_GAME, number, detail=f"{number:,} nodes"))
        yield line
        number += 1
        missing.extend(reversed(children))


class _NodeWriter:
    """Writes nodes, numbering infosets and outcomes in the order in which they are met.

    Each is described wherever it is mentioned, as Gambit itself does: OpenSpiel's reader needs that.
    """

    def __init__(self, game: Game) -> None:
        self.name = name_of(game)
        self.chance_moves = 0
        self.infosets: tuple[dict[str, tuple[str, list[str]]], ...] = ({}, {})
        """Line and actions of each infoset by its text, for each player."""
        self.outcomes: dict[tuple[float, ...], str] = {}
        """Line of each outcome by its payoffs."""

    def write(self, state: State) -> tuple[str, list[State]]:
        """Return the node's line and its children."""
        player = player_of(self.name, state)
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
            raise GameError(f"{self.name} pays {payoff}, which an .efg file cannot represent") from None

    def chance(self, state: State) -> tuple[str, list[State]]:
        outcomes = list(chance_children(state))
        self.chance_moves += 1
        try:
            probabilities = exact_probabilities([probability for _, probability, _ in outcomes])
        except GameError as error:
            raise GameError(f"{self.name} cannot be written: {error}") from None
        labels = unique_labels([label for label, _, _ in outcomes])
        shown = " ".join(
            f"{quote(label)} {weight}" for label, weight in zip(labels, probabilities, strict=True)
        )
        return f'c "" {self.chance_moves} "" {{ {shown} }} 0\n', [child for _, _, child in outcomes]

    def decision(self, state: State, player: int) -> tuple[str, list[State]]:
        text, actions = state.infoset(), list(state.actions())
        known = self.infosets[player].get(text)
        if known is None:
            number = len(self.infosets[player]) + 1
            shown = " ".join(map(quote, unique_labels(actions)))
            line = f'p "" {player + 1} {number} {quote(text)} {{ {shown} }} 0\n'
            known = self.infosets[player][text] = line, actions
        elif known[1] != actions:
            raise GameError(
                f"{self.name} cannot be written: infoset {text!r} of player {player} offers {known[1]} "
                f"in one state and {actions} in another"
            )
        return known[0], list(children(state, actions))


def exact_probabilities(probabilities: Sequence[Probability]) -> list[Fraction]:
    """Turn probabilities into fractions that sum to exactly 1, each within rounding of what was given.

    >>> [str(probability) for probability in exact_probabilities([1 / 3, 1 / 3, 1 / 3])]
    ['1/3', '1/3', '1/3']
    """
    if not all(0 <= probability <= 1 for probability in probabilities):
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
    """Return the simplest fraction that reads back as this number: 1/3 rather than 0.3333333333333333."""
    if isinstance(payoff, int | Fraction):
        return Fraction(payoff)
    payoff = float(payoff)  # NumPy's numbers too.
    near = Fraction(payoff).limit_denominator(10**6)
    return near if float(near) == payoff else Fraction(repr(payoff))
