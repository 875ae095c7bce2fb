"""Local updates of one's own: an infoset's next strategy from the values that were seen there.

A regret rule is six numbers an iteration, which compiled kernels follow. A local update is the whole step, in plain
NumPy: hedge, predictive updates, whatever keeps a state for each infoset. It runs on the history form, one
thread, array operations over all infosets that have the same number of actions.

class RegretMatching(LocalUpdate):
    state = ("regret",)

    def next_strategy(self, t, values, strategy, state):
        state["regret"] += instantaneous_regret(values, strategy)
        return match_regrets(state["regret"])

solvent.solve("leduc", rule=RegretMatching())
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solvent.engines.rules import RegretRule, Weights

Floats = NDArray[np.float64]
State = dict[str, Floats]


class LocalUpdate(RegretRule):
    """A local update, given to `solve` as its rule. Subclasses write `next_strategy`.

    All arrays are float64[infosets, actions]: one player's infosets with the same number of actions.
    """

    state: ClassVar[tuple[str, ...]] = ()
    """Names of the tables that the update keeps, 0 at first. Checkpoints save them."""

    own = False  # no declaration makes it a sum

    @abstractmethod
    def next_strategy(self, t: int, values: Floats, strategy: Floats, state: State) -> Any:
        """The strategy of iteration t + 1, after iteration t = 1, 2, ...: rows that sum to 1.

        `values` are the counterfactual values of the actions (the other player's and chance's reach count, the own
        does not) when `strategy` was played. `state` has the tables of `LocalUpdate.state`, to be changed in place
        or replaced.
        """

    def average(self, t: float) -> float:
        """The weight of iteration t's play in the average strategy, times own reach: t^2 would favour late ones."""
        return 1.0

    def weights(self, t: float) -> Weights:
        """A rule's numbers, of which only the weight in the average counts here."""
        return Weights(average=self.average(t))


def instantaneous_regret(values: Floats, strategy: Floats) -> Floats:
    """The gain of each action over the strategy: r(a) = v(a) - sum_b sigma(b) v(b)."""
    regret: Floats = values - (strategy * values).sum(axis=-1, keepdims=True)
    return regret


def match_regrets(regret: Floats) -> Floats:
    """Regret matching: in proportion to positive regrets, uniform where none is positive.

    >>> match_regrets(np.array([[3.0, 1.0], [-1.0, 0.0]])).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    positive = np.maximum(regret, 0.0)
    total = positive.sum(axis=-1, keepdims=True)
    uniform: Floats = np.full_like(positive, 1.0 / positive.shape[-1])
    shares: Floats = np.divide(positive, total, out=uniform, where=total > 0)
    return shares
