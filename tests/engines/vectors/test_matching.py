"""Regret matching and the regret update: every version against the equations, written out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solvent.engines.vectors.matching import (
    NOTHING,
    added,
    expected_regret,
    gain_of,
    instantaneous,
    match_arrays,
    match_row,
    share_of,
    update_arrays,
    updated,
)

regrets = st.lists(st.floats(-100, 100), min_size=1, max_size=6)


def matched(regret: Sequence[float]) -> list[float]:
    """sigma ~ max(0, R), uniform where no sum of regrets is above `NOTHING`."""
    positive = [max(r, 0.0) for r in regret]
    total = sum(positive)
    return [p / total if total > NOTHING else 1 / len(regret) for p in positive]


@given(regrets)
@example([2.2250738585e-313])
@example([1e-313, 1e-313, 0.0])
def test_every_version_plays_positive_regrets_in_proportion(regret: list[float]) -> None:
    wanted = pytest.approx(matched(regret), abs=1e-12)
    table, row = np.array([7.0, *regret]), np.zeros(len(regret) + 2)
    match_row.py_func(table, 1, len(regret), row, 2)
    assert row[2:] == wanted
    assert match_arrays(np, np.array(regret)) == wanted
    positive = [max(expected_regret.py_func(regret, [], k, 0.0), 0.0) for k in range(len(regret))]
    assert [share_of.py_func(p, sum(positive), 1 / len(regret)) for p in positive] == wanted


@given(regrets, st.data())
def test_actions_without_a_block_are_not_played(regret: list[float], data: st.DataObject) -> None:
    stored = data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(regret), max_size=len(regret)))
    found = match_arrays(np, np.array(regret), np.array(stored))
    kept = [k for k, there in enumerate(stored) if there]
    assert found[kept] == pytest.approx(matched([regret[k] for k in kept]) if kept else [], abs=1e-12)
    assert not np.delete(found, kept).any()


@given(
    st.floats(-50, 50),
    st.floats(-50, 50),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, -math.inf]),
)
def test_every_version_updates_alike(
    regret: float, gained: float, positive: float, negative: float, floor: float
) -> None:
    total = regret + gained
    wanted = max(floor, total * (positive if total > 0 else negative))
    assert updated.py_func(regret, gained, positive, negative, floor) == wanted
    given_floor = None if floor == -math.inf else floor
    arrays = update_arrays(np, np.array([regret]), np.array([gained]), (positive, negative), given_floor)
    assert arrays[0] == wanted
    assert added.py_func(regret, gained, floor) == max(floor, total)
    assert update_arrays(np, np.array([regret]), np.array([gained]), None, given_floor)[0] == max(
        floor, total
    )


@given(regrets, st.data())
def test_regrets_are_values_less_their_mean(value: list[float], data: st.DataObject) -> None:
    sigma = matched(data.draw(st.lists(st.floats(-1, 1), min_size=len(value), max_size=len(value))))
    gain = gain_of.py_func(sigma, value, 0, len(value))
    mean = sum(s * v for s, v in zip(sigma, value, strict=True))
    found = [instantaneous.py_func(v, value[0], gain) for v in value]
    assert found == pytest.approx([v - mean for v in value], abs=1e-9)


def test_actions_of_equal_value_have_no_regret() -> None:
    value = [0.1 + 0.2] * 3  # whose mean by thirds is another number
    gain = gain_of.py_func([1 / 3] * 3, value, 0, 3)
    assert [instantaneous.py_func(v, value[0], gain) for v in value] == [0.0] * 3


def test_a_last_regret_is_expected_again() -> None:
    assert expected_regret.py_func([1.0, 2.0], [4.0, -8.0], 1, 0.5) == -2.0
