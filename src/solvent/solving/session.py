"""The loop that every long computation shares: limits, measurements, checkpoints, progress and stopping.

A session drives a piece of `Work`, a solve or a training, in chunks of iterations. Between two chunks it measures
where a measurement is due, saves a checkpoint where the last one is old, reports progress and reads the stop flag,
which any thread may raise. Chunks, measurements and checkpoints are never broken off: what a signal's handler
raises meanwhile, such as KeyboardInterrupt, is held until the work is measured and saved.

A time limit is a deadline: measurements and checkpoints count, and time is left for the last ones. Where it ends a
solve, measurements take a fraction of the time at most, so some that are due may be left out.

Where chunks end depends on the clock, and what is computed does not: a run gives the same numbers on one thread
however it is cut.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from solvent.engines.solver import Work
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import unbroken
from solvent.foundation.progress import TOLD, Held, Progress, Stop, Watch
from solvent.foundation.showing import both, showing
from solvent.foundation.storage.files import write_text
from solvent.foundation.storage.run import Run
from solvent.solving.settings import RunSettings

RESULT = "result.json"
"""The file in a run's folder that holds the closing summary."""
MOST_MEASURING = 1 / 3
"""Fraction of its time that a run to a deadline measures at most, its first and last measurement apart."""


@contextmanager
def watched(watch: Watch | None, progress: bool) -> Iterator[Watch]:
    """Watch for the work of a call: the caller's, and where `progress` is asked for a display beside it."""
    if not progress:
        yield watch or (lambda progress: None)
        return
    with showing() as show:
        yield both(show, watch)


@dataclass(frozen=True)
class Limits:
    """Limits of a run, which stops at the first that is reached."""

    iterations: int | None = None
    """Iterations in all, those before a resume included."""
    until: float | None = None
    """Exploitability, NashConv / 2 in chips."""
    time: float | None = None
    """Seconds of this call, compiling kernels apart; a training counts no measurements and checkpoints either."""
    check_every: int | None = None
    """Iterations between measurements; None: each time their number has grown by a factor."""

    @staticmethod
    def of(settings: RunSettings) -> Limits:
        """Read the limits among the settings of a run."""
        until = getattr(settings, "until", None)
        return Limits(settings.iterations, until, settings.time, settings.check_every)

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return (self.iterations, self.until, self.time) != (None, None, None)

    def later(self, seconds: float) -> Limits:
        """Shift the limits by `seconds` of computing time."""
        return self if self.time is None else replace(self, time=max(0.0, self.time - seconds))

    def next_check(self, done: int, first: int = 1, growth: float = 1.1) -> int:
        """Find the first iteration after `done` at which to measure.

        Unless the user says how often, that is at `first`, and then each time there are `growth` times as many.
        """
        if self.check_every is not None:
            return (done // self.check_every + 1) * self.check_every
        check = first
        while check <= done:
            check = max(check + 1, math.floor(growth * check))
        return check


class Session:
    """One call's part of a run. `resume` restores a checkpoint, `loop` computes until a limit is reached."""

    def __init__(
        self,
        stage: str,
        work: Work,
        limits: Limits,
        run: Run | None,
        checkpoint_every: float,
        watch: Watch,
        stop: Stop,
        saved: Callable[[Run], None] | None = None,
        unit: str = "iterations",
        spent: float | None = 0.0,
    ) -> None:
        """Prepare a session.

        stage: names the work in progress reports
        checkpoint_every: seconds
        saved: called after each checkpoint before the last
        unit: what the progress display calls iterations
        spent: seconds of the time limit that are over; None for a limit that counts computing alone
        """
        self.saved, self.unit = saved, unit
        self.stage, self.work, self.limits, self.run = stage, work, limits, run
        self.checkpoint_every, self.watch, self.stop = checkpoint_every, watch, stop
        self.held = Held(stop)
        """The interrupt that has ended the loop, if one has: its `result` raises it."""
        self.seconds = 0.0
        """Seconds of computing so far, earlier parts of the run included."""
        self.here = 0.0
        """Seconds of computing in this call."""
        self._deadline, self._before, self._began = spent is not None, spent or 0.0, time.perf_counter()
        self._had = 0.0
        """Seconds that count against a limit in earlier parts of the run."""
        self._used_up = 0.0
        """The time limit once it has ended the loop: what it leaves unused is not there for a resume."""
        self._measuring = self._last_measuring = self._last_saving = 0.0
        """Seconds of all measurements, of the last one, and of the last checkpoint, in this call."""
        self.rate = 0.0
        """Iterations per second in the last chunk."""
        self.metrics: list[dict[str, Any]] = []
        self.unsaved = ""
        """The reason why the newest state is not in the run's folder; empty where it is."""
        self._saved_at = 0.0
        self._saved: tuple[int, int] | None = None
        """Iterations of the newest checkpoint, and of the last measurement before it."""
        self._unwritten: list[dict[str, Any]] = []
        """Rows of `metrics` that the run does not have yet."""

    def resume(self, as_before: bool) -> None:
        """Restore the run's newest checkpoint.

        Limits that are `as_before` count what has been computed; new ones are written into the configuration.
        """
        assert self.run is not None
        tables, facts = self._load(self.run)
        try:
            self.work.load_tables(tables)
            self.work.restore(facts)
            self.seconds = float(facts["seconds"])
            self._had = float(facts["elapsed"]) if self._deadline and "elapsed" in facts else self.seconds
        except InputError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"the checkpoint of {self.run.folder} does not fit what the run's configuration says"
            ) from error
        self.run.forget_metrics_after(self.work.iterations)
        self.metrics = self.run.metrics()
        self._saved = self._state
        self._forget_the_last_stop()
        if as_before:
            self.limits = self.limits.later(self._had)
        else:
            total = self.limits.later(-self._had)
            self.run.configure({name: getattr(total, name) for name in Limits.__dataclass_fields__})

    def begin(self) -> None:
        """Save the start of a new run as its first checkpoint: it can be killed and resumed from now on."""
        unbroken(self._write_checkpoint)

    def _forget_the_last_stop(self) -> None:
        """Drop the measurement that was made only because the run stopped there: an undisturbed run has none."""
        assert self.run is not None
        while self.metrics:
            at = self.metrics[-1]["iterations"]
            if at < 1 or self._next_check(at - 1) == at:
                break
            self.metrics.pop()
            self.run.forget_metrics_after(at - 1)

    def loop(self) -> str:
        """Compute until a limit is reached, and return its name."""
        reason = "interrupt"
        with self.held:
            reason = self._until_a_limit()
        for step in (self._measure_at_last, self._checkpoint, self._report):
            with self.held:
                step()
        return reason

    def _until_a_limit(self) -> str:
        work = self.work
        while (reason := self._reason_to_stop()) is None:
            check = self._next_check(work.iterations)
            self._compute(min(check, self.limits.iterations or check))
            if work.iterations == check and self._has_time_to_measure():
                self._measure()
            self._report()
            if self._checkpoint_is_due() and self._reason_to_stop() is None:
                self._checkpoint_under_way()
        return reason

    def _reason_to_stop(self) -> str | None:
        limits = self.limits
        if self.stop.requested:
            return "interrupt"
        if limits.until is not None and self.metrics and self.metrics[-1]["exploitability"] <= limits.until:
            return "until"
        if limits.iterations is not None and self.work.iterations >= limits.iterations:
            return "iterations"
        if limits.time is not None and self._left <= 0 and (self.here > 0 or limits.time <= 0):
            self._used_up = limits.time
            return "time"  # building took all of it at most, and one iteration is worth more than none
        return None

    @property
    def spent(self) -> float:
        """Seconds of this call that count against its time limit."""
        if not self._deadline:
            return self.here
        return self._before + time.perf_counter() - self._began - self.stop.idle

    @property
    def _left(self) -> float:
        """Seconds of the time limit for further iterations, those for the last measurement and checkpoint apart."""
        assert self.limits.time is not None
        ending = self._last_measuring + self._last_saving if self._deadline else 0.0
        return self.limits.time - self.spent - ending

    def _has_time_to_measure(self) -> bool:
        """Whether a measurement that is due leaves most of the time to iterations, and enough for the last one."""
        if self.limits.time is None or not self._deadline or self.limits.check_every is not None:
            return True
        last = self._last_measuring
        share = (self._measuring + last) / (self.spent + last) if last else 0.0
        return share <= MOST_MEASURING and last <= self._left

    def _compute(self, target: int) -> None:
        """Run towards `target`, for no longer than a chunk may take."""
        budget = self.work.chunk_seconds
        if self.limits.time is not None:
            budget = min(budget, max(0.0, self._left))
        before = self.work.iterations
        count = min(target - before, max(1, int(budget * self.rate)))

        def seconds_of_running() -> float:  # the other thread's own start is no computing
            start = time.perf_counter()
            self.work.run(count)
            return time.perf_counter() - start

        spent = unbroken(seconds_of_running)
        self.rate = (self.work.iterations - before) / max(spent, 1e-9)
        self.seconds += spent
        self.here += spent

    def _measure(self) -> None:
        start = time.perf_counter()
        unbroken(self._add_measurement)
        self._last_measuring = time.perf_counter() - start
        self._measuring += self._last_measuring

    def _measure_at_last(self) -> None:
        if not self.metrics or self.metrics[-1]["iterations"] != self.work.iterations:
            self._measure()

    def _add_measurement(self) -> None:
        row = {"iterations": self.work.iterations, "seconds": self.seconds, **self.work.measure()}
        self.metrics.append(row)
        self._unwritten.append(row)
        with suppress(InputError):  # a full disk: tried again with the next checkpoint
            self._write_metrics()

    def _write_metrics(self) -> None:
        """Write the measurements that the run does not have yet."""
        while self._unwritten and self.run is not None:
            self.run.add_metric(self._unwritten[0])
            del self._unwritten[0]

    @property
    def _state(self) -> tuple[int, int]:
        """Iterations so far, and those at the last measurement."""
        return self.work.iterations, self.metrics[-1]["iterations"] if self.metrics else -1

    def _checkpoint(self) -> None:
        """Save a checkpoint. One that cannot be written, on a full disk for instance, ends no work."""
        if self.run is None or (self._saved == self._state and not self._unwritten):
            return
        start = time.perf_counter()
        try:
            unbroken(self._write_checkpoint)
        except (InputError, OSError) as error:
            if not self.unsaved:
                self.watch(Progress(TOLD, 0, detail=f"no checkpoint: {error}"))
            self.unsaved = str(error)
        self._saved_at, self._last_saving = self.here, time.perf_counter() - start

    def _write_checkpoint(self) -> None:
        assert self.run is not None
        self._write_metrics()
        if self._saved != self._state:
            facts = {**self.work.facts(), "seconds": self.seconds}
            if self._deadline:
                facts["elapsed"] = self._had + max(self.spent, self._used_up)
            self._save(self.run, facts)
        self._saved, self.unsaved = self._state, ""

    def write_result(self, document: Mapping[str, Any]) -> None:
        """Write the closing summary into the run's folder, if any; a failure counts like a checkpoint's."""
        if self.run is not None and not self.unsaved:
            try:
                write_text(self.run.folder / RESULT, json.dumps(document, indent=1) + "\n")
            except (InputError, OSError) as error:
                self.unsaved = str(error)

    def shortfall(self) -> str | None:
        """Say in a sentence what the run's folder lacks; None where it has everything."""
        if self.run is None or not self.unsaved:
            return None
        saved = self.run.checkpoints()
        kept = f"{saved[-1]:,} of {self.work.iterations:,} iterations" if saved else "no iterations"
        return f"{self.unsaved}; {self.run.folder} keeps {kept}"

    def _checkpoint_is_due(self) -> bool:
        return self.here - self._saved_at >= self.checkpoint_every

    def _checkpoint_under_way(self) -> None:
        self._checkpoint()
        if self.saved is not None and self.run is not None and not self.unsaved:
            self.saved(self.run)

    # Overridden by work of another kind

    def _next_check(self, done: int) -> int:
        return self.limits.next_check(done, self.work.first_check, self.work.check_growth)

    def _save(self, run: Run, facts: Mapping[str, Any]) -> None:
        run.save_checkpoint(self.work.iterations, self.work.saved_tables(), facts)

    def _load(self, run: Run) -> tuple[Mapping[str, Any], dict[str, Any]]:
        return run.load_checkpoint()

    def _report(self) -> None:
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        spoken = f"{rate} {self.unit}/s" if self.rate else ""
        unsaved = f"no checkpoint: {self.unsaved}" if self.unsaved else ""
        detail = ", ".join(text for text in (self.work.describe(), unsaved, spoken) if text)
        done: float = self.work.iterations
        total: float | None = self.limits.iterations
        unit = self.unit
        if total is None and self.limits.time is not None:
            done, total, unit = self.spent, self.limits.time, "s"
        try:
            self.watch(Progress(self.stage, done, total, detail, unit))
        except BaseException:  # whoever watches ends the work, and what was computed is kept
            self._checkpoint()
            raise
