"""The experiment on flops that stand for all, on a few flops of a tiny spot."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.spots.flops.choice import all_flops
from solvent_papers.spots import flop_subsets as experiment


def test_it_compares_medoids_with_the_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tiny = {"oop": "JJ,A5s", "ip": "TT,KQs", "pot": 10, "stack": 15, "bets": "a"}
    monkeypatch.setattr(experiment, "SPOT", tiny)
    monkeypatch.setattr(experiment, "UNTIL", "20%")
    monkeypatch.setattr(experiment, "all_flops", lambda *ranges: all_flops(*ranges)[::400])
    found = experiment.flop_subsets(None, (2, 5), threads=1)
    whole, two, all_five, *random = found.rows
    assert (whole.flops, two.flops, [row.flops for row in random]) == (5, 2, [25, 50, 200])
    assert (found.largest_difference, found.every) == (0, True)
    assert found.mean_difference < 1e-12
    assert all_five.check == pytest.approx(whole.check)
    assert (all_five.check_error, all_five.ev_error) == pytest.approx((0, 0), abs=1e-9)
    assert random[0].check_error > random[2].check_error > 0
    sampled = experiment.flop_subsets(3, (2,), threads=1)
    assert (sampled.whole <= 3, sampled.every) == (True, False)
    assert (found.whole_error, sampled.whole_error > 0) == (0, True)
    experiment.write_results(found, tmp_path / "flops.md", "solvent bench flops")
    page = (tmp_path / "flops.md").read_text()
    assert "The report on 2 flops and single solves differ by 0 at most" in page
    assert (tmp_path / "flops.csv").read_text().count("\n") == 7


def test_the_verdict_follows_the_figures() -> None:
    def says(medoids: float, whole_error: float = 0.0) -> str:
        rows = tuple(
            experiment.SubsetRow(sample, 25, 50.0, error, 0.1)
            for sample, error in (("the whole", 0.0), ("medoids", medoids), ("random", 5.0))
        )
        return experiment.verdict(experiment.Subsets(rows, 9, not whole_error, whole_error, 0, 0, 1, 1, 1))

    assert "are nearer to the whole" in says(2.0)
    assert "no nearer" in says(6.0)
    assert "too small" in says(2.0, whole_error=3.0)
