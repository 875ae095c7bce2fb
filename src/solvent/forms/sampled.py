"""A betting tree as Monte Carlo CFR walks it: no deals, children side by side, a row at every decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError

FIRST, ROW, INFO = range(3)
"""Columns of a decision: its first child, where its row begins in a bucket's, and what it is."""
GAIN, LOSS = range(2)
"""Columns of a terminal, float32 in the same memory: what is won and lost there."""
COLUMNS = 4
PLAYER_SHIFT, STREET_SHIFT, ACTIONS_MASK = 8, 16, 255
"""Parts of a decision's information; a terminal has no actions, and as its player who folded, or `SHOWN`."""
SHOWN = 2
MOST_ACTIONS = 16
DEEPEST = 64


@dataclass(frozen=True)
class SampledTree:
    """What kernels walk."""

    walk: NDArray[np.int32]
    """int32[edges + 1, 4]: see the columns above; the root, then the node behind each edge."""
    row: NDArray[np.int32]
    """int32[nodes]: where the row of each of the tree's decisions begins in a bucket's rows."""
    bucket_floats: NDArray[np.int64]
    """int64[streets]: numbers that one bucket has on each street: a regret and a sum for each action."""

    def transformed(
        self, reward: Callable[[NDArray[np.float32]], NDArray[np.floating]]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The walk with payoffs transformed by a reward function: int32 and float32 views of the same memory."""
        walk = self.walk.copy()
        payoffs, ends = walk.view(np.float32), self.walk[:, INFO] & ACTIONS_MASK == 0
        for column in (GAIN, LOSS):
            payoffs[ends, column] = reward(payoffs[ends, column])
        return walk, payoffs


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
