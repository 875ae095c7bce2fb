"""The solver against its slow twin: values, best responses, exploitability, iterations, locks and rake."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from holdem.compare import check_halves, check_nodes, check_values, exact_solver, node_locks, spread
from holdem.small_spots import NO_LIMIT, locks, nolimit, spots
from holdem.twin import Twin, TwinSolver, matched, uniform
from solvent.games.spot import Spot
from solvent.solvers.holdem.solver import HoldemSolver

few = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
PICKS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=4)


def check(rules: Any, data: Any, isomorphism: bool = True, locked: bool = False, iterations: int = 3) -> None:
    """Compare a solver with the twin before and after some iterations."""
    held = data.draw(locks(rules)) if locked else {}
    twin = Twin(rules, held)
    solver = exact_solver(rules, isomorphism)
    if held:
        solver = HoldemSolver(solver.game, dtype="float64", locks=node_locks(solver.game, held))
    picks = data.draw(PICKS)
    check_values(solver, twin, uniform(twin))
    check_nodes(solver, twin, uniform(twin), picks)
    check_halves(solver, TwinSolver(twin), iterations)
    average = matched(spread(solver, solver.average))
    check_values(solver, twin, average)
    check_nodes(solver, twin, average, picks)


@settings(few, max_examples=20)
@given(spot=spots(5), data=st.data(), locked=st.booleans())
def test_rivers(spot: Spot, data: Any, locked: bool) -> None:
    check(spot, data, isomorphism=False, locked=locked)


@settings(few, max_examples=4)
@given(spot=spots(4, ranks=5), data=st.data(), locked=st.booleans())
def test_turns(spot: Spot, data: Any, locked: bool) -> None:
    check(spot, data, isomorphism=False, locked=locked)


@settings(few, max_examples=1)
@given(spot=spots(3, ranks=3), data=st.data(), locked=st.booleans())
def test_flops(spot: Spot, data: Any, locked: bool) -> None:
    check(spot, data, isomorphism=False, locked=locked)


@pytest.mark.parametrize("number", range(len(NO_LIMIT)))
def test_whole_decks(number: int) -> None:
    """With isomorphism: the first board of each orbit is compared."""

    @settings(few, max_examples=1)
    @given(data=st.data())
    def compared(data: Any) -> None:
        check(nolimit(number), data, iterations=2)

    compared()
