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

from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.explicit.growing.game import check_rule
from solvent.engines.holdem.kernels import Marked
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.rules import RegretRule
from solvent.engines.schedule import AVERAGE, POSITIVE
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION, HoldemTree
from solvent.foundation.errors import InputError

REGRETS, AVERAGES, SQUARES = 0, 1, 2
"""Places in `SummingSolver.weight`."""


def opening_nodes(tree: HoldemTree) -> list[int]:
    """The decisions at which nobody has bet on the street: where sizes of bets may be added."""
    return [
        node
        for node in np.flatnonzero(tree.kind == DECISION).tolist()
        if tree.betting[node].actions[0] == "check"
    ]


def stands_for(game: HoldemGame, street: int) -> NDArray[np.float64]:
    """How many boards each board of a street stands for, float64[boards]."""
    found = np.ones(1)
    for later in game.streets[1 : street + 1]:
        found = found[later.boards.parent] * later.boards.multiplicity
    return found


def range_weights(game: HoldemGame, street: int, player: int) -> NDArray[np.float64]:
    """A player's weights in the range by board and slot of a street, float64[boards, slots]."""
    side = game.streets[street].sides[player]
    return np.where(side.hand >= 0, game.weights[player][side.hand], 0.0)


def locked_hands(solver: HoldemSolver, node: int) -> NDArray[np.bool_]:
    """Which hands are locked at a decision, bool[boards, slots]."""
    tree = solver.game.tree
    at, locked, _ = solver._locks
    side = solver.game.streets[tree.street[node]].sides[tree.player[node]]
    first = int(at[tree.first_edge[node]])
    if first < 0:
        return np.zeros(side.hand.shape, dtype=np.bool_)
    return np.asarray(locked[first : first + side.hand.size].reshape(side.hand.shape))


def marked_sums(game: HoldemGame, nodes: Sequence[tuple[int, int]]) -> Marked:
    """Rows for the sums of values at (traverser, node) pairs; nothing is given."""
    tree = game.tree
    sum_row, rows = np.full((2, len(tree.kind)), -1, dtype=np.int64), 0
    for player, node in nodes:
        sum_row[player, node] = rows
        rows += len(game.streets[tree.street[node]].boards)
    most = max(side.slots for street in game.streets for side in street.sides)
    given_row = np.full(len(tree.kind), -1, dtype=np.int64)
    return Marked(sum_row, np.zeros((rows, most)), given_row, np.zeros((0, 0)))


def weighted_sums(weight: NDArray[np.float64], schedule: NDArray[np.float64]) -> None:
    """Let the sums of weights, float64[3], go through the iterations of a schedule."""
    for row in schedule:
        weight[SQUARES] = (weight[SQUARES] + 1.0) * row[POSITIVE] ** 2
        weight[REGRETS] = (weight[REGRETS] + 1.0) * row[POSITIVE]
        weight[AVERAGES] += row[AVERAGE]


def public_nodes(game: HoldemGame) -> int:
    """Public nodes x hands of both players: what an iteration goes to."""
    hands = [sum(int(side.count.sum(dtype=np.int64)) for side in street.sides) for street in game.streets]
    return sum(int((game.tree.street == street).sum()) * count for street, count in enumerate(hands))


class SummingSolver(HoldemSolver):
    """A solver that sums the values of marked nodes and the weights of its iterations."""

    def __init__(
        self,
        game: HoldemGame,
        rule: str | RegretRule = HOLDEM_RULE,
        threads: int = 1,
        dtype: str = "float32",
        locks: Sequence[NodeLock] = (),
    ) -> None:
        if dtype == "int16":
            raise InputError("a tree grows with tables of float32 or float64, not int16")
        super().__init__(game, rule, threads, dtype, locks)
        check_rule(self.rule)
        if self.rule.weights(2).keep != 1:
            raise InputError(f"rule {self.rule} scales its averages, which a tree that grows does not allow")
        self.weight = np.zeros(3)
        """float64[3]: T on the scale of regrets and of averages, and the sum of squared weights of the regrets."""

    def _schedule(self, iterations: int) -> NDArray[np.float64]:
        """The rule's weights of the next iterations, which go into the sums of weights."""
        schedule = super()._schedule(iterations)
        weighted_sums(self.weight, schedule)
        return schedule

    def value_sums(self, player: int, node: int) -> NDArray[np.float64]:
        """The sums of a player's values at a marked node, float64[boards, slots of the player]: a view."""
        street = self.game.streets[self.game.tree.street[node]]
        row = int(self.marked.sum_row[player, node])
        sums: NDArray[np.float64] = self.marked.sums
        return sums[row : row + len(street.boards), : street.sides[player].slots]


class GrowingSolver(SummingSolver):
    """CFR on a spot whose tree may grow (`adding.add_actions` makes the solver of the larger tree)."""

    def __init__(
        self,
        game: HoldemGame,
        rule: str | RegretRule = HOLDEM_RULE,
        threads: int = 1,
        dtype: str = "float32",
        locks: Sequence[NodeLock] = (),
    ) -> None:
        super().__init__(game, rule, threads, dtype, locks)
        self.nodes = public_nodes(game)
        """Public nodes x hands of an iteration."""
        self.opening = opening_nodes(game.tree)
        """The decisions at which actions may be added."""
        self.marked = marked_sums(game, [(int(game.tree.player[node]), node) for node in self.opening])

    def player_after(self, history: str) -> int:
        """The player to act after a line."""
        return next(
            each.player for each in self.game.tree.betting if each.actions and each.history == history
        )

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return super().saved_tables() | {"value_sums": self.marked.sums, "weight": self.weight}

    def load_averages(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up a checkpoint's averages alone, which is all that everything but `run` and growing read."""
        super().load_averages(tables)
        self.weight[:] = tables["weight"]
