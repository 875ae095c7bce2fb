"""Experiments with hold'em agents: what their pages say of what was measured, and that they measure."""

from pathlib import Path

import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.experiments.laptop_mccfr import training_speed
from solvent.experiments.tartanian7 import post_processing as posts
from solvent.experiments.tartanian7 import post_processing_page
from solvent.foundation.errors import InputError


def measured(new: float) -> posts.PostProcessingTable:
    """A table in which all is even but New-0.2, which wins `new` from everybody."""
    names = {"O1: one": "runs/one", "O2: two": "runs/two"}
    rows = [
        posts.Row(post, name, 100, new if post == "new(0.2)" else 10.0, 5.0)
        for post in posts.POSTS
        for name in names
    ]
    lost = [posts.Row(post, bets, 20, 700.0, 50.0) for post in posts.POSTS for bets in posts.BETS]
    return posts.PostProcessingTable(posts.QUICK, "4x20", names, rows, lost)


@pytest.mark.parametrize(("new", "verdict"), [(30.0, "comes out"), (-30.0, "does not come out")])
def test_post_processings_page_says_what_came_out(tmp_path, new, verdict):
    page = tmp_path / "post-processing.md"
    post_processing_page.write_results(measured(new), page, "solvent reproduce post-processing --quick")
    text = page.read_text()
    assert f"at worst {verdict} here" in " ".join(text.split())
    assert (
        f"| new(0.2) | {new:+.0f} ± 5 | {new:+.0f} ± 5 | {new:+.0f} | {new:+.0f} | 700 ± 50 | 700 ± 50 |"
        in text
    )
    assert page.with_suffix(".csv").read_text().count("\n") == 1 + 6 * 4


def test_training_speed_measures_every_way(monkeypatch, tmp_path):
    cards = random_cards()
    monkeypatch.setattr(training_speed.CardAbstraction, "load", classmethod(lambda cls, folder: cards))
    for name, small in (("WARM", 50), ("ACCESSES", 1_000), ("BATCH_SECONDS", 0.001), ("INSIDE", 2)):
        monkeypatch.setattr(training_speed, name, small)
    found = training_speed.measure(Path("cards"), BETTING, repeats=1)
    assert [(way.pages, way.threads, way.locks) for way in found.ways] == [
        ("2 MB", 1, "none"), ("2 MB", 2, "none"), ("4 KB", 1, "none"), ("4 KB", 2, "none"),
        ("2 MB", 1, "rows"), ("2 MB", 2, "rows"), ("2 MB", 2, "inside"),
    ]  # fmt: skip
    assert all(way.rows_per_second > 0 for way in found.ways)
    page = tmp_path / "training-speed.md"
    training_speed.write_results(found, "solvent bench training", page)
    assert "One core takes" in page.read_text()
    with pytest.raises(InputError, match="more than the 1"):
        training_speed.measure(Path("cards"), BETTING, memory=1 << 10)
