"""A job: work on a thread of its own, which whoever started it can watch, pause, resume, stop and wait for.

    job = Job(lambda watch, stop: solve("leduc", until=1e-4, watch=watch, stop=stop)).start()
    job.progress, job.state
    with job.paused():
        ...  # nothing computes here
    job.stop()
    job.result()

Anything long can be a job: solves, spots, trainings, matches and evaluations all take a watch and a stop, and read
the stop between two pieces of work. A paused job waits inside that read, so pausing changes no number. Servers,
which answer others while they compute, stand on this.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from solvent.foundation.progress import INTERRUPTED, Interrupted, Progress, Stop, Watch

Result = TypeVar("Result")

WAITING, RUNNING, PAUSED, STOPPED, DONE, FAILED = "waiting", "running", "paused", "stopped", "done", "failed"
"""States of a job. `STOPPED`: it ended because somebody asked for it, or its time was up, with what it had."""


class JobStop(Stop):
    """The stop that a job's work reads: it also holds the work while the job is paused, and ends it in time."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self._turn, self._paused, self.parked = threading.Condition(), False, 0
        self._seconds, self._began = seconds, time.monotonic()
        self._parked_at = 0.0

    @property
    def requested(self) -> bool:
        """Whether a stop was requested; while the job is paused the answer waits."""
        if self._paused and not self.asked:
            self._park()
        if self._seconds is not None and time.monotonic() - self._began - self.idle >= self._seconds:
            self._requested.set()
        return self.asked

    @property
    def asked(self) -> bool:
        """Whether a stop was requested, for those who do not compute: they never wait."""
        return self._requested.is_set()

    def request(self, exit_code: int = INTERRUPTED) -> None:
        """Ask the work to stop at the next opportunity, paused or not."""
        with self._turn:
            if not self.asked:
                self.exit_code = exit_code
            self._requested.set()
            self._turn.notify_all()

    def hold(self, paused: bool) -> None:
        """Have the work wait where it reads this flag next, or go on."""
        with self._turn:
            self._paused = paused
            self._turn.notify_all()

    def await_parking(self, ended: threading.Event, timeout: float | None) -> bool:
        """Wait until the work is held or has ended, and return whether it has come to that."""
        with self._turn:
            return self._turn.wait_for(lambda: self.parked > 0 or ended.is_set(), timeout)

    def wake(self) -> None:
        """Have whoever waits here look again."""
        with self._turn:
            self._turn.notify_all()

    def _park(self) -> None:
        with self._turn:
            if not self.parked:
                self._parked_at = time.monotonic()
            self.parked += 1
            self._turn.notify_all()
            self._turn.wait_for(lambda: not self._paused or self.asked)
            self.parked -= 1
            if not self.parked:
                self.idle += time.monotonic() - self._parked_at


class Job(Generic[Result]):
    """One piece of work on a thread. It is started once; another piece of work is another job."""

    def __init__(
        self,
        work: Callable[[Watch, Stop], Result],
        name: str = "job",
        seconds: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Prepare a job.

        work: is called on the job's thread with the watch and the stop that it is to heed
        name: names the thread
        seconds: the most that the work may take; time in which it is paused does not count
        watch: called on the job's thread with each progress, besides keeping it in `progress`
        """
        self.name = name
        self.progress: Progress | None = None
        """The last that was said of the work."""
        self._work, self._watch, self._stop = work, watch, JobStop(seconds)
        self._started, self._ended = False, threading.Event()
        self._found: list[Result] = []
        self._error: BaseException | None = None
        self._turn = threading.Lock()

    def start(self) -> Job[Result]:
        """Begin on a new thread."""
        self._started = True
        threading.Thread(target=self._run, name=self.name).start()
        return self

    @property
    def state(self) -> str:
        """One of the states above."""
        if not self._started:
            return WAITING
        if not self._ended.is_set():
            return PAUSED if self._stop.parked else RUNNING
        if self._error is not None and not isinstance(self._error, Interrupted):
            return FAILED
        return STOPPED if self._stop.asked else DONE

    @property
    def running(self) -> bool:
        """Whether the work has begun and not ended, paused or not."""
        return self._started and not self._ended.is_set()

    def pause(self, timeout: float | None = None) -> bool:
        """Hold the work where it next reads its stop. Wait until it is there; False where time was too short."""
        self._stop.hold(True)
        return self._stop.await_parking(self._ended, timeout) if self.running else True

    def resume(self) -> None:
        """Let paused work go on."""
        self._stop.hold(False)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hold the work while the block runs. Blocks of several threads come one after another."""
        with self._turn:
            self.pause()
            try:
                yield
            finally:
                self.resume()

    def stop(self) -> None:
        """Ask the work to end with what it has; `wait` says when it has."""
        self._stop.request()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work has ended, and return whether it has."""
        return self._ended.wait(timeout)

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end and return the work's result, or raise the exception that ended it."""
        if not self.wait(timeout):
            raise TimeoutError(f"{self.name} has not ended after {timeout} seconds")
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work(self._note, self._stop))
        except BaseException as error:
            self._error = error
        finally:
            self._ended.set()
            self._stop.wake()

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        if self._watch is not None:
            self._watch(progress)
