"""The SAEF experiment: short runs, its page from given numbers, and what follows from curves."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest

from solvent.app.command_line import run as run_here
from solvent.foundation.errors import InputError
from solvent_papers.ledger import claims
from solvent_papers.saef import figure_one as paper
from solvent_papers.saef import saef_page
from solvent_papers.saef.curves import (
    SECONDS,
    bump,
    levels_at,
    ratio_at_end,
    ratios_to_best,
    value_at,
)
from solvent_papers.saef.figure_one import (
    CAPPED,
    FIXED,
    MAIN,
    NAMES,
    TRANSFER,
    Point,
    Result,
    Run,
    Scale,
    Trace,
    growth,
    saef,
)
from solvent_papers.saef.saef_figures import saef_figures
from solvent_papers.saef.saef_page import bars, reading, write_saef

SHORT = Scale(seconds=0.2, other_seconds=0.1)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels need no compiling beforehand where seconds mean nothing."""
    monkeypatch.setattr(paper, "compile_kernels", lambda: None)


def line(name: str, *values: float, growing: float = 0.1, discounts: tuple[float, ...] = ()) -> Trace:
    """A made-up run with a check at every power of ten of nodes and at every second."""
    points = [
        Point(
            name,
            5 * k,
            5.0 * k,
            10**k,
            float(k),
            growing * k,
            1560 + 9 * k,
            k,
            value,
            value / 2,
            value,
            value,
        )
        for k, value in enumerate(values, 1)
    ]
    return Trace(tuple(points), discounts, len(discounts), len(discounts) // 2)


def made_up() -> Result:
    """Runs in which growing does what the paper says."""
    traces = {
        "branch-2": line("branch-2", 4.0, 1.0, 1.0, 1.0),
        "branch-3": line("branch-3", 8.0, 2.0, 0.5, 0.5),
        "branch-5": line("branch-5", 9.0, 4.0, 1.0, 0.4),
        "transfer": line("transfer", 4.0, 0.9, 1.8, 0.4, discounts=(0.5, 0.25)),
    }
    for name in NAMES:
        if name not in traces:
            traces[name] = line(name, 4.0, 0.9, 0.45, 0.2, discounts=(1.0, 0.5))
    return Result({name: traces[name] for name in NAMES}, SHORT)


# Runs


@pytest.fixture(scope="module")
def main_trace() -> Trace:
    warm = Run(MAIN, SHORT)
    for _ in range(3):
        warm.step()
    return Run(MAIN, Scale(1.0, 1.0)).trace()


def test_a_run_grows_from_branch_2_and_counts_what_growing_costs(main_trace: Trace) -> None:
    first, last = main_trace.points[0], main_trace.last
    assert (first.iterations, first.nodes, first.additions) == (paper.EVERY, 1560, 0)
    assert last.nodes > first.nodes
    assert last.additions == len(main_trace.discounts) > 0
    assert 0 < last.growing_seconds < last.seconds
    assert all(0 < w <= 1 for w in main_trace.discounts)
    assert main_trace.at_leaves <= main_trace.in_last_round <= last.additions
    assert all(one.nodes_touched < other.nodes_touched for one, other in pairwise(main_trace.points[:-1]))


def test_exploiters_who_can_do_more_win_more(main_trace: Trace) -> None:
    known = [point for point in main_trace.points if point.uninformed_low is not None]
    assert main_trace.last in known
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
    with pytest.raises(InputError, match="there is no run"):
        Run("branch-4", SHORT)


def test_finished_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.jsonl"
    first = saef(["branch-2"], SHORT, kept=kept)
    monkeypatch.setattr(Run, "trace", lambda self: pytest.fail("it had been run"))
    assert saef(["branch-2"], SHORT, kept=kept).traces == first.traces
    with pytest.raises(InputError, match="more than 0 seconds"):
        saef(["branch-2"], Scale(0.0, 1.0))


# Curves


def test_values_between_checks_are_log_log() -> None:
    points = line("branch-2", 4.0, 1.0).points
    assert value_at(points, 10**1.5) == pytest.approx(2.0)
    assert value_at(points, 10) == 4.0
    assert value_at(points, 1) is value_at(points, 101) is None


def test_runs_are_compared_where_both_are() -> None:
    one, other = line("one", 4.0, 1.0), line("other", 8.0, 4.0, 1.0)
    assert ratio_at_end(one, other) == pytest.approx(0.25)
    assert ratio_at_end(one, other, SECONDS) == pytest.approx(0.25)
    assert [ratio for _, ratio in ratios_to_best(other, [one])] == pytest.approx([2.0, 4.0])


def test_bumps_and_levels() -> None:
    points = line("one", 4.0, 1.0, 3.0, 1.05, 1.0).points
    assert bump(points) == 3.0
    assert bump(points[:2]) == 1.0
    assert levels_at(points, 1.1) is points[3]


# Figures and the page


def test_every_figure_of_a_claim_is_there() -> None:
    figures = saef_figures(made_up())
    for claim in claims.paper("saef").claims:
        if claim.page == "saef":
            assert not set(claim.names) - set(figures), claim.states


def test_figures_follow_from_the_numbers() -> None:
    figures = saef_figures(made_up())
    assert figures["recovery-1.01 by best fixed.worst"] == 1.0
    assert figures["recovery-1.01 by best fixed.last"] == pytest.approx(0.5)
    assert figures["bump.transfer by recovery-1.01"] == pytest.approx(2.0)
    assert figures["transfer.discounting"] == pytest.approx(3 * figures["recovery-1.01.discounting"])
    assert figures["seconds.recovery-1.01 by branch-5"] == pytest.approx(0.5)
    assert [bar.met for bar in bars(figures)] == [True, True]
    figures |= {"seconds.recovery-1.01 by branch-5": 1.25, "recovery-1.01.growing share": 0.4}
    assert [bar.met for bar in bars(figures)] == [False, False]
    assert "no worse" in reading(figures).so_what


def test_the_command_writes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paper, "saef", lambda **options: made_up())
    assert run_here(["reproduce", "saef", "--quick", "--out", str(tmp_path)]) == 0
    assert "Brown and Sandholm" in capfd.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"saef.md", "saef.csv", "saef.png", "saef.json"}
    text = (tmp_path / "saef.md").read_text()
    assert text.startswith("# Growing an abstraction while it is solved\n\n- **Claimed.** ")
    assert "solvent reproduce saef --quick" in text
    rows = list(csv.DictReader((tmp_path / "saef.csv").open()))
    assert len(rows) == 4 * len(NAMES)
    assert json.loads((tmp_path / "saef.json").read_text())["figures"]["branch-5.last"] == 0.4


def test_a_page_without_some_runs_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saef_page, "plot_saef", lambda result, path: path.touch())
    some = Result({"branch-2": made_up().traces["branch-2"]}, SHORT)
    write_saef(some, tmp_path / "saef.md")
    assert "branch-2" in (tmp_path / "saef.md").read_text()
