"""The opponent's play at a gadget: the reach with which each hand enters, and learning from its values.

Nothing here knows hold'em. A hand is any private state; arrays are float64[hands]:

    w   chance weight of each hand
    T   what it takes instead of entering
    v   what it wins by entering, in the weighting of T, on one iteration
    m   the other player's mass that each hand can meet, in the weighting of T

On each iteration the opponent's hands enter with `reach`; once the values v are known, `learn` changes it. Regrets
are floored at 0 and never discounted, whatever the rule of the tree below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from solvent.forms.holdem.gadget import CFRD, MAXMARGIN, UNSAFE, Gadget
from solvent.foundation.kernels.compiling import kernel

Array = NDArray[np.float64]


@kernel
def match_entering(regrets, least, part):  # type: ignore[no-untyped-def]
    """Put into `part` the fraction F of each hand that enters, by regret matching on (R0, R1), float64[2, hands].

    F = R0 / (R0 + R1), 1 where both are 0, and at least `least`.
    """
    for hand in range(len(part)):
        total = regrets[0, hand] + regrets[1, hand]
        part[hand] = max(regrets[0, hand] / total if total > 0.0 else 1.0, least[hand])


@kernel
def learn_entering(regrets, part, values, instead):  # type: ignore[no-untyped-def]
    """Update the regrets of entering (R0) and of taking T (R1), where `part` F of each hand has entered.

    A hand had F v + (1 - F) T. Compared with it entering gains (1 - F)(v - T) and taking T gains -F (v - T).
    """
    for hand in range(len(part)):
        gain = values[hand] - instead[hand]
        regrets[0, hand] = max(0.0, regrets[0, hand] + (1.0 - part[hand]) * gain)
        regrets[1, hand] = max(0.0, regrets[1, hand] - part[hand] * gain)


@kernel
def match_picking(regrets, share, picked):  # type: ignore[no-untyped-def]
    """Put into `picked` the probability p of each hand, by regret matching on M; uniform where M is 0.

    `share` is 1 / m; hands for which it is 0 are never picked.
    """
    total, possible = 0.0, 0
    for hand in range(len(picked)):
        total += regrets[hand]
        possible += share[hand] > 0.0
    for hand in range(len(picked)):
        picked[hand] = regrets[hand] / total if total > 0.0 else (share[hand] > 0.0) / possible


@kernel
def learn_picking(regrets, picked, share, values, instead):  # type: ignore[no-untyped-def]
    """Update the regrets of picking each hand: M <- max(0, M + u - sum of p u), where u = (v - T) / m."""
    mean = 0.0
    for hand in range(len(picked)):
        mean += picked[hand] * (values[hand] - instead[hand]) * share[hand]
    for hand in range(len(picked)):
        if share[hand] > 0.0:
            gain = (values[hand] - instead[hand]) * share[hand]
            regrets[hand] = max(0.0, regrets[hand] + gain - mean)


class GadgetPlay(ABC):
    """The opponent's play at a gadget. `reach` is that of the next iteration.

    The game with its gadget pays the opponent reach @ (v - instead) + `taken`.
    """

    def __init__(self, instead: Array, taken: float, regrets: Array) -> None:
        self.instead, self.taken, self.regrets = instead, taken, regrets
        self.reach = self._reach()
        self._sum, self._weight = np.zeros_like(self.reach), np.zeros(1)

    @abstractmethod
    def _reach(self) -> Array:
        """The reach with which hands enter by the regrets."""

    @abstractmethod
    def _update(self, values: Array) -> None:
        """Update the regrets."""

    @abstractmethod
    def best_reach(self, values: Array) -> Array:
        """The reach by the best response, where entering is worth `values`."""

    def learn(self, values: Array) -> None:
        """Learn from the values of an iteration in which the hands have entered with `reach`."""
        self._update(values)
        self.reach = self._reach()

    def count(self, weight: float) -> None:
        """Count the reach in the average, with the weight that the iteration has in the average strategy."""
        self._sum += weight * self.reach
        self._weight += weight

    def keep(self, share: float) -> None:
        """Scale the sums of what has been counted."""
        self._sum *= share
        self._weight *= share

    @property
    def average(self) -> Array:
        """The average reach; that of the first iteration before any."""
        return self._sum / self._weight if self._weight[0] > 0 else self.reach

    def tables(self) -> dict[str, Array]:
        """The tables of a checkpoint. After filling them call `restore`."""
        return {"gadget_regrets": self.regrets, "gadget_average": self._sum, "gadget_weight": self._weight}

    def restore(self) -> None:
        """Derive the reach from tables that were loaded."""
        self.reach = self._reach()


class UnsafePlay(GadgetPlay):
    """No choice: hands enter with the reach r_o that the old strategy gives them."""

    def __init__(self, reach: Array) -> None:
        self._given = reach
        super().__init__(np.zeros_like(reach), 0.0, np.zeros((0, len(reach))))

    def _reach(self) -> Array:
        return self._given

    def _update(self, values: Array) -> None:
        pass

    def best_reach(self, values: Array) -> Array:
        return self._given


class ResolvePlay(GadgetPlay):
    """Each hand enters with w F or takes T: `cfrd`, or `floor` where `least` of it always enters."""

    def __init__(self, weights: Array, instead: Array, least: Array) -> None:
        self._weights, self._least, self._part = weights, least, np.ones_like(weights)
        super().__init__(instead, float(weights @ instead), np.zeros((2, len(weights))))

    def _reach(self) -> Array:
        match_entering(self.regrets, self._least, self._part)
        return self._weights * self._part

    def _update(self, values: Array) -> None:
        learn_entering(self.regrets, self._part, values, self.instead)

    def best_reach(self, values: Array) -> Array:
        return self._weights * np.where(values > self.instead, 1.0, self._least)


class MaxMarginPlay(GadgetPlay):
    """The opponent picks a hand with probability p(h), which enters with p(h) / m(h): the one that gains most."""

    def __init__(self, mass: Array, instead: Array) -> None:
        self._share, self._picked = np.zeros_like(mass), np.zeros_like(mass)
        np.divide(1.0, mass, out=self._share, where=mass > 0)
        super().__init__(instead, 0.0, np.zeros(len(mass)))

    def _reach(self) -> Array:
        match_picking(self.regrets, self._share, self._picked)
        return self._picked * self._share

    def _update(self, values: Array) -> None:
        learn_picking(self.regrets, self._picked, self._share, values, self.instead)

    def best_reach(self, values: Array) -> Array:
        gain = np.where(self._share > 0, (values - self.instead) * self._share, -np.inf)
        best = np.zeros_like(gain)
        best[gain.argmax()] = self._share[gain.argmax()]
        return best


def gadget_play(gadget: Gadget, weights: Array, mass: Array) -> GadgetPlay:
    """The play of a gadget before its first iteration, from the chance weights w and the masses m of the hands."""
    gadget.check(weights)
    reach = weights if gadget.reach is None else gadget.reach
    if gadget.kind == UNSAFE:
        return UnsafePlay(reach.copy())
    assert gadget.values is not None
    instead = gadget.values.astype(np.float64)
    if gadget.kind == MAXMARGIN:
        return MaxMarginPlay(mass, instead)
    if gadget.kind == CFRD:
        return ResolvePlay(weights, instead, np.zeros(len(weights)))
    return ResolvePlay(weights, instead, np.maximum(gadget.share * reach / weights, gadget.least))
