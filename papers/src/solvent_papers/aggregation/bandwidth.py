"""How fast this machine reads, changes and writes memory: the limit that full-width CFR runs against."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from solvent.foundation.kernels.compiling import compiled
from solvent.foundation.kernels.threads import on_each

MEGABYTES = 256
"""Bytes of each thread's array, which must be larger than the last cache."""
REPEATS = 7
BYTES_PER_FLOAT = 8
"""4 read and 4 written."""


@compiled
def _add(values: Any, addend: Any) -> None:
    for k in range(len(values)):
        values[k] += addend


def bandwidth(threads: int = 1, megabytes: int = MEGABYTES, repeats: int = REPEATS) -> float:
    """Bytes a second read and written back by threads that each add to a float32 array, at best."""
    arrays = [np.zeros(megabytes * 10**6 // 4, dtype=np.float32) for _ in range(threads)]
    addend = np.float32(1)
    _add(arrays[0][:1], addend)
    best = float("inf")
    for _ in range(repeats + 1):  # the first one only brings the pages in
        start = time.perf_counter()
        on_each(lambda worker: _add(arrays[worker], addend), threads)
        best = min(best, time.perf_counter() - start)
    return BYTES_PER_FLOAT * sum(map(len, arrays)) / best


def bandwidths(threads: int) -> dict[int, float]:
    """`bandwidth` with each number of threads from 1 up."""
    return {count: bandwidth(count) for count in range(1, threads + 1)}
