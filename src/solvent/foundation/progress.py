"""Progress of long work, and requests to stop it.

Work that takes long accepts a `Watch`, which it calls on the caller's thread with a `Progress`, and a `Stop`,
which it reads between two pieces of work. Any thread may request a stop. What a signal's handler raises meanwhile,
such as KeyboardInterrupt, is `Held` until the work has been saved, and then raised with the result so far.

The library leaves signals alone. A command asks for them: `interruptible` turns them into a stop, `raising_signals`
into exceptions.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, TypeVar

Made = TypeVar("Made")

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells count it."""
TERMINATED = 143
"""Exit code after SIGTERM."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that a command may handle: Ctrl-C, a request to end, a closed terminal."""

SAME_SECONDS = 0.5
"""Ctrl-C again within this time is the same Ctrl-C: a key that is held down repeats itself."""

SIZED = "sized"
"""The stage whose detail says, in sentences, what the work will take; it comes once, before the work begins."""
TOLD = "told"
"""The stage whose detail is a sentence about something that happened; it stays in view."""


@dataclass(frozen=True)
class Progress:
    """Progress of a piece of work."""

    stage: str
    """The work under way, in a few words."""
    done: float
    """The amount that is done."""
    total: float | None = None
    """The whole amount, in the unit of `done`; None where it is not known."""
    detail: str = ""
    """Further facts worth showing beside it."""
    unit: str = ""
    """The unit of `done` and `total`, in the plural; "s" for seconds."""


Watch = Callable[[Progress], None]
"""Called with each new `Progress`. What it raises ends the work."""


class Interrupted(KeyboardInterrupt):
    """Work that ended because a stop was requested, or by Ctrl-C. What could be saved has been saved."""

    def __init__(self, exit_code: int = INTERRUPTED, done: int = 0, result: Any = None) -> None:
        super().__init__("stopped on request")
        self.exit_code = exit_code
        """Exit code of a command that ends so."""
        self.done = done
        """Progress of the work, in its own unit."""
        self.result = result
        """The result so far, of the kind that the call would have returned; None where there was none yet."""


class Stop:
    """A flag that asks long work to stop. Any thread may raise it; every long loop reads it."""

    def __init__(self, others: Stop | None = None) -> None:
        """`others`: a stop whose request is a request of this one too."""
        self._requested, self._others = threading.Event(), others
        self.exit_code = INTERRUPTED
        """Exit code of a command that was stopped: 130, or 143 after SIGTERM."""
        self.idle = 0.0
        """Seconds that the work was held, which count against no limit."""

    def request(self, exit_code: int = INTERRUPTED) -> None:
        """Ask the work to stop at the next opportunity. Later requests change nothing."""
        if not self.requested:
            self.exit_code = exit_code
        self._requested.set()

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._requested.is_set() or (self._others is not None and self._others.requested)

    def check(self, done: int = 0) -> None:
        """Raise `Interrupted` if a stop was requested."""
        if self.requested:
            raise Interrupted(self.exit_code, done)


class Held:
    """A block of work whose interrupt is raised later, by `result`, once there is a result to go with it.

    An interrupt that comes while one is held already is raised at once. Where `stop` was requested, the
    `Interrupted` that ends the block is no interrupt: the work ends with what it has.
    """

    def __init__(self, stop: Stop | None = None) -> None:
        self.stop = stop
        self.error: BaseException | None = None

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, KeyboardInterrupt | SystemExit) or self.error is not None:
            return False
        if self.stop is not None and self.stop.requested:
            return isinstance(error, Interrupted)
        self.error = error
        return True

    def result(self, found: Made) -> Made:
        """Return what was found, or raise the interrupt with it."""
        if self.error is None:
            return found
        if isinstance(self.error, SystemExit):
            raise self.error
        code = self.error.exit_code if isinstance(self.error, Interrupted) else INTERRUPTED
        raise Interrupted(code, result=found) from self.error


@contextmanager
def interruptible(stop: Stop | None = None) -> Iterator[Stop]:
    """Turn SIGINT, SIGTERM and SIGHUP into a stop while the block runs; a second Ctrl-C interrupts.

    Signals that the process was started to ignore stay ignored. Only the main thread receives signals: on another
    thread the block runs with the given stop, which its owner may request.
    """
    stop = stop or Stop()
    noted = 0.0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        if not stop.requested:
            noted = time.monotonic()
        elif number == signal.SIGINT and time.monotonic() >= noted + SAME_SECONDS:
            raise KeyboardInterrupt
        stop.request(128 + number)

    with _handled_by(note):
        yield stop


@contextmanager
def raising_signals() -> Iterator[None]:
    """Have SIGINT, SIGTERM and SIGHUP raise `Interrupted` with their exit codes while the block runs.

    Signals that the process was started to ignore stay ignored, and on another thread than the main one nothing is
    changed. Signals that follow at once belong to the first.
    """
    noted = -SAME_SECONDS

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        before, noted = noted, time.monotonic()
        if noted >= before + SAME_SECONDS:
            raise Interrupted(128 + number)

    with _handled_by(interrupt):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle the signals that are not ignored by `handler` while the block runs, if this is the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, kept in before.items():
        if kept is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, kept in before.items():
            signal.signal(number, kept)
