"""Exact best responses, exploitability and values on the public form of hold'em."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import Evaluation
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.kernels import EVALUATE, RESPOND, Tables
from solvent.engines.holdem.sweep_code import TRACE
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import LockTables, lock_tables
from solvent.foundation.errors import InputError
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import HoldemInfosets

MOST_MISSING = 1e-3
"""Fraction of the pot by which EVs and rake may miss it."""
LEAST_TRACES = 512
"""Traces that the pairs that can be dealt have to be at least, for sums that are right to a thousandth."""
DEEPEST = {"float": 1e4, "double": 1e12}
"""Pots that may be won. In float32 the EVs of uniform play with stacks of 10,000 pots missed .02 % of the pot, with
stacks of 100,000 pots .2 %."""


@dataclass(frozen=True)
class HoldemEvaluation(Evaluation):
    """Values of a strategy of a hold'em game. With rake the game is not zero-sum: see `gains`."""

    gains: tuple[float, float]
    """Each player's gain by the best response; exploitability is half of their sum."""


def evaluation_of(value: tuple[float, float], best: tuple[float, float]) -> HoldemEvaluation:
    """The evaluation of a strategy from what both players win by it, and by responding best to it."""
    gains = (max(0.0, best[0] - value[0]), max(0.0, best[1] - value[1]))
    return HoldemEvaluation(sum(gains) / 2, value, best, gains)


def evaluate_holdem(passes: HoldemPass, tables: Tables) -> HoldemEvaluation:
    """Evaluate the strategy that `tables.played` is in proportion to; responses keep to the locks."""
    value = values_by_player(passes, tables, EVALUATE)
    check_sum(passes, value, passes.house_takes(tables, passes.game.weights[0]))
    return evaluation_of(value, values_by_player(passes, tables, RESPOND))


def check_carried(game: HoldemGame, dtype: np.dtype[Any]) -> None:
    """Refuse a game whose values rounding would spoil, because stacks are too deep or few hands can meet.

    Kernels subtract the pairs that share a card from all pairs, and count a `TRACE` of all as nothing.
    """
    double = dtype == np.float64
    if game.compatible_share < LEAST_TRACES * TRACE["double" if double else "float"]:
        raise InputError(
            f"nearly all weight is on hands that cannot be held at the same time: those that can make up "
            f"{game.compatible_share:.2g} of it, which {dtype} does not carry{_instead(dtype)}"
        )
    most = float(np.abs(game.tree.pays).max())
    if most > DEEPEST["double" if double else "float"] * game.root_pot:
        raise InputError(
            f"up to {most:,.0f} chips are won and lost for a pot of {game.root_pot:,g}, and {dtype} carries "
            f"{DEEPEST['double' if double else 'float']:,g} pots{_instead(dtype)}"
        )


def check_sum(passes: HoldemPass, value: tuple[float, float], rake: float) -> None:
    """Refuse values that rounding has spoilt: what both players win and the rake sum to 0.

    Shares of the pot then sum to the pot. They may miss it by `MOST_MISSING` of the pot at the root.
    """
    check_carried(passes.game, passes.dtype)
    pot = passes.game.root_pot
    missing = value[0] + value[1] + rake
    if not abs(missing) <= MOST_MISSING * pot:
        raise InputError(
            f"EVs and rake sum to {pot + missing:,.6g} of a pot of {pot:,g}: {passes.dtype} cannot carry the "
            f"numbers of this spot{_instead(passes.dtype)}"
        )


def _instead(dtype: np.dtype[Any]) -> str:
    return "" if dtype == np.float64 else "; solve it with dtype float64"


def values_by_player(passes: HoldemPass, tables: Tables, mode: int) -> tuple[float, float]:
    """Winnings of each player by the strategy (`EVALUATE`) or by best responses to it (`RESPOND`)."""
    first, second = passes.measure_both(tables, mode)
    weights = passes.game.weights
    return float(first @ weights[0]), float(second @ weights[1])


def played_tables(
    infosets: HoldemInfosets, weights: NDArray[np.floating], locks: Locks | None = None
) -> Tables:
    """Weights by cell, and locks if any, as passes take them."""
    if locks is None:  # a copy: kernels take arrays that can be written to
        return measured_tables(np.array(weights), lock_tables(infosets.game, ()))
    held = infosets.locks_by_edge(locks.locked, locks.probabilities)
    return measured_tables(locks.over(np.asarray(weights)), held)


def measured_tables(played: NDArray[Any], locks: LockTables) -> Tables:
    """The tables while a strategy is measured that `played` is in proportion to."""
    held = locks._replace(probability=locks.probability.astype(played.dtype))
    return Tables(played, played, played[:0], played[:0], held)
