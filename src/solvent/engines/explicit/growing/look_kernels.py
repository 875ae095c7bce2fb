"""Compiled steps of a look: the worth of past actions, and the best bet that a decision lacks, in closed form.

Between two sizes A < B that the decision has, an opponent who maps a bet of theta to A with the pseudo-harmonic
probability f(theta) = (B - theta)(1 + A) / ((B - A)(1 + theta)) (Ganzfried and Sandholm 2013), and else to B, makes
the bet worth, by hand, with F and G as in `transfer` (a fold's part, and the part that scales with 1 + 2 theta),

    U(theta) = f (F_A + G_A (1 + 2 theta)) + (1 - f)(F_B + G_B (1 + 2 theta)) = k0 + k1 x + k2 / x,   x = 1 + theta.

The regret of the bet is sum_h max(0, U_h - base_h). Where the sign of each hand's term is constant, the sum has the
same form, whose interior maximum is at x = sqrt(K2 / K1) if K1 < 0 and K2 < 0; terms change sign at roots of
quadratics. So the maximum over [A, B] is among finitely many points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import DECISION, FOLDED
from solvent.foundation.kernels.compiling import internal, kernel

MOST_SIZES = 1000
"""The most bets at one decision that are looked at."""


class LookInput(NamedTuple):
    """The numbers that a look compares; rows are by edge or by node, float64[nodes, hands]."""

    theta: NDArray[np.float64]
    worth: NDArray[np.float64]
    """sum_t v(I, a) of each edge's action, or T times its best response's value."""
    base: NDArray[np.float64]
    """The worth that a new action of each node has to beat."""
    reach: NDArray[np.float64]
    """The cumulative reach of each edge by its player, as the opponent's regrets saw it."""


class Scratch(NamedTuple):
    """Arrays that the kernel works in."""

    bets: NDArray[np.int64]
    """The bets of a decision by size: int64[MOST_SIZES]."""
    k: NDArray[np.float64]
    """k0 - base, k1 and k2 of each hand: float64[3, hands]."""
    points: NDArray[np.float64]
    """The points where terms change sign: float64[2 hands + 2]."""


class BestBets(NamedTuple):
    """The best new bet of each node, [nodes]."""

    theta: NDArray[np.float64]
    regret: NDArray[np.float64]
    """Its regret summed over hands, in chips times iterations; 0 where there is none to add."""
    source: NDArray[np.int64]
    """The edge of the nearest size that the decision has; -1 where there is none."""


def make_scratch(hands: int) -> Scratch:
    """Arrays for one look after another."""
    return Scratch(np.zeros(MOST_SIZES, np.int64), np.zeros((3, hands)), np.zeros(2 * hands + 2))


@kernel
def past_worth(tree, held, looked, beyond):  # type: ignore[no-untyped-def]
    """Fill `looked` with sum_t v(I, a) by edge and sum_t v(I) by node; `beyond` adds the infoset's regret R(I).

    A pruned action counts as much as it can have been worth at most. A node that has no sums is left out.
    """
    for node in range(len(tree.kind)):
        at = held.values.offset[node]
        if tree.kind[node] != DECISION or at < 0:
            continue
        for hand in range(looked.base.shape[1]):
            value, best = held.values.table[at + hand], 0.0
            child = tree.first_child[node]
            while child >= 0:
                if held.regret.offset[child] >= 0:
                    here = held.regret.table[held.regret.offset[child] + hand]
                    best = max(best, here)
                else:
                    here = held.bound.table[held.bound.offset[node] + hand]
                looked.worth[child, hand] = value + here
                child = tree.next_sibling[child]
            looked.base[node, hand] = value + (best if beyond else 0.0)


@kernel
def past_reach(tree, average, player, scale, looked):  # type: ignore[no-untyped-def]
    """Fill `looked` with `scale` times the cumulative reach of each edge of a player; 0 where it was let go."""
    offset, table = average
    for node in range(1, len(tree.kind)):
        parent = tree.parent[node]
        if tree.kind[parent] == DECISION and tree.player[parent] == player and offset[node] >= 0:
            for hand in range(looked.base.shape[1]):
                looked.reach[node, hand] = scale * table[offset[node] + hand]


@internal
def sorted_bets(tree, theta, node, bets):  # type: ignore[no-untyped-def]
    """List a decision's bets by size; returns how many there are."""
    count = 0
    child = tree.first_child[node]
    while child >= 0:
        if theta[child] > 0.0 and count < MOST_SIZES:
            at = count
            while at > 0 and theta[bets[at - 1]] > theta[child]:
                bets[at] = bets[at - 1]
                at -= 1
            bets[at] = child
            count += 1
        child = tree.next_sibling[child]
    return count


@internal
def fold_worth(tree, looked, edge, player, hand):  # type: ignore[no-untyped-def]
    """F: the summed worth of folds to a bet for the bettor's hand."""
    fold = tree.first_child[edge]
    while tree.kind[fold] != FOLDED:
        fold = tree.next_sibling[fold]
    number, total = tree.matrix_of[fold], 0.0
    for other in range(looked.base.shape[1]):
        if player == 0:
            total += tree.matrix[number, hand, other] * looked.reach[fold, other]
        else:
            total -= tree.matrix[number, other, hand] * looked.reach[fold, other]
    return tree.stake[fold] * total


@internal
def terms(tree, looked, scratch, node, low, high):  # type: ignore[no-untyped-def]
    """k0 - base, k1 and k2 of every hand between two bets."""
    a, b = looked.theta[low], looked.theta[high]
    alpha, beta = -(1 + a) / (b - a), (1 + a) * (1 + b) / (b - a)
    player = tree.player[node]
    for hand in range(looked.base.shape[1]):
        fold_a = fold_worth(tree, looked, low, player, hand)
        fold_b = fold_worth(tree, looked, high, player, hand)
        scaled_a = (looked.worth[low, hand] - fold_a) / (1 + 2 * a)
        scaled_b = (looked.worth[high, hand] - fold_b) / (1 + 2 * b)
        folds, scales = fold_a - fold_b, scaled_a - scaled_b
        constant = fold_b - scaled_b + alpha * (folds - scales) + 2 * beta * scales
        scratch.k[0, hand] = constant - looked.base[node, hand]
        scratch.k[1, hand] = 2 * (scaled_b + alpha * scales)
        scratch.k[2, hand] = beta * (folds - scales)


@internal
def sign_changes(scratch, low, high):  # type: ignore[no-untyped-def]
    """List low, the points between at which a hand's term changes sign, and high, ascending; returns how many."""
    points = scratch.points
    points[0], count = low, 1
    for hand in range(scratch.k.shape[1]):
        c, b, a = scratch.k[2, hand], scratch.k[0, hand], scratch.k[1, hand]
        inside = b * b - 4 * a * c
        if inside < 0.0:
            continue
        # The stable way to both roots of a x^2 + b x + c.
        q = -0.5 * (b + np.sqrt(inside) * (1.0 if b >= 0.0 else -1.0))
        for which in range(2):
            divisor = a if which == 0 else q
            if divisor == 0.0:
                continue
            root = q / a if which == 0 else c / q
            if low < root < high:
                at = count
                while points[at - 1] > root:
                    points[at] = points[at - 1]
                    at -= 1
                points[at] = root
                count += 1
    points[count] = high
    return count + 1


@internal
def total_at(scratch, x):  # type: ignore[no-untyped-def]
    """sum_h max(0, k0 + k1 x + k2 / x)"""
    total = 0.0
    for hand in range(scratch.k.shape[1]):
        total += max(0.0, scratch.k[0, hand] + scratch.k[1, hand] * x + scratch.k[2, hand] / x)
    return total


@internal
def best_between(scratch, low, high):  # type: ignore[no-untyped-def]
    """The x of [low, high] with the largest sum, and that sum."""
    count = sign_changes(scratch, low, high)
    points = scratch.points
    best_x, best = low, total_at(scratch, low)
    for piece in range(count - 1):
        left, right = points[piece], points[piece + 1]
        middle, k1, k2 = 0.5 * (left + right), 0.0, 0.0
        for hand in range(scratch.k.shape[1]):
            if scratch.k[0, hand] + scratch.k[1, hand] * middle + scratch.k[2, hand] / middle > 0.0:
                k1 += scratch.k[1, hand]
                k2 += scratch.k[2, hand]
        x = right
        if k1 < 0.0 and k2 < 0.0:
            x = min(max(np.sqrt(k2 / k1), left), right)
        for at in (x, right):
            total = total_at(scratch, at)
            if total > best:
                best_x, best = at, total
    return best_x, best


@kernel
def best_sizes(tree, looked, scratch, found, apart):  # type: ignore[no-untyped-def]
    """Find the best new bet of every decision; returns how many bets were looked at.

    New bets keep a distance of `apart` (as a fraction of 1 + theta) from those that the decision has.
    """
    seen = 0
    for node in range(len(tree.kind)):
        found.regret[node], found.source[node] = 0.0, -1
        if tree.kind[node] != DECISION:
            continue
        count = sorted_bets(tree, looked.theta, node, scratch.bets)
        seen += count
        for pair in range(count - 1):
            low, high = scratch.bets[pair], scratch.bets[pair + 1]
            start = (1 + looked.theta[low]) * (1 + apart)
            stop = (1 + looked.theta[high]) / (1 + apart)
            if not start < stop:
                continue
            terms(tree, looked, scratch, node, low, high)
            x, regret = best_between(scratch, start, stop)
            if regret > found.regret[node]:
                found.regret[node], found.theta[node] = regret, x - 1
                nearer = x - 1 - looked.theta[low] < looked.theta[high] - (x - 1)
                found.source[node] = low if nearer else high
    return seen


@kernel
def sum_subtrees(parent, sizes):  # type: ignore[no-untyped-def]
    """Replace the number of each node, int64[nodes], by the sum over its subtree."""
    for node in range(len(parent) - 1, 0, -1):
        sizes[parent[node]] += sizes[node]
