"""Best responses and exploitability against brute force, the rules themselves and OpenSpiel."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solvent
from conftest import compiled
from oracles.random_games import RandomGame
from oracles.trees import expected_payoffs
from solvent.engines.history.response import evaluate, expected_value, respond
from solvent.forms.history import GameTree, compile_tree
from solvent.games.catalogue import load_game
from solvent.solving.measure import exploitability
from solvent.strategy.solved.tables import TableStrategy


def random_strategy(tree: GameTree, seed: int) -> np.ndarray:
    """Random, with some actions never played."""
    draw = np.random.default_rng(seed)
    weights = draw.random(tree.cells) * (draw.random(tree.cells) < 0.8)
    return np.array(TableStrategy.of(tree, weights).probabilities)


def pure_strategies(tree: GameTree, player: int, strategy: np.ndarray):
    """Every pure strategy of one player, with the other's as it is."""
    mine = np.flatnonzero(tree.infoset_player == player)
    for choice in product(*(range(tree.infoset_cell[i], tree.infoset_cell[i + 1]) for i in mine)):
        pure = strategy.copy()
        pure[tree.cell_player == player] = 0
        pure[list(choice)] = 1
        yield pure


def test_kuhn_best_response_is_the_best_of_all_pure_strategies() -> None:
    tree = compiled("kuhn")
    strategy = random_strategy(tree, 1)
    for player in (0, 1):
        best = max(
            expected_value(tree, (pure, pure))[player] for pure in pure_strategies(tree, player, strategy)
        )
        assert respond(tree, strategy, player).value == pytest.approx(best, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_random_games_by_brute_force(seed: int, zero_sum: bool) -> None:
    tree = compile_tree(RandomGame(seed, depth=4, zero_sum=zero_sum))
    strategy = random_strategy(tree, seed)
    found = evaluate(tree, strategy)
    for player in (0, 1):
        actions = np.diff(tree.infoset_cell)[tree.infoset_player == player]
        if np.prod(actions.astype(float)) > 2000:
            continue
        best = max(
            expected_value(tree, (pure, pure))[player] for pure in pure_strategies(tree, player, strategy)
        )
        assert found.best_response[player] == pytest.approx(best, abs=1e-12)
        assert found.best_response[player] >= found.value[player] - 1e-12
    if zero_sum:
        assert sum(found.value) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "bluff(dice=1,faces=3)"])
def test_value_is_what_the_rules_pay(name: str) -> None:
    tree = compiled(name)
    strategy = TableStrategy.of(tree, random_strategy(tree, 2))
    paid = expected_payoffs(
        load_game(name).root(), lambda player, label: list(strategy.query(label, player).values())
    )
    assert evaluate(tree, strategy.probabilities).value == pytest.approx(tuple(paid), abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "bluff(dice=1,faces=4)", "flop_holdem(suits=2,ranks=4)"])
def test_the_best_response_wins_its_value_when_played(name: str) -> None:
    tree = compiled(name)
    strategy = random_strategy(tree, 3)
    for player in (0, 1):
        response = respond(tree, strategy, player)
        played = np.where(tree.cell_player == player, response.strategy, strategy)
        assert evaluate(tree, played).value[player] == pytest.approx(response.value, abs=1e-10)


def test_forgetful_players_face_an_opponent_who_forgets_nothing() -> None:
    found = 0
    for seed in range(200):
        try:
            tree = compile_tree(RandomGame(seed, depth=4, forgetful=True))
        except solvent.InputError:
            continue
        strategy = tree.uniform
        for player in (0, 1):
            actions = np.diff(tree.infoset_cell)[tree.infoset_player == player]
            if np.prod(actions.astype(float)) > 500:
                continue
            found += 1
            best = max(
                expected_value(tree, (pure, pure))[player] for pure in pure_strategies(tree, player, strategy)
            )
            assert respond(tree, strategy, player).value >= best - 1e-12
    assert found > 50


OPENSPIEL_GAMES = [
    "coordinated_mp",
    "dark_hex(board_size=2)",
    "goofspiel(num_cards=3)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "matrix_rpsw",
    "nim(pile_sizes=2;3)",
    "oshi_zumo(coins=4,size=1,horizon=4)",
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 2,raiseSize=2 2,firstPlayer=1 2,"
    "maxRaises=2 2,numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1,stack=20 20)",
]


@pytest.mark.parametrize("name", OPENSPIEL_GAMES)
def test_exploitability_is_what_openspiel_calculates(name: str) -> None:
    """On a random and on a solved strategy, by OpenSpiel's own best responses."""
    from open_spiel.python.algorithms import exploitability as theirs

    from solvent.strategy.solved.openspiel import to_tabular_policy

    game = load_game(f"openspiel:{name}")
    tree = compile_tree(game)
    solved = solvent.HistorySolver(tree, "dcfr")
    solved.run(20)
    for weights in (random_strategy(tree, 4), solved.average_strategy()):
        strategy = TableStrategy.of(tree, weights)
        expected = theirs.nash_conv(game.game, to_tabular_policy(strategy)) / 2
        assert exploitability(tree, strategy) == pytest.approx(expected, abs=1e-9)


def test_strategy_of_another_game_is_refused() -> None:
    with pytest.raises(solvent.InputError, match="kuhn, not of leduc"):
        exploitability("leduc", TableStrategy.of(compiled("kuhn"), compiled("kuhn").uniform))
