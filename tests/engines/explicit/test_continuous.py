"""Exploitability in the continuous game: against grids of sizes, against each other, and where it is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracles.continuous_sizes import (
    GridResponse,
    OneRound,
    grid_exploitability,
    grown_tree,
    own_sizes,
    random_strategy,
)
from solvent.engines.explicit.continuous.informed_kernels import peak_between
from solvent.engines.explicit.continuous.measure import (
    informed,
    measure_continuous,
    uninformed,
    uninformed_values,
    within_abstraction,
)
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.kernels import FlatTable
from solvent.engines.explicit.response import evaluate_explicit
from solvent.forms.explicit.tree import DECISION, explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.leduc import Leduc
from solvent.solving.solve import solve


def random_case(rules, seed, additions, sharpness=0.4):
    """A tree with random sizes, its layout and a random strategy."""
    random = np.random.default_rng(seed)
    tree = explicit_tree(rules)
    grown_tree(tree, random, additions)
    return tree, size_tree(tree), random_strategy(tree, random, sharpness)


def plain_table(tree, strategy):
    """A strategy as `evaluate_explicit` reads it."""
    owned = np.isin(tree.parent, np.flatnonzero(tree.kind == DECISION))
    offset = np.where(owned, np.arange(tree.nodes) * len(tree.hands), -1)
    return FlatTable(offset, strategy.ravel())


@pytest.mark.parametrize(
    "sizes",
    [pytest.param(100), pytest.param(1000), pytest.param(10_000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("seed", [266, 293])
def test_grids_of_sizes_tend_to_both_values(sizes, seed):
    tree, laid, strategy = random_case(OneRound(ranks=2, suits=3), seed, 6)
    grid = sorted({*np.linspace(0.01, 1, sizes).tolist(), *own_sizes(tree)})
    exact = uninformed(laid, strategy)
    assert exact.high < informed(laid, strategy).exploitability - 1e-4  # rare in so small a game
    for value, sees in ((exact.low, False), (informed(laid, strategy).exploitability, True)):
        error = value - grid_exploitability(tree, strategy, [grid], sees)
        # Between the abstraction's sizes the worth is smooth where it is largest.
        assert -1e-12 <= error <= 10 / sizes**2


@pytest.mark.parametrize("seed", [1, 3])
def test_two_rounds_agree_with_a_search_by_zooming(seed):
    tree, laid, strategy = random_case(ContinuousLeduc(ranks=2, suits=3), seed, 4)
    second = sorted({*np.linspace(0.01, 1, 8).tolist(), *own_sizes(tree)})
    for exploiter in (0, 1):
        bounds, work = uninformed_values(laid, strategy, exploiter, 1e-6)
        early = tree.board[laid.numbers] == 0
        found = work.found[early][:, :, 2]
        first = sorted({*found[found > 0].tolist(), 0.01, 0.5, 1.0})
        slow = GridResponse(tree, strategy, exploiter, [first, second], False, zooms=(0, 3))
        value = slow.value()
        assert value - 1e-9 <= bounds[:, 1].sum()
        assert value == pytest.approx(bounds[:, 0].sum(), abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from([0.05, 0.3, 1.0, 5.0]))
def test_an_exploiter_who_may_do_more_wins_more(seed, additions, sharpness):
    _, laid, strategy = random_case(ContinuousLeduc(ranks=2, suits=2), seed, additions, sharpness)
    within, seeing = within_abstraction(laid, strategy), informed(laid, strategy)
    true = uninformed(laid, strategy)
    assert 0 <= true.gap <= 1e-6
    for player in (0, 1):
        low, high = true.best_response[player]
        assert within.value[player] - 1e-12 <= within.best_response[player]
        assert within.best_response[player] <= high + 1e-12
        assert low <= high + 1e-12
        assert high <= seeing.best_response[player] + 1e-12
    assert within.value == seeing.value
    assert true.low == pytest.approx(uninformed(laid, strategy, precision=1e-9).low, abs=1e-6)


@pytest.mark.parametrize("sizes", ["1%,100%", "1%,1/3,100%"])
def test_within_the_abstraction_it_is_ordinary_exploitability(sizes):
    tree, laid, strategy = random_case(ContinuousLeduc(sizes), 4, 3)
    ordinary = evaluate_explicit(tree, plain_table(tree, strategy))
    found = within_abstraction(laid, strategy)
    assert found.exploitability == pytest.approx(ordinary.exploitability, abs=1e-12)
    assert found.value == pytest.approx(ordinary.value, abs=1e-12)
    assert found.best_response == pytest.approx(ordinary.best_response, abs=1e-12)


@pytest.mark.parametrize("sees", [False, True])
def test_a_grid_of_the_abstractions_own_sizes_gives_ordinary_exploitability(sees):
    tree, laid, strategy = random_case(ContinuousLeduc("1%,1/3,100%", ranks=2), 5, 0)
    grid = own_sizes(tree)
    slow = grid_exploitability(tree, strategy, [grid, grid], sees)
    assert within_abstraction(laid, strategy).exploitability == pytest.approx(slow, abs=1e-12)


def test_players_who_fold_to_every_bet_lose_their_ante():
    tree = explicit_tree(ContinuousLeduc())
    strategy = np.zeros((tree.nodes, 3))
    for node in np.flatnonzero(tree.kind == DECISION):
        strategy[tree.children(node)[0]] = 1.0
    laid = size_tree(tree)
    assert within_abstraction(laid, strategy).exploitability == pytest.approx(1.0, abs=1e-12)
    assert informed(laid, strategy).exploitability == pytest.approx(1.0, abs=1e-12)
    found = uninformed(laid, strategy)
    assert (found.low, found.high) == pytest.approx((1.0, 1.0), abs=1e-12)


numbers = st.floats(-3, 3)


@settings(max_examples=200, deadline=None)
@given(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), numbers, numbers, numbers, numbers)
def test_peak_between_two_sizes(ends, folds_left, calls_left, folds_right, calls_right):
    left, right = sorted(ends)
    assume(right - left > 1e-6)
    best, size = peak_of(left, folds_left, calls_left, right, folds_right, calls_right)
    grid = np.linspace(left, right, 1001)
    share = (right - grid) * (1 + left) / ((right - left) * (1 + grid))
    folds, calls = (
        share * a + (1 - share) * b for a, b in ((folds_left, folds_right), (calls_left, calls_right))
    )
    worth = folds + (1 + 2 * grid) * calls
    assert left <= size <= right
    assert worth.max() - 1e-9 <= best <= worth.max() + 1e-4
    assert best == pytest.approx(np.interp(size, grid, worth), abs=1e-4)


def peak_of(*arguments):
    """`peak_between` as Python, which other kernels compile."""
    return peak_between.py_func(*arguments)


def test_games_whose_bets_are_chips_are_refused():
    with pytest.raises(InputError, match="no continuous sizes"):
        size_tree(explicit_tree(Leduc()))


@pytest.mark.parametrize("options", ["", "(suits=1)", "(distinct=true)"])
def test_a_solved_abstraction_is_measured_like_its_table(options):
    result = solve(f"continuous_leduc{options}", iterations=50, threads=1)
    found = measure_continuous(result.strategy)
    assert found.within.exploitability == pytest.approx(result.exploitability, abs=1e-9)
    assert found.within.value[0] == pytest.approx(result.value, abs=1e-9)
    assert found.uninformed.gap <= 1e-6
    assert result.exploitability < found.uninformed.low <= found.informed.exploitability + 1e-9


def test_only_abstractions_of_continuous_games_are_measured_so():
    strategy = solve("kuhn", iterations=10).strategy
    with pytest.raises(InputError, match="kuhn has no continuous sizes"):
        measure_continuous(strategy)
