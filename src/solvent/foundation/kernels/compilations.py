"""Kernels that Numba compiles while a block runs, and the time that it takes.

Kernels are compiled when they are first called, wherever that is, and cached on the disk afterwards. Numba triggers
an event for each one that it compiles and none for those that it loads from its cache. Waiting for a kernel that
another process compiles (`caching.Turn`) counts as compiling.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

EVENTS = ("numba:compile", "solvent:turn")


class Compilations:
    """Compilations since `listen`: how many kernels, and seconds in which at least one was being compiled.

    `begun` is called, on the thread that compiles, each time that a kernel begins to be compiled and no other is.
    """

    def __init__(self, begun: Callable[[], None]) -> None:
        self._begun = begun
        self._lock = threading.Lock()
        self._listener: Any = None
        self._depth, self._since = 0, 0.0
        self.kernels, self.seconds = 0, 0.0
        self._stood = 0.0  # how long the clock has stood still

    def clock(self) -> float:
        """A clock in seconds that stands still while a kernel is being compiled."""
        with self._lock:
            return (self._since if self._depth else time.monotonic()) - self._stood

    def listen(self) -> None:
        """Begin to listen, as soon as something has imported Numba; later calls change nothing."""
        if self._listener is not None or "numba" not in sys.modules:
            return
        event: Any = import_module("numba.core.event")

        class Listener(event.Listener):  # type: ignore[misc]
            on_start, on_end = self._start, self._end

        self._listener = Listener()
        for kind in EVENTS:
            event.register(kind, self._listener)

    def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            event: Any = import_module("numba.core.event")
            for kind in EVENTS:
                event.unregister(kind, self._listener)
            self._listener = None

    def _start(self, *_: Any) -> None:
        with self._lock:
            self._depth += 1
            first = self._depth == 1
            if first:
                self._since = time.monotonic()
        if first:
            self._begun()

    def _end(self, *_: Any) -> None:
        with self._lock:
            self._depth -= 1
            self.kernels += 1
            if self._depth == 0:
                spent = time.monotonic() - self._since
                self.seconds += spent
                self._stood += spent


@contextmanager
def working_seconds() -> Iterator[Callable[[], float]]:
    """A clock of the seconds since the block began, without those in which it compiled kernels."""
    compilations = Compilations(lambda: None)
    compilations.listen()
    began = compilations.clock()
    try:
        yield lambda: compilations.clock() - began
    finally:
        compilations.close()
