"""A training by a head and children as a session drives it: turns, shards on the disk, and what children report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import BettingTree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import bundle_checksums
from solvent.foundation.storage.files import check_room
from solvent.foundation.storage.run import Run
from solvent.solving.session import Session
from solvent.strategy.agents.blueprint import CLUSTER, HEAD, Blueprint, join_shards, split_table
from solvent.training.distributed.batches import Batch, Children, Discount, ShardFile, Traffic
from solvent.training.distributed.child import Child
from solvent.training.distributed.launching import distributed_settings
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.distributed.workers import LostClusterError, LostWorkerError
from solvent.training.settings import TrainingSettings
from solvent.training.work import Length, TrainingWork

SHOWN_CHILDREN = 4
"""Workers whose idle time the progress display shows one by one; of more it shows the least and the most."""
LOG_BYTES = 256 << 20
"""The log of what children have been told may take this much memory before a checkpoint ends it."""


class DistributedTraining(TrainingWork):
    """The head of a training in this process, and its children wherever they are."""

    def __init__(
        self,
        tree: BettingTree,
        cards: CardAbstraction,
        settings: TrainingSettings,
        length: Length | None,
        launch: Callable[[], Children],
    ) -> None:
        """launch: begins the children, once the kernels have been compiled."""
        super().__init__(tree, cards, settings, length)
        self.how = distributed_settings(settings, tree)
        self._head, self._launch = make_head(tree, cards, self.how), launch
        self._solver: DistributedSolver | None = None
        self._tables: Mapping[str, Any] = {}
        self._measured: tuple[Sequence[Traffic], float, int] = ((), 0.0, 0)
        """At the last measurement: what workers had done, the seconds, and workers that had been replaced."""
        self._working: dict[str, Any] = {}

    @property
    def solver(self) -> DistributedSolver:
        """The head and its children."""
        assert self._solver is not None, "launch the children first"
        return self._solver

    def launch(self) -> None:
        """Begin the children, with tables of zeros."""
        children = self._launch()
        try:
            self._solver = DistributedSolver(self._head, children)
        except BaseException:
            children.close()
            raise

    def about_children(self) -> dict[str, Any] | None:
        if not self._working:
            return None
        workers, replaced = len(self._working["idle"]), self.solver.children.replaced
        lost = f", lost and replaced {replaced}" if replaced else ""
        summary = f"{workers}, {_in_words(self._working)}{lost}"
        return {"workers": workers, **self._working, "replaced": replaced, "summary": summary}

    @property
    def iterations(self) -> int:
        return 0 if self._solver is None else self._solver.iterations

    @property
    def touched(self) -> int:
        return 0 if self._solver is None else self._solver.touched

    @property
    def head(self) -> NDArray[np.float32]:
        return self._head.table

    def begin(self) -> None:
        if self.settings.begins_with_prior:
            blueprint = Blueprint(self.tree, self.cards)
            self._write_first_prior(blueprint)
            self.solver.load(split_table(blueprint), {"turns": 0, "touched": 0})

    def warm_up(self) -> None:
        """Have all kernels compiled in this process, so that workers find them in the cache."""
        self._head.warm_up()
        passes = self.how.turn(0).passes
        nothing = Batch(0, np.zeros(passes, dtype=np.int64), np.zeros(0, dtype=np.int32))
        Child(0, self._head.walk, np.zeros(0, dtype=np.float32), self._head.dealer, self.how).values(nothing)

    def close(self) -> None:
        """End the children."""
        if self._solver is not None:
            self._solver.children.close()

    def _iterate(self, iterations: int) -> None:
        self.solver.run(iterations)

    def _discount(self, positive: float, negative: float, keep: float) -> None:
        self.solver.discount(Discount(positive, negative, keep))

    # For a session

    def measure(self) -> dict[str, Any]:
        """Measure what plain training does, and each worker's work since the last measurement."""
        self._working = self._work_since()
        return super().measure() | self._working

    def _work_since(self) -> dict[str, Any]:
        (before, began, replaced), now = self._measured, self.solver.children.traffic()
        self._measured = now, self.seconds, self.solver.children.replaced
        seconds, turns = self.seconds - began, sum(each.turns for each in now)
        if not now or seconds <= 0:
            return {}
        past = before or [Traffic(each.clusters, 0, 0.0, 0.0, 0) for each in now]
        turns -= sum(each.turns for each in past)
        pairs = list(zip(now, past, strict=True))
        return {
            "idle": [round(min(1.0, max(0.0, 1 - (a.work - b.work) / seconds)), 4) for a, b in pairs],
            "latency": sum(a.latency - b.latency for a, b in pairs) / max(1, turns),
            "bytes_rate": sum(a.bytes - b.bytes for a, b in pairs) / seconds,
            "replaced": self.solver.children.replaced - replaced,
        }

    def describe(self) -> str:
        parts = [super().describe()]
        if self._working:
            parts.append(f"children {_in_words(self._working)}")
        if self.solver.children.replaced:
            parts.append(f"lost workers replaced: {self.solver.children.replaced}")
        return ", ".join(part for part in parts if part)

    def facts(self) -> dict[str, Any]:
        return super().facts() | self.solver.facts()

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return dict(self.solver.head_tables())

    def load_tables(self, tables: Mapping[str, Any]) -> None:
        if HEAD not in tables:
            raise ValueError(HEAD)
        self._tables = tables

    def restore(self, facts: Mapping[str, Any]) -> None:
        super().restore(facts)
        self.solver.load(self._tables, facts)
        self._tables = {}
        self._measured = self.solver.children.traffic(), self.seconds, self.solver.children.replaced


class TurnSession(Session):
    """A session of turns, whose children write their own shards of a checkpoint."""

    work: DistributedTraining

    def loop(self) -> str:
        """Compute until a limit is reached. Where a cluster is lost, say what is kept of the training."""
        try:
            return super().loop()
        except (LostClusterError, LostWorkerError) as error:
            raise InputError(f"{error}: {self._kept()}") from error

    def _kept(self) -> str:
        """Say what is on the disk, and how to continue from there."""
        assert self.run is not None
        saved = self.run.checkpoints()
        kept = f"{saved[-1]:,} iterations are saved" if saved else "no iterations are saved yet"
        return f"{kept}; go on by solvent train --resume {self.run.folder}, on a cluster or without one"

    def _compute(self, target: int) -> None:
        """Run towards `target`. Children that outlive their cluster for a moment are asked for their tables."""
        try:
            self.work.solver.children.check()
        except LostClusterError:
            self._checkpoint()
            raise
        super()._compute(target)

    def _next_check(self, done: int) -> int:
        """The first end of a turn after `done` at or before which a measurement is due."""
        batch = self.work.how.batch
        due = max(0, done - batch)
        while True:
            due = super()._next_check(due)
            end = -(-due // batch) * batch
            if end > done:
                return end

    def _save(self, run: Run, facts: Mapping[str, Any]) -> None:
        work = self.work
        children = work.solver.children
        check_room(run.folder, 4 * table_layout(work.tree.bucket_floats, work.cards.sizes).numbers)
        run.save_checkpoint(work.iterations, work.saved_tables(), facts, others=children.save)
        folder = run.checkpoint(work.iterations)
        children.saved(shard_files(folder), work.solver.turns)

    def _load(self, run: Run) -> tuple[Mapping[str, Any], dict[str, Any]]:
        """The head's tables, and the files of the children's."""
        tables, facts = run.load_checkpoint(mapped=True)
        files = shard_files(run.checkpoint(int(facts["iterations"])))
        return dict(tables) | {CLUSTER.format(n): file for n, file in files.items()}, facts

    def _checkpoint_is_due(self) -> bool:
        return super()._checkpoint_is_due() or self.work.solver.children.log_bytes > LOG_BYTES


def shard_files(folder: Path) -> dict[int, ShardFile]:
    """The shards of clusters in the folder of a checkpoint."""
    sums, found = bundle_checksums(folder), {}
    for n in range(len(sums)):
        name = CLUSTER.format(n)
        if name in sums:
            found[n] = ShardFile(str((folder / f"{name}.npy").absolute()), sums[name])
    return found


def saved_blueprint(run: Run, tree: BettingTree, cards: CardAbstraction) -> Blueprint:
    """The tables of the newest checkpoint in one."""
    tables, facts = run.load_checkpoint(mapped=True)
    blueprint = Blueprint(tree, cards, iterations=int(facts["iterations"]))
    join_shards(blueprint, tables)
    return blueprint


def _in_words(working: Mapping[str, Any]) -> str:
    """Describe the workers' work for the progress display."""
    idle = [f"{100 * share:.0f}" for share in working["idle"]]
    if len(idle) > SHOWN_CHILDREN:
        shares = sorted(working["idle"])
        idle = [f"{100 * shares[0]:.0f} to {100 * shares[-1]:.0f}"]
    return (
        f"idle {' / '.join(idle)} %, latency {1e3 * working['latency']:.1f} ms, "
        f"{working['bytes_rate'] / 1e6:.2f} MB/s"
    )
