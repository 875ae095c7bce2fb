"""Turns at compiling: one process compiles a kernel, and others that want it at that time load what it writes.

The turn for a kernel is a lock on one byte of a file in the folder of kernels. The system gives it back when a
process ends, in whichever way, and forked children do not inherit it. Whoever has waited for `PATIENCE` seconds, or
cannot lock, compiles without a turn: the same kernel is then compiled twice, as harmless as it is slow.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

event: Any = import_module("numba.core.event")

FILE = ".turns"
EVENT = "solvent:turn"
"""Event of Numba's kind that lasts while a process waits for another one's kernel."""
PATIENCE = 120.0
"""Seconds after which a process no longer waits. No kernel takes as long to compile."""
PAUSE = 0.02


class Turn:
    """The turn for one kernel: a byte of the file in `folder`, by the kernel's digest."""

    def __init__(self, folder: Path, digest: bytes) -> None:
        self._file, self._byte = _opened(folder), int.from_bytes(digest[:7], "big")

    def take(self, is_written: Callable[[], bool]) -> None:
        """Wait until nobody else has the turn, or until the kernel is written."""
        if self._locked():
            return
        with event.trigger_event(EVENT):
            until = time.monotonic() + PATIENCE
            while not (is_written() or self._locked() or time.monotonic() > until):
                time.sleep(PAUSE)

    def give_back(self) -> None:
        with suppress(OSError):
            self._lock(fcntl.LOCK_UN)

    def _locked(self) -> bool:
        """Lock the byte unless another process has it. Where nothing can be locked, every turn is free."""
        try:
            self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def _lock(self, how: int) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, how, 1, self._byte)


@cache
def _opened(folder: Path) -> int | None:
    """The file of turns in a folder, open as long as the process lives: closing it would give back every turn."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    return None
