"""How fast cards are: hands evaluated, hands indexed and river boards worked out a second, on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from solvent.cards.evaluator import evaluator, strengths_kernel
from solvent.cards.isomorphism import Indexer, index_kernel
from solvent.cards.showdown import kind_equities, kinds
from solvent.foundation.kernels.compiling import compiled
from solvent.foundation.progress import Watch
from solvent_papers.steps import saying

RANDOM_HANDS = 1_000_000
RIVER_BOARDS = 10_000


@dataclass(frozen=True)
class Speed:
    """The median of several measurements."""

    what: str
    count: int
    """How many in one measurement."""
    seconds: float
    """Median of the repeats."""
    per_second: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(repeats: int = 7, scale: float = 1.0, watch: Watch | None = None) -> list[Speed]:
    """Measure each kernel on random hands, once to compile it and then `repeats` times."""
    hands = _random_hands(max(1, round(RANDOM_HANDS * scale)))
    boards = hands[: max(1, round(RIVER_BOARDS * scale)), :5].astype(np.int64)
    strengths, indices = np.empty(len(hands), dtype=np.uint16), np.empty(len(hands), dtype=np.int64)
    tables, indexer, room = evaluator(), Indexer([2, 5]).tables, kinds()
    work: list[tuple[str, int, Callable[[], object]]] = [
        ("seven-card hands evaluated", len(hands), lambda: strengths_kernel(hands, tables, strengths)),
        ("hands of [2, 5] indexed", len(hands), lambda: index_kernel(hands, indexer, indices)),
        (
            "river boards: equities of 1,081 hands",
            len(boards),
            lambda: river_boards(boards, tables, room),
        ),
    ]
    rows = []
    say = saying(watch)
    for what, count, run in work:
        say(what)
        seconds = median(_times(run, repeats))
        rows.append(Speed(what, count, seconds, count / seconds))
    return rows


@compiled
def river_boards(boards, tables, room):  # type: ignore[no-untyped-def]
    """Every hand's equity on each of some boards, int64[n, 5]."""
    for row in range(len(boards)):
        kind_equities(boards[row], tables, room)


def _times(run: Callable[[], object], repeats: int) -> list[float]:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def _random_hands(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    rng = np.random.default_rng(0)
    found = np.empty((count, 7), dtype=np.uint8)
    for start in range(0, count, 10_000):
        part = found[start : start + 10_000]
        part[:] = np.argpartition(rng.random((len(part), 52)), 7, axis=1)[:, :7]
    return found
