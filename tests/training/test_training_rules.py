"""Rules of training: what discounts a table, when, and over which length of a run."""

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.engines.rules import load_rule
from solvent.forms.betting.tree import DECISION, build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Stop
from solvent.foundation.storage.run import Run
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.settings import TrainingSettings
from solvent.training.solver import BlueprintSolver
from solvent.training.train import train
from solvent.training.work import Length, Training


@pytest.fixture(scope="module")
def small():
    return random_cards()


@pytest.fixture(autouse=True)
def cards(small, monkeypatch):
    use_cards(small, patch=monkeypatch)
    return small


def trained(out, iterations, **options):
    return train("cards", out=out, iterations=iterations, betting=BETTING, sampling="external", **options)


def table(folder):
    return Run.open(folder, "training").load_checkpoint()[0]["table"]


def discounted_by_hand(cards, rule, iterations):
    """DCFR's discounts applied row by row at the end of each of a hundred parts."""
    tree = build_tree(parse_betting(BETTING))
    solver, dcfr = BlueprintSolver(Blueprint(tree, cards)), load_rule(rule)
    blueprint, one = solver.blueprint, np.float32
    for part in range(1, 101):
        solver.run(part * iterations // 100 - solver.iterations, linear=False)
        weights = dcfr.weights(part)
        keep = one((part / (part + 1)) ** dcfr.average_power)
        for node in np.flatnonzero(tree.kind == DECISION):
            clusters, buckets = cards.sizes[tree.street[node]]
            for cluster in range(clusters):
                for bucket in range(buckets):
                    regrets, sums = blueprint.row(node, cluster, bucket)
                    regrets *= np.where(regrets > 0, one(weights.positive), one(weights.negative))
                    sums *= keep
    return blueprint.table


def test_dcfr_discounts_the_table_at_the_end_of_each_part(tmp_path, cards):
    trained(tmp_path / "run", 1_030, rule="dcfr(1.5,0.5,2)")
    np.testing.assert_array_equal(
        table(tmp_path / "run"), discounted_by_hand(cards, "dcfr(1.5,0.5,2)", 1_030)
    )


def test_an_interrupted_dcfr_training_equals_an_undisturbed_one(tmp_path):
    stop = Stop()

    def interrupt(progress):
        if progress.stage == "training" and progress.done >= 300:
            stop.request()

    trained(tmp_path / "parts", 2_000, rule="dcfr", check_every=7, watch=interrupt, stop=stop)
    reached = Run.open(tmp_path / "parts").checkpoints()[-1]
    assert 0 < reached < 2_000
    train(resume=tmp_path / "parts")
    trained(tmp_path / "whole", 2_000, rule="dcfr")
    np.testing.assert_array_equal(table(tmp_path / "parts"), table(tmp_path / "whole"))
    facts = [Run.open(tmp_path / name).facts() for name in ("parts", "whole")]
    assert [each["parts_done"] for each in facts] == [100, 100]


def test_parts_of_a_time_end_by_the_clock(tmp_path):
    train("cards", out=tmp_path / "run", betting=BETTING, sampling="external", rule="dcfr", time=0.5)
    assert Run.open(tmp_path / "run").facts()["parts_done"] in range(97, 105)


def test_a_run_that_is_extended_has_longer_parts(tmp_path):
    """A hundred parts, whatever its first limit was: few seconds at first do not leave an hour with tiny parts."""
    trained(tmp_path / "run", 200, rule="dcfr")
    train(resume=tmp_path / "run", iterations=2_000)
    facts = Run.open(tmp_path / "run").facts()
    assert (facts["parts_done"], facts["length"]["iterations"]) == (100, 2_000)
    train(resume=tmp_path / "run", time=0.2)
    facts = Run.open(tmp_path / "run").facts()
    assert facts["parts_done"] in range(97, 105)


def test_an_extended_run_that_was_killed_has_the_same_parts(tmp_path):
    for name in ("straight", "killed"):
        trained(tmp_path / name, 300, rule="dcfr")
    train(resume=tmp_path / "straight", iterations=2_000)
    stop = Stop()

    def interrupt(progress):
        if progress.stage == "training" and progress.done >= 700:
            stop.request()

    train(resume=tmp_path / "killed", iterations=2_000, check_every=7, watch=interrupt, stop=stop)
    assert 300 < Run.open(tmp_path / "killed").checkpoints()[-1] < 2_000
    train(resume=tmp_path / "killed")
    np.testing.assert_array_equal(table(tmp_path / "killed"), table(tmp_path / "straight"))


def test_parts_end_by_time_where_iterations_would_last_longer(tmp_path):
    train("cards", out=tmp_path / "run", betting=BETTING, rule="dcfr", iterations=10**9, time=0.5)
    assert Run.open(tmp_path / "run").facts()["parts_done"] >= 90


@pytest.mark.parametrize(
    ("length", "iterations", "seconds", "over"),
    [
        (Length(1_030), 10, 0.0, 1),
        (Length(1_030), 19, 0.0, 1),
        (Length(1_030), 20, 0.0, 2),
        (Length(1_030), 1_030, 0.0, 100),
        (Length(time=50.0), 7, 0.49, 0),
        (Length(time=50.0), 7, 1.6, 3),
        (Length(1_000, 50.0), 20, 1.6, 3),
        (Length(1_000, 50.0), 40, 1.6, 4),
    ],
)
def test_parts_that_are_over(length, iterations, seconds, over):
    assert length.parts_done(iterations, seconds) == over


def test_parts_that_are_over_at_once_discount_the_table_once(cards, monkeypatch):
    """However short a part is beside an iteration: a discount follows what was learned since the last one."""
    settings = TrainingSettings(sampling="external", rule=load_rule("dcfr"), threads=1)
    training = Training(build_tree(parse_betting(BETTING)), cards, settings, Length(time=1e-6))
    seen = []
    monkeypatch.setattr(training, "_discount", lambda *weights: seen.append(weights))
    training.run(50)
    training.run(50)
    assert len(seen) == 2
    assert training.parts_done > 200
    assert seen[0][2] < 1e-4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rule": "cfr+"}, "cannot be trained with"),
        ({"rule": "pcfr+"}, "cannot be trained with"),
        ({"rule": "dcfr", "regret_floor": 0.1}, "regret floor goes with rules cfr and lcfr"),
        ({"rule": "dcfr", "iterations": 50}, "at least 100 iterations"),
    ],
)
def test_rules_that_training_cannot_follow_are_refused(tmp_path, options, sentence):
    with pytest.raises(InputError, match=sentence):
        train("cards", out=tmp_path / "run", **({"betting": BETTING, "iterations": 1_000} | options))
    assert not (tmp_path / "run").exists()


def test_rules_differ(tmp_path):
    tables = []
    for rule in ("cfr", "lcfr", "dcfr"):
        trained(tmp_path / rule, 500, rule=rule)
        tables.append(table(tmp_path / rule))
    assert not np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])
