"""Games written as nested tuples, to make any tree at all, and the comparison of two games' trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from solvent.games.efg.reading import EfgGame, read_efg
from solvent.games.efg.writing import write_efg
from solvent.games.game import CHANCE, TERMINAL, Game, State


@dataclass(frozen=True)
class Nested:
    """A game from (payoffs,), ("chance", [(label, probability, node)]), (player, infoset, {action: node})."""

    node: Any
    players: int = 2

    def __str__(self) -> str:
        return "nested"

    def root(self) -> State:
        return NestedState(self.node)


@dataclass(frozen=True)
class NestedState:
    node: Any

    def player(self) -> int:
        return {1: TERMINAL, 2: CHANCE}.get(len(self.node), self.node[0])

    def actions(self) -> list[str]:
        return list(self.node[2])

    def chance(self) -> list[tuple[str, float | Fraction]]:
        return [(label, probability) for label, probability, _ in self.node[1]]

    def child(self, action: str) -> State:
        if len(self.node) == 2:
            return NestedState(next(node for label, _, node in self.node[1] if label == action))
        return NestedState(self.node[2][action])

    def infoset(self) -> str:
        return str(self.node[1])

    def payoffs(self) -> Sequence[float]:
        return self.node[0]  # type: ignore[no-any-return]


def histories(game: Game) -> Iterator[tuple[tuple[str, ...], State]]:
    """Every history with its state, in preorder, by the protocol's own verbs."""
    missing: list[tuple[tuple[str, ...], State]] = [((), game.root())]
    while missing:
        history, state = missing.pop()
        yield history, state
        player = state.player()
        if player != TERMINAL:
            moves = [label for label, _ in state.chance()] if player == CHANCE else state.actions()
            missing.extend(((*history, move), state.child(move)) for move in reversed(moves))


def described(state: State) -> Any:
    if state.player() == TERMINAL:
        return tuple(state.payoffs())
    if state.player() == CHANCE:
        return [label for label, _ in state.chance()]
    return state.player(), state.infoset(), list(state.actions())


def assert_same_tree(first: Game, second: Game) -> None:
    """Assert that histories, infosets and payoffs are equal, and probabilities to a float's precision."""
    for (here, one), (there, other) in zip(histories(first), histories(second), strict=True):
        assert here == there
        assert described(one) == described(other)
        if one.player() == CHANCE:
            for (_, probability), (_, again) in zip(one.chance(), other.chance(), strict=True):
                assert float(probability) == pytest.approx(float(again), abs=1e-14)


def trip(game: Game, tmp_path: Path) -> EfgGame:
    path = tmp_path / "game.efg"
    write_efg(game, path)
    return read_efg(path)


def at(game: Game, *history: str) -> State:
    state = game.root()
    for action in history:
        state = state.child(action)
    return state


def read_text(text: str, tmp_path: Path) -> EfgGame:
    path = tmp_path / "given.efg"
    path.write_text(text, encoding="utf-8")
    return read_efg(path)
