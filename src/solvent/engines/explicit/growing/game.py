"""A game that is being solved and can grow: the tree, its tables, the clock, and the log of what was added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.additions import AdditionLog
from solvent.engines.explicit.growing.archive import Archive
from solvent.engines.explicit.growing.discounts import PlayerRegrets
from solvent.engines.explicit.growing.iterations import check_rule, discount, run_iterations
from solvent.engines.explicit.growing.sum_kernels import HeldRows, sum_regrets
from solvent.engines.explicit.growing.tables import AVERAGE, BOUND, REGRET, VALUE, GrowingTables
from solvent.engines.explicit.kernels import Work, make_work
from solvent.engines.explicit.response import average_strategy, evaluate_explicit
from solvent.engines.history.response import Evaluation
from solvent.engines.rules import RegretRule
from solvent.forms.explicit.tree import FOLDED, ExplicitTree


@dataclass
class PlayerFacts:
    """A player's part of the tree."""

    decisions: int = 0
    actions: int = 1
    """The most actions of a decision."""
    payoff_range: float = 0.0
    """The largest payoff less the smallest, in chips."""


class RegretSums(NamedTuple):
    """What regrets amount to, float64[players] each."""

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
        """Whether iterations leave out what no player reaches; rules that fade regrets must visit everything."""
        self._tables = GrowingTables(tree, updates == "alternating")
        self.archive = Archive(tree, self._tables) if self.skip else None
        """What holds the tables of what no player reaches; None: they stay in memory."""
        self.work: Work = make_work(tree.nodes, len(tree.hands))
        self.facts = (PlayerFacts(), PlayerFacts())
        """What the theory asks of each player's part of the tree."""
        self._counted = 0
        self._count_new_nodes()
        self.iterations = 0
        self.nodes_touched = 0
        """Nodes times hands that passes of iterations, recovery games and looks for additions have visited."""
        self.log = AdditionLog()
        self.after_pass: Callable[[int, float], None] | None = None
        """Called after each pass of an iteration with its player and weight; None: nothing is."""
        self.exactly = False
        """Whether tables have no room to spare, as a memory budget asks."""

    @property
    def hands(self) -> int:
        return len(self.tree.hands)

    @property
    def tables(self) -> GrowingTables:
        """All tables; what was put away is brought back."""
        if self.archive is not None:
            self.archive.bring_back()
        return self._tables

    def run(self, count: int) -> None:
        """Run so many more iterations; what nobody has reached for a while is put away in the end."""
        self.nodes_touched += run_iterations(
            self.tree, self._tables, self.work, self.rule, count, self.skip, self.after_pass, self.archive
        )
        self.iterations += count
        if self.archive is not None:
            self.archive.put_away()

    def discount(self, weight: float) -> None:
        """Let every iteration so far count for `weight` of what it did."""
        discount(self.tables, self.rule, weight)

    def extend(self) -> None:
        """Make tables and scratch arrays for the nodes that the tree has gained."""
        self.tables.extend(self.tree, self.exactly)
        self._count_new_nodes()
        if self.tree.nodes > len(self.work.active):
            self.work = make_work(self.tree.nodes + self.tree.nodes // 4, self.hands)

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy among the actions that the tree has now."""
        return evaluate_explicit(
            self.tree, self.tables.offset[AVERAGE], self.tables.table(AVERAGE), self.work
        )

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy: the probability of each edge by hand, float64[nodes, hands]."""
        return average_strategy(self.tree, self.tables.offset[AVERAGE], self.tables.table(AVERAGE))

    # What the theory asks

    def held_rows(self) -> HeldRows:
        """The tables of regrets, sums of v(I) and bounds as kernels read them."""
        found = []
        for name in (REGRET, VALUE, BOUND):
            found += [self.tables.offset[name], self.tables.table(name)]
        return HeldRows(*found)

    def regret_sums(self, start: int = 0) -> RegretSums:
        """What regrets amount to over the edges from the number `start` on, by player."""
        sums = RegretSums(np.zeros(2), np.zeros(2))
        tables = self.tables
        sum_regrets(self.tree.arrays, tables.offset[REGRET], tables.table(REGRET), start, self.hands, *sums)
        return sums

    def _count_new_nodes(self) -> None:
        """Bring `facts` up to date with the nodes that the tree has gained."""
        tree, new = self.tree, slice(self._counted, self.tree.nodes)
        stake = float(np.abs(tree.stake[new][tree.kind[new] >= FOLDED]).max(initial=0.0))
        parents = np.unique(tree.parent[new])
        for player, facts in enumerate(self.facts):
            facts.decisions += int(np.count_nonzero(tree.player[new] == player))
            mine = [node for node in parents.tolist() if node >= 0 and tree.player[node] == player]
            facts.actions = max([facts.actions, *(len(tree.children(node)) for node in mine)])
            facts.payoff_range = max(facts.payoff_range, 2.0 * stake)
        self._counted = tree.nodes

    def player_regrets(
        self, player: int, before: RegretSums, inside: RegretSums, after: RegretSums
    ) -> PlayerRegrets:
        """What the discounts ask of a player, from sums before an addition, inside of it, and after it."""
        facts = self.facts[player]
        squares = (float(sums.squares[player]) for sums in (before, inside, after))
        return PlayerRegrets(facts.decisions * self.hands, facts.actions, facts.payoff_range, *squares)
