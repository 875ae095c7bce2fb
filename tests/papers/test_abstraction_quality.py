"""The abstraction experiment: its measures beside brute force, its parts on made-up hands."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.cards.features import (
    DealtTurns,
    FlopFeatures,
    RiverCodes,
    TurnFeatures,
    mean_equity,
)
from solvent.abstraction.clustering.cluster import Ground, Histograms
from solvent.app.command_line import app
from solvent_papers.frame.experiment import Found
from solvent_papers.tartanian7 import abstraction, abstraction_hands, bucket_quality
from solvent_papers.tartanian7 import abstraction_quality as quality
from solvent_papers.tartanian7.abstraction_hands import Hands, River, RiverHands

STREETS = ("flop", "turn")
FLOPS, HANDS_ON_FLOP, TURN_HISTOGRAMS = 6, 49, 120
SIZES = quality.Sizes(
    flops=FLOPS,
    free=(4, 8),
    hierarchies=((2, 4),),
    base=12,
    public=(2, 3),
    public_buckets=4,
    potential_buckets=5,
    potential_every=4,
    strips=2,
    codes_per_strip=(3,),
    river=(2, 5),
    iterations=20,
)
FILES = {f"abstraction{end}" for end in (".md", ".json", ".csv", "-public.csv", ".png", "-buckets.png")}


def some_histograms(rng: np.random.Generator, many: int, total: int) -> NDArray[np.uint8]:
    """Cumulative histograms of equities around a mean of their own."""
    equity = rng.beta(*rng.uniform(0.5, 4, size=(2, many, 1)), size=(many, total))
    counts = np.stack([np.bincount(row, minlength=BINS) for row in (equity * BINS).astype(int)])
    return counts.cumsum(axis=1).astype(np.uint8)


class MadeUpHands(Hands):
    """Hands whose cards, flops and turns are random."""

    flop_of = np.repeat(np.arange(FLOPS), HANDS_ON_FLOP)
    cards = np.stack([np.random.default_rng(3).choice(52, 5, replace=False) for _ in flop_of])
    after = np.random.default_rng(1).integers(TURN_HISTOGRAMS, size=(FLOPS * HANDS_ON_FLOP, 47))

    def potential(self, bucket: NDArray[np.integer], members: NDArray[np.integer]) -> Histograms:
        reached = bucket[self.after[members]]
        counts = np.stack([np.bincount(row, minlength=int(bucket.max()) + 1) for row in reached])
        return Histograms.from_dense(counts.astype(np.uint8))


def made_up_hands() -> Hands:
    """Random histograms on a few flops; every flop has 1,176 deals."""
    rng = np.random.default_rng(1)
    many = FLOPS * HANDS_ON_FLOP
    weight = np.full(many, 1176 // HANDS_ON_FLOP, np.uint8)
    flop = FlopFeatures(some_histograms(rng, many, 200).astype(np.uint16), weight)
    turn = some_histograms(rng, TURN_HISTOGRAMS, 46)
    dealt = DealtTurns(
        rng.integers(TURN_HISTOGRAMS, size=1000).astype(np.int32),
        rng.integers(FLOPS, size=1000).astype(np.int16),
        rng.integers(1, 25, size=1000).astype(np.uint8),
    )
    every = np.arange(TURN_HISTOGRAMS)
    features = TurnFeatures(turn, every.astype(np.int32), np.ones(TURN_HISTOGRAMS, np.uint8))
    return MadeUpHands(np.arange(FLOPS), np.arange(many), flop, features, dealt, 1)


def made_up_river() -> River:
    rng = np.random.default_rng(2)

    def hands() -> RiverHands:
        equity = rng.integers(1981, size=300)
        ochs = (equity[:, None] / 1980 + rng.normal(0, 0.1, (300, 8))).astype(np.float32)
        return RiverHands(equity, ochs, rng.integers(1, 25, size=300))

    centers = rng.random((2, 8, 3)).astype(np.float32)
    codes = RiverCodes(np.zeros(1326, np.int64), np.arange(1981) * 2 // 1981, centers)
    return River(hands(), hands(), (codes,))


@cache
def result() -> Found:
    """Findings on made-up hands: kernels of every kind of clustering are compiled for it."""
    return quality.compare(made_up_hands(), made_up_river(), SIZES, 1, lambda said: None)


def one(part: str, street: str, method: str, size: int) -> Found:
    return abstraction.row_of(result(), part, street, method, size)


def given_result() -> Found:
    """Made-up numbers for every part."""

    def row(part: str, street: str, method: str, clusters: int, buckets: int, **more: float) -> Found:
        used = clusters * buckets
        measured = {"used": used, "hands": 99, "spread": 0.1 / used, "emd": 0.2 / used, **more}
        return quality.fit_row(part, street, method, clusters, buckets, measured, 0.0)

    ways = ("emd", "percentiles", "intervals")
    rows = [row("buckets", street, way, 1, b) for street in STREETS for b in SIZES.free for way in ways]
    for street in STREETS:
        rows += [row("hierarchy", street, "hierarchical", 2, 4)]
        rows += [row("hierarchy", street, "free", 1, buckets) for buckets in (8, 4)]
    for buckets in SIZES.free:
        rows += [row("potential", "flop", way, 1, buckets, potential=0.1) for way in ("potential", *ways[:2])]
    for buckets in SIZES.river:
        rows += [
            row("river", "river", way, 1, buckets, ochs=0.1) for way in ("codes 2x3", "free", "intervals")
        ]
    same = {"smallest": 1, "largest": 5, "objective": 2.0, "apart": 0.5, "buckets": 4, "used": 8}
    publics = [
        {"method": method, "clusters": clusters, "empty": int(method == "literal"), **same}
        | {"spread": 0.1, "emd": 0.2, "seconds": 1.0}
        for clusters in SIZES.public
        for method in quality.METHODS
    ]
    shares = [1 / BINS] * BINS
    hand = {"shares": shares, "hand": "2c2d on 3c4c5c", "deviation": 0.1}
    example = {"equity": 0.5, "shares": shares, "steady": hand, "draw": hand}
    return {"sizes": asdict(SIZES), "rows": rows, "publics": publics, "examples": [example]}


# The measures, one deal at a time


def deals(rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Histograms, weights, buckets of which one is empty."""
    return some_histograms(rng, 40, 46), rng.integers(1, 4, 40), rng.choice([0, 1, 3], 40)


def spread_by_deal(equity: NDArray[Any], weights: NDArray[Any], buckets: NDArray[Any]) -> float:
    squares = []
    for bucket in set(buckets.tolist()):
        values = [
            e for e, w, b in zip(equity, weights, buckets, strict=True) if b == bucket for _ in range(w)
        ]
        squares += [(value - sum(values) / len(values)) ** 2 for value in values]
    return float((sum(squares) / len(squares)) ** 0.5)


def emd_by_deal(histograms: NDArray[Any], weights: NDArray[Any], buckets: NDArray[Any]) -> float:
    """The least mean distance that any histogram of counts has to those of its bucket, bucket by bucket."""
    total, apart = int(histograms[0, -1]), 0
    for bucket in set(buckets.tolist()):
        rows = np.repeat(histograms[buckets == bucket], weights[buckets == bucket], axis=0).astype(int)
        for column in rows.T:
            apart += min(int(np.abs(column - value).sum()) for value in range(total + 1))
    return apart / int(weights.sum()) / total / BINS


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_those_of_every_deal(seed: int) -> None:
    histograms, weights, buckets = deals(np.random.default_rng(seed))
    equity = mean_equity(histograms)
    assert bucket_quality.equity_spread(equity, weights, buckets) == pytest.approx(
        spread_by_deal(equity, weights, buckets)
    )
    assert bucket_quality.emd_objective(histograms, weights, buckets) == pytest.approx(
        emd_by_deal(histograms, weights, buckets)
    )
    ochs = np.random.default_rng(seed).random((40, 8)).astype(np.float32)
    squares = [spread_by_deal(column.astype(float), weights, buckets) ** 2 for column in ochs.T]
    assert bucket_quality.ochs_error(ochs, weights, buckets) == pytest.approx(sum(squares))


def test_clusters_together_measure_as_one() -> None:
    histograms, weights, buckets = deals(np.random.default_rng(4))
    points = bucket_quality.Points.of(histograms, weights)
    apart = [points[np.flatnonzero(buckets == which)] for which in (0, 1, 3)]
    measured = [each.measured(np.zeros(len(each.weights), int), 1) for each in apart]
    together = bucket_quality.combined(measured, [int(each.weights.sum()) for each in apart])
    assert together == pytest.approx(points.measured(buckets, 1))


@pytest.mark.slow
def test_the_distance_over_buckets_on_a_line_is_the_emd() -> None:
    """Two turn buckets half of all equity apart: what moves from one to the other costs half."""
    points = Histograms.from_dense(np.array([[4, 0], [2, 2], [0, 4]], np.uint8))
    ground = Ground(np.array([[0, 0.5], [0.5, 0]], np.float32))
    found = bucket_quality.potential_objective(points, ground, np.array([1, 2, 1]), np.array([0, 0, 0]))
    assert found == pytest.approx(0.5 * 0.5 * 0.5)
    assert bucket_quality.potential_objective(points, ground, np.array([1, 2, 1]), np.array([0, 1, 2])) == 0


def test_a_deviation_over_run_outs() -> None:
    histograms = some_histograms(np.random.default_rng(5), 20, 46)
    middles = (np.arange(BINS) + 0.5) / BINS
    shown = [np.repeat(middles, np.diff(row, prepend=0)).std() for row in histograms.astype(int)]
    assert bucket_quality.equity_deviation(histograms) == pytest.approx(np.array(shown))


def test_flops_of_a_cluster_are_compared_with_each_other() -> None:
    apart = np.array([[0, 1, 5, 5], [1, 0, 5, 5], [5, 5, 0, 3], [5, 5, 3, 0]], float)
    assert bucket_quality.mean_apart(apart, np.array([0, 0, 2, 2])) == 2
    assert bucket_quality.mean_apart(apart, np.array([0, 1, 2, 3])) == 0


@pytest.mark.slow
def test_codes_are_the_nearest_centre_of_the_strip() -> None:
    river = made_up_river()
    codes, hands = river.codes[0], river.measured
    for equity, ochs, code in zip(
        hands.equity, hands.ochs, bucket_quality.codes_of(codes, hands), strict=True
    ):
        strip = codes.strip_of[equity]
        apart = ((codes.centers[strip].T - ochs) ** 2).sum(axis=1)
        assert code == strip * 3 + apart.argmin()


def test_deals_are_counted_by_cluster() -> None:
    hands = made_up_hands()
    clusters = np.array([0, 1, 1, 0, 2, 2], np.int32)
    found = hands.turn_weights(clusters)
    for cluster, histogram in ((0, 3), (1, 7), (2, 11)):
        there = (clusters[hands.dealt.flop] == cluster) & (hands.dealt.turn_class == histogram)
        assert found[cluster, histogram] == hands.dealt.weight[there].sum()
    assert found.sum() == hands.dealt.weight.sum()


# The experiment


@pytest.mark.slow
def test_intervals_have_the_least_spread_and_k_medians_the_least_emd() -> None:
    for street in STREETS:
        for size in SIZES.free:
            emd, ehs, best = (
                one("buckets", street, method, size) for method in ("emd", "percentiles", "intervals")
            )
            assert best["spread"] <= min(emd["spread"], ehs["spread"]) + 1e-4
            assert emd["emd"] < ehs["emd"]
            assert emd["used"] == size


@pytest.mark.slow
def test_every_part_has_its_rows() -> None:
    rows = result()["rows"]
    assert [
        (row["street"], row["clusters"], row["buckets"]) for row in rows if row["part"] == "hierarchy"
    ] == [("flop", 2, 4), ("flop", 1, 8), ("flop", 1, 4), ("turn", 2, 4), ("turn", 1, 8), ("turn", 1, 4)]
    assert sum(row["part"] == "potential" for row in rows) == 2 * 3
    assert sum(row["method"] == "codes 2x3" for row in rows) == 1 + 2
    publics = result()["publics"]
    assert {(row["clusters"], row["method"]) for row in publics} == {
        (clusters, method) for clusters in SIZES.public for method in quality.METHODS
    }
    for row in publics:
        assert row["empty"] == 0 or row["method"] == "literal"
        assert row["used"] == row["buckets"] * (row["clusters"] - row["empty"])
    assert all(row["seconds"] >= 0 and row["spread"] > 0 for row in rows)
    assert json.loads(json.dumps(result()))["rows"] == rows


@pytest.mark.slow
def test_a_hierarchy_of_one_cluster_is_free() -> None:
    run = quality.Comparison(made_up_hands(), made_up_river(), SIZES, 1, lambda said: None)
    measured = run.turn_hierarchy(np.zeros(FLOPS, np.int32), 4)
    assert (measured["hands"], measured["used"]) == (TURN_HISTOGRAMS, 4)
    free = run.free("turn", 4)[1]
    assert measured == pytest.approx({name: free[name] for name in measured})


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abstraction_hands, "hands_on", lambda *given: (made_up_hands(), None))
    monkeypatch.setattr(abstraction_hands, "river_on", lambda *given: made_up_river())
    monkeypatch.setattr(abstraction, "compare", lambda *given: given_result())
    monkeypatch.setattr(abstraction, "plot_sizes", lambda found, path: path.touch())
    monkeypatch.setattr(abstraction, "plot_examples", lambda examples, path: path.touch())
    out, work = tmp_path / "results", tmp_path / "work"
    arguments = ["reproduce", "abstraction", "--scale", "small", "--out", str(out), "--work", str(work)]
    document = json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert document["found"]["fit"]["rows"][0].keys() >= {"street", "spread", "emd", "ochs", "potential"}
    claimed = {"kept.turn.2x4", "literal.clusters left.3", "balance.average by sum.2"}
    claimed |= {"seconds.medoids by sum.2", "seconds.medoids by literal.2"}
    assert document["figures"].keys() >= claimed
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).stdout.startswith("- **Claimed.** ")
    page = (out / "abstraction.md").read_text()
    assert "solvent reproduce abstraction --scale small" in page
    assert "## Hierarchical against free buckets" in page
    assert {path.name for path in out.iterdir()} == FILES


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path: Path) -> None:
    abstraction.pictures({"fit": result()}, tmp_path / "abstraction.md")
    assert {path.name for path in tmp_path.iterdir()} == {name for name in FILES if name.endswith(".png")}


@pytest.mark.slow
def test_the_hands_on_some_flops() -> None:
    """Weights are deals, and a flop hand's histogram is that of its turn hands."""
    hands, opponents = abstraction_hands.hands_on([0, 700], 1)
    assert np.bincount(hands.flop_of, hands.flop.weight) % 1176 == pytest.approx([0, 0])
    dealt = np.bincount(hands.dealt.flop, hands.dealt.weight)
    assert dealt == pytest.approx(47 * np.bincount(hands.flop_of, hands.flop.weight))
    assert (hands.flop.histograms[:, -1] == 47 * 46).all()
    total = (
        (hands.turn_weights(np.array([0, 1])) @ hands.turn.histograms.astype(np.int64)) / 46 / dealt[:, None]
    )
    for flop in (0, 1):
        of = hands.flop_of == flop
        mean = np.average(hands.flop.histograms[of], axis=0, weights=hands.flop.weight[of]) / (47 * 46)
        assert total[flop] == pytest.approx(mean)
    assert np.bincount(opponents, minlength=8).min() > 0
