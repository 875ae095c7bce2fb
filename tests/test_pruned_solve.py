"""Pruning from `solve`: options, what the result says, and runs that go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvent.errors import InputError
from solvent.solvers.solve import solve
from solvent.strategy.run import Run


@pytest.mark.parametrize("mode", ["none", "partial", "interval", "total"])
def test_the_result_says_what_is_stored_and_touched(mode: str) -> None:
    result = solve("leduc", rule="cfr", plan="serial", form="history", pruning=mode, iterations=300)
    whole = 300 * 2 * result.histories
    assert result.pruning == mode
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
    assert parts.pruning == mode
    assert Run.open(tmp_path / "parts").strategy().probabilities.shape == (through.infoset_actions,)


def test_a_run_keeps_its_pruning(tmp_path: Path) -> None:
    solve("leduc", rule="cfr", pruning="total", iterations=10, out=tmp_path / "run")
    with pytest.raises(InputError, match="began with pruning total"):
        solve(resume=tmp_path / "run", pruning="none", iterations=20)
    with pytest.raises(InputError, match="began with prune_average"):
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
    with pytest.raises(InputError, match="simultaneous"):
        solve("leduc", rule="cfr", form="public", pruning="total", iterations=5)
