"""Bet sizes that the solver finds: trees of a spot, bars, and a last line that promises no more than they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.spots import found_sizes
from solvent_papers.spots.found_sizes import EXPERIMENT, FULL, GROWN, TWO_SIZES, SizesSetup

RIVER = "Ks7d2c9h4s, 4.5 pots"


def found_in(seconds: float) -> dict[str, Any]:
    """Return what a spot gave whose full tree takes 10 seconds, and the grown one as many as are given."""
    full = {
        "tree": FULL,
        "nodes": 300,
        "exploitability": 0.3,
        "full_exploitability": 0.3,
        "seconds": 10.0,
        "iterations": 100,
        "added": 0,
    }
    grown = full | {"tree": GROWN, "nodes": 90, "full_exploitability": 0.5, "seconds": seconds, "added": 4}
    two = [full | {"tree": sizes, "full_exploitability": 1.5} for sizes in TWO_SIZES]
    return {
        "spot": RIVER,
        "until": "0.3%",
        "candidates": 16,
        "nodes": 0.3,
        "more_exploitable": 0.2,
        "seconds": seconds / 10,
        "trees": [grown, full, *two],
    }


@pytest.mark.parametrize(
    ("seconds", "met", "says"), [(4.0, 4, "in 0.40 of its"), (20.0, 3, "give its sizes")]
)
def test_the_last_line_follows_from_the_seconds(seconds: float, met: int, says: str) -> None:
    page = new_page(
        EXPERIMENT, {RIVER: Record({}, "", "", 1.0, "", found_in(seconds))}, "solvent bench sizes"
    )
    assert sum(bar["met"] for bar in page.document["bars"]) == met
    assert len(page.document["bars"]) == 4
    line = next(row for row in page.text.splitlines() if "So what" in row)
    assert says in line


def test_trees_are_measured_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, solved = found_sizes.solve_spot, []

    def counted(spot, settings):
        solved.append(spot.get("bets", GROWN))
        if len(solved) == 3:
            raise KeyboardInterrupt
        return solve(spot, settings)

    monkeypatch.setattr(found_sizes, "solve_spot", counted)
    setup = SizesSetup(tmp_path / "work", True)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup, [RIVER])
    records = run_parts(EXPERIMENT, setup, [RIVER])
    assert [solved.count(each) for each in (GROWN, setup.auto.all, "25%,75%,a", "25%,100%,a")] == [1, 1, 2, 1]
    found = records[RIVER].found
    grown, full, *others = found["trees"]
    assert [row["tree"] for row in found["trees"]][:12] == [GROWN, FULL, *TWO_SIZES]
    assert grown["added"] > 0
    assert found["nodes"] == grown["nodes"] / full["nodes"] < 1
    assert all(row["exploitability"] <= 2 for row in found["trees"])
    assert full["full_exploitability"] == pytest.approx(full["exploitability"], rel=1e-4)
    assert all(row["full_exploitability"] > row["exploitability"] for row in others)
    page = tmp_path / "sizes.md"
    save_page(EXPERIMENT, new_page(EXPERIMENT, records, "solvent bench sizes"), page)
    assert f"{RIVER}: nodes" in page.read_text()
    assert page.with_suffix(".json").exists()
