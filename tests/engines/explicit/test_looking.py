"""Where bets are added: the closed form against grids, and Proposition 1."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solvent.abstraction.betting.translation import lower_share
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings, GrowthSettings
from solvent.engines.explicit.growing.look_kernels import BestBets, best_sizes, make_scratch
from solvent.engines.explicit.growing.looking import APART, Looker, estimates
from solvent.engines.explicit.growing.proposition import Candidate, pays
from solvent.engines.explicit.growing.transfer import fold_values, transferred_regret
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc


def start(sizes="1%,100%", updates="alternating", iterations=25):
    game = GrowingGame(explicit_tree(ContinuousLeduc(sizes)), load_rule("cfr"), updates)
    game.run(iterations)
    return game


def regret_of(game, looked, low, high, theta):
    """sum_h max(0, U_h - base_h) by the definition, for one size between two bets."""
    share = lower_share(theta, game.tree.theta[low], game.tree.theta[high])
    node = game.tree.parent[low]
    worth = 0.0
    for edge, part in ((low, share), (high, 1 - share)):
        folded = fold_values(game, edge)
        scale = (1 + 2 * theta) / (1 + 2 * game.tree.theta[edge])
        worth = worth + part * (folded + scale * (looked.worth[edge] - folded))
    return float(np.maximum(worth - looked.base[node], 0.0).sum())


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("version", ["faithful", "repaired"])
def test_closed_form_is_the_limit_of_grids(version, updates):
    game = start("1%,40%,100%", updates, 12)
    tree = game.tree
    settings = GrowthSettings(additions=AdditionSettings(version=version))
    looked = estimates(game, settings)
    found = BestBets(np.zeros(tree.nodes), np.zeros(tree.nodes), np.zeros(tree.nodes, np.int64))
    best_sizes(tree.arrays, looked, make_scratch(3), found, APART)
    nodes = np.flatnonzero(found.regret > 0)
    assert len(nodes) > 20
    for node in nodes[:: max(1, len(nodes) // 12)]:
        bets = sorted((c for c in tree.children(node) if tree.theta[c] > 0), key=lambda c: tree.theta[c])
        best, at = 0.0, None
        for low, high in pairwise(bets):
            grid = np.linspace(
                (1 + tree.theta[low]) * (1 + APART) - 1, (1 + tree.theta[high]) / (1 + APART) - 1, 201
            )
            values = [regret_of(game, looked, low, high, theta) for theta in grid]
            best = max(best, *values)
            if tree.theta[low] < found.theta[node] < tree.theta[high]:
                at = regret_of(game, looked, low, high, found.theta[node])
        assert found.regret[node] == pytest.approx(at, abs=1e-9)
        assert best - 1e-9 <= found.regret[node] <= best * 1.01 + 1e-9


def test_estimate_by_transfer_meets_the_regret_of_the_bets_that_are_there():
    game = start()
    looked = estimates(game, GrowthSettings(additions=AdditionSettings(version="faithful")))
    for node in (0, 1):
        low, high = (c for c in game.tree.children(node) if game.tree.theta[c] > 0)
        for edge, theta in ((low, 0.01), (high, 1.0)):
            expected = np.maximum(transferred_regret(game, edge, theta), 0.0).sum()
            assert regret_of(game, looked, low, high, theta) == pytest.approx(expected, abs=1e-9)


def test_responses_are_worth_at_least_what_was_played():
    game = start(updates="simultaneous")
    played, responses = (estimates(game, GrowthSettings(estimate=name)) for name in ("transfer", "response"))
    np.testing.assert_array_equal(played.base, responses.base)
    np.testing.assert_allclose(played.reach, responses.reach, atol=1e-9)
    owned = game.tree.edge_player >= 0
    assert np.all(responses.worth[owned] >= played.worth[owned] - 1e-9)


@pytest.mark.parametrize("method", ["recovery", "transfer"])
def test_what_is_added_pays(method):
    game = start()
    settings = GrowthSettings(method=method)
    sums = game.regret_sums()
    looker = Looker(game, settings)
    possible = looker.look(sums)
    assert possible
    assert [each.gain for each in possible] == sorted((each.gain for each in possible), reverse=True)
    for each in possible:
        inside = sums.largest[game.tree.player[each.node]]
        assert pays(inside, game.tree.nodes, Candidate(each.regret, each.nodes), 25.0, 1.01)
    nodes, touched = game.tree.nodes, game.nodes_touched
    added = looker.grow()
    assert 0 < added <= len(possible)
    assert game.tree.nodes == nodes + sum(each.nodes for each in possible[:added])
    assert game.nodes_touched > touched
    assert {entry.method for entry in game.log} == {method}
    assert all(0 < entry.discount <= 1 for entry in game.log)


def test_larger_factors_add_less_and_settings_are_checked():
    game = start()
    sums = game.regret_sums()
    counts = [len(Looker(game, GrowthSettings(factor=factor)).look(sums)) for factor in (1.0, 1.01, 1.1, 2.0)]
    assert counts == sorted(counts, reverse=True)
    for wrong in ({"method": "magic"}, {"estimate": "guess"}, {"factor": 0.0}, {"every": 0}):
        with pytest.raises(InputError):
            GrowthSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["faithful", "repaired"])
def test_what_follows_a_new_bet_has_the_sizes_of_the_version(version):
    game = start()
    tree = game.tree
    looker = Looker(game, GrowthSettings(additions=AdditionSettings(version=version)))
    large = tree.children(0)[-1]
    called = next(child for child in tree.children(large) if tree.labels[child] == "call")
    first_of_round = tree.children(called)[0]
    looker.add(first_of_round, 0.4, tree.children(first_of_round)[-1])
    edge = tree.nodes
    looker.add(0, 0.5, large)
    assert game.log[-1].source == (large if version == "repaired" else -1)
    behind = {float(theta) for theta in tree.theta[tree.subtree(edge)] if theta > 0}
    assert behind == ({0.01, 0.4, 0.5, 1.0} if version == "repaired" else {0.01, 0.5, 1.0})
    np.testing.assert_array_equal(tree.subtree(edge), np.arange(edge, tree.nodes))
