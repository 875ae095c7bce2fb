"""What every strategy answers: which probabilities are played here?

A strategy gives, for every infoset, how often each action is played. Solved games keep theirs in a table over
the cells of the game (`strategy.tables`), trained hold'em agents in a blueprint over buckets of hands
(`strategy.blueprint`); whatever only asks for probabilities takes both. `strategy.opening` opens either from a
run's folder.

strategy = open_strategy("runs/leduc")
strategy.query("K|Q|kk/b")          # {'fold': 0.07, 'call': 0.91, 'raise 4': 0.02}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Row(NamedTuple):
    """A strategy at one infoset."""

    player: int
    infoset: str
    """The infoset's label, as `Strategy.query` takes it."""
    probabilities: dict[str, float]
    """By the name of the action; they sum to 1."""


class Strategy(Protocol):
    """A strategy for both players of a game."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def fingerprint(self) -> str:
        """A digest of the game's infosets: two strategies with one fingerprint can be compared row by row."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What made the strategy: rule, iterations, seconds, what was measured."""

    def __len__(self) -> int:
        """The number of infosets."""

    def query(self, infoset: str, player: int | None = None) -> dict[str, float]:
        """The probability of each action at an infoset; `player` where both players have one of that label."""

    def rows(self, player: int | None = None) -> Iterator[Row]:
        """Every infoset, or every infoset of one player, in a fixed order; nothing is kept in memory."""


def normalise(weights: NDArray[np.floating], first_cell: NDArray[np.integer]) -> NDArray[np.float64]:
    """Scale the weights of each infoset, float[cells], to sum to 1; uniform where they are all 0.

    `first_cell`, int[infosets + 1], says where each infoset's cells begin.

    >>> normalise(np.array([1.0, 3.0, 0.0, 0.0]), np.array([0, 2, 4])).tolist()
    [0.25, 0.75, 0.5, 0.5]
    """
    cells: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
    if not len(cells):
        return cells.copy()
    actions = np.diff(first_cell)
    total = np.repeat(np.add.reduceat(cells, first_cell[:-1]), actions)
    return _shares(cells, total, np.repeat(1.0 / actions, actions))


def normalise_block(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """`normalise` of infosets that have the same actions: float[actions, infosets], scaled along axis 0.

    >>> normalise_block(np.array([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [[0.25, 0.5], [0.75, 0.5]]
    """
    block: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
    return _shares(block, block.sum(axis=0), np.full(block.shape, 1.0 / len(block)))


def _shares(
    weights: NDArray[np.float64], total: NDArray[np.float64], uniform: NDArray[np.float64]
) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = np.divide(weights, total, out=uniform, where=total > 0)
    return shares
