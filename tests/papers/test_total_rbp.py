"""The pruning experiment on Kuhn and Leduc: what is checked when, what follows from it, what is written."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solvent.app.command_line import app
from solvent.foundation.errors import InputError
from solvent_papers.total_rbp import pruning as paper
from solvent_papers.total_rbp import pruning_page as total_rbp_page
from solvent_papers.total_rbp.figures import pruning_figures
from solvent_papers.total_rbp.pruning import (
    FULL,
    QUICK,
    Point,
    Result,
    Setting,
    checks,
    common_level,
    crossing,
    first_stored,
    nodes_an_iteration,
    nodes_to,
    over_last_tenth,
    total_rbp,
)
from solvent_papers.total_rbp.pruning_page import bars, claims, verdict, write_total_rbp

FILES = {
    "total-rbp.json",
    "total-rbp.md",
    "total-rbp.csv",
    "total-rbp-seconds.csv",
    "total-rbp-space.png",
    "total-rbp-convergence.png",
    "total-rbp-cost.png",
}
TOTAL = Setting("leduc", "cfr", "alternating", "total", 0.1)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels need no compiling beforehand where seconds mean nothing."""
    monkeypatch.setattr(paper, "compile_kernels", lambda: None)


@pytest.fixture
def _without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longer than what they show; one test draws them."""
    for name in ("plot_space", "plot_convergence", "plot_cost"):
        monkeypatch.setattr(total_rbp_page, name, lambda result, path: path.touch())


@cache
def result() -> Result:
    return total_rbp(["leduc"], QUICK)


def line(*numbers: tuple[int, int, float]) -> list[Point]:
    """Points with these (iterations, nodes touched, lowest exploitability); half of the nodes are responses'."""
    rest = {"regrets": 0.5, "bounds": 0.25, "averages": 1.0, "table_bytes": 8}
    rest |= {"averages_pruned": 0.25, "averages_behind": 0.25}
    return [
        Point(
            **TOTAL.as_dict(),
            iterations=iterations,
            nodes_touched=nodes,
            response_nodes=nodes // 2,
            exploitability=lowest,
            lowest=lowest,
            **rest,
        )
        for iterations, nodes, lowest in numbers
    ]


# When it is asked


def test_checks_have_what_the_tables_need() -> None:
    planned = checks(FULL, FULL.long)
    assert {400, 2_000, 10, 100, 1_000, 10_000, 5, 50, 500, 5_000, *range(1_800, 2_001, 10)} <= {*planned}
    assert planned == sorted(set(planned))
    assert (planned[0], planned[-1], checks(FULL, FULL.short)[-1]) == (1, 20_000, 2_000)


def test_the_target_is_known_to_ten_iterations() -> None:
    for points in result().traces.values():
        reached = crossing(points, QUICK.target)
        assert reached is not None
        before = points[points.index(reached) - 1]
        assert reached.iterations - before.iterations <= 10


def test_large_games_run_for_long_only_with_the_main_values_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "SMALL", 10)
    tree = paper.compile_tree(paper.load_game("kuhn"))
    lengths = {
        average: _length(tree, Setting("kuhn", "cfr", "alternating", "total", average))
        for average in (0.03, 0.01, 0.1)
    }
    assert lengths == {0.03: QUICK.short, 0.01: QUICK.long, 0.1: QUICK.long}


def _length(tree, setting: Setting) -> int:
    return paper.trace(tree, setting, QUICK)[-1].iterations


# What is measured


def test_every_setting_has_points_that_add_up() -> None:
    assert len(result().traces) == 37
    for setting, points in result().traces.items():
        assert points[-1].iterations == QUICK.long
        for before, after in pairwise(points):
            assert after.iterations > before.iterations
            assert after.nodes_touched > before.nodes_touched
            assert after.lowest == min(before.lowest, after.exploitability)
        everything = all(p.stored == 1 for p in points)
        assert everything == (setting.pruning != "total")
        assert all(p.response_nodes == 0 for p in points) == (setting.pruning in ("none", "partial"))


def test_partial_pruning_changes_nothing_but_nodes() -> None:
    none, partial = (result().traces[Setting("leduc", "cfr", "alternating", p)] for p in ("none", "partial"))
    assert [p.exploitability for p in none] == pytest.approx([p.exploitability for p in partial], rel=1e-9)
    assert partial[-1].nodes_touched < none[-1].nodes_touched == QUICK.long * 2 * 1939


def test_timings_are_of_the_iterations_to_the_target() -> None:
    timings = result().timings
    assert [row.label for row in timings] == [
        "none",
        "partial",
        "interval",
        "total, C = 0.01",
        "total, C = 0.1",
        "interval, lasting",
        "total, C = 0.01, lasting",
        "total, C = 0.1, lasting",
        "none (sequence plan)",
    ]
    for row in timings:
        assert row.seconds > 0
        assert row.repeats == QUICK.repeats
        setting = Setting(row.game, row.rule, row.updates, row.pruning, row.average, row.plan, row.gates)
        assert row.nodes_touched == crossing(result().traces[setting], QUICK.target).nodes_touched


# What follows


def test_nodes_between_checks() -> None:
    points = line((1, 100, 4.0), (2, 400, 1.0))
    assert nodes_to(points, 2.0) == pytest.approx(200)
    assert nodes_to(points, 4.0) == 100
    assert nodes_to(points, 1.0) == pytest.approx(400)
    assert nodes_to(points, 0.5) is None
    assert common_level([points, line((1, 100, 3.0))]) == 3.0


def test_nodes_an_iteration_are_those_of_the_second_half() -> None:
    points = line((10, 1_000, 4.0), (20, 1_400, 2.0))
    assert nodes_an_iteration(points, points[1]) == (20, 20)
    assert nodes_an_iteration(points, points[0]) == (50, 50)


def test_space_is_averaged_over_the_last_tenth() -> None:
    points = [
        replace(point, regrets=regrets)
        for point, regrets in zip(line((179, 1, 1), (180, 2, 1), (200, 3, 1)), (1.0, 0.4, 0.2), strict=True)
    ]
    assert over_last_tenth(points, 200, "regrets") == pytest.approx(0.3)
    assert over_last_tenth(points, 200, "stored") == pytest.approx(0.65)
    assert first_stored(points, 0.7).iterations == 180
    assert first_stored(points, 0.1) is None


@pytest.mark.parametrize(
    ("measured", "claimed", "told"),
    [(6.9, 7.0, "agrees"), (5.0, 7.0, "does not agree: less"), (9.0, 7.0, "more than the paper's")],
)
def test_verdicts(measured: float, claimed: float, told: str) -> None:
    assert verdict(measured, claimed) == told
    assert verdict(measured, None) == "does not agree: more"
    assert verdict(1 / measured, None) == "agrees"


def test_what_the_paper_tests_give_has_plain_names_and_our_gates_their_own() -> None:
    figures = pruning_figures(result())
    short = f"C=0.1.T={QUICK.short}"
    for gates, prefix in (("paper", ""), ("lasting", "lasting.")):
        points = result().traces[Setting("leduc", "cfr", "simultaneous", "total", 0.1, gates=gates)]
        stored = figures[f"leduc.cfr.simultaneous.{prefix}stored.{short}"]
        assert stored == over_last_tenth(points, QUICK.short, "stored")
        assert f"leduc.cfr.alternating.{prefix}seconds.total by none" in figures
    names = [bar.name for bar in bars(result())]
    assert len(names) == sum("C = " in name for name in names) == 3


def test_averages_are_live_pruned_or_behind() -> None:
    for setting, points in result().traces.items():
        for point in points:
            idle = point.averages_pruned + point.averages_behind
            assert 0 <= idle <= point.averages
            assert point.averages - idle == pytest.approx(point.regrets) or setting.pruning != "total"


# Going on


def test_an_experiment_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, run, ran = tmp_path / "kept.jsonl", paper.trace, list[Setting]()

    def stopped(tree, setting, scale):  # type: ignore[no-untyped-def]
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(setting)
        return run(tree, setting, scale)

    short = replace(QUICK, short=20, long=20, target=1e-9)
    monkeypatch.setattr(paper, "trace", stopped)
    with pytest.raises(KeyboardInterrupt):
        total_rbp(["kuhn"], short, kept=kept)
    first = kept.read_text()
    ran[:] = [TOTAL] * 10
    found = total_rbp(["kuhn"], short, kept=kept)
    assert kept.read_text().startswith(first)
    assert len(ran) - 10 == len(found.traces) - 3
    ran[:] = [TOTAL] * 10
    assert total_rbp(["kuhn"], short, kept=kept).traces == found.traces
    assert len(ran) == 10
    total_rbp(["kuhn"], replace(short, long=21), kept=kept)
    assert len(ran) - 10 == len(found.traces)


# What is written


def test_the_page(tmp_path: Path) -> None:
    page = tmp_path / "new" / "total-rbp.md"
    write_total_rbp(result(), page, further=["## A larger game", "More."])
    assert {path.name for path in page.parent.iterdir()} == FILES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in page.parent.glob("*.png"))
    text = page.read_text()
    for claim, measured, told in claims(result()):
        assert f"| {claim} | {measured} | {told} |" in text
    assert len(claims(result())) == 10
    assert "## A larger game\n\nMore.\n\n## Our own bars" in text
    assert "leduc5" not in text
    with page.with_suffix(".csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(result().points)
    assert rows[-1]["plan"] == "sequence"


@pytest.mark.usefixtures("_without_pictures")
def test_a_target_that_is_not_reached(tmp_path: Path) -> None:
    never = replace(QUICK, short=20, long=20, target=1e-9)
    found = total_rbp(["kuhn"], never)
    assert {(row.iterations, row.seconds) for row in found.timings} == {(None, None)}
    assert claims(found) == []
    write_total_rbp(found, tmp_path / "total-rbp.md")
    assert "not reached" in (tmp_path / "total-rbp.md").read_text()


def test_a_target_must_be_above_zero() -> None:
    with pytest.raises(InputError, match="above 0"):
        total_rbp(["kuhn"], replace(QUICK, target=0.0))


# The command


@pytest.mark.usefixtures("_without_pictures")
def test_the_command_prints_json(tmp_path: Path) -> None:
    arguments = ["reproduce", "total-rbp", "--quick", "--game", "kuhn", "--out", str(tmp_path), "--json"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    document = json.loads(done.stdout)
    assert document.keys() == {"points", "timings", "page"}
    assert document["points"][0].keys() >= {"iterations", "nodes_touched", "regrets", "table_bytes"}
    assert {path.name for path in tmp_path.iterdir()} == FILES
    assert "solvent reproduce total-rbp --game 'kuhn' --quick" in (tmp_path / "total-rbp.md").read_text()


@pytest.mark.usefixtures("_without_pictures")
def test_the_command_prints_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "total_rbp", lambda games, scale, say, kept: result())
    arguments = ["reproduce", "total-rbp", "--quick", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"}, catch_exceptions=False)
    assert "none (sequence plan)" in done.stdout
    assert "leduc, CFR, space: about half" in done.stdout
    assert "written to" in done.stdout


@pytest.mark.parametrize("slip", [["--game", "no such game"], ["--target", "-1"]])
def test_slips_are_refused(slip: list[str], tmp_path: Path) -> None:
    arguments = ["reproduce", "total-rbp", "--quick", "--out", str(tmp_path), *slip]
    assert isinstance(CliRunner().invoke(app, arguments).exception, InputError)
    assert not list(tmp_path.iterdir())
