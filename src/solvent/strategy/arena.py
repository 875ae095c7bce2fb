"""Arenas: tables of numbers kept by block, so that blocks can come, go and return.

Regrets, averages and whatever else a rule keeps are flat tables that share one table of offsets: block b of
every table begins at `offset[b]`, and -1 means that the block is absent. `add`, `grow`, `free` and `compact`
are the only writers of that table. A block keeps its number for as long as the arena lives: what is freed and
grown again, or moved by `compact`, is found under the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.memory import give_back_memory, new_table

ABSENT = -1
LARGE = 1 << 20
"""Bytes from which freed memory is given back to the system at once."""


class Arena:
    """Named tables over the same blocks. `sizes[b]` is how many numbers block b has in each table."""

    def __init__(self, sizes: NDArray[np.int64], names: Sequence[str], dtype: DTypeLike) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.offset = np.full(len(self.sizes), ABSENT, dtype=np.int64)
        self.used = 0
        """Place of the next block: numbers before this belong to blocks, present or freed."""
        self.stored = 0
        """Numbers per table in blocks that are present."""
        self._given = len(self.sizes)
        """Blocks that the arena was made with; those after them were added."""
        self._tables = {name: new_table(0, dtype) for name in names}

    @classmethod
    def full(cls, sizes: NDArray[np.int64], names: Sequence[str], dtype: DTypeLike) -> Arena:
        """An arena with every block present, in order, zero."""
        arena = cls(sizes, names, dtype)
        ends = np.cumsum(arena.sizes)
        arena.offset[:] = ends - arena.sizes
        arena.used = arena.stored = int(ends[-1]) if len(ends) else 0
        arena._tables = {name: new_table(arena.used, dtype) for name in names}
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
        """Memory that the tables take, room to spare included."""
        return sum(table.nbytes for table in self._tables.values())

    @property
    def tables(self) -> dict[str, NDArray[np.floating]]:
        """Every table by name."""
        return dict(self._tables)

    def table(self, name: str) -> NDArray[np.floating]:
        """A whole table; block b is `table[offset[b] : offset[b] + sizes[b]]`.

        The array is out of date after `add`, `grow` and `compact`.
        """
        return self._tables[name]

    def block(self, name: str, block: int) -> NDArray[np.floating]:
        """A view of one block that is present."""
        start = self.offset[block]
        if start == ABSENT:
            raise KeyError(f"block {block} is absent")
        return self._tables[name][start : start + self.sizes[block]]

    # Blocks come and go

    def add(self, sizes: Iterable[int], present: bool = True) -> NDArray[np.int64]:
        """Append new blocks of these sizes, zero, or absent if they are not `present`; returns their numbers."""
        new = np.array(list(sizes), dtype=np.int64)
        if (new < 0).any():
            raise ValueError(f"a block cannot have {new.min()} numbers")
        blocks = np.arange(len(self.sizes), len(self.sizes) + len(new))
        self.sizes = np.concatenate([self.sizes, new])
        self.offset = np.concatenate([self.offset, np.full(len(new), ABSENT, dtype=np.int64)])
        if present:
            self.grow(blocks)
        return blocks

    def reserve(self, numbers: int) -> None:
        """Make room for this many more numbers in each table, and for none beyond them."""
        if self.used + numbers > self.capacity:
            self._resize(self.used + numbers)

    def grow(self, blocks: Iterable[int]) -> None:
        """Make absent blocks present, zero in every table."""
        needed = int(_place(self.offset, self.sizes, _numbers(blocks), self.used))
        if needed > self.capacity:
            self._resize(max(needed, self.capacity + self.capacity // 8))
        for table in self._tables.values():
            table[self.used : needed] = 0
        self.stored += needed - self.used
        self.used = needed

    def free(self, blocks: Iterable[int]) -> None:
        """Forget the numbers of blocks. The next `compact` gives their room back."""
        self.stored -= int(_remove(self.offset, self.sizes, _numbers(blocks)))

    def compact(self) -> None:
        """Close the gaps that freed blocks left, put the blocks in order, and give the memory back."""
        source = self.places
        present = np.flatnonzero(self.offset != ABSENT)
        before = self.bytes
        for name, table in self._tables.items():  # one after another: each is in memory twice for a moment
            self._tables[name] = table[source]
        self.offset[present] = np.cumsum(self.sizes[present]) - self.sizes[present]
        self.used = self.stored
        if before - self.bytes > LARGE:
            give_back_memory()

    # Checkpoints

    def load(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take over whole tables; a ValueError if they are not of this shape and number type."""
        for name, table in self._tables.items():
            saved = tables.get(name)
            if saved is None or saved.shape != table.shape or saved.dtype != table.dtype:
                raise ValueError(name)
            table[:] = saved

    def spread(self, name: str) -> NDArray[np.floating]:
        """A table with a place for every block, in order, and 0 where one is absent."""
        table = self._tables[name]
        whole = new_table(int(self.sizes.sum()), table.dtype)
        whole[np.repeat(self.offset != ABSENT, self.sizes)] = table[self.places]
        return whole

    def save(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs: tables by name, which blocks are `stored`, the `room`, `sizes` of added blocks.

        The room, int64[2], is `used` and `capacity`. They decide when tables are next made larger or compacted,
        so that a run that is resumed takes the same memory as one that was never stopped.
        """
        saved: dict[str, NDArray[Any]] = {name: self.spread(name) for name in self._tables}
        saved |= {"stored": self.offset != ABSENT, "room": np.array([self.used, self.capacity])}
        if len(self.sizes) > self._given:
            saved["sizes"] = self.sizes[self._given :]
        return saved

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Become the arena that `save` described; a ValueError if it had other tables or blocks."""
        added = saved.get("sizes", self.sizes[:0])
        given = self.sizes[: self._given]
        sizes = np.concatenate([given, added]) if len(added) else given
        stored = saved.get("stored")
        if stored is None or stored.shape != sizes.shape or (sizes < 0).any():
            raise ValueError("stored")
        total, count = int(sizes.sum()), int(sizes[stored].sum())
        used, capacity = (int(number) for number in saved["room"])
        if not count <= used <= capacity <= total + total // 8 + used:
            raise ValueError("room")
        for name, table in self._tables.items():
            whole = saved.get(name)
            if whole is None or whole.shape != (total,) or whole.dtype != table.dtype:
                raise ValueError(name)
        keep = np.repeat(stored, sizes)
        for name, table in self._tables.items():
            self._tables[name] = new_table(capacity, table.dtype)
            self._tables[name][:count] = saved[name][keep]
        self.sizes = sizes
        self.offset = np.where(stored, np.cumsum(sizes * stored) - sizes, ABSENT)
        self.used, self.stored = used, count

    @property
    def places(self) -> NDArray[np.int64]:
        """The places of the present blocks' numbers in the tables, block by block in order."""
        present = np.flatnonzero(self.offset != ABSENT)
        sizes = self.sizes[present]
        starts = np.cumsum(sizes) - sizes
        places: NDArray[np.int64] = np.repeat(self.offset[present] - starts, sizes) + np.arange(self.stored)
        return places

    def _resize(self, capacity: int) -> None:
        for name, table in self._tables.items():
            larger = new_table(capacity, table.dtype)
            larger[: self.used] = table[: self.used]
            self._tables[name] = larger


def _numbers(blocks: Iterable[int]) -> NDArray[np.int64]:
    return np.ascontiguousarray(blocks if isinstance(blocks, np.ndarray) else list(blocks), dtype=np.int64)


@kernel
def _place(offset, sizes, blocks, used):  # type: ignore[no-untyped-def]
    """Place the absent ones of some blocks one after another from `used` on; returns where the last one ends."""
    for n in range(len(blocks)):
        block = blocks[n]
        if offset[block] == ABSENT:
            offset[block] = used
            used += sizes[block]
    return used


@kernel
def _remove(offset, sizes, blocks):  # type: ignore[no-untyped-def]
    """Make blocks absent; returns how many numbers those that were present had."""
    gone = 0
    for n in range(len(blocks)):
        block = blocks[n]
        if offset[block] != ABSENT:
            offset[block] = ABSENT
            gone += sizes[block]
    return gone
