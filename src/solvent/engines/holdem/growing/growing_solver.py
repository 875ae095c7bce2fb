"""CFR on a spot whose tree may grow: what a solver must remember to add an action as if it had always been there.

Beside regrets and averages these are the sums of v(I) at the decisions where actions may be added, and two sums of
weights: T on the scale of the regrets, and T on the scale of the averages. Both are numbers of iterations in plain
CFR. In linear CFR iteration t counts t / (T + 1) times in the regrets and t times in the averages. In discounted
CFR positive and negative regrets fade differently: sums of v(I) fade like positive regrets, which is a heuristic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import check_rule
from solvent.engines.holdem.kernels import Marked
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.table_views import locked_hands
from solvent.engines.schedule import AVERAGE, POSITIVE
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.tree import HoldemTree
from solvent.foundation.errors import InputError

REGRETS, AVERAGES, SQUARES = 0, 1, 2
"""Places in `SummingSolver.weight`."""


def opening_nodes(tree: HoldemTree) -> list[int]:
    """The decisions at which nobody has bet on the street: where sizes of bets may be added."""
    return [node for node, one in enumerate(tree.betting) if one.actions and one.actions[0] == "check"]


def marked_sums(game: HoldemGame, nodes: Sequence[tuple[int, int]]) -> Marked:
    """Rows for the sums of values at (traverser, node) pairs, without given values."""
    tree = game.tree
    sum_row, rows = np.full((2, len(tree.kind)), -1, dtype=np.int64), 0
    for player, node in nodes:
        sum_row[player, node] = rows
        rows += len(game.streets[tree.street[node]].boards)
    most = max(side.slots for street in game.streets for side in street.sides)
    given_row = np.full(len(tree.kind), -1, dtype=np.int64)
    return Marked(sum_row, np.zeros((rows, most)), given_row, np.zeros((0, 0)))


class SummingSolver(HoldemSolver):
    """A solver that sums the values of marked nodes and the weights of its iterations."""

    def _prepare(self) -> None:
        if self.dtype == "int16":
            raise InputError("a tree grows with tables of float32 or float64, not int16")
        super()._prepare()
        check_rule(self.rule)
        self.weight = np.zeros(3)
        """float64[3]: T on the scale of regrets and of averages, and the sum of squared weights of the regrets."""

    def _schedule(self, iterations: int) -> NDArray[np.float64]:
        schedule = super()._schedule(iterations)
        for row in schedule:
            self.weight[SQUARES] = (self.weight[SQUARES] + 1.0) * row[POSITIVE] ** 2
            self.weight[REGRETS] = (self.weight[REGRETS] + 1.0) * row[POSITIVE]
            self.weight[AVERAGES] += row[AVERAGE]
        return schedule

    def value_sums(self, player: int, node: int) -> NDArray[np.float64]:
        """The sums of a player's values at a marked node, float64[boards, slots of the player]: a view."""
        street = self.game.streets[self.game.tree.street[node]]
        row = int(self.marked.sum_row[player, node])
        sums: NDArray[np.float64] = self.marked.sums
        return sums[row : row + len(street.boards), : street.sides[player].slots]

    def locked_hands(self, node: int) -> NDArray[np.bool_]:
        """The hands that are locked at a decision, bool[boards, slots]."""
        return locked_hands(self.game, self.lock_tables, node)


class GrowingSolver(SummingSolver):
    """CFR on a spot whose tree may grow (`adding.add_actions` makes the solver of the larger tree)."""

    def _prepare(self) -> None:
        super()._prepare()
        tree = self.game.tree
        self.opening = opening_nodes(tree)
        """The decisions at which actions may be added."""
        self.marked = marked_sums(self.game, [(int(tree.player[node]), node) for node in self.opening])

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return super().saved_tables() | {"value_sums": self.marked.sums, "weight": self.weight}

    def load_averages(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up a checkpoint's averages alone, which is all that everything but `run` and growing read."""
        super().load_averages(tables)
        self.weight[:] = tables["weight"]
