"""The experiment on flops that stand for all, on a few flops of a tiny spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import KeptRuns, Record, run_parts
from solvent_papers.spots.flop_subsets import EXPERIMENT, FlopsSetup, measure


def test_it_compares_medoids_with_the_whole(tmp_path: Path) -> None:
    records = run_parts(EXPERIMENT, FlopsSetup(tmp_path / "work", True, threads=1))
    found = records["flops"].found
    whole, two, all_five, *random = found["rows"]
    assert (whole["flops"], two["flops"], [row["flops"] for row in random]) == (5, 2, [25, 50, 200])
    assert (found["largest_difference"], found["every"]) == (0, True)
    assert found["mean_difference"] < 1e-12
    assert all_five["check"] == pytest.approx(whole["check"])
    assert (all_five["check_error"], all_five["ev_error"]) == pytest.approx((0, 0), abs=1e-9)
    assert random[0]["check_error"] > random[2]["check_error"] > 0
    sampled = measure(FlopsSetup(tmp_path, True, 3, 1), KeptRuns(), lambda step: None)
    assert (sampled["rows"][0]["flops"] <= 3, sampled["every"]) == (True, False)
    assert (found["whole_error"], sampled["whole_error"] > 0) == (0, True)
    save_page(EXPERIMENT, new_page(EXPERIMENT, records, "solvent bench flops"), tmp_path / "flops.md")
    page = (tmp_path / "flops.md").read_text()
    assert "The report on 2 flops and single solves differ by 0 at most" in page
    assert "The whole is all 5 flops." in page
    assert (tmp_path / "flops.csv").read_text().count("\n") == 7


def test_the_verdict_follows_the_figures() -> None:
    def says(medoids: float, whole_error: float = 0.0) -> str:
        samples = (("the whole", 0.0), ("medoids", medoids), ("random", 5.0))
        rows = [
            {"sample": sample, "flops": 25, "check": 50.0, "check_error": error, "ev_error": 0.1}
            for sample, error in samples
        ]
        found: dict[str, Any] = {
            "rows": rows,
            "every": not whole_error,
            "whole_error": whole_error,
            "largest_difference": 0.0,
            "mean_difference": 0.0,
            "report_seconds": 1.0,
            "singles_seconds": 1.0,
            "threads": 1,
            "spot": {"pot": 60},
            "until": "0.5%",
            "draws": 2000,
        }
        records = {"flops": Record({}, "", "", 1.0, "", found)}
        return new_page(EXPERIMENT, records, "solvent bench flops").head

    assert "are nearer to the whole" in says(2.0)
    assert "no nearer" in says(6.0)
    assert "too small" in says(2.0, whole_error=3.0)
