"""Pruning from `solve`: options, what the result says, and runs that go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.solving.settings import Settings
from solvent.solving.solve import solve
from solvent.strategy.opening import open_solved


@pytest.mark.parametrize("mode", ["none", "partial", "interval", "total"])
def test_the_result_says_what_is_stored_and_touched(mode: str) -> None:
    result = solve("leduc", rule="cfr", plan="serial", form="history", pruning=mode, iterations=300)
    whole = 300 * 2 * result.histories
    assert result.settings.pruning == mode
    assert result.form == "history"
    assert (result.pruned_actions > 0) == (mode in ("interval", "total"))
    assert (result.stored_regrets < 1) == (mode == "total")
    assert result.stored_averages <= 1
    assert 0 <= result.response_nodes <= result.nodes_touched
    assert (result.nodes_touched < whole) == (mode != "none")
    assert result.exploitability < 0.05


def test_partial_pruning_is_the_same_solve() -> None:
    first, second = (
        solve("leduc", rule="cfr+", plan="serial", form="history", pruning=mode, iterations=100)
        for mode in ("none", "partial")
    )
    np.testing.assert_array_equal(first.strategy.probabilities, second.strategy.probabilities)


@pytest.mark.parametrize("mode", ["interval", "total"])
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
def test_a_run_goes_on_bit_for_bit(tmp_path: Path, mode: str, rule: str) -> None:
    how = {"rule": rule, "pruning": mode, "prune_every": 5, "check_every": 10}
    through = solve("leduc", iterations=80, out=tmp_path / "through", **how)
    solve("leduc", iterations=37, out=tmp_path / "parts", **how)
    parts = solve(resume=tmp_path / "parts", iterations=80)
    tables = [Run.open(tmp_path / name).load_checkpoint()[0] for name in ("through", "parts")]
    assert tables[0].keys() == tables[1].keys()
    for name in tables[0]:
        np.testing.assert_array_equal(tables[0][name], tables[1][name])
    assert parts.nodes_touched == through.nodes_touched
    assert parts.settings.pruning == mode
    assert open_solved(tmp_path / "parts").probabilities.shape == (through.infoset_actions,)


def test_a_run_keeps_its_pruning(tmp_path: Path) -> None:
    solve("leduc", rule="cfr", pruning="total", iterations=10, out=tmp_path / "run")
    with pytest.raises(InputError, match="began with pruning total"):
        solve(resume=tmp_path / "run", pruning="none", iterations=20)
    with pytest.raises(InputError, match="began with prune-average"):
        solve(resume=tmp_path / "run", prune_average=0.5, iterations=20)


def test_pruning_cannot_start_from_a_strategy() -> None:
    start = solve("leduc", rule="cfr", plan="serial", form="history", iterations=10).strategy
    with pytest.raises(InputError, match="cannot start from a strategy"):
        solve("leduc", rule="cfr", pruning="total", iterations=10, warm_start=start)


def test_forms_are_chosen_and_refused() -> None:
    assert solve("leduc", form="history", iterations=5).form == "history"
    assert solve("leduc", form="public", iterations=5).form == "public"
    with pytest.raises(InputError, match="runs on stored histories"):
        solve("leduc", form="public", plan="flattened", iterations=5)
    with pytest.raises(InputError, match="public form needs"):
        solve("openspiel:tic_tac_toe", form="public", iterations=1)


@pytest.mark.slow
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("mode", ["partial", "total"])
@pytest.mark.parametrize(
    "game", ["leduc(bets1=[1,2,4],bets2=[2,4,8])", "flop_holdem(suits=2,ranks=4,raises=1)"]
)
def test_public_forms_from_start_to_resumed_end(tmp_path: Path, game: str, mode: str, updates: str) -> None:
    how = {"rule": "cfr", "pruning": mode, "form": "public", "updates": updates, "check_every": 10}
    if mode != "partial":
        how["prune_every"] = 5
    through = solve(game, iterations=120, out=tmp_path / "through", **how)
    solve(game, iterations=57, out=tmp_path / "parts", **how)
    parts = solve(resume=tmp_path / "parts", iterations=120)
    tables = [Run.open(tmp_path / name).load_checkpoint()[0] for name in ("through", "parts")]
    for name in tables[0]:
        np.testing.assert_array_equal(tables[0][name], tables[1][name])
    assert parts.exploitability == through.exploitability
    assert parts.nodes_touched == through.nodes_touched
    assert (through.form, through.settings.pruning, through.settings.updates) == ("public", mode, updates)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({}, "prune-average changes nothing: pruning none takes no options"),
        ({"pruning": "partial"}, "prune-average changes nothing: pruning partial takes no options"),
        (
            {"pruning": "interval", "form": "history"},
            "pruning interval on the history form takes prune-gates, prune-every$",
        ),
    ],
)
def test_options_that_change_nothing_are_refused(how: dict, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        solve("kuhn", rule="cfr", prune_average=0.01, iterations=5, **how)


def test_runs_with_options_that_are_gone() -> None:
    """A run that began with one that changed something is refused; at its old default it goes on."""
    began = {"rule": "cfr", "pruning": "interval", "prune_near": 0.0, "prune_length": "dynamic"}
    assert Settings.resumed(began, {}, "run").pruning == "interval"
    with pytest.raises(InputError, match="run began with prune-near"):
        Settings.resumed(began | {"prune_near": 0.5}, {}, "run")
    assert Settings.resumed({"rule": "cfr", "evaluator": "sweep"}, {}, "run").evaluator == "swept"


def test_interval_pruning_on_the_public_form_is_refused() -> None:
    with pytest.raises(InputError, match="give pruning total, or form history"):
        solve("leduc", rule="cfr", form="public", pruning="interval", iterations=5)


@pytest.mark.parametrize("form", ["history", "public"])
@pytest.mark.parametrize("mode", ["partial", "interval", "total"])
def test_threads_are_refused(form: str, mode: str) -> None:
    with pytest.raises(InputError, match="one thread"):
        solve("kuhn", rule="cfr", form=form, pruning=mode, threads=2, iterations=5)


def test_the_result_has_the_options_that_count() -> None:
    row = solve("kuhn", rule="cfr", pruning="interval", iterations=5).as_dict()
    options = {key: row[key] for key in row if key.startswith("prune_")}
    assert options == {
        "prune_gates": "lasting",
        "prune_average": None,
        "prune_every": 10,
        "prune_after": None,
    }
    assert row["peak_stored"] > 1  # with room for copies
    assert solve("kuhn", iterations=5).as_dict()["prune_every"] is None
