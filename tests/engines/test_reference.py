"""Values that the literature, OpenSpiel or exact arithmetic fix: small games and convergence on Leduc."""

from __future__ import annotations

import pytest

from conftest import compiled
from oracles.trees import count
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.games.catalogue import load_game
from solvent.games.game import CHANCE, TERMINAL


@pytest.mark.parametrize(
    ("name", "infosets", "histories"),
    [
        ("kuhn", 12, 58),
        ("leduc", 288, 1_939),
        ("leduc(distinct=true)", 936, 9_457),
        ("leduc5", 34_224, 269_563),
        ("bluff(dice=1,faces=6)", 24_576, 294_883),
    ],
)
def test_sizes(name: str, infosets: int, histories: int) -> None:
    tree = compiled(name)
    assert (tree.infosets, tree.histories) == (infosets, histories)
    assert load_game(name).histories() == histories


def test_leduc5_has_1_345_057_histories_over_six_card_deals() -> None:
    assert load_game("leduc5(distinct=true)").histories() == 1_345_057


@pytest.mark.slow
def test_leduc5_over_six_card_deals_walked() -> None:
    assert count(load_game("leduc5(distinct=true)")) == 1_345_057


def test_kuhn_by_kind() -> None:
    player = compiled("kuhn").player
    assert (player == CHANCE).sum() == 4
    assert (player >= 0).sum() == 24
    assert (player == TERMINAL).sum() == 30


def test_leduc_poker_has_2184_infoset_actions() -> None:
    assert compiled("leduc(distinct=true)").cells == 2_184


@pytest.mark.parametrize(
    ("name", "expected", "within"),
    [
        ("kuhn", 11 / 24, 1e-14),
        ("leduc", 2.373611, 5e-7),
        ("leduc(distinct=true)", 2.373611, 5e-7),
        ("leduc5", 8.495413, 5e-7),
    ],
)
def test_exploitability_of_uniform_play(name: str, expected: float, within: float) -> None:
    tree = compiled(name)
    assert evaluate(tree, tree.uniform).exploitability == pytest.approx(expected, abs=within)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn", -1 / 18),
        ("leduc", -0.085606424078),
        ("leduc(distinct=true)", -0.085606424078),
        ("bluff(dice=1,faces=6)", -7 / 258),
    ],
)
def test_game_value(name: str, value: float) -> None:
    """The value lies between what the average strategy secures in each seat, and those close in on it."""
    tree = compiled(name)
    solver = HistorySolver(tree, "dcfr")
    solver.run(600 if tree.histories > 100_000 else 3_000)
    found = evaluate(tree, solver.average_strategy())
    assert -found.best_response[1] - 1e-12 <= value <= found.best_response[0] + 1e-12
    assert found.exploitability < 1e-3


CHECKED = (1, 10, 101, 201, 501, 1000)
CONVERGENCE = {
    "cfr": (2.3736111, 0.888579, 0.0939493, 0.0533379, 0.0214263, 0.0118177),
    "lcfr": (2.3736111, 0.721065, 0.0338491, 0.0255925, 0.0113191, 0.0056088),
    "cfr+": (2.3736111, 0.610439, 0.0132878, 0.0049206, 0.0009249, 0.0002470),
    "dcfr": (2.3736111, 0.778802, 0.0073201, 0.0019869, 0.0005512, 0.0001712),
    "pcfr+": (2.3736111, 0.536847, 0.0193324, 0.0066151, 0.0014551, 0.0007144),
}
# Rounding is amplified by the rules that floor, fade or predict: the later, the looser.
WITHIN = {
    "cfr": (1e-6, 1e-6, 1e-6, 1e-6, 2e-6, 1e-3),
    "lcfr": (1e-6, 1e-6, 0.01, 0.25, 0.25, 0.25),
    "cfr+": (1e-6, 1e-6, 1e-4, 0.01, 0.05, 0.05),
    "dcfr": (1e-6, 1e-6, 0.01, 0.25, 0.25, 0.25),
    "pcfr+": (1e-6, 1e-6, 1e-4, 0.01, 0.05, 0.05),
}


@pytest.mark.parametrize("rule", CONVERGENCE)
def test_convergence_on_leduc(rule: str) -> None:
    """Exploitability (NashConv/2), alternating updates, float64: OpenSpiel's log and independent runs."""
    tree = compiled("leduc(distinct=true)")
    solver = HistorySolver(tree, rule, plan="serial")
    for t, expected, within in zip(CHECKED, CONVERGENCE[rule], WITHIN[rule], strict=True):
        solver.run(t - solver.iterations)
        reached = evaluate(tree, solver.average_strategy()).exploitability
        assert reached == pytest.approx(expected, rel=within), t


@pytest.mark.parametrize("rule", CONVERGENCE)
@pytest.mark.parametrize(("name", "plan"), [("leduc", "serial"), ("leduc(distinct=true)", "branched")])
def test_other_orders_of_summation_agree_until_rounding_tells(name: str, plan: str, rule: str) -> None:
    tree = compiled(name)
    solver = HistorySolver(tree, rule, plan=plan)
    for t, expected in zip(CHECKED[:3], CONVERGENCE[rule], strict=False):
        solver.run(t - solver.iterations)
        assert evaluate(tree, solver.average_strategy()).exploitability == pytest.approx(expected, rel=1e-4)


def test_simultaneous_updates_are_another_algorithm() -> None:
    tree = compiled("leduc")
    solver = HistorySolver(tree, "cfr", updates="simultaneous")
    solver.run(101)
    reached = evaluate(tree, solver.average_strategy()).exploitability
    assert reached == pytest.approx(0.1708819, abs=5e-8)
