"""Counterfactual regret minimisation on the history form: form x plan x rule x update mode.

solver = HistorySolver(tree, "dcfr")
solver.run(1000)
solver.average_strategy()
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.engines.defaults import DTYPES, UPDATES
from solvent.engines.full_width import FullWidth
from solvent.engines.history.plans import Plan, Serial, check_plan, make_plan
from solvent.engines.history.response import Evaluation, evaluate
from solvent.engines.history.serial_kernels import Play, Rows, Side, Tables, match_regrets
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.small_games import small_tree
from solvent.engines.solver import Solver
from solvent.engines.warm_start import FAINT, ONE_ITERATION, start_from
from solvent.forms.history import GameTree
from solvent.forms.sequence import sequence_form
from solvent.foundation.errors import InputError
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import normalise

FLOAT32_FROM = 10_000_000
"""Infoset-actions from which tables are kept in single precision unless the user says otherwise."""
NOT_ZERO_SUM = (
    "the game is not zero-sum: average strategies need not approach a Nash equilibrium; exploitability still "
    "measures the distance to one"
)
"""Note of games in which a house takes a rake, or payoffs do not sum to 0 otherwise."""


def check_options(updates: str, dtype: str) -> None:
    """Reject an unknown update mode or dtype."""
    if updates not in UPDATES:
        raise InputError(f"there is no update mode {updates!r}; the modes are {', '.join(UPDATES)}")
    if dtype not in DTYPES:
        raise InputError(f"there is no dtype {dtype!r}; the dtypes are {', '.join(DTYPES)}")


def table_dtype(dtype: str, cells: int) -> str:
    """Resolve `auto` from the number of infoset-actions."""
    if dtype != "auto":
        return dtype
    return "float64" if cells < FLOAT32_FROM else "float32"


class OnHistories(Solver):
    """A solver on the history form: the facts of its game, and the results of its average strategy."""

    form = "history"
    tree: GameTree
    locks: Locks | None = None
    """Infosets that play a given strategy."""

    @property
    def name(self) -> str:
        return self.tree.name

    @property
    def fingerprint(self) -> str:
        return self.tree.fingerprint

    @property
    def histories(self) -> int:
        return self.tree.histories

    @property
    def infosets(self) -> int:
        return self.tree.infosets

    @property
    def infoset_actions(self) -> int:
        return self.tree.cells

    @property
    def cells(self) -> int:
        """Numbers in each table."""
        return self.tree.cells

    @property
    def notes(self) -> list[str]:
        found = [] if self.tree.zero_sum else [NOT_ZERO_SUM]
        players = sequence_form(self.tree).sequences
        forgetful = [str(k) for k, player in enumerate(players) if not player.perfect_recall]
        if forgetful:
            found.append(
                f"imperfect recall of player {' and '.join(forgetful)}: CFR's guarantee does not hold, and "
                "exploitability is measured by opponents who forget nothing"
            )
        return found

    @property
    def _tree_bytes(self) -> int:
        tree = self.tree
        columns = (tree.player, tree.infoset, tree.parent, tree.cell, tree.end, tree.payoff)
        return sum(column.nbytes for column in columns)

    @abstractmethod
    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy, float64[cells], which converges."""

    def evaluate(self, keep_locks: bool = True) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses.

        Responses keep to the locks, which is how far the locked game is from solved, or are free of them.
        """
        return evaluate(self.tree, self.average_strategy(), self.locks if keep_locks else None)

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy, by infoset."""
        return TableStrategy.of(self.tree, self.average_strategy(), **facts)


class WholeTables(OnHistories, FullWidth):
    """A solver on the history form whose tables have a number for every infoset-action at all times."""

    def warm_up(self) -> None:
        """Have the best responses compiled."""
        small = small_tree()
        evaluate(small, small.uniform)

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy, float64[cells], which converges. Uniform where a player never came."""
        return normalise(self._played(), self.tree.infoset_cell)


class HistorySolver(WholeTables):
    """CFR on a compiled game. `run` as often as you like; the average strategy is the result."""

    def __init__(
        self,
        tree: GameTree,
        rule: str | RegretRule = "dcfr",
        updates: str = "alternating",
        plan: str = "auto",
        threads: int = 1,
        dtype: str = "auto",
        pruning: Pruning = NO_PRUNING,
        locks: Locks | None = None,
        value_sums: bool = False,
    ) -> None:
        check_options(updates, dtype)
        check_plan(plan, threads)
        self.tree, self.updates, self.dtype = tree, updates, table_dtype(dtype, tree.cells)
        self.rule, self.pruning = load_rule(rule), pruning
        pruning.check_rule(self.rule)
        self.iterations = 0
        self.nodes_touched = 0
        self._make_tables(np.ones(tree.cells, dtype=np.int64), locks, value_sums)
        self._rows = Rows(tree.parent, tree.cell, tree.payoff, tree.end)
        self._sides = (side_of(tree, 0), side_of(tree, 1))
        self._play = play_of(tree)
        self.plan: Plan
        if pruning.mode == "partial":
            pruning.check_plan(plan)
            self.plan = Serial(self._rows, self._sides, partial=True)
        else:
            self.plan = make_plan(plan, tree, self._rows, self._sides, threads)
        self.plan_name, self.threads = self.plan.name, self.plan.threads
        self.rule.schedule(1, 1, self.dtype)  # rejects weights that the solver could not follow
        self._match()

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need; the flattened plan has none of its own."""
        plan = "serial" if self.plan_name == "flattened" else self.plan_name
        small = HistorySolver(
            small_tree(), self.rule, self.updates, plan, self.threads, self.dtype, self.pruning
        )
        small.run(1)
        small.evaluate()

    # Facts of a run

    @property
    def form_bytes(self) -> int:
        """Bytes of the tree and of the walk's vectors, the tables apart."""
        return self._tree_bytes + 16 * self.tree.histories

    @property
    def tables(self) -> Tables:
        """The arena's tables as the kernels take them."""
        regret, average = self.arena.table("regret"), self.arena.table("average")
        last = self.arena.table("last") if self.rule.predictive else regret[:0]
        return Tables(regret, average, last, self._value_table)

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        schedule = self.rule.schedule(self.head_start + self.iterations + 1, iterations, self.dtype)
        for rows in self._pieces(schedule):
            self.plan.iterate(rows, self.updates == "alternating", self.tables, self._play)
        self.iterations += iterations
        if self.pruning.mode == "partial" and isinstance(self.plan, Serial):
            self.nodes_touched += self.plan.touched
            self.plan.touched = 0
        else:
            self.nodes_touched += iterations * 2 * self.tree.histories

    def current_strategy(self) -> NDArray[np.float64]:
        """The strategy that the next iteration will play, float64[cells]."""
        strategy: NDArray[np.float64] = self._play.backward[self.tree.cell_player, np.arange(self.tree.cells)]
        return strategy

    def warm_start(self, strategy: TableStrategy | ArrayLike, iterations: int | None = None) -> None:
        """Begin as if a strategy had been played for `iterations`; by default those that made it."""
        facts = strategy.facts if isinstance(strategy, TableStrategy) else {}
        given = strategy.probabilities if isinstance(strategy, TableStrategy) else strategy
        probabilities = normalise(np.asarray(given, dtype=np.float64), self.tree.infoset_cell)
        start_from(self, probabilities, facts, iterations)
        self._match()

    def play_once(self, strategy: NDArray[np.float64]) -> None:
        self.arena.table("regret")[:] = FAINT * strategy
        self._match()
        self.plan.iterate(ONE_ITERATION, False, self.tables, self._play)

    def largest(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        first = self.tree.infoset_cell
        return np.repeat(np.maximum.reduceat(cells, first[:-1]), np.diff(first))

    def restore(self, facts: Mapping[str, Any]) -> None:
        super().restore(facts)
        self._match()

    def _match(self) -> None:
        """Derive the strategies of the next iteration from the tables."""
        prediction = self.rule.weights(self.head_start + self.iterations + 1).prediction
        for player in (0, 1):
            match_regrets(
                self._sides[player],
                prediction,
                self.tables,
                self._play.backward[player],
                self._play.forward[1 - player],
            )
        if self.locks is not None:
            cells = np.flatnonzero(self.locks.locked)
            owner, probabilities = self.tree.cell_player[cells], self.locks.probabilities[cells]
            self._play.backward[owner, cells] = self._play.forward[1 - owner, cells] = probabilities

    def _impose_locks(self) -> None:
        super()._impose_locks()
        self._match()


def side_of(tree: GameTree, player: int) -> Side:
    """One player's infosets and sequences, as the kernels take them."""
    mine = np.flatnonzero(tree.infoset_player == player)
    sequences = sequence_form(tree).sequences[player]
    return Side(
        tree.infoset_cell[mine],
        tree.infoset_cell[mine + 1],
        sequences.first,
        sequences.before,
        sequences.cell,
        sequences.histories,
        np.zeros(len(sequences)),
    )


def play_of(tree: GameTree) -> Play:
    """Make the arrays for strategies, reaches and values, with chance's probabilities in place."""
    edges = tree.cells + len(tree.chance)
    forward, backward = np.ones((2, edges)), np.ones((2, edges))
    forward[:, tree.cells :] = tree.chance
    return Play(forward, backward, np.zeros(tree.histories), np.zeros(tree.histories), np.zeros((2, edges)))
