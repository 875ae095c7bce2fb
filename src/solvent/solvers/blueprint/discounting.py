"""Discounting a whole blueprint at once, as discounted CFR does (Brown and Sandholm 2019).

Sampling touches few rows at an iteration, so a rule that fades all regrets at every iteration cannot be sampled;
but all tables can be faded now and then, between two parts of a training.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting import DECISION, BettingTree
from solvent.forms.sampled import row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.threads import in_pieces
from solvent.strategy.agents.blueprint import Blueprint

PIECE = 1 << 20
"""Numbers that a thread scales at once, about."""


def discount(blueprint: Blueprint, positive: float, negative: float, keep: float, threads: int = 1) -> None:
    """Multiply regrets above 0 by `positive`, those below by `negative` and strategy sums by `keep`, in place."""
    layout, factors = blueprint.layout, np.array([positive, negative, keep], dtype=np.float32)
    sums = [sum_places(blueprint.tree, street) for street in range(len(layout.street))]
    pieces: list[tuple[int, int, int]] = []
    for street, numbers in enumerate(layout.bucket.tolist()):
        step = max(1, PIECE // max(numbers, 1))
        for cluster in range(layout.clusters if street > 0 else 1):
            for first in range(0, int(layout.buckets[street]), step):
                count = min(step, int(layout.buckets[street]) - first)
                pieces.append((street, int(row_start(layout, street, cluster, first)), count))

    def work(start: int, stop: int, room: None) -> None:
        for street, place, count in pieces[start:stop]:
            scale_buckets(blueprint.table, place, count, sums[street], factors)

    in_pieces(work, len(pieces), 1, [None] * threads)


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
