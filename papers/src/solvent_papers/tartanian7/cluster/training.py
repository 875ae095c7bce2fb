"""The trainings that parts compare: Algorithm 4 with children, and plain sampling with threads on a shared table.

Both stop at marks, in seconds of training or in rows touched, at which the table is handed on; what is done with it
counts in neither.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.shards import join_shards
from solvent.training.distributed.batches import Children, DistributedSettings
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.launching import MakeHoldemChildren
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.solver import DistributedSolver, make_children, make_head
from solvent.training.solver import BlueprintSolver
from solvent_papers.kept_tables import Snapshot

BETTING = "fcpa"
CHUNK_SECONDS = 0.25
"""How far apart looks at the clock are meant to be."""
SECONDS, ROWS = "seconds", "rows"
"""What marks are in."""


Handed = Callable[[Snapshot, Blueprint], None]
"""Takes a training's table at a mark; it is trained on afterwards, so what is kept must be copied."""


@contextmanager
def distributed(
    cards: CardAbstraction, settings: DistributedSettings, workers: int, in_process: bool = False
) -> Iterator[DistributedSolver]:
    """A training by Algorithm 4 with so many worker processes, or threads of this one; they end with the block."""
    tree, clusters = build_tree(parse_betting(BETTING)), cards.design.clusters
    children: Children
    if in_process:
        children = LocalChildren(make_children(tree, cards, settings, range(clusters)), workers)
    else:
        folder = str(Path(cards.folder or "").absolute())
        make = MakeHoldemChildren(folder, cards.fingerprint, tree.abstraction, settings)
        children = ProcessChildren(make, clusters, workers)
    try:
        yield DistributedSolver(make_head(tree, cards, settings), children)
    finally:
        children.close()


def joined(tree: BettingTree, cards: CardAbstraction, solver: DistributedSolver) -> Blueprint:
    """The tables of a distributed training as a blueprint."""
    blueprint = Blueprint(tree, cards, iterations=solver.iterations)
    join_shards(blueprint, solver.tables())
    return blueprint


def train_children(
    solver: DistributedSolver,
    cards: CardAbstraction,
    marks: Sequence[float],
    handed: Handed,
    unit: str = SECONDS,
) -> list[Snapshot]:
    """Train by Algorithm 4 up to each mark. Kernels are compiled by a first turn, which counts in nothing."""
    tree = build_tree(parse_betting(BETTING))

    def hand(at: Snapshot) -> None:
        handed(at, joined(tree, cards, solver))

    if solver.turns == 0:
        start = {name: table.copy() for name, table in solver.tables().items()}
        solver.run(1)
        solver.load(start, {"turns": 0, "touched": 0})
    return _train(
        marks, unit, solver.run, lambda: (solver.iterations, solver.touched), hand, solver.settings.batch
    )


def train_threads(
    blueprint: Blueprint,
    threads: int,
    marks: Sequence[float],
    handed: Handed,
    unit: str = SECONDS,
    **options: Any,
) -> list[Snapshot]:
    """Train by plain sampling on a shared table up to each mark. options: those of `BlueprintSolver.run`."""
    solver = BlueprintSolver(blueprint)
    solver.run(2, threads=threads, **options)
    blueprint.table[:], blueprint.iterations, solver.touched = 0, 0, 0
    return _train(
        marks,
        unit,
        lambda count: solver.run(count, threads=threads, **options),
        lambda: (solver.iterations, solver.touched),
        lambda at: handed(at, blueprint),
        1_000,
    )


def _train(
    marks: Sequence[float],
    unit: str,
    run: Callable[[int], None],
    state: Callable[[], tuple[int, int]],
    hand: Callable[[Snapshot], None],
    chunk: int,
) -> list[Snapshot]:
    """Run chunks of iterations until each mark is passed. The last before a mark in rows is cut to fit."""
    found, seconds = [], 0.0
    for mark in marks:
        while (seconds if unit == SECONDS else state()[1]) < mark:
            iterations, touched = state()
            count = chunk
            if unit == ROWS and touched:
                count = max(1, min(chunk, round((mark - touched) * iterations / touched)))
            begun = time.perf_counter()
            run(count)
            took = time.perf_counter() - begun
            seconds += took
            chunk = max(1, round(count * CHUNK_SECONDS / max(took, 1e-6)))
        found.append(Snapshot(mark, seconds, *state()))
        hand(found[-1])
    return found
