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
from solvent_papers.laptop_mccfr.sampling_options import LONGER, MODELS, NAMES, PLAIN, QUICK
from solvent_papers.laptop_mccfr.sampling_options_page import ALIKE, LESS, MORE, SAME, mean_text, verdict


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
    assert verdict(Interval(1.0, 1.0, 1.0)) == ALIKE
    assert mean_text(Interval(0.01234, 0.0120, 0.0127)) == "0.0123 ± 0.0003"


def test_the_command_measures_every_variant(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["reproduce", "sampling-options", "--quick", "--out", str(tmp_path), "--json"]
    )
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"sampling-options.{end}" for end in ("md", "json", "csv", "png")
    }
    points = document["points"]
    assert {point["variant"] for point in points} == {*NAMES, LONGER}
    checks = next(iter(QUICK.games.values()))
    of = {(p["game"], p["variant"], p["seed"], p["iterations"]): p for p in points}
    assert len(of) == len(points) == len(QUICK.games) * (len(NAMES) + 1) * QUICK.seeds * len(checks)
    last = checks[-1]
    for game in QUICK.games:
        plain = of[game, PLAIN, 0, last]
        assert of[game, "reward y4", 0, last]["exploitability"] == plain["exploitability"]
        assert of[game, "reward y3", 0, last]["exploitability"] > plain["exploitability"]
        assert of[game, LONGER, 0, MODELS * last]["exploitability"] < plain["exploitability"]
        assert of[game, "4 models, by reach", 0, last]["histories"] > 3 * plain["histories"]
    won = {(m["game"], m["row"], m["column"], m["seed"]): m["won"] for m in document["meetings"]}
    assert won["leduc", "y1", "y2", 0] == -won["leduc", "y2", "y1", 0]
    assert won["leduc", "y1", "y4", 1] == pytest.approx(0, abs=1e-12)
    page = (tmp_path / "sampling-options.md").read_text()
    assert "solvent reproduce sampling-options --quick" in page
    assert "the fair comparison" in page
    with (tmp_path / "sampling-options.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(points)
