"""CFR with interval or total regret-based pruning on the history form: fewer histories, smaller tables.

Beside the tables their index and the layout of the game stay in memory.

solver = PrunedSolver(tree, "cfr", pruning=Pruning("total"))
solver.run(2000)
solver.stored_regrets, solver.nodes_touched
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.pruned import kernels, prune_kernels
from solvent.engines.history.pruned.forest_layout import Cells, Forest, lay_out_forests
from solvent.engines.history.pruned.kernels import OpponentView, Play, Step, StoredTables
from solvent.engines.history.solver import OnHistories, check_options, table_dtype
from solvent.engines.pruning import Pruning
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.small_games import PRUNED_ITERATIONS, small_tree
from solvent.forms.history import GameTree
from solvent.forms.sequence import sequence_form
from solvent.foundation.errors import InputError
from solvent.strategy.arena import Arena
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import normalise

MOST_CAPACITY = 1.25
"""Tables are compacted when their room is more than this many times their stored numbers."""


class PrunedSolver(OnHistories):
    """CFR, CFR+ or LCFR with interval or total pruning. `run` as often as you like."""

    plan_name = "serial"
    threads = 1
    response_nodes = 0
    peak_stored = 0.0

    def __init__(
        self,
        tree: GameTree,
        rule: str | RegretRule = "cfr",
        updates: str = "alternating",
        pruning: Pruning | str = "total",
        dtype: str = "auto",
        locks: Locks | None = None,
    ) -> None:
        check_options(updates, dtype)
        self.tree, self.updates, self.dtype = tree, updates, table_dtype(dtype, tree.cells)
        self.rule = load_rule(rule)
        self.pruning = Pruning(pruning) if isinstance(pruning, str) else pruning
        self.pruning.check_rule(self.rule)
        self.pruning.check_locks(locks)
        if not self.pruning.skips:
            raise InputError(f"a PrunedSolver prunes by interval or total, not {self.pruning.mode}")
        if not sequence_form(tree).perfect_recall:
            raise InputError(
                f"{self.pruning.mode} pruning needs players who forget nothing, and {tree.name} has one who does"
            )
        self.iterations = 0
        self.walked = 0
        """Histories touched by passes."""
        self.total = self.pruning.mode == "total"
        self.linear = self.rule.linear
        self.floored = self.rule.floors
        number = np.dtype(self.dtype)
        cells, infosets = (np.broadcast_to(np.int64(1), size) for size in (tree.cells, tree.infosets))
        gaps_apart = self.floored and self.total
        self.regrets = Arena.full(cells, ("regret", "gap") if gaps_apart else ("regret",), number)
        self.averages = Arena.full(cells, ("average",), number)
        self.values = Arena.full(infosets, ("value", "bound"), np.float64)
        self.values.table("bound")[:] = -math.inf
        self.pruned = np.zeros(tree.cells, dtype=np.uint8)
        self.since = np.zeros(tree.cells, dtype=np.int32)
        self._layout = lay_out_forests(tree)
        self._forests, self._payments = self._layout.forests, self._layout.payments
        deepest = self._layout.depth
        self._path = (np.zeros(deepest), np.zeros(deepest), np.zeros((deepest, 4), dtype=np.uintp))
        self._won = np.zeros(tree.cells)
        self._lists = tuple(np.zeros(tree.cells, dtype=np.int64) for _ in range(3))
        sizes = (len(payments.other) if not self.total else 0 for payments in self._payments)
        self._kept = tuple(np.zeros(size) for size in sizes)
        """The other player's summed reach when a branch was pruned, for interval pruning."""
        self._base = np.zeros(0 if self.total else tree.cells)
        edges = tree.cells + len(self._layout.chance)
        self._play = Play(np.ones(edges), np.zeros(tree.cells), np.zeros(tree.cells), np.zeros(tree.cells))
        self._play.sigma[tree.cells :] = self._layout.chance
        self._match()
        self._initial = self._play.plan.copy()
        """Player 0's own reach at first, which player 1 never saw with alternating updates."""
        self._note_peak()

    # Facts of a run

    @property
    def form_bytes(self) -> int:
        """Bytes of the tree, its layout and the passes' vectors, the tables apart."""
        arrays: list[Any] = [self._won, self._initial, *self._play]
        arrays += [self.tree.player, self.tree.infoset, *self._layout.nodes, *self._lists]
        for group in (*self._forests, *self._payments):
            arrays += [column for column in group if isinstance(column, np.ndarray)]
        return sum(array.nbytes for array in arrays)

    @property
    def table_bytes(self) -> int:
        """Bytes of regrets, averages, the numbers of infosets, and the copies of interval pruning."""
        arenas = sum(arena.bytes for arena in (self.regrets, self.averages, self.values))
        return arenas + sum(kept.nbytes for kept in self._kept) + self._base.nbytes

    @property
    def notes(self) -> list[str]:
        found = super().notes
        if self.floored:
            found.append(
                f"{self.rule} with pruning is noisy: an earlier average may have been less exploitable"
            )
        return found

    @property
    def nodes_touched(self) -> int:  # type: ignore[override]
        return self.walked + self.response_nodes

    @property
    def stored_regrets(self) -> float:
        return self.regrets.stored / max(1, self.cells)

    @property
    def stored_averages(self) -> float:
        return self.averages.stored / max(1, self.cells)

    @property
    def stored_bounds(self) -> float:
        """Infosets that keep a bound for their pruned actions, per infoset-action."""
        held = self.values.offset[self.values.offset >= 0]
        return float((self.values.table("bound")[held] > -math.inf).sum()) / max(1, self.cells)

    @property
    def pruned_actions(self) -> int:
        return int(self.pruned.sum())

    # Solving

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need."""
        eager = replace(self.pruning, every=1, least=0.0, lasting=0.0)
        small = PrunedSolver(small_tree(rounds=2), self.rule, self.updates, eager, self.dtype)
        small.run(PRUNED_ITERATIONS)
        small.evaluate()

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        self.rule.schedule(self.iterations + 1, iterations, self.dtype)  # rejects what outgrows the tables
        for _ in range(iterations):
            self.iterations += 1
            step = self._step()
            if self.updates == "alternating":
                for player in (0, 1):
                    self._prune(player, step, self._learn(player, step, self._walk(player)))
            else:
                met = [self._walk(player).copy() for player in (0, 1)]
                failed = [self._learn(player, step, met[player]).copy() for player in (0, 1)]
                for player in (0, 1):
                    self._prune(player, step, failed[player])

    def _step(self) -> Step:
        t = self.iterations
        return Step(
            t,
            gain=float(t) if self.linear else 1.0,
            average=float(t) if self.linear or self.floored else 1.0,
            floor=0.0 if self.floored and self.total else -math.inf,
            apart=self.floored and self.total,
            jumps=self.floored and not self.total,
            least=max(self.pruning.least / t, self.pruning.lasting),
        )

    def _walk(self, player: int) -> Cells:
        """One player's pass; returns the first cells of the player's infosets that were met."""
        touched, count = kernels.walk_live(
            self._layout.nodes, player, self._play, *self._path, self._lists[1]
        )
        self.walked += touched
        return self._lists[1][:count]

    def _learn(self, player: int, step: Step, met: Cells) -> Cells:
        """Everything after a walk but pruning; returns the infosets or cells that may not stay pruned."""
        failed, left, _ = self._lists
        most_paid = self._payments[player].most
        count = kernels.learn(
            self._forests[player], step, self.total, self._tables(), self._play, met, most_paid, failed, left
        )
        return failed[:count]

    def _prune(self, player: int, step: Step, failed: Cells) -> None:
        looks = self.iterations % self.pruning.every == 0
        if not len(failed) and not looks:
            return
        view = self._view(player)
        where = (self._payments[player], self._forests[player], step)
        if not self.total:
            rest, scratch = (view, self._kept[player], self._base), (self._won, self._play)
            held = self._tables()
            if len(failed):
                self.response_nodes += prune_kernels.settle_interval(*where, held, *rest, failed, *scratch)
            if looks:
                self.response_nodes += prune_kernels.begin_interval(*where, held, *rest, *scratch)
            return
        if len(failed):
            released = self._lists[2]
            count, touched = prune_kernels.settle(*where, self._tables(), view, failed, self._won, released)
            self.response_nodes += touched
            if count:
                self._release(player, step, released[:count])
        if looks:
            self._begin(player, step, view)

    def _release(self, player: int, step: Step, released: Cells) -> None:
        forest, (live, wanted, _) = self._forests[player], self._lists
        best_only = self.pruning.after == "cbr"
        infosets, cells = prune_kernels.choose_behind(
            forest, step, self._tables(), best_only, released, self._won, wanted, live
        )
        self.regrets.grow(live[:cells])
        self.averages.grow(live[:cells])
        self.values.grow(forest.base + wanted[:infosets])
        prune_kernels.reset(forest, step, self._tables(), released, self._won, self._play)
        self._note_peak()

    def _begin(self, player: int, step: Step, view: OpponentView) -> None:
        forest, (begun, emptied, _) = self._forests[player], self._lists
        prune_kernels.add_up_regrets(forest, self._tables(), self._won)
        cells, infosets = prune_kernels.begin(
            self._payments[player], forest, step, self._tables(), view, self._won, self._play, begun, emptied
        )
        if infosets:
            self.regrets.free(_cells(forest, emptied[:infosets]))
            self.values.free(forest.base + emptied[:infosets])
        if cells:
            self.regrets.free(begun[:cells])
        self._forget(player)
        for arena in (self.regrets, self.averages, self.values):
            if arena.capacity > MOST_CAPACITY * arena.stored:
                arena.compact()

    def _forget(self, player: int) -> None:
        """Give up averages of at most C / sqrt(T) of the play (Brown and Sandholm 2017, section 4)."""
        emptied = self._lists[1]
        limit = self.pruning.average / math.sqrt(self.iterations) * self._weight(self.iterations)
        since = int(self.pruning.settled * self.iterations)
        gone = prune_kernels.forget_averages(
            self._forests[player], self._tables(), limit, since, self._initial, emptied
        )
        if gone:
            self.averages.free(emptied[:gone])

    # Arguments of kernels

    def _tables(self) -> StoredTables:
        regret = self.regrets.table("regret")
        return StoredTables(
            self.regrets.offset,
            regret,
            self.regrets.table("gap") if "gap" in self.regrets.names else regret,
            self.averages.offset,
            self.averages.table("average"),
            self.values.offset,
            self.values.table("value"),
            self.values.table("bound"),
            self.pruned,
            self.since,
        )

    def _weight(self, t: int) -> float:
        """The weight of the first t iterations in the average."""
        return float(t) if not (self.linear or self.floored) else t * (t + 1) / 2

    def _view(self, player: int) -> OpponentView:
        """The strategies against which a player's regrets were computed, by the other player's cells."""
        t = self.iterations
        total, now, early, scale = self._weight(t), 0.0, 0.0, 1.0
        if self.updates == "alternating" and player == 0:
            # Player 1's average does not have this iteration yet.
            total = self._weight(t - 1)
            now = self._weight(t) - total
        elif self.updates == "alternating":
            # Player 1 has seen player 0 from the second strategy to the one after this iteration's. Where
            # iterations are weighted that is another weight for each; the sum is brought to the same total.
            now, early = self._weight(t + 1) - total, 1.0
            scale = total / (total + now - early)
        return OpponentView(
            self.averages.offset,
            self.averages.table("average"),
            self._play.plan,
            self._initial,
            total,
            now,
            early,
            scale,
        )

    def _match(self) -> None:
        """Derive the current strategies from the tables."""
        for forest in self._forests:
            kernels.match_all(forest, self._tables(), self._play)

    def _note_peak(self) -> None:
        copies = (sum(map(len, self._kept)) + len(self._base)) / max(1, self.cells)
        self.peak_stored = max(self.peak_stored, (self.stored_regrets + self.stored_averages + copies) / 2)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint: tables by the tree's cells or infosets, and which are stored where."""
        saved: dict[str, NDArray[Any]] = {}
        for kind, (arena, order) in self._arenas.items():
            kept = arena.save()
            saved |= {f"{kind}_{fact}": kept.pop(fact) for fact in ("stored", "room")}
            for name, table in kept.items():
                saved[name] = np.empty_like(table)
                saved[name][order] = table
        return saved | self._by_cell

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load a checkpoint's arrays; a ValueError if they are not of this game and rule."""
        now = self.saved_tables()
        if any(name not in tables or tables[name].shape != now[name].shape for name in now):
            raise ValueError("tables")
        for kind, (arena, order) in self._arenas.items():
            kept = {name: tables[name][order] for name in arena.names}
            arena.restore(kept | {fact: tables[f"{kind}_{fact}"] for fact in ("stored", "room")})
        for name, array in self._by_cell.items():
            array[:] = tables[name]

    @property
    def _by_cell(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint that are no arenas."""
        found: dict[str, NDArray[Any]] = {"pruned": self.pruned, "since": self.since}
        found["initial"] = self._initial
        if not self.total:
            found |= {"kept_0": self._kept[0], "kept_1": self._kept[1], "base": self._base}
        return found

    @property
    def _arenas(self) -> dict[str, tuple[Arena, Cells]]:
        """The arenas by their subject, and the tree's number of each of their blocks."""
        return {
            "regret": (self.regrets, self._layout.cell_of),
            "average": (self.averages, self._layout.cell_of),
            "value": (self.values, self._layout.infoset_of),
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Restore the counters that a checkpoint recorded beside its tables."""
        self.iterations = facts["iterations"]
        self.response_nodes = facts["response_nodes"]
        self.walked = facts["nodes_touched"] - self.response_nodes
        self.peak_stored = facts["peak_stored"]
        self._match()

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Refused: pruning makes up for iterations that were played before, and these are not known."""
        raise InputError(
            f"{self.pruning.mode} pruning must know all that was played: it cannot start from a strategy"
        )

    # Results

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy, float64[cells]. Uniform where a player never came or the play is forgotten."""
        average = np.zeros(self.tree.cells)
        average[self._layout.cell_of] = self.averages.spread("average")
        return normalise(average, self.tree.infoset_cell)


def _cells(forest: Forest, infosets: Cells) -> Cells:
    """The cells of a player's infosets."""
    counts = forest.first[infosets + 1] - forest.first[infosets]
    ends = np.cumsum(counts)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    return np.asarray(np.repeat(forest.first[infosets], counts) + within)
