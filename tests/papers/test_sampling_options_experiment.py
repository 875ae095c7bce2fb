"""The experiment on sampling's options: what is run, what follows from it, what is written."""

from __future__ import annotations

import csv
import json
from math import log
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solvent.app.command_line import app
from solvent_papers.confidence import Interval, deviation_interval, mean_interval, ratio_interval
from solvent_papers.frame.experiment import by_rows
from solvent_papers.laptop_mccfr.sampling_options import (
    LESS,
    LONGER,
    MODELS,
    MORE,
    NAMES,
    PLAIN,
    SAME,
    SMALL_GAMES,
    SMALL_SEEDS,
    UNCHANGED,
    mean_text,
    ratio_text,
    verdict,
    won,
)


def test_intervals_are_students_and_fishers() -> None:
    values = [1.0, 2.0, 4.0, 5.0]
    found = mean_interval(values)
    assert found.middle == 3.0
    assert found.half == pytest.approx(
        3.182446 * (10 / 3) ** 0.5 / 2, rel=1e-6
    )  # t of 3 degrees, from a table
    ratio = ratio_interval(values, [2.0, 2.0, 2.0, 2.0])
    assert log(ratio.middle) == pytest.approx(log(40) / 4 - log(2))
    spread = deviation_interval(values, [2 * value for value in values])
    assert spread.middle == pytest.approx(0.5)
    assert spread.high / spread.middle == pytest.approx(
        15.439**0.5, rel=1e-4
    )  # F of 3 and 3 degrees at 97.5 %
    assert spread.low * spread.high == pytest.approx(0.25)


def test_verdicts_follow_intervals() -> None:
    assert verdict(Interval(0.9, 0.8, 0.99)) == LESS
    assert verdict(Interval(1.2, 1.01, 1.4)) == MORE
    assert verdict(Interval(0.9, 0.7, 1.1)) == SAME
    assert verdict(Interval(1.0, 1.0, 1.0)) == UNCHANGED
    assert mean_text(Interval(0.01234, 0.0120, 0.0127)) == "0.0123 ± 0.0003"
    assert ratio_text(Interval(0.9, 0.8, 0.99)) == "**0.900 [0.800, 0.990]**"
    assert ratio_text(Interval(3.0, 0.9, 9.0)) == "3.00 [0.90, 9.00]"


def test_the_command_measures_every_variant(tmp_path: Path) -> None:
    out, work = tmp_path / "results", tmp_path / "work"
    arguments = ["--scale", "small", "--out", str(out), "--work", str(work), "--json"]
    done = CliRunner().invoke(app, ["reproduce", "sampling-options", *arguments])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["found"]["options"]
    assert {path.name for path in out.iterdir()} == {
        f"sampling-options.{end}" for end in ("md", "json", "csv", "png")
    }
    assert [game["game"] for game in found["games"]] == list(SMALL_GAMES)
    for game in found["games"]:
        points, checks = by_rows(game["points"]), game["checks"]
        assert {point["variant"] for point in points} == {*NAMES, LONGER}
        of = {(p["variant"], p["seed"], p["iterations"]): p for p in points}
        assert len(of) == len(points) == (len(NAMES) + 1) * SMALL_SEEDS * len(checks)
        last = checks[-1]
        plain = of[PLAIN, 0, last]
        assert of["reward y4", 0, last]["exploitability"] == plain["exploitability"]
        assert of["reward y3", 0, last]["exploitability"] > plain["exploitability"]
        assert of[LONGER, 0, MODELS * last]["exploitability"] < plain["exploitability"]
        assert of["4 models, by reach", 0, last]["histories"] > 3 * plain["histories"]
    leduc = found["games"][0]
    assert won(leduc, "y1", "y2") == -won(leduc, "y2", "y1")
    assert won(leduc, "y1", "y4") == pytest.approx((0, 0, 0), abs=1e-12)
    page = (out / "sampling-options.md").read_text()
    assert "solvent reproduce sampling-options --scale small" in page
    assert "the fair comparison" in page
    with (out / "sampling-options.csv").open() as file:
        assert len(list(csv.DictReader(file))) == sum(len(game["points"]["seed"]) for game in found["games"])
