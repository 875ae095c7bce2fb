"""Disks and memories that refuse: errors in what a process asks of the system, at a chosen moment.

`Faults` stands between Python and the calls by which files below a folder are opened, written, synced, renamed,
made and removed, and between solvers and the functions that make their tables. It counts the calls of each kind
and lets a chosen one fail, or that one and all after it. Nothing else of the process changes.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WRITE, SYNC, RENAME, TABLE = "write", "sync", "rename", "table"
KINDS = (WRITE, SYNC, RENAME, TABLE)
"""Kinds of calls that can be made to fail; those of the kinds open, make and remove are counted too."""
ERRORS = {WRITE: errno.ENOSPC, SYNC: errno.EIO, RENAME: errno.EIO}
DISK = "disk"
"""Every kind but tables."""
WRITING = frozenset("wax+")


@dataclass
class Faults:
    """Failures below a folder: the `at`-th call of a kind, counted from 1, and those after it if it `lasts`."""

    folder: Path
    kind: str | None = None
    at: int = 0
    lasts: bool = False
    error: int | None = None
    """The system's error; by default a full disk for writes, a broken one for syncs and renames."""
    counts: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    """Calls that were made to fail."""

    def happens(self, kind: str) -> bool:
        """Count a call; whether it is to fail."""
        self.counts[kind] += 1
        number = self.counts[kind]
        chosen = self.kind == kind or (self.kind == DISK and kind != TABLE)
        wanted = chosen and (number == self.at or (self.lasts and number > self.at))
        self.failed += wanted
        return wanted

    def check(self, kind: str, path: object = None) -> None:
        """Count a call about a path below the folder, and let it fail if it is to fail."""
        if path is not None and not self.below(path):
            return
        if self.happens(kind):
            raise self.refusal(kind, path)

    def refusal(self, kind: str, path: object = None) -> OSError | MemoryError:
        if kind == TABLE:
            return MemoryError("refused by the test")
        number = self.error if self.error is not None else ERRORS.get(kind, errno.ENOSPC)
        name = None if path is None else os.fspath(path)  # type: ignore[call-overload]
        return OSError(number, os.strerror(number), name)

    def below(self, path: object) -> bool:
        try:
            whole = os.path.abspath(os.fspath(path))  # type: ignore[call-overload]
        except TypeError:  # an open file's number
            return False
        return whole == str(self.folder) or whole.startswith(f"{self.folder}{os.sep}")


def read_only(folder: Path) -> Faults:
    """Everything that would change something below a folder fails, as on a read-only file system."""
    return Faults(folder, kind=DISK, at=1, lasts=True, error=errno.EROFS)


class FaultyFile(io.FileIO):
    """A file whose writes may fail half-way."""

    def __init__(self, path: Any, mode: str, faults: Faults, opener: Any) -> None:
        super().__init__(path, mode, opener=opener)
        self.faults = faults

    def write(self, data: Any) -> int:
        if self.faults.happens(WRITE):
            super().write(memoryview(data).cast("B")[: len(data) // 2])
            raise self.faults.refusal(WRITE)
        return super().write(data)


@contextmanager
def installed(faults: Faults) -> Iterator[Faults]:
    """Let the process have these faults while the block runs."""
    undo: list[Callable[[], None]] = []

    def replace(owner: Any, name: str, new: Any) -> None:
        old = getattr(owner, name)
        setattr(owner, name, new)
        undo.append(lambda: setattr(owner, name, old))

    real_open, real_sync, real_access = io.open, os.fsync, os.access

    def faulty_open(path: Any, mode: str = "r", buffering: int = -1, *text: Any, **more: Any) -> Any:
        if not WRITING & set(mode) or not faults.below(path):
            return real_open(path, mode, buffering, *text, **more)
        faults.check("open", path)
        plain, opener = mode.replace("b", "").replace("t", ""), more.pop("opener", None)
        raw = FaultyFile(path, plain, faults, opener)
        file = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return file if "b" in mode else io.TextIOWrapper(file, *text, **more)

    def faulty_sync(handle: Any) -> None:
        number = handle if isinstance(handle, int) else handle.fileno()
        faults.check(SYNC, os.readlink(f"/proc/self/fd/{number}"))
        real_sync(handle)

    def faulty(kind: str, real: Any) -> Any:
        def call(path: Any, *others: Any, **more: Any) -> Any:
            if "dir_fd" not in more or more["dir_fd"] is None:  # shutil.rmtree counts by its outermost call
                faults.check(kind, path)
            return real(path, *others, **more)

        return call

    def faulty_access(path: Any, mode: int, **more: Any) -> bool:
        refused = faults.error == errno.EROFS and mode & os.W_OK and faults.below(path)
        return not refused and real_access(path, mode, **more)

    for module in (io, builtins):
        replace(module, "open", faulty_open)
    replace(os, "fsync", faulty_sync)
    replace(os, "access", faulty_access)
    kinds = {"replace": RENAME, "rename": RENAME, "mkdir": "make", "unlink": "remove", "rmdir": "remove"}
    for name, kind in kinds.items():
        replace(os, name, faulty(kind, getattr(os, name)))
    _replace_table_makers(faults, replace)
    try:
        yield faults
    finally:
        for step in reversed(undo):
            step()


def _replace_table_makers(faults: Faults, replace: Callable[[Any, str, Any], None]) -> None:
    """Let the functions that make tables fail, wherever a module has them by name."""
    from solvent.foundation.kernels import memory

    def faulty(real: Any) -> Any:
        def make(*given: Any) -> Any:
            faults.check(TABLE)
            return real(*given)

        return make

    for name in ("new_table", "new_area"):
        real = getattr(memory, name)
        made = faulty(real)
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("solvent") and getattr(module, name, None) is real:
                replace(module, name, made)
