"""The solver against its slow twin: values, best responses, exploitability, iterations, locks and rake."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from oracles.holdem_compare import check_halves, check_values, exact_solver, node_locks, spread
from oracles.holdem_twin import Twin, TwinSolver, matched, uniform
from oracles.small_spots import NO_LIMIT, locks, nolimit, short_spot, spots
from solvent.cards.deck import deck
from solvent.engines.holdem.solver import HoldemSolver
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import Betting

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
    check_values(solver, twin, uniform(twin), picks)
    check_halves(solver, TwinSolver(twin), iterations)
    check_values(solver, twin, matched(spread(solver, solver.average)), picks)


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


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=[pytest.mark.slow] if k > 2 else []) for k in range(len(NO_LIMIT))]
)
def test_whole_decks(number: int) -> None:
    """With isomorphism: the first board of each orbit is compared."""

    rules = nolimit(number)
    twin, solver = Twin(rules), exact_solver(rules)
    assert solver.game.isomorphism
    check_halves(solver, TwinSolver(twin), iterations=1)
    picks = [(1, 2), (7, 3), (11, 30), (50, 55)]
    check_values(solver, twin, matched(spread(solver, solver.average)), picks)


def all_in_on_the_turn(node: Betting, street: int = 0) -> Betting:
    """A flop's betting tree in which nobody may check on the turn."""
    children = [all_in_on_the_turn(child, street + node.deals) for child in node.children]
    kept = [k for k in range(len(children)) if street == 0 or not node.actions or node.actions[k] != "check"]
    actions = tuple(node.actions[k] for k in kept) if node.actions else ()
    return replace(node, actions=actions, children=tuple(children[k] for k in kept))


def test_run_outs_of_many_subtrees() -> None:
    """Subtrees of the last street share a workspace, a few at a time, and each has run-outs of its own."""
    cards = deck()[-16:]
    sizes = ",".join(f"{percent}%" for percent in range(10, 180, 12))
    named = {"pot": 100, "stack": 400, "flop_bets": sizes, "turn_bets": "a", "cap": 1, "rake": "5%"}
    spot = short_spot(cards, "KhQhJc", "AcAd,KsQs:0.5", "AhAs,JdJs:0.3,AcKc", **named)
    spot.__dict__["betting"] = all_in_on_the_turn(spot.betting)
    twin, solver = Twin(spot), exact_solver(spot, isomorphism=False)
    assert len(solver.game.streets) == 2
    assert len(solver.passes.plan.nodes.bundles) > 2
    check_halves(solver, TwinSolver(twin), iterations=1)
    check_values(solver, twin, matched(spread(solver, solver.average)))
