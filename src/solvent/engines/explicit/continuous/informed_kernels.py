"""One pass over a size tree: what every hand of the exploiter wins if it sees what its bets are taken for.

Values are counterfactual: weighted by the other player's reach, chance and nothing of the exploiter's. At an
opponent who faces a bet the fold is left out, because it alone does not grow with the bet.
"""

from __future__ import annotations

from solvent.engines.explicit.continuous.size_kernels import peak_between
from solvent.forms.explicit.tree import DEAL, DECISION
from solvent.foundation.kernels.compiling import internal, kernel

PLAY, ABSTRACT, CONTINUOUS = 0, 1, 2
"""What the exploiter does: play the strategy itself, choose among the abstraction's sizes, choose any size."""


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

    matrices: float64[matrices, own hands, other's hands], what the exploiter wins.
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
def best_bet(nodes, worth, node, hand, limits, continuous):  # type: ignore[no-untyped-def]
    """The most that a bet or raise wins at a node, in units after calling, and its size.

    limits: the smallest and largest size allowed. Bets outside of the abstraction's sizes are taken for the
    nearest one. Without `continuous` only the abstraction's own sizes are tried.
    """
    record = nodes[node]
    start = record.first + record.facing + 1
    end = record.first + record.children
    best, best_size = -1e300, 0.0
    for child in range(start, end):
        size = nodes[child].size
        folds, calls = worth[nodes[child].first, hand], worth[child, hand]
        if continuous and child == start and limits[0] < size:
            top, at = peak_between(limits[0], folds, calls, size, folds, calls)
        elif continuous and child > start:
            top, at = peak_between(
                nodes[child - 1].size,
                worth[nodes[child - 1].first, hand],
                worth[child - 1, hand],
                size,
                folds,
                calls,
            )
        else:
            top, at = folds + (1.0 + 2.0 * size) * calls, size
        if top > best:
            best, best_size = top, at
        if continuous and child == end - 1 and limits[1] > size:
            top, at = peak_between(size, folds, calls, limits[1], folds, calls)
            if top > best:
                best, best_size = top, at
    return best, best_size


@internal
def played(nodes, strategy, worth, node, hand):  # type: ignore[no-untyped-def]
    """What the strategy's own play wins at a node of the exploiter."""
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
def value_up(nodes, strategy, exploiter, way, limits, worth, sizes):  # type: ignore[no-untyped-def]
    """Fill the other rows of worth from those of the terminals.

    way: PLAY, ABSTRACT or CONTINUOUS. sizes: float64[nodes, hands], filled with the size of the best bet or raise
    at each of the exploiter's nodes, whether or not betting is best.
    """
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
            elif way == PLAY:
                worth[node, hand] = played(nodes, strategy, worth, node, hand)
            else:
                best = worth[record.first + record.facing, hand]
                if record.children > record.facing + 1:
                    bet, sizes[node, hand] = best_bet(nodes, worth, node, hand, limits, way == CONTINUOUS)
                    best = max(best, bet)
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
