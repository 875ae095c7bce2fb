"""A game that is being solved and can grow: the tree, its tables, the clock, and the log of what was added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import DECISION, FOLDED, ExplicitTree
from solvent.passes.explicit_kernels import Work, make_work
from solvent.response.explicit import average_strategy, evaluate_explicit
from solvent.response.history import Evaluation
from solvent.solvers.growing.additions import AdditionLog
from solvent.solvers.growing.discounts import PlayerRegrets
from solvent.solvers.growing.iterations import check_rule, run_iterations
from solvent.solvers.growing.tables import AVERAGE, REGRET, GrowingTables
from solvent.solvers.rules import RegretRule


class GrowingGame:
    """A tree with its tables. Additions are made by `recovery.add_by_recovery` and `transfer.add_by_transfer`."""

    def __init__(self, tree: ExplicitTree, rule: RegretRule, updates: str, skip: bool = False) -> None:
        check_rule(rule)
        self.tree = tree
        self.rule = rule
        self.updates = updates
        self.skip = skip and rule.additive
        """Whether iterations leave out what no player reaches; rules that fade regrets must visit everything."""
        self.tables = GrowingTables(tree, updates == "alternating")
        self.work: Work = make_work(tree.nodes, len(tree.hands))
        self.iterations = 0
        self.nodes_touched = 0
        """Nodes times hands that passes of iterations, recovery games and looks for additions have visited."""
        self.log = AdditionLog()

    @property
    def hands(self) -> int:
        return len(self.tree.hands)

    def run(self, count: int) -> None:
        """Run so many more iterations."""
        self.nodes_touched += run_iterations(
            self.tree, self.tables, self.work, self.rule, self.iterations + 1, count, self.skip
        )
        self.iterations += count

    def extend(self) -> None:
        """Make tables and scratch arrays for the nodes that the tree has gained."""
        self.tables.extend(self.tree)
        if self.tree.nodes > len(self.work.active):
            self.work = make_work(self.tree.nodes + self.tree.nodes // 4, self.hands)

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy among the actions that the tree has now."""
        return evaluate_explicit(self.tree, self.tables.offset, self.tables.table(AVERAGE), self.work)

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy: the probability of each edge by hand, float64[nodes, hands]."""
        return average_strategy(self.tree, self.tables.offset, self.tables.table(AVERAGE))

    # What the theory asks

    def squared_regrets(self, player: int, start: int = 0) -> float:
        """sum (R+)^2 over a player's edges from the number `start` on."""
        mine = (self.tree.edge_player[start:] == player) & (self.tables.offset[start:] >= 0)
        places = self.tables.offset[start:][mine][:, None] + np.arange(self.hands)
        positive = np.maximum(self.tables.table(REGRET)[places], 0.0)
        return float(np.sum(positive * positive))

    def regret_sum(self, player: int) -> float:
        """sum_I R(I), where R(I) is the largest positive regret of an action of I, over a player's infosets."""
        return float(self.infoset_regrets()[self.tree.player == player].sum())

    def infoset_regrets(self) -> NDArray[np.float64]:
        """R(I) = max_a R+(I, a) by node and hand, float64[nodes, hands]; 0 where no player acts."""
        tree, present = self.tree, np.flatnonzero(self.tables.offset >= 0)
        found = np.zeros((tree.nodes, self.hands))
        rows = self.tables.table(REGRET)[self.tables.offset[present][:, None] + np.arange(self.hands)]
        np.maximum.at(found, tree.parent[present], rows)
        return found

    def player_regrets(self, player: int, before: float, first_new: int) -> PlayerRegrets:
        """What the discounts ask of a player after the nodes from `first_new` on were added.

        `before` is the player's sum of squared positive regrets before the addition. The edge `first_new` itself
        belongs to the head, the edges after it to the subgame.
        """
        tree = self.tree
        decisions = (tree.kind == DECISION) & (tree.player == player)
        actions = np.bincount(tree.parent[1:], minlength=tree.nodes)[decisions]
        stakes = np.abs(tree.stake[tree.kind >= FOLDED])
        return PlayerRegrets(
            infosets=int(decisions.sum()) * self.hands,
            actions=int(actions.max(initial=1)),
            payoff_range=2.0 * float(stakes.max(initial=0.0)),
            before=before,
            inside=self.squared_regrets(player, first_new + 1),
            after=self.squared_regrets(player),
        )
