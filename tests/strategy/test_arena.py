"""Arenas: blocks come, go and return, and nothing else moves a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.strategy.arena import ABSENT, Arena

NAMES = ("regret", "average")
STEPS = st.sampled_from(["add", "grow", "free", "compact", "write", "save"])


class Model:
    """An arena beside a dictionary of its blocks: what is asked of one is asked of both."""

    def __init__(self, sizes: list[int]) -> None:
        self.given, self.sizes = list(sizes), list(sizes)
        self.arena = Arena(np.array(sizes, dtype=np.int64), NAMES, np.float64)
        self.blocks: dict[int, np.ndarray] = {}

    def step(self, number: int, step: str, which: int) -> None:
        block = which % max(1, len(self.sizes))
        if step == "add":
            added = [which % 4, which % 3][: 1 + which % 2]
            numbers = self.arena.add(added).tolist()
            assert numbers == list(range(len(self.sizes), len(self.sizes) + len(added)))
            self.sizes += added
            self.blocks |= {k: np.zeros((2, self.sizes[k])) for k in numbers}
        elif step == "compact":
            self.arena.compact()
            assert self.arena.capacity == self.arena.stored
        elif step == "save":
            self.reopen()
        elif not self.sizes:
            return
        elif step == "grow":
            self.arena.grow([block])
            self.blocks.setdefault(block, np.zeros((2, self.sizes[block])))
        elif step == "free":
            self.arena.free([block])
            self.blocks.pop(block, None)
        elif block in self.blocks:
            for k, name in enumerate(NAMES):
                values = number + 1 + k / 2 + np.arange(self.sizes[block])
                self.arena.block(name, block)[:] = self.blocks[block][k] = values

    def reopen(self) -> None:
        """Go on with another arena that has been restored from what this one saves."""
        before = self.arena
        self.arena = Arena(np.array(self.given, dtype=np.int64), NAMES, np.float64)
        self.arena.restore(before.save())
        for name in ("used", "stored", "capacity", "bytes"):
            assert getattr(self.arena, name) == getattr(before, name)

    def check(self) -> None:
        arena = self.arena
        assert set(np.flatnonzero(arena.offset != ABSENT)) == set(self.blocks)
        assert arena.stored == sum(self.sizes[b] for b in self.blocks) <= arena.used <= arena.capacity
        whole = [[np.zeros(size) for size in self.sizes] for _ in NAMES]
        for b, expected in self.blocks.items():
            for k, name in enumerate(NAMES):
                assert (arena.block(name, b) == expected[k]).all()
                whole[k][b] = expected[k]
        for k, name in enumerate(NAMES):
            assert (arena.spread(name) == np.concatenate([np.zeros(0), *whole[k]])).all()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 5), max_size=12),
    st.lists(st.tuples(STEPS, st.integers(0, 23)), max_size=40),
)
def test_an_arena_is_a_dictionary_of_blocks(sizes: list[int], steps: list[tuple[str, int]]) -> None:
    model = Model(sizes)
    for number, (step, which) in enumerate(steps):
        model.step(number, step, which)
        model.check()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.lists(st.tuples(STEPS, st.integers(0, 23)), max_size=40),
    st.integers(0, 39),
)
def test_a_restored_arena_takes_the_same_memory_for_ever_after(
    sizes: list[int], steps: list[tuple[str, int]], stop: int
) -> None:
    undisturbed, resumed = Model(sizes), Model(sizes)
    for number, (step, which) in enumerate(steps):
        if step == "save":
            continue
        undisturbed.step(number, step, which)
        resumed.step(number, step, which)
        if number == stop:
            resumed.reopen()
        assert undisturbed.arena.bytes == resumed.arena.bytes
        resumed.check()


def test_full_has_every_block_in_order() -> None:
    arena = Arena.full(np.array([2, 3, 1]), ("regret",), np.float32)
    assert arena.offset.tolist() == [0, 2, 5]
    assert arena.bytes == 6 * 4


def test_compacting_gives_memory_back() -> None:
    arena = Arena.full(np.full(1000, 100), NAMES, np.float64)
    before = arena.bytes
    arena.free(range(0, 1000, 2))
    arena.compact()
    assert arena.bytes == before // 2


def test_an_absent_block_has_no_view() -> None:
    with pytest.raises(KeyError):
        Arena(np.array([1]), ("regret",), np.float64).block("regret", 0)


def test_what_was_saved_of_another_arena_is_refused() -> None:
    saved = Arena.full(np.array([2, 3]), NAMES, np.float64).save()
    with pytest.raises(ValueError, match="stored"):
        Arena(np.array([5]), NAMES, np.float64).restore(saved)
    with pytest.raises(ValueError, match="average"):
        Arena(np.array([2, 3]), NAMES, np.float64).restore(saved | {"average": np.zeros(4)})
    with pytest.raises(ValueError, match="room"):
        Arena(np.array([2, 3]), NAMES, np.float64).restore(saved | {"room": np.array([3, 2])})
    with pytest.raises(ValueError, match="-1 numbers"):
        Arena(np.array([2, 3]), NAMES, np.float64).add([1, -1])
