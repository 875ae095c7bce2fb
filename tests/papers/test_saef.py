"""The SAEF experiment: short runs, its page from given numbers, and figures of curves."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import pytest

from solvent.foundation.errors import InputError
from solvent_papers import saef as paper
from solvent_papers.frame.experiment import Found, by_columns, by_rows
from solvent_papers.frame.judging import judged_bars
from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.ledger import ledger as claims
from solvent_papers.saef import (
    CAPPED,
    EXPERIMENT,
    FIXED,
    MAIN,
    NAMES,
    SECONDS,
    TRANSFER,
    Point,
    Run,
    Setup,
    bump,
    figures,
    growth,
    levels_at,
    ratio_at_end,
    ratios_to_best,
    value_at,
)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels need no compiling beforehand where seconds mean nothing."""
    monkeypatch.setattr(paper, "compile_kernels", lambda: None)


def line(*values: float, growing: float = 0.1) -> list[Point]:
    """Checks of a made-up run, at every power of ten of nodes and at every second."""
    return [
        Point(
            5 * k, 5.0 * k, 10**k, float(k), growing * k, 1560 + 9 * k, k, value, value / 2, value, value
        )
        for k, value in enumerate(values, 1)
    ]  # fmt: skip


def run_of(points: list[Point], discounts: tuple[float, ...] = ()) -> Found:
    """The record of a run with these checks and additions."""
    return {
        "points": by_columns(point._asdict() for point in points),
        "additions": len(discounts),
        "discounting": sum(log(1 / w) for w in discounts) / max(1, len(discounts)),
        "lowest_discount": min(discounts, default=1.0),
        "in_last_round": len(discounts),
        "at_leaves": len(discounts) // 2,
    }


def made_up() -> Found:
    """Runs in which growing does what the paper says."""
    runs = {
        "branch-2": run_of(line(4.0, 1.0, 1.0, 1.0)),
        "branch-3": run_of(line(8.0, 2.0, 0.5, 0.5)),
        "branch-5": run_of(line(9.0, 4.0, 1.0, 0.4)),
        "transfer": run_of(line(4.0, 0.9, 1.8, 0.4), (0.5, 0.25)),
    }
    usual = run_of(line(4.0, 0.9, 0.45, 0.2), (1.0, 0.5))
    return {"seconds": 0.2, "other_seconds": 0.05, "runs": {name: runs.get(name, usual) for name in NAMES}}


def record(found: Found) -> Record:
    return Record({"small": True, "seconds": None}, "abc", "", 1.0, "", found)


# Runs


@pytest.fixture(scope="module")
def main_run() -> Found:
    warm = Run(MAIN)
    for _ in range(3):
        warm.step()
    return paper.measure(MAIN, 1.0)


def points_of(run: Found) -> list[Point]:
    return [Point(**row) for row in by_rows(run["points"])]


def test_a_run_grows_from_branch_2_and_counts_what_growing_costs(main_run: Found) -> None:
    first, *_, last = points = points_of(main_run)
    assert (first.iterations, first.nodes, first.additions) == (paper.EVERY, 1560, 0)
    assert last.nodes > first.nodes
    assert last.additions == main_run["additions"] > 0
    assert 0 < last.growing_seconds < last.seconds
    assert 0 < main_run["lowest_discount"] <= 1
    assert 0 <= main_run["discounting"] <= log(1 / main_run["lowest_discount"])
    assert main_run["at_leaves"] <= main_run["in_last_round"] <= last.additions
    assert all(one.nodes_touched < other.nodes_touched for one, other in pairwise(points[:-1]))


def test_exploiters_who_can_do_more_win_more(main_run: Found) -> None:
    points = points_of(main_run)
    known = [point for point in points if point.uninformed_low is not None]
    assert points[-1] in known
    for point in known:
        assert point.uninformed_low is not None
        assert point.uninformed_high is not None
        assert point.within - 1e-9 <= point.uninformed_high
        assert point.uninformed_low <= point.informed + 1e-9
        assert point.uninformed_high - point.uninformed_low <= 2 * paper.UNINFORMED_PRECISION


def test_settings_are_those_of_the_figure() -> None:
    assert [growth(name) for name in FIXED] == [None] * 3
    found = {name: growth(name) for name in NAMES if name not in FIXED}
    assert {name: each.factor for name, each in found.items() if each} == {
        "recovery-1.0": 1.0, "recovery-1.01": 1.01, "recovery-1.1": 1.1, "recovery-2.0": 2.0,
        TRANSFER: 1.01, CAPPED: 1.01,
    }  # fmt: skip
    assert all(
        each is not None and each.every == 5 and each.estimate == "transfer" for each in found.values()
    )


def test_seconds_are_a_quarter_where_they_are_not_compared(tmp_path: Path) -> None:
    for setup, seconds in (
        (Setup(tmp_path, False), 600.0),
        (Setup(tmp_path, True), 2.0),
        (Setup(tmp_path, True, 1.0), 1.0),
    ):
        assert [setup.seconds_of(name) for name in ("branch-5", MAIN, "branch-2")] == [
            seconds,
            seconds,
            seconds / 4,
        ]
    with pytest.raises(InputError, match="more than 0 seconds"):
        run_parts(EXPERIMENT, Setup(tmp_path, True, 0.0), ["figure"])


def test_finished_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup, made, ran = Setup(tmp_path, True), made_up()["runs"], list[str]()

    def measure(name: str, seconds: float) -> Found:
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(name)
        found: Found = made[name]
        return found

    monkeypatch.setattr(paper, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup, ["figure"])
    ran[:] = [""] * 10
    records = run_parts(EXPERIMENT, setup, ["figure"])
    assert ran[10:] == list(NAMES[3:])
    assert records["figure"].found["runs"] == made


def test_nothing_is_added_to_a_fixed_abstraction() -> None:
    found = paper.measure("branch-2", 0.1)
    assert points_of(found)[-1].iterations % paper.EVERY == 0
    assert (found["additions"], found["discounting"]) == (0, 0)


def test_runs_under_a_budget_keep_it(tmp_path: Path) -> None:
    records = run_parts(EXPERIMENT, Setup(tmp_path, True), ["budget"])
    whole, *parts = records["budget"].found["runs"]
    assert whole["refused"] == 0
    for share, part in zip((0.75, 0.5), parts, strict=True):
        assert part["peak"] <= part["budget"] == int(share * whole["budget"])
        assert part["refused"] > 0
    page = new_page(EXPERIMENT, records, "solvent reproduce saef --scale small")
    assert page.document["figures"]["budget 0.75.peak by budget"] <= 1
    assert page.document["bars"][0]["met"]
    assert "\n| 75% |" in page.text
    assert "The figure has not been run." in page.head


# Curves


def test_values_between_checks_are_log_log() -> None:
    points = line(4.0, 1.0)
    assert value_at(points, 10**1.5) == pytest.approx(2.0)
    assert value_at(points, 10) == 4.0
    assert value_at(points, 1) is value_at(points, 101) is None


def test_runs_are_compared_where_both_are() -> None:
    one, other = line(4.0, 1.0), line(8.0, 4.0, 1.0)
    assert ratio_at_end(one, other) == pytest.approx(0.25)
    assert ratio_at_end(one, other, SECONDS) == pytest.approx(0.25)
    assert [ratio for _, ratio in ratios_to_best(other, [one])] == pytest.approx([2.0, 4.0])


def test_bumps_and_levels() -> None:
    points = line(4.0, 1.0, 3.0, 1.05, 1.0)
    assert bump(points) == 3.0
    assert bump(points[:2]) == 1.0
    assert levels_at(points, 1.1) is points[3]


# Figures and the page


def test_every_figure_of_a_claim_is_there() -> None:
    found = figures(made_up())
    for claim in claims.paper("saef").claims:
        if claim.page == "saef":
            assert not set(claim.names) - set(found), claim.states


def bars_met(found: dict[str, float]) -> list[bool]:
    return [bar.met for bar in judged_bars("saef", found)]


def test_figures_follow_from_the_numbers() -> None:
    found = figures(made_up())
    assert found["recovery-1.01 by best fixed.worst"] == 1.0
    assert found["recovery-1.01 by best fixed.last"] == pytest.approx(0.5)
    assert found["bump.transfer by recovery-1.01"] == pytest.approx(2.0)
    assert found["transfer.discounting"] == pytest.approx(3 * found["recovery-1.01.discounting"])
    assert found["seconds.recovery-1.01 by branch-5"] == pytest.approx(0.5)
    assert bars_met(found) == [True, True]
    assert bars_met(
        found | {"seconds.recovery-1.01 by branch-5": 1.25, "recovery-1.01.growing share": 0.4}
    ) == [False, False]


def test_everything_is_written(tmp_path: Path) -> None:
    page = tmp_path / "saef.md"
    made = new_page(EXPERIMENT, {"figure": record(made_up())}, "solvent reproduce saef --scale small")
    save_page(EXPERIMENT, made, page)
    assert {path.name for path in tmp_path.iterdir()} == {"saef.md", "saef.csv", "saef.png", "saef.json"}
    text = page.read_text()
    assert text.startswith("# Growing an abstraction while it is solved\n\n- **Claimed.** Brown and Sandholm")
    assert "After equal seconds it has 0.50 of branch-5's." in text
    assert "Let the sizes of a continuous game be found" in made.head
    assert "solvent reproduce saef --scale small" in text
    rows = list(csv.DictReader((tmp_path / "saef.csv").open()))
    assert len(rows) == 4 * len(NAMES)
    assert json.loads(page.with_suffix(".json").read_text())["figures"]["branch-5.last"] == 0.4


def test_a_page_says_where_fixed_sizes_are_no_worse() -> None:
    found: dict[str, Any] = made_up()
    found["runs"]["branch-5"] = run_of(line(4.0, 0.9, 0.2, 0.1))
    head = new_page(EXPERIMENT, {"figure": record(found)}, "solvent reproduce saef").head
    assert "Five fixed sizes are no worse than sizes that are found: 0.50 of the exploitability" in head
