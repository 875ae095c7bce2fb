"""Discounting a whole blueprint at once, as discounted CFR does (Brown and Sandholm 2019).

Sampling touches few rows at an iteration, so a rule that fades all regrets at every iteration cannot be sampled;
but all tables can be faded now and then, between two parts of a training.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting.tree import DECISION, BettingTree
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.threads import in_pieces
from solvent.strategy.agents.blueprint import Blueprint, split_table

PIECE = 1 << 20
"""Numbers that a thread scales at once, about."""


class Discounter:
    """Scales a table, or some streets of one: a head's, or one public cluster's arena."""

    def __init__(self, tree: BettingTree, layout: TableLayout, streets: Sequence[int]) -> None:
        """layout: of the table to scale; its first arena is the one that is scaled."""
        self._sums = {street: sum_places(tree, street) for street in streets}
        self._pieces: list[tuple[int, int, int]] = []
        for street in streets:
            buckets = int(layout.buckets[street])
            step = max(1, PIECE // max(int(layout.bucket[street]), 1))
            for first in range(0, buckets, step):
                start = int(row_start(layout, street, 0, first))
                self._pieces.append((street, start, min(step, buckets - first)))

    def __call__(
        self, table: NDArray[np.float32], positive: float, negative: float, keep: float, threads: int = 1
    ) -> None:
        """Multiply regrets above 0 by `positive`, those below by `negative`, and strategy sums by `keep`."""
        factors = np.array([positive, negative, keep], dtype=np.float32)

        def work(start: int, stop: int, room: None) -> None:
            for street, place, count in self._pieces[start:stop]:
                scale_buckets(table, place, count, self._sums[street], factors)

        in_pieces(work, len(self._pieces), 1, [None] * threads)


def head_discounter(tree: BettingTree, layout: TableLayout) -> Discounter:
    """Scales the head of a table."""
    return Discounter(tree, layout, [0])


def arena_discounter(tree: BettingTree, layout: TableLayout) -> Discounter:
    """Scales the arena of one public cluster, given as a table of its own."""
    return Discounter(tree, layout._replace(head=0), range(1, len(layout.street)))


def discount(blueprint: Blueprint, positive: float, negative: float, keep: float, threads: int = 1) -> None:
    """Multiply regrets above 0 by `positive`, those below by `negative` and strategy sums by `keep`, in place."""
    head, *arenas = split_table(blueprint).values()
    head_discounter(blueprint.tree, blueprint.layout)(head, positive, negative, keep, threads)
    scale_arena = arena_discounter(blueprint.tree, blueprint.layout)
    for arena in arenas:
        scale_arena(arena, positive, negative, keep, threads)


def sum_places(tree: BettingTree, street: int) -> NDArray[np.bool_]:
    """bool[numbers of one bucket]: which of a bucket's numbers on a street are strategy sums, not regrets."""
    here = np.flatnonzero((tree.kind == DECISION) & (tree.street == street))
    sums = np.zeros(int(tree.bucket_floats[street]), dtype=np.bool_)
    counts = tree.action_count[here].astype(np.int64)
    starts = np.repeat(tree.row[here] + counts - np.cumsum(counts) + counts, counts)
    sums[starts + np.arange(counts.sum())] = True
    return sums


@kernel
def scale_buckets(table, start, count, sums, factors):  # type: ignore[no-untyped-def]
    """Scale the numbers of `count` buckets from `start` on. factors: float32[3], positive, negative and kept."""
    positive, negative, keep = factors[0], factors[1], factors[2]
    for bucket in range(count):
        first = start + bucket * len(sums)
        for place in range(len(sums)):
            number = table[first + place]
            factor = keep if sums[place] else positive if number > 0 else negative
            table[first + place] = number * factor
