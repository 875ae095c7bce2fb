"""Options of training: initial weights, rows never visited, exploration as a part of the run, shared rows."""

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.forms.betting.tree import DECISION, build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.games.betting.sizes import parse_betting
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training.settings import TrainingSettings
from solvent.training.train import train
from solvent.training.work import Length, Training

SHARED = "preflop=2x,3x,a; postflop=100%; cap=1; stack=10; history=raises"


@pytest.fixture(scope="module")
def small():
    return random_cards()


@pytest.fixture(autouse=True)
def cards(small, monkeypatch):
    use_cards(small, patch=monkeypatch)
    return small


def trained(out, iterations, **options):
    return train("cards", out=out, iterations=iterations, sampling="external", **options)


def table(folder):
    return Run.open(folder, "training").load_checkpoint()[0]["table"]


@pytest.mark.parametrize("options", [{}, {"rule": "cfr", "initial_visits": 100.0}])
def test_initial_weights_go_on_with_a_run(tmp_path, options):
    """The prior is renewed at 1,000, 2,000 and 4,000 iterations, whenever the run is stopped."""
    options = {"betting": SHARED, "initial_weights": True, **options}
    trained(tmp_path / "run", 3_000, **options)
    train(resume=tmp_path / "run", iterations=5_000)
    trained(tmp_path / "straight", 5_000, **options)
    np.testing.assert_array_equal(table(tmp_path / "run"), table(tmp_path / "straight"))
    facts = Run.open(tmp_path / "run").facts()
    assert facts["prior_weight"] == (1.0 if "rule" in options else 4_000)
    assert TrainingSettings.of(options).unvisited == "prior"


def test_more_initial_visits_stay_nearer_to_the_prior(tmp_path):
    away = []
    for visits in (0.01, 1e6):
        folder = tmp_path / f"{visits}"
        trained(folder, 2_500, betting=BETTING, initial_weights=True, initial_visits=visits)
        regrets = TrainingRun.open(folder).blueprint().row(0, 0, 3)[0]
        share = np.maximum(regrets, 0) / np.maximum(regrets, 0).sum()
        trained(tmp_path / f"{visits} prior", 1, betting=BETTING, unvisited="prior", seed=5)
        prior = TrainingRun.open(tmp_path / f"{visits} prior").blueprint().average(0, 0, 3)
        away.append(abs(share - prior).sum())
    assert away[0] > 0.1 > 0.01 > away[1]


def test_initial_weights_count_for_a_deal_or_for_a_hand_of_a_board(cards):
    tree, tables = build_tree(parse_betting(BETTING)), {}
    for sampling in ("external", "public"):
        settings = TrainingSettings(sampling=sampling, initial_weights=True, threads=1)
        training = Training(tree, cards, settings, Length(1_000))
        training.begin()
        tables[sampling] = training.solver.blueprint.row(0, 0, 3)[0]
    assert tables["public"].sum() > 0
    np.testing.assert_allclose(tables["external"], 276 * tables["public"], rtol=1e-5)


@pytest.mark.parametrize("sampling", ["external", "public"])
def test_exploration_is_raised_to_or_mixed_in(tmp_path, sampling):
    options = {"betting": BETTING, "sampling": sampling, "exploration_decay": True, "rule": "lcfr"}
    for mix in (False, True):
        train("cards", out=tmp_path / f"{mix}", iterations=50, exploration_mix=mix, **options)
    del options["exploration_decay"]
    train("cards", out=tmp_path / "none", iterations=50, **options)
    raised, mixed, none = (table(tmp_path / name) for name in ("False", "True", "none"))
    assert (raised != mixed).any()
    assert (raised != none).any()


@pytest.mark.parametrize(("sampling", "iterations"), [("external", 5), ("public", 1)])
def test_rows_never_visited_play_the_prior_where_that_is_asked(tmp_path, sampling, iterations):
    for unvisited in ("prior", "uniform"):
        options = {"betting": BETTING, "sampling": sampling, "unvisited": unvisited}
        train("cards", out=tmp_path / unvisited, iterations=iterations, **options)
    prior, uniform = (TrainingRun.open(tmp_path / name).blueprint() for name in ("prior", "uniform"))
    last = int(np.flatnonzero(prior.tree.kind == DECISION)[-1])
    rows = [(cluster, bucket) for cluster in range(2) for bucket in range(2)]
    rows = [row for row in rows if not uniform.row(last, *row)[1].any()]
    assert rows
    for row in rows:
        assert np.ptp(uniform.average(last, *row)) == 0
        assert np.ptp(prior.average(last, *row)) > 0.1
    visited = uniform.table != 0
    np.testing.assert_allclose(prior.table[visited], uniform.table[visited], rtol=1e-4)


def test_exploration_decays_over_a_part_of_the_run(cards):
    settings = TrainingSettings(sampling="external", exploration_decay=True, exploration_part=0.4)
    tree = build_tree(parse_betting(BETTING))
    iterations = Training(tree, cards, settings, Length(10_000))
    assert iterations.exploration() == (0.01, 0.01 / 4_000)
    assert not iterations.discounts
    seconds = Training(tree, cards, settings, Length(time=100.0))
    seconds.seconds = 10.0
    assert seconds.exploration() == (pytest.approx(0.0075), 0.0)
    seconds.seconds = 50.0
    assert seconds.exploration() == (0.0, 0.0)
    assert Training(
        tree, cards, TrainingSettings(sampling="external", exploration_decay=True)
    ).exploration() == (0.01, 2.5e-7)


def test_exploration_falls_over_a_part_of_the_run_as_it_is_planned_now(tmp_path):
    options = {"exploration_decay": True, "exploration_part": 0.5, "exploration_mix": True}
    trained(tmp_path / "run", 400, betting=BETTING, **options)
    run = Run.open(tmp_path / "run")
    assert run.facts()["length"] == {"iterations": 400, "time": None}
    assert (run.fixed["exploration_part"], run.fixed["exploration_mix"]) == (0.5, True)
    assert train(resume=tmp_path / "run", iterations=800).iterations == 800
    assert run.facts()["length"] == {"iterations": 800, "time": None}


def test_exploration_falls_by_whichever_limit_comes_first(cards):
    settings = TrainingSettings(sampling="external", exploration_decay=True, exploration_part=0.5)
    training = Training(build_tree(parse_betting(BETTING)), cards, settings, Length(1_000_000, 100.0))
    training.seconds = 25.0
    assert training.exploration() == (pytest.approx(0.005), 0.0)


@pytest.mark.parametrize(("sampling", "iterations"), [("external", 2_000), ("public", 20)])
def test_an_agent_that_remembers_raises_alone_plays(tmp_path, sampling, iterations):
    train("cards", out=tmp_path / "run", iterations=iterations, sampling=sampling, betting=SHARED)
    agent = AgentLoader().load_table(str(tmp_path / "run"))
    won = expected_match(agent, agent, 20).winnings
    assert won.mbb == pytest.approx(0.0, abs=1.0)
    strategy = TrainingRun.open(tmp_path / "run").strategy()
    small, large = (list(strategy.query(f"AsAh|Kd7d2c|{line}").values()) for line in ("r200c/", "r300c/"))
    assert small == large


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"exploration_mix": True}, "exploration-mix says how exploration-decay works; give that too"),
        ({"exploration_part": 0.5}, "exploration-part says how exploration-decay works; give that too"),
        ({"exploration_part": 0.0, "exploration_decay": True}, "leave out exploration-decay"),
        ({"exploration_part": 0.5, "exploration_decay": True, "batch": 10}, "training on one table"),
        ({"initial_visits": 5.0}, "initial-visits say how much initial-weights count"),
        ({"initial_visits": 0.0, "initial_weights": True}, "change nothing"),
        ({"initial_visits": 5.0, "initial_weights": True, "batch": 10}, "write initial weights once"),
        ({"unvisited": "folding"}, "uniform, prior"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        TrainingSettings.of(options)
