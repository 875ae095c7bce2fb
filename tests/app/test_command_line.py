"""The command line as a whole: help, lists, bad input, narrow terminals and readers that stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands_run import solved, solvent

from solvent.app import later
from solvent.app.command_line import COMMANDS
from solvent.app.command_line import run as run_here
from solvent.games.catalogue import GAMES


def test_version_and_help() -> None:
    assert solvent("--version").stdout.startswith("solvent 0.")
    assert "solve" in solvent("--help").stdout


def test_games_lists_every_game() -> None:
    document = json.loads(solvent("games", "--json").stdout)
    assert [row["name"] for row in document["games"]] == list(GAMES)
    assert "openspiel:" in solvent("games").stdout


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
        (["solve", "holdem"], "`solvent train` makes an agent"),
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


def test_nothing_is_cut_off_in_a_narrow_terminal(tmp_path: Path) -> None:
    run = tmp_path / ("a-name-that-is-long-" * 5)
    solved("solve", "kuhn", "--iterations", "5", "--out", run)
    done = solvent("runs", tmp_path, env={**os.environ, "COLUMNS": "80"})
    assert "…" not in done.stdout


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


EVERY_COMMAND = [name for commands in COMMANDS.values() for name in commands]


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_has_a_help_without_types_of_flags_and_with_exit_codes(name: str) -> None:
    done = solvent(name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"{name}" in done.stdout
    assert "<bool>" not in done.stdout
    if "COMMAND" not in done.stdout:
        assert "Exit codes: 0 done" in done.stdout


def test_the_help_of_solve_has_panels_with_the_common_options_first() -> None:
    shown = solvent("solve", "--help").stdout
    panels = ["Stop when", "Keep", "Algorithm", "Pruning", "Sampling", "Machine"]
    places = [shown.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)
    assert places[0] < shown.index("--until") < places[1] < shown.index("--out") < places[2]


def test_listing_the_commands_imports_none_of_them() -> None:
    code = (
        "import sys, solvent.app.command_line as c; c.run(['--help'])\n"
        "heavy = {'numpy', 'numba', 'scipy', 'matplotlib'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
        "assert not [name for name in sys.modules if name.startswith('solvent.app.commands')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments", [["reproduce", "--list"], ["bench", "openspiel"], ["reproduce", "--help"]]
)
def test_without_the_papers_a_sentence_says_where_their_commands_are(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(later, "entry_points", lambda **chosen: ())
    assert run_here(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert f"`solvent {arguments[0]}` comes with the distribution solvent-papers" in lines[0]
