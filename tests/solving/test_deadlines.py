"""A time limit is a deadline: what is measured and saved counts, and time is left for the last of each."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from solvent.foundation.progress import Stop
from solvent.solving import session as session_module
from solvent.solving.session import Limits, Session
from solvent.solving.solve import solve


class Clock:
    """A clock that goes on only where something says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


class Slow:
    """Work whose iterations and measurements take a known time."""

    chunk_seconds, first_check, check_growth = 0.2, 1, 1.1

    def __init__(self, clock: Clock, iteration: float, measurement: float) -> None:
        self.clock, self.iteration, self.measurement, self.iterations = clock, iteration, measurement, 0

    def run(self, iterations: int) -> None:
        self.iterations += iterations
        self.clock.now += iterations * self.iteration

    def measure(self) -> dict[str, Any]:
        self.clock.now += self.measurement
        return {"exploitability": 1.0}

    def describe(self) -> str:
        return ""


def timed(monkeypatch: pytest.MonkeyPatch, work: Slow, seconds: float, **limits: Any) -> Session:
    """A session whose loop has run to a deadline; `spent` is what it took."""
    monkeypatch.setattr(session_module, "time", SimpleNamespace(perf_counter=work.clock.perf_counter))
    made = Session("", work, Limits(time=seconds, **limits), None, math.inf, lambda _: None, Stop())  # type: ignore[arg-type]
    assert made.loop() == "time"
    return made


@pytest.mark.parametrize("measurement", [0.001, 0.06, 0.3])
def test_it_ends_in_time_and_is_measured(monkeypatch: pytest.MonkeyPatch, measurement: float) -> None:
    work = Slow(Clock(), 0.002, measurement)
    made = timed(monkeypatch, work, 1.0)
    assert 0.85 < made.spent <= 1.01
    assert made.metrics[-1]["iterations"] == work.iterations
    assert made.here > 0.9 - max(2 / 3, 3 * measurement)


def test_measurements_leave_the_time_to_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Slow(Clock(), 0.002, 0.06)
    made = timed(monkeypatch, work, 10.0)
    assert len(made.metrics) * work.measurement < 0.36 * made.spent
    assert work.iterations > 3_000


def test_measurements_come_as_often_as_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Slow(Clock(), 0.01, 0.02)
    made = timed(monkeypatch, work, 1.0, check_every=2)
    assert [row["iterations"] for row in made.metrics[:-1]] == list(range(2, work.iterations, 2))
    assert made.spent <= 1.04


def test_what_came_before_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(session_module, "time", SimpleNamespace(perf_counter=clock.perf_counter))
    work = Slow(clock, 0.01, 0.02)
    late = Session("", work, Limits(time=1.0), None, math.inf, lambda _: None, Stop(), spent=5.0)  # type: ignore[arg-type]
    assert late.loop() == "time"
    assert (work.iterations, len(late.metrics)) == (1, 1)


def test_a_training_counts_computing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(session_module, "time", SimpleNamespace(perf_counter=clock.perf_counter))
    work = Slow(clock, 0.01, 0.5)
    made = Session("", work, Limits(time=1.0), None, math.inf, lambda _: None, Stop(), spent=None)  # type: ignore[arg-type]
    assert made.loop() == "time"
    assert made.here == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_a_second_of_leduc5() -> None:
    """Processor time, which other programs do not lengthen; it was 4.6 s, most of it for measurements."""
    import time

    solve("leduc5", iterations=1)
    began = time.process_time()
    result = solve("leduc5", time=1)
    assert time.process_time() - began < 1.3
    assert result.exploitability > 0
