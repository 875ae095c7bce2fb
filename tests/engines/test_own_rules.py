"""Rules and local updates of one's own, the newer rules, and the linear program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import solvent
from conftest import compiled
from oracles.random_games import RandomGame
from oracles.trees import game_value
from solvent.engines.history.local import LocalSolver
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.engines.rules import load_rule
from solvent.forms.history import compile_tree
from solvent.foundation.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
HEDGE = f"{EXAMPLES / 'local_update.py'}:Hedge"


@dataclass(frozen=True)
class RegretMatching(solvent.LocalUpdate):
    """CFR as a local update."""

    state = ("regret",)

    def next_strategy(self, t, values, strategy, state):
        state["regret"] += solvent.instantaneous_regret(values, strategy)
        return solvent.match_regrets(state["regret"])


@dataclass(frozen=True)
class OneByOne(solvent.LocalUpdate):
    """CFR+ as a local update, infoset by infoset."""

    state = ("regret",)

    def average(self, t: float) -> float:
        return t

    def next_strategy(self, t, values, strategy, state):
        rows = []
        for value, played, regret in zip(values, strategy, state["regret"], strict=True):
            regret[:] = [max(0.0, r + v - value @ played) for r, v in zip(regret, value, strict=True)]
            rows.append(regret / regret.sum() if regret.sum() > 0 else np.full(len(value), 1 / len(value)))
        return rows


PREDICTIVE = load_rule(f"{EXAMPLES / 'local_update.py'}:Predictive", own_code=True)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize(
    ("update", "rule"), [(RegretMatching(), "cfr"), (OneByOne(), "cfr+"), (PREDICTIVE, "pcfr+")]
)
def test_local_updates_give_the_numbers_of_the_built_in_rules(update, rule: str, updates: str) -> None:
    tree = compiled("leduc")
    ours, built_in = LocalSolver(tree, update, updates), HistorySolver(tree, rule, updates, "flattened")
    for solver in (ours, built_in):
        solver.run(20)
    assert np.allclose(ours.average_strategy(), built_in.average_strategy(), atol=1e-10)


def test_players_who_forget_have_local_updates_too() -> None:
    for seed in (3, 5, 8):
        tree = compile_tree(RandomGame(seed, depth=4, forgetful=True))
        ours, built_in = LocalSolver(tree, RegretMatching()), HistorySolver(tree, "cfr", plan="flattened")
        for solver in (ours, built_in):
            solver.run(10)
        assert np.allclose(ours.average_strategy(), built_in.average_strategy(), atol=1e-10)


def test_hedge_converges() -> None:
    result = solvent.solve("kuhn", rule=HEDGE, iterations=2000)
    assert (result.form, result.plan) == ("history", "flattened")
    assert result.exploitability < 0.01
    assert result.value == pytest.approx(-1 / 18, abs=0.01)


def test_a_local_update_is_resumed_where_it_was(tmp_path: Path) -> None:
    whole = solvent.solve("kuhn", rule=PREDICTIVE, iterations=20)
    solvent.solve("kuhn", rule=PREDICTIVE, iterations=8, out=tmp_path / "run")
    again = solvent.solve(resume=tmp_path / "run", rule=PREDICTIVE, iterations=20)
    assert again.exploitability == whole.exploitability


def test_what_a_local_update_cannot_do_is_refused() -> None:
    class Wrong(RegretMatching):
        def next_strategy(self, t, values, strategy, state):
            return values

    class Misshapen(RegretMatching):
        def next_strategy(self, t, values, strategy, state):
            return strategy[:, :1]

    with pytest.raises(InputError, match="must give rows of numbers of at least 0 that sum to 1"):
        solvent.solve("kuhn", rule=Wrong(), iterations=2)
    with pytest.raises(InputError, match=r"of shape \(\d+, 1\) where"):
        solvent.solve("kuhn", rule=Misshapen(), iterations=2)
    for options in (
        {"pruning": "interval"},
        {"sampling": "external"},
        {"plan": "serial"},
        {"form": "public"},
    ):
        with pytest.raises(InputError):
            solvent.solve("kuhn", rule=RegretMatching(), iterations=2, **options)
    with pytest.raises(InputError, match="cannot start from a strategy"):
        solvent.solve("kuhn", rule=RegretMatching(), warm_start=solvent.solve("kuhn", rule="lp").strategy)


@pytest.mark.parametrize(
    ("rule", "game", "reached"),
    [("dcfr+", "leduc", 1.2e-3), ("dcfr+(2,3)", "leduc", 2e-3), ("pdcfr+", "bluff(dice=1,faces=4)", 1e-6)],
)
def test_newer_rules_converge_quicker_than_cfr_plus(rule: str, game: str, reached: float) -> None:
    """As in the paper, discounting helps on poker and predicting elsewhere."""
    tree = compiled(game)
    newer, plus = HistorySolver(tree, rule), HistorySolver(tree, "cfr+")
    for solver in (newer, plus):
        solver.run(300)
    found = evaluate(tree, newer.average_strategy()).exploitability
    assert found < min(reached, evaluate(tree, plus.average_strategy()).exploitability)
    assert load_rule(str(newer.rule)) == newer.rule


def test_dcfr_plus_is_the_papers() -> None:
    """R^t = max(0, R^(t-1) (t-1)^a / ((t-1)^a + 1) + r^t); kernels keep R^t faded already, with the same sigma."""
    rule = load_rule("dcfr+(1.5,4)")
    theirs = ours = np.zeros(3)
    for t, r in enumerate(np.random.default_rng(0).normal(size=(20, 3)), start=1):
        fade = (t - 1) ** 1.5 / ((t - 1) ** 1.5 + 1)
        theirs = np.maximum(0, theirs * fade + r)
        weights = rule.weights(t)
        ours = np.maximum(weights.floor, weights.positive * (ours + r))
        assert np.allclose(ours, theirs * t**1.5 / (t**1.5 + 1))
        assert weights.average == t**4


@pytest.mark.parametrize("game", ["kuhn", "leduc", "bluff(dice=1,faces=3)"])
def test_the_linear_program_finds_an_equilibrium(game: str) -> None:
    result = solvent.solve(game, rule="lp")
    assert result.exploitability < 1e-9
    assert result.value == pytest.approx(game_value(compiled(game)), abs=1e-9)
    assert (result.iterations, result.plan) == (1, "sequence")


def test_the_linear_program_of_random_games() -> None:
    for seed in range(20):
        tree = compile_tree(RandomGame(seed, depth=4))
        if tree.cells:
            result = solvent.solve(RandomGame(seed, depth=4), rule="lp")
            assert result.exploitability < 1e-8


def test_the_linear_program_is_no_rule_of_iterations() -> None:
    with pytest.raises(InputError, match="no iterations"):
        solvent.HistorySolver(compiled("kuhn"), "lp").run(1)


def test_what_the_linear_program_cannot_do_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvent.engines.history.linear_program.MOST_CELLS", 500)
    with pytest.raises(
        InputError, match=r"at most 500 infoset-actions, and leduc has \d+; take a regret rule"
    ):
        solvent.solve("leduc", rule="lp")
    with pytest.raises(InputError, match="zero-sum games"):
        solvent.solve(RandomGame(1, depth=4, zero_sum=False), rule="lp")
    for options in ({"plan": "serial"}, {"updates": "simultaneous"}, {"pruning": "interval"}):
        with pytest.raises(InputError):
            solvent.solve("kuhn", rule="lp", **options)
    run = tmp_path / "run"
    solvent.solve("kuhn", rule="lp", out=run)
    assert solvent.open_strategy(run)["K||b"] == {"fold": 0.0, "call": 1.0}
    assert solvent.solve(resume=run).exploitability < 1e-12


def test_rules_by_name() -> None:
    assert str(load_rule(f"{HEDGE}(rate=0.5)", own_code=True)) == "hedge(rate=0.5)"
    with pytest.raises(InputError, match=r"Hedge' is own code, which runs only where you name it: by --rule"):
        load_rule(HEDGE)
    with pytest.raises(InputError, match="is no rule: subclass"):
        load_rule(f"{EXAMPLES / 'rock_paper_scissors.py'}:RockPaperScissors", own_code=True)
    with pytest.raises(InputError, match=r"there is no rule 'cfrplus'.*; did you mean cfr\+"):
        load_rule("cfrplus")
