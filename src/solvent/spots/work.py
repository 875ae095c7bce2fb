"""A solve of a spot as a session drives it: its iterations, measurements, checkpoints and forecasts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from solvent.engines.holdem.best_average import BestAverage
from solvent.engines.holdem.response import HoldemEvaluation
from solvent.engines.holdem.solver import HoldemSolver
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.showing import SECONDS
from solvent.solving.session import Limits
from solvent.spots.cost import FALL
from solvent.spots.settings import DEFAULT_UNTIL, MOST_DEFAULT_ITERATIONS, SpotSettings, target_chips

CHUNK_SECONDS = 0.2
"""Seconds that a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
EVERY, EVERY_RAKED = 10, 20
"""Iterations between measurements where a solve stops at an exploitability. Best responses and the values that are
compared with the pot take about as long as two iterations, and with rake half of one more."""
GROWTH = 1.5
"""Growth of iterations from one measurement to the next where nothing waits for them."""


def with_limits(settings: SpotSettings) -> SpotSettings:
    """Add a limit to settings: where none is given, a solve stops at 0.3 % of the pot."""
    if (settings.iterations, settings.until, settings.time) != (None, None, None):
        return settings
    return replace(settings, until=DEFAULT_UNTIL, iterations=MOST_DEFAULT_ITERATIONS)


def spot_limits(settings: SpotSettings, pot: float, raked: bool) -> Limits:
    """Read the limits of a solve in chips, and the interval of its measurements."""
    if settings.until is None:
        return Limits(settings.iterations, None, settings.time, settings.every)
    every = settings.every or (EVERY_RAKED if raked else EVERY)
    return Limits(settings.iterations, target_chips(settings.until, pot), settings.time, every)


class SpotWork:
    """A solve as a session drives it."""

    chunk_seconds, check_growth = CHUNK_SECONDS, GROWTH

    def __init__(
        self, solver: HoldemSolver, pot: float, limits: Limits, best: BestAverage | None = None
    ) -> None:
        """best: keeps the best averages of int16, if there is room for them"""
        self.solver, self.pot, self.limits, self.best = solver, pot, limits, best
        self.first_check = EVERY
        self.measuring_seconds = self.first_iteration_seconds = 0.0
        self.measured: list[tuple[int, float]] = []
        """Iterations and exploitability in chips at each measurement."""
        self._evaluation: tuple[int, HoldemEvaluation] | None = None
        self._loaded: Mapping[str, NDArray[Any]] = {}

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    def run(self, iterations: int) -> None:
        start, first = time.perf_counter(), self.iterations == 0
        self.solver.run(iterations)
        if first:  # a session begins with one
            self.first_iteration_seconds = (time.perf_counter() - start) / iterations

    def evaluate(self) -> HoldemEvaluation:
        """Measure the strategy, at most once at an iteration."""
        if self._evaluation is None or self._evaluation[0] != self.iterations:
            self._evaluation = self.iterations, self.solver.evaluate()
        return self._evaluation[1]

    def measure(self) -> dict[str, Any]:
        start = time.perf_counter()
        found = self.evaluate().exploitability
        self.measuring_seconds += time.perf_counter() - start
        self.measured.append((self.iterations, found))
        if self.best is not None:
            self.best.note(found)
        return {"exploitability": found}

    def describe(self) -> str:
        return f"exploitability {percent_of(self.measured[-1][1], self.pot)}" if self.measured else ""

    def end(self) -> tuple[str, ...]:
        """Restore the best averages of int16 where iterations have made them worse; returns sentences that say
        so."""
        if self.solver.dtype != "int16" or not self.measured:
            return ()
        (last, now), (at, least) = self.measured[-1], min(self.measured, key=lambda each: each[1])
        kept = self.best is not None and self.best.exploitability < now
        if self.best is not None and kept:
            at, least = self.best.iterations, self.best.exploitability
            self.best.give_back()
            self._evaluation = None
        if not least < now:
            return ()
        instead = "which are kept" if kept else "for which there was no room in memory"
        return (
            f"int16 became worse: exploitability was {percent_of(now, self.pot)} after {last:,} iterations and "
            f"{percent_of(least, self.pot)} with the averages of iteration {at:,}, {instead}; float32 comes closer",
        )

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return self.solver.saved_tables() | ({} if self.best is None else self.best.saved_tables())

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        self.solver.load_tables(tables)
        self._loaded = tables

    def facts(self) -> dict[str, Any]:
        at, found = self.measured[-1] if self.measured else (None, None)
        if self.best is not None and self.best.saved_tables():
            at, found = self.best.iterations, self.best.exploitability
        return {
            "rule": str(self.solver.rule),
            "nodes_touched": self.solver.nodes_touched,
            "head_start": self.solver.head_start,
            "measuring_seconds": self.measuring_seconds,
            "first_iteration_seconds": self.first_iteration_seconds,
            "exploitability": found,
            "exploitability_at": at,
            "exploitability_unit": "chips, half of what both would gain by best responses",
            "pot": self.pot,
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        self.solver.restore(facts)
        self.measuring_seconds = float(facts["measuring_seconds"])
        self.first_iteration_seconds = float(facts["first_iteration_seconds"])
        if self.best is not None:
            self.best.load(self._loaded, facts["exploitability"], facts["exploitability_at"])
        self._loaded = {}

    def remember(self, metrics: Iterable[Mapping[str, Any]]) -> None:
        """Restore the measurements of an earlier part of the run, from which forecasts are made."""
        self.measured = [(row["iterations"], row["exploitability"]) for row in metrics]

    def forecasting(self, watch: Watch) -> Watch:
        """Tell a watch how many iterations to expect where a solve stops at an exploitability.

        Where it also stops after a time these are the iterations until whichever comes first.
        """
        first: list[tuple[int, float]] = []

        def tell(progress: Progress) -> None:
            if self.limits.until is None:
                watch(progress)
                return
            found = self.expected()
            if progress.unit == SECONDS:
                first.append((self.iterations, progress.done))
                del first[1:]
                ran, seconds = self.iterations - first[0][0], progress.done - first[0][1]
                if ran and seconds > 0:
                    left = max(0.0, (progress.total or 0.0) - progress.done)
                    in_time = self.iterations + math.ceil(left * ran / seconds)
                    found = in_time if found is None else min(found, in_time)
            watch(replace(progress, done=self.iterations, total=found, unit="iterations expected"))

        return tell

    def expected(self) -> int | None:
        """Forecast the iterations to the target, if exploitability falls further as a power of their number.

        The power is that of the measurements; after the first it is the usual one.
        """
        if not self.measured or not self.limits.until:
            return None
        last, now = self.measured[-1]
        if not now > 0 or last == 0:
            return None
        slope = 1 / FALL
        if len(self.measured) > 1:
            before, then = min(self.measured[:-1], key=lambda each: abs(each[0] - last / 2))
            if not now < then or before == 0:
                return None
            slope = math.log(then / now) / math.log(last / before)
        further = math.log(max(1.0, now / self.limits.until)) / slope
        expected = last * math.exp(min(further, 10.0))
        return math.ceil(min(expected, self.limits.iterations or expected))


def percent_of(chips: float, pot: float) -> str:
    """Write chips in percent of the pot.

    >>> percent_of(0.6, 200), percent_of(156.2514, 200)
    ('0.300 % of the pot', '78.126 % of the pot')
    """
    return f"{100 * chips / pot:.3f} % of the pot"
