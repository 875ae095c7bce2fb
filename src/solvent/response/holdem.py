"""Exact best responses, exploitability and values on the public form of hold'em."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.passes.holdem.holdem_pass import HoldemPass
from solvent.passes.holdem.kernels import EVALUATE, RESPOND, Tables
from solvent.response.history import Evaluation
from solvent.strategy.solved.holdem_infosets import HoldemInfosets
from solvent.strategy.solved.locks import Locks


@dataclass(frozen=True)
class HoldemEvaluation(Evaluation):
    """What a strategy of a hold'em game is worth. With rake the game is not zero-sum: see `gains`."""

    gains: tuple[float, float]
    """What each player would win more by the best response; exploitability is half of their sum."""


def evaluation_of(value: tuple[float, float], best: tuple[float, float]) -> HoldemEvaluation:
    """The evaluation of a strategy from what both players win by it, and by responding best to it."""
    gains = (max(0.0, best[0] - value[0]), max(0.0, best[1] - value[1]))
    return HoldemEvaluation(sum(gains) / 2, value, best, gains)


def evaluate_holdem(passes: HoldemPass, tables: Tables) -> HoldemEvaluation:
    """Evaluate the strategy that `tables.played` is in proportion to; responses keep to the locks."""
    return evaluation_of(
        values_by_player(passes, tables, EVALUATE), values_by_player(passes, tables, RESPOND)
    )


def values_by_player(passes: HoldemPass, tables: Tables, mode: int) -> tuple[float, float]:
    """What each player wins by playing the strategy (`EVALUATE`) or by responding best to it (`RESPOND`)."""
    first, second = passes.measure_both(tables, mode)
    weights = passes.game.weights
    return float(first @ weights[0]), float(second @ weights[1])


def played_tables(
    infosets: HoldemInfosets, weights: NDArray[np.floating], locks: Locks | None = None
) -> Tables:
    """Weights by cell, and locks if any, as passes take them."""
    if locks is None:
        at = np.full(len(infosets.game.tree.child), -1, dtype=np.int64)
        played = np.array(weights)  # a copy: kernels take arrays that can be written to
        return Tables(played, played, played[:0], played[:0], at, np.zeros(0, dtype=np.bool_), played[:0])
    played = locks.over(np.asarray(weights))
    at, locked, probability = infosets.locks_by_edge(locks.locked, locks.probabilities)
    return Tables(played, played, played[:0], played[:0], at, locked, probability.astype(played.dtype))
