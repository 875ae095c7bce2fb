"""Strategies as mappings, made from what people have at hand, on every form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import solvent
from conftest import compiled
from solvent.forms.history import compile_tree
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.leduc import Leduc
from solvent.strategy.solved.policies import as_strategy, on_form
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import Strategy

LEDUC_UNIFORM = 2.3736111111111
"""Exploitability of uniform play: OpenSpiel's, halved."""


def uniform(player: int, infoset: str, actions: tuple[str, ...]) -> list[float]:
    return [1.0] * len(actions)


def test_a_strategy_is_a_mapping() -> None:
    for form in (compiled("leduc"), public_game(Leduc())):
        strategy = Strategy.from_function(form, uniform)
        assert isinstance(strategy, Mapping)
        assert len(dict(strategy)) == len(strategy) == 288
        assert strategy["K|Q|kk/"] == {"check": 0.5, "bet 4": 0.5}
        assert "K|Q|kk/" in strategy
        assert "K|Q|zz" not in strategy
        assert strategy.get("K|Q|zz") is None
        with pytest.raises(InputError, match=r"^there is no infoset 'K\|Q\|zz'"):
            strategy["K|Q|zz"]
        assert set(strategy) == {row.infoset for row in strategy.rows()}
        assert Strategy.from_dict(form, dict(strategy)) == strategy


def test_labels_that_both_players_have_are_keys_with_the_player() -> None:
    tree = compile_tree(load_game("openspiel:matrix_rps"))
    strategy = Strategy.from_function(tree, lambda player, infoset, actions: {actions[player]: 1.0})
    assert list(dict(strategy)) == list(strategy)
    if strategy.infosets.shared_labels:
        assert all(isinstance(key, tuple) for key in strategy)
    assert Strategy.from_dict(tree, dict(strategy)) == strategy


def test_what_is_not_a_strategy_is_refused_with_a_sentence() -> None:
    good = dict(Strategy.from_function("kuhn", uniform))
    with pytest.raises(
        InputError, match=r"leaves out 1 of the 12 infosets of kuhn, such as player 1's 'K\|\|b'"
    ):
        Strategy.from_dict("kuhn", {key: row for key, row in good.items() if key != "K||b"})
    for wrong in ({"fold": 0.0}, [0, 0], [-1, 2], [float("nan"), 1], [float("inf"), 1]):
        with pytest.raises(InputError, match=r"'K\|\|b' must be finite, none below 0 and not all of them 0"):
            Strategy.from_dict("kuhn", good | {"K||b": wrong})
    for wrong in ({"flod": 1.0}, [1, 1, 1], None, 1.0, ["a", "b"]):
        with pytest.raises(InputError, match=r"the actions at .* are fold, call; .* does not fit"):
            Strategy.from_dict("kuhn", good | {"K||b": wrong})
    with pytest.raises(InputError, match="there is no infoset 'A'"):
        Strategy.from_dict("kuhn", good | {"A": [1, 1]})
    tree = compiled("kuhn")
    with pytest.raises(InputError, match="not all of them 0"):
        solvent.exploitability(tree, np.zeros(tree.cells))
    with pytest.raises(InputError, match="need the compiled game"):
        solvent.exploitability("kuhn", tree.uniform)
    with pytest.raises(InputError, match="a policy is a strategy, a dict"):
        solvent.exploitability(tree, object())
    for wrong in (None, "runs/a"):
        with pytest.raises(InputError, match=f"a policy is a strategy, a dict.*, not {type(wrong).__name__}"):
            solvent.exploitability("kuhn", wrong)


def test_any_policy_has_an_exploitability_on_any_form() -> None:
    tree, game = compiled("leduc"), public_game(Leduc())
    on_tree, on_game = Strategy.from_function(tree, uniform), Strategy.from_function(game, uniform)
    policies = [uniform, dict(on_tree), on_tree, on_game]
    found = [solvent.exploitability(where, policy) for where in ("leduc", tree, game) for policy in policies]
    assert found == pytest.approx([LEDUC_UNIFORM] * len(found), abs=1e-9)


def test_openspiel_policies_have_an_exploitability() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as policies

    game = pyspiel.load_game("leduc_poker")
    random = policies.UniformRandomPolicy(game)
    solver = pyspiel.CFRSolver(game)
    solver.evaluate_and_update_policy()
    for policy in (random, random.to_tabular()):
        assert solvent.exploitability(game, policy) == pytest.approx(LEDUC_UNIFORM, abs=1e-9)
    for policy in (solver.average_policy(), solver.tabular_average_policy()):
        expected = pyspiel.nash_conv(game, policy) / 2
        assert solvent.exploitability(game, policy) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(InputError, match="is not OpenSpiel's"):
        solvent.exploitability("kuhn", random)


@pytest.mark.parametrize("player", [0, 1])
def test_a_best_response_is_a_strategy_that_wins_its_value(player: int) -> None:
    policy = dict(Strategy.from_function(public_game(Leduc()), uniform))
    best = solvent.best_response("leduc", policy, player)
    both = [best.strategy, Strategy.from_dict("leduc", policy)]
    first, second = both if player == 0 else both[::-1]
    won = solvent.value_against(first, second)
    assert (won if player == 0 else -won) == pytest.approx(best.value, abs=1e-12)
    own = [row.probabilities for row in best.strategy.rows(player)]
    assert all(max(row.values()) == 1.0 for row in own)
    with pytest.raises(InputError, match="a player is 0 or 1"):
        solvent.best_response("leduc", policy, 2)


def test_strategies_on_different_forms_meet() -> None:
    solved = solvent.solve("leduc", iterations=30)
    assert solved.form == "public"
    tree = compiled("leduc")
    other = TableStrategy.of(tree, np.random.default_rng(0).random(tree.cells))
    carried = on_form(solved.strategy, tree)
    assert solvent.value_against(solved.strategy, other) == pytest.approx(
        solvent.value_against(carried, other), abs=1e-12
    )
    assert len(carried) == len(solved.strategy)
    assert all(carried[key] == pytest.approx(row) for key, row in solved.strategy.items())
    with pytest.raises(InputError, match="different games: leduc and kuhn"):
        solvent.value_against(solved.strategy, Strategy.from_function("kuhn", uniform))
    with pytest.raises(InputError, match="of leduc, not of kuhn"):
        as_strategy(compiled("kuhn"), solved.strategy)


def test_boards_told_apart_and_boards_that_stand_for_others_meet() -> None:
    rules = load_game("flop_holdem(suits=2,ranks=4)")
    alike, apart = public_game(rules), public_game(rules, isomorphism=False)
    assert alike.isomorphism > apart.isomorphism
    a, b = Strategy.from_function(alike, uniform), Strategy.from_function(apart, uniform)
    assert solvent.value_against(a, b) == pytest.approx(solvent.value_against(a, a), abs=1e-12)


def test_a_saved_strategy_made_by_hand_opens_again(tmp_path: Path) -> None:
    for k, form in enumerate((compiled("leduc"), public_game(Leduc()))):
        strategy = Strategy.from_function(form, uniform)
        strategy.save(tmp_path / str(k))
        assert solvent.open_strategy(tmp_path / str(k)) == strategy
