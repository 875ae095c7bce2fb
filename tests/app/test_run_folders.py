"""Runs on disk: folders that are taken, damaged, foreign or half written, and what is said about them."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path
from typing import Any

import pytest
from commands_run import copy, newest_checkpoint, refused, solved, solvent
from rich.console import Console

from solvent.app.commands.games.games import games_table
from solvent.app.commands.runs.runs import runs_table
from solvent.foundation.storage import bundle
from solvent.foundation.storage.run import Run


def test_a_folder_with_a_run_is_not_overwritten(kuhn_run: Path) -> None:
    done = solvent("solve", "leduc", "--out", kuhn_run)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, "nothing is compiled first"
    assert "already holds a run" in done.stderr


def test_a_folder_with_other_things_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert "files that are not a run" in refused("solve", "kuhn", "--out", tmp_path)


def test_a_run_of_another_game_is_refused(kuhn_run: Path) -> None:
    assert "is a run of kuhn, not of leduc" in refused("solve", "leduc", "--resume", kuhn_run)


def test_a_run_keeps_its_rule(kuhn_run: Path) -> None:
    assert "cannot go on with cfr+" in refused("solve", "--resume", kuhn_run, "--rule", "cfr+")


@pytest.mark.parametrize("file", ["regret.npy", "average.npy", "manifest.json"])
def test_a_flipped_byte_is_refused(kuhn_run: Path, tmp_path: Path, file: str) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    path = newest_checkpoint(run) / file
    content = bytearray(path.read_bytes())
    content[-10] ^= 1
    path.write_bytes(content)
    assert "is damaged" in refused("solve", "--resume", run, "--iterations", "30")
    assert "is damaged" in refused("show", run)


def test_a_truncated_table_is_refused(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    path = newest_checkpoint(run) / "regret.npy"
    path.write_bytes(path.read_bytes()[:-8])
    assert "bytes and should have" in refused("solve", "--resume", run, "--iterations", "30")


def test_a_foreign_checkpoint_is_refused(kuhn_run: Path, tmp_path: Path) -> None:
    run, other = copy(kuhn_run, tmp_path / "run"), tmp_path / "other"
    solved("solve", "leduc", "--iterations", "20", "--out", other)
    import shutil

    shutil.rmtree(run / "checkpoints")
    shutil.copytree(other / "checkpoints", run / "checkpoints")
    assert "computed with another configuration" in refused("solve", "--resume", run, "--iterations", "30")


def test_a_damaged_configuration_is_refused(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    (run / "run.toml").write_text("game = ")
    assert "is damaged" in refused("show", run)
    (run / "run.toml").write_text('rule = "cfr"\n')
    assert "has been changed since it was written" in refused("show", run)


def test_a_half_written_checkpoint_is_ignored(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    half = run / "checkpoints" / ".000000000099.writing"
    half.mkdir()
    (half / "regret.npy").write_bytes(b"half")
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30


def test_a_damaged_run_is_listed_as_such(kuhn_run: Path, tmp_path: Path) -> None:
    for name in ("configuration", "manifest", "whole"):
        copy(kuhn_run, tmp_path / name)
    (tmp_path / "configuration" / "run.toml").write_text("game = ")
    (newest_checkpoint(tmp_path / "manifest") / "manifest.json").write_text("{}")
    listed = json.loads(solvent("runs", tmp_path, "--json").stdout)["runs"]
    assert [row["damage"] is None for row in listed] == [False, False, True]
    shown = solvent("runs", tmp_path).stdout
    assert shown.count("is damaged") == 2


def test_the_checkpoint_before_a_damaged_one_is_named(kuhn_run: Path, tmp_path: Path) -> None:
    import shutil

    run = copy(kuhn_run, tmp_path / "run")
    (newest_checkpoint(run) / "regret.npy").write_bytes(b"")
    sentence = refused("solve", "--resume", run, "--iterations", "30")
    assert "the checkpoint of iteration 0 is intact" in sentence
    assert str(newest_checkpoint(run)) in sentence
    shutil.rmtree(newest_checkpoint(run))
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30
    shutil.rmtree(run / "checkpoints")
    assert "has no checkpoint" in refused("solve", "--resume", run, "--iterations", "30")


def test_what_was_half_written_is_removed(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    (run / "checkpoints" / ".000000000099.writing").mkdir()
    (run / ".metrics.jsonl.writing").write_text("half")
    solved("solve", "--resume", run, "--iterations", "30")
    assert not list(run.rglob(".*.writing"))


def test_a_strange_folder_among_the_checkpoints_is_left_alone(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    for name in ("00copy", "5", "99"):
        (run / "checkpoints" / name).mkdir()
    assert solvent("show", run).returncode == 0
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30


@pytest.mark.parametrize("line", ["{}", "3", '{"iterations": "x", "exploitability": 1}', "\udcff"])
def test_a_damaged_line_of_the_metrics_is_left_out(kuhn_run: Path, tmp_path: Path, line: str) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    known = len(Run.open(run).metrics())
    with (run / "metrics.jsonl").open("ab") as file:
        file.write(line.encode(errors="surrogateescape") + b"\n")
    assert len(Run.open(run).metrics()) == known
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30


def test_a_folder_that_cannot_be_written_is_a_sentence(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    (run / "metrics.jsonl").unlink()
    (run / "metrics.jsonl").mkdir()
    assert "metrics.jsonl" in refused("solve", "--resume", run, "--iterations", "30")


def test_lists_of_runs_and_games_break_no_words_at_80_columns() -> None:
    row = {
        "run": "runs/leduc", "kind": "solve", "game": "leduc(ranks=3,suits=2,max_bets=2)", "rule": "dcfr(1.5,0,2)",
        "updates": "alternating", "iterations": 13_426_932, "exploitability": 0.0012, "seconds": 12.25,
        "created": "2026-11-17T00:12:00+00:00", "damage": None, "additions": 37,
    }  # fmt: skip
    screen = Console(file=io.StringIO(), width=80)
    screen.print(runs_table([row]))
    screen.print(games_table())
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "chips after" not in shown
    for word in ("leduc(ranks=3,suits=2,max_bets=2)", "alternating", "13,426,932 iterations", "12.2 s"):
        assert word in shown
    for word in (
        "2026-11-17 00:12",
        "within 0.0012 chips",
        "+37 actions",
        "openspiel:NAME(...)",
        "max_bets=4",
    ):
        assert word in shown


def test_an_earlier_measurement_is_listed_with_its_iteration(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "killed", "solve", {"game": "kuhn", "rule": "dcfr"}, {})
    measured = {"exploitability": 0.5, "exploitability_at": 1_100, "seconds": 1.0}
    run.save_checkpoint(1_234, {}, measured)
    (row,) = solved("runs", tmp_path)["runs"]
    assert (row["iterations"], row["exploitability_at"]) == (1_234, 1_100)
    assert "within 0.5 chips after 1,100" in solvent("runs", tmp_path).stdout


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "kuhn"),
        ("spot", "--board", "Td9d6hQc2s", "--oop", "AA,KK", "--ip", "QQ,JJ", "--pot", "20", "--stack", "60",
         "--bets", "a"),
    ],
)  # fmt: skip
def test_a_full_disk_ends_with_the_result_and_a_sentence(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, tables = bundle.write_array, []

    def write(path: Path, array: Any) -> dict[str, Any]:
        if "checkpoints" in path.parts and len(tables) >= 2:  # there is room for the first checkpoint
            raise OSError(errno.ENOSPC, "No space left on device")
        tables.extend(["table"] * ("checkpoints" in path.parts))
        return written(path, array)

    monkeypatch.setattr(bundle, "write_array", write)
    done = solvent(*command, "--iterations", "30", "--out", tmp_path / "run", "--json")
    found = json.loads(done.stdout)
    assert found["iterations"] == 30
    assert found["unsaved"] in done.stderr
    assert "No space left on device" in found["unsaved"]
    assert done.returncode == 2
