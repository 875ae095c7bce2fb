"""Hands evaluated, hands indexed and river boards worked out per second, on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from solvent.cards.evaluator import evaluator, strengths_kernel
from solvent.cards.isomorphism import Indexer, index_kernel
from solvent.cards.showdown import kind_equities, kinds
from solvent.foundation.kernels.compiling import compiled
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import repeated, time_in_turn

RANDOM_HANDS, SMALL_HANDS = 1_000_000, 1_000
HANDS_PER_BOARD = 100
"""A river board has 1,081 hands, so that fewer boards than hands are timed."""


@dataclass(frozen=True)
class CardsSetup(Setup):
    """Turns of each kernel."""

    repeats: int = option(7, "Turns of each kernel; medians are shown.", 1, 100_000)


def measure(setup: CardsSetup, kept: KeptRuns, say: Say) -> Found:
    """Measure each kernel on random hands, once to compile it and then in turn with the others."""
    hands = _random_hands(SMALL_HANDS if setup.small else RANDOM_HANDS)
    boards = hands[: len(hands) // HANDS_PER_BOARD, :5].astype(np.int64)
    strengths, indices = np.empty(len(hands), dtype=np.uint16), np.empty(len(hands), dtype=np.int64)
    tables, indexer, room = evaluator(), Indexer([2, 5]).tables, kinds()
    work: dict[str, tuple[int, Callable[[], object]]] = {
        "seven-card hands evaluated": (len(hands), lambda: strengths_kernel(hands, tables, strengths)),
        "hands of [2, 5] indexed": (len(hands), lambda: index_kernel(hands, indexer, indices)),
        "river boards: equities of 1,081 hands": (len(boards), lambda: river_boards(boards, tables, room)),
    }
    run = {what: repeated(kernel) for what, (_, kernel) in work.items()}
    times = time_in_turn(run, setup.repeats, time.perf_counter, 1, "", say)
    rows = []
    for what, (count, _) in work.items():
        seconds = median(times[what])
        rows.append({"what": what, "count": count, "seconds": seconds, "per_second": count / seconds})
    return {"rows": rows}


@compiled
def river_boards(boards, tables, room):  # type: ignore[no-untyped-def]
    """Compute every hand's equity on each of some boards, int64[n, 5]."""
    for row in range(len(boards)):
        kind_equities(boards[row], tables, room)


def _random_hands(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    rng = np.random.default_rng(0)
    found = np.empty((count, 7), dtype=np.uint8)
    for start in range(0, count, 10_000):
        part = found[start : start + 10_000]
        part[:] = np.argpartition(rng.random((len(part), 52)), 7, axis=1)[:, :7]
    return found


EXPERIMENT = Experiment(
    "cards", "Hands and boards per second", CardsSetup, (Part("kernels", measure),), verb="bench"
)
