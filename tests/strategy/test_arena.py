"""Arenas: blocks come and go, and nothing else moves a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.strategy.arena import ABSENT, Arena


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.lists(
        st.tuples(st.sampled_from(["grow", "free", "compact", "write"]), st.integers(0, 11)), max_size=40
    ),
)
def test_an_arena_is_a_dictionary_of_blocks(sizes: list[int], steps: list[tuple[str, int]]) -> None:
    arena = Arena(np.array(sizes), ("regret", "average"), np.float64)
    model: dict[int, np.ndarray] = {}
    for number, (step, which) in enumerate(steps):
        block = which % len(sizes)
        if step == "grow":
            arena.grow([block])
            model.setdefault(block, np.zeros(sizes[block]))
        elif step == "free":
            arena.free([block])
            model.pop(block, None)
        elif step == "compact":
            arena.compact()
            assert len(arena.table("regret")) == sum(sizes[b] for b in model)
        elif block in model:
            arena.block("regret", block)[:] = number + 1
            model[block] = np.full(sizes[block], number + 1.0)
        assert set(np.flatnonzero(arena.offset != ABSENT)) == set(model)
        for b, expected in model.items():
            assert (arena.block("regret", b) == expected).all()
        assert arena.stored == sum(sizes[b] for b in model)


def test_full_has_every_block_in_order() -> None:
    arena = Arena.full(np.array([2, 3, 1]), ("regret",), np.float32)
    assert arena.offset.tolist() == [0, 2, 5]
    assert arena.bytes == 6 * 4


def test_compacting_gives_memory_back() -> None:
    arena = Arena.full(np.full(1000, 100), ("regret", "average"), np.float64)
    before = arena.bytes
    arena.free(range(0, 1000, 2))
    arena.compact()
    assert arena.bytes == before // 2


def test_an_absent_block_has_no_view() -> None:
    with pytest.raises(KeyError):
        Arena(np.array([1]), ("regret",), np.float64).block("regret", 0)
