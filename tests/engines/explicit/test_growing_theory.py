"""Discounts, Proposition 1 and the log of additions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvent.engines.explicit.growing.additions import Addition, AdditionLog
from solvent.engines.explicit.growing.discounts import (
    PlayerRegrets,
    discount,
    discount_cap,
    recommended_discount,
    recovery_iterations,
)
from solvent.engines.explicit.growing.proposition import Candidate, gain, pays
from solvent.foundation.errors import InputError

NUMBERS = st.floats(0.0, 1e6)


@given(NUMBERS, NUMBERS, NUMBERS, st.floats(1e-3, 1e6))
def test_discounts_are_above_zero_and_at_most_one(before, inside, head, total):
    player = PlayerRegrets(10, 3, 4.0, before, inside, before + inside + head)
    cap, recommended = discount_cap(player, total), recommended_discount(player, total)
    assert 0 < recommended <= cap <= 1
    assert discount([player, player], total, "cap") == cap


def test_cap_is_equation_8():
    player = PlayerRegrets(infosets=5, actions=2, payoff_range=3.0, before=0, inside=0, after=1000.0)
    assert discount_cap(player, 4.0) == pytest.approx(5 * 9 * 2 * 4 / 1000)
    assert discount_cap(player, 400.0) == 1.0


def test_recommended_discount_is_equation_22_and_falls_back_on_the_cap():
    assert recommended_discount(PlayerRegrets(99, 9, 99.0, 3.0, 1.0, 16.0), 1e6) == 0.25
    nothing_before = PlayerRegrets(5, 2, 3.0, 0.0, 0.0, 1000.0)
    assert recommended_discount(nothing_before, 4.0) == discount_cap(nothing_before, 4.0)


def test_action_without_regret_gives_one():
    player = PlayerRegrets(10, 3, 4.0, 7.0, 2.0, 9.0)
    assert discount([player], 100.0, "recommended") == 1.0
    with pytest.raises(InputError, match="no discount"):
        discount([player], 100.0, "half")  # type: ignore[arg-type]


def test_recovery_iterations():
    assert recovery_iterations(0.0) == 1
    assert recovery_iterations(12.0) == 12


@given(st.floats(0.1, 1e4), st.integers(10, 10_000), st.floats(0.01, 1e4), st.integers(1, 1000))
def test_proposition_is_the_papers_inequality(inside, nodes, regret, size):
    total = 50.0
    left = inside / nodes
    right = (inside + 2 * regret - regret / total) / (nodes + size)
    found = gain(inside, nodes, Candidate(regret, size), total)
    assert found == pytest.approx(right - left, abs=1e-9)
    if not pays(inside, nodes, Candidate(regret, size), total):
        assert not pays(inside, nodes, Candidate(regret, size), total, factor=1.1)


def test_nothing_is_worth_adding_without_regret():
    assert not pays(0.0, 10, Candidate(0.0, 5), 100.0)
    with pytest.raises(InputError, match="factor"):
        pays(1.0, 10, Candidate(1.0, 5), 100.0, factor=0.0)


def test_log_returns_from_json_and_its_order_counts():
    first = Addition("start", 0, 1 / 3, "recovery", 10, 10.0, 0.9, 0.01)
    second = Addition("k on Q", 7, 0.1, "transfer", 20, 19.0, 1.0, 0.002, source=9)
    log = AdditionLog([first])
    log.append(second)
    again = AdditionLog.from_json(log.to_json())
    assert list(again) == [first, second]
    assert again.fingerprint("base") == log.fingerprint("base")
    assert AdditionLog([second, first]).fingerprint("base") != log.fingerprint("base")
    with pytest.raises(InputError, match="log of additions"):
        AdditionLog.from_json("[{}]")
