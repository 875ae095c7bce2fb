"""Experiments with hold'em agents: how fast they train."""

from pathlib import Path

import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.foundation.errors import InputError
from solvent_papers.laptop_mccfr import training_speed


def test_training_speed_measures_every_way(monkeypatch, tmp_path):
    cards = random_cards()
    monkeypatch.setattr(training_speed.CardAbstraction, "load", classmethod(lambda cls, folder: cards))
    for name, small in (("WARM", 50), ("ACCESSES", 1_000), ("BATCH_SECONDS", 0.001)):
        monkeypatch.setattr(training_speed, name, small)
    found = training_speed.measure(Path("cards"), BETTING, repeats=1)
    assert [(way.pages, way.threads, way.locks) for way in found.ways] == [
        ("2 MB", 1, "none"), ("2 MB", 2, "none"), ("4 KB", 1, "none"), ("4 KB", 2, "none"),
    ]  # fmt: skip
    assert all(way.rows_per_second > 0 for way in found.ways)
    page = tmp_path / "training-speed.md"
    training_speed.write_results(found, "solvent bench training", page)
    assert "One core takes" in page.read_text()
    with pytest.raises(InputError, match="more than the 1"):
        training_speed.measure(Path("cards"), BETTING, memory=1 << 10)
