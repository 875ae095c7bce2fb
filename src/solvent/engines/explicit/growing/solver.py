"""A growing run as a solver: continuous Leduc with few bets, to which others are added while it is solved.

At regular intervals a look over all decisions finds the bets that pay (`looking`), and they are added by recovery
games or regret transfer. Where a call of `run` ends changes nothing. A checkpoint holds the log of additions beside
the tables: loading it replays the log on the base game, which gives the same nodes under the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.additions import Addition, AdditionLog
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import GrowthSettings
from solvent.engines.explicit.growing.looking import Looker
from solvent.engines.explicit.growing.pruning.pruner import Budget, Pruner
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET
from solvent.engines.history.response import Evaluation
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import RegretRule
from solvent.engines.solver import Solver
from solvent.forms.explicit.tree import DECISION, ExplicitTree, explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc, SizedBetting
from solvent.games.game import Game
from solvent.strategy.opening import INFOSET
from solvent.strategy.solved.infosets import InfosetTable
from solvent.strategy.solved.tables import TableStrategy

BYTES_PER_NODE = 800
"""Bytes of a node's columns, betting node and label, its tables and scratch arrays apart."""
NUMBERS_PER_HAND = 10
"""Numbers that tables and scratch arrays have for a node and hand, with room to spare."""


class GrowingSolver(Solver):
    """CFR on a game that grows. The average strategy is of the game as it has become."""

    form = "explicit"
    plan_name = "growing"
    touched_unit = "public nodes x hands"
    dtype = "float64"
    threads = 1
    head_start = 0.0

    def __init__(
        self,
        rules: Game,
        rule: RegretRule,
        updates: str = "alternating",
        settings: GrowthSettings | None = None,
        memory: int | None = None,
        pruning: Pruning = NO_PRUNING,
    ) -> None:
        if not isinstance(rules, ContinuousLeduc):
            raise InputError(f"continuous_leduc can grow while it is solved; {rules} cannot")
        self.rules, self.rule, self.updates = rules, rule, updates
        self.settings = settings or GrowthSettings()
        self.memory, self.pruning = memory, pruning
        if pruning.mode not in ("none", "total"):
            raise InputError(f"growing runs take total pruning or none, not {pruning.mode}")
        if pruning.mode == "total" and (self.settings.method != "recovery" or not rule.additive):
            raise InputError(
                "total pruning of growing runs goes with grow recovery and the rules cfr and lcfr"
            )
        self._begin()
        self._fingerprint = self.game.tree.fingerprint

    def _begin(self) -> None:
        """Make the base game with empty tables."""
        tree = explicit_tree(self.rules)
        most = None
        if self.memory is not None and self.pruning.mode == "none":
            most = self.memory // (BYTES_PER_NODE + 8 * NUMBERS_PER_HAND * len(tree.hands))
            if tree.nodes > most:
                raise InputError(
                    f"{self.rules} has {tree.nodes:,} public nodes at first; memory of {self.memory:,} bytes "
                    f"is enough for {most:,}"
                )
        self.game = GrowingGame(tree, self.rule, self.updates, skip=True)
        self.pruner: Pruner | None = None
        if self.pruning.mode == "total":
            budget = Budget(sys.maxsize if self.memory is None else self.memory)
            budget.check_base(self.game.tables, self.name)
            self.pruner = Pruner(self.game, self.pruning, budget)
        self.looker = Looker(self.game, self.settings, most, self.pruner)

    # Facts of a run

    @property
    def tree(self) -> ExplicitTree:
        """The game as it has become."""
        return self.game.tree

    @property
    def log(self) -> AdditionLog:
        """The additions so far."""
        return self.game.log

    @property
    def name(self) -> str:
        return str(self.rules)

    @property
    def fingerprint(self) -> str:
        """The base game's."""
        return self._fingerprint

    @property
    def grown_fingerprint(self) -> str:
        """A digest of the base game and of all additions."""
        return self.log.fingerprint(self.fingerprint)

    @property
    def iterations(self) -> int:  # type: ignore[override]
        return self.game.iterations

    @property
    def nodes_touched(self) -> int:  # type: ignore[override]
        return self.game.nodes_touched

    @property
    def histories(self) -> int:
        pairs = np.count_nonzero(self.tree.chances, axis=(1, 2))
        return int(pairs[self.tree.board].sum()) + 1 + self.game.hands

    @property
    def infosets(self) -> int:
        return int(self._held()[self.tree.board[self.tree.kind == DECISION]].sum())

    @property
    def infoset_actions(self) -> int:
        edges = np.flatnonzero(self.tree.edge_player >= 0)
        return int(self._held()[self.tree.board[self.tree.parent[edges]]].sum())

    def _held(self) -> NDArray[np.int64]:
        """The number of hands that can be held on each board."""
        return np.asarray(np.count_nonzero(self.tree.chances.sum(axis=2) > 0, axis=1), dtype=np.int64)

    @property
    def cells(self) -> int:
        return self.game.tables.stored

    @property
    def table_bytes(self) -> int:
        return self.game.tables.bytes

    @property
    def response_nodes(self) -> int:
        return 0 if self.pruner is None else self.pruner.response_nodes

    @property
    def pruned_actions(self) -> int:
        """Actions at public nodes that are pruned, those behind them apart; each stands for all hands."""
        return 0 if self.pruner is None else int(np.count_nonzero(self.pruner.pruned))

    @property
    def stored_regrets(self) -> float:
        return self._stored(REGRET)

    @property
    def stored_averages(self) -> float:
        return self._stored(AVERAGE)

    def _stored(self, name: str) -> float:
        """The fraction of a table that is stored."""
        arena = self.game.tables.arenas[name]
        return arena.stored / int(arena.sizes.sum())

    @property
    def peak_stored(self) -> float:
        """The most bytes that the tables took, as a fraction of theirs now with nothing pruned."""
        if self.pruner is None:
            return 1.0
        tables = self.game.tables
        whole = 8 * sum(int(tables.arenas[name].sizes.sum()) for name in tables.names)
        return self.pruner.budget.peak / whole

    @property
    def form_bytes(self) -> int:
        return BYTES_PER_NODE * self.tree.nodes + sum(array.nbytes for array in self.game.work)

    @property
    def notes(self) -> list[str]:
        found = [
            "exploitability is measured among the bets that the game has now, whose number changes as it grows"
        ]
        if not self.rule.additive:
            found.append(
                f"under {self.rule} additions are a heuristic: Theorems 1 and 2 are about cfr and lcfr"
            )
        if self.pruner is not None:
            found.append("the memory limit is a budget for the tables; the tree takes memory beside it")
        return found

    def warm_up(self) -> None:
        """Have the kernels compiled; a game of its own stands in."""
        small = GrowingSolver(ContinuousLeduc(), self.rule, self.updates, self.settings, pruning=self.pruning)
        small.run(1)
        small.looker.look(small.game.regret_sums())
        head = small.tree.betting[0]
        assert isinstance(head, SizedBetting)
        source = small.tree.children(0)[-1]
        small.looker.add(0, 0.5, source)
        small.evaluate()
        if small.pruner is not None:
            small.pruner.warm_up()

    # Verbs

    def run(self, iterations: int) -> None:
        """Run more iterations, with looks where they are due."""
        end, every = self.iterations + iterations, self.settings.every
        while self.iterations < end:
            due = (self.iterations // every + 1) * every
            if self.pruner is None:
                self.game.run(min(end, due) - self.iterations)
            else:
                self.game.run(1)
                self.pruner.after_iteration()
                if self.iterations % self.pruning.every == 0:
                    self.pruner.look()
            if self.iterations == due:
                self.looker.grow()

    def evaluate(self) -> Evaluation:
        """Exploitability and value among the bets that the game has now, by exact best responses."""
        return self.game.evaluate()

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy in the game as it has become."""
        infosets, weights = self._by_infoset()
        return TableStrategy(self.name, self.grown_fingerprint, infosets, weights, facts, self.rules)

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        raise InputError("a growing run starts from uniform play; leave warm-start out")

    def grown(self) -> dict[str, Any]:
        """The metrics of growth and of the memory budget."""
        found: dict[str, Any] = {
            "public_nodes": self.tree.nodes,
            "additions": len(self.log),
            "total_weight": self.game.tables.total,
        }
        if self.game.archive is not None:
            found["archived_bytes"] = self.game.archive.last_bytes
        if self.pruner is not None:
            budget = self.pruner.budget
            found |= {
                "budget_bytes": budget.limit,
                "peak_table_bytes": budget.peak,
                "refused_additions": budget.refused_additions,
                "refused_returns": budget.refused_returns,
                "prune_average": self.pruner.c,
            }
        return found

    def _by_infoset(self) -> tuple[InfosetTable, NDArray[np.float64]]:
        """The infosets of hands that can be held, and the cumulative strategy in their order."""
        tree, rows = self.tree, self.game.tables.rows(AVERAGE)
        possible = tree.chances.sum(axis=2) > 0
        hands = [self.rules.hand_label(hand) for hand in tree.hands]
        players, labels, actions, weights = [], [], [], []
        for node in np.flatnonzero(tree.kind == DECISION).tolist():
            children, board = tree.children(node), int(tree.board[node])
            names = tuple(tree.labels[child] for child in children)
            public = f"{self.rules.board_label(tree.boards[board])}|{tree.betting[node].history}"
            for hand in np.flatnonzero(possible[board]).tolist():
                players.append(int(tree.player[node]))
                labels.append(f"{hands[hand]}|{public}")
                actions.append(names)
                weights.append(rows[children, hand])
        return InfosetTable.made(players, labels, actions), np.concatenate(weights)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint: tables by edge, the strategy by infoset, and the log of additions."""
        tables = self.game.tables
        infosets, weights = self._by_infoset()
        kept = tables.saved()
        kept["average"] = weights
        if self.pruner is not None:
            kept |= self.pruner.saved()
        if self.game.archive is not None:
            kept |= self.game.archive.saved()
        kept["additions"] = np.frombuffer(self.log.to_json().encode(), dtype=np.uint8)
        kept["grown"] = np.frombuffer(self.grown_fingerprint.encode(), dtype=np.uint8)
        return kept | {f"{INFOSET}{name}": array for name, array in infosets.arrays.items()}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Grow the base game by the checkpoint's log and load its tables."""
        log = AdditionLog.from_json(bytes(tables["additions"]).decode())
        self._begin()
        for addition in log:
            self._replay(addition)
        if bytes(tables["grown"]).decode() != self.grown_fingerprint:
            raise ValueError("additions")
        self.game.tables.load(tables)
        if self.pruner is not None:
            self.pruner.load(tables)
        if self.game.archive is not None:
            self.game.archive.load(tables)

    def _replay(self, addition: Addition) -> None:
        """Make the nodes of an addition, with empty tables."""
        tree, theta = self.tree, addition.size
        head = tree.betting[addition.node]
        if not isinstance(head, SizedBetting) or tree.place(addition.node) != addition.place:
            raise ValueError("additions")
        name = self.rules.bet_name(head, theta)
        if addition.source >= 0:
            tree.copy_bet(addition.source, name, self.rules.history_after(head, theta), theta)
        else:
            tree.graft(addition.node, name, self.rules.after_bet(head, theta), theta)
        self.game.extend()
        self.log.append(addition)

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Restore the counters that a checkpoint recorded beside its tables."""
        if self.pruner is not None:
            self.pruner.budget.check_loaded(self.game.tables, self.name)
        self.game.iterations, self.game.nodes_touched = facts["iterations"], facts["nodes_touched"]
