"""Local best response on small games: never above the best response, and right where the answer is known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from conftest import compiled
from solvent.engines.history.response import expected_value
from solvent.engines.public.bucketed import BucketedSolver
from solvent.engines.public.solver import PublicSolver
from solvent.evaluate.solved_parts import LocalResponder, local_response
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import Betting, PublicRules
from solvent.solving.measure import measure
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent.strategy.solved.tables import TableStrategy

SMALL = ("kuhn", "leduc", "leduc(bets1=[1,2],bets2=[2,4])", "flop_holdem(suits=2,ranks=4)")
REDUCED = "holdem(suits=2,ranks=4,streets=3,max_bets=2)"


@cache
def infosets_of(name: str) -> PublicInfosets:
    return PublicInfosets(public_game(load_game(name)))


def as_strategy(name: str, weights: np.ndarray) -> TableStrategy:
    infosets = infosets_of(name)
    return TableStrategy(name, infosets.game.fingerprint, infosets, weights)


@cache
def solved(name: str, iterations: int) -> TableStrategy:
    """The average strategy after so many iterations; uniform after none."""
    game = infosets_of(name).game
    if iterations == 0:
        return as_strategy(name, np.ones(game.cells))
    solver = PublicSolver(game, "dcfr")
    solver.run(iterations)
    return as_strategy(name, np.array(solver.strategy().weights))


def playing(name: str, wanted: tuple[str, ...]) -> TableStrategy:
    """Always the first of these actions that there is."""
    infosets = infosets_of(name)
    game, weights = infosets.game, np.zeros(infosets.cells)
    for edge, node in enumerate(game.edge_node):
        actions = game.betting[node].actions
        chosen = next(action for action in wanted if action in actions)
        if actions[edge - game.nodes.first_edge[node]] == chosen:
            start = infosets.block[edge]
            weights[start : start + game.block_sizes[edge]] = 1.0
    return as_strategy(name, weights)


@pytest.mark.parametrize("name", [*SMALL, REDUCED])
@pytest.mark.parametrize("iterations", [0, 5, 100])
def test_never_above_the_best_response(name: str, iterations: int) -> None:
    strategy = solved(name, iterations)
    best = measure(strategy).best_response
    for bets in (True, False):
        found = local_response(strategy, bets=bets)
        assert all(mine <= most + 1e-9 for mine, most in zip(found, best, strict=True))
    if iterations == 0:  # uniform play loses to nearly anything
        assert min(local_response(strategy)) > 0.3 * min(best)


def test_buckets_are_seen_through() -> None:
    """Who plays the flop blind loses to a local response that sees real cards, and more to the best one."""
    game = infosets_of("flop_holdem(suits=2,ranks=4)").game
    blind = BucketedSolver(game, [None, np.zeros_like(game.rounds[1].hand)], "cfr+")
    blind.run(100)
    found = LocalResponder(game, blind.average_strategy()).values()
    assert 0.05 < sum(found) / 2 <= blind.evaluate().exploitability


@pytest.mark.parametrize("name", ["leduc", "flop_holdem(suits=2,ranks=4)", REDUCED])
def test_who_folds_to_every_bet_loses_all_he_must(name: str) -> None:
    strategy = playing(name, ("check", "fold"))
    best = measure(strategy).best_response
    assert local_response(strategy) == pytest.approx(best, abs=1e-12)
    if name == "leduc":
        assert best == pytest.approx((1, 1))


def test_decides_in_some_rounds_alone() -> None:
    strategy = playing("leduc", ("check", "fold"))
    assert local_response(strategy, rounds=[1]) == pytest.approx((1, 1), abs=1e-12)  # bets a round later
    nobody = playing("leduc", ("check", "call"))
    assert local_response(nobody, rounds=[]) == pytest.approx((0, 0), abs=1e-12)
    called = local_response(nobody)
    assert min(called) > 0.5
    assert max(called) <= max(measure(nobody).best_response)


def test_equal_suits_may_be_left_out() -> None:
    name = "flop_holdem(suits=2,ranks=4)"
    few = solved(name, 5)
    game = public_game(load_game(name), isomorphism=False)
    infosets = PublicInfosets(game)
    weights = np.zeros(infosets.cells)
    for number in infosets.numbers():
        row = few.query(infosets.label(number))
        weights[infosets.cells_of(number)] = list(row.values())
    all_boards = TableStrategy(name, game.fingerprint, infosets, weights)
    assert local_response(all_boards) == pytest.approx(local_response(few), abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("player", [0, 1])
def test_the_obvious_way(name: str, player: int) -> None:
    """By histories: for each situation of the response, each hand of the other, each deal to come."""
    strategy = solved(name, 5)
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    game = infosets_of(name).game
    found = LocalResponder(game, np.array(strategy.probabilities)).weights(player)
    response = as_strategy(name, found)
    for label, row in choices(rules, strategy, player).items():
        assert response.query(label, player) == pytest.approx(row), label


def choices(rules: PublicRules, strategy: TableStrategy, player: int) -> dict[str, dict[str, float]]:
    """What the response does at each infoset at which one action is better than all others."""
    made: dict[str, dict[str, float]] = {}

    def visit(betting: Betting, board: tuple, reach: dict) -> None:
        """reach: {(own hand, other's hand): chance of both times the other's play}."""
        if betting.deals:
            boards = {b for pair in reach for b, _ in rules.boards(board, *seats(*pair))}
            for after in boards:
                below = {
                    pair: weight * float(dict(rules.boards(board, *seats(*pair))).get(after, 0))
                    for pair, weight in reach.items()
                }
                visit(betting.children[0], after, {pair: w for pair, w in below.items() if w > 0})
            return
        if not betting.actions:
            return
        if betting.player == player:
            for hand in {own for own, _ in reach}:
                mine = {pair: weight for pair, weight in reach.items() if pair[0] == hand}
                values = {
                    action: value(action, child, board, mine)
                    for action, child in zip(betting.actions, betting.children, strict=True)
                }
                best = max(values, key=lambda action: values[action])
                if sum(v > values[best] - 1e-9 for v in values.values()) == 1:
                    label = f"{rules.hand_labels[hand]}|{rules.board_label(board)}|{betting.history}"
                    made[label] = {action: float(action == best) for action in betting.actions}
            for child in betting.children:
                visit(child, board, reach)
            return
        for action, child in zip(betting.actions, betting.children, strict=True):
            below = {pair: w * plays(betting, board, pair[1], action) for pair, w in reach.items()}
            visit(child, board, {pair: w for pair, w in below.items() if w > 0})

    def seats(own: object, other: object) -> tuple:
        return (own, other) if player == 0 else (other, own)

    def plays(betting: Betting, board: tuple, hand: object, action: str) -> float:
        label = f"{rules.hand_labels[hand]}|{rules.board_label(board)}|{betting.history}"
        return strategy.query(label, 1 - player)[action]

    def value(action: str, child: Betting, board: tuple, reach: dict) -> float:
        if action in ("fold", "check", "call"):
            return sum(w * passive(child, board, *pair) for pair, w in reach.items())
        total = 0.0
        for pair, weight in reach.items():
            folds = plays(child, board, pair[1], "fold")
            after = dict(zip(child.actions, child.children, strict=True))
            total += weight * folds * passive(after["fold"], board, *pair)
            total += weight * (1 - folds) * passive(after["call"], board, *pair)
        return total

    def passive(betting: Betting, board: tuple, own: object, other: object) -> float:
        """What the response wins if both only check and call."""
        if betting.deals:
            return sum(
                float(w) * passive(betting.children[0], after, own, other)
                for after, w in rules.boards(board, *seats(own, other))
            )
        if betting.actions:
            place = next(k for k, action in enumerate(betting.actions) if action in ("check", "call"))
            return passive(betting.children[place], board, own, other)
        won = betting.stake * rules.sign(betting.symbol, board, *seats(own, other))
        return won if player == 0 else -won

    deals = {
        (own, other): float(rules.deal_weight(*seats(own, other)))
        for own in rules.hands()
        for other in rules.hands()
    }
    visit(rules.betting, (), {pair: w for pair, w in deals.items() if w > 0})
    return made


def test_a_strategy_by_histories() -> None:
    tree = compiled("leduc")
    uniform = TableStrategy.of(tree, np.ones(tree.cells))
    assert local_response(uniform) == pytest.approx(local_response(solved("leduc", 0)), abs=1e-12)


def test_games_without_bets_are_refused() -> None:
    with pytest.raises(InputError, match="folds, checks, calls and bets; bluff"):
        local_response(solved("bluff(dice=1,faces=2)", 0))


def test_its_value_is_that_of_its_strategy() -> None:
    name = "leduc"
    strategy, game = solved(name, 5), infosets_of(name).game
    tree = compiled(name)
    for player in (0, 1):
        weights = LocalResponder(game, np.array(strategy.probabilities)).weights(player)
        response = as_strategy(name, weights)
        by_history = np.zeros(tree.cells)
        other = TableStrategy.of(tree, np.ones(tree.cells)).infosets
        for number in other.numbers():
            label, who = other.label(number), other.player_of(number)
            by_history[other.cells_of(number)] = list(response.query(label, who).values())
        value = expected_value(tree, (by_history, by_history))[player]
        assert local_response(strategy)[player] == pytest.approx(value, abs=1e-9)
