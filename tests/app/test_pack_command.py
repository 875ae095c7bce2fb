"""`solvent pack` and `solvent unpack`: a run as one file that works elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from oracles.table_agent import small_cards
from oracles.trainings import save_training, small_cards_everywhere
from solvent.abstraction.cards.buckets import KIND, TABLES
from solvent.app.command_line import run
from solvent.foundation.storage.bundle import write_bundle


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_solve_travels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["solve", "kuhn", "--iterations", "20", "--plan", "serial", "--out", "runs/kuhn"]) == 0
    capsys.readouterr()
    assert run(["show", "runs/kuhn", "K||b", "--json"]) == 0
    before = json.loads(capsys.readouterr().out)["infosets"]
    assert run(["pack", "runs/kuhn"]) == 0
    assert (tmp_path / "kuhn.solvent").is_file()
    assert "exists already" in refused(capsys, "pack", "runs/kuhn")
    assert "solvent unpack" in refused(capsys, "show", "kuhn.solvent")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    capsys.readouterr()
    assert run(["unpack", "../kuhn.solvent", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": "../kuhn.solvent",
        "run": "runs/kuhn",
        "kind": "solve",
    }
    assert run(["show", "runs/kuhn", "K||b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["infosets"] == before
    assert "already holds a run" in refused(capsys, "unpack", "../kuhn.solvent")
    assert "is not a packed run" in refused(capsys, "unpack", "runs/kuhn/run.toml", "--out", "x")
    assert "there is no file" in refused(capsys, "unpack", "nowhere", "--out", "x")


def test_an_agent_travels_with_its_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cards' tables are stand-ins, which the small cards take the place of when they are opened."""
    cards = tmp_path / "elsewhere" / "cards"
    facts = {"kind": KIND, "fingerprint": small_cards().fingerprint}
    write_bundle(cards / TABLES, {"flop": np.zeros(3)}, facts)
    agent = save_training(tmp_path / "agent", "preflop=3x,a; cap=1; stack=10", (100,))
    monkeypatch.chdir(tmp_path)
    assert "--cards" in refused(capsys, "pack", agent)
    assert run(["pack", str(agent), "--cards", str(cards), "--out", "agent.solvent"]) == 0
    assert run(["unpack", "agent.solvent"]) == 0
    assert (tmp_path / "runs" / "agent" / "cards" / TABLES / "flop.npy").is_file()
    with small_cards_everywhere():
        assert run(["show", "runs/agent", "--hand", "AsKs"]) == 0
    assert "raise to 3 BB" in capsys.readouterr().out
