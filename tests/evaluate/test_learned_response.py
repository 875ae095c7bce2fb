"""A response learned inside a blueprint's abstraction: frozen opponents, greedy rows, and that it wins."""

import numpy as np
import pytest

from oracles.distributed import clustered_cards, small_tree
from solvent.evaluate import learned_response as learned
from solvent.foundation.errors import InputError
from solvent.solvers.blueprint.solver import BlueprintSolver
from solvent.strategy.agents.blueprint import Blueprint


@pytest.fixture(scope="module")
def blueprint():
    made = Blueprint(small_tree(), clustered_cards(3))
    BlueprintSolver(made).run(300)
    return made


def rows(blueprint):
    """Every decision's node with its cluster and bucket."""
    tree = blueprint.tree
    for node in np.flatnonzero(tree.action_count > 0).tolist():
        street = int(tree.street[node])
        clusters = 1 if street == 0 else blueprint.layout.clusters
        for cluster in range(clusters):
            for bucket in range(min(3, int(blueprint.layout.buckets[street]))):
                yield node, cluster, bucket


@pytest.mark.parametrize("player", [0, 1])
def test_the_opponent_plays_the_average_and_keeps_to_it(blueprint, player):
    learner = learned.frozen_opponent(blueprint, player, 50)
    before = learner.table.copy()
    arrays = BlueprintSolver(learner).arrays("y1")
    learned.learn_against(
        50, 1, player, arrays, blueprint.cards.lookup, learned.evaluator(), learned.blueprint_room()
    )
    started = Blueprint(blueprint.tree, blueprint.cards, before)
    changed = 0
    for place in rows(blueprint):
        own = blueprint.row(*place)
        regrets = learner.row(*place)[0]
        if blueprint.tree.player[place[0]] != player:
            np.testing.assert_array_equal(regrets, own[1])
        else:
            begun = started.row(*place)[0]
            if own[1].sum() > 0:
                np.testing.assert_allclose(begun / begun.sum(), blueprint.average(*place), rtol=1e-5)
            changed += (regrets != begun).any()
    assert changed > 10


def test_the_response_takes_the_action_of_greatest_regret(blueprint):
    learners = [Blueprint(blueprint.tree, blueprint.cards, blueprint.table.copy()) for _ in range(2)]
    made = learned.greedy(learners)
    for place in rows(blueprint):
        regrets = blueprint.row(*place)[0]
        np.testing.assert_array_equal(made.row(*place)[1] > 0, regrets == regrets.max())


def test_a_response_wins_more_from_worse_play(blueprint):
    """Uniform play loses much to what is learned, and more than a trained blueprint does."""
    lost = {}
    for name, each in (("uniform", Blueprint(small_tree(), clustered_cards(3))), ("trained", blueprint)):
        won = learned.response_winnings(each, 3_000, 2_000)
        lost[name] = won.mbb, won.mbb_interval
    assert lost["uniform"][0] - lost["uniform"][1] > 300
    assert lost["uniform"][0] > lost["trained"][0]


def test_a_response_takes_an_iteration_at_least(blueprint):
    with pytest.raises(InputError, match="one iteration at least"):
        learned.learned_response(blueprint, 0)
