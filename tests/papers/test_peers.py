"""Solvent beside other libraries: what is timed is what is compared, and the page says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent_papers.peers import Peer, approach, measure, summary, write_results


def test_peers_reach_the_target_and_the_page_says_so(tmp_path: Path) -> None:
    rows = measure(["kuhn_poker"], target=1e-2, repeats=1)
    assert {row.library for row in rows} >= {"solvent", "OpenSpiel"}
    assert all(row.exploitability <= 1e-2 and row.seconds > 0 for row in rows)
    write_results(rows, tmp_path / "peers.md", 1e-2, 1)
    page = (tmp_path / "peers.md").read_text()
    assert "times as quick as OpenSpiel's" in page
    assert all(" | ".join(line) in page for line in summary(rows).rows)


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
