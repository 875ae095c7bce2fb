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
from solvent.play.expected import expected_match
from solvent.play.table_agent import table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post
from solvent.training.solver import BlueprintSolver


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
    responder = learned.Responder(blueprint, clock=300, seed=1)
    frozen, before = responder.frozen.table.copy(), responder.learner.table.copy()
    started = Blueprint(blueprint.tree, blueprint.cards, before)
    for place in rows(blueprint):
        np.testing.assert_allclose(responder.frozen.row(*place)[0], blueprint.average(*place), rtol=1e-5)
        np.testing.assert_allclose(started.row(*place)[0], blueprint.row(*place)[0], rtol=1e-5)
    responder.learn(2)
    assert responder.learned == 2
    np.testing.assert_array_equal(responder.frozen.table, frozen)
    changed = {0: 0, 1: 0}
    for place in rows(blueprint):
        regrets, sums = responder.learner.row(*place)
        changed[int(blueprint.tree.player[place[0]])] += (regrets != started.row(*place)[0]).any()
        assert not sums.any()
    assert min(changed.values()) > 10


def test_the_clock_goes_on(blueprint):
    """The board after 300 counts 301, and the first one 1."""
    added = []
    for clock in (0, 300):
        responder = learned.Responder(blueprint, clock=clock)
        responder.learner.table[:] = 0
        responder.learn(1)
        added.append(responder.learner.table.astype(np.float64))
    np.testing.assert_allclose(added[1], added[0] * 301, rtol=1e-4, atol=1e-3)
    assert np.abs(added[0]).max() > 1e-3


def test_the_opponent_is_post_processed(blueprint):
    frozen = learned.Responder(blueprint, post=parse_post("purify")).frozen
    seen = 0
    for place in rows(blueprint):
        likely = blueprint.average(*place)
        if (likely == likely.max()).sum() == 1:
            np.testing.assert_allclose(frozen.row(*place)[0], likely == likely.max(), atol=1e-6)
            seen += 1
    assert seen > 10


def test_regrets_count_for_the_clock(blueprint):
    """Linear weights of 300 iterations add up to 300 x 301 / 2, and equal ones to 300."""
    for clock, weight, scale in ((300, None, 1), (300, 300.0, 150.5), (600, None, 600 * 601 / 300 / 301)):
        learner = learned.Responder(blueprint, clock=clock, weight=weight).learner
        for place in rows(blueprint):
            np.testing.assert_allclose(learner.row(*place)[0], blueprint.row(*place)[0] * scale, rtol=1e-5)


def test_both_ways_of_playing(blueprint):
    responder = learned.Responder(blueprint)
    greedy, matching = map(responder.response, learned.WAYS)
    for place in rows(blueprint):
        regrets = blueprint.row(*place)[0]
        np.testing.assert_array_equal(greedy.row(*place)[1] > 0, regrets == regrets.max())
        positive = np.maximum(regrets, 0)
        wanted = positive / positive.sum() if positive.any() else np.full(len(regrets), 1 / len(regrets))
        np.testing.assert_allclose(matching.average(*place), wanted, rtol=1e-5)


def test_values_on_boards_are_those_of_matches(blueprint):
    """What a response wins over all deals of boards is what it wins in an expected match, up to the intervals."""
    responder = learned.Responder(blueprint)
    for way in learned.WAYS:
        response = responder.response(way)
        on_boards = responder.value(response, 400, seed=5)
        agents = table_agent("response", [response]), table_agent("agent", [blueprint])
        dealt = expected_match(*agents, 20_000, seed=5).winnings
        assert abs(on_boards.mbb - dealt.mbb) < 1.5 * np.hypot(on_boards.mbb_interval, dealt.mbb_interval)
        assert on_boards.pairs == 400
    own = Blueprint(blueprint.tree, blueprint.cards, responder.frozen.table)
    nothing = responder.value(own, 10, seed=5)
    assert abs(nothing.mbb) < 0.01  # seats change on every board, so an agent wins nothing from itself
    assert nothing.mbb_interval < 0.01


def test_the_best_response_is_approached_from_below(pusher):
    """In push-or-fold hold'em the best response inside the abstraction is known."""
    dealt, agent = push_fold.deals(pusher.cards, 60_000), push_fold.strategies(pusher)
    best = push_fold.best_value(agent, dealt)
    assert best > 50
    responder = learned.Responder(pusher)
    won = []
    for boards in (5, 100, 2_000):
        responder.learn(boards)
        strategies = push_fold.strategies(responder.response("greedily"))
        won.append(push_fold.value(strategies, agent, dealt))
    assert won[0] < won[1] < won[2] < best
    assert won[2] > best - 10
    assert won[0] < best - 15


def test_doublings_end_and_the_last_value_is_of_other_boards(pusher, tmp_path):
    told = []
    settings = DoublingSettings(first=500, valued=3_000)
    found = ResponseDoublings(pusher, settings, folder=tmp_path / "kept").run(told.append)
    assert found["complete"]
    assert found["settled"]
    assert not (tmp_path / "kept").exists()
    assert [rung["boards"] for rung in found["rungs"]] == [500 << k for k in range(len(found["rungs"]))]
    largest = [max(rung[way]["mbb_per_hand"] for way in learned.WAYS) for rung in found["rungs"]]
    added = np.diff(largest)
    assert (added[:-1] >= 5).all()
    assert added[-1] < 5
    assert found["chosen_by"] == max(largest)
    assert found["valued"] == 3_000
    best = push_fold.best_value(push_fold.strategies(pusher), push_fold.deals(pusher.cards, 60_000))
    assert best - 30 < found["mbb_per_hand"] < best + 10 + found["mbb_per_hand_95"]
    cost = next(now.detail for now in told if now.stage == SIZED)
    assert "500 boards for each seat" in cost
    assert "if it settles after 1,000 boards" in cost
    units = {now.unit for now in told if now.total}
    assert units == {"boards"}


def test_what_was_stopped_goes_on(pusher, tmp_path):
    settings = DoublingSettings(first=400, most=800, valued=60, enough=0)

    def measured(watch=None, stop=None):
        doublings = ResponseDoublings(pusher, settings, folder=tmp_path / "kept")
        return doublings, doublings.run(watch, stop)

    stop = Stop()

    def late(now):
        if now.stage == "learning" and now.done >= 600 and now.total:
            stop.request()

    with pytest.raises(Interrupted):
        measured(late, stop)
    begun = ResponseDoublings(pusher, settings, folder=tmp_path / "kept")
    assert begun.responder.learned >= 600
    assert len(begun.rungs) == 1
    told = []
    resumed, found = measured(told.append)
    assert any("going on after 60" in now.detail for now in told if now.stage == SIZED)
    assert len(found["rungs"]) == 2
    whole = ResponseDoublings(pusher, settings)
    assert whole.run() == found
    np.testing.assert_array_equal(resumed.responder.learner.table, whole.responder.learner.table)


def test_what_was_kept_of_other_settings_is_left(pusher, tmp_path):
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        ResponseDoublings(pusher, DoublingSettings(first=90), folder=tmp_path / "kept").run(stop=stop)
    assert (tmp_path / "kept").is_dir()
    other = ResponseDoublings(pusher, DoublingSettings(first=80), folder=tmp_path / "kept")
    assert other.responder.learned == 0


def test_a_response_wins_more_from_worse_play(blueprint):
    """Uniform play loses much to what is learned, and more than a trained blueprint does."""
    lost = {}
    for name, each in (("uniform", Blueprint(small_tree(), clustered_cards(3))), ("trained", blueprint)):
        won = learned.response_winnings(each, 50, 50)
        lost[name] = won.mbb, won.mbb_interval
    assert lost["uniform"][0] - lost["uniform"][1] > 300
    assert lost["uniform"][0] > lost["trained"][0]


def test_tables_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(response_doublings, "memory_gib", lambda: 8.0)
    with pytest.raises(InputError, match=r"takes 15.0 GiB of tables, and this machine has 8.0 GiB"):
        response_doublings.check_tables(3 << 30, None)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 << 30))
    response_doublings.check_tables(1 << 30, tmp_path / "kept")
    with pytest.raises(InputError, match="no room in"):
        response_doublings.check_tables(3 << 29, tmp_path / "kept")


def test_refusals(blueprint):
    with pytest.raises(InputError, match="one board at least"):
        learned.learned_response(blueprint, 0)
    with pytest.raises(InputError, match="one board at least"):
        DoublingSettings(first=0)
    with pytest.raises(InputError, match="12 boards at least, not 3"):
        DoublingSettings(valued=3)
