"""A game that can grow between iterations of CFR: its explicit tree, tables and clock, and the log of additions.

Regrets are sums weighted by the iteration: 1 under cfr, t under lcfr. The kernels of other forms divide LCFR's sums
by T + 1 on the way; regret matching does not see the difference. Under dcfr, a heuristic here, regrets fade by its
factors and the sums of values by the factor of positive regrets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.additions import AdditionLog
from solvent.engines.explicit.growing.archive import Archive
from solvent.engines.explicit.growing.discounts import PlayerRegrets
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET, SEEN, VALUE, GrowingTables
from solvent.engines.explicit.kernels import (
    NO_TABLE,
    UPDATE,
    Weights,
    Work,
    accumulate,
    ascend,
    descend,
    make_work,
)
from solvent.engines.explicit.response import evaluate_explicit
from solvent.engines.history.response import Evaluation
from solvent.engines.rules import DCFR, RegretRule
from solvent.forms.explicit.tree import DECISION, FOLDED, ExplicitTree, TreeArrays
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel


def check_rule(rule: RegretRule) -> None:
    """Reject rules for which neither Theorem 1 nor a measured heuristic says what an addition means."""
    if not rule.additive and not isinstance(rule, DCFR):
        raise InputError(f"growing games take the rules cfr and lcfr, or dcfr as a heuristic, not {rule}")


class RegretSums(NamedTuple):
    """Sums over all regrets, float64[players] each."""

    squares: NDArray[np.float64]
    """sum (R+)^2 over edges and hands."""
    largest: NDArray[np.float64]
    """sum_I R(I), where R(I) is the largest positive regret of an action of I."""


class GrowingGame:
    """A tree with its tables. Additions are made by `recovery.add_by_recovery` and `transfer.add_by_transfer`."""

    def __init__(self, tree: ExplicitTree, rule: RegretRule, updates: str, skip: bool = False) -> None:
        check_rule(rule)
        self.tree = tree
        self.rule = rule
        self.updates = updates
        self.skip = skip and rule.additive
        """Whether iterations leave out nodes that no player reaches; rules that fade regrets must visit all."""
        self._tables = GrowingTables(tree, updates == "alternating")
        self.archive = Archive(tree, self._tables) if self.skip else None
        """The tables of nodes that no player reaches; None: they stay in memory."""
        self.work: Work = make_work(tree.nodes, len(tree.hands))
        self.iterations = 0
        self.nodes_touched = 0
        """Nodes times hands that passes of iterations, recovery games and looks for additions have visited."""
        self.log = AdditionLog()
        self.after_pass: Callable[[int, float], None] | None = None
        """Called after each player's pass up with the player and the weight of the regrets; None: nothing is."""
        self.exactly = False
        """Whether tables have no room to spare, as a memory budget asks."""

    @property
    def hands(self) -> int:
        return len(self.tree.hands)

    @property
    def tables(self) -> GrowingTables:
        """The tables, with the archive brought back."""
        if self.archive is not None:
            self.archive.bring_back()
        return self._tables

    def run(self, count: int) -> None:
        """Run more iterations; tables that nobody has reached for a while are put away in the end.

        Updates are alternating where the tables have player 0's strategy as player 1's regrets saw it.
        """
        arrays, tables, work = self.tree.arrays, self._tables, self.work
        alternating = SEEN in tables.names
        visited = 0
        work.reach[:, 0] = 1.0
        for _ in range(count):
            tables.clock += 1.0
            weights, play = self._regret_weights(), self.rule.weights(tables.clock).average
            if self.archive is not None:
                self.archive.begin_iteration()
            here = self._pass_down(arrays)
            for player in (0, 1):
                if player and alternating:
                    here = self._pass_down(arrays)
                    seen = tables.flat(SEEN)
                    accumulate(arrays, seen, work, 0, weights.weight, 0)
                    if weights.positive != 1.0:
                        seen.table[:] *= weights.positive
                accumulate(arrays, tables.flat(AVERAGE), work, player, play, 0)
                ascend(arrays, tables.flat(REGRET), tables.flat(VALUE), work, player, weights, 0)
                visited += here
                if self.after_pass is not None:
                    self.after_pass(player, weights.weight)
            tables.total = weights.positive * (tables.total + weights.weight)
            tables.squares = weights.positive * (tables.squares + weights.weight**2)
            tables.average_total += play
        self.nodes_touched += visited * self.hands
        self.iterations += count
        if self.archive is not None:
            self.archive.put_away()

    def _regret_weights(self) -> Weights:
        """The update of regrets and sums of values in the iteration at the clock."""
        rule, clock = self.rule, self._tables.clock
        if rule.additive:
            return Weights(UPDATE, 1.0, 1.0, clock if rule.linear else 1.0)
        factors = rule.weights(clock)
        return Weights(UPDATE, factors.positive, factors.negative, 1.0)

    def _pass_down(self, arrays: TreeArrays) -> int:
        """Compute strategies and reaches, twice if the pass came to archived nodes; returns nodes visited."""
        tables = self._tables
        while True:
            here = descend(arrays, tables.flat(REGRET), tables.flat(AVERAGE), self.work, 0, self.skip)
            if self.archive is None or not self.archive.reached(self.work.active):
                return int(here)

    def discount(self, weight: float) -> None:
        """Multiply the weight of every iteration so far by `weight`, and set the rule's clock back accordingly.

        T becomes w T. The clock is then the one at which the rule would have that T of itself: under lcfr, whose T
        is 1 + 2 + ... + clock, the positive root of clock (clock + 1) / 2 = w T; under dcfr, whose T grows with the
        clock, w times the clock, and averages get the weight w^(gamma + 1) that they have at that clock. Else the
        iterations after a heavy discount would count nearly the same, which these rules are there to avoid.
        """
        tables, rule = self.tables, self.rule
        tables.scale(weight)
        if rule.linear:
            tables.clock = (math.sqrt(1.0 + 8.0 * tables.total) - 1.0) / 2.0
        elif isinstance(rule, DCFR):
            tables.clock *= weight
            tables.table(AVERAGE)[:] *= weight**rule.gamma
            tables.average_total *= weight**rule.gamma

    def extend(self) -> None:
        """Make tables and scratch arrays for the nodes that the tree has gained."""
        self.tables.extend(self.tree, self.exactly)
        if self.tree.nodes > len(self.work.active):
            self.work = make_work(self.tree.nodes + self.tree.nodes // 4, self.hands)

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy among the actions that the tree has now."""
        return evaluate_explicit(self.tree, self.tables.flat(AVERAGE), self.work)

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy: the probability of each edge by hand, float64[nodes, hands]; else 0."""
        work = make_work(self.tree.nodes, self.hands)
        descend(self.tree.arrays, self.tables.flat(AVERAGE), NO_TABLE, work, 0, False)
        return work.sigma

    # Numbers that the theory asks for

    def regret_sums(self, start: int = 0) -> RegretSums:
        """The sums over regrets of the edges from the number `start` on, by player."""
        sums = RegretSums(np.zeros(2), np.zeros(2))
        sum_regrets(self.tree.arrays, self.tables.flat(REGRET), start, self.hands, *sums)
        return sums

    def player_regrets(
        self, player: int, before: RegretSums, inside: RegretSums, after: RegretSums
    ) -> PlayerRegrets:
        """A player's facts for the discounts, from sums before an addition, inside of it, and after it."""
        tree = self.tree
        decisions = int(np.count_nonzero(tree.player == player))
        actions = int(np.bincount(tree.parent[tree.edge_player == player]).max(initial=1))
        stake = float(np.abs(tree.stake[tree.kind >= FOLDED]).max(initial=0.0))
        squares = (float(sums.squares[player]) for sums in (before, inside, after))
        return PlayerRegrets(decisions * self.hands, actions, 2.0 * stake, *squares)


@kernel
def sum_regrets(tree, regret, start, hands, squares, largest):  # type: ignore[no-untyped-def]
    """Add sum (R+)^2 and sum_I max_a R+(I, a) by player, over decisions with edges numbered from `start` on."""
    offset, table = regret
    for node in range(max(0, start - 1), len(tree.kind)):
        if tree.kind[node] != DECISION or tree.first_child[node] < start:
            continue
        player = tree.player[node]
        for hand in range(hands):
            best = 0.0
            child = tree.first_child[node]
            while child >= 0:
                if offset[child] >= 0:
                    positive = max(table[offset[child] + hand], 0.0)
                    squares[player] += positive * positive
                    best = max(best, positive)
                child = tree.next_sibling[child]
            largest[player] += best
