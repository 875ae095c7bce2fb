"""The value of every hand of an exploiter who sees what its bets are taken for: one pass over a size tree.

Values are counterfactual: weighted by the other player's reach, chance and nothing of the exploiter's. At an
opponent who faces a bet the fold is left out, because it alone does not grow with the bet.

A bet of any size has a value in closed form where its answer is known at two sizes around it (`peak_between`).
With y = 1 / (1 + theta) the shares of the pseudo-harmonic mapping are linear in y between two neighbouring sizes.
So are F, the winnings of folds, and C, those after a call or a raise in units of the pot then, as long as the
exploiter's plan stays the same. The bet is worth

    G = F(y) + (1 + 2 theta) C(y) = k0 + k1 theta + k2 / (1 + theta),    1 + 2 theta = 2 / y - 1,

which has a maximum inside only where k1 < 0 and k2 < 0, at 1 + theta = sqrt(k2 / k1).
"""

from __future__ import annotations

import numpy as np

from solvent.forms.explicit.tree import DEAL, DECISION
from solvent.foundation.kernels.compiling import internal, kernel

PLAY, ABSTRACT, CONTINUOUS = 0, 1, 2
"""The exploiter's choice: the strategy itself, the best of the abstraction's sizes, or the best of all sizes."""


@kernel
def reach_down(nodes, strategy, player, reach):  # type: ignore[no-untyped-def]
    """Fill reach, float64[nodes, hands], with how likely `player` is to play to each node; row 0 is given.

    strategy: float64[nodes, hands], the probability of the action that leads to each node.
    """
    for node in range(nodes.shape[0]):
        record = nodes[node]
        acts = record.kind == DECISION and record.player == player
        for child in range(record.first, record.first + record.children):
            for hand in range(reach.shape[1]):
                share = strategy[child, hand] if acts else 1.0
                reach[child, hand] = reach[node, hand] * share


@kernel
def settle(nodes, matrices, reach, worth):  # type: ignore[no-untyped-def]
    """Fill the terminals' rows of worth, float64[nodes, hands], in units of what each player has paid.

    matrices: float64[matrices, own hands, other's hands], the exploiter's winnings.
    """
    hands = reach.shape[1]
    for node in range(nodes.shape[0]):
        record = nodes[node]
        if record.kind == DECISION or record.kind == DEAL:
            continue
        for own in range(hands):
            total = 0.0
            for other in range(hands):
                total += matrices[record.matrix, own, other] * reach[node, other]
            worth[node, own] = total * record.sign


@internal
def peak_between(left, folds_left, calls_left, right, folds_right, calls_right):  # type: ignore[no-untyped-def]
    """The largest G from size `left` to size `right`, and the size where it is reached.

    folds_*, calls_*: F and C at both ends, between which they are linear in y.
    """
    best, size = folds_left + (1.0 + 2.0 * left) * calls_left, left
    end = folds_right + (1.0 + 2.0 * right) * calls_right
    if end > best:
        best, size = end, right
    y_left, y_right = 1.0 / (1.0 + left), 1.0 / (1.0 + right)
    if y_left <= y_right:
        return best, size
    calls_slope = (calls_left - calls_right) / (y_left - y_right)
    k1 = 2.0 * (calls_left - calls_slope * y_left)
    k2 = (folds_left - folds_right) / (y_left - y_right) - calls_slope
    if k1 < 0.0 and k2 < 0.0:
        y = np.sqrt(k1 / k2)
        if y_right < y < y_left:
            # Measured from the left end, so that nothing cancels where the piece is short.
            top = folds_left + (1.0 + 2.0 * left) * calls_left
            top += k2 * (y - y_left) + k1 * (1.0 / y - 1.0 / y_left)
            if top > best:
                best, size = top, 1.0 / y - 1.0
    return best, size


@internal
def best_bet(nodes, worth, node, hand, limits, continuous):  # type: ignore[no-untyped-def]
    """The most that a bet or raise wins at a node, in units after calling.

    limits: the smallest and largest size allowed. Bets outside of the abstraction's sizes are taken for the
    nearest one. Without `continuous` only the abstraction's own sizes are tried.
    """
    record = nodes[node]
    start = record.first + record.facing + 1
    end = record.first + record.children
    best = -1e300
    for child in range(start, end):
        size = nodes[child].size
        folds, calls = worth[nodes[child].first, hand], worth[child, hand]
        if continuous and child == start and limits[0] < size:
            top, _ = peak_between(limits[0], folds, calls, size, folds, calls)
        elif continuous and child > start:
            top, _ = peak_between(
                nodes[child - 1].size,
                worth[nodes[child - 1].first, hand],
                worth[child - 1, hand],
                size,
                folds,
                calls,
            )
        else:
            top = folds + (1.0 + 2.0 * size) * calls
        best = max(best, top)
        if continuous and child == end - 1 and limits[1] > size:
            top, _ = peak_between(size, folds, calls, limits[1], folds, calls)
            best = max(best, top)
    return best


@internal
def played(nodes, strategy, worth, node, hand):  # type: ignore[no-untyped-def]
    """The winnings of the strategy's own play at a node of the exploiter."""
    record = nodes[node]
    total = 0.0
    for child in range(record.first + record.facing, record.first + record.children):
        value = worth[child, hand]
        if nodes[child].size > 0.0:
            value = worth[nodes[child].first, hand] + (1.0 + 2.0 * nodes[child].size) * value
        total += strategy[child, hand] * value
    total *= 1.0 + 2.0 * record.size
    if record.facing:
        total += strategy[record.first, hand] * worth[record.first, hand]
    return total


@kernel
def value_up(nodes, strategy, exploiter, mode, limits, worth):  # type: ignore[no-untyped-def]
    """Fill the other rows of worth from those of the terminals; `mode` is PLAY, ABSTRACT or CONTINUOUS."""
    for node in range(nodes.shape[0] - 1, -1, -1):
        record = nodes[node]
        if record.kind != DECISION and record.kind != DEAL:
            continue
        for hand in range(worth.shape[1]):
            if record.kind == DEAL or record.player != exploiter:
                total = 0.0
                for child in range(record.first + record.facing, record.first + record.children):
                    total += worth[child, hand]
                worth[node, hand] = total
            elif mode == PLAY:
                worth[node, hand] = played(nodes, strategy, worth, node, hand)
            else:
                best = worth[record.first + record.facing, hand]
                if record.children > record.facing + 1:
                    best = max(best, best_bet(nodes, worth, node, hand, limits, mode == CONTINUOUS))
                best *= 1.0 + 2.0 * record.size
                if record.facing:
                    best = max(best, worth[record.first, hand])
                worth[node, hand] = best


@kernel
def describe(nodes, exploiter):  # type: ignore[no-untyped-def]
    """Fill `depth`, `bets` and `settled` of the nodes for an exploiter; the root's are 0 at first."""
    for node in range(nodes.shape[0]):
        record = nodes[node]
        acts = record.kind == DECISION and record.player == exploiter
        for child in range(record.first, record.first + record.children):
            nodes[child].bets = record.bets + (1 if acts and nodes[child].size > 0.0 else 0)
            nodes[child].depth = record.depth + 1
    for node in range(nodes.shape[0] - 1, -1, -1):
        record = nodes[node]
        settled = not (record.kind == DECISION and record.player == exploiter)
        for child in range(record.first, record.first + record.children):
            settled = settled and nodes[child].settled == 1
        nodes[node].settled = 1 if settled else 0
