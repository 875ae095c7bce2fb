"""The aggregation experiment on tiny games: rows, curves, the full deck's loop, and what they write."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from solvent.foundation.errors import InputError
from solvent_papers.aggregation import full_deck as deck
from solvent_papers.aggregation import plans
from solvent_papers.aggregation.full_deck import DeckSetup
from solvent_papers.aggregation.plans import PAPER, PlansSetup
from solvent_papers.aggregation.timing import bandwidth
from solvent_papers.commands.experiments import command_of
from solvent_papers.frame.experiment import Experiment, Found, by_rows
from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import KeptRuns, Record, run_parts

pytestmark = pytest.mark.slow  # compiles what few other tests use

BLUFF, FLOP = "bluff(dice=1,faces=2)", "flop_holdem(suits=2,ranks=4)"
OTHER = "bluff(dice=1,faces=3)"
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
    """Shorten measurements, which need not be exact here."""
    for module in (plans, deck):
        monkeypatch.setattr(module, "bandwidth", lambda threads: 1e10 * threads)
    monkeypatch.setattr(plans, "BATCH_SECONDS", 0.002)


def quiet(step: str) -> None:
    """Say nothing."""


def measured(*games: str, **options: Any) -> Found:
    """Time and memory of every plan on games, measured once."""
    setup = PlansSetup(Path("nowhere"), False, games, **{"repeats": 1, "dtype": "float64", **options})
    return plans.measure(setup, KeptRuns(), quiet)


@cache
def found() -> Found:
    return measured(BLUFF, FLOP)


def rows() -> list[Found]:
    return found()["rows"]


def rows_of(game: str, plan: str) -> list[Found]:
    return [row for row in rows() if (row["game"], row["plan"]) == (game, plan)]


def written(experiment: Experiment[Any], page: Path, **findings: Found) -> str:
    """The page of an experiment whose parts found this."""
    scale = {"small": False}
    records = {name: Record(scale, "c0ffee", "", 0, "", each) for name, each in findings.items()}
    save_page(experiment, new_page(experiment, records, "solvent reproduce it"), page)
    return page.read_text()


def test_bandwidth_is_that_of_a_computer() -> None:
    assert 1e8 < bandwidth(1, megabytes=64, repeats=2) < 1e13


def test_every_plan_has_a_row() -> None:
    bluff = [(row["plan"], row["runs_as"]) for row in rows() if row["game"] == BLUFF]
    tried = ["serial", "branched", "flattened", "vectors", "sequences", "shapes"]
    assert bluff == [*((plan, plan) for plan in tried), ("auto", "sequences")]
    keys = ("evaluator", "isomorphism", "threads")
    aggregated = [tuple(row[key] for key in keys) for row in rows_of(FLOP, "aggregated")]
    evaluators = ["swept", "gemm"]
    both = [(evaluator, on, 1) for on in (False, True) for evaluator in evaluators]
    assert sorted(aggregated) == sorted([*both, ("swept", False, 2), ("swept", True, 2)])
    (auto,) = rows_of(FLOP, "auto")
    assert [auto[key] for key in ("runs_as", "evaluator", "isomorphism")] == ["aggregated", "swept", True]


def test_rows_add_up() -> None:
    for row in rows():
        assert row.keys() >= COLUMNS
        assert row["refused"] is None
        seconds = row["seconds_per_iteration"]
        assert row["ns_per_history"] == pytest.approx(seconds * 1e9 / (2 * row["histories"]))
        assert row["efficiency"] == pytest.approx(40 * row["infoset_actions"] / (seconds * row["bandwidth"]))
        assert row["table_bytes"] == 16 * row["infoset_actions"]
        (serial,) = rows_of(row["game"], "serial")
        assert serial["speedup"] == 1
        assert row["speedup"] == pytest.approx(serial["seconds_per_iteration"] / seconds)
    assert {row["histories"] for row in rows()} == {127, 256_229}
    assert json.loads(json.dumps(found())) == found()


def test_what_the_flattened_plan_holds_is_seen() -> None:
    (flattened,), aggregated = rows_of(FLOP, "flattened"), rows_of(FLOP, "aggregated")[0]
    if flattened["peak_memory_bytes"] is None:
        pytest.skip("this system does not tell the peak memory of a process")
    assert flattened["peak_memory_bytes"] > 100 * flattened["histories"]
    assert aggregated["peak_memory_bytes"] < flattened["peak_memory_bytes"] / 10


def test_a_tree_that_does_not_fit_is_refused() -> None:
    refused = {row["plan"]: row["refused"] for row in measured(BLUFF, memory="10000")["rows"]}
    assert refused["flattened"].startswith("does not fit")
    assert refused["serial"] is None


def test_plans_that_would_never_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "PLAN_SECONDS", 1e-6)
    seen = measured(FLOP, dtype="float32")["rows"]
    serial, aggregated = (
        next(row for row in seen if row["plan"] == plan) for plan in ("serial", "aggregated")
    )
    assert serial["refused"].startswith("takes too long")
    assert aggregated["seconds_per_iteration"] > 0
    assert aggregated["speedup"] is None


def test_games_without_a_public_form_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "coin.efg"
    path.write_text(
        'EFG 2 R "coin" { "a" "b" }\np "" 1 1 "" { "h" "t" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { -1, 1 }\n'
    )
    with pytest.raises(InputError, match="has no public form"):
        measured(str(path))


def test_a_game_that_was_measured_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure_game, begun = plans._measure_game, []

    def stopped_at_the_second(rules, *given):
        begun.append(str(rules))
        if begun == [BLUFF, OTHER]:
            raise KeyboardInterrupt
        return measure_game(rules, *given)

    monkeypatch.setattr(plans, "_measure_game", stopped_at_the_second)
    setup = PlansSetup(tmp_path, True, (BLUFF, OTHER), repeats=1)
    with pytest.raises(KeyboardInterrupt):
        run_parts(plans.EXPERIMENT, setup)
    records = run_parts(plans.EXPERIMENT, setup)
    assert begun == [BLUFF, OTHER, OTHER]
    assert [game["name"] for game in records["plans"].found["games"]] == [BLUFF, OTHER]


def test_results_are_written(tmp_path: Path) -> None:
    setup = plans.CurvesSetup(tmp_path, False, (BLUFF, FLOP), seconds=0.02)
    drawn = plans.measure_curves(setup, KeptRuns(), quiet)
    points = [{**curve, **row} for curve in drawn["curves"] for row in by_rows(curve["points"])]
    assert {(p["game"], p["plan"]) for p in points} == {
        *((BLUFF, plan) for plan in ("serial", "flattened", "aggregated")),
        *((FLOP, plan) for plan in ("serial", "flattened", "aggregated", "auto")),
    }
    for game in (BLUFF, FLOP):
        # All plans compute the same strategies.
        first = [p["exploitability"] for p in points if p["game"] == game and p["iterations"] == 1]
        assert first == pytest.approx([first[0]] * len(first), rel=1e-6)
    page = tmp_path / "new" / "aggregation.md"
    text = written(plans.AGGREGATION, page, plans=found(), curves=drawn)
    assert "GB/s" in text
    assert "256,229" in text
    assert "(aggregation.png)" in text
    assert page.with_suffix(".png").read_bytes().startswith(PNG)
    with page.with_suffix(".csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows())
    assert lines[0].keys() >= COLUMNS
    assert (tmp_path / "new" / "aggregation-curves.csv").read_text().count("\n") == len(points) + 1


def test_a_page_of_one_part_is_written(tmp_path: Path) -> None:
    page = tmp_path / "aggregation.md"
    alone = written(plans.AGGREGATION, page, plans=found())
    assert "Not run: curves." in alone
    assert "Figure 3" not in alone
    assert not page.with_suffix(".png").exists()
    curve = {"game": BLUFF, "plan": "serial", "rule": "cfr"}
    points = {"iterations": [1], "seconds": [1.0], "exploitability": [0.5]}
    text = written(plans.AGGREGATION, page, curves={"curves": [curve | {"points": points}]})
    assert "No plan was timed" in text
    assert "cfr, one thread" in text


def test_the_papers_table_is_shown_beside_ours(tmp_path: Path) -> None:
    game = "bluff(dice=2,faces=2)"
    page = tmp_path / "plans.md"
    text = written(plans.EXPERIMENT, page, plans=measured(game, memory="10000", dtype="float32"))
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {PAPER[game]}")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:5] == ["0.00038", "0.0009", "0.00138", "0.27"]
    assert cells[6] == "-"
    assert "does not fit" in text
    assert not page.with_suffix(".png").exists()


def test_plans_on_two_threads_have_figures() -> None:
    game = "bluff(dice=2,faces=2)"
    seen = plans.figures(measured(game, threads=2))
    names = ("speedup.as printed", "speedup.auto", "speedup.quickest", "seconds.as printed")
    assert all(seen[f"{PAPER[game]}.{name}"] > 0 for name in names)
    assert seen[f"{PAPER[game]}.flattened.fits"] == 1


def curve_of(plan: str, seconds: list[float], exploitability: list[float]) -> Found:
    points = {"iterations": [1, 2, 3], "seconds": seconds, "exploitability": exploitability}
    return {"game": next(iter(PAPER)), "plan": plan, "rule": "cfr", "points": points}


def test_seconds_are_compared_at_an_exploitability_that_both_reached() -> None:
    serial = curve_of("serial", [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    quicker = curve_of("aggregated", [0.1, 0.2, 0.3], [1.5, 0.7, 0.5])
    slower = curve_of("flattened", [4.0, 8.0, 9.0], [3.0, 2.0, 1.9])
    seen = plans.curve_figures({"curves": [serial, quicker, slower]})
    assert seen == {
        "2 dices 2 numbers.figure 3.flattened": pytest.approx(3 / 9),
        "2 dices 2 numbers.figure 3.aggregated": pytest.approx(15.0),
    }
    assert plans.curve_figures({"curves": [quicker]}) == {}


def solved(**options: Any) -> list[Found]:
    setup = DeckSetup(Path("nowhere"), False, **{"game": FLOP, **options})
    return deck.solve(setup, KeptRuns(), quiet)["checks"]


def test_the_full_decks_loop(tmp_path: Path) -> None:
    checks = solved(minutes=0.02, threads=2, target=2.0)
    assert [check["iterations"] for check in checks][:2] == [25, 50]
    assert checks[-1]["exploitability"] < checks[0]["exploitability"]
    for check in checks:
        assert check["mbb_per_hand"] == 500 * check["exploitability"]
        assert check["seconds"] <= check["wall_seconds"] < 5
    assert all(check["mbb_per_hand"] > 2 for check in checks[:-1])
    page = tmp_path / "full-deck.md"
    text = written(deck.EXPERIMENT, page, solve={"checks": checks})
    assert "mbb/hand" in text
    assert page.with_suffix(".png").read_bytes().startswith(PNG)
    assert page.with_suffix(".csv").read_text().count("\n") == len(checks) + 1
    (last,) = {line for line in text.splitlines() if line.startswith(f"| {checks[-1]['iterations']:,} |")}
    assert f"| {checks[-1]['mbb_per_hand']:.3f} |" in last


def test_the_full_decks_time_limit() -> None:
    assert [check["iterations"] for check in solved(minutes=0.0, threads=1)] == [25]


@pytest.mark.parametrize("minutes", [float("nan"), float("inf"), -1.0])
def test_the_full_decks_time_is_a_finite_number(minutes: float) -> None:
    with pytest.raises(InputError, match="minutes must be a finite number"):
        solved(minutes=minutes)


# The commands


def run(experiment: Experiment[Any], *arguments: str) -> str:
    app = typer.Typer()
    app.command()(command_of(experiment, "Try it."))
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bench_plans_prints_json() -> None:
    document = json.loads(run(plans.EXPERIMENT, "--game", BLUFF, "--repeats", "1", "--json"))
    seen = document["found"]["plans"]["rows"]
    assert len(seen) == 7
    assert seen[0].keys() >= COLUMNS


def test_bench_plans_prints_its_page(tmp_path: Path) -> None:
    page = tmp_path / "plans.md"
    arguments = ("--game", BLUFF, "--repeats", "1", "--memory", "17K", "--page", str(page))
    printed = run(plans.EXPERIMENT, *arguments)
    assert "auto (sequences)" in page.read_text()
    assert "flattened: " in printed
    assert "the memory limit is 17.0 KiB" in printed


def test_reproduce_aggregation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SMALL_GAMES", (BLUFF,))
    out = tmp_path / "results"
    places = ("--out", str(out), "--work", str(tmp_path / "work"))
    document = json.loads(run(plans.AGGREGATION, "--scale", "small", "--seconds", "0.02", *places, "--json"))
    assert document["found"].keys() == {"plans", "curves"}
    names = (
        "aggregation.md",
        "aggregation.json",
        "aggregation.csv",
        "aggregation.png",
        "aggregation-curves.csv",
    )
    assert {path.name for path in out.iterdir()} == set(names)


def test_reproduce_full_deck(tmp_path: Path) -> None:
    out = tmp_path / "results"
    places = ("--out", str(out), "--work", str(tmp_path / "work"))
    arguments = ("--game", FLOP, "--minutes", "0.01", "--threads", "1")
    document = json.loads(run(deck.EXPERIMENT, *arguments, *places, "--json"))
    assert document["found"]["solve"]["checks"][0]["iterations"] == 25
    assert {path.suffix for path in out.iterdir()} == {".md", ".json", ".csv", ".png"}
