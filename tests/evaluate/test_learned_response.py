"""A response learned inside a blueprint's abstraction: frozen opponents, greedy rows, what it wins, doublings."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from oracles import push_fold
from oracles.distributed import clustered_cards, small_tree
from solvent.abstraction.cards.win_rates import win_rates
from solvent.evaluate import learned_response as learned
from solvent.evaluate import response_doublings
from solvent.evaluate.response_doublings import DoublingSettings, ResponseDoublings
from solvent.foundation.errors import InputError
from solvent.foundation.progress import SIZED, Interrupted, Stop
from solvent.solvers.blueprint.solver import BlueprintSolver
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post


@pytest.fixture(scope="module")
def blueprint():
    made = Blueprint(small_tree(), clustered_cards(3))
    win_rates(made.cards, 20_000)  # kept, so that agents have these
    BlueprintSolver(made).run(300)
    return made


@pytest.fixture(scope="module")
def pusher():
    """An agent of push-or-fold, trained a little."""
    made = Blueprint(push_fold.push_fold_tree(), clustered_cards(3))
    BlueprintSolver(made).run(3_000)
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


def test_the_opponent_stays_as_it_plays(blueprint):
    responder = learned.Responder(blueprint, seed=1)
    before = [learner.table.copy() for learner in responder.learners]
    responder.learn(50)
    assert responder.learned == 50
    changed = 0
    for player, learner in enumerate(responder.learners):
        started = Blueprint(blueprint.tree, blueprint.cards, before[player])
        for place in rows(blueprint):
            regrets = learner.row(*place)[0]
            if blueprint.tree.player[place[0]] != player:
                np.testing.assert_allclose(regrets, blueprint.average(*place), rtol=1e-5)
            else:
                np.testing.assert_array_equal(started.row(*place)[0], blueprint.row(*place)[0])
                changed += (regrets != started.row(*place)[0]).any()
    assert changed > 10


def test_the_clock_goes_on(blueprint):
    """The iteration after 300 counts 301, and the first one 1."""
    added = []
    for iterations in (0, 300):
        responder = learned.Responder(
            Blueprint(blueprint.tree, blueprint.cards, blueprint.table.copy(), iterations)
        )
        before = responder.learners[1].table.astype(np.float64)
        responder.learn(1)
        changes = responder.learners[1].table - before
        added.append([changes[changes < 0].sum(), changes[changes > 0].sum()])
    np.testing.assert_allclose(added[1], np.array(added[0]) * 301, rtol=1e-3)


def test_the_opponent_is_post_processed(blueprint):
    (first, second) = (learned.Responder(blueprint, post=parse_post("purify")).learners[k] for k in range(2))
    seen = 0
    for place in rows(blueprint):
        likely = blueprint.average(*place)
        frozen = (second if blueprint.tree.player[place[0]] == 0 else first).row(*place)[0]
        if (likely == likely.max()).sum() == 1:
            np.testing.assert_allclose(frozen, likely == likely.max(), atol=1e-6)
            seen += 1
    assert seen > 10


def test_regrets_of_other_weights_are_scaled(blueprint):
    """A training of equal weights has added up 300 of them where linear ones are 300 x 301 / 2."""
    (linear, _), (equal, _) = (learned.Responder(blueprint, weight=w).learners for w in (None, 300.0))
    for place in rows(blueprint):
        if blueprint.tree.player[place[0]] == 0:
            np.testing.assert_allclose(equal.row(*place)[0], linear.row(*place)[0] * 150.5, rtol=1e-5)
    later = learned.Responder(blueprint, clock=600)
    assert later.clock == 600
    np.testing.assert_allclose(
        later.learners[0].row(0, 0, 5)[0], linear.row(0, 0, 5)[0] * 600 * 601 / 300 / 301, rtol=1e-5
    )


def test_both_ways_of_playing(blueprint):
    responder = learned.Responder(blueprint)
    greedy, matching = map(responder.response, learned.WAYS)
    for place in rows(blueprint):
        regrets = blueprint.row(*place)[0]
        np.testing.assert_array_equal(greedy.row(*place)[1] > 0, regrets == regrets.max())
        positive = np.maximum(regrets, 0)
        wanted = positive / positive.sum() if positive.any() else np.full(len(regrets), 1 / len(regrets))
        np.testing.assert_allclose(matching.average(*place), wanted, rtol=1e-5)


def test_the_best_response_is_approached_from_below(pusher):
    """In push-or-fold hold'em the best response inside the abstraction is known."""
    dealt, agent = push_fold.deals(pusher.cards, 60_000), push_fold.strategies(pusher)
    best = push_fold.best_value(agent, dealt)
    assert best > 50
    responder = learned.Responder(pusher)
    won = []
    for iterations in (100, 5_000, 60_000):
        responder.learn(iterations)
        strategies = push_fold.strategies(responder.response("greedily"))
        won.append(push_fold.value(strategies, agent, dealt))
    assert won[0] < won[1] < won[2] < best
    assert won[2] > best - 20
    assert won[0] < best - 30


def test_doublings_end_and_the_last_value_is_of_other_deals(pusher, tmp_path):
    told = []
    settings = DoublingSettings(first=25_000, deals=24_000)
    found = ResponseDoublings(pusher, settings, folder=tmp_path / "kept").run(told.append)
    assert found["complete"]
    assert found["settled"]
    assert not (tmp_path / "kept").exists()
    assert [rung["iterations"] for rung in found["rungs"]] == [
        25_000 << k for k in range(len(found["rungs"]))
    ]
    largest = [max(rung[way]["mbb_per_hand"] for way in learned.WAYS) for rung in found["rungs"]]
    added = np.diff(largest)
    assert (added[:-1] >= 5).all()
    assert added[-1] < 5
    assert found["chosen_by"] == max(largest)
    assert found["deals"] == 24_000
    best = push_fold.best_value(push_fold.strategies(pusher), push_fold.deals(pusher.cards, 60_000))
    assert best - 60 < found["mbb_per_hand"] < best + found["mbb_per_hand_95"]
    cost = next(now.detail for now in told if now.stage == SIZED)
    assert "25,000 iterations for each seat" in cost
    assert "if it settles after 50,000 iterations" in cost
    units = {now.unit for now in told if now.total}
    assert units == {"iterations", "deals a seat"}


def test_what_was_stopped_goes_on(pusher, tmp_path):
    settings = DoublingSettings(first=20_000, most=40_000, deals=1_200, enough=0)

    def measured(watch=None, stop=None):
        doublings = ResponseDoublings(pusher, settings, folder=tmp_path / "kept")
        return doublings, doublings.run(watch, stop)

    stop = Stop()

    def late(now):
        if now.stage == "learning" and now.done >= 30_000 and now.total:
            stop.request()

    with pytest.raises(Interrupted):
        measured(late, stop)
    begun = ResponseDoublings(pusher, settings, folder=tmp_path / "kept")
    assert begun.responder.learned >= 30_000
    assert len(begun.rungs) == 1
    told = []
    resumed, found = measured(told.append)
    assert any("going on after 3" in now.detail for now in told if now.stage == SIZED)
    assert len(found["rungs"]) == 2
    whole = ResponseDoublings(pusher, settings)
    assert whole.run() == found
    for one, other in zip(resumed.responder.learners, whole.responder.learners, strict=True):
        np.testing.assert_array_equal(one.table, other.table)


def test_what_was_kept_of_other_settings_is_left(pusher, tmp_path):
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        ResponseDoublings(pusher, DoublingSettings(first=9_000), folder=tmp_path / "kept").run(stop=stop)
    assert (tmp_path / "kept").is_dir()
    other = ResponseDoublings(pusher, DoublingSettings(first=8_000), folder=tmp_path / "kept")
    assert other.responder.learned == 0


def test_a_response_wins_more_from_worse_play(blueprint):
    """Uniform play loses much to what is learned, and more than a trained blueprint does."""
    lost = {}
    for name, each in (("uniform", Blueprint(small_tree(), clustered_cards(3))), ("trained", blueprint)):
        won = learned.response_winnings(each, 3_000, 2_000)
        lost[name] = won.mbb, won.mbb_interval
    assert lost["uniform"][0] - lost["uniform"][1] > 300
    assert lost["uniform"][0] > lost["trained"][0]


def test_tables_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(response_doublings, "memory_gib", lambda: 8.0)
    with pytest.raises(InputError, match=r"takes 12.0 GiB of tables, and this machine has 8.0 GiB"):
        response_doublings.check_tables(3 << 30, None)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 << 30))
    response_doublings.check_tables(1 << 29, tmp_path / "kept")
    with pytest.raises(InputError, match="no room in"):
        response_doublings.check_tables(1 << 30, tmp_path / "kept")


def test_refusals(blueprint):
    with pytest.raises(InputError, match="one iteration at least"):
        learned.learned_response(blueprint, 0)
    with pytest.raises(InputError, match="one iteration at least"):
        DoublingSettings(first=0)
    with pytest.raises(InputError, match="12 deals at least, not 3"):
        DoublingSettings(deals=3)
