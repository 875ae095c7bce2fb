"""How long work reports its progress, and how it is asked to stop.

Work that takes long accepts a `Watch`, which it calls on the caller's thread with a `Progress`, and a `Stop`,
which it reads between two pieces of work. Any thread may request a stop. `interruptible` turns Ctrl-C and the
system's request to end into such a stop, so that a command can save what it has before it exits; `uninterrupted`
lets it end whatever it has begun beside itself.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells count it."""
TERMINATED = 143
"""Exit code after SIGTERM."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What `interruptible` turns into a stop: Ctrl-C, a request to end, a closed terminal."""

SAME_SECONDS = 0.5
"""Ctrl-C again within this time is the same Ctrl-C: a key that is held down repeats itself."""

SIZED = "sized"
"""The stage whose detail says, in sentences, what the work will take; it comes once, before the work begins."""
TOLD = "told"
"""The stage whose detail is a sentence about something that happened; it stays in view."""


@dataclass(frozen=True)
class Progress:
    """How far a piece of work has come."""

    stage: str
    """What is being done, in a few words."""
    done: float
    total: float | None = None
    """In the unit of `done`; None where it is not known."""
    detail: str = ""
    """Anything else worth showing beside it."""
    unit: str = ""
    """What `done` and `total` count, in the plural; "s" for seconds."""


Watch = Callable[[Progress], None]
"""Called with each new `Progress`. What it raises ends the work."""


class Interrupted(KeyboardInterrupt):
    """Work that ended because a stop was requested. `done` says how far it had come, in the work's own unit."""

    def __init__(self, exit_code: int = INTERRUPTED, done: int = 0) -> None:
        super().__init__("stopped on request")
        self.exit_code, self.done = exit_code, done


class Stop:
    """A flag that asks long work to stop. Any thread may raise it; every long loop reads it."""

    def __init__(self) -> None:
        self._requested = threading.Event()
        self.exit_code = INTERRUPTED
        """What a command that was stopped exits with: 130, or 143 after SIGTERM."""

    def request(self, exit_code: int = INTERRUPTED) -> None:
        """Ask the work to stop at the next opportunity. Later requests change nothing."""
        if not self.requested:
            self.exit_code = exit_code
        self._requested.set()

    @property
    def requested(self) -> bool:
        return self._requested.is_set()

    def check(self, done: int = 0) -> None:
        """Raise `Interrupted` if a stop was requested."""
        if self.requested:
            raise Interrupted(self.exit_code, done)


@contextmanager
def interruptible(stop: Stop | None = None) -> Iterator[Stop]:
    """Turn SIGINT, SIGTERM and SIGHUP into a stop while the block runs; a second Ctrl-C interrupts.

    Signals that the process was started to ignore stay ignored. Only the main thread receives signals: on another
    thread the block runs with the given stop, which its owner may request.
    """
    stop = stop or Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

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
def uninterrupted() -> Iterator[None]:
    """Ignore SIGINT, SIGTERM and SIGHUP while the block runs, which should be short."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled_by(signal.SIG_IGN):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    """Have the signals that are not ignored handled so while the block runs."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, kept in before.items():
        if kept is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, kept in before.items():
            signal.signal(number, kept)
