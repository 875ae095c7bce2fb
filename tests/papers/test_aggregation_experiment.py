"""The aggregation experiment on tiny games: rows, curves, the full deck's loop, and what they write."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from solvent.foundation.errors import InputError
from solvent_papers.aggregation import full_deck as deck
from solvent_papers.aggregation import plans as aggregation
from solvent_papers.aggregation.bandwidth import bandwidth, bandwidths
from solvent_papers.aggregation.full_deck import full_deck, write_full_deck
from solvent_papers.aggregation.plans import PAPER, Row, curves, measure
from solvent_papers.aggregation.plans_page import write_results
from solvent_papers.commands.bench import plans as bench_plans
from solvent_papers.commands.reproduce.papers import reproduce_aggregation, reproduce_full_deck

pytestmark = pytest.mark.slow  # compiles what few other tests use

BLUFF, FLOP = "bluff(dice=1,faces=2)", "flop_holdem(suits=2,ranks=4)"
COLUMNS = {
    "game",
    "plan",
    "evaluator",
    "isomorphism",
    "dtype",
    "threads",
    "seconds_per_iteration",
    "ns_per_history",
    "histories",
    "table_bytes",
    "peak_memory_bytes",
    "speedup",
    "efficiency",
    "repeats",
}
PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured here need not be exact."""
    for module in (aggregation, deck):
        monkeypatch.setattr(module, "bandwidth", lambda threads: 1e10 * threads)
    monkeypatch.setattr(aggregation, "BATCH_SECONDS", 0.002)


@cache
def rows() -> list[Row]:
    return measure([BLUFF, FLOP], repeats=1, dtype="float64")


def rows_of(game: str, plan: str) -> list[Row]:
    return [row for row in rows() if (row.game, row.plan) == (game, plan)]


def test_bandwidth_is_that_of_a_computer() -> None:
    assert 1e8 < bandwidth(1, megabytes=64, repeats=2) < 1e13


def test_bandwidth_of_each_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvent_papers.aggregation.bandwidth.bandwidth", lambda threads: 10.0 * threads)
    assert bandwidths(3) == {1: 10.0, 2: 20.0, 3: 30.0}


def test_every_plan_has_a_row() -> None:
    bluff = [(row.plan, row.runs_as) for row in rows() if row.game == BLUFF]
    plans = ["serial", "branched", "flattened", "vectors", "sequences", "shapes"]
    assert bluff == [*((plan, plan) for plan in plans), ("auto", "sequences")]
    aggregated = [(row.evaluator, row.isomorphism, row.threads) for row in rows_of(FLOP, "aggregated")]
    evaluators = ["swept", "gemm"]
    both = [(evaluator, on, 1) for on in (False, True) for evaluator in evaluators]
    assert sorted(aggregated) == sorted([*both, ("swept", False, 2), ("swept", True, 2)])
    (auto,) = rows_of(FLOP, "auto")
    assert (auto.runs_as, auto.evaluator, auto.isomorphism) == ("aggregated", "swept", True)


def test_rows_add_up() -> None:
    for row in rows():
        assert row.as_dict().keys() >= COLUMNS
        assert row.refused is None
        assert row.seconds_per_iteration is not None
        seconds = row.seconds_per_iteration
        assert row.ns_per_history == pytest.approx(seconds * 1e9 / (2 * row.histories))
        assert row.efficiency == pytest.approx(40 * row.infoset_actions / (seconds * row.bandwidth))
        assert row.table_bytes == 16 * row.infoset_actions
        (serial,) = rows_of(row.game, "serial")
        assert serial.speedup == 1
        assert row.speedup == pytest.approx(serial.seconds_per_iteration / seconds)
    assert {row.histories for row in rows()} == {127, 256_229}


def test_what_the_flattened_plan_holds_is_seen() -> None:
    (flattened,), aggregated = rows_of(FLOP, "flattened"), rows_of(FLOP, "aggregated")[0]
    if flattened.peak_memory_bytes is None:
        pytest.skip("this system does not tell the peak memory of a process")
    assert flattened.peak_memory_bytes > 100 * flattened.histories
    assert aggregated.peak_memory_bytes < flattened.peak_memory_bytes / 10


def test_a_tree_that_does_not_fit_is_refused() -> None:
    refused = {row.plan: row.refused for row in measure([BLUFF], repeats=1, memory=10_000, dtype="float64")}
    assert refused["flattened"].startswith("does not fit")
    assert refused["serial"] is None


def test_plans_that_would_never_end_are_refused() -> None:
    found = measure([FLOP], repeats=1, plan_seconds=1e-6)
    serial, aggregated = (next(row for row in found if row.plan == plan) for plan in ("serial", "aggregated"))
    assert serial.refused.startswith("takes too long")
    assert aggregated.seconds_per_iteration > 0
    assert aggregated.speedup is None


def test_games_without_a_public_form_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "coin.efg"
    path.write_text(
        'EFG 2 R "coin" { "a" "b" }\np "" 1 1 "" { "h" "t" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { -1, 1 }\n'
    )
    with pytest.raises(InputError, match="has no public form"):
        measure([str(path)])


def test_results_are_written(tmp_path: Path) -> None:
    points = curves([BLUFF, FLOP], seconds=0.02)
    assert {(p.game, p.plan) for p in points} == {
        *((BLUFF, plan) for plan in ("serial", "flattened", "aggregated")),
        *((FLOP, plan) for plan in ("serial", "flattened", "aggregated", "auto")),
    }
    for game in (BLUFF, FLOP):
        # All plans compute the same strategies.
        first = [p.exploitability for p in points if p.game == game and p.iterations == 1]
        assert first == pytest.approx([first[0]] * len(first), rel=1e-6)
    page = tmp_path / "new" / "aggregation.md"
    write_results(rows(), page, points)
    text = page.read_text()
    assert "GB/s" in text
    assert "256,229" in text
    assert "(aggregation.png)" in text
    assert page.with_suffix(".png").read_bytes().startswith(PNG)
    with page.with_suffix(".csv").open() as file:
        written = list(csv.DictReader(file))
    assert len(written) == len(rows())
    assert written[0].keys() >= COLUMNS
    assert (tmp_path / "new" / "aggregation-curves.csv").read_text().count("\n") == len(points) + 1


def test_the_papers_table_is_shown_beside_ours(tmp_path: Path) -> None:
    game = "bluff(dice=2,faces=2)"
    page = tmp_path / "plans.md"
    write_results(measure([game], repeats=1, memory=10_000), page)
    (line,) = [line for line in page.read_text().splitlines() if line.startswith(f"| {PAPER[game].name}")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:5] == ["0.00038", "0.0009", "0.00138", "0.27"]
    assert cells[6] == "-"
    assert "does not fit" in page.read_text()
    assert not page.with_suffix(".png").exists()


def test_the_full_decks_loop(tmp_path: Path) -> None:
    checks = full_deck(minutes=0.02, threads=2, game=FLOP, target=2.0)
    assert [check.iterations for check in checks][:2] == [25, 50]
    assert checks[-1].exploitability < checks[0].exploitability
    for check in checks:
        assert check.mbb_per_hand == 500 * check.exploitability
        assert check.seconds <= check.wall_seconds < 5
    assert all(check.mbb_per_hand > 2 for check in checks[:-1])
    page = tmp_path / "full-deck.md"
    write_full_deck(checks, page)
    assert "mbb/hand" in page.read_text()
    assert page.with_suffix(".png").read_bytes().startswith(PNG)
    assert page.with_suffix(".csv").read_text().count("\n") == len(checks) + 1


def test_the_full_decks_time_limit() -> None:
    checks = full_deck(minutes=0.0, threads=1, game=FLOP)
    assert [check.iterations for check in checks] == [25]


@pytest.mark.parametrize("minutes", [float("nan"), float("inf"), -1.0])
def test_the_full_decks_time_is_a_finite_number(minutes: float) -> None:
    with pytest.raises(InputError, match="minutes must be a finite number"):
        full_deck(minutes, game=FLOP)


# The commands


def run(command, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bench_plans_prints_json() -> None:
    document = json.loads(run(bench_plans, "--game", BLUFF, "--repeats", "1", "--json"))
    assert len(document["rows"]) == 7
    assert document["rows"][0].keys() >= COLUMNS


def test_bench_plans_prints_a_table(tmp_path: Path) -> None:
    page = tmp_path / "plans.md"
    arguments = ("--game", BLUFF, "--repeats", "1", "--memory", "17K", "--page", str(page))
    printed = run(bench_plans, *arguments)
    assert "auto (sequences)" in printed
    assert "flattened: " in printed
    assert "the memory limit is 17.0 KiB" in printed
    assert page.exists()


def test_reproduce_aggregation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregation, "QUICK_GAMES", (BLUFF,))
    arguments = ("--quick", "--seconds", "0.02", "--out", str(tmp_path), "--json")
    document = json.loads(run(reproduce_aggregation, *arguments))
    assert document.keys() == {"rows", "curves", "page"}
    written = {path.name for path in tmp_path.iterdir()}
    names = (
        "aggregation.md",
        "aggregation.json",
        "aggregation.csv",
        "aggregation.png",
        "aggregation-curves.csv",
    )
    assert written == set(names)


def test_reproduce_full_deck(tmp_path: Path) -> None:
    arguments = ("--game", FLOP, "--minutes", "0.01", "--threads", "1", "--out", str(tmp_path), "--json")
    document = json.loads(run(reproduce_full_deck, *arguments))
    assert document["rows"][0]["iterations"] == 25
    assert {path.suffix for path in tmp_path.iterdir()} == {".md", ".json", ".csv", ".png"}
