"""The pruning experiment on Kuhn and Leduc: when it is checked, what follows from it, what is written."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import pairwise
from math import log
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solvent.app.command_line import app
from solvent.foundation.errors import InputError
from solvent_papers.frame.judging import judged_bars
from solvent_papers.frame.pages import Page, new_page, save_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.total_rbp import pruning as paper
from solvent_papers.total_rbp.pruning import Point, Setting, Setup, Trace, checks, crossing, read
from solvent_papers.total_rbp.total_rbp import (
    EXPERIMENT,
    common_level,
    first_stored,
    fit_cost,
    nodes_an_iteration,
    nodes_to,
    over_last_tenth,
)

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
QUICK, FULL = Setup(Path(), True), Setup(Path(), False)


@pytest.fixture(autouse=True, scope="module")
def _in_a_hurry() -> Iterator[None]:
    """Kernels need no compiling beforehand where seconds mean nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "compile_kernels", lambda: None)
        yield


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    return run_parts(EXPERIMENT, Setup(tmp_path_factory.mktemp("work"), True))


@pytest.fixture(scope="module")
def traces(records: dict[str, Record]) -> dict[Setting, Trace]:
    return read(records["traces"].found)


def line(*numbers: tuple[int, int, float], regrets: float = 0.5) -> list[Point]:
    """Points with these (iterations, nodes touched, lowest exploitability); half of the nodes are responses'."""
    return [
        Point(iterations, nodes, nodes // 2, lowest, lowest, regrets, 0.25, 1.0, 0.25, 0.25, 8)
        for iterations, nodes, lowest in numbers
    ]


def page_of(records: dict[str, Record]) -> Page:
    return new_page(EXPERIMENT, records, "solvent reproduce total-rbp --scale small")


# When it is asked


def test_checks_have_what_the_tables_need() -> None:
    planned = checks(FULL.short, FULL.long, FULL.long)
    assert {400, 2_000, 10, 100, 1_000, 10_000, 5, 50, 500, 5_000, *range(1_800, 2_001, 10)} <= {*planned}
    assert planned == sorted(set(planned))
    assert (planned[0], planned[-1], checks(FULL.short, FULL.long, FULL.short)[-1]) == (1, 20_000, 2_000)


def test_the_target_is_known_to_ten_iterations(traces: dict[Setting, Trace]) -> None:
    for points in traces.values():
        reached = crossing(points, QUICK.level)
        assert reached is not None
        before = points[points.index(reached) - 1]
        assert reached.iterations - before.iterations <= 10


def test_large_games_run_for_long_only_with_the_main_values_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "SMALL_GAME", 10)
    tree = paper.compile_tree(paper.load_game("kuhn"))
    lengths = {
        average: _length(tree, Setting("kuhn", "cfr", "alternating", "total", average))
        for average in (0.03, 0.01, 0.1)
    }
    assert lengths == {0.03: QUICK.short, 0.01: QUICK.long, 0.1: QUICK.long}


def _length(tree, setting: Setting) -> int:
    return paper.trace(tree, setting, QUICK)[-1].iterations


# What is measured


def test_every_setting_has_points_that_add_up(traces: dict[Setting, Trace]) -> None:
    assert len(traces) == 37
    for setting, points in traces.items():
        assert points[-1].iterations == QUICK.long
        for before, after in pairwise(points):
            assert after.iterations > before.iterations
            assert after.nodes_touched > before.nodes_touched
            assert after.lowest == min(before.lowest, after.exploitability)
        everything = all(p.stored == 1 for p in points)
        assert everything == (setting.pruning != "total")
        assert all(p.response_nodes == 0 for p in points) == (setting.pruning in ("none", "partial"))


def test_partial_pruning_changes_nothing_but_nodes(traces: dict[Setting, Trace]) -> None:
    none, partial = (traces[Setting("leduc", "cfr", "alternating", p)] for p in ("none", "partial"))
    assert [p.exploitability for p in none] == pytest.approx([p.exploitability for p in partial], rel=1e-9)
    assert partial[-1].nodes_touched < none[-1].nodes_touched == QUICK.long * 2 * 1939


def test_timings_are_of_the_iterations_to_the_target(
    records: dict[str, Record], traces: dict[Setting, Trace]
) -> None:
    rows = {Setting(*list(row.values())[:7]): row for row in records["seconds"].found["rows"]}
    assert [setting.label for setting in rows] == [
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
    for setting, row in rows.items():
        assert row["seconds"] > 0
        assert row["repeats"] == 1
        reached = crossing(traces[setting], QUICK.level)
        assert reached is not None
        assert row["nodes_touched"] == reached.nodes_touched


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
        point._replace(regrets=regrets)
        for point, regrets in zip(line((179, 1, 1), (180, 2, 1), (200, 3, 1)), (1.0, 0.4, 0.2), strict=True)
    ]
    assert over_last_tenth(points, 200, "regrets") == pytest.approx(0.3)
    assert over_last_tenth(points, 200, "stored") == pytest.approx(0.65)
    fell = first_stored(points, 0.7)
    assert fell is not None
    assert fell.iterations == 180
    assert first_stored(points, 0.1) is None


def test_the_cost_of_an_iteration_is_fitted_exactly_where_it_is_a_plus_b_over_t() -> None:
    nodes = {t: round(1e6 * t + 1e9 * log(t)) for t in (50, 100, 200, 400, 1_000)}
    fit = fit_cost(line(*((t, count, 1.0) for t, count in nodes.items())))
    assert fit is not None
    assert (fit.stays, fit.falls) == pytest.approx((1e6, 1e9), rel=1e-6)
    assert fit.worst_off < 1e-6
    assert fit_cost(line((50, 1, 1.0), (100, 2, 1.0), (200, 3, 1.0))) is None


def test_what_the_paper_tests_give_has_plain_names_and_our_gates_their_own(
    records: dict[str, Record], traces: dict[Setting, Trace]
) -> None:
    figures = page_of(records).document["figures"]
    short = f"C=0.1.T={QUICK.short}"
    for gates, prefix in (("paper", ""), ("lasting", "lasting.")):
        points = traces[Setting("leduc", "cfr", "simultaneous", "total", 0.1, gates=gates)]
        stored = figures[f"leduc.cfr.simultaneous.{prefix}stored.{short}"]
        assert stored == over_last_tenth(points, QUICK.short, "stored")
        assert f"leduc.cfr.alternating.{prefix}seconds.total by none" in figures
    of_full_length = {name.replace("T=100", "T=2000"): value for name, value in figures.items()}
    names = [bar.name for bar in judged_bars("total-rbp", of_full_length)]
    assert len(names) == sum("C = " in name for name in names) == 3


def test_averages_are_live_pruned_or_behind(traces: dict[Setting, Trace]) -> None:
    for setting, points in traces.items():
        for point in points:
            idle = point.averages_pruned + point.averages_behind
            assert 0 <= idle <= point.averages
            assert point.averages - idle == pytest.approx(point.regrets) or setting.pruning != "total"


# Resuming


def test_an_experiment_that_was_stopped_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup, run, ran = Setup(tmp_path, True, ("kuhn",), 1e-9), paper.trace, list[Setting]()

    def stopped(tree, setting, setup):  # type: ignore[no-untyped-def]
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(setting)
        return run(tree, setting, setup)

    monkeypatch.setattr(paper, "trace", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup, ["traces"])
    ran[:] = [TOTAL] * 10
    found = run_parts(EXPERIMENT, setup, ["traces"])["traces"].found
    assert len(ran) - 10 == len(found["traces"]) - 3
    ran[:] = [TOTAL] * 10
    assert run_parts(EXPERIMENT, setup, ["traces"])["traces"].found == found
    assert len(ran) == 10
    run_parts(EXPERIMENT, Setup(tmp_path, True, ("kuhn",), 2e-9), ["traces"])
    assert len(ran) - 10 == len(found["traces"])


# The page


def test_the_page(records: dict[str, Record], traces: dict[Setting, Trace], tmp_path: Path) -> None:
    page = tmp_path / "new" / "total-rbp.md"
    save_page(EXPERIMENT, page_of(records), page)
    assert {path.name for path in page.parent.iterdir()} == FILES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in page.parent.glob("*.png"))
    text = page.read_text()
    for heading in ("### `leduc`", "## To exploitability 0.2 on `leduc`", "## Cost of an iteration"):
        assert f"\n{heading}\n" in text
    assert "| none (sequence plan) |" in text
    assert "leduc5" not in text
    with page.with_suffix(".csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(map(len, traces.values()))
    assert rows[-1]["plan"] == "sequence"


def test_a_target_that_is_not_reached(tmp_path: Path) -> None:
    records = run_parts(EXPERIMENT, Setup(tmp_path, True, ("kuhn",), 1e-9))
    rows = records["seconds"].found["rows"]
    assert {(row["iterations"], row["seconds"]) for row in rows} == {(None, None)}
    assert "| none | not reached | - | - | - | - | - |" in page_of(records).text


def test_a_page_of_traces_alone_is_written(records: dict[str, Record]) -> None:
    text = page_of({"traces": records["traces"]}).text
    assert "## Convergence" in text
    assert "\nNot run: seconds.\n" in text
    assert "To exploitability" not in text


# The command


def test_the_command_prints_json(tmp_path: Path) -> None:
    given = ["--scale", "small", "--game", "kuhn", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    done = CliRunner().invoke(app, ["reproduce", "total-rbp", *given, "--json"], catch_exceptions=False)
    document = json.loads(done.stdout)
    assert document.keys() == {"figures", "found", "page"}
    points = document["found"]["traces"]["traces"][0]["points"]
    assert points.keys() >= {"iterations", "nodes_touched", "regrets", "table_bytes"}
    assert {path.name for path in tmp_path.iterdir()} == FILES | {"work"}
    assert "solvent reproduce total-rbp --scale small --game kuhn" in (tmp_path / "total-rbp.md").read_text()


@pytest.mark.parametrize("slip", [["--game", "no such game"], ["--target", "-1"]])
def test_slips_are_refused(slip: list[str], tmp_path: Path) -> None:
    given = ["--scale", "small", "--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    arguments = ["reproduce", "total-rbp", *given, *slip]
    assert isinstance(CliRunner().invoke(app, arguments).exception, InputError)
    assert not (tmp_path / "out").exists()
