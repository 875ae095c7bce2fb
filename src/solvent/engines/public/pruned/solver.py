"""CFR with pruning on the public form: depth-first walks with vectors of hands, and tables that single hands leave.

Tables are most of the memory: histories are walked, not stored. `partial` leaves out what the other player does
not reach; `total` also prunes single actions of single hands and stores nothing behind them; `none` is the same
walk over everything, to compare with. Each player's regrets are computed against exactly what the other's average
holds: with alternating updates player 0's average begins with the second strategy.

solver = PrunedPublicSolver(public_game(Leduc(ranks=13)), "cfr", pruning=Pruning("total"))
solver.run(1000)
solver.table_bytes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import Evaluation
from solvent.engines.history.solver import check_options, table_dtype
from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned import response_kernels, total_kernels, walk_kernels
from solvent.engines.public.pruned.hand_blocks import HandBlocks
from solvent.engines.public.pruned.layout import lay_out
from solvent.engines.public.pruned.response_kernels import CoarseStrategy, OpponentView
from solvent.engines.public.pruned.walk_kernels import Step, StoredTables
from solvent.engines.public.solver import OnPublicGame
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.small_games import PRUNED_ITERATIONS, small_public_game
from solvent.forms.public.game import PublicGame
from solvent.foundation.errors import InputError
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent.strategy.solved.tables import TableStrategy

MODES = ("none", "partial", "total")
GROWTH = 0.1
"""Share of what is stored by which tables may grow while actions return, before gaps are closed."""


class PrunedPublicSolver(OnPublicGame):
    """CFR, CFR+ or LCFR on a public game of up to two rounds. `run` as often as you like."""

    plan_name = "aggregated"
    threads = 1
    evaluator = "sweep"
    response_nodes = 0
    peak_stored = 0.0

    def __init__(
        self,
        game: PublicGame,
        rule: str | RegretRule = "cfr",
        updates: str = "alternating",
        pruning: Pruning | str = "total",
        dtype: str = "auto",
        locks: Locks | None = None,
        filled: bool = True,
    ) -> None:
        """Prepare a solve. Tables that are not `filled` have nothing stored: see `coarse_start`."""
        check_options(updates, dtype)
        self.game, self.updates, self.dtype = game, updates, table_dtype(dtype, game.cells)
        self.rule = load_rule(rule)
        self.pruning = Pruning(pruning) if isinstance(pruning, str) else pruning
        self.pruning.check_rule(self.rule)
        self.pruning.check_locks(locks)
        if self.pruning.mode not in MODES:
            raise InputError(
                f"{self.pruning.mode} pruning keeps copies of the other player's averages, which take more than it "
                "saves on the public form; give pruning total, or form history"
            )
        if len(game.rounds) > 2:
            raise InputError(f"{game.name} has {len(game.rounds)} rounds; pruning walks games of up to two")
        self.total = self.pruning.mode == "total"
        self.linear, self.floored = self.rule.linear, self.rule.floors
        self.apart = self.floored and self.total
        """Whether gaps are kept apart from regrets, which a floor cuts."""
        self.iterations = self.walked = 0
        self._make_tables(filled)

    def _make_tables(self, filled: bool) -> None:
        number = np.dtype(self.dtype)
        self._layout, of_edges, of_nodes = lay_out(self.game, number)
        if not self.total:
            of_nodes = of_nodes[:0]
        self.regrets = HandBlocks(of_edges, ("regret", "gap") if self.apart else ("regret",), number)
        self.averages = HandBlocks(of_edges, ("average",), number)
        self.values = HandBlocks(of_nodes, ("value", "bound"), np.float64)
        if filled:
            for tables in self._tables.values():
                tables.fill()
        if self.total:
            self.values.table("bound")[: self.values.numbers] = -math.inf
        else:
            # Without pruning both tables have the same hands, and one index serves them.
            self.averages.stored = self.regrets.stored
        self._failed = np.zeros(len(of_nodes) + 1, dtype=np.int64)
        self._seen_regrets = self.regrets.table("regret")
        none = self.averages.table("average")[:0]
        no_edges = np.zeros(0, dtype=np.int32), np.zeros((0, 2), dtype=np.int64)
        self._coarse = CoarseStrategy(*no_edges, self.averages.stored, none)
        self._coarse_averages: HandBlocks | None = None
        self._note_peak()

    @property
    def _tables(self) -> dict[str, HandBlocks]:
        return {"regrets": self.regrets, "averages": self.averages, "values": self.values}

    # What a run says of itself

    @property
    def notes(self) -> list[str]:
        if self.total and not self.floored:
            return [
                "on the public form total pruning saves memory, and no time: without it iterations are quicker"
            ]
        if self.total:
            return [f"{self.rule} with pruning is noisy: an earlier average may have been less exploitable"]
        return []

    @property
    def nodes_touched(self) -> int:  # type: ignore[override]
        return self.walked + self.response_nodes

    @property
    def stored_regrets(self) -> float:
        return self.regrets.numbers / max(1, self.cells)

    @property
    def stored_averages(self) -> float:
        return self.averages.numbers / max(1, self.cells)

    @property
    def pruned_actions(self) -> int:
        """Infoset-actions without regrets."""
        return self.cells - self.regrets.numbers

    @property
    def table_bytes(self) -> int:
        """Memory of the tables with their index, and of the copy of the regrets that simultaneous updates need."""
        copy = self.regrets.numbers * np.dtype(self.dtype).itemsize if self.updates == "simultaneous" else 0
        coarse = self._coarse_averages.bytes if self._coarse_averages is not None else 0
        shared = 0 if self.total else sum(array.nbytes for array in self.regrets.stored[:3])
        return sum(tables.bytes for tables in self._tables.values()) + coarse + copy - shared

    def _note_peak(self) -> None:
        self.peak_stored = max(self.peak_stored, (self.stored_regrets + self.stored_averages) / 2)

    # Solving

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need."""
        eager = replace(self.pruning, every=1, least=0.0, lasting=0.0)
        small = PrunedPublicSolver(small_public_game(self.game), self.rule, self.updates, eager, self.dtype)
        small.run(PRUNED_ITERATIONS)
        small.evaluate()

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        self.rule.schedule(self.iterations + 1, iterations, self.dtype)  # refuses what outgrows the tables
        for _ in range(iterations):
            self.iterations += 1
            step = self._step()
            if self.updates == "alternating":
                self._add_averages(1, step)
                self._prune(0, step, self._walk(0, step))
                # What returns changes the strategy that player 1 is about to see.
                self._add_averages(0, step)
                self._prune(1, step, self._walk(1, step))
            else:
                for player in (0, 1):
                    self._add_averages(player, step)
                used = int(self.regrets.stored.room[0])
                self._seen_regrets = self.regrets.table("regret")[:used].copy()
                failed = [self._walk(player, step) for player in (0, 1)]
                for player in (0, 1):
                    self._prune(player, step, failed[player])
            if self._looks:
                self._tidy()

    @property
    def _looks(self) -> bool:
        """Whether this is an iteration after which actions may be pruned."""
        return self.total and self.iterations % self.pruning.every == 0

    def _step(self) -> Step:
        t = float(self.iterations)
        return Step(
            gain=t if self.linear else 1.0,
            average=t if self.linear or self.floored else 1.0,
            floor=0.0 if self.floored else -math.inf,
            whole=self.pruning.mode == "none",
            least=max(self.pruning.least / max(t, 1.0), self.pruning.lasting),
            mean=(t + 1) / 2,
            best_only=self.pruning.after == "cbr",
        )

    def _walk(self, player: int, step: Step) -> NDArray[np.int64]:
        """Run one player's pass; the blocks of nodes with pruned actions that may not stay so."""
        self.walked += walk_kernels.walk(self._layout, self._stored(), step, player)
        return self._failed[: self._failed[-1]].copy()

    def _add_averages(self, player: int, step: Step) -> None:
        walk_kernels.add_averages(self._layout, self._stored(), step.average, player)

    def _prune(self, player: int, step: Step, failed: NDArray[np.int64]) -> None:
        """Store what returns after a player's pass, and prune what begins to be pruned."""
        if not self.total:
            return
        self._settle(player, step, failed)
        if self._looks:
            total_kernels.begin(self._layout, self._stored(), self._view(), step, player)

    def _settle(self, player: int, step: Step, failed: NDArray[np.int64]) -> None:
        """Measure a player's pruned actions at blocks of nodes by best responses; store again what may pay.

        Tables may grow by a tenth before their gaps are closed, or by more where one branch needs it.
        """
        done, spare, counts = 0, GROWTH, np.zeros(2, dtype=np.int64)
        while done < len(failed):
            for tables in self._tables.values():
                tables.allow(spare)
            settled = total_kernels.settle(
                self._layout, self._view(), self._stored(), step, player, failed, done, counts
            )
            if settled < len(failed):
                for tables in self._tables.values():
                    tables.compact(0.0)
            spare = GROWTH if settled > done else 2 * spare
            done = settled
        self.response_nodes += int(counts[0])

    def _tidy(self) -> None:
        """Forget what averages need no longer hold, and close the gaps in the tables."""
        self._note_peak()
        limit = self.pruning.average / math.sqrt(self.iterations) * self._weight
        if limit > 0:
            for player in (0, 1):
                total_kernels.forget(self._layout, self._stored(), limit, player)
        for tables in self._tables.values():
            tables.compact()

    # What the kernels take

    @property
    def _weight(self) -> float:
        """The weight of all iterations so far in the average."""
        t = self.iterations
        return t * (t + 1) / 2 if self.linear or self.floored else float(t)

    def _stored(self) -> StoredTables:
        regret, value = self.regrets.table("regret"), self.values.table("value")
        return StoredTables(
            regrets=self.regrets.stored,
            regret=regret,
            gap=self.regrets.table("gap") if self.apart else regret[:0],
            seen=self._seen_regrets if self.updates == "simultaneous" else regret,
            averages=self.averages.stored,
            average=self.averages.table("average"),
            values=self.values.stored,
            value=value if self.total else value[:0],
            bound=self.values.table("bound"),
            failed=self._failed,
        )

    def _view(self) -> OpponentView:
        return OpponentView(self.averages.stored, self.averages.table("average"), self._weight, self._coarse)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """Return the numbers that are stored, the masks that say whose they are, and all averages for readers."""
        saved: dict[str, NDArray[Any]] = {"average": self.dense(self.averages, "average")}
        for kind, tables in self._tables.items():
            saved |= tables.save(kind)
        if self._coarse_averages is not None:
            saved |= self._coarse_averages.save("coarse")
            saved |= {
                "coarse_edge": self._coarse.edge,
                "coarse_block": self._coarse.edge_block,
                "coarse_slots": self._coarse_averages.slots,
            }
        return saved

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load a checkpoint's tables; a ValueError if they are not of this game and rule."""
        for kind, blocks in self._tables.items():
            blocks.restore(kind, tables)
        if "coarse_edge" in tables:
            edge = tables["coarse_edge"]
            if edge.shape != self.game.nodes.child.shape:
                raise ValueError("coarse_edge")
            averages = HandBlocks(tables["coarse_slots"], ("average",), self.dtype)
            averages.restore("coarse", tables)
            self.play_from(edge, tables["coarse_block"], averages)

    def play_from(self, edge: NDArray[np.int32], block: NDArray[np.int64], averages: HandBlocks) -> None:
        """Play a coarser game's averages where nothing is stored; edge, block: as in `CoarseStrategy`."""
        self._coarse_averages = averages
        self._coarse = CoarseStrategy(edge, block, averages.stored, averages.table("average"))

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Restore the counters that a checkpoint recorded beside its tables."""
        self.iterations, self.response_nodes = facts["iterations"], facts["response_nodes"]
        self.walked = facts["nodes_touched"] - self.response_nodes
        self.peak_stored = facts["peak_stored"]

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Refuse: pruning makes up for what was played before, which a strategy does not tell."""
        raise InputError(
            f"a solve with {self.pruning.mode} pruning starts from a run of a coarser game, not from a strategy"
        )

    # Results

    def dense(self, tables: HandBlocks, name: str) -> NDArray[Any]:
        """Spread a table of edges over the whole form, [edge][board][slot], with 0 where nothing is stored."""
        boards = [len(self.game.rounds[level].boards) for level in self.game.nodes.round[self.game.edge_node]]
        first, step = self._layout.edge_block.T
        blocks = np.concatenate(
            [first[edge] + step[edge] * np.arange(count) for edge, count in enumerate(boards)]
        )
        return tables.dense(name, blocks)

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        view = self._view()
        weight = view.weight or 1.0
        best = [response_kernels.value_game(self._layout, view, player, False) / weight for player in (0, 1)]
        value = response_kernels.value_game(self._layout, view, 0, True) / weight
        return Evaluation(max(0.0, sum(best) / 2), (value, -value), (best[0], best[1]))

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy."""
        infosets = PublicInfosets(self.game)
        average = self.dense(self.averages, "average")
        return TableStrategy(self.name, self.fingerprint, infosets, average, facts, self.game.rules)
