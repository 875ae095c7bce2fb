"""Rows that Monte Carlo CFR touches a second on a table larger than any cache, beside what memory allows.

One blueprint, trained a little first. Then in turns, several times: one thread and several, and the same table in
pages of 2 MB and of 4 KB. Figures that are kept also have locks for rows, and threads inside one traversal, which
`solvent train` no longer has. Beside them the time of one random
access to the same memory, each waiting for the one before: what a row would cost that nobody asked for ahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.memory import zeros_in_pages
from solvent.foundation.kernels.randomness import mix
from solvent.foundation.progress import Watch
from solvent.foundation.units import size
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.solver import BlueprintSolver
from solvent_papers.page import Reading, markdown_table, write_page
from solvent_papers.steps import saying

REPEATS = 5
WARM = 40_000
"""Iterations before anything is timed."""
BATCH_SECONDS = 2.0
ACCESSES = 4_000_000


@dataclass(frozen=True)
class Way:
    """One way to train, and what it reached."""

    pages: str
    threads: int
    locks: str
    rows_per_second: float
    iterations_per_second: float
    speed_up: float
    """Against one thread without locks on the same pages."""

    @property
    def nanoseconds(self) -> float:
        """One core's time for a row, in nanoseconds."""
        return 1e9 * self.threads / self.rows_per_second

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"nanoseconds": self.nanoseconds}


@dataclass(frozen=True)
class TrainingSpeed:
    """What was measured."""

    cards: str
    betting: str
    table_bytes: int
    ways: list[Way]
    access_nanoseconds: dict[str, float]
    """By pages: one random access that waits for the one before."""
    seconds_to_touch: dict[str, float]
    """By pages: until the system had given the table's memory."""
    repeats: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ways": [way.as_dict() for way in self.ways]}


def measure(
    cards: Path,
    betting: str = "laptop",
    threads: int = 2,
    repeats: int = REPEATS,
    memory: int = 12 << 30,
    watch: Watch | None = None,
) -> TrainingSpeed:
    """Train in every way, in turns."""
    say = saying(watch)
    abstraction, tree = CardAbstraction.load(cards), build_tree(parse_betting(betting))
    floats = table_layout(tree.bucket_floats, abstraction.sizes).numbers
    if 8 * floats > memory:
        raise InputError(
            f"two tables of {size(4 * floats)} are more than the {size(memory)} that --memory allows"
        )
    solvers, touching, access = {}, {}, {}
    for pages, huge in (("2 MB", True), ("4 KB", False)):
        say(f"{size(4 * floats)} in pages of {pages}")
        start = time.perf_counter()
        solvers[pages] = BlueprintSolver(Blueprint(tree, abstraction, zeros_in_pages(floats, huge)))
        touching[pages] = time.perf_counter() - start
        say(f"pages of {pages}: {WARM:,} iterations first")
        solvers[pages].run(WARM)
        access[pages] = random_access(solvers[pages].blueprint.table)
    ways = [("2 MB", 1, "none"), ("2 MB", threads, "none"), ("4 KB", 1, "none"), ("4 KB", threads, "none")]
    batch = {way: _batch(solvers[way[0]], way) for way in ways}
    found: dict[tuple[str, int, str], list[tuple[float, float]]] = {way: [] for way in ways}
    for repeat in range(repeats):
        for way in ways:
            say(f"repeat {repeat + 1} of {repeats}: {way[1]} threads, locks {way[2]}, pages of {way[0]}")
            solver = solvers[way[0]]
            touched, start = solver.touched, time.perf_counter()
            solver.run(batch[way], threads=way[1])
            took = time.perf_counter() - start
            found[way].append(((solver.touched - touched) / took, batch[way] / took))
    rates = {way: (median(r for r, _ in seen), median(i for _, i in seen)) for way, seen in found.items()}
    return TrainingSpeed(
        abstraction.design.label,
        betting,
        4 * floats,
        [
            Way(*way, rows, iterations, rows / rates[way[0], 1, "none"][0])
            for way, (rows, iterations) in rates.items()
        ],
        access,
        touching,
        repeats,
    )


def random_access(table: NDArray[np.float32]) -> float:
    """Nanoseconds of a random access to a table, each waiting for the one before."""
    bits = table.view(np.int32)
    chase(bits, 1_000)
    start = time.perf_counter()
    chase(bits, ACCESSES)
    return (time.perf_counter() - start) / ACCESSES * 1e9


@kernel
def chase(bits, accesses):  # type: ignore[no-untyped-def]
    """Read numbers at random places, each place depending on the number before."""
    place = np.uint64(1)
    for _ in range(accesses):
        place = mix(place + np.uint64(1) + (np.uint64(bits[place % np.uint64(len(bits))]) & np.uint64(1)))
    return place


def _batch(solver: BlueprintSolver, way: tuple[str, int, str]) -> int:
    """How many iterations take about as long as a batch should; their kernels are compiled by then."""
    solver.run(100, threads=way[1])
    start = time.perf_counter()
    solver.run(4_000, threads=way[1])
    return max(100, round(4_000 * BATCH_SECONDS / (time.perf_counter() - start)))


def write_results(found: TrainingSpeed, command: str, page: Path) -> None:
    """The results page."""
    locks = {
        "none": "none",
        "rows": "one for each row",
        "inside": "one for each row, threads inside a traversal",
    }
    table = markdown_table(
        [
            "pages",
            "threads",
            "locks",
            "million rows/s",
            "iterations/s",
            "against one thread",
            "ns of a core a row",
        ],
        [
            [
                way.pages,
                "as made" if way.locks == "inside" else way.threads,
                locks[way.locks],
                f"{way.rows_per_second / 1e6:.2f}",
                f"{way.iterations_per_second:,.0f}",
                f"{way.speed_up:.2f}",
                f"{way.nanoseconds:.0f}",
            ]
            for way in found.ways
        ],
    )
    access = markdown_table(
        ["pages", "ns a random access", "seconds until the memory was there"],
        [
            [pages, f"{found.access_nanoseconds[pages]:.0f}", f"{found.seconds_to_touch[pages]:.1f}"]
            for pages in found.access_nanoseconds
        ],
    )
    body = (
        f"External sampling on {found.betting} betting x {found.cards} cards: a table of "
        f"{size(found.table_bytes)}. In turns, median of {found.repeats}, batches of {BATCH_SECONDS:.0f} s of wall "
        f"time (with threads inside a traversal 20 iterations). A row is an infoset's regrets and sums, "
        f"read and written once.\n\n{table}\nA random access reads one number of the same table where the number "
        f"before decides:\n\n{access}\n{_reading(found)}"
    )
    title = "Training on a table larger than the caches"
    write_page(page, title, command, _three_lines(found), body, thread_figures(found.ways))


def thread_figures(ways: Sequence[Way]) -> dict[str, float]:
    """Return rows a second of several threads by those of one, named `threads.inside` by their locks."""
    huge = [way for way in ways if way.pages == "2 MB" and way.threads > 1]
    found = {f"threads.{way.locks}": way.speed_up for way in huge}
    if "threads.rows" in found:
        found["threads.rows by none"] = found["threads.rows"] / found["threads.none"]
    return found | {"threads": float(max(way.threads for way in huge))}


def _three_lines(found: TrainingSpeed) -> Reading:
    ways = {(way.pages, way.threads, way.locks): way for way in found.ways}
    several = max(way.threads for way in found.ways)
    one = ways["2 MB", 1, "none"]
    access = found.access_nanoseconds["2 MB"]
    return Reading(
        "Lin (2024): threads inside a traversal, with a lock for each row, make an iteration 60 times as quick.",
        f"{several} threads that run whole iterations side by side do "
        f"{ways['2 MB', several, 'none'].speed_up:.2f} times "
        f"the rows of one without locks.{_kept(ways, several)} A row takes "
        f"{one.nanoseconds / access:.2f} of a random access to memory.",
        "Run iterations side by side without locks, as `solvent train` does; memory is what limits training.",
    )


def _reading(found: TrainingSpeed) -> str:
    ways = {(way.pages, way.threads, way.locks): way for way in found.ways}
    several = max(way.threads for way in found.ways)
    one = ways["2 MB", 1, "none"]
    access = found.access_nanoseconds["2 MB"]
    return (
        f"One core takes {one.nanoseconds:.0f} ns a row, {one.nanoseconds / access:.2f} of a random access: "
        f"children's rows lie side by side and are asked for before the first is walked. With 4 KB pages "
        f"a row takes {ways['4 KB', 1, 'none'].nanoseconds:.0f} ns. {several} threads without locks do "
        f"{ways['2 MB', several, 'none'].speed_up:.2f} times one's rows. A whole iteration takes "
        f"{1e6 / one.iterations_per_second:.0f} us, less than making and joining threads inside it.\n"
    )


def _kept(ways: dict[tuple[str, int, str], Way], several: int) -> str:
    """A sentence on locks, where figures of a version that had them are kept."""
    if ("2 MB", several, "inside") not in ways:
        return ""
    return (
        f" With a lock for each row they did {ways['2 MB', several, 'rows'].speed_up:.2f} times, and threads "
        f"inside a traversal {ways['2 MB', several, 'inside'].speed_up:.4f} times."
    )
