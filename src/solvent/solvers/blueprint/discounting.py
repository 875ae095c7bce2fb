"""Discounting a whole table of a blueprint at once, as discounted CFR asks for (Brown and Sandholm 2019)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting import DECISION, BettingTree
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.compiling import kernel
from solvent.games.betting.rules import STREETS
from solvent.strategy.blueprint import Blueprint


def discount(blueprint: Blueprint, positive: float, negative: float, keep: float) -> None:
    """Multiply regrets above 0 by `positive`, those below by `negative`, and strategy sums by `keep`."""
    factors = np.array([positive, negative, keep], dtype=np.float32)
    for street in range(len(STREETS)):
        discount_street(blueprint.table, blueprint.layout, street, _is_sum(blueprint.tree, street), factors)


def _is_sum(tree: BettingTree, street: int) -> NDArray[np.bool_]:
    """bool[numbers of a bucket]: which of them are strategy sums; the others are regrets."""
    sums = np.zeros(int(tree.bucket_floats[street]), dtype=np.bool_)
    for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == street)):
        row, actions = int(tree.row[node]), int(tree.action_count[node])
        sums[row + actions : row + 2 * actions] = True
    return sums


@kernel
def discount_street(table, layout: TableLayout, street, is_sum, factors):  # type: ignore[no-untyped-def]
    """Discount every bucket's row of a street. factors: float32[3], for positive and negative regrets and sums."""
    for cluster in range(layout.clusters if street > 0 else 1):
        for bucket in range(layout.buckets[street]):
            start = row_start(layout, street, cluster, bucket)
            for number in range(len(is_sum)):
                value = table[start + number]
                factor = factors[0] if value > 0 else factors[1]
                if is_sum[number]:
                    factor = factors[2]
                table[start + number] = value * factor
