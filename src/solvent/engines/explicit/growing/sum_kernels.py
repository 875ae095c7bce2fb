"""Sums and rows over the tables of a growing game that looks and additions need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import DECISION
from solvent.foundation.kernels.compiling import kernel


@kernel
def sum_regrets(tree, offset, regret, start, hands, squares, largest):  # type: ignore[no-untyped-def]
    """Add sum (R+)^2 and sum_I max_a R+(I, a) by player, over decisions with edges numbered from `start` on."""
    for node in range(max(0, start - 1), len(tree.kind)):
        if tree.kind[node] != DECISION or tree.first_child[node] < start:
            continue
        player = tree.player[node]
        for hand in range(hands):
            best = 0.0
            child = tree.first_child[node]
            while child >= 0:
                if offset[child] >= 0:
                    positive = max(regret[offset[child] + hand], 0.0)
                    squares[player] += positive * positive
                    best = max(best, positive)
                child = tree.next_sibling[child]
            largest[player] += best


class HeldRows(NamedTuple):
    """Tables with their offsets: regrets by edge, sums of v(I) and bounds by node."""

    regret_offset: NDArray[np.int64]
    regret: NDArray[np.float64]
    value_offset: NDArray[np.int64]
    values: NDArray[np.float64]
    bound_offset: NDArray[np.int64]
    bound: NDArray[np.float64]


@kernel
def past_worth(tree, rows, looked, beyond):  # type: ignore[no-untyped-def]
    """Fill `looked` with sum_t v(I, a) by edge and sum_t v(I) by node; `beyond` adds the infoset's regret R(I).

    A pruned action counts as much as it can have been worth at most. A node that has no sums is left out.
    """
    for node in range(len(tree.kind)):
        at = rows.value_offset[node]
        if tree.kind[node] != DECISION or at < 0:
            continue
        for hand in range(looked.base.shape[1]):
            value, best = rows.values[at + hand], 0.0
            child = tree.first_child[node]
            while child >= 0:
                if rows.regret_offset[child] >= 0:
                    here = rows.regret[rows.regret_offset[child] + hand]
                    best = max(best, here)
                else:
                    here = rows.bound[rows.bound_offset[node] + hand]
                looked.worth[child, hand] = value + here
                child = tree.next_sibling[child]
            looked.base[node, hand] = value + (best if beyond else 0.0)


@kernel
def past_reach(tree, offset, table, player, scale, looked):  # type: ignore[no-untyped-def]
    """Fill `looked` with `scale` times the cumulative reach of each edge of a player; 0 where it was let go."""
    for node in range(1, len(tree.kind)):
        parent = tree.parent[node]
        if tree.kind[parent] == DECISION and tree.player[parent] == player and offset[node] >= 0:
            for hand in range(looked.base.shape[1]):
                looked.reach[node, hand] = scale * table[offset[node] + hand]
