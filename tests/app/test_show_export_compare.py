"""The commands that read a run: show, export, compare and bench."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from commands_run import refused, solved, solvent

from solvent import solve
from solvent.foundation.progress import Progress
from solvent.foundation.storage.run import Run
from solvent.strategy.writing import write_csv, write_json


def test_a_run_can_be_shown_exported_compared_listed_and_resumed(tmp_path: Path) -> None:
    a, b = tmp_path / "runs" / "a", tmp_path / "runs" / "b"
    solved("solve", "kuhn", "--iterations", "100", "--out", a)
    solved("solve", "kuhn", "--iterations", "100", "--rule", "cfr", "--out", b)
    assert {"run.toml", "metrics.jsonl", "result.json", "convergence.png", "checkpoints"} <= set(
        os.listdir(a)
    )
    shown = json.loads(solvent("show", a, "K||b", "--json").stdout)
    assert shown["infosets"][0]["probabilities"]["call"] > 0.99
    assert "K||b" in solvent("show", a, "K*").stdout
    assert solvent("export", a).stdout.startswith("player,infoset,action,probability")
    assert json.loads(solvent("export", a, "--format", "json").stdout)["players"][1]["K||b"]["call"] > 0.99
    for to in ("csv", "json"):
        done = solvent("export", a, "--format", to, "--out", tmp_path / "rows", "--force")
        assert (done.stdout, done.stderr) == ("", f"wrote 24 rows to {tmp_path / 'rows'}\n")
    assert solvent("export", a, "--format", "efg").stdout.startswith("EFG 2 R")
    assert solvent("export", a, "--format", "strategy", "--out", tmp_path / "s").returncode == 0
    compared = json.loads(solvent("compare", a, tmp_path / "s", "--json").stdout)
    assert compared["largest_distance"] == 0
    assert json.loads(solvent("compare", a, b, "--json").stdout)["mean_distance"] > 0
    listed = json.loads(solvent("runs", tmp_path, "--json").stdout)["runs"]
    assert [row["iterations"] for row in listed] == [100, 100]
    resumed = solved("solve", "--resume", a, "--iterations", "150")
    assert resumed["iterations"] == 150
    # Asking again for what is there costs nothing and changes nothing.
    again = solved("solve", "kuhn", "--resume", a, "--iterations", "150")
    assert again["exploitability"] == resumed["exploitability"]
    assert len({row["iterations"] for row in Run.open(a).metrics()}) == len(Run.open(a).metrics())


def test_a_run_of_a_file_that_changed_since(tmp_path: Path) -> None:
    file, run = tmp_path / "game.efg", tmp_path / "run"
    solved("solve", "kuhn", "--iterations", "1", "--out", tmp_path / "kuhn")
    assert solvent("export", tmp_path / "kuhn", "--format", "efg", "--out", file).returncode == 0
    solved("solve", file, "--iterations", "5", "--out", run)
    file.write_text(file.read_text().replace("{ 1, -1 }", "{ 2, -2 }"))
    refused = solvent("solve", "--resume", run, "--iterations", "10")
    assert refused.returncode == 2
    assert "has changed since" in refused.stderr


@pytest.mark.parametrize("write", [write_csv, write_json])
def test_exports_tell_how_far_they_are(write: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvent.strategy.writing.INFOSETS_BETWEEN_REPORTS", 5)
    told: list[Progress] = []
    strategy = solve("kuhn", iterations=1).strategy
    assert write(strategy, io.StringIO(), told.append) == 24
    assert [(p.done, p.total) for p in told] == [(0, 12), (5, 12), (10, 12)]


def test_export_to_openspiel(tmp_path: Path) -> None:
    import pickle

    run, out = tmp_path / "run", tmp_path / "policy.pickle"
    result = solved("solve", "openspiel:kuhn_poker", "--iterations", "300", "--out", run)
    assert solvent("export", run, "--format", "openspiel", "--out", out).returncode == 0
    from open_spiel.python.algorithms.exploitability import exploitability

    policy = pickle.loads(out.read_bytes())
    assert exploitability(policy.game, policy) == pytest.approx(result["exploitability"], abs=1e-9)


def test_an_unknown_infoset_is_named(kuhn_run: Path) -> None:
    assert "no infoset 'Z||'" in refused("show", kuhn_run, "Z||")


def test_bench_openspiel_prints_rows() -> None:
    document = json.loads(
        solvent("bench", "openspiel", "--game", "kuhn_poker", "--repeats", "1", "--json").stdout
    )
    wanted = {"game", "plan", "threads", "openspiel_seconds", "seconds", "ratio", "compile_seconds"}
    rows = document["found"]["iterations"]["rows"]
    assert all(wanted <= row.keys() for row in rows)
    assert [row["plan"] for row in rows] == ["serial", "auto"]


def test_names_with_brackets_and_colons_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "[/red] :smile:"
    monkeypatch.setenv("COLUMNS", "300")
    assert solvent("solve", "kuhn", "--iterations", "5", "--out", run).returncode == 0
    for arguments in (("show", run), ("compare", run, run), ("runs", tmp_path)):
        done = solvent(*arguments)
        assert done.returncode == 0, done.stderr
    assert "[/red] :smile:" in done.stdout
    assert "[/red]" in refused("bench", "openspiel", "--game", "[/red]")


def test_a_game_without_decisions(tmp_path: Path) -> None:
    game, run = tmp_path / "luck.efg", tmp_path / "run"
    game.write_text(
        'EFG 2 R "luck" { "A" "B" }\n""\n\nc "" 1 "" { "x" 1/2 "y" 1/2 } 0\n'
        't "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\n'
    )
    assert solved("solve", game, "--iterations", "5", "--out", run)["exploitability"] == 0
    assert solved("solve", game, "--iterations", "5", "--warm-start", run)["exploitability"] == 0
    assert solvent("show", run).returncode == 0
    assert "has no decisions" in refused("show", run, "x")
    assert "has no decisions" in refused("compare", run, run)


def test_a_pattern_that_nothing_matches_is_refused(kuhn_run: Path) -> None:
    assert "no infoset matches 'zz*'" in refused("show", kuhn_run, "zz*")
