"""Solvent beside other libraries: what is timed is what is compared, and the page says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.foundation.units import span
from solvent_papers.frame.pages import new_page
from solvent_papers.frame.running import run_parts
from solvent_papers.peers import EXPERIMENT, Peer, PeersSetup, approach


def test_peers_reach_the_target_and_the_page_says_so(tmp_path: Path) -> None:
    records = run_parts(EXPERIMENT, PeersSetup(tmp_path, True, target=1e-2, repeats=1))
    rows = records["libraries"].found["rows"]
    assert {row["library"] for row in rows} >= {"solvent", "OpenSpiel"}
    assert all(row["exploitability"] <= 1e-2 and row["seconds"] > 0 for row in rows)
    assert next(row["by_ours"] for row in rows if (row["library"], row["rule"]) == ("solvent", "cfr+")) == 1
    page = new_page(EXPERIMENT, records, "solvent bench peers").text
    assert "times as quick as OpenSpiel's" in page
    for row in rows:
        assert f"| kuhn_poker | {row['library']} {row['rule']} | {span(row['seconds'])} |" in page
        assert f"| {span(row['seconds_to_target'])} | {row['exploitability']:.1e} |" in page
    assert "The target is 0.01 chips" in page


def test_a_solver_that_does_not_get_there_is_given_up() -> None:
    done = []
    peer = Peer("library", "rule", done.append, lambda: 1.0)
    iterations, _, reached = approach(peer, 0.5, patience=0.0)
    assert (iterations, reached) == (0, float("inf"))
    quick = Peer("library", "rule", done.append, lambda: 1 / sum(done))
    iterations, _, reached = approach(quick, 0.01, patience=60)
    assert iterations == sum(done)
    assert reached == pytest.approx(1 / iterations)
    assert reached <= 0.01
