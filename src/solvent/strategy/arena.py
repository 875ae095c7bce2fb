"""Arenas: tables of numbers kept by block, so that blocks can come and go.

Regrets, averages and whatever else a rule keeps are flat tables that share one table of offsets: block b of
every table begins at `offset[b]`, and -1 means that the block is absent. `grow`, `free` and `compact` are the
only writers of that table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.foundation.memory import give_back_memory

ABSENT = -1
LARGE = 1 << 20
"""Bytes from which what has been freed is given back to the system at once."""


class Arena:
    """Named tables over the same blocks. `sizes[b]` is how many numbers block b has in each table."""

    def __init__(self, sizes: NDArray[np.int64], names: Sequence[str], dtype: DTypeLike) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.offset = np.full(len(self.sizes), ABSENT, dtype=np.int64)
        self.used = 0
        """Numbers up to here belong to blocks, present or freed."""
        self.stored = 0
        """Numbers per table in blocks that are present."""
        self._tables = {name: np.zeros(0, dtype=dtype) for name in names}

    @classmethod
    def full(cls, sizes: NDArray[np.int64], names: Sequence[str], dtype: DTypeLike) -> Arena:
        """An arena with every block present, in order, zero."""
        arena = cls(sizes, names, dtype)
        ends = np.cumsum(arena.sizes)
        arena.offset[:] = ends - arena.sizes
        arena.used = arena.stored = int(ends[-1]) if len(ends) else 0
        arena._tables = {name: np.zeros(arena.used, dtype=dtype) for name in names}
        return arena

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tables)

    @property
    def capacity(self) -> int:
        """Numbers that each table has room for."""
        return len(next(iter(self._tables.values()), ()))

    @property
    def bytes(self) -> int:
        """What the tables hold in memory."""
        return sum(table.nbytes for table in self._tables.values())

    @property
    def tables(self) -> dict[str, NDArray[np.floating]]:
        """Every table by name."""
        return dict(self._tables)

    def table(self, name: str) -> NDArray[np.floating]:
        """A whole table; block b is `table[offset[b] : offset[b] + sizes[b]]`. Stale after `grow` and `compact`."""
        return self._tables[name]

    def block(self, name: str, block: int) -> NDArray[np.floating]:
        """A view of one block that is present."""
        start = self.offset[block]
        if start == ABSENT:
            raise KeyError(f"block {block} is absent")
        return self._tables[name][start : start + self.sizes[block]]

    def load(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take over tables that were saved; a ValueError if they are not of this shape and number type."""
        for name, table in self._tables.items():
            saved = tables.get(name)
            if saved is None or saved.shape != table.shape or saved.dtype != table.dtype:
                raise ValueError(name)
            table[:] = saved

    def grow(self, blocks: Iterable[int]) -> None:
        """Make absent blocks present, zero in every table."""
        wanted = _numbers(blocks)
        wanted = wanted[self.offset[wanted] == ABSENT]
        ends = self.used + np.cumsum(self.sizes[wanted])
        needed = int(ends[-1]) if len(ends) else self.used
        if needed > self.capacity:
            self._resize(max(needed, self.capacity + self.capacity // 8))
        self.offset[wanted] = ends - self.sizes[wanted]
        for table in self._tables.values():
            table[self.used : needed] = 0
        self.stored += needed - self.used
        self.used = needed

    def free(self, blocks: Iterable[int]) -> None:
        """Forget blocks. Their room is given back by the next `compact`."""
        gone = _numbers(blocks)
        gone = gone[self.offset[gone] != ABSENT]
        self.offset[gone] = ABSENT
        self.stored -= int(self.sizes[gone].sum())

    def compact(self) -> None:
        """Close the gaps that freed blocks left, put the blocks in order, and give the memory back."""
        present = np.flatnonzero(self.offset != ABSENT)
        sizes = self.sizes[present]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        within = np.arange(total) - np.repeat(ends - sizes, sizes)
        source = np.repeat(self.offset[present], sizes) + within
        before = self.bytes
        for name, table in self._tables.items():  # one after another: each is in memory twice for a moment
            self._tables[name] = table[source]
        self.offset[present] = ends - sizes
        self.used = total
        if before - self.bytes > LARGE:
            give_back_memory()

    def _resize(self, capacity: int) -> None:
        for name, table in self._tables.items():
            larger = np.zeros(capacity, dtype=table.dtype)
            larger[: self.used] = table[: self.used]
            self._tables[name] = larger


def _numbers(blocks: Iterable[int]) -> NDArray[np.int64]:
    """Block numbers, each once."""
    given = blocks if isinstance(blocks, np.ndarray) else np.fromiter(blocks, dtype=np.int64)
    return np.unique(given)
