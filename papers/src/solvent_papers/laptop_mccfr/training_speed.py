"""Rows that Monte Carlo CFR touches a second on a table larger than any cache, beside what memory allows.

One blueprint, trained a little first. Then in turns, several times: one thread and several, and the same table in
pages of 2 MB and of 4 KB. Beside them the time of one random access to the same memory, each waiting for the one
before: what a row would cost if it were not asked for ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import mix
from solvent.foundation.units import parse_size, size
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.solver import BlueprintSolver
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, Setup, option
from solvent_papers.frame.machine import zeros_in_pages
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of, timed

PAGES = {"2 MB": True, "4 KB": False}
"""Pages of the system, and whether they are huge ones."""


class Amount(NamedTuple):
    """The extent of training and reading."""

    warm: int = 40_000
    """Iterations before anything is timed."""
    trial: int = 4_000
    """Iterations from whose time the length of a batch follows."""
    batch_seconds: float = 2.0
    accesses: int = 4_000_000


FULL, SMALL = Amount(), Amount(warm=50, trial=100, batch_seconds=0.001, accesses=1_000)


@dataclass(frozen=True)
class SpeedSetup(Setup):
    """The table, threads and repeats."""

    cards: str = option("abstractions/small", "A card abstraction's folder.")
    betting: str = option("laptop", "As `solvent train` takes it.")
    threads: int = option(2, "Threads beside one.", 2, 1024)
    repeats: int = option(5, "Interleaved repeats; medians are shown.", 1, 100_000)
    memory: str = option("12G", "The most that the tables may take, such as 12G.")


def measure(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Train in every way, in turns. The speed-up is against one thread on the same pages."""
    amount, memory = SMALL if setup.small else FULL, parse_size(setup.memory)
    abstraction, tree = CardAbstraction.load(Path(setup.cards)), build_tree(parse_betting(setup.betting))
    floats = table_layout(tree.bucket_floats, abstraction.sizes).numbers
    if 8 * floats > memory:
        raise InputError(
            f"two tables of {size(4 * floats)} are more than the {size(memory)} that --memory allows"
        )
    solvers, touching, access = {}, {}, {}
    for pages, huge in PAGES.items():
        say(f"{size(4 * floats)} in pages of {pages}")
        table, touching[pages] = timed(zeros_in_pages, floats, huge)
        solvers[pages] = BlueprintSolver(Blueprint(tree, abstraction, table))
        say(f"pages of {pages}: {amount.warm:,} iterations first")
        solvers[pages].run(amount.warm)
        access[pages] = random_access(solvers[pages].blueprint.table, amount.accesses)
    ways = [(pages, threads) for pages in PAGES for threads in (1, setup.threads)]
    batch = {way: _batch(solvers[way[0]], way[1], amount) for way in ways}
    rates: dict[tuple[str, int], list[tuple[float, float]]] = {way: [] for way in ways}
    for repeat in range(setup.repeats):
        for pages, threads in ways:
            say(f"repeat {repeat + 1} of {setup.repeats}: {threads} threads, pages of {pages}")
            solver, count = solvers[pages], batch[pages, threads]
            touched = solver.touched
            took = seconds_of(solver.run, count, threads=threads)
            rates[pages, threads].append(((solver.touched - touched) / took, count / took))
    rows = {way: median(row for row, _ in seen) for way, seen in rates.items()}
    measured = [
        {
            "pages": pages,
            "threads": threads,
            "locks": "none",  # figures of earlier versions also have `rows` and, in a traversal, `inside`
            "rows_per_second": rows[pages, threads],
            "iterations_per_second": median(iterations for _, iterations in rates[pages, threads]),
            "speed_up": rows[pages, threads] / rows[pages, 1],
            "nanoseconds": 1e9 * threads / rows[pages, threads],
        }
        for pages, threads in ways
    ]
    return {
        "cards": abstraction.design.label,
        "betting": setup.betting,
        "table_bytes": 4 * floats,
        "ways": measured,
        "access_nanoseconds": access,
        "seconds_to_touch": touching,
    }


def random_access(table: NDArray[np.float32], accesses: int) -> float:
    """Return the nanoseconds of a random access to a table, each waiting for the one before."""
    bits = table.view(np.int32)
    chase(bits, 1_000)
    return seconds_of(chase, bits, accesses) / accesses * 1e9


@kernel
def chase(bits, accesses):  # type: ignore[no-untyped-def]
    """Read numbers at random places, each place depending on the number before."""
    place = np.uint64(1)
    for _ in range(accesses):
        place = mix(place + np.uint64(1) + (np.uint64(bits[place % np.uint64(len(bits))]) & np.uint64(1)))
    return place


def _batch(solver: BlueprintSolver, threads: int, amount: Amount) -> int:
    """Return how many iterations take about as long as a batch should; their kernels are compiled by then."""
    solver.run(100, threads=threads)
    seconds = seconds_of(solver.run, amount.trial, threads=threads)
    return max(100, round(amount.trial * amount.batch_seconds / seconds))


def figures(found: Found) -> dict[str, float]:
    """Return rows a second of several threads by those of one, named `threads.inside` by their locks."""
    huge = [way for way in found["ways"] if way["pages"] == "2 MB" and way["threads"] > 1]
    named = {f"threads.{way['locks']}": float(way["speed_up"]) for way in huge}
    if "threads.rows" in named:
        named["threads.rows by none"] = named["threads.rows"] / named["threads.none"]
    return named | {"threads": float(max(way["threads"] for way in huge))}


EXPERIMENT = Experiment(
    "training",
    "Training on a table larger than the caches",
    SpeedSetup,
    (Part("speed", measure, figures),),
    lambda found: {"batch_seconds": FULL.batch_seconds},
    verb="bench",
)
