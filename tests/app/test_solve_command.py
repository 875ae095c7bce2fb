"""The `solve` command as a user meets it: limits, costs, warm starts, resuming."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands_run import JSON_KEYS, refused, solved, solvent

from solvent.foundation.storage.run import Run


def test_solve_prints_one_json_document() -> None:
    document = solved("solve", "leduc", "--iterations", "101", "--rule", "cfr", "--threads", "1")
    assert document.keys() >= JSON_KEYS
    assert document["exploitability"] == pytest.approx(0.0939493, abs=5e-8)
    assert (document["form"], document["plan"]) == ("public", "aggregated")
    assert document["touched_unit"] == "public nodes x hands"
    assert document["nodes_touched"] == 101 * 2 * (15 * 3 + 5 * 15 * 3 * 3)
    assert document["iterations"] == 101


def test_solve_without_json_shows_a_table_and_its_cost_first() -> None:
    done = solvent("solve", "kuhn", "--iterations", "50")
    assert done.returncode == 0
    assert "58 histories, 12 infosets" in done.stderr
    assert "exploitability" in done.stdout


def test_the_first_limit_stops() -> None:
    by_until = solved("solve", "leduc", "--until", "0.05", "--iterations", "100000")
    assert by_until["stopped_by"] == "until"
    assert by_until["exploitability"] <= 0.05
    by_seconds = solved("solve", "leduc", "--time", "0.3s", "--iterations", "100000000")
    assert by_seconds["stopped_by"] == "time"
    assert 0 < by_seconds["seconds"] < 0.4


def test_until_is_tested_every_check() -> None:
    every = solved("solve", "leduc", "--until", "0.05", "--check-every", "7")
    assert every["iterations"] % 7 == 0


def test_warm_start(tmp_path: Path) -> None:
    first = solved("solve", "leduc", "--iterations", "300", "--out", tmp_path / "a")
    warm = solved("solve", "leduc", "--iterations", "0", "--warm-start", tmp_path / "a")
    assert warm["exploitability"] == pytest.approx(first["exploitability"], rel=1e-6)
    later = solved("solve", "leduc", "--iterations", "3000", "--warm-start", tmp_path / "a", "--rule", "cfr+")
    assert later["exploitability"] < first["exploitability"]


def test_a_warm_started_run_resumes_from_its_start(tmp_path: Path) -> None:
    first, warm = tmp_path / "first", tmp_path / "warm"
    solved("solve", "leduc", "--iterations", "300", "--out", first)
    solved("solve", "leduc", "--iterations", "0", "--warm-start", first, "--out", warm)
    assert Run.open(warm).checkpoints() == [0]
    whole = solved("solve", "leduc", "--iterations", "50", "--warm-start", first)
    resumed = solved("solve", "--resume", warm, "--iterations", "50")
    assert resumed["exploitability"] == whole["exploitability"]


def test_a_resumed_run_keeps_its_limits_and_its_plan(tmp_path: Path) -> None:
    run = tmp_path / "run"
    options = ("--plan", "branched", "--threads", "2", "--until", "0.2", "--check-every", "10")
    first = solved("solve", "leduc", *options, "--out", run)
    assert first["stopped_by"] == "until"
    again = solved("solve", "--resume", run)
    assert (again["stopped_by"], again["iterations"]) == ("until", first["iterations"])
    assert (again["plan"], again["threads"]) == ("branched", 2)
    further = solved("solve", "--resume", run, "--until", "0.1", "--plan", "serial")
    assert further["plan"] == "serial"
    assert further["iterations"] > first["iterations"]
    # What was asked for last is what a later resume goes on to.
    assert Run.open(run).configuration["until"] == 0.1
    assert solved("solve", "--resume", run)["iterations"] == further["iterations"]


def test_seconds_of_a_resumed_run_are_those_that_are_left(tmp_path: Path) -> None:
    run = tmp_path / "run"
    first = solved("solve", "leduc", "--time", "0.3", "--out", run)
    again = solved("solve", "--resume", run)
    assert (again["stopped_by"], again["iterations"]) == ("time", first["iterations"])
    more = solved("solve", "--resume", run, "--time", "0.2")
    assert more["seconds"] > first["seconds"]
    assert Run.open(run).configuration["time"] == pytest.approx(0.5, abs=0.1)


def test_a_run_of_a_file_resumes_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert solvent("export", "kuhn", "--format", "efg", "--out", "kuhn.efg").returncode == 0
    refused("export", "nonsense", "--format", "efg", "--out", "kuhn.efg")
    solved("solve", "kuhn.efg", "--iterations", "20", "--out", "run")
    monkeypatch.chdir(tmp_path)
    assert solved("solve", "--resume", "here/run", "--iterations", "30")["iterations"] == 30
    assert solvent("compare", "here/run", "here/run").returncode == 0


def test_own_games_and_rules_are_named_by_their_files(tmp_path: Path) -> None:
    examples = Path(__file__).parents[2] / "examples"
    game, rule = f"{examples / 'public_game.py'}:OneCard(ranks=3)", f"{examples / 'local_update.py'}:Hedge"
    document = solved("solve", game, "--rule", f"{rule}(rate=20)", "--iterations", "20")
    assert (document["game"], document["rule"]) == ("OneCard(ranks=3)", "hedge(rate=20)")
    broken = tmp_path / "broken.py"
    broken.write_text("class Broken:\n    players = 2\n    def root(self):\n        return 1 / 0\n")
    said = refused("solve", f"{broken}:Broken")
    assert "own code failed: ZeroDivisionError: division by zero (broken.py, line 4)" in said
    assert "did you mean bluff?" in refused("solve", "liars_dice")
    assert "did you mean cfr+" in refused("solve", "kuhn", "--rule", "cfrplus")
