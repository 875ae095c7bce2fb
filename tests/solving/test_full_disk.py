"""Disks that are full while something is solved: nothing ends, it is said, and what was found is returned."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solvent
from solvent.cards.deck import parse_cards
from solvent.foundation.errors import InputError
from solvent.foundation.progress import TOLD, Progress
from solvent.foundation.storage import bundle
from solvent.foundation.storage.run import Run
from solvent.spots.flops.choice import WeightedFlop
from solvent.spots.flops.report import flop_report, new_report
from solvent.spots.run import resume_spot, solve_spot
from solvent.spots.settings import SpotSettings

RIVER = {"board": "Td9d6hQc2s", "oop": "AA,KK", "ip": "QQ,JJ", "pot": 20, "stack": 60, "bets": "a"}
EVERY_CHUNK = 1e-9
"""Seconds between checkpoints with which each chunk of iterations ends with one."""


@contextmanager
def full_disk(full: Callable[[int], bool]) -> Iterator[list[int]]:
    """Disks on which the n-th table is not written where `full(n)`; counts what was tried."""
    tried: list[int] = []
    written = bundle.write_array

    def write(path: Path, array: Any) -> dict[str, Any]:
        tried.append(len(tried))
        if full(tried[-1]):
            raise OSError(errno.ENOSPC, "No space left on device")
        return written(path, array)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bundle, "write_array", write)
        yield tried


def same_tables(one: Path, other: Path) -> bool:
    first, second = (Run.open(folder).load_checkpoint()[0] for folder in (one, other))
    return all(np.array_equal(first[name], second[name]) for name in first.keys() | second.keys())


def test_a_solve_goes_on_and_saves_when_there_is_room_again(tmp_path: Path) -> None:
    told: list[Progress] = []
    options: dict[str, Any] = {"iterations": 1000, "check_every": 100, "checkpoint_every": EVERY_CHUNK}
    solvent.solve("kuhn", out=tmp_path / "undisturbed", **options)
    with full_disk(lambda number: 2 <= number < 8):
        result = solvent.solve("kuhn", out=tmp_path / "run", watch=told.append, **options)
    said = [progress.detail for progress in told if progress.stage == TOLD]
    assert len(said) == 1, "it is said once, not at every try"
    assert said[0].startswith("no checkpoint: cannot write")
    assert "No space left on device" in said[0]
    assert any("no checkpoint" in progress.detail for progress in told if progress.stage == "solving")
    assert result.unsaved is None
    assert same_tables(tmp_path / "run", tmp_path / "undisturbed")
    assert len(Run.open(tmp_path / "run").metrics()) == len(result.convergence)


@pytest.mark.parametrize("rake", ["0%", "5%"])
def test_a_spot_on_a_disk_that_stays_full_is_solved(tmp_path: Path, rake: str) -> None:
    spot, settings = {**RIVER, "rake": rake}, SpotSettings(iterations=120, checkpoint_every=EVERY_CHUNK)
    wanted = solve_spot(spot, settings)
    with full_disk(lambda number: number >= 2):  # the tables before the first iteration are written
        found = solve_spot(spot, settings, out=tmp_path / "run")
    assert found.evaluation == wanted.evaluation
    assert found.unsaved is not None
    assert found.unsaved.endswith("run keeps 0 of 120 iterations")
    assert json.loads(json.dumps(found.as_dict()))["unsaved"] == found.unsaved
    assert wanted.as_dict()["unsaved"] is None
    assert resume_spot(tmp_path / "run").evaluation == wanted.evaluation


def test_a_closing_summary_that_is_not_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("solvent.solving.session.write_text", no_room)
        result = solvent.solve("kuhn", iterations=20, out=tmp_path / "run")
    assert result.unsaved is not None
    assert result.unsaved.startswith("cannot write")
    assert Run.open(tmp_path / "run").checkpoints()[-1] == 20


def no_room(path: Path, text: str) -> None:
    raise InputError(f"cannot write {path}: No space left on device")


def test_measurements_that_are_not_written_are_written_later(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        add, failed = Run.add_metric, []

        def add_metric(run: Run, row: dict[str, Any]) -> None:
            if len(failed) < 3:
                failed.append(row)
                raise InputError("cannot write: No space left on device")
            add(run, row)

        patched.setattr(Run, "add_metric", add_metric)
        result = solvent.solve("kuhn", iterations=300, check_every=20, out=tmp_path / "run")
    assert result.unsaved is None
    assert [row["iterations"] for row in Run.open(tmp_path / "run").metrics()] == list(range(20, 301, 20))


def test_a_report_goes_on_and_is_returned(tmp_path: Path) -> None:
    flops = [WeightedFlop(parse_cards(name), 0.5) for name in ("AsKs2s", "Th9h6d")]
    spot = {"oop": "JJ,A5s", "ip": "TT,KQs", "pot": 10, "stack": 15, "bets": "a"}
    settings = SpotSettings(iterations=10, threads=1)
    run = new_report(tmp_path / "run", spot, flops, settings)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Run, "add_metric", lambda run, row: no_room(run.folder, ""))
        made = flop_report(spot, flops, settings, run)
    assert len(made.rows) == 2
    assert made.unsaved is not None
    assert made.unsaved.endswith("No space left on device; the run lacks 2 flops")
    assert made.as_dict()["unsaved"] == made.unsaved
    again = flop_report(spot, flops, settings, run)
    assert again.unsaved is None
    assert again.mean == made.mean


def test_the_last_measurement_is_in_the_last_checkpoint(tmp_path: Path) -> None:
    result = solvent.solve("kuhn", iterations=137, out=tmp_path / "game", checkpoint_every=EVERY_CHUNK)
    found = solve_spot(
        RIVER, SpotSettings(iterations=37, checkpoint_every=EVERY_CHUNK), out=tmp_path / "spot"
    )
    for name, made in (("game", result), ("spot", found)):
        facts = Run.open(tmp_path / name).facts()
        assert facts["exploitability_at"] == facts["iterations"] == made.iterations
        assert facts["exploitability"] == made.exploitability
