"""Strategies and runs as a Python user meets them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import solvent
from conftest import compiled
from solvent.forms.history import compile_tree
from solvent.foundation.errors import InputError
from solvent.foundation.storage import bundle
from solvent.games.catalogue import load_game
from solvent.solving.session import Limits
from solvent.strategy.opening import open_solved
from solvent.strategy.solved.openspiel import from_openspiel_policy, to_tabular_policy
from solvent.strategy.solved.tables import TableStrategy, compare
from solvent.strategy.writing import write_csv


def test_every_infoset_can_be_queried() -> None:
    tree = compiled("leduc")
    strategy = TableStrategy.of(tree, np.random.default_rng(0).random(tree.cells))
    for infoset, label in enumerate(tree.infoset_label):
        row = strategy.query(label, int(tree.infoset_player[infoset]))
        assert tuple(row) == tree.action_label[infoset]
        assert sum(row.values()) == pytest.approx(1)
        cells = slice(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
        assert list(row.values()) == pytest.approx(strategy.probabilities[cells].tolist())
    with pytest.raises(InputError, match="no infoset"):
        strategy["nonsense"]


def test_labels_that_both_players_have_need_a_player() -> None:
    class Both:
        players = 2

        def __init__(self, step: int = 0) -> None:
            self.step = step

        def __str__(self) -> str:
            return "both"

        def root(self) -> Both:
            return self

        def player(self) -> int:
            return (0, 1, solvent.TERMINAL)[self.step]

        def actions(self) -> list[str]:
            return ["x"]

        def child(self, action: str) -> Both:
            return Both(self.step + 1)

        def infoset(self) -> str:
            return "same"

        def payoffs(self) -> tuple[float, float]:
            return 1, -1

    tree = compile_tree(Both())
    assert tree.infosets == 2
    strategy = TableStrategy.of(tree, tree.uniform)
    with pytest.raises(InputError, match="both players"):
        strategy["same"]
    assert strategy.query("same", 1) == {"x": 1.0}


def test_a_strategy_is_immutable() -> None:
    strategy = TableStrategy.of(compiled("kuhn"), compiled("kuhn").uniform)
    with pytest.raises(ValueError, match="read-only"):
        strategy.weights[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        strategy.probabilities[0] = 1


def test_save_and_load_memory_mapped(tmp_path: Path) -> None:
    tree = compiled("leduc")
    strategy = TableStrategy.of(tree, np.random.default_rng(0).random(tree.cells), rule="made up")
    strategy.save(tmp_path / "s")
    loaded = open_solved(tmp_path / "s")
    assert isinstance(loaded.weights, np.memmap)
    assert (loaded.probabilities == strategy.probabilities).all()
    assert loaded.facts == {"rule": "made up"}
    assert compare(strategy, loaded).largest == 0
    assert list(loaded.rows()) == list(strategy.rows())


def test_compare_says_where() -> None:
    tree = compiled("kuhn")
    changed = tree.uniform.copy()
    changed[0], changed[1] = 1, 0
    found = compare(TableStrategy.of(tree, tree.uniform), TableStrategy.of(tree, changed))
    assert (found.largest, found.infoset, found.player) == (0.5, tree.infoset_label[0], 0)
    with pytest.raises(InputError, match="different games"):
        compare(
            TableStrategy.of(tree, changed), TableStrategy.of(compiled("leduc"), compiled("leduc").uniform)
        )


def test_csv_has_a_line_for_each_infoset_action() -> None:
    tree, file = compiled("kuhn"), io.StringIO()
    write_csv(TableStrategy.of(tree, tree.uniform), file)
    assert len(file.getvalue().splitlines()) == 1 + tree.cells


def test_openspiel_policies_there_and_back() -> None:
    tree = compile_tree(load_game("openspiel:leduc_poker"))
    strategy = TableStrategy.of(tree, np.random.default_rng(0).random(tree.cells))
    back = from_openspiel_policy(tree, to_tabular_policy(strategy))
    assert np.allclose(back.probabilities, strategy.probabilities, atol=1e-15)
    with pytest.raises(InputError, match="is not OpenSpiel's"):
        to_tabular_policy(TableStrategy.of(compiled("leduc5"), compiled("leduc5").uniform))


def test_solve_in_python(tmp_path: Path) -> None:
    seen = []
    result = solvent.solve("leduc", rule="cfr+", until=0.01, out=tmp_path / "run", watch=seen.append)
    assert result.exploitability <= 0.01
    assert solvent.exploitability("leduc", result.strategy) == pytest.approx(result.exploitability)
    assert [row["iterations"] for row in result.convergence][:12] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert {"compiling the game", "compiling kernels", "sized", "solving"} == {
        progress.stage for progress in seen
    }
    assert np.allclose(open_solved(tmp_path / "run").probabilities, result.strategy.probabilities)


@dataclass(frozen=True)
class Halving(solvent.RegretRule):
    """CFR+ whose positive regrets are halved every `period` iterations."""

    period: int = 100

    def weights(self, t: int) -> solvent.Weights:
        return solvent.Weights(positive=0.5 if t % self.period == 0 else 1.0, floor=0.0, average=t)


def test_a_run_under_a_rule_of_ones_own_is_resumed_with_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    solvent.solve("kuhn", rule=Halving(3), iterations=10, out=run)
    with pytest.raises(InputError, match=r"rule of your own, halving\(period=3\); pass it again as rule="):
        solvent.solve(resume=run, iterations=20)
    with pytest.raises(InputError, match=r"cannot go on with halving\(period=100\)"):
        solvent.solve(resume=run, rule=Halving(), iterations=20)
    resumed = solvent.solve(resume=run, rule=Halving(3), iterations=20)
    whole = solvent.solve("kuhn", rule=Halving(3), iterations=20)
    assert resumed.exploitability == whole.exploitability


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rule": 3}, "cannot be 3"),
        ({"rule": Halving}, r"write Halving\(\)"),
        ({"iterations": "50"}, r"iterations must be a whole number, at least 0 and at most [\d,]+, not '50'"),
        ({"iterations": 2.5}, "whole number"),
        ({"until": "low"}, "finite number"),
        ({"time": float("inf")}, "finite time"),
        ({"check_every": 1.5}, "whole number"),
        ({"threads": "2"}, "threads must be a whole number"),
        ({"memory": 8.5}, "whole number of bytes"),
    ],
)
def test_bad_arguments_are_sentences(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        solvent.solve("kuhn", **options)


@pytest.mark.slow
def test_float32_kernels_are_compiled_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    import solvent.engines.history.solver as cfr

    asked = []
    monkeypatch.setattr(cfr, "FLOAT32_FROM", 10)
    monkeypatch.setattr(cfr.HistorySolver, "warm_up", lambda solver: asked.append(solver.dtype))
    assert solvent.solve("kuhn", plan="serial", form="history", iterations=2).dtype == "float32"
    assert asked == ["float32"]


def test_checks_come_each_ten_percent() -> None:
    limits, checks, at = Limits(), [], 0
    while at < 1000:
        at = limits.next_check(at)
        checks.append(at)
    assert checks[:11] == list(range(1, 12))
    assert all(b <= a * 1.1 + 1 for a, b in pairwise(checks))


def test_notes_say_what_is_not_guaranteed(tmp_path: Path) -> None:
    from oracles.random_games import RandomGame

    result = solvent.solve(RandomGame(3, zero_sum=False), iterations=5)
    assert any("not zero-sum" in note for note in result.warnings)


def test_a_full_disk_is_noticed_before_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = bundle.shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(bundle.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(InputError, match="no room"):
        bundle.write_bundle(tmp_path / "b", {"x": np.zeros(10)}, {})
    assert not (tmp_path / "b").exists()


def test_import_is_light() -> None:
    code = "import time; t = time.perf_counter(); import solvent, sys; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_example_of_a_game_in_thirty_lines() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    from rock_paper_scissors import RockPaperScissors

    result = solvent.solve(RockPaperScissors(), rule="cfr+", iterations=500)
    assert result.value == pytest.approx(0, abs=1e-3)
    assert result.strategy.query("your throw", 0)["rock"] == pytest.approx(1 / 3, abs=0.02)


def test_macos_counts_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from solvent.foundation.kernels.memory import peak_memory
    from solvent.foundation.machine import cores

    here = peak_memory()
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores() == os.cpu_count()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert peak_memory() < here / 500


def test_a_strategy_from_a_function() -> None:
    tree = compiled("kuhn")
    timid = TableStrategy.from_function(tree, lambda player, infoset, actions: {actions[0]: 1.0})
    assert timid.query("K||b") == {"fold": 1.0, "call": 0.0}
    for wrong in ({}, {"raise": 1.0}, {"check": -1.0}, {"check": float("nan")}):
        with pytest.raises(InputError, match=r"does not fit them|must be finite"):
            TableStrategy.from_function(tree, lambda player, infoset, actions, wrong=wrong: wrong)
