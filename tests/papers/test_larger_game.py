"""The larger game's experiment: on small games, and its page from given numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from numba.core import event

from solvent.forms.public import sequences as public_sequences
from solvent.foundation.errors import InputError
from solvent_papers.frame.experiment import Found, by_columns, by_rows
from solvent_papers.frame.pages import Page, new_page, save_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.ledger.ledger import paper
from solvent_papers.total_rbp import larger_game as experiment
from solvent_papers.total_rbp import larger_run
from solvent_papers.total_rbp.larger_game import (
    EXPERIMENT,
    GATED,
    NONE,
    QUICKEST,
    TOTAL,
    WARM,
    Setup,
    coarser,
    common_level,
    figures,
    points_of,
    runs,
    seconds_to,
)
from solvent_papers.total_rbp.larger_run import Point, Run, checks

SMALL = experiment.SMALL_GAME
COARSE = "leduc(ranks=4,bets1=[1],bets2=[2])"
CELLS = 1000
"""Cells of the made-up game, whose tables take 16,000 bytes."""
SHAPES = {
    # run: (exploitability at its checks, seconds at its checks, memory, peak, stored)
    NONE: ([4.0, 2.0, 1.0], [1.0, 2.0, 4.0], 17_000, 17_600, 1.0),
    TOTAL: ([4.0, 2.0, 1.0], [1.5, 2.5, 5.0], 8_800, 24_640, 0.4),
    GATED: ([4.0, 2.0, 1.1], [1.0, 1.5, 2.5], 10_000, 24_640, 0.5),
    WARM: ([0.8, 1.9, 1.0], [0.5, 2.0, 6.0], 15_000, 15_840, 0.5),
    QUICKEST: ([4.0, 2.0, 1.0], [0.5, 1.0, 2.0], 40_000, 44_000, 1.0),
}


def made_up(**changed: tuple[list[float], list[float], int, int, float]) -> Found:
    """Findings with these numbers, without solving anything."""
    found: dict[str, Any] = {}
    for run in runs(SMALL, COARSE, 10):
        shown, seconds, memory, peak, stored = changed.get(run.name.replace(" ", "_"), SHAPES[run.name])
        points = [
            Point(run.coarse_iterations + step, spent, value, 100 * step, 0, stored, stored,
                  int(16 * CELLS * stored), memory, peak)
            for step, spent, value in zip((1, 5, 10), seconds, shown, strict=True)
        ]  # fmt: skip
        start = {"coarse cells": 300, "coarse seconds": 0.4, "start seconds": 0.1, "lacking": 200}
        start |= {"returned": 300, "potential": 9.0}
        found[run.name] = {
            "run": run._asdict(),
            "cells": CELLS,
            "infoset_actions": 950,
            "points": by_columns(point._asdict() for point in points),
            "start": start if run.name == WARM else {},
        }
    return {"game": SMALL, "coarse": COARSE, "runs": found}


def page_of(found: Found) -> Page:
    scale = {"small": True, "game": None, "iterations": 10}
    return new_page(
        EXPERIMENT, {"runs": Record(scale, "abc", "", 1.0, "", found)}, "solvent reproduce larger-game"
    )


def bars_met(page: Page) -> list[bool]:
    return [bar["met"] for bar in page.document["bars"]]


# What is run


def test_the_coarse_game_has_every_other_size() -> None:
    assert coarser(experiment.GAME) == "leduc(ranks=40,bets1=[0.5,2,8],bets2=[1,4,16])"
    assert coarser(SMALL) == COARSE


@pytest.mark.parametrize("game", ["openspiel:tic_tac_toe", "kuhn", "leduc", "leduc(ranks=4)"])
def test_a_game_without_a_coarser_one_is_refused(game: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        run_parts(EXPERIMENT, Setup(tmp_path, True, game, 2))


def test_the_coarse_iterations_come_before() -> None:
    found = {run.name: run for run in runs(SMALL, COARSE, 200)}
    assert found[WARM].coarse_iterations == 100
    assert {run.iterations for run in found.values()} == {200}
    assert checks(200) == [1, 2, 5, 10, 20, 50, 100, 200]


def test_an_experiment_that_was_stopped_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran, made, setup = list[str](), made_up(), Setup(tmp_path, True, None, 10)

    def run_apart(run: Run, say: object) -> Found:
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(run.name)
        found: Found = made["runs"][run.name]
        return found

    monkeypatch.setattr(experiment, "run_apart", run_apart)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup)
    ran[:] = [""] * 10
    assert run_parts(EXPERIMENT, setup)["runs"].found == made
    assert ran[10:] == [GATED, WARM, QUICKEST]
    run_parts(EXPERIMENT, Setup(tmp_path, True, None, 11))
    assert len(ran) == 18


def test_a_process_that_fails_is_told_of() -> None:
    failing = Run("none", "leduc(ranks=0)", 1)
    with pytest.raises(InputError, match="'none' ended with code 1"):
        larger_run._ask(failing, lambda said: None)


# Figures


def test_seconds_are_until_exploitability_stays_low() -> None:
    warm = points_of(made_up())[WARM]
    assert seconds_to(warm, 1.0) == pytest.approx(6.0)  # it began at 0.8, and rose
    assert 2.0 < seconds_to(warm, 1.4) < 6.0
    assert seconds_to(warm, 2.0) == 0.5
    none = points_of(made_up())[NONE]
    assert seconds_to(none, 2**0.5) == pytest.approx(2 * 2**0.5)
    assert common_level(none, points_of(made_up())[GATED]) == 1.1


def test_figures_are_those_of_the_ledger() -> None:
    found = figures(made_up())
    assert found["baseline.memory by tables"] == pytest.approx(1.1)
    assert found["warm start.memory by none"] == pytest.approx(0.9)
    assert found["warm start.seconds by none"] == pytest.approx(1.5)
    assert found["warm start.highest exploitability"] == 1.9
    assert found["peak resident.total by none"] == pytest.approx(1.4)
    assert found["total.memory at the end by none"] == pytest.approx(0.5)
    assert found["quickest.seconds by none"] == pytest.approx(0.5)
    assert found["factor"] == pytest.approx(2.5)
    asked = [
        name for claim in paper("total_rbp").claims if claim.page == "larger-game" for name in claim.names
    ]
    assert asked
    assert set(asked) <= set(found)
    json.dumps(found, allow_nan=False)


def shortened(found: Found, name: str) -> Found:
    """The same findings, where one run has ended before its last check."""
    run = found["runs"][name]
    points = {key: values[:-1] for key, values in run["points"].items()}
    return found | {"runs": found["runs"] | {name: run | {"points": points}}}


def test_a_run_that_ended_early_is_compared_where_both_were() -> None:
    short = shortened(made_up(), TOTAL)
    found = figures(short)
    assert found["iterations"] == 5
    assert found["seconds.total by none"] == pytest.approx(2.5 / 2.0)
    late = "The time ended total, the paper's tests at its last check, iteration 5."
    assert late in page_of(short).text
    assert "The time ended" not in page_of(made_up()).text


# The page


def test_bars_that_are_missed_are_told(tmp_path: Path) -> None:
    made = page_of(made_up())
    assert bars_met(made) == [False, True, False, False]
    assert "fits in 0.90 of the memory, short of the 0.6" in made.head
    assert "takes longer" in made.head
    assert "Plan auto" not in made.head
    frugal = ([4.0, 2.0, 1.0], [0.5, 1.0, 2.0], 15_000, 15_000, 1.0)
    assert "Plan auto without pruning takes no more" in page_of(made_up(quickest=frugal)).head
    page = tmp_path / "larger-game.md"
    save_page(EXPERIMENT, made, page)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"larger-game.{e}" for e in ("md", "json", "csv", "png")
    }
    text = page.read_text()
    assert "begins at 0.8, rises to 1.9" in text
    assert "the coarse game has 30% of the cells, the start adds 30%" in text
    assert text.count("**missed**") == 3


def test_bars_that_are_met_are_told() -> None:
    warm = ([2.0, 1.5, 0.9], [0.5, 1.0, 2.0], 8_000, 9_000, 0.4)
    made = page_of(made_up(warm_start=warm))
    assert bars_met(made) == [False, True, True, True]
    assert "So what.** Start a large game from a coarser one" in made.head
    worse = ([2.0, 1.9, 1.5], [0.5, 4.0, 9.0], 8_000, 19_000, 0.4)
    assert "Solve a game that fits without pruning" in page_of(made_up(warm_start=worse)).head


def test_a_system_that_does_not_tell_memory_has_a_page(tmp_path: Path) -> None:
    found = made_up()
    for run in found["runs"].values():
        run["points"] |= {"memory": [None] * 3, "peak": [None] * 3}
    made = page_of(found)
    save_page(EXPERIMENT, made, tmp_path / "larger-game.md")
    assert "not known on this system" in made.text
    assert "saves time" not in made.head


# Solving


@pytest.mark.slow  # compiles what few other tests use, in five processes
def test_a_small_game_is_measured(tmp_path: Path) -> None:
    said: list[str] = []
    setup = Setup(tmp_path, True, None, 20)
    found = run_parts(EXPERIMENT, setup, watch=lambda progress: said.append(progress.stage))["runs"].found
    points = points_of(found)
    none, total, warm = points[NONE], points[TOTAL], points[WARM]
    assert [point.iterations for point in none] == [1, 2, 5, 10, 20]
    assert [point.iterations for point in warm] == [10, 11, 12, 15, 20, 30]
    assert none[-1].stored_regrets == 1
    assert total[-1].stored_regrets < 1
    assert total[-1].exploitability < 1.5 * none[-1].exploitability
    assert points[QUICKEST][-1].exploitability == pytest.approx(none[-1].exploitability, rel=0.2)
    assert found["runs"][WARM]["start"]["lacking"] > 0
    assert any("warm start: iteration 30" in each for each in said)
    if os.path.exists("/proc/self/clear_refs"):
        every = [point for checks in points.values() for point in checks]
        assert all((point.peak or 0) >= (point.memory or 0) > 0 for point in every)
    save_page(EXPERIMENT, page_of(found), tmp_path / "larger-game.md")


@pytest.mark.slow
def test_a_run_ends_with_its_last_check_when_the_time_is_up() -> None:
    found = larger_run.measure(Run("none", SMALL, 20, limit=0.0), lambda said: None)
    assert [row["iterations"] for row in by_rows(found["points"])] == [1]


@pytest.mark.slow
@pytest.mark.parametrize("paired", [0, 10**9])
def test_every_kernel_is_loaded_before_anything_is_measured(
    paired: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling would count as seconds and as memory. `paired` decides about the quickest plan's kernels."""
    game = "leduc(ranks=8,bets1=[0.5,1,2,4,8],bets2=[1,2,4,8,16])"
    monkeypatch.setattr(larger_run, "MOST_PAIRED", paired)
    for run in runs(game, coarser(game), 4):
        larger_run.warm(run)
        with monkeypatch.context() as here, event.install_recorder("numba:compiler_lock") as seen:
            # From here on: the small game that kernels were loaded with went by sequences.
            here.setattr(public_sequences, "MOST_PAIRED", paired)
            larger_run.measure(run, lambda said: None)
        assert not seen.buffer, run.name
