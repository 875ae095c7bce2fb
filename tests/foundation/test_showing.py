"""Rates and times left, without the time in which kernels are compiled."""

from __future__ import annotations

import time

import pytest
from numba import njit

from solvent.foundation.kernels.compilations import Compilations, working_seconds
from solvent.foundation.progress import Progress
from solvent.foundation.showing import Pace, line


def test_the_seconds_of_compiling_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    compilations = Compilations(lambda: None)
    pace = Pace(compilations.clock)
    assert pace.note(Progress("solving", 0, 1000))
    compilations._start()
    now += 40
    pace.note(Progress("solving", 0, 1000))
    assert pace.rate == 0
    compilations._end()
    now += 2
    report = Progress("solving", 200, 1000)
    assert not pace.note(report)
    assert line(report, pace.rate) == "solving: 200 of 1,000 (20 %), 100/s, 8 s left"


def test_work_that_is_limited_by_time_takes_a_second_for_a_second() -> None:
    pace = Pace(lambda: 0.0)
    pace.note(Progress("training", 0, 100, unit="s"))
    pace.note(Progress("training", 40, 100, unit="s"))
    assert pace.rate == 1


def test_working_seconds_leave_compiling_out() -> None:
    whole = time.monotonic()
    with working_seconds() as seconds:
        njit(lambda number: number + 1)(1)
    worked, whole = seconds(), time.monotonic() - whole
    assert 0 <= worked < whole / 2


def test_what_counts_from_the_beginning_again_is_measured_anew() -> None:
    """A part of an evaluation learns iterations, and then plays deals, twice."""
    now = 0.0
    pace = Pace(lambda: now)
    said = []
    for unit, done in (
        ("iterations", 1000),
        ("iterations", 2000),
        ("deals", 10),
        ("deals", 30),
        ("deals", 5),
    ):
        now += 1.0
        said.append((pace.note(Progress("inside", done, 10_000, unit=unit)), pace.rate))
    assert said == [(True, 0.0), (False, 1000.0), (True, 0.0), (False, 20.0), (True, 0.0)]
