"""Seconds of work, and of iterations of several solvers in turn, so that a busy moment of the machine meets all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from solvent_papers.frame.experiment import Setup, option

BATCH_SECONDS = 0.1
"""Seconds that a batch should take, so that no solver starts cold."""


@dataclass(frozen=True)
class InterleavedSetup(Setup):
    """OpenSpiel games on which solvers are timed in turn."""

    game: tuple[str, ...] = option((), "OpenSpiel games.  [default: leduc_poker, liars_dice]")
    repeats: int = option(9, "Interleaved repeats; medians are shown.", 1, 100_000)

    @property
    def games(self) -> tuple[str, ...]:
        return self.game or (("kuhn_poker",) if self.small else ("leduc_poker", "liars_dice"))


def timed(work: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, float]:
    """Return the result of a call, and the seconds that it took."""
    start = time.perf_counter()
    return work(*given, **options), time.perf_counter() - start


def seconds_of(work: Callable[..., object], *given: Any, **options: Any) -> float:
    """Return the seconds that a call takes."""
    return timed(work, *given, **options)[1]


def repeated(work: Callable[[], Any]) -> Callable[[int], None]:
    """Return a function that does `work` a number of times."""

    def repeat(times: int) -> None:
        for _ in range(times):
            work()

    return repeat


def time_in_turn(
    solvers: Mapping[str, Callable[[int], None]],
    repeats: int,
    clock: Callable[[], float],
    trial: int,
    prefix: str,
    say: Callable[[str], None],
) -> dict[str, list[float]]:
    """Return seconds per iteration of each solver, one number for each repeat.

    A solver is a function that runs a number of iterations. `trial` iterations come first, to be ready,
    and as many again tell how many make a batch. `clock` is `time.perf_counter` or `time.process_time`. `say` hears
    of each repeat, after `prefix`.
    """

    def spent(iterate: Callable[[int], None], times: int) -> float:
        start = clock()
        iterate(times)
        return clock() - start

    batch = {}
    for name, iterate in solvers.items():
        iterate(trial)
        batch[name] = max(1, round(trial * BATCH_SECONDS / max(spent(iterate, trial), 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in solvers}
    for repeat in range(repeats):
        say(f"{prefix}repeat {repeat + 1} of {repeats}")
        for name, iterate in solvers.items():
            times[name].append(spent(iterate, batch[name]) / batch[name])
    return times
