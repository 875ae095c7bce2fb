"""Rows a second of Algorithm 4's engines: what its page says, and that it measures."""

from pathlib import Path

import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.foundation.errors import InputError
from solvent_papers import cluster_speed
from solvent_papers.cluster_speed import ClusterSpeed, Way


def measured(processes, ray):
    ways = [Way("threads", 4e6, 6e4, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)]
    for name, ratio in (("processes", processes), ("ray", ray)):
        ways.append(Way(name, 4e6 * ratio, 1e4, ratio, ratio - 0.1, ratio + 0.1, 0.12, 0.002, 3e6))
    return ClusterSpeed("169 / 4x20", "fcpa", 2 << 20, 2, 1_000, 1, 7, ways)


@pytest.mark.parametrize(
    ("processes", "ray", "said"),
    [(0.95, 0.85, "all of them met"), (0.95, 0.7, "missed: rows a second of 2 Ray")],
)
def test_the_page_says_which_bars_were_met(tmp_path, processes, ray, said):
    page = tmp_path / "cluster.md"
    cluster_speed.write_results(measured(processes, ray), "solvent bench cluster", page)
    text = page.read_text()
    assert said in text
    assert f"| 2 Ray actors | {4 * ray:.2f} | 10,000 | {ray:.2f} |" in text
    assert "| 12% | 2 ms | 2.9 MiB/s |" in text


def test_threads_are_measured_alone(monkeypatch):
    cards = random_cards()
    monkeypatch.setattr(cluster_speed.CardAbstraction, "load", classmethod(lambda cls, folder: cards))
    for name in ("WARM_SECONDS", "PART_SECONDS"):
        monkeypatch.setattr(cluster_speed, name, 0.001)
    found = cluster_speed.measure(Path("cards"), BETTING, repeats=2, ways=())
    assert [(way.name, way.ratio) for way in found.ways] == [("threads", 1.0)]
    assert found.ways[0].rows_per_second > 0
    with pytest.raises(InputError, match="one of threads, processes, ray, not 'fibres'"):
        cluster_speed.measure(Path("cards"), BETTING, ways=["fibres"])
