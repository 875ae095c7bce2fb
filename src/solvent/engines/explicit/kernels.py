"""Passes over the explicit public tree: down with strategies and reaches, up with values and regrets.

The nodes from `start` on are a whole tree or a subtree that was grafted at once; `start` is its root, whose reaches
the caller sets. Children have larger numbers than parents, so down is a loop upward and up is a loop downward. The
regret update is that of `matching`, with one number more, the weight of the instantaneous regret:

    R(I, a) <- d (R(I, a) + weight r(I, a)),   V(I) <- positive (V(I) + weight v(I))

Tables are flat: the numbers of edge e for all hands begin at offset[e], and an edge with offset -1 is absent, which
is played with probability 0, unless all edges of its node are absent. V(I), the sum of v(I), is kept by node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.vectors.matching import NOTHING
from solvent.forms.explicit.tree import DECISION, FOLDED
from solvent.foundation.kernels.compiling import internal, kernel

UPDATE, EVALUATE, RESPOND = 0, 1, 2
"""The modes of `ascend` at the player's decisions: play sigma and learn, play sigma, or take the best action."""


class Work(NamedTuple):
    """Scratch arrays of a pass."""

    sigma: NDArray[np.float64]
    """The probability of each edge: float64[nodes, hands]."""
    reach: NDArray[np.float64]
    """Each player's probability of playing to each node: float64[2, nodes, hands]."""
    value: NDArray[np.float64]
    """Counterfactual values of the player whose pass it was: float64[nodes, hands]."""
    active: NDArray[np.bool_]
    """Nodes that the pass down has visited: bool[nodes]."""


class FlatTable(NamedTuple):
    """A table with its offsets, by edge or by decision."""

    offset: NDArray[np.int64]
    """The first place of each edge's or decision's numbers: int64[nodes]; -1 where they are not kept."""
    table: NDArray[np.float64]


NO_TABLE = FlatTable(np.zeros(0, np.int64), np.zeros(0))
"""For passes that learn nothing, and for those in which nothing stands in for absent edges."""


class Weights(NamedTuple):
    """The mode of a pass and the numbers of its regret update."""

    mode: int
    """UPDATE, EVALUATE or RESPOND."""
    positive: float
    """Factor for cumulative regrets above zero, and for the sums of values."""
    negative: float
    """Factor for cumulative regrets below zero."""
    weight: float
    """Weight of this iteration's regrets and values."""


def make_work(nodes: int, hands: int) -> Work:
    """Make the scratch arrays of a tree."""
    return Work(
        np.zeros((nodes, hands)),
        np.ones((2, nodes, hands)),
        np.zeros((nodes, hands)),
        np.ones(nodes, dtype=np.bool_),
    )


@internal
def match(tree, regret, instead, sigma, node):  # type: ignore[no-untyped-def]
    """Regret matching at one decision: sigma ~ max(0, R), uniform over present edges where R <= 0.

    Where no edge is present the table `instead` is matched; if none is present there either, nobody comes, or
    nothing is known: all edges are played with the same probability.
    """
    known = False
    child = tree.first_child[node]
    while child >= 0 and not known:
        known = regret.offset[child] >= 0
        child = tree.next_sibling[child]
    if known or len(instead.offset) == 0:
        match_present(tree, regret, sigma, node)
    else:
        match_present(tree, instead, sigma, node)


@internal
def match_present(tree, regret, sigma, node):  # type: ignore[no-untyped-def]
    """Regret matching on the edges of a decision that are present in one table."""
    offset, table = regret
    hands = sigma.shape[1]
    present = count = 0
    child = tree.first_child[node]
    while child >= 0:
        present += offset[child] >= 0
        count += 1
        child = tree.next_sibling[child]
    for hand in range(hands):
        total = 0.0
        child = tree.first_child[node]
        while child >= 0:
            at = offset[child]
            if at >= 0:
                total += max(table[at + hand], 0.0)
            child = tree.next_sibling[child]
        child = tree.first_child[node]
        while child >= 0:
            at = offset[child]
            if at < 0:
                sigma[child, hand] = 0.0 if present else 1.0 / count
            elif total > NOTHING:
                sigma[child, hand] = max(table[at + hand], 0.0) / total
            else:
                sigma[child, hand] = 1.0 / present
            child = tree.next_sibling[child]


@kernel
def descend(tree, regret, instead, work, start, skip):  # type: ignore[no-untyped-def]
    """Compute strategies by regret matching on a table, and reaches; returns how many nodes were visited.

    At decisions without a present edge the table `instead`, if it has any, is matched in its place.

    With `skip`, nodes that no player reaches with any hand are not visited: no regret or average changes there
    (Brown and Sandholm 2015, section 6, third method).
    """
    hands = work.sigma.shape[1]
    visited = 0
    for node in range(start, len(tree.kind)):
        if node > start:
            parent = tree.parent[node]
            if not work.active[parent]:
                work.active[node] = False
                continue
            mover = tree.player[parent] if tree.kind[parent] == DECISION else -1
            reached = 0.0
            for player in range(2):
                for hand in range(hands):
                    here = work.reach[player, parent, hand]
                    if player == mover:
                        here *= work.sigma[node, hand]
                    work.reach[player, node, hand] = here
                    reached += here
            if skip and reached == 0.0:
                work.active[node] = False
                continue
        work.active[node] = True
        visited += 1
        if tree.kind[node] == DECISION:
            match(tree, regret, instead, work.sigma, node)
    return visited


@kernel
def accumulate(tree, average, work, player, weight, start):  # type: ignore[no-untyped-def]
    """Add weight x reach x sigma of a player's edges to a table, the edge to `start` excepted."""
    offset, table = average
    hands = work.sigma.shape[1]
    for node in range(start + 1, len(tree.kind)):
        if not work.active[node]:
            continue
        parent = tree.parent[node]
        at = offset[node]
        if at >= 0 and tree.kind[parent] == DECISION and tree.player[parent] == player:
            for hand in range(hands):
                table[at + hand] += weight * work.reach[player, node, hand]


@internal
def end_values(tree, work, player, node):  # type: ignore[no-untyped-def]
    """The player's counterfactual values at a terminal."""
    hands = work.sigma.shape[1]
    number, stake = tree.matrix_of[node], tree.stake[node]
    for hand in range(hands):
        total = 0.0
        if player == 0:
            for other in range(hands):
                total += tree.matrix[number, hand, other] * work.reach[1, node, other]
        else:
            for other in range(hands):
                total -= tree.matrix[number, other, hand] * work.reach[0, node, other]
        work.value[node, hand] = stake * total


@internal
def best_values(tree, work, node):  # type: ignore[no-untyped-def]
    """The best action's value at a decision, by hand."""
    for hand in range(work.sigma.shape[1]):
        best = -np.inf
        child = tree.first_child[node]
        while child >= 0:
            best = max(best, work.value[child, hand])
            child = tree.next_sibling[child]
        work.value[node, hand] = best


@internal
def own_values(tree, regret, sums, work, weights, node):  # type: ignore[no-untyped-def]
    """v(I) at the player's decision, and the updates of its tables where the mode is UPDATE."""
    offset, table = regret
    first = tree.first_child[node]
    place = sums.offset[node] if weights.mode == UPDATE else -1
    for hand in range(work.sigma.shape[1]):
        # Values are measured from the first action, so that actions of equal value have regret 0 exactly.
        origin, gain = work.value[first, hand], 0.0
        child = tree.next_sibling[first]
        while child >= 0:
            gain += work.sigma[child, hand] * (work.value[child, hand] - origin)
            child = tree.next_sibling[child]
        work.value[node, hand] = origin + gain
        if weights.mode == UPDATE:
            if place >= 0:
                at = place + hand
                sums.table[at] = weights.positive * (sums.table[at] + weights.weight * (origin + gain))
            child = first
            while child >= 0:
                if offset[child] >= 0:
                    at = offset[child] + hand
                    total = table[at] + weights.weight * ((work.value[child, hand] - origin) - gain)
                    table[at] = total * (weights.positive if total > 0.0 else weights.negative)
                child = tree.next_sibling[child]


@kernel
def ascend(tree, regret, sums, work, player, weights, start):  # type: ignore[no-untyped-def]
    """One player's counterfactual values from the reaches of the last pass down, and the regrets they teach.

    `sums` is the table of the sums of v(I), by node.
    """
    hands = work.sigma.shape[1]
    for node in range(len(tree.kind) - 1, start - 1, -1):
        if not work.active[node]:
            for hand in range(hands):
                work.value[node, hand] = 0.0
        elif tree.kind[node] >= FOLDED:
            end_values(tree, work, player, node)
        elif tree.kind[node] == DECISION and tree.player[node] == player:
            if weights.mode == RESPOND:
                best_values(tree, work, node)
            else:
                own_values(tree, regret, sums, work, weights, node)
        else:
            for hand in range(hands):
                work.value[node, hand] = 0.0
            child = tree.first_child[node]
            while child >= 0:
                for hand in range(hands):
                    work.value[node, hand] += work.value[child, hand]
                child = tree.next_sibling[child]
