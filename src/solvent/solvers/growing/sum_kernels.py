"""Sums and rows over the tables of a growing game that looks and additions need."""

from __future__ import annotations

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


@kernel
def past_worth(tree, offset, regret, values, looked, beyond):  # type: ignore[no-untyped-def]
    """Fill `looked` with sum_t v(I, a) by edge and sum_t v(I) by node; `beyond` adds the infoset's regret R(I)."""
    for node in range(len(tree.kind)):
        if tree.kind[node] != DECISION:
            continue
        for hand in range(looked.base.shape[1]):
            value, best = values[offset[tree.first_child[node]] + hand], 0.0
            child = tree.first_child[node]
            while child >= 0:
                if offset[child] >= 0:
                    here = regret[offset[child] + hand]
                    looked.worth[child, hand] = value + here
                    best = max(best, here)
                child = tree.next_sibling[child]
            looked.base[node, hand] = value + (best if beyond else 0.0)


@kernel
def past_reach(tree, offset, first, second, scale, looked):  # type: ignore[no-untyped-def]
    """Fill `looked` with the cumulative reach of each edge: player 0's from one table, player 1's from another."""
    for node in range(1, len(tree.kind)):
        parent = tree.parent[node]
        if tree.kind[parent] == DECISION and offset[node] >= 0:
            for hand in range(looked.base.shape[1]):
                at = offset[node] + hand
                looked.reach[node, hand] = first[at] if tree.player[parent] == 0 else scale * second[at]
