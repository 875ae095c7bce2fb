"""A betting tree as Monte Carlo CFR walks it: no deals, children side by side, a row at every decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.errors import InputError
from solvent.solvers.blueprint_kernels import (
    ACTIONS_MASK,
    COLUMNS,
    DEEPEST,
    FIRST,
    GAIN,
    INFO,
    LOSS,
    MOST_ACTIONS,
    PLAYER_SHIFT,
    ROW,
    SHOWN,
    STREET_SHIFT,
)
from solvent.solvers.rewards import reward as reward_of


@dataclass(frozen=True)
class SampledTree:
    """What kernels walk."""

    walk: NDArray[np.int32]
    """int32[edges + 1, 4]: see `blueprint_kernels`; the root, then the node behind each edge."""
    row: NDArray[np.int32]
    """int32[nodes]: where the row of each of the tree's decisions begins in a bucket's rows."""
    bucket_floats: NDArray[np.int64]
    """int64[streets]: numbers that one bucket has on each street: a regret and a sum for each action."""

    def felt(self, reward: str = "y1", big_blind: float = 1) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The walk with payoffs as a reward makes them feel: whole numbers and float32 in the same memory."""
        walk = self.walk.copy()
        pays, ends = walk.view(np.float32), self.walk[:, INFO] & ACTIONS_MASK == 0
        for column in (GAIN, LOSS):
            pays[ends, column] = reward_of(reward, pays[ends, column], big_blind)
        return walk, pays


def lay_out(
    first_edge: NDArray[np.integer],
    behind: NDArray[np.integer],
    player: NDArray[np.integer],
    street: NDArray[np.integer],
    stake: NDArray[np.floating] | NDArray[np.integer],
    streets: int,
) -> SampledTree:
    """A tree whose nodes are numbered parents first.

    first_edge: [nodes + 1], a terminal has no edges. behind: the node behind each edge, deals left out. player: who
    decides, and at terminals who folded, or `SHOWN`. stake: what the winner of a terminal gets.

    Rows of a street lie in the order of the walk, player 0's before player 1's: those of a node's children side by
    side, as children are.
    """
    counts = np.diff(first_edge)
    if counts.max(initial=0) > MOST_ACTIONS:
        raise InputError(
            f"a decision may have {MOST_ACTIONS} actions, and this betting has one with {counts.max()}"
        )
    order = np.concatenate([[0], behind])
    decides = counts[order] > 0
    if _depth(first_edge, behind) >= DEEPEST:
        raise InputError(
            f"this betting has more than {DEEPEST - 1} actions in a row, which sampling does not take"
        )
    row, sizes = np.zeros(len(counts), dtype=np.int32), np.zeros(streets, dtype=np.int64)
    for each in range(streets):
        here = np.concatenate(
            [order[decides & (street[order] == each) & (player[order] == who)] for who in (0, 1)]
        )
        ends = np.cumsum(2 * counts[here].astype(np.int64))
        row[here] = ends - 2 * counts[here]
        sizes[each] = ends[-1] if len(ends) else 0
    walk = np.zeros((len(order), COLUMNS), dtype=np.int32)
    walk[:, FIRST], walk[:, ROW] = first_edge[order] + 1, row[order]
    parts = player[order].astype(np.int32), street[order].astype(np.int32)
    walk[:, INFO] = counts[order] | parts[0] << PLAYER_SHIFT | parts[1] << STREET_SHIFT
    walk[~decides, INFO] &= (SHOWN | 1) << PLAYER_SHIFT
    pays, won = walk.view(np.float32), stake[order].astype(np.float32)
    pays[~decides, GAIN], pays[~decides, LOSS] = won[~decides], -won[~decides]
    return SampledTree(walk, row, sizes)


def _depth(first_edge: NDArray[np.integer], behind: NDArray[np.integer]) -> int:
    """The most edges from the root to a node."""
    level, depth = np.zeros(1, dtype=np.int64), 0
    while True:
        counts = first_edge[level + 1] - first_edge[level]
        level, counts = level[counts > 0], counts[counts > 0]
        if not len(level):
            return depth
        starts = np.repeat(first_edge[level] - np.cumsum(counts) + counts, counts)
        level = behind[starts + np.arange(counts.sum())].astype(np.int64)
        depth += 1
