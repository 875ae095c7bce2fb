"""Spots and no-limit games solved by name, on the public form of hold'em."""

from __future__ import annotations

import pytest

from solvent import exploitability, solve
from solvent.forms.history import compile_tree
from solvent.games.catalogue import load_game
from solvent.response.measure import measure, value_against
from solvent.strategy.solved.policies import on_form

TWO_STREETS = "nolimit(suits=2,ranks=3,boards=[0,1],stack=4,blinds=1/2,bets='100%,a')"
RUN_OUTS = "nolimit(suits=2,ranks=3,boards=[0,1,1],stack=4,blinds=1/2,bets=a,cap=1)"
TWO_CARDS = "nolimit(suits=2,ranks=4,boards=[0,2,1],stack=3,blinds=1/2,bets=a,cap=1)"
THREE_SUITS = "nolimit(suits=3,ranks=3,boards=[0,1],stack=5,blinds=1/2,bets='100%,a',cap=1)"
ANTE = "nolimit(suits=1,ranks=6,boards=[0,1,1],stack=6,blinds=1/2,ante=1,bets='100%,a',cap=2)"
SMALL = [TWO_STREETS, RUN_OUTS, TWO_CARDS, THREE_SUITS, ANTE]
BAR = "nolimit(suits=4,ranks=5,boards=[0,1,1,1],stack=162,blinds=1/2,bets=100%,cap=1)"
SPOT = "spot(board=Td9d6hQc,oop='QQ,JJ,AKs',ip='QTs,99,AQo',pot=20,stack=30,bets='50%,a',rake=5%,rake_cap=3)"


@pytest.mark.parametrize("name", SMALL)
def test_the_value_is_the_linear_programs(name: str) -> None:
    solved = solve(name, dtype="float64", iterations=1500, until=2e-5)
    assert solved.form == "public"
    assert solved.exploitability < 1e-4
    assert solved.value == pytest.approx(solve(name, rule="lp").value, abs=1e-4)


@pytest.mark.parametrize("isomorphism", ["on", "off"])
@pytest.mark.parametrize("name", [*SMALL, SPOT])
def test_a_strategy_is_worth_the_same_on_histories(name: str, isomorphism: str) -> None:
    solved = solve(name, dtype="float64", iterations=7, isomorphism=isomorphism)
    tree = compile_tree(load_game(name))
    on_histories = on_form(solved.strategy, tree)
    exact = measure(on_histories, tree)
    assert exact.exploitability == pytest.approx(solved.exploitability, abs=1e-9)
    assert exact.value[0] == pytest.approx(solved.value, abs=1e-9)
    assert value_against(solved.strategy, on_histories) == pytest.approx(solved.value, abs=1e-9)
    assert exploitability(name, solved.strategy) == pytest.approx(solved.exploitability, abs=1e-9)
