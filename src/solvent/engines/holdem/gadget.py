"""Solving hold'em with a gadget at its root: solve a part of a game again without being worse off for it.

To re-solve a spot for one player, build it with that player's reach as one range and with all hands that the
opponent can hold, at weight 1, as the other. Then say what each hand of the opponent is worth without entering:

    # trunk: a solved game that comes to the spot at (node, board)
    gadget = Gadget(opponent, "cfrd", values=carried_values(trunk, node, board, game, opponent))
    solver = GadgetSolver(game, gadget)
    solver.run(300)

The opponent's play at a gadget knows no hold'em: a hand is any private state. Arrays are float64[hands]:

    w   chance weight of each hand
    T   what it takes instead of entering
    v   what it wins by entering, in the weighting of T, on one iteration
    m   the other player's mass that each hand can meet, in the weighting of T

On each iteration the opponent's hands enter with `reach`; once the values v are known, `learn` changes it. Regrets
are floored at 0 and never discounted, whatever the rule of the tree below.

With values by `RESPOND` (the counterfactual best response against the old strategy) `cfrd` and `maxmargin` leave no
hand of the opponent better off, but for the solver's error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS, compatible_weights, renamed_hands
from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.holdem.kernels import RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.rules import RegretRule
from solvent.engines.schedule import AVERAGE
from solvent.forms.holdem.gadget import CFRD, MAXMARGIN, UNSAFE, Gadget
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel

Array = NDArray[np.float64]

SAME_TOLERANCE = 1e-4
"""Largest difference between values of hands that differ only in suits, as a fraction of the largest value."""


class GadgetSolver(HoldemSolver):
    """CFR on a hold'em game with a gadget at its root.

    The game is measured with its gadget: in `evaluate` the opponent chooses there too. The other player's values by
    hand are against the opponent's average reach into the game.
    """

    def __init__(
        self,
        game: HoldemGame,
        gadget: Gadget,
        rule: str | RegretRule = HOLDEM_RULE,
        threads: int = 1,
        dtype: str = "float32",
        locks: Sequence[NodeLock] = (),
    ) -> None:
        super().__init__(game, rule, threads, dtype, locks)
        self.gadget = gadget
        self.play = gadget_play(gadget, game.weights[gadget.player], compatible_mass(game, gadget.player))
        for given in (gadget.values, gadget.reach):
            if given is not None:
                _check_suits(game, gadget.player, given)
        self.passes.start_with(gadget.player, self.play.average)

    def run(self, iterations: int) -> None:
        """Run more iterations: a pass of each player, and the opponent's learning at the gadget."""
        super().run(iterations)
        self.passes.start_with(self.gadget.player, self.play.average)

    def _iterate(self, schedule: NDArray[np.float64]) -> None:
        """Run iterations. The opponent's averages grow in the other player's pass, that of the gadget too."""
        if self.gadget.kind == UNSAFE:
            super()._iterate(schedule)
            return
        opponent, play, tables = self.gadget.player, self.play, self._tables()
        for t, player in product(range(len(schedule)), (0, 1)):
            weights = schedule[t : t + 1]
            if player == opponent:
                play.learn(self.passes.update(tables, weights, player))
            else:
                self.passes.start_with(opponent, play.reach)
                play.count(float(weights[0, AVERAGE]))
                self.passes.update(tables, weights, player)

    def _keep(self, share: float) -> None:
        super()._keep(share)
        self.play.keep(share)

    def values(self, mode: int) -> tuple[float, float]:
        """Winnings of each player in the game with its gadget, by the average strategy or by best responses to it.

        `unsafe` counts what is won in the game; `cfrd` and `floor` also what the hands take that do not enter; with
        `maxmargin` the opponent wins the mean gain of the hands that are picked, in chips.
        """
        opponent, play = self.gadget.player, self.play
        values, average = self.hand_values(opponent, mode), play.average
        reach = play.best_reach(values) if mode == RESPOND else average
        theirs = float(reach @ (values - play.instead)) + play.taken
        ours = float(self.game.weights[1 - opponent] @ self.hand_values(1 - opponent, mode))
        ours += float(average @ play.instead) - play.taken
        return (theirs, ours) if opponent == 0 else (ours, theirs)

    def root_reach(self, player: int) -> NDArray[np.float64]:
        return self.play.average.copy() if player == self.gadget.player else super().root_reach(player)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return super().saved_tables() | self.play.tables()

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        super().load_tables(tables)
        self.play.restore()
        self.passes.start_with(self.gadget.player, self.play.average)


def compatible_mass(game: HoldemGame, player: int) -> NDArray[np.float64]:
    """The other's range that shares no card with each hand of a player, float64[hands], in the weighting of values.

    A value divided by this mass is in chips: what the hand wins on average when it is held.
    """
    other = np.zeros(HANDS)
    other[game.hands[1 - player]] = game.weights[1 - player]
    apart = compatible_weights(game.hands[player], np.arange(HANDS), other)
    return game.deal_scale * np.where(apart > 1e-12 * other.sum(), apart, 0.0)


def carried_values(
    trunk: HoldemSolver, node: int, board: int, game: HoldemGame, player: int, mode: int = RESPOND
) -> NDArray[np.float64]:
    """A player's values at a node of a trunk, in the order of hands and the weighting of a game that begins there.

    The other's range in `game` is that player's reach at the node (`reaches_at`), or a multiple of it. Values by
    `RESPOND` are what the opponent can get against the old strategy, those by `EVALUATE` an estimate. Refused where
    the trunk does not know a hand, or where the other never comes to the node.
    """
    values = np.full(HANDS, np.nan)
    values[trunk.game.hands[player]] = trunk.hand_values(player, mode, node, board)
    found = values[game.hands[player]]
    if np.isnan(found).any():
        raise InputError(
            f"the trunk has no values for {np.isnan(found).sum():,} hands of the game that begins there"
        )
    reach = float(trunk.reaches_at(node, board)[1 - player].sum())
    if reach == 0:
        raise InputError(f"player {1 - player} never comes to node {node}, so no value there has a weight")
    times = float(game.weights[1 - player].sum()) / reach
    return found * (times * game.deal_scale / trunk.chance_at(node))


def _check_suits(game: HoldemGame, player: int, given: NDArray[np.float64]) -> None:
    """Refuse a gadget that tells suits apart which the game's boards treat alike."""
    if len(game.streets) == 1:
        return
    hands, by_number = game.hands[player], np.zeros(HANDS)
    by_number[hands] = given
    for suits in game.streets[0].boards.groups[0]:
        apart = np.abs(by_number[renamed_hands(suits)] - by_number).max()
        if apart > SAME_TOLERANCE * np.abs(given).max():
            raise InputError(
                "the gadget tells suits apart that board and ranges do not: build the game without isomorphism"
            )


# The play at a gadget


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


class GadgetPlay:
    """The opponent's play at a gadget; by default there is no choice, and hands enter with the reach that is given.

    `reach` is that of the next iteration. The game with its gadget pays the opponent
    reach @ (v - instead) + `taken`.
    """

    def __init__(self, reach: Array, instead: Array, taken: float, regrets: Array) -> None:
        self.instead, self.taken, self.regrets = instead, taken, regrets
        self._base_reach = reach
        self.reach = self._reach()
        self._sum, self._weight = np.zeros_like(self.reach), np.zeros(1)

    def _reach(self) -> Array:
        """The reach with which hands enter by the regrets."""
        return self._base_reach

    def _update(self, values: Array) -> None:
        """Update the regrets."""

    def best_reach(self, values: Array) -> Array:
        """The reach by the best response, where entering is worth `values`."""
        return self._base_reach

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


class ResolvePlay(GadgetPlay):
    """Each hand enters with w F or takes T: `cfrd`, or `floor` where `least` of it always enters."""

    def __init__(self, weights: Array, instead: Array, least: Array) -> None:
        self._least, self._part = least, np.ones_like(weights)
        super().__init__(weights, instead, float(weights @ instead), np.zeros((2, len(weights))))

    def _reach(self) -> Array:
        match_entering(self.regrets, self._least, self._part)
        return self._base_reach * self._part

    def _update(self, values: Array) -> None:
        learn_entering(self.regrets, self._part, values, self.instead)

    def best_reach(self, values: Array) -> Array:
        return self._base_reach * np.where(values > self.instead, 1.0, self._least)


class MaxMarginPlay(GadgetPlay):
    """The opponent picks a hand with probability p(h), which enters with p(h) / m(h): the one that gains most."""

    def __init__(self, mass: Array, instead: Array) -> None:
        self._share, self._picked = np.zeros_like(mass), np.zeros_like(mass)
        np.divide(1.0, mass, out=self._share, where=mass > 0)
        super().__init__(self._share, instead, 0.0, np.zeros(len(mass)))

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
        return GadgetPlay(reach.copy(), np.zeros_like(reach), 0.0, np.zeros((0, len(reach))))
    assert gadget.values is not None
    instead = gadget.values.astype(np.float64)
    if gadget.kind == MAXMARGIN:
        return MaxMarginPlay(mass, instead)
    if gadget.kind == CFRD:
        return ResolvePlay(weights, instead, np.zeros(len(weights)))
    return ResolvePlay(weights, instead, np.maximum(gadget.share * reach / weights, gadget.least))
