"""Rows a second of Algorithm 4 in worker processes and in Ray actors, beside threads on one shared table.

All three train the same cards and bets on this machine, in turns, several times: threads that share one table
without locks, as `solvent train` does; as many worker processes, each with its public clusters; as many Ray actors.
What a message costs and how long children wait is noted on the way. A row is an infoset's regrets and sums.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Watch
from solvent.foundation.units import size, span
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import Children, DistributedSettings
from solvent.training.distributed.launching import MakeHoldemChildren
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.ray_engine.actors import RayChildren
from solvent.training.distributed.ray_engine.connecting import LOCAL
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent.training.solver import BlueprintSolver
from solvent_papers.page import Bar, Reading, markdown_table, write_page
from solvent_papers.steps import Say, saying

THREADS, PROCESSES, RAY = "threads", "processes", "ray"
WAYS = (THREADS, PROCESSES, RAY)
BARS = {PROCESSES: 0.9, RAY: 0.8}
"""The least rows a second, by those of threads on the shared table."""
DEFAULT = DistributedSettings(batch=DEFAULT_BATCH, ahead=DEFAULT_AHEAD)
WARM_SECONDS = 2.0
PART_SECONDS = 3.0
"""How long each way trains before it is the next one's turn."""
CHUNK_SECONDS = 1.0
"""How long each trains without looking at the clock, as a training does."""


class Part(NamedTuple):
    """What one way did while it was its turn."""

    rows_per_second: float
    iterations_per_second: float
    idle: float
    """The share of the time for which a child waited, the mean over children; 0 for threads."""
    latency: float
    """Seconds of a turn, for each child, in which the head waited for a child that did not work."""
    bytes_per_second: float


@dataclass(frozen=True)
class Way:
    """One way to train, and the medians of its parts."""

    name: str
    rows_per_second: float
    iterations_per_second: float
    ratio: float
    """Rows a second by those of threads in the same repeat."""
    lowest: float
    highest: float
    """The least and the greatest ratio of a repeat."""
    idle: float
    latency: float
    bytes_per_second: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ClusterSpeed:
    """What was measured."""

    cards: str
    betting: str
    table_bytes: int
    children: int
    batch: int
    ahead: int
    repeats: int
    ways: list[Way]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    cards: Path,
    betting: str = "fcpa",
    children: int = 2,
    settings: DistributedSettings | None = None,
    repeats: int = 7,
    ways: Sequence[str] = WAYS,
    watch: Watch | None = None,
) -> ClusterSpeed:
    """Train in every way, in turns; `children` is the number of threads, of processes and of actors."""
    if unknown := sorted(set(ways) - set(WAYS)):
        raise InputError(f"a way to train is one of {', '.join(WAYS)}, not {unknown[0]!r}")
    settings, say = settings or DEFAULT, saying(watch)
    abstraction, tree = CardAbstraction.load(cards), build_tree(parse_betting(betting))
    layout = table_layout(tree.bucket_floats, abstraction.sizes)
    with ExitStack() as ending:
        make = MakeHoldemChildren(str(cards.absolute()), abstraction.fingerprint, tree.abstraction, settings)

        def solver(made: Children) -> Trainer:
            ending.callback(made.close)
            return Distributed(DistributedSolver(make_head(tree, abstraction, settings), made))

        trainers: dict[str, Trainer] = {
            THREADS: Threads(BlueprintSolver(Blueprint(tree, abstraction)), children, settings)
        }
        if PROCESSES in ways:
            say(f"{children} worker processes begin")
            trainers[PROCESSES] = solver(ProcessChildren(make, layout.clusters, children))
        if RAY in ways:
            say(f"Ray and {children} actors begin")
            trainers[RAY] = solver(RayChildren(LOCAL, make, layout.clusters, children))
        parts = _in_turns(trainers, repeats, say)
    plain = [part.rows_per_second for part in parts[THREADS]]
    return ClusterSpeed(
        abstraction.design.label,
        betting,
        4 * layout.numbers,
        children,
        settings.batch,
        settings.ahead,
        repeats,
        [_way(name, found, plain) for name, found in parts.items()],
    )


class Threads:
    """Threads on one shared table."""

    def __init__(self, solver: BlueprintSolver, threads: int, settings: DistributedSettings) -> None:
        self.solver, self.threads, self.settings = solver, threads, settings
        self._chunk = 1_000

    def train(self, seconds: float) -> Part:
        """Train for so long."""
        solver, begun = self.solver, time.perf_counter()
        rows, iterations = solver.touched, solver.iterations
        while (left := seconds - (time.perf_counter() - begun)) > 0:
            start = time.perf_counter()
            solver.run(self._chunk, threads=self.threads, seed=self.settings.seed)
            rate = self._chunk / (time.perf_counter() - start)
            self._chunk = max(1_000, int(rate * min(left, CHUNK_SECONDS)))
        took = time.perf_counter() - begun
        return Part((solver.touched - rows) / took, (solver.iterations - iterations) / took, 0.0, 0.0, 0.0)


class Distributed:
    """A head and children that share nothing."""

    def __init__(self, solver: DistributedSolver) -> None:
        self.solver = solver
        self._chunk = 1

    def train(self, seconds: float) -> Part:
        """Train for so long, in whole turns."""
        solver, begun = self.solver, time.perf_counter()
        rows, iterations, before = solver.touched, solver.iterations, solver.children.traffic()
        while (left := seconds - (time.perf_counter() - begun)) > 0 or solver.iterations == iterations:
            start = time.perf_counter()
            solver.run(self._chunk)
            rate = self._chunk / (time.perf_counter() - start)
            self._chunk = max(1, int(rate * min(left, CHUNK_SECONDS)))
        took = time.perf_counter() - begun
        after = solver.children.traffic()
        turns = max(1, after[0].turns - before[0].turns)
        worked, waited, passed = (
            sum(getattr(late, name) - getattr(early, name) for early, late in zip(before, after, strict=True))
            for name in ("work", "latency", "bytes")
        )
        return Part(
            (solver.touched - rows) / took,
            (solver.iterations - iterations) / took,
            max(0.0, 1 - worked / took / len(after)),
            waited / turns / len(after),
            passed / took,
        )


Trainer = Threads | Distributed


def _in_turns(trainers: dict[str, Trainer], repeats: int, say: Say) -> dict[str, list[Part]]:
    """The parts of each way; each repeat begins with another way."""
    for name, trainer in trainers.items():
        say(f"{name}: kernels and the first {WARM_SECONDS:.0f} s")
        trainer.train(0.0)
        trainer.train(WARM_SECONDS)
    found: dict[str, list[Part]] = {name: [] for name in trainers}
    names = list(trainers)
    for repeat in range(repeats):
        say(f"repeat {repeat + 1} of {repeats}")
        first = repeat % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(trainers[name].train(PART_SECONDS))
    return found


def _way(name: str, parts: Sequence[Part], plain: Sequence[float]) -> Way:
    ratios = [part.rows_per_second / rows for part, rows in zip(parts, plain, strict=True)]
    medians = Part(*(median(each) for each in zip(*parts, strict=True)))
    return Way(
        name,
        medians.rows_per_second,
        medians.iterations_per_second,
        median(ratios),
        min(ratios),
        max(ratios),
        medians.idle,
        medians.latency,
        medians.bytes_per_second,
    )


def bars(found: ClusterSpeed) -> list[Bar]:
    """Our own bars, as far as they were measured."""
    names = {PROCESSES: "worker processes", RAY: "Ray actors"}
    return [
        Bar(
            f"rows a second of {found.children} {names[way.name]} by those of {found.children} threads",
            f"at least {BARS[way.name]:.1f}",
            f"{way.ratio:.2f}",
            way.ratio >= BARS[way.name],
        )
        for way in found.ways
        if way.name in BARS
    ]


def summary_rows(found: ClusterSpeed) -> tuple[list[str], list[list[str]]]:
    """The table of a page and of a terminal: header and rows."""
    header = ["", "million rows/s", "iterations/s", "by threads", "range", "idle", "latency", "messages"]
    rows = []
    for way in found.ways:
        apart = way.name != THREADS
        rows.append(
            [
                {
                    THREADS: f"{found.children} threads, one table",
                    PROCESSES: f"{found.children} processes",
                    RAY: f"{found.children} Ray actors",
                }[way.name],
                f"{way.rows_per_second / 1e6:.2f}",
                f"{way.iterations_per_second:,.0f}",
                f"{way.ratio:.2f}",
                f"{way.lowest:.2f} to {way.highest:.2f}" if apart else "",
                f"{way.idle:.0%}" if apart else "",
                span(way.latency) if apart else "",
                f"{size(way.bytes_per_second)}/s" if apart else "",
            ]
        )
    return header, rows


def write_results(found: ClusterSpeed, command: str, page: Path) -> None:
    """The results page."""
    body = (
        f"{found.betting} betting x {found.cards} cards, a table of {size(found.table_bytes)}; batches of "
        f"{found.batch:,} iterations, ahead {found.ahead}. In turns, {PART_SECONDS:.0f} s each, median of "
        f"{found.repeats}; a ratio is that of one repeat. In an iteration of Algorithm 4 every child draws a flop "
        "of its own, so an iteration touches the rows of as many plain ones as there are public clusters. "
        "*Idle* is the time in which a child has nothing to do, a turn's end and the head's second pass "
        "included; *latency* is what a turn takes beyond the child's own work.\n\n"
        f"{markdown_table(*summary_rows(found))}"
    )
    ways = {way.name: way for way in found.ways}
    figures = {f"{name}.{key}": getattr(way, key) for name, way in ways.items() for key in _FIGURES}
    title = "Algorithm 4 in processes and on Ray"
    write_page(page, title, command, _reading(ways, found.children), body, figures, bars(found))


_FIGURES = ("rows_per_second", "ratio", "idle", "latency", "bytes_per_second")


def _reading(ways: dict[str, Way], children: int) -> Reading:
    said = [
        f"{children} {name} touch {ways[key].ratio:.2f} of the rows"
        for key, name in ((PROCESSES, "worker processes"), (RAY, "Ray actors"))
        if key in ways
    ]
    met = all(ways[name].ratio >= bar for name, bar in BARS.items() if name in ways)
    return Reading(
        "Brown, Ganzfried and Sandholm (2015): children that share nothing let training use many machines; "
        "messages take little of an iteration.",
        f"On one machine {' and '.join(said)} that {children} threads on one shared table touch in the same time.",
        "Give a training to several machines when its table is too large for one; it loses "
        f"{'little' if met else 'more than we wanted'} by its messages.",
    )
