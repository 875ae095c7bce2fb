"""Iterations of a recovery game: a subgame that its player may enter, or leave alone for what it has had so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.kernels import UPDATE, Sums, Weights, accumulate, ascend, descend
from solvent.foundation.kernels.compiling import kernel


class Head(NamedTuple):
    """The player's choice before the subgame; arrays are float64[hands]."""

    player: int
    alternative: NDArray[np.float64]
    """What not entering is worth in each iteration, as a counterfactual value."""
    enter: NDArray[np.float64]
    """The regret of entering."""
    stay: NDArray[np.float64]
    """The regret of not entering."""
    entered: NDArray[np.float64]
    """The weighted sum of the counterfactual values of entering."""


class RecoveryTables(NamedTuple):
    """The tables that a recovery game plays in, with the offsets of edges."""

    offset: NDArray[np.int64]
    average_offset: NDArray[np.int64]
    regret: NDArray[np.float64]
    sums: Sums
    average: NDArray[np.float64]
    """Gains the opponent's reach since the head times sigma, by edge."""


@kernel
def play_recovery(tree, tables, work, head, start, stop, first, count, linear, alternating):  # type: ignore[no-untyped-def]
    """Play iterations `first`, `first` + 1, ... of a recovery game on nodes `start : stop`; returns nodes visited.

    Iteration k counts 1, or k where `linear`. With alternating updates the opponent learns first, and its average
    has the strategies that the player's regrets then see.
    """
    player, other = head.player, 1 - head.player
    hands = len(head.enter)
    instead = Sums(tables.average_offset, tables.average)
    visited = 0
    for k in range(first, first + count):
        weight = float(k) if linear else 1.0
        weights = Weights(UPDATE, 1.0, 1.0, weight)
        for hand in range(hands):
            enter, stay = max(head.enter[hand], 0.0), max(head.stay[hand], 0.0)
            work.reach[player, start, hand] = enter / (enter + stay) if enter + stay > 0.0 else 0.5
            work.reach[other, start, hand] = 1.0
        visited += 2 * descend(tree, tables.offset, tables.regret, instead, work, start, stop, False)
        if alternating:
            ascend(tree, tables.offset, tables.regret, tables.sums, work, other, weights, start, stop)
            descend(tree, tables.offset, tables.regret, instead, work, start, stop, False)
        accumulate(tree, tables.average_offset, tables.average, work, other, weight, start, stop)
        if not alternating:
            ascend(tree, tables.offset, tables.regret, tables.sums, work, other, weights, start, stop)
        ascend(tree, tables.offset, tables.regret, tables.sums, work, player, weights, start, stop)
        for hand in range(hands):
            value, alternative = work.value[start, hand], head.alternative[hand]
            gain = work.reach[player, start, hand] * (value - alternative)
            head.entered[hand] += weight * value
            head.enter[hand] += weight * ((value - alternative) - gain)
            head.stay[hand] -= weight * gain
    return visited
