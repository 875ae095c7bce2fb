"""Game values against the sequence-form linear program, solved by HiGHS."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.random_games import RandomGame
from oracles.trees import game_value
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.forms.history import compile_tree

BLUFF_VALUE, LEDUC5_VALUE = -7 / 258, -0.1201665138
"""From the program, which takes a quarter and half a minute on these games."""


def brackets(name: str, value: float, iterations: int, width: float) -> None:
    """What the average strategy secures for each player encloses the value."""
    tree = compiled(name)
    solver = HistorySolver(tree, "dcfr")
    solver.run(iterations)
    best = evaluate(tree, solver.average_strategy()).best_response
    assert -best[1] - 1e-9 <= value <= best[0] + 1e-9
    assert best[0] + best[1] < width


@pytest.mark.parametrize(
    ("name", "iterations", "width"),
    [
        ("kuhn", 5_000, 1e-4),
        ("leduc", 5_000, 1e-4),
        ("bluff(dice=1,faces=2)", 5_000, 1e-4),
        ("bluff(dice=1,faces=3)", 5_000, 1e-4),
        ("bluff(dice=1,faces=4)", 5_000, 1e-4),
        ("bluff(dice=1,faces=5)", 2_000, 1e-3),
    ],
)
def test_value(name: str, iterations: int, width: float) -> None:
    brackets(name, game_value(compiled(name)), iterations, width)


@pytest.mark.parametrize(
    ("name", "value", "iterations", "width"),
    [("bluff(dice=1,faces=6)", BLUFF_VALUE, 1_000, 1e-3), ("leduc5", LEDUC5_VALUE, 800, 0.01)],
)
def test_known_value(name: str, value: float, iterations: int, width: float) -> None:
    brackets(name, value, iterations, width)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"), [("bluff(dice=1,faces=6)", BLUFF_VALUE), ("leduc5", LEDUC5_VALUE)]
)
def test_known_values_are_those_of_the_program(name: str, value: float) -> None:
    assert game_value(compiled(name)) == pytest.approx(value, abs=1e-8)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_random_games(seed: int) -> None:
    tree = compile_tree(RandomGame(seed, depth=5))
    if tree.infosets == 0:
        return
    solver = HistorySolver(tree, "cfr+")
    solver.run(2_000)
    best = evaluate(tree, solver.average_strategy()).best_response
    assert -best[1] - 1e-9 <= game_value(tree) <= best[0] + 1e-9
    assert best[0] + best[1] < 0.02
