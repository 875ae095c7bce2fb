"""Where the cards of a run are looked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from solvent.abstraction.cards.buckets import KIND
from solvent.abstraction.cards.find import cards_folder, noted_paths
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import write_bundle
from solvent.foundation.storage.run import Retention, Run


def make_cards(folder: Path, fingerprint: str = "mine") -> Path:
    write_bundle(folder / "tables", {"flop": np.arange(3)}, {"kind": KIND, "fingerprint": fingerprint})
    return folder


def run_in(folder: Path, *noted: str) -> Run:
    """A training's run that knows its cards by these paths."""
    fixed = {"cards_fingerprint": "mine"}
    return Run(folder, "training", fixed, {"cards": list(noted)}, Retention(), {})


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def test_noted_paths_hold_when_both_move_and_when_only_the_run_moves(work: Path):
    cards, run = make_cards(work / "abstractions" / "tiny"), work / "runs" / "a"
    noted = noted_paths(Path("abstractions/tiny"), Path("runs/a"))
    assert noted == ["../../abstractions/tiny", str(cards)]
    assert cards_folder(run_in(run, *noted)).samefile(cards)
    away = work.parent / "away" / "runs" / "a"
    assert cards_folder(run_in(away, *noted)).samefile(cards)  # by the absolute path
    shutil.move(work / "abstractions", away.parent.parent / "abstractions")
    away.mkdir(parents=True)
    found = cards_folder(run_in(away, *noted))
    assert found.samefile(away.parent.parent / "abstractions" / "tiny")


@pytest.mark.parametrize(
    "place", ["runs/a/cards", "runs/abstractions/x", "abstractions/x", "../project/abstractions/x", "runs/x"]
)
def test_an_abstraction_near_the_run_is_found_by_its_fingerprint(work: Path, place: str):
    for other in ("runs/a/cards", "abstractions/aa", "runs/other"):
        make_cards(work / other, "another")
    (work / "abstractions" / "broken" / "tables").mkdir(parents=True)
    cards = make_cards(work / place)
    assert cards_folder(run_in(work / "runs" / "a", "gone", "/gone/too")).samefile(cards)


def test_a_given_folder_must_be_the_right_one(work: Path):
    other, mine = make_cards(work / "x", "another"), make_cards(work / "y")
    assert cards_folder(run_in(work / "run"), mine) == mine
    with pytest.raises(InputError, match="its fingerprint is another, not mine"):
        cards_folder(run_in(work / "run"), other)
    with pytest.raises(InputError, match="holds no card abstraction"):
        cards_folder(run_in(work / "run"), work)


def test_what_is_nowhere_is_asked_for(work: Path):
    with pytest.raises(InputError, match=r"fingerprint mine, is not in /gone, .* give its folder by --cards"):
        cards_folder(run_in(work / "run", "../gone", "/gone"))
