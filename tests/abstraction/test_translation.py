"""The pseudo-harmonic mapping against its known values, and how often bets are taken for which."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.abstraction.betting.translation import NONE, lower_share, pot_part, translate, translation
from solvent.forms.betting.kernels import BETTING_EDGE


@pytest.mark.parametrize(
    ("below", "above", "size", "share"), [(0, 1, 0.5, 1 / 3), (0.5, 1, 0.75, 3 / 7), (1, 2, 1.5, 0.4)]
)
def test_known_shares(below, above, size, share):
    assert lower_share(size, below, above) == pytest.approx(share)


@pytest.mark.parametrize(("below", "above", "median"), [(0, 1, 1 / 3), (0, 1 / 3, 1 / 7), (1 / 3, 1, 3 / 5)])
def test_known_medians(below, above, median):
    """Both are equally likely at (A + B + 2AB) / (A + B + 2)."""
    assert median == pytest.approx((below + above + 2 * below * above) / (below + above + 2))
    assert lower_share(median, below, above) == pytest.approx(0.5)


@settings(deadline=None)
@given(st.fractions(0, 50), st.fractions(Fraction(1, 100), 50), st.fractions(0, 1))
def test_shares_are_those_of_exact_arithmetic(below, wide, part):
    above, size = below + wide, below + wide * part
    exact = (above - size) * (1 + below) / ((above - below) * (1 + size))
    assert lower_share(float(size), float(below), float(above)) == pytest.approx(float(exact), abs=1e-9)


def edges_of(actions):
    edges = np.zeros(len(actions), dtype=BETTING_EDGE)
    edges["action"] = actions
    return edges


ACTIONS = [-1, 0, 300, 700, 20_000]
"""Facing 100: fold, call, bets of 1 pot, 3 pots and all-in."""


def taken_for(size, all_in=False, calls=True, actions=ACTIONS, draws=10_000):
    """How often each action is what a bet of `size` is taken for."""
    edges = edges_of(actions)
    found = [
        translate(size, all_in, edges, 0, len(actions), 100, 20_000, calls, (k + 0.5) / draws)
        for k in range(draws)
    ]
    return [found.count(edge) / draws for edge in range(len(actions))]


@pytest.mark.parametrize("size", [0.01, 0.4, 1.0, 1.7, 2.9, 3.0, 50.0, 99.5, 200.0])
def test_bets_are_taken_for_their_neighbours(size):
    sizes = [pot_part(total, 100) for total in ACTIONS[2:]]
    assert sizes == [1.0, 3.0, 99.5]
    np.testing.assert_allclose(taken_for(size), [0, *translation(size, sizes)], atol=2e-4)


def test_all_in_is_all_in_where_there_is_that():
    assert taken_for(0.2, all_in=True) == [0, 0, 0, 0, 1]
    np.testing.assert_allclose(
        taken_for(2.0, True, actions=ACTIONS[:4]), [0, 0, *translation(2.0, [1, 3])[1:]], atol=2e-4
    )


def test_where_there_is_no_bet_there_is_none():
    assert translate(1.0, False, edges_of([-1, 0]), 0, 2, 100, 20_000, True, 0.5) == NONE


def test_an_agents_own_small_bet_stays_a_bet():
    assert taken_for(0.01, calls=False)[2] == 1
