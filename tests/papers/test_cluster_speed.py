"""Rows a second of Algorithm 4's engines: what its page says, and that it measures."""

from dataclasses import replace
from pathlib import Path

import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.foundation.errors import InputError
from solvent_papers.cluster_speed import EXPERIMENT, Options, measure
from solvent_papers.frame.pages import new_page
from solvent_papers.frame.running import KeptRuns, Record


def page_of(processes, ray):
    """The page where worker processes and Ray actors touch these shares of the rows of threads."""
    ways = {
        name: {
            "rows_per_second": 4e6 * ratio,
            "iterations_per_second": 1e4,
            "ratio": ratio,
            "lowest": ratio - 0.1,
            "highest": ratio + 0.1,
            "idle": 0.12,
            "latency": 0.002,
            "bytes_per_second": 3e6,
        }
        for name, ratio in (("threads", 1.0), ("processes", processes), ("ray", ray))
    }
    found = {"cards": "169 / 4x20", "table_bytes": 2 << 20, "seconds": 3.0, "ways": ways}
    record = Record(Options(Path(), False).scale, "abc1234", "", 1.0, "", found)
    return new_page(EXPERIMENT, {"speed": record}, "solvent bench cluster")


@pytest.mark.parametrize(
    ("processes", "ray", "said"),
    [(0.95, 0.85, "all of them met"), (0.95, 0.7, "missed: rows a second of Ray")],
)
def test_the_page_says_which_bars_were_met(processes, ray, said):
    text = page_of(processes, ray).text
    assert said in text
    assert f"| 2 Ray actors | {4 * ray:.2f} | 10,000 | {ray:.2f} |" in text
    assert "| 12% | 2 ms | 2.9 MiB/s |" in text


def test_threads_are_measured_alone(monkeypatch, tmp_path):
    use_cards(random_cards(), patch=monkeypatch)
    options = Options(tmp_path, True, tmp_path, BETTING, repeats=2, ways="")
    found = measure(options, KeptRuns(), lambda step: None)
    assert {name: way["ratio"] for name, way in found["ways"].items()} == {"threads": 1.0}
    assert found["ways"]["threads"]["rows_per_second"] > 0
    record = Record(options.scale, "abc1234", "", 1.0, "", found)
    page = new_page(EXPERIMENT, {"speed": record}, "solvent bench cluster")
    assert "- **Found.** Threads on one shared table alone were measured.\n" in page.text
    with pytest.raises(InputError, match="one of threads, processes, ray, not 'fibres'"):
        measure(replace(options, ways="fibres"), KeptRuns(), lambda step: None)
