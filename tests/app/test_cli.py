"""The command line as a user meets it: real files, bad input; processes of their own where they are killed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from solvent.app.command_line import run as run_here
from solvent.foundation.run import Run
from solvent.games.catalogue import GAMES

JSON_KEYS = {
    "game",
    "form",
    "plan",
    "rule",
    "updates",
    "pruning",
    "threads",
    "dtype",
    "seed",
    "iterations",
    "exploitability",
    "value",
    "infosets",
    "histories",
    "seconds",
    "seconds_per_iteration",
    "peak_memory_bytes",
    "nodes_touched",
    "touched_unit",
}


def solvent(*arguments: str | Path, **options) -> subprocess.CompletedProcess[str]:
    """A command in this process, which has its kernels already; with options in one of its own."""
    command = [sys.executable, "-m", "solvent.app.main", *map(str, arguments)]
    if options:
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    said, complained = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(said), redirect_stderr(complained):
        patched.setattr(sys, "argv", ["solvent", *map(str, arguments)])
        code = run_here()
    return subprocess.CompletedProcess(command, code, said.getvalue(), complained.getvalue())


def solved(*arguments: str | Path) -> dict:
    done = solvent(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*arguments: str | Path) -> str:
    """The one line that a refusal prints."""
    done = solvent(*arguments)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("solvent: ")]
    assert len(lines) == 1, done.stderr
    assert done.stderr.splitlines()[-1] == lines[0]
    return lines[0]


def test_version_and_help() -> None:
    assert solvent("--version").stdout.startswith("solvent 0.")
    assert "solve" in solvent("--help").stdout


def test_games_lists_every_game() -> None:
    document = json.loads(solvent("games", "--json").stdout)
    assert [row["name"] for row in document["games"]] == list(GAMES)
    assert "openspiel:" in solvent("games").stdout


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
    assert 0.25 < by_seconds["seconds"] < 2


def test_until_is_tested_every_check() -> None:
    every = solved("solve", "leduc", "--until", "0.05", "--check-every", "7")
    assert every["iterations"] % 7 == 0


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


def test_warm_start(tmp_path: Path) -> None:
    first = solved("solve", "leduc", "--iterations", "300", "--out", tmp_path / "a")
    warm = solved("solve", "leduc", "--iterations", "0", "--warm-start", tmp_path / "a")
    assert warm["exploitability"] == pytest.approx(first["exploitability"], rel=1e-6)
    later = solved("solve", "leduc", "--iterations", "3000", "--warm-start", tmp_path / "a", "--rule", "cfr+")
    assert later["exploitability"] < first["exploitability"]


def test_a_run_of_a_file_that_changed_since(tmp_path: Path) -> None:
    file, run = tmp_path / "game.efg", tmp_path / "run"
    solved("solve", "kuhn", "--iterations", "1", "--out", tmp_path / "kuhn")
    assert solvent("export", tmp_path / "kuhn", "--format", "efg", "--out", file).returncode == 0
    solved("solve", file, "--iterations", "5", "--out", run)
    file.write_text(file.read_text().replace("{ 1, -1 }", "{ 2, -2 }"))
    refused = solvent("solve", "--resume", run, "--iterations", "10")
    assert refused.returncode == 2
    assert "has changed since" in refused.stderr


def test_export_to_openspiel(tmp_path: Path) -> None:
    import pickle

    run, out = tmp_path / "run", tmp_path / "policy.pickle"
    result = solved("solve", "openspiel:kuhn_poker", "--iterations", "300", "--out", run)
    assert solvent("export", run, "--format", "openspiel", "--out", out).returncode == 0
    from open_spiel.python.algorithms.exploitability import exploitability

    policy = pickle.loads(out.read_bytes())
    assert exploitability(policy.game, policy) == pytest.approx(result["exploitability"], abs=1e-9)


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "solvent.app.main", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_checkpoint(run: Path, process: subprocess.Popen[str], at_least: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if Run.is_run(run) and any(n >= at_least for n in Run.open(run).checkpoints()):
            return
        time.sleep(0.02)
    raise AssertionError(f"no checkpoint: {process.communicate()[1] if process.poll() is not None else ''}")


@pytest.mark.parametrize("rule", ["dcfr", pytest.param("pcfr+", marks=pytest.mark.slow)])
def test_killed_and_resumed_equals_uninterrupted_bit_for_bit(tmp_path: Path, rule: str) -> None:
    run, whole = tmp_path / "killed", tmp_path / "whole"
    options = ("--rule", rule, "--plan", "serial", "--threads", "1", "--iterations", "30000")
    process = start("solve", "leduc", *options, "--out", run, "--checkpoint-every", "0.1s")
    wait_for_checkpoint(run, process, 500)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.communicate()
    killed_at = Run.open(run).checkpoints()[-1]
    assert killed_at < 30_000, "the solve was over before it could be killed"
    resumed = solved("solve", "leduc", "--resume", run, "--iterations", "30000")
    uninterrupted = solved("solve", "leduc", *options, "--out", whole)
    assert resumed["exploitability"] == uninterrupted["exploitability"]
    assert resumed["nodes_touched"] == uninterrupted["nodes_touched"]
    tables = [Run.open(folder).load_checkpoint()[0] for folder in (run, whole)]
    for name in tables[0]:
        assert np.array_equal(tables[0][name], tables[1][name]), name
    metrics = [[row["iterations"] for row in Run.open(folder).metrics()] for folder in (run, whole)]
    assert metrics[0] == metrics[1]


def test_ctrl_c_keeps_what_was_reached(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = start(
        "solve", "leduc", "--iterations", "100000000", "--out", run, "--checkpoint-every", "0.1s", "--json"
    )
    wait_for_checkpoint(run, process, 1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    document = json.loads(output)
    assert document["stopped_by"] == "interrupt"
    assert Run.open(run).checkpoints()[-1] == document["iterations"]


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = start("solve", "leduc", "--iterations", "100000000", "--out", run, "--checkpoint-every", "0.1s")
    try:
        wait_for_checkpoint(run, process, 1)
        assert "in use by another process" in refused("solve", "--resume", run, "--iterations", "10")
    finally:
        process.kill()
        process.communicate()


# Bad input: one clear line, exit code 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve"], "which game"),
        (["solve", "chess"], "no game 'chess'"),
        (["solve", "leduc(rank=3)"], "no parameter 'rank'"),
        (["solve", "leduc(ranks=x)"], "whole number"),
        (["solve", "leduc(ranks=1,suits=2)"], "three cards"),
        (["solve", "leduc(ranks=3"], "cannot read"),
        (["solve", "leduc", "--rule", "sgd"], "no rule"),
        (["solve", "leduc", "--plan", "fast"], "no plan"),
        (["solve", "leduc", "--pruning", "some"], "no pruning"),
        (["solve", "leduc", "--pruning", "total"], "cannot be pruned"),
        (["solve", "leduc", "--rule", "pcfr+", "--pruning", "partial"], "cannot be pruned"),
        (["solve", "leduc", "--rule", "cfr", "--pruning", "total", "--plan", "flattened"], "no such walk"),
        (["solve", "leduc", "--rule", "cfr", "--pruning", "interval", "--plan", "branched"], "no such walk"),
        (["solve", "leduc", "--rule", "cfr", "--pruning", "total", "--prune-every", "0"], "prune-every"),
        (["solve", "leduc", "--rule", "cfr", "--pruning", "total", "--prune-average", "-1"], "prune-average"),
        (["solve", "leduc", "--form", "tree"], "no form"),
        (["solve", "leduc", "--updates", "never"], "no update mode"),
        (["solve", "leduc", "--dtype", "int"], "no dtype"),
        (["solve", "leduc", "--threads", "0"], "at least 1"),
        (["solve", "leduc", "--iterations", "-5"], "at least 0"),
        (["solve", "leduc", "--iterations", "many"], "--iterations"),
        (["solve", "leduc", "--until", "-1"], "at least 0"),
        (["solve", "leduc", "--time", "nan"], "at least 0"),
        (["solve", "leduc", "--check-every", "0"], "at least 1"),
        (["solve", "leduc", "--memory", "lots"], "like 8G"),
        (["solve", "leduc", "--memory", "10K"], "1,939 histories"),
        (["solve", "leduc", "--memory", "1"], "the memory limit is 1 B"),
        (["solve", "leduc", "--rule", "dcfr("], "such as dcfr"),
        (["solve", "leduc", "--rule", "dcfr(1.5,0,400)"], "outgrow float64"),
        (["solve", "leduc", "--rule", "dcfr(1.5,0,inf)"], "gamma a finite one"),
        pytest.param(
            ["solve", "leduc", "--rule", "dcfr(1.5,0,20)", "--dtype", "float32"],
            "outgrow float32",
            marks=pytest.mark.slow,
        ),
        (["solve", "leduc", "--time", "inf"], "finite time"),
        (["solve", "leduc(ranks=5000)"], "9,375,374,630,001 histories"),
        (["solve", "bluff(dice=1000,faces=1000)"], "at most 100"),
        (["solve", "leduc(max_bets=2000)"], "0 to 100 bets"),
        # What may take long comes after what may be wrong.
        (["solve", "openspiel:chess", "--plan", "fast"], "no plan"),
        (["solve", "openspiel:chess", "--updates", "never"], "no update mode"),
        (["solve", "openspiel:chess", "--dtype", "int"], "no dtype"),
        (["solve", "openspiel:chess", "--threads", "0"], "at least 1"),
        (["solve", "openspiel:chess", "--warm-start", "nowhere"], "nowhere"),
        (["solve", "leduc", "--out", "/dev/null/run"], "/dev/null"),
        (["solve", "leduc", "--nonsense"], "nonsense"),
        (["solve", "flop_holdem(suits=4,ranks=5)", "--plan", "flattened"], "2,393,682,131 histories"),
        (["solve", "openspiel:no_such_game"], "no_such_game"),
        (["solve", "openspiel:kuhn_poker(players=3)"], "3 players"),
        (["solve", "missing.efg"], "missing.efg"),
        (["show", "nowhere"], "nowhere"),
        (["compare", "nowhere", "nowhere"], "nowhere"),
        (["runs", "nowhere"], "not a folder"),
        (["export", "kuhn", "--format", "xml"], "no format"),
        (["solve", "kuhn", "--resume", "nowhere"], "there is no folder nowhere"),
        (["solve", "kuhn", "--out", "a", "--resume", "b"], "not both"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_gets_one_line(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, because there are many; `refused` starts a real one."""
    monkeypatch.setattr(sys, "argv", ["solvent", *arguments])
    assert run_here() == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert sentence in lines[0]


@pytest.fixture(scope="module")
def kuhn_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "kuhn"
    solved("solve", "kuhn", "--iterations", "20", "--out", run)
    return run


def copy(run: Path, to: Path) -> Path:
    import shutil

    shutil.copytree(run, to)
    return to


def newest_checkpoint(run: Path) -> Path:
    return max((run / "checkpoints").iterdir())


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


def test_an_unknown_infoset_is_named(kuhn_run: Path) -> None:
    assert "no infoset 'Z||'" in refused("show", kuhn_run, "Z||")


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


def test_bench_openspiel_prints_rows() -> None:
    document = json.loads(
        solvent("bench", "openspiel", "--game", "kuhn_poker", "--repeats", "1", "--json").stdout
    )
    wanted = {"game", "plan", "threads", "openspiel_seconds", "seconds", "ratio", "compile_seconds"}
    assert all(wanted <= row.keys() for row in document["rows"])
    assert [row["plan"] for row in document["rows"]] == ["serial", "auto"]


# Runs that something happened to


def test_a_warm_started_run_resumes_from_its_start(tmp_path: Path) -> None:
    first, warm = tmp_path / "first", tmp_path / "warm"
    solved("solve", "leduc", "--iterations", "300", "--out", first)
    solved("solve", "leduc", "--iterations", "0", "--warm-start", first, "--out", warm)
    assert Run.open(warm).checkpoints() == [0]
    whole = solved("solve", "leduc", "--iterations", "50", "--warm-start", first)
    resumed = solved("solve", "--resume", warm, "--iterations", "50")
    assert resumed["exploitability"] == whole["exploitability"]


def test_a_run_killed_at_once_has_its_start(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = start("solve", "leduc", "--iterations", "100000000", "--out", run)
    while not Run.is_run(run):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert Run.open(run).checkpoints()[0] == 0
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30


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
    assert more["seconds"] > first["seconds"] + 0.1
    assert Run.open(run).configuration["time"] == pytest.approx(first["seconds"] + 0.2)


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


def test_names_with_brackets_and_colons_are_shown_as_they_are(tmp_path: Path) -> None:
    run = tmp_path / "[/red] :smile:"
    assert solvent("solve", "kuhn", "--iterations", "5", "--out", run).returncode == 0
    for arguments in (("show", run), ("compare", run, run), ("runs", tmp_path)):
        done = solvent(*arguments, env={**os.environ, "COLUMNS": "300"})
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


def test_nothing_is_cut_off_in_a_narrow_terminal(tmp_path: Path) -> None:
    run = tmp_path / ("a-name-that-is-long-" * 5)
    solved("solve", "kuhn", "--iterations", "5", "--out", run)
    done = solvent("runs", tmp_path, env={**os.environ, "COLUMNS": "80"})
    assert "…" not in done.stdout


def test_a_folder_that_cannot_be_written_is_a_sentence(kuhn_run: Path, tmp_path: Path) -> None:
    run = copy(kuhn_run, tmp_path / "run")
    (run / "metrics.jsonl").unlink()
    (run / "metrics.jsonl").mkdir()
    assert "metrics.jsonl" in refused("solve", "--resume", run, "--iterations", "30")


@pytest.mark.parametrize("arguments", [[], ["bench"]])
def test_without_arguments_there_is_help(arguments: list[str]) -> None:
    done = solvent(*arguments)
    assert done.returncode == 2
    assert "Usage" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments", [["games"], ["games", "--json"], ["export", "leduc", "--format", "efg"]]
)
def test_a_reader_who_stops_is_no_error(arguments: list[str]) -> None:
    command = " ".join([sys.executable, "-m", "solvent.app.main", *arguments])
    script = f"{command} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "141\n"
    assert done.stderr == ""


def test_ctrl_c_while_starting_is_no_traceback() -> None:
    code = "import os, signal, threading; threading.Timer({}, os.kill, (os.getpid(), signal.SIGINT)).start()"
    for seconds in (0.02, 0.1, 0.2):
        script = "import sys; sys.argv = ['solvent', 'solve', 'leduc', '--time', '1s']\n"
        script += f"from solvent.app.main import main\n{code.format(seconds)}\nmain()"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == 130
