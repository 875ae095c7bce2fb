"""Growing runs: solved, stopped, resumed, opened and refused like any other."""

from __future__ import annotations

import numpy as np
import pytest

from solvent import open_strategy, solve
from solvent.engines.explicit.continuous.measure import measure_continuous, measure_tree
from solvent.engines.explicit.growing.growth_settings import GrowthSettings
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.rules import load_rule
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc


@pytest.mark.parametrize("grow", ["recovery", "transfer"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
def test_resumed_run_equals_an_undisturbed_one_to_the_bit(tmp_path, grow, rule):
    whole = solve("continuous_leduc", grow=grow, rule=rule, iterations=73, out=tmp_path / "whole")
    solve("continuous_leduc", grow=grow, rule=rule, iterations=38, out=tmp_path / "cut")
    cut = solve(resume=tmp_path / "cut", iterations=73)
    assert whole.additions == cut.additions
    assert len(whole.additions) > 10
    assert any(addition["iteration"] > 38 for addition in whole.additions)
    np.testing.assert_array_equal(whole.strategy.weights, cut.strategy.weights)
    assert whole.exploitability == cut.exploitability
    assert whole.nodes_touched == cut.nodes_touched
    opened = open_strategy(tmp_path / "cut")
    assert opened.fingerprint == whole.strategy.fingerprint
    assert list(opened) == list(whole.strategy)
    np.testing.assert_array_equal(opened.weights, whole.strategy.weights)
    assert {"public_nodes", "additions", "total_weight"} <= whole.convergence[-1].keys()


def test_checkpoint_of_another_log_is_refused():
    solver = GrowingSolver(ContinuousLeduc(), load_rule("cfr"))
    solver.run(40)
    saved = solver.saved_tables()
    fresh = GrowingSolver(ContinuousLeduc(), load_rule("cfr"))
    fresh.load_tables(saved)
    fresh.restore({"iterations": 40, "nodes_touched": solver.nodes_touched})
    assert fresh.tree.fingerprint == solver.tree.fingerprint
    for other in (solver, fresh):
        other.run(30)
    for name, table in solver.saved_tables().items():
        np.testing.assert_array_equal(fresh.saved_tables()[name], table, err_msg=name)
    with pytest.raises(ValueError, match="regret"):
        fresh.load_tables({**saved, "regret": saved["regret"][:-1]})
    empty = np.frombuffer(b"[]", dtype=np.uint8)
    with pytest.raises(ValueError, match="additions"):
        fresh.load_tables({**saved, "additions": empty})


@pytest.mark.parametrize("method", ["recovery", "transfer"])
def test_strategy_of_a_growing_run_is_measured_with_every_bet_that_it_knows(method):
    solver = GrowingSolver(ContinuousLeduc(), load_rule("cfr"), settings=GrowthSettings(method=method))
    solver.run(60)
    assert len(solver.log) > 10
    mine = measure_continuous(solver.strategy())
    theirs = measure_tree(solver.tree, solver.game.average_strategy())
    assert mine.within.exploitability == pytest.approx(solver.evaluate().exploitability, abs=1e-12)
    assert mine.informed.exploitability == pytest.approx(theirs.informed.exploitability, abs=1e-9)
    assert mine.uninformed.high == pytest.approx(theirs.uninformed.high, abs=1e-6)


def test_memory_bounds_growth():
    small = GrowingSolver(ContinuousLeduc(), load_rule("cfr"), memory=1_700_000)
    small.run(60)
    free = GrowingSolver(ContinuousLeduc(), load_rule("cfr"))
    free.run(60)
    assert small.tree.nodes <= small.looker.most_nodes < free.tree.nodes
    with pytest.raises(InputError, match="memory"):
        GrowingSolver(ContinuousLeduc(), load_rule("cfr"), memory=100_000)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"grow": "magic"}, "way to grow"),
        ({"grow": "recovery", "rule": "cfr+"}, "cfr and lcfr"),
        ({"grow": "recovery", "plan": "serial"}, "does not go with grow"),
        ({"grow": "recovery", "pruning": "interval"}, "does not go with grow"),
        ({"grow": "transfer", "pruning": "total"}, "goes with grow recovery"),
        ({"grow": "recovery", "threads": 2}, "does not go with grow"),
        ({"grow_factor": 1.1}, "changes nothing"),
    ],
)
def test_what_does_not_go_with_growing_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        solve("continuous_leduc", iterations=1, **options)


def test_games_that_cannot_grow_are_refused():
    with pytest.raises(InputError, match="leduc cannot"):
        solve("leduc", grow="recovery", iterations=1)


@pytest.mark.parametrize("rule", ["cfr", "dcfr"])
def test_skipping_what_nobody_reaches_changes_nothing(rule):
    """Whatever no player reaches gains neither regret nor average; rules that fade regrets skip nothing."""
    games = []
    for skip in (False, True):
        solver = GrowingSolver(ContinuousLeduc(), load_rule(rule), settings=GrowthSettings(every=10))
        solver.game.skip = skip and solver.game.skip
        solver.run(120)
        games.append(solver.game)
    full, skipping = games
    assert full.log.to_json() == skipping.log.to_json()
    for name in full.tables.names:
        np.testing.assert_array_equal(full.tables.rows(name), skipping.tables.rows(name))
    if rule == "cfr":
        assert skipping.nodes_touched < full.nodes_touched
    else:
        assert skipping.nodes_touched == full.nodes_touched
