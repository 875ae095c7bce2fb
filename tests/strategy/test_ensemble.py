"""Ensembles and priors: several strategies as one, and one from win rates."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from conftest import compiled
from oracles.random_games import RandomGame
from solvent.abstraction.cards.public_equity import equities, equity_histograms
from solvent.engines.history.response import evaluate, expected_value
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.forms.history import compile_tree
from solvent.forms.public.game import public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import SHOWDOWN
from solvent.strategy.agents.prior import win_rate_prior
from solvent.strategy.ensemble import combine
from solvent.strategy.strategy import normalise


def some(tree, count: int, seed: int = 0) -> list[np.ndarray]:
    """Random strategies with many zeros."""
    draw = np.random.default_rng(seed)
    return [normalise(np.maximum(draw.random(tree.cells) - 0.5, 0), tree.infoset_cell) for _ in range(count)]


def test_probabilities_are_added_as_in_the_paper() -> None:
    tree = compiled("leduc")
    infoset = next(k for k in range(tree.infosets) if len(tree.action_label[k]) == 3)
    cells = slice(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
    models = [tree.uniform.copy() for _ in range(3)]
    for model, row in zip(models, ((0.2, 0.4, 0.4), (0.5, 0.5, 0), (0, 0.5, 0.5)), strict=True):
        model[cells] = row
    assert combine(tree, models, by="sum")[cells] == pytest.approx([0.7 / 3, 1.4 / 3, 0.9 / 3])


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_by_reach_it_wins_what_the_models_win_on_average(name: str) -> None:
    tree = compiled(name)
    models = some(tree, 4)
    ensemble, added = combine(tree, models, by="reach"), combine(tree, models, by="sum")
    assert normalise(ensemble, tree.infoset_cell) == pytest.approx(ensemble, abs=1e-12)
    apart = 0.0
    for other in some(tree, 5, seed=1):
        first = np.mean([expected_value(tree, (model, other))[0] for model in models])
        second = np.mean([expected_value(tree, (other, model))[0] for model in models])
        assert expected_value(tree, (ensemble, other))[0] == pytest.approx(first, abs=1e-12)
        assert expected_value(tree, (other, ensemble))[0] == pytest.approx(second, abs=1e-12)
        apart = max(apart, abs(expected_value(tree, (added, other))[0] - first))
    assert apart > 0.01, "a plain sum is another strategy"
    mean = np.mean([evaluate(tree, model).exploitability for model in models])
    assert evaluate(tree, ensemble).exploitability <= mean


def test_what_no_model_reaches_has_their_sum() -> None:
    tree = compiled("kuhn")
    first = next(k for k in range(tree.infosets) if tree.infoset_label[k] == "J||")
    later = next(k for k in range(tree.infosets) if tree.infoset_label[k] == "J||kb")
    models = some(tree, 2)
    cells = slice(tree.infoset_cell[later], tree.infoset_cell[later + 1])
    for model, row in zip(models, ((1, 0), (0.5, 0.5)), strict=True):
        model[tree.infoset_cell[first] : tree.infoset_cell[first + 1]] = (0, 1)  # always bets
        model[cells] = row
    assert combine(tree, models, by="reach")[cells] == pytest.approx([0.75, 0.25])


def test_ensembles_refuse_what_cannot_be() -> None:
    tree = compiled("kuhn")
    with pytest.raises(InputError, match="sum or reach"):
        combine(tree, [tree.uniform], by="vote")
    with pytest.raises(InputError, match="at least one strategy"):
        combine(tree, [])
    with pytest.raises(InputError, match="of 24 numbers"):
        combine(tree, [[1.0]])
    forgetful = compile_tree(RandomGame(2, forgetful=True))
    with pytest.raises(InputError, match="forgets"):
        combine(forgetful, [forgetful.uniform])


def test_equities_are_those_of_every_hand_and_board() -> None:
    rules = load_game("holdem(suits=2,ranks=5,streets=3,max_bets=1)")
    game = public_game(rules, isomorphism=False)
    found = equities(game)
    for level, board, slot in ((2, 100, 3), (2, 7, 0), (1, 11, 5), (0, 0, 4), (0, 0, 17)):
        here = game.rounds[level]
        mine, shown = game.hands[here.hand[board, slot]], here.boards[board]
        results = []
        left = [card for card in rules.deck if card not in mine and card not in shown]
        for yours in combinations(left, 2):
            boards = [shown]
            for _ in range(2 - level):
                boards = [after for b in boards for after, _ in rules.boards(b, mine, yours)]
            results += [(1 + rules.sign(SHOWDOWN, b, mine, yours)) / 2 for b in boards]
        assert found[level][board, slot] == pytest.approx(np.mean(results))
    # The turns of a flop hand, by their equity.
    histogram = equity_histograms(game, 1, 20)
    flop, slot = 11, 5
    turns = [
        found[2][k, s]
        for k, s in zip(*np.nonzero(game.rounds[2].parent_slot == slot), strict=True)
        if game.rounds[2].parent[k] == flop
    ]
    assert len(turns) == 5
    assert histogram[flop, slot].tolist() == [sum(t < (k + 1) / 20 for t in turns) for k in range(19)] + [5]
    assert (equity_histograms(game, 2, 20)[..., -1] == 1).all()


def test_leduc_hands_are_worth_what_they_win() -> None:
    preflop, flop = equities(public_game(load_game("leduc"), isomorphism=False))
    # A jack meets J once, Q and K twice each, and wins only by pairing: worked out by hand.
    pairs = (1 * 0.5 + 2 * (1 / 4 * 1 + 3 / 4 * 0) + 2 * (1 / 4)) / 5
    assert preflop[0, 0] == pytest.approx(pairs)
    assert preflop.mean() == pytest.approx(0.5)
    assert flop[0, 0] == pytest.approx(1.0), "a pair of jacks: the other jack is not there"
    assert flop[1, 2] == pytest.approx((2 * 1 + 1 * 0.5 + 1 * 0) / 4)


def test_the_prior_follows_win_rates() -> None:
    game = public_game(load_game("leduc"), isomorphism=False)
    tree, place = unroll(game)
    prior = win_rate_prior(game)[place]
    assert normalise(prior, tree.infoset_cell) == pytest.approx(prior)
    at = {
        label: prior[tree.infoset_cell[k] : tree.infoset_cell[k + 1]]
        for k, label in enumerate(tree.infoset_label)
    }
    assert at["J|Q|kk/b"] == pytest.approx([0.8, 0.15, 0.05])  # beaten by Q and K, ties with J: 12.5 %
    assert at["K|K|kk/"] == pytest.approx([0.15, 0.85])
    solver = SamplingSolver(tree)
    solver.warm_start(prior)
    assert solver.current_strategy() == pytest.approx(prior)
    solver.run(20_000)
    assert solver.evaluate().exploitability < 0.15
    sized = public_game(load_game("leduc(bets1=[1,2])"), isomorphism=False)
    assert unroll(sized)[0].uniform.shape == win_rate_prior(sized)[unroll(sized)[1]].shape


def test_games_without_one_showdown_have_no_equities() -> None:
    with pytest.raises(InputError, match="one kind of showdown"):
        equities(public_game(load_game("bluff(dice=1,faces=3)"), isomorphism=False))
    with pytest.raises(InputError, match="isomorphism off"):
        equities(public_game(load_game("flop_holdem(suits=2,ranks=4)")))
    with pytest.raises(InputError, match="no hands of cards"):
        equity_histograms(public_game(load_game("leduc"), isomorphism=False), 1, 10)
