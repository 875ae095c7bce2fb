"""No false exploitability is shown: weights and chips that numbers cannot carry, sums that miss the pot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.small_spots import spots
from solvent.cards.ranges import parse_range
from solvent.engines.holdem.gadget import GadgetSolver
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.kernels import EVALUATE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.gadget import CFRD, Gadget
from solvent.forms.holdem.game import holdem_game
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.games.holdem.spot import Spot
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.run import resume_spot, solve_spot
from solvent.spots.settings import SpotSettings

RIVER: dict[str, Any] = {"board": "Td9d6hQc2s", "pot": 200, "stack": 900, "bets": "50%,a"}
OOP, IP = "QQ+{0},AKs{0},76s{0}", "JJ-99{0},AQs{0}"
DEEP: dict[str, Any] = {**RIVER, "oop": OOP.format(""), "ip": IP.format(""), "pot": 1, "stack": 10**8}
APART: dict[str, Any] = {**RIVER, "oop": "AsAh,KK:1e-30", "ip": "AsAd"}
"""Hands that can hardly be dealt together: aces block aces."""


def solver_of(oop: str, ip: str, dtype: str = "float32", **changes: Any) -> HoldemSolver:
    return HoldemSolver(holdem_game(Spot(oop=oop, ip=ip, **{**RIVER, **changes})), dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_a_range_of_tiny_weights_solves_like_one_of_weight_one(dtype: str) -> None:
    plain, tiny = solver_of(OOP.format(""), IP.format(""), dtype), solver_of(
        OOP.format(":1e-30"), IP.format(":1e-200"), dtype
    )  # fmt: skip
    for solver in (plain, tiny):
        solver.run(50)
    assert all(
        np.array_equal(tiny.saved_tables()[name], table) for name, table in plain.saved_tables().items()
    )
    assert tiny.evaluate() == plain.evaluate()
    assert 0 < plain.evaluate().exploitability < 10


def test_nodes_show_the_weights_that_were_given() -> None:
    whole, part = solver_of("QQ:0.75,99", "JJ,AQo"), solver_of("QQ:0.375,99:0.5", "JJ:1e-200,AQo:1e-200")
    for solver in (whole, part):
        solver.run(20)
    node, less = SpotSolution(whole).root, SpotSolution(part).root
    for given_to, (mine, less_of_it) in enumerate(zip(node.weights, less.weights, strict=True)):
        np.testing.assert_allclose(less_of_it, mine * (0.5, 1e-200)[given_to], rtol=1e-15)
    np.testing.assert_allclose(less.matchups[0], node.matchups[0] * 0.5 * 1e-200, rtol=1e-15)
    assert less.summary()["combos"][0] == pytest.approx(3 * 0.375 + 3 * 0.5)
    assert less.reached[0].all()
    assert less.summary()["ev"] == node.summary()["ev"]


def test_a_tiny_weight_beside_a_large_one_plays_as_well() -> None:
    hand = int(np.flatnonzero(parse_range("7h6s").weights)[0])
    played = []
    for weight in ("1e-6", "1e-30"):
        solver = solver_of(f"QQ+,AKs,7h6s:{weight}", "JJ-99,AQs,AJs", raises="a")
        solver.run(200)
        slot = (
            solver.game.streets[0].sides[0].hand[0].tolist().index(solver.game.hands[0].tolist().index(hand))
        )
        played.append(solver.strategy_at(0)[:, slot])
    assert played[0].max() > 0.99  # and not uniform, as a hand without an average would play
    np.testing.assert_allclose(played[1], played[0], atol=1e-3)


@pytest.mark.parametrize(
    ("spot", "said"),
    [
        (DEEP, "100,000,000 chips are won and lost for a pot of 1, and float32 carries 10,000 pots; .* float64"),
        (APART, "nearly all weight is on hands that cannot be held at the same time.* float64"),
    ],
)  # fmt: skip
def test_what_float32_does_not_carry_is_refused_before_anything_is_solved(
    spot: dict[str, Any], said: str, tmp_path: Path
) -> None:
    for dtype in ("float32", "int16"):
        with pytest.raises(InputError, match=said):
            solve_spot(spot, SpotSettings(dtype=dtype), out=tmp_path / dtype)
        assert not (tmp_path / dtype).exists()
    game = holdem_game(Spot(**spot))
    with pytest.raises(InputError, match=said):
        HoldemSolver(game).evaluate()
    with pytest.raises(InputError, match=said):
        LargerTree(game).evaluate(game, HoldemSolver(game).average)


def test_deep_stacks_are_solved_in_float64() -> None:
    found = solve_spot(DEEP, SpotSettings(dtype="float64", iterations=30))
    assert sum(found.ev) == pytest.approx(1, abs=1e-6)
    with pytest.raises(InputError, match="cannot be held at the same time"):
        solve_spot(APART, SpotSettings(dtype="float64", iterations=10))


def test_payoffs_that_overflow_are_refused() -> None:
    with pytest.raises(InputError, match="too far apart for float32: payoffs overflow"):
        solver_of("AsAh,KK:1e-40", "AsAd", pot=10**9, stack=10**9)


@settings(max_examples=15, deadline=None)
@given(spot=spots(5, raked=True), seed=st.integers(0, 2**32 - 1))
def test_what_the_house_takes_is_what_both_players_lose(spot: Spot, seed: int) -> None:
    solver = HoldemSolver(holdem_game(spot), dtype="float64")
    solver.average[:] = np.random.default_rng(seed).random(len(solver.average))
    taken = solver.passes.house_takes(solver._played(), solver.root_reach(0))
    assert taken == pytest.approx(-sum(solver.values(EVALUATE)), abs=1e-9 * spot.pot)
    assert 0 <= taken <= spot.rake * (spot.pot + 2 * spot.stack)


@pytest.mark.parametrize("rake", ["0%", "5%"])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_run_outs_locks_and_gadgets_sum_to_the_pot(rake: str, dtype: str) -> None:
    spot = Spot("Td9d6hQc", "AA,KK,76s", "JJ,AQs", pot=20, stack=60, bets="a", rake=rake, rake_cap=3)
    game = holdem_game(spot)
    solver = HoldemSolver(game, dtype=dtype)
    solver.run(10)
    assert solver.evaluate().exploitability > 0
    gadget = GadgetSolver(game, Gadget(1, CFRD, np.full(len(game.hands[1]), 0.01)))
    gadget.run(10)
    assert gadget.evaluate().exploitability > 0


@pytest.mark.parametrize("rake", ["0%", "5%"])
def test_values_that_miss_the_pot_stop_a_solve_and_its_run_is_kept(
    rake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spot = {**RIVER, "oop": OOP.format(""), "ip": IP.format(""), "rake": rake}
    settings = SpotSettings(iterations=40, every=10)
    wanted = solve_spot(spot, settings).exploitability
    measured, done = HoldemPass.measure_both, HoldemSolver.run
    iterations = [0]

    def spoilt(self: HoldemPass, tables: Any, mode: int) -> Any:
        first, second = measured(self, tables, mode)
        return first + (0.3 if mode == EVALUATE and iterations[0] >= 20 else 0.0), second

    def counted(self: HoldemSolver, count: int) -> None:
        done(self, count)
        iterations[0] = self.iterations

    with monkeypatch.context() as patch:
        patch.setattr(HoldemPass, "measure_both", spoilt)
        patch.setattr(HoldemSolver, "run", counted)
        with pytest.raises(InputError, match=r"EVs and rake sum to .* of a pot of 200: float32 cannot carry"):
            solve_spot(spot, settings, out=tmp_path / "run")
    rows = Run.open(tmp_path / "run").metrics()
    assert [row["iterations"] for row in rows] == [10]
    assert resume_spot(tmp_path / "run").exploitability == wanted
