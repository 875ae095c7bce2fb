"""Rows a second of Algorithm 4 in worker processes and in Ray actors, beside threads on one shared table.

All three train the same cards and bets on this machine, in turns, several times: threads that share one table
without locks, as `solvent train` does; as many worker processes, each with its public clusters; as many Ray actors.
The cost of a message and the time for which children wait are noted on the way. A row is an infoset's regrets and
sums.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import Children, DistributedSettings, Traffic
from solvent.training.distributed.launching import MakeHoldemChildren
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.ray_engine.actors import RayChildren
from solvent.training.distributed.ray_engine.connecting import LOCAL
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent.training.solver import BlueprintSolver
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of

THREADS, PROCESSES, RAY = "threads", "processes", "ray"
WAYS = (THREADS, PROCESSES, RAY)
CHUNK_SECONDS = 1.0
"""Seconds for which each trains without looking at the clock, as a training does."""


@dataclass(frozen=True)
class Options(Setup):
    """The training, and the ways to run it."""

    cards: Path = option(Path("abstractions/tiny"), "A card abstraction's folder.")
    betting: str = option("fcpa", "As `solvent train` takes it.")
    children: int = option(2, "Worker processes, actors, and threads beside them.", 1, 1024)
    batch: int = option(DEFAULT_BATCH, "Iterations of a turn.", 1)
    ahead: int = option(DEFAULT_AHEAD, "1: the head prepares the next turn while children work.", 0, 1)
    ways: str = option("processes,ray", "Ways to measure beside threads: processes, ray.")
    repeats: int = option(7, "Interleaved repeats; medians are shown.", 1, 100_000)


class Turn(NamedTuple):
    """Measurements of one way during its turn."""

    rows_per_second: float
    iterations_per_second: float
    idle: float = 0.0
    """The share of the time for which a child waited, the mean over children; 0 for threads."""
    latency: float = 0.0
    """Seconds of a turn, for each child, in which the head waited for a child that did not work."""
    bytes_per_second: float = 0.0


def measure(options: Options, kept: KeptRuns, say: Say) -> Found:
    """Train in every way, in turns."""
    ways = [word.strip() for word in options.ways.split(",") if word.strip()]
    if unknown := sorted(set(ways) - set(WAYS)):
        raise InputError(f"a way to train is one of {', '.join(WAYS)}, not {unknown[0]!r}")
    settings = DistributedSettings(batch=options.batch, ahead=options.ahead)
    cards, tree = CardAbstraction.load(options.cards), build_tree(parse_betting(options.betting))
    layout, children = table_layout(tree.bucket_floats, cards.sizes), options.children
    seconds = 0.001 if options.small else 3.0
    with ExitStack() as ending:
        make = MakeHoldemChildren(
            str(options.cards.absolute()), cards.fingerprint, tree.abstraction, settings
        )

        def distributed(made: Children) -> Trainer:
            ending.callback(made.close)
            solver = DistributedSolver(make_head(tree, cards, settings), made)
            return Trainer(solver, solver.run, 1)

        shared = BlueprintSolver(Blueprint(tree, cards))
        run = partial(shared.run, threads=children, seed=settings.seed)
        trainers = {THREADS: Trainer(shared, run, 1_000)}
        if PROCESSES in ways:
            say(f"{children} worker processes begin")
            trainers[PROCESSES] = distributed(ProcessChildren(make, layout.clusters, children))
        if RAY in ways:
            say(f"Ray and {children} actors begin")
            trainers[RAY] = distributed(RayChildren(LOCAL, make, layout.clusters, children))
        turns = _in_turns(trainers, options.repeats, seconds, say)
    return {
        "cards": cards.design.label,
        "table_bytes": 4 * layout.numbers,
        "seconds": seconds,
        "ways": {name: _medians(each, turns[THREADS]) for name, each in turns.items()},
    }


class Trainer:
    """A training that takes turns with others; its chunks grow to what it does in `CHUNK_SECONDS`."""

    def __init__(
        self, solver: BlueprintSolver | DistributedSolver, run: Callable[[int], None], least: int
    ) -> None:
        """Train by `run`, a number of iterations or turns of at least this many at once."""
        self._solver, self._run, self._least = solver, run, least
        self._chunk = least

    def train(self, seconds: float) -> Turn:
        """Train for this long, in whole chunks."""
        solver, begun = self._solver, time.perf_counter()
        rows, iterations, before = solver.touched, solver.iterations, self._traffic()
        while (left := seconds - (time.perf_counter() - begun)) > 0 or solver.iterations == iterations:
            rate = self._chunk / seconds_of(self._run, self._chunk)
            self._chunk = max(self._least, int(rate * min(left, CHUNK_SECONDS)))
        took, after = time.perf_counter() - begun, self._traffic()
        rates = (solver.touched - rows) / took, (solver.iterations - iterations) / took
        if not after:
            return Turn(*rates)
        turns = max(1, after[0].turns - before[0].turns)
        worked, waited, passed = (
            sum(getattr(late, name) - getattr(early, name) for early, late in zip(before, after, strict=True))
            for name in ("work", "latency", "bytes")
        )
        idle = max(0.0, 1 - worked / took / len(after))
        return Turn(*rates, idle, waited / turns / len(after), passed / took)

    def _traffic(self) -> Sequence[Traffic]:
        """Return what children did so far; nothing for threads."""
        return self._solver.children.traffic() if isinstance(self._solver, DistributedSolver) else ()


def _in_turns(
    trainers: Mapping[str, Trainer], repeats: int, seconds: float, say: Say
) -> dict[str, list[Turn]]:
    """Return the turns of each way; each repeat begins with another way."""
    for name, trainer in trainers.items():
        say(f"{name}: kernels and the first seconds")
        trainer.train(0.0)
        trainer.train(seconds * 2 / 3)
    found: dict[str, list[Turn]] = {name: [] for name in trainers}
    names = list(trainers)
    for repeat in range(repeats):
        say(f"repeat {repeat + 1} of {repeats}")
        first = repeat % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(trainers[name].train(seconds))
    return found


def _medians(turns: Sequence[Turn], plain: Sequence[Turn]) -> dict[str, float]:
    """Return the medians of a way, and its rows by those of threads in the same repeat."""
    ratios = [turn.rows_per_second / other.rows_per_second for turn, other in zip(turns, plain, strict=True)]
    medians = Turn(*(median(each) for each in zip(*turns, strict=True)))
    return {"ratio": median(ratios), "lowest": min(ratios), "highest": max(ratios), **medians._asdict()}


def figures(found: Found) -> dict[str, float]:
    """Return rows a second, their ratio to those of threads, waiting and messages of every way."""
    keys = ("rows_per_second", "ratio", "idle", "latency", "bytes_per_second")
    return {f"{name}.{key}": way[key] for name, way in found["ways"].items() for key in keys}


EXPERIMENT = Experiment(
    "cluster",
    "Algorithm 4 in processes and on Ray",
    Options,
    (Part("speed", measure, figures),),
    verb="bench",
)
