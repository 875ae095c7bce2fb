"""Pictures and notebook displays: curves of runs, results as HTML, and the sentence where a library is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands_run import refused, solved, solvent

import solvent as package
from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra, installed


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("plotted")
    found = [folder / "a", folder / "b"]
    for run, rule in zip(found, ("cfr", "dcfr"), strict=True):
        solved("solve", "kuhn", "--plan", "serial", "--rule", rule, "--iterations", "20", "--out", run)
    return found


@pytest.mark.parametrize("over", ["iterations", "seconds"])
def test_plot_draws_several_runs(runs: list[Path], tmp_path: Path, over: str) -> None:
    picture = tmp_path / "curves.svg"
    done = solvent("plot", *runs, "--out", picture, "--over", over)
    assert done.returncode == 0, done.stderr
    assert picture.read_text().startswith("<?xml")
    assert str(picture) in done.stdout.replace("\n", "")


def test_plot_refuses_what_it_cannot_draw(runs: list[Path], tmp_path: Path) -> None:
    assert "iterations or seconds" in refused("plot", runs[0], "--out", tmp_path / "a.png", "--over", "hands")
    assert ".png, .svg, .pdf" in refused("plot", runs[0], "--out", tmp_path / "a.txt")
    assert "nowhere" in refused("plot", "nowhere", "--out", tmp_path / "a.png")
    assert "--out" in refused("plot", runs[0])


def test_a_result_and_its_strategy_show_themselves_in_notebooks() -> None:
    result = package.solve("kuhn", plan="serial", iterations=20)
    shown = result._repr_html_()
    assert "<caption>kuhn</caption>" in shown
    assert "exploitability" in shown
    assert "12 of 12 infosets" in result.strategy._repr_html_()
    axes = result.plot(over="seconds")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_title() == "kuhn"
    axes.figure.clear()


def test_solve_shows_its_progress(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    package.solve("kuhn", plan="serial", iterations=5, progress=True, watch=told.append)
    assert "12 infosets" in capsys.readouterr().err
    assert told[-1].unit == "iterations"


def test_a_missing_library_is_a_sentence(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "pokerkit"):
        monkeypatch.setitem(sys.modules, name, None)
    assert not installed("matplotlib")
    with pytest.raises(InputError, match=r'pip install "solvent\[phh\]"'):
        extra("pokerkit", "hand histories")
    assert 'pip install "solvent[plot]"' in refused("plot", runs[0], "--out", tmp_path / "a.png")
    kept = tmp_path / "kept"
    solved("solve", "kuhn", "--plan", "serial", "--iterations", "5", "--out", kept)
    assert not (kept / "convergence.png").exists()


def test_a_result_that_is_not_kept_says_how_to_keep_it() -> None:
    shown = solvent("solve", "kuhn", "--plan", "serial", "--iterations", "5").stdout
    assert "not kept; --out DIR keeps it" in shown
