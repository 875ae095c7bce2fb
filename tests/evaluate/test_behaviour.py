"""Behaviour: what is sane passes, what is not is named, and what is counted is what is played."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from oracles.table_agent import random_model, rate_of
from solvent.evaluate.behaviour import Watched, class_of, class_weights, summary
from solvent.evaluate.behaviour_checks import Bar, _folds_to_bets, check_behaviour
from solvent.forms.betting.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import FOLD
from solvent.play.table_agent import rule_agent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post

TREE = "preflop=100%,a; postflop=100%,a; cap=2; stack=20"


@cache
def by_strength() -> Blueprint:
    """A model that stays in as often as its bucket wins, and half of that raises."""
    model = random_model(TREE)
    for street, (clusters, buckets) in enumerate(model.cards.sizes):
        nodes = np.flatnonzero((model.tree.kind == DECISION) & (model.tree.street == street))
        for node in nodes.tolist():
            actions = model.tree.actions(node)
            for cluster in range(clusters):
                for bucket in range(buckets):
                    rate = rate_of(model.cards, street, cluster, bucket)
                    weights = [rate] * len(actions)
                    if actions[0] == FOLD:
                        weights[0] = 0.0 if rate > 0.8 else (len(actions) - 1) * (1 - rate)
                    model.row(node, cluster, bucket)[1] = weights
    return model


def results(model: Blueprint, hands: int = 4_000, post: str = "none") -> dict:
    watched = Watched(table_agent("agent", [model], post=parse_post(post)), hands)
    return {check.name: check for check in check_behaviour(watched)}


def test_sane_play_passes() -> None:
    found = results(by_strength())
    failed = [check.name for check in found.values() if not check.passed]
    assert failed in ([], ["the nuts never fold on the river"])  # these buckets know little of hands
    assert found["aces never fold before the flop"].measured == 0
    assert found["better hands stay more facing a first raise"].measured == pytest.approx(1, abs=1e-4)


def test_play_by_chance_fails() -> None:
    found = results(random_model(TREE))
    failed = {check.name for check in found.values() if not check.passed and not check.near}
    assert {"aces never fold before the flop", "better hands stay more facing a first raise"} <= failed
    assert "probabilities are probabilities" not in failed
    assert "never folds when it can check" not in failed


def test_an_empty_table_is_no_training() -> None:
    model = random_model(TREE)
    model.table[:] = 0
    found = results(model, 500)
    check = found["plays trained infosets"]
    assert not check.passed
    assert check.measured == 100


def test_post_processing_is_looked_at_too() -> None:
    found = results(by_strength(), 500, "new(0.01)")  # folds whenever it folds at all
    assert found["the button plays more hands than it folds"].measured < 20


def test_what_is_counted_is_what_is_played() -> None:
    watched = Watched(table_agent("agent", [random_model(TREE)]), 20_000)
    _, folded = watched.preflop(lambda action: action == FOLD)
    hands = watched.observed.sums[0].sum(axis=(0, 1))[1] / watched.hands
    assert 2 * float(watched.weights @ folded) == pytest.approx(2 * hands, abs=0.02)
    first = Watched(table_agent("agent", [random_model(TREE)]), 5_000, threads=2)
    again = Watched(table_agent("agent", [random_model(TREE)]), 5_000)
    assert first.observed.sums == pytest.approx(again.observed.sums)
    shares = summary(again)["flop, facing a bet"]
    assert shares["fold"] + shares["call"] + shares["raise"] == pytest.approx(1)


def test_classes() -> None:
    weights = class_weights()
    assert weights.sum() == pytest.approx(1)
    assert weights[class_of("AA")] == pytest.approx(6 / 1326)
    assert weights[class_of("72o")] == pytest.approx(12 / 1326)
    assert weights[class_of("AKs")] == pytest.approx(4 / 1326)


def test_rules_have_no_behaviour() -> None:
    with pytest.raises(InputError, match="always-fold plays by a rule"):
        Watched(rule_agent("always-fold"))


CORRELATION = Bar("better hands stay more", "rank correlation", 0.6, 1, 0.02)


@pytest.mark.parametrize(
    ("measured", "noise", "passed", "near"),
    [
        (0.61, 0.0, True, False),
        (0.598, 0.0, False, True),  # other seeds differ by more
        (0.57, 0.0, False, False),
        (0.57, 0.03, False, True),  # other hands might have passed
        (0.2, 0.03, False, False),
    ],
)
def test_a_miss_that_chance_explains_is_near_and_no_failure(measured, noise, passed, near) -> None:
    check = CORRELATION.judge("buckets are mixed up", measured, noise)
    assert (check.passed, check.near) == (passed, near)
    assert (check.measured, check.noise, check.seeds) == (measured, noise, 0.02)


@pytest.mark.parametrize(("measured", "noise"), [(np.nan, 0.0), (0.5, np.inf)])
def test_what_is_too_rare_is_no_failure(measured, noise) -> None:
    check = CORRELATION.judge("buckets are mixed up", measured, noise)
    assert (check.measured, check.passed, check.near) == (None, True, False)


def test_noise_is_how_much_figures_differ_over_other_hands() -> None:
    agent, figure = table_agent("agent", [random_model(TREE)]), partial(_folds_to_bets, 1)
    watched = [Watched(agent, 1_000, seed) for seed in range(20)]
    differ = 1.96 * float(np.std([figure(one.observed) for one in watched], ddof=1))
    said = float(np.mean([one.noise(figure) for one in watched]))
    assert differ / 1.6 < said < differ * 1.6
    assert Watched(agent, 1_000, 0, threads=2).noise(figure) == pytest.approx(watched[0].noise(figure))
