"""Solving hold'em with a gadget at its root: solve a part of a game again without being worse off for it.

To re-solve a spot for one player, build it with that player's reach as one range and with all hands that the
opponent can hold, at weight 1, as the other. Then say what each hand of the opponent is worth without entering:

    # trunk: a solved game that comes to the spot at (node, board)
    gadget = Gadget(opponent, "cfrd", values=carried_values(trunk, node, board, game, opponent))
    solver = GadgetSolver(game, gadget)
    solver.run(300)

With values by `RESPOND` (the counterfactual best response against the old strategy) `cfrd` and `maxmargin` leave no
hand of the opponent better off, but for the solver's error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS, hole_cards, renamed_hands
from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.holdem.gadget_play import gadget_play
from solvent.engines.holdem.kernels import RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.rules import RegretRule
from solvent.engines.schedule import AVERAGE
from solvent.forms.holdem.gadget import UNSAFE, Gadget
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock
from solvent.foundation.errors import InputError

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
    cards = hole_cards()
    other = np.zeros(HANDS)
    other[game.hands[1 - player]] = game.weights[1 - player]
    by_card = np.bincount(cards.ravel(), np.repeat(other, 2))
    own = game.hands[player]
    apart = other.sum() - by_card[cards[own]].sum(axis=1) + other[own]
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
