"""CFR with pruning on the public form: a depth-first walk with a vector for all hands, tables that lose single
hands.

Tables are most of the memory: histories are walked, not stored. `partial` leaves out what the other player does
not reach; `total` also prunes single actions of single hands and stores nothing behind them; `none` is the same
walk over everything, to compare with. While one player's regrets change, the averages are kept so that each has
seen exactly what the other's average holds: with alternating updates player 0's average begins with the second
strategy.

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
from solvent.engines.public.pruned import average_kernels, response_kernels, total_kernels, walk_kernels
from solvent.engines.public.pruned.ground import ground_of
from solvent.engines.public.pruned.hand_blocks import HandBlocks
from solvent.engines.public.pruned.response_kernels import Coarse, Seen
from solvent.engines.public.pruned.store_kernels import Reset
from solvent.engines.public.pruned.walk_kernels import Held, Step
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
"""The part by which tables may grow while actions return, before gaps are closed."""


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
        self.iterations = self.walked = 0
        self._make_tables(filled)

    def _make_tables(self, filled: bool) -> None:
        number = np.dtype(self.dtype)
        self._ground, blocks = ground_of(self.game, number)
        apart = self.floored and self.total
        self.regrets = HandBlocks(blocks.of_edges, ("regret", "gap") if apart else ("regret",), number)
        self.averages = HandBlocks(blocks.of_edges, ("average",), number)
        nodes = blocks.of_nodes if self.total else blocks.of_nodes[:0]
        self.values = HandBlocks(nodes, ("value", "bound"), np.float64)
        if filled:
            for tables in self._tables.values():
                tables.fill()
        if self.total:
            self.values.table("bound")[: self.values.numbers] = -math.inf
        else:
            # Without pruning both tables have the same hands, and one index serves them.
            self.averages.stored = self.regrets.stored
        self._failed = np.zeros(len(nodes) + 1, dtype=np.int64)
        self._seen_regrets = self.regrets.table("regret")
        nothing = self.averages.table("average")[:0]
        self._coarse = Coarse(
            np.zeros(0, dtype=np.int32), np.zeros((0, 2), dtype=np.int64), self.averages.stored, nothing
        )
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
        """Run so many more iterations."""
        self.rule.schedule(self.iterations + 1, iterations, self.dtype)  # refuses what outgrows the tables
        for _ in range(iterations):
            self.iterations += 1
            step = self._step()
            if self.updates == "alternating":
                self._add_averages(1, step)
                self._walk(0, step)
                self._prune(0)
                # What returns changes the strategy that player 1 is about to see.
                self._add_averages(0, step)
                self._walk(1, step)
                self._prune(1)
            else:
                for player in (0, 1):
                    self._add_averages(player, step)
                used = int(self.regrets.stored.room[0])
                self._seen_regrets = self.regrets.table("regret")[:used].copy()
                failed = [self._walk(player, step) for player in (0, 1)]
                for player in (0, 1):
                    self._prune(player, failed[player])
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
        )

    def _walk(self, player: int, step: Step) -> NDArray[np.int64]:
        """One player's pass; the blocks of nodes with pruned actions that may not stay so."""
        self.walked += walk_kernels.walk(self._ground, self._held(), step, player)
        return self._failed[: self._failed[-1]].copy()

    def _add_averages(self, player: int, step: Step) -> None:
        average_kernels.add_averages(
            self._ground,
            self._held(),
            self.averages.stored,
            self.averages.table("average"),
            step.average,
            player,
        )

    def _prune(self, player: int, failed: NDArray[np.int64] | None = None) -> None:
        """What returns and what is pruned after a player's pass."""
        if not self.total:
            return
        failed = self._failed[: self._failed[-1]].copy() if failed is None else failed
        self._settle(player, failed)
        if self._looks:
            total_kernels.begin(self._ground, self._held(), self._seen(), self._least, player)

    def _settle(self, player: int, failed: NDArray[np.int64]) -> None:
        """Measure a player's pruned actions at blocks of nodes by best responses; store again what may pay.

        Tables may grow by a tenth before their gaps are closed, or by more where one branch needs it.
        """
        done, spare, counts = 0, GROWTH, np.zeros(2, dtype=np.int64)
        while done < len(failed):
            for tables in self._tables.values():
                tables.allow(spare)
            settled = total_kernels.settle(
                self._ground, self._seen(), self._reset(), self._least, player, failed, done, counts
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
                total_kernels.forget(
                    self._ground,
                    self._held(),
                    self.averages.stored,
                    self.averages.table("average"),
                    limit,
                    player,
                )
        for tables in self._tables.values():
            tables.compact()

    # What the kernels take

    @property
    def _weight(self) -> float:
        """The weight of all iterations so far in the average."""
        t = self.iterations
        return t * (t + 1) / 2 if self.linear or self.floored else float(t)

    @property
    def _least(self) -> float:
        """What part of what could be won a gap must be for pruning to be worth its end; 0 with the paper's
        tests."""
        return max(self.pruning.least / self.iterations, self.pruning.lasting)

    def _held(self) -> Held:
        regret = self.regrets.table("regret")
        apart = "gap" in self.regrets.names
        simultaneous = self.updates == "simultaneous"
        return Held(
            self.regrets.stored,
            regret,
            self.regrets.table("gap") if apart else regret[:0],
            self._seen_regrets if simultaneous else regret,
            self.values.stored,
            self.values.table("value") if self.total else self.values.table("value")[:0],
            self.values.table("bound"),
            self._failed,
        )

    def _seen(self) -> Seen:
        """What a player's regrets were computed against: the other's cumulative strategy."""
        return Seen(self.averages.stored, self.averages.table("average"), self._weight, self._coarse)

    def _reset(self) -> Reset:
        held = self._held()
        return Reset(
            held.regrets,
            held.regret,
            held.gap,
            held.values,
            held.value,
            held.bound,
            self.averages.stored,
            self.averages.table("average"),
            (self.iterations + 1) / 2,
            self.pruning.after == "cbr",
        )

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps: the numbers that are stored, which they are, and all averages for who reads
        it."""
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
        """Take up what a checkpoint has kept; a ValueError if it is not of this game and rule."""
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
        """Play a coarser game's averages where nothing is stored; see `Coarse` for what edges and blocks are."""
        self._coarse_averages = averages
        self._coarse = Coarse(edge, block, averages.stored, averages.table("average"))

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Go on from tables that were loaded, as they were when a checkpoint said so of itself."""
        self.iterations, self.response_nodes = facts["iterations"], facts["response_nodes"]
        self.walked = facts["nodes_touched"] - self.response_nodes
        self.peak_stored = facts["peak_stored"]

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Refused: what was played before is not known, and pruning makes up for it."""
        raise InputError(
            f"a solve with {self.pruning.mode} pruning starts from a run of a coarser game, not from a strategy"
        )

    # Results

    def dense(self, tables: HandBlocks, name: str) -> NDArray[Any]:
        """A table of edges as the whole form lays it out, [edge][board][slot], with 0 where nothing is stored."""
        boards = [len(self.game.rounds[level].boards) for level in self.game.nodes.round[self.game.edge_node]]
        first, step = self._ground.edge_block.T
        blocks = np.concatenate(
            [first[edge] + step[edge] * np.arange(count) for edge, count in enumerate(boards)]
        )
        return tables.dense(name, blocks)

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        seen = self._seen()
        weight = seen.everything or 1.0
        best = [response_kernels.value_game(self._ground, seen, player, False) / weight for player in (0, 1)]
        value = response_kernels.value_game(self._ground, seen, 0, True) / weight
        return Evaluation(max(0.0, sum(best) / 2), (value, -value), (best[0], best[1]))

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy."""
        infosets = PublicInfosets(self.game)
        average = self.dense(self.averages, "average")
        return TableStrategy(self.name, self.fingerprint, infosets, average, facts, self.game.rules)
