"""How many bytes a second this machine streams through its memory, and how many an iteration moves."""

from __future__ import annotations

import time

import numpy as np

from solvent.foundation.kernels.threads import on_each

STREAMED_BYTES = 1 << 28
"""Bytes that each thread streams: many times what caches hold."""
MOVES = 5
"""How often an iteration moves a number: regrets are read on the way down and on the way up and written once,
averages are read and written once."""


def streamed_bytes_per_second(threads: int, repeats: int = 5, count: int = STREAMED_BYTES) -> float:
    """The most of several runs in which each thread scales an array of its own in place.

    Every number is read once and written once, as tables are, so nothing is moved that is not counted.
    """
    arrays = [np.ones(count // 4, dtype=np.float32) for _ in range(threads)]

    def scale(which: int) -> None:
        np.multiply(arrays[which], np.float32(1), out=arrays[which])

    on_each(scale, threads)
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        on_each(scale, threads)
        best = max(best, 2 * count * threads / (time.perf_counter() - start))
    return best


def moved_bytes(cells: int, dtype: str) -> int:
    """Bytes of tables that an iteration reads and writes: 20 for each of `cells` in float32, 10 in int16."""
    return MOVES * np.dtype(dtype).itemsize * cells
