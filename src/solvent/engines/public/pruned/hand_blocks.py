"""Tables of numbers by block and hand, which every hand of every block can leave and enter again.

A block is an action, or a node, on one board. It holds numbers for some of its hands: a bit mask says for which,
and the numbers lie side by side in the order of the hands. The tables lie in memory that the system grants page
by page: room for every hand of every block is reserved, and takes nothing until it is written. `compact` closes
gaps in place and gives the pages behind the last number back, so that resident memory follows what is stored.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.kernels.compiling import internal, joined, kernel
from solvent.foundation.kernels.intrinsics import lowest_bit
from solvent.foundation.kernels.memory import new_area, new_table

Array = Any

ABSENT, ELSEWHERE = -1, -2
"""Offsets of blocks without numbers: nothing is stored; or it is read from another table (see `coarse_start`)."""
WORD = 64
"""Hands in a word of a mask."""
ROOM = 1.25
"""Tables are compacted when they reach this many times as far as what is stored."""
SPARE = 4096
"""Numbers of room beyond one for every hand of every block."""


class Stored(NamedTuple):
    """The hands of each block that have numbers, and the places of these."""

    mask: Array
    """int64[blocks, words]: bit h % 64 of word h // 64 is hand h."""
    count: Array
    """int32[blocks]: hands of a block that have numbers."""
    offset: Array
    """int64[blocks]: where a block's numbers begin; below 0 where it has none."""
    room: Array
    """int64[3]: the place of the next block, the end of the room, and the numbers stored."""


class HandBlocks:
    """Named tables over the same blocks and hands."""

    def __init__(self, slots: NDArray[np.int32], names: Sequence[str], dtype: Any) -> None:
        """Make empty tables; block b has up to `slots[b]` hands."""
        blocks, most = len(slots), int(slots.max(initial=0))
        self.names, self.dtype, self.slots = tuple(names), np.dtype(dtype), slots
        capacity = int(self.slots.sum(dtype=np.int64)) + SPARE
        words = max(1, -(-most // WORD))
        self.stored = Stored(
            np.zeros((blocks, words), dtype=np.int64),
            np.zeros(blocks, dtype=np.int32),
            np.full(blocks, ABSENT, dtype=np.int64),
            np.array([0, capacity, 0], dtype=np.int64),
        )
        self._areas = [new_area(capacity * self.dtype.itemsize) for _ in self.names]
        self._tables = {
            name: np.frombuffer(area, dtype=self.dtype, count=capacity)
            for name, area in zip(self.names, self._areas, strict=True)
        }

    def table(self, name: str) -> NDArray[Any]:
        """All numbers of one name."""
        return self._tables[name]

    def fill(self) -> None:
        """Store every hand of every block, with 0 in every table."""
        fill_all(self.stored, self.slots)

    @property
    def numbers(self) -> int:
        """Numbers that each table holds."""
        return int(self.stored.room[2])

    @property
    def bytes(self) -> int:
        """Memory of the numbers stored and of their index; gaps, which are closed in time, do not count."""
        index = sum(int(array.nbytes) for array in self.stored[:3])
        return int(self.numbers * self.dtype.itemsize * len(self.names) + index)

    def allow(self, growth: float) -> None:
        """Make room for kernels to add numbers, `growth` times as many as are stored."""
        most = int(self.slots.sum(dtype=np.int64)) + SPARE
        self.stored.room[1] = min(most, int(self.stored.room[0] + growth * self.numbers) + SPARE)

    def compact(self, gaps: float = ROOM) -> None:
        """Close the gaps if the tables reach `gaps` times as far as what is stored, and give memory back."""
        used = int(self.stored.room[0])
        if used <= gaps * self.numbers + SPARE:
            return
        present = np.flatnonzero(self.stored.offset >= 0)
        order = present[np.argsort(self.stored.offset[present])]
        tables = [self._tables[name] for name in self.names]
        for table in tables:
            move_together(self.stored, order, table, table is tables[-1])
        for area in self._areas:
            first = -(-int(self.stored.room[0]) * self.dtype.itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
            last = used * self.dtype.itemsize
            if last > first and hasattr(mmap, "MADV_DONTNEED"):
                area.madvise(mmap.MADV_DONTNEED, first, last - first)

    def dense(self, name: str, blocks: NDArray[np.int64]) -> NDArray[Any]:
        """Spread a table over every hand of every block, in the order of `blocks`; 0 where nothing is stored."""
        slots = self.slots[blocks]
        ends = np.cumsum(slots, dtype=np.int64)
        whole = new_table(int(ends[-1]) if len(ends) else 0, self.dtype)
        spread_all(self.stored, self._tables[name], blocks, ends - slots, slots, whole)
        return whole

    # Checkpoints

    def save(self, kind: str) -> dict[str, NDArray[Any]]:
        """Return the numbers in the order of blocks and hands, and the masks that say whose they are."""
        starts = np.concatenate([[0], np.cumsum(np.maximum(self.stored.count, 0), dtype=np.int64)])
        saved: dict[str, NDArray[Any]] = {
            f"{kind}_mask": self.stored.mask,
            f"{kind}_elsewhere": self.stored.offset == ELSEWHERE,
        }
        for name in self.names:
            numbers = saved[f"{kind}_{name}"] = new_table(self.numbers, self.dtype)
            copy_blocks(self.stored, self._tables[name], starts, numbers)
        return saved

    def restore(self, kind: str, saved: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` returned; a ValueError if that was of other blocks, hands or tables."""
        mask, elsewhere = saved.get(f"{kind}_mask"), saved.get(f"{kind}_elsewhere")
        if mask is None or mask.shape != self.stored.mask.shape or mask.dtype != np.int64:
            raise ValueError(kind)
        if elsewhere is None or elsewhere.shape != self.stored.offset.shape:
            raise ValueError(kind)
        count = np.zeros(len(mask), dtype=np.int32)
        count_bits(mask, count)
        total = int(count.sum(dtype=np.int64))
        if (count > self.slots).any():
            raise ValueError(kind)
        for name in self.names:
            numbers = saved.get(f"{kind}_{name}")
            if numbers is None or numbers.shape != (total,) or numbers.dtype != self.dtype:
                raise ValueError(name)
            self._tables[name][:total] = numbers
        self.stored.mask[:] = mask
        self.stored.count[:] = count
        ends = np.cumsum(count, dtype=np.int64)
        self.stored.offset[:] = np.where(count > 0, ends - count, np.where(elsewhere, ELSEWHERE, ABSENT))
        self.stored.room[0] = self.stored.room[2] = total


@joined
def block_of(places, which, board):  # type: ignore[no-untyped-def]
    """The block of an edge or a node on a board; places: `PrunedLayout.edge_block` or `PrunedLayout.node_block`."""
    return places[which, 0] + board * places[which, 1]


@joined
def holds(stored, block, hand):  # type: ignore[no-untyped-def]
    """Whether a block has a number for a hand."""
    return (stored.mask[block, hand // WORD] >> (hand % WORD)) & 1


@joined
def expand(stored, table, block, slots, out, at, missing):  # type: ignore[no-untyped-def]
    """Write a block's numbers to `out[at : at + slots]`, and `missing` for hands without one."""
    place = stored.offset[block]
    if place < 0:
        for hand in range(slots):
            out[at + hand] = missing
        return
    if stored.count[block] == slots:
        for hand in range(slots):
            out[at + hand] = table[place + hand]
        return
    for hand in range(slots):
        out[at + hand] = missing
    for word in range(stored.mask.shape[1]):
        bits = stored.mask[block, word]
        while bits:
            out[at + word * WORD + lowest_bit(bits)] = table[place]
            place += 1
            bits &= bits - 1


@internal
def put(stored, table, block, slots, wanted, numbers, at):  # type: ignore[no-untyped-def]
    """Write `numbers[at : at + slots]` to a block for those of its hands that are `wanted`."""
    place = stored.offset[block]
    for hand in range(slots):
        if holds(stored, block, hand):
            if wanted[hand] != 0:
                table[place] = numbers[at + hand]
            place += 1


@internal
def add_hands(stored, block, slots, wanted, one, two):  # type: ignore[no-untyped-def]
    """Give a block numbers, 0 at first, for the hands with `wanted`; False if there is no room for them.

    A block that grows moves behind the last one. `one` and `two` are the tables; `two` may be empty.
    """
    fresh = 0
    for hand in range(slots):
        fresh += wanted[hand] != 0 and not holds(stored, block, hand)
    if fresh == 0:
        return True
    total = fresh + stored.count[block]
    target = stored.room[0]
    if target + total > stored.room[1]:
        return False
    source = stored.offset[block]
    place = target
    for hand in range(slots):
        had = holds(stored, block, hand)
        if not had and wanted[hand] == 0:
            continue
        one[place] = one[source] if had else 0
        if len(two):
            two[place] = two[source] if had else 0
        place += 1
        source += had
        stored.mask[block, hand // WORD] |= np.int64(1) << (hand % WORD)
    stored.offset[block] = target
    stored.count[block] = total
    stored.room[0] = target + total
    stored.room[2] += fresh
    return True


@internal
def remove_hands(stored, block, slots, gone, one, two):  # type: ignore[no-untyped-def]
    """Forget a block's numbers for the hands with `gone`; the others close up."""
    source = stored.offset[block]
    if source < 0:
        return
    place = source
    removed = 0
    for hand in range(slots):
        if not holds(stored, block, hand):
            continue
        if gone[hand] != 0:
            stored.mask[block, hand // WORD] &= ~(np.int64(1) << (hand % WORD))
            removed += 1
        else:
            one[place] = one[source]
            if len(two):
                two[place] = two[source]
            place += 1
        source += 1
    stored.count[block] -= removed
    stored.room[2] -= removed
    if stored.count[block] == 0:
        stored.offset[block] = ABSENT


@kernel
def fill_all(stored, slots):  # type: ignore[no-untyped-def]
    """Store all hands of all blocks, one block after another."""
    place = 0
    for block in range(len(slots)):
        for hand in range(slots[block]):
            stored.mask[block, hand // WORD] |= np.int64(1) << (hand % WORD)
        stored.count[block] = slots[block]
        stored.offset[block] = place
        place += slots[block]
    stored.room[0] = place
    stored.room[2] = place


@kernel
def move_together(stored, order, table, last):  # type: ignore[no-untyped-def]
    """Close the gaps between the blocks of one table, in place; with `last` write down where they are now."""
    place = 0
    for n in range(len(order)):
        block = order[n]
        source = stored.offset[block]
        for k in range(stored.count[block]):
            table[place + k] = table[source + k]
        if last:
            stored.offset[block] = place
        place += stored.count[block]
    if last:
        stored.room[0] = place


@kernel
def spread_all(stored, table, blocks, starts, slots, whole):  # type: ignore[no-untyped-def]
    """Write every block's numbers to its place in a table that has one for every hand."""
    for n in range(len(blocks)):
        if stored.offset[blocks[n]] >= 0:
            expand(stored, table, blocks[n], slots[n], whole, starts[n], 0.0)


@kernel
def copy_blocks(stored, table, starts, out):  # type: ignore[no-untyped-def]
    """Copy the numbers that are stored, block after block."""
    for block in range(len(starts) - 1):
        for k in range(stored.count[block]):
            out[starts[block] + k] = table[stored.offset[block] + k]


@kernel
def count_bits(mask, count):  # type: ignore[no-untyped-def]
    """Count the bits that are set in each row of masks."""
    for block in range(len(mask)):
        for word in range(mask.shape[1]):
            bits = mask[block, word]
            while bits:
                count[block] += 1
                bits &= bits - 1
