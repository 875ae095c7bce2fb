"""The trainings that parts compare: Algorithm 4 with children, and plain sampling with threads on a shared table.

Both stop at marks, in seconds of training or in rows touched. Work done between marks counts in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint, join_shards
from solvent.training.distributed.batches import Children, DistributedSettings
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.launching import MakeHoldemChildren
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.solver import DistributedSolver, make_children, make_head
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent.training.solver import BlueprintSolver
from solvent_papers.frame.cards import CardSetup
from solvent_papers.frame.experiment import option
from solvent_papers.interleaved import seconds_of

BETTING = "fcpa"
CHUNK_SECONDS = 0.25
"""Desired time between looks at the clock."""
SECONDS, ROWS = "seconds", "rows"
"""Units of marks."""


@dataclass(frozen=True)
class Setup(CardSetup):
    """Cards, and the settings of Algorithm 4. Its threads share a table or are as many worker processes."""

    batch: int = option(DEFAULT_BATCH, "Iterations of a turn of Algorithm 4.", 1)
    memory: str = option("4G", "The most that a training on medium cards may take, such as 4G.")
    in_process: ClassVar[bool] = False
    """True if children are in this process, as for tests."""

    @property
    def scale(self) -> dict[str, Any]:
        return {"small": self.small, "threads": self.threads, "batch": self.batch}

    def settings(self, seed: int) -> DistributedSettings:
        """Return the settings of a training with children."""
        return DistributedSettings(seed=seed, batch=self.batch, ahead=DEFAULT_AHEAD)


class Snapshot(NamedTuple):
    """Measures of a training at a mark."""

    mark: float
    seconds: float
    iterations: int
    touched: int


def betting_tree() -> BettingTree:
    """Return the tree of bets that trainings have unless a part says otherwise."""
    return build_tree(parse_betting(BETTING))


@contextmanager
def distributed(
    cards: CardAbstraction, settings: DistributedSettings, workers: int, in_process: bool = False
) -> Iterator[DistributedSolver]:
    """Give a training by Algorithm 4 with worker processes, or threads of this one; they end with the block."""
    tree, clusters = betting_tree(), cards.design.clusters
    children: Children
    if in_process:
        children = LocalChildren(make_children(tree, cards, settings, range(clusters)), workers)
    else:
        folder = str(Path(cards.folder or "").absolute())
        make = MakeHoldemChildren(folder, cards.fingerprint, tree.abstraction, settings)
        children = ProcessChildren(make, clusters, workers)
    with closing(children):
        yield DistributedSolver(make_head(tree, cards, settings), children)


def joined(cards: CardAbstraction, solver: DistributedSolver) -> Blueprint:
    """Return the tables of a distributed training as a blueprint."""
    blueprint = Blueprint(betting_tree(), cards, iterations=solver.iterations)
    join_shards(blueprint, solver.tables())
    return blueprint


def train_children(
    solver: DistributedSolver, marks: Sequence[float], unit: str = SECONDS
) -> Iterator[Snapshot]:
    """Train by Algorithm 4 up to each mark. Kernels are compiled by a first turn, which is undone."""
    if solver.turns == 0:
        start = {name: table.copy() for name, table in solver.tables().items()}
        solver.run(1)
        solver.load(start, {"turns": 0, "touched": 0})
    return _train(marks, unit, solver.run, lambda: (solver.iterations, solver.touched), solver.settings.batch)


def train_threads(
    blueprint: Blueprint,
    threads: int,
    marks: Sequence[float],
    unit: str = SECONDS,
    reward: str = "y1",
    **options: Any,
) -> Iterator[Snapshot]:
    """Train a blueprint by plain sampling on a shared table up to each mark.

    `options` are those of `BlueprintSolver.run`.
    """
    solver = BlueprintSolver(blueprint, reward)
    solver.run(2, threads=threads, **options)
    blueprint.table[:], blueprint.iterations, solver.touched = 0, 0, 0

    def run(count: int) -> None:
        solver.run(count, threads=threads, **options)

    return _train(marks, unit, run, lambda: (solver.iterations, solver.touched), 1_000)


def _train(
    marks: Sequence[float],
    unit: str,
    run: Callable[[int], None],
    state: Callable[[], tuple[int, int]],
    chunk: int,
) -> Iterator[Snapshot]:
    """Run chunks of iterations until each mark is passed. The last before a mark in rows is cut to fit."""
    seconds = 0.0
    for mark in marks:
        while (seconds if unit == SECONDS else state()[1]) < mark:
            iterations, touched = state()
            count = chunk
            if unit == ROWS and touched:
                count = max(1, min(chunk, round((mark - touched) * iterations / touched)))
            took = seconds_of(run, count)
            seconds += took
            chunk = max(1, round(count * CHUNK_SECONDS / max(took, 1e-6)))
        yield Snapshot(mark, seconds, *state())
