"""A command that is stopped saves what it has and exits with the code of the signal."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from solvent.abstraction.cards import build
from solvent.app.command_line import run
from solvent.foundation.progress import INTERRUPTED, TERMINATED
from solvent.foundation.storage.run import Run
from solvent_papers.frame import cards


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)])
def test_building_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: int) -> None:
    def features(threads, watch, stop):
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        stop.check()

    monkeypatch.setattr(build, "turn_features", features)
    for _ in range(2):  # a folder that was begun is taken up again
        assert run(["abstract", "tiny", "--out", str(tmp_path / "cards")]) == code
        assert Run.open(tmp_path / "cards", "cards").checkpoints() == []


def test_an_experiment_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    def train_to(folder, *given):
        folder.mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(cards, "train_to", train_to)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    places = [f"--{name}={tmp_path / name}" for name in ("cards", "work", "out")]
    assert run(["reproduce", "agents", "--scale", "small", *places]) == INTERRUPTED
    assert f"the same command goes on from the finished runs in {tmp_path / 'work'}" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()
