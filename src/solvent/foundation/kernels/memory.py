"""The memory of this process as the system counts it, and arrays in pages of a chosen size."""

from __future__ import annotations

import ctypes
import gc
import mmap
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

Made = TypeVar("Made")


def with_peak_memory(work: Callable[[], Made]) -> tuple[Made, int | None]:
    """The result of `work`, and the bytes by which the process grew at most meanwhile; None where unknown."""
    gc.collect()
    give_back_memory()
    before = status("VmRSS") if reset_peak() else None
    made = work()
    peak = status("VmHWM")
    return made, None if before is None or peak is None else max(0, peak - before)


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back_memory() -> None:
    """Return freed memory to the system, so that using it again counts as growth."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # glibc alone has it
        return


def reset_peak() -> bool:
    """Reset the high-water mark of resident memory; False where the system cannot."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def status(key: str, process: int | None = None) -> int | None:
    """The bytes that Linux reports under `key`, such as VmRSS, for this or another process; None elsewhere."""
    try:
        lines = Path(f"/proc/{process or 'self'}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":")), None)


def new_table(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """A table of zeros. All tables of regrets, averages and values are made here, or from a `new_area`."""
    return np.zeros(shape, dtype=dtype)


def new_area(size: int) -> mmap.mmap:
    """Zeros, a number of bytes, of which parts can be given back to the system."""
    return mmap.mmap(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def zeros_in_pages(count: int, huge: bool) -> NDArray[np.float32]:
    """float32[count] zeros in pages of 2 MB (`huge`) or 4 KB, as far as the system grants them.

    Every page is touched, so that later writes cause no page faults.
    """
    area = new_area(4 * count)
    area.madvise(mmap.MADV_HUGEPAGE if huge else mmap.MADV_NOHUGEPAGE)
    zeros = np.frombuffer(area, dtype=np.float32)
    zeros[:: mmap.PAGESIZE // 4] = 0
    return zeros
