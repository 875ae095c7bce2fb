"""`solvent spot report`: its output, its files, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands_run import refused, solvent

from solvent.app.views.spots.flop_report import LEFT, RIGHT, WIDTH, colour_key

SPOT = (
    "--oop",
    "JJ,A5s",
    "--ip",
    "TT,KQs",
    "--pot",
    "10",
    "--stack",
    "15",
    "--bets",
    "a",
    "--turn-bets",
    "",
    "--iterations",
    "5",
)


@pytest.fixture
def two(tmp_path: Path) -> str:
    file = tmp_path / "flops.txt"
    file.write_text("AsKs2s\n7s7h2d\n")
    return str(file)


def test_a_report_is_kept_and_resumed(two: str, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    done = solvent("spot", "report", "--flops", two, *SPOT, "--out", str(folder))
    assert done.returncode == 0
    assert "2 flops, 1 of them done, about " in done.stderr
    for text in ("2 flops, pot 10, stack 15", "monotone", "A high", "AsKs2s", "bet 15", "report.html"):
        assert text in done.stdout
    assert max(map(len, done.stdout.splitlines()[:20])) <= 80
    page = (folder / "report.html").read_text()
    assert "turn bets none" in page, "sizes that a street does not have are said"
    flops = (folder / "flops.csv").read_text()
    (folder / "metrics.jsonl").unlink()
    again = solvent("spot", "report", "--resume", str(folder), "--threads", "1", "--json")
    document = json.loads(again.stdout)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", "50")
        narrow = solvent("spot", "report", "--resume", str(folder)).stdout
    numbers = re.compile(r"\d+\.\d+")
    assert numbers.findall(narrow) == numbers.findall(done.stdout), "no number is broken"
    assert (document["flops_solved"], document["settings"]["iterations"]) == (2, 5)
    assert (folder / "flops.csv").read_text() == flops
    assert "2 of 2 flops" in solvent("runs", str(tmp_path)).stdout
    assert "cannot go on with 6" in refused("spot", "report", "--resume", str(folder), "--iterations", "6")
    assert "leave out --pot" in refused("spot", "report", "--resume", str(folder), "--pot", "6")
    assert "already holds a run" in refused("spot", "report", "--flops", two, *SPOT, "--out", str(folder))


def test_the_key_of_the_picture_stays_beside_its_heading() -> None:
    few, top = colour_key({"check": "#c8e6b4", "bet 30": "#ffe066"})
    many, lower = colour_key({f"raise {chips}": "#ffe066" for chips in range(100, 107)})
    assert lower > top
    assert few.count("<rect") == 2
    starts = [int(found) for found in re.findall(r"<rect x='(\d+)'", many)]
    assert len(starts) == 7
    assert min(starts) == LEFT
    assert max(starts) + 100 < WIDTH - RIGHT


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--flops", "5"), "a report needs --oop, --ip, --pot, --stack"),
        (SPOT, "a report needs --flops"),
        (("--flops", "0", *SPOT), "at least 1 flop, not 0"),
        (("--flops", "-3", *SPOT), "at least 1 flop, not -3"),
        (("--flops", "nowhere", *SPOT), "there is no file nowhere"),
        (("--flops", "all", *SPOT, "--memory", "1K"), "the memory limit is 1.0 KiB"),
        (("--flops", "all", *SPOT, "--bets", "half"), "half"),
        (("--flops", "all", *SPOT, "--ip", "nonsense"), "nonsense"),
        (("--flops", "all", *SPOT, "--ip", "AA:0"), "can hold no hands at once on any flop"),
        (("--flops", "all", *SPOT, "--board", "AsKs2s"), "--board"),
    ],
)
def test_refusals(arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("spot", "report", *arguments)


def test_a_wrong_line_is_refused_before_flops_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvent.spots.flops.choice.flop_distances", None)
    assert "OOP acts first" in refused("spot", "report", "--flops", "25", *SPOT, "--line", "chek")
