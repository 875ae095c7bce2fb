"""Experiments with hold'em agents: how fast they train."""

import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.foundation.errors import InputError
from solvent_papers.frame.pages import new_page
from solvent_papers.frame.running import run_parts
from solvent_papers.laptop_mccfr import training_speed
from solvent_papers.laptop_mccfr.training_speed import EXPERIMENT, SpeedSetup


def test_training_speed_measures_every_way(monkeypatch, tmp_path):
    cards = random_cards()
    monkeypatch.setattr(training_speed.CardAbstraction, "load", classmethod(lambda cls, folder: cards))
    setup = SpeedSetup(tmp_path / "work", small=True, betting=BETTING, repeats=1)
    records = run_parts(EXPERIMENT, setup)
    ways = records["speed"].found["ways"]
    assert [(way["pages"], way["threads"], way["locks"]) for way in ways] == [
        ("2 MB", 1, "none"), ("2 MB", 2, "none"), ("4 KB", 1, "none"), ("4 KB", 2, "none"),
    ]  # fmt: skip
    assert all(way["rows_per_second"] > 0 for way in ways)
    page = new_page(EXPERIMENT, records, "solvent bench training")
    assert "One core takes" in page.text
    assert page.document["figures"] == {"threads.none": ways[1]["speed_up"], "threads": 2.0}
    with pytest.raises(InputError, match="more than the 1"):
        run_parts(EXPERIMENT, SpeedSetup(tmp_path / "work", True, memory="1K"))
