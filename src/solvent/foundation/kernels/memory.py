"""The memory of this process as the system counts it, and new tables."""

from __future__ import annotations

import ctypes
import mmap
import resource
import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


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


def new_table(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """A table of zeros. All tables of regrets, averages and values are made here, or from a `new_area`."""
    return np.zeros(shape, dtype=dtype)


def new_area(size: int) -> mmap.mmap:
    """Zeros, a number of bytes, of which parts can be given back to the system."""
    return mmap.mmap(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
