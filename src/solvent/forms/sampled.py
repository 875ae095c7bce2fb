"""The sampled form: a betting tree times buckets, as Monte Carlo CFR walks and stores it.

The tree is laid out as a `SampledWalk`, with no deals and the children of a node side by side. It keeps packed
columns of its own, beside the betting tree's records, because it is the hottest memory of training: a visit of a
node reads one line of 16 bytes, the lines of its children follow one another, and a terminal's two payoffs stand
in the same line as floats. (The walk is also made from public games, which have no betting records.)

Tables are one array of float32 numbers, described by a `TableLayout`. First comes the *head* with the preflop
rows of every class of hands, then one *arena* for each public cluster with its flop, turn and river rows. Within
a street the rows of one bucket lie together, those of a node's children side by side. So a traversal, which has
one bucket on each street, stays in a few stretches of memory, and a cluster can be moved elsewhere whole. A row
is the regrets of a decision's actions followed by the sums of its strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel

FIRST, ROW, INFO = range(3)
"""Columns of a decision in a walk: its first child, where its row begins in a bucket's numbers, and what it is."""
GAIN, LOSS = range(2)
"""Columns of a terminal, float32 in the same memory: what is won and lost there."""
COLUMNS = 4
PLAYER_SHIFT, STREET_SHIFT, ACTIONS_MASK = 8, 16, 255
"""Parts of `INFO`. A terminal has no actions; its player is who folded, or `SHOWN`."""
SHOWN = 2
"""The player of a showdown."""
MOST_ACTIONS = 16
"""Actions that a decision may have, at most."""
DEEPEST = 64
"""Actions in a row that a walk may have, plus one."""


@dataclass(frozen=True)
class SampledWalk:
    """A betting tree as the traversal kernels walk it."""

    walk: NDArray[np.int32]
    """int32[edges + 1, 4], in the columns above: the root, then the node behind each edge."""

    def transformed(
        self, reward: Callable[[NDArray[np.float32]], NDArray[np.floating]]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The walk with payoffs transformed by a reward function: int32 and float32 views of the same memory."""
        walk = self.walk.copy()
        payoffs, ends = walk.view(np.float32), self.walk[:, INFO] & ACTIONS_MASK == 0
        for column in (GAIN, LOSS):
            payoffs[ends, column] = reward(payoffs[ends, column])
        return walk, payoffs


def place_rows(
    first_edge: NDArray[np.integer],
    behind: NDArray[np.integer],
    player: NDArray[np.integer],
    street: NDArray[np.integer],
    streets: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Place each decision's row among one bucket's numbers, int32[nodes], and count those numbers by street.

    Rows of a street lie in the order of the walk, player 0's before player 1's, so that the rows of a node's
    children lie side by side, as the children do. The arguments are those of `lay_out_walk`.
    """
    counts = np.diff(first_edge)
    order = np.concatenate([[0], behind])
    decides = counts[order] > 0
    row, sizes = np.zeros(len(counts), dtype=np.int32), np.zeros(streets, dtype=np.int64)
    for each in range(streets):
        here = np.concatenate(
            [order[decides & (street[order] == each) & (player[order] == who)] for who in (0, 1)]
        )
        ends = np.cumsum(2 * counts[here].astype(np.int64))
        row[here] = ends - 2 * counts[here]
        sizes[each] = ends[-1] if len(ends) else 0
    return row, sizes


def lay_out_walk(
    first_edge: NDArray[np.integer],
    behind: NDArray[np.integer],
    player: NDArray[np.integer],
    street: NDArray[np.integer],
    stake: NDArray[np.floating] | NDArray[np.integer],
    row: NDArray[np.int32],
) -> SampledWalk:
    """Lay out a tree whose nodes are numbered parents first.

    first_edge: [nodes + 1], a terminal has no edges. behind: the node behind each edge, deals left out. player:
    who decides, and at terminals who folded, or `SHOWN`. stake: what the winner of a terminal gets. row: as
    `place_rows` gives it.
    """
    counts = np.diff(first_edge)
    if counts.max(initial=0) > MOST_ACTIONS:
        raise InputError(
            f"a decision may have {MOST_ACTIONS} actions, and this betting has one with {counts.max()}"
        )
    if _depth(first_edge, behind) >= DEEPEST:
        raise InputError(
            f"this betting has more than {DEEPEST - 1} actions in a row, which sampling does not take"
        )
    order = np.concatenate([[0], behind])
    decides = counts[order] > 0
    walk = np.zeros((len(order), COLUMNS), dtype=np.int32)
    walk[:, FIRST], walk[:, ROW] = first_edge[order] + 1, row[order]
    parts = player[order].astype(np.int32), street[order].astype(np.int32)
    walk[:, INFO] = counts[order] | parts[0] << PLAYER_SHIFT | parts[1] << STREET_SHIFT
    walk[~decides, INFO] &= (SHOWN | 1) << PLAYER_SHIFT
    pays, won = walk.view(np.float32), stake[order].astype(np.float32)
    pays[~decides, GAIN], pays[~decides, LOSS] = won[~decides], -won[~decides]
    return SampledWalk(walk)


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


class TableLayout(NamedTuple):
    """Places of the rows of buckets in a table."""

    head: int
    """Numbers of the head."""
    arena: int
    """Numbers of one public cluster's arena."""
    clusters: int
    street: NDArray[np.int64]
    """int64[4]: where each street's rows begin, in the head for preflop and in an arena for the others"""
    bucket: NDArray[np.int64]
    """int64[4]: numbers that one bucket has on each street"""
    buckets: NDArray[np.int64]
    """int64[4]: buckets of a cluster on each street"""

    @property
    def numbers(self) -> int:
        """Numbers of the whole table."""
        return self.head + self.clusters * self.arena


def table_layout(
    bucket_floats: Sequence[int] | NDArray[np.int64], sizes: Sequence[tuple[int, int]]
) -> TableLayout:
    """Lay out a table that has `bucket_floats` numbers for each bucket of a street.

    sizes: (public clusters, buckets in each) by street, as `CardAbstraction.sizes`.
    """
    floats = np.array(bucket_floats, dtype=np.int64)
    buckets = np.array([count for _, count in sizes], dtype=np.int64)
    numbers = floats * buckets
    starts = np.concatenate([[0, 0], np.cumsum(numbers[1:3])]).astype(np.int64)
    return TableLayout(int(numbers[0]), int(numbers[1:].sum()), int(sizes[-1][0]), starts, floats, buckets)


@kernel
def row_start(layout, street, cluster, bucket):  # type: ignore[no-untyped-def]
    """Return where a bucket's numbers begin in a table; a decision's row lies `row` behind that. 0 is preflop."""
    start = layout.street[street] + bucket * layout.bucket[street]
    if street > 0:
        start += layout.head + cluster * layout.arena
    return start
