"""Clustering against brute force, scipy and linear programming, and what it promises of every run."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from solvent.abstraction.clustering import cluster as clustering
from solvent.abstraction.clustering import lloyd, vector_kernels, vectors
from solvent.abstraction.clustering.cluster import Clustering, Ground, Histograms, cluster, distances, nearest
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Progress, Stop
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7 import clustering_speed

TOTAL = 40


def cumulative(size: int, dims: int, seed: int = 0, dtype: str = "uint8", total: int = TOTAL) -> np.ndarray:
    """Cumulative histograms of hands that resemble each other more or less."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(dims, 0.3), size=size)
    return np.cumsum([random.multinomial(total, share) for share in shares], axis=1).astype(dtype)


def features(size: int, dims: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(size, dims)).astype(np.float32)


def ground(buckets: int, seed: int = 0) -> Ground:
    places = np.random.default_rng(seed).normal(size=(buckets, 3))
    return Ground(np.linalg.norm(places[:, None] - places[None], axis=2).astype(np.float32))


def counts(size: int, buckets: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(buckets, 0.2), size=size)
    return np.array([random.multinomial(TOTAL, share) for share in shares], np.uint8)


def same(one: Clustering, other: Clustering) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Clustering)
    )


CASES = {
    "bytes": (cumulative(400, 9), "emd"),
    "words": (cumulative(400, 20, dtype="uint16", total=3000), "emd"),
    "floats": (features(400, 11), "l2"),
    "buckets": (counts(120, 8), ground(8)),
}

cases = pytest.mark.parametrize(("points", "metric"), CASES.values(), ids=CASES.keys())


def twin_center(points: np.ndarray, weights: np.ndarray, metric: object) -> np.ndarray:
    if metric != "emd":
        return np.average(points.astype(np.float64), axis=0, weights=weights)
    repeated = np.sort(np.repeat(points, weights, axis=0), axis=0)
    return repeated[(len(repeated) - 1) // 2]


@cases
def test_an_iteration_is_its_plain_twin(points: np.ndarray, metric: clustering.Metric) -> None:
    weights = np.random.default_rng(1).integers(1, 4, len(points))
    before, after = (
        cluster(points, 12, metric=metric, weights=weights, seed=5, iterations=i) for i in (3, 4)
    )
    for k in range(12):
        held = before.assignment == k
        expected = twin_center(points[held], weights[held], metric)
        np.testing.assert_allclose(after.centers[k], expected, rtol=1e-6, atol=1e-6)
    for found in (before, after):
        apart = distances(points, found.centers, metric=metric)
        assert np.array_equal(found.assignment, apart.argmin(axis=1))
        assert np.array_equal(found.assignment, nearest(points, found.centers, metric=metric))
        cost = apart.min(axis=1) ** (2 if metric == "l2" else 1)
        assert found.objective == pytest.approx(float(cost @ weights), rel=1e-12)


@cases
def test_promises_of_a_run(points: np.ndarray, metric: clustering.Metric) -> None:
    found = cluster(points, 15, metric=metric, seed=2, restarts=2)
    assert same(found, cluster(points, 15, metric=metric, seed=2, restarts=2))
    assert np.unique(found.assignment).tolist() == list(range(15))
    assert list(found.history) == sorted(found.history, reverse=True)
    assert found.history[-1] == found.objective
    assert found.objective <= cluster(points, 15, metric=metric, seed=2).objective
    weighted = cluster(points, 15, metric=metric, seed=2, restarts=2, weights=np.full(len(points), 3))
    assert np.array_equal(weighted.assignment, found.assignment)


@pytest.mark.parametrize("name", ["bytes", "words", "floats", "buckets"])
def test_threads_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points, metric = CASES[name]
    monkeypatch.setattr(vectors, "BLOCK", 37)
    monkeypatch.setattr(vectors, "CENTERS", 3)
    monkeypatch.setattr("solvent.abstraction.clustering.transport.BLOCK", 7)
    one, two, three = (cluster(points, 20, metric=metric, threads=threads) for threads in (1, 2, 3))
    assert same(one, two)
    assert same(one, three)
    assert np.array_equal(nearest(points, one.centers, metric=metric, threads=2), one.assignment)


@pytest.mark.parametrize("neighbours", [1, 4, 255])
@pytest.mark.parametrize("name", ["bytes", "words", "floats"])
def test_bounds_save_distances_and_change_no_assignment(
    name: str, neighbours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    points, metric = CASES[name]
    monkeypatch.setattr(vectors, "NEIGHBOURS", neighbours)
    bounded = cluster(points, 10, metric=metric)
    monkeypatch.setattr(
        vectors.Vectors, "assign", lambda self, centers, before: unbounded(self, centers, before)
    )
    plain = cluster(points, 10, metric=metric)
    assert np.array_equal(bounded.assignment, plain.assignment)
    assert np.array_equal(bounded.centers, plain.centers)
    assert bounded.history == pytest.approx(plain.history, rel=1e-12)
    assert plain.evaluations == len(points) * 10 * len(plain.history)
    assert neighbours < 255 or bounded.evaluations < plain.evaluations


def unbounded(space: vectors.Vectors, centers: np.ndarray, before: lloyd.Assigned | None) -> lloyd.Assigned:
    made = space.assign_plainly(centers)
    moved = made.moved if before is None else int((made.assignment != before.assignment).sum())
    return lloyd.Assigned(made.centers, made.assignment, made.lower, made.objective, moved, made.evaluations)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(2, 60),
    st.integers(1, 20),
    st.integers(1, 12),
    st.integers(0, 99),
    st.sampled_from(["l2", "emd"]),
)
def test_objective_never_rises(size: int, dims: int, k: int, seed: int, metric: clustering.Metric) -> None:
    """With few values, so that points coincide, ties are common and centres lose their points."""
    random = np.random.default_rng(seed)
    points = random.integers(0, 4, (size, dims)).astype("uint8" if metric == "emd" else "float32")
    weights = random.integers(1, 9, size)
    distinct = len(np.unique(points, axis=0))
    if distinct < k:
        with pytest.raises(InputError, match=f"only {size if size < k else distinct} "):
            cluster(points, k, metric=metric, seed=seed, weights=weights)
        return
    found = cluster(points, k, metric=metric, seed=seed, weights=weights, iterations=1 + seed % 5)
    assert list(found.history) == sorted(found.history, reverse=True)
    assert np.unique(found.assignment).tolist() == list(range(k))
    if metric == "emd":
        assert np.array_equal(
            found.assignment, distances(points, found.centers, metric=metric).argmin(axis=1)
        )


def test_an_empty_centre_gets_the_farthest_point() -> None:
    points = np.array([[0], [1], [2], [9], [30]], np.uint8)
    space = vectors.Vectors(vectors.padded(points), np.ones(5, np.int64), 1)
    now = space.assign(vectors.padded(np.array([[1], [1], [20]], np.uint8)), None)
    assert now.assignment.tolist() == [0, 0, 0, 0, 2]
    further = lloyd._step(space, lloyd.Track(now, (now.objective,), 0), 100)
    assert further is not None
    assert further.now.centers[:, 0].tolist() == [1, 9, 30]
    assert further.now.assignment.tolist() == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("metric", ["l2", "emd"])
def test_planted_clusters_are_found(metric: clustering.Metric) -> None:
    random = np.random.default_rng(3)
    truth = np.repeat(np.arange(8), 50)
    centers = np.cumsum(random.multinomial(200, np.full(16, 1 / 16), size=8), axis=1)
    centers = np.clip(centers * random.uniform(0.5, 1.0, (8, 1)), 8, 240)
    points = (centers[truth] + random.integers(-1, 2, (400, 16))).astype(
        "uint8" if metric == "emd" else "float32"
    )
    found = cluster(points, 8, metric=metric, restarts=8)
    pairs = {(int(a), int(b)) for a, b in zip(found.assignment, truth, strict=True)}
    assert len(pairs) == 8


def test_cumulative_distance_is_the_earth_movers() -> None:
    points = cumulative(12, 7)
    found = distances(points[:6], points[6:], metric="emd") / TOTAL
    for i, a in enumerate(np.diff(points[:6], prepend=0, axis=1)):
        for k, b in enumerate(np.diff(points[6:].astype(int), prepend=0, axis=1)):
            assert found[i, k] == pytest.approx(wasserstein_distance(np.arange(7), np.arange(7), a, b))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("dims", [1, 16, 33])
def test_row_distance_is_its_plain_twin(dtype: str, dims: int) -> None:
    """Also at the largest values."""
    largest = 1000 if dtype == "float32" else np.iinfo(dtype).max
    rows = np.random.default_rng(0).integers(0, largest, (6, dims), endpoint=True).astype(dtype)
    rows[0], rows[1] = 0, largest
    for k in range(6):
        found = np.full(6, np.inf)
        vector_kernels.approach(vectors.padded(rows), vectors.padded(rows), k, 0, 6, found)
        plain = vectors.plain_distances(rows, rows[k : k + 1])[:, 0]
        np.testing.assert_allclose(found, plain**2 if dtype == "float32" else plain, rtol=1e-14)


def test_medians_are_cumulative_histograms() -> None:
    points = cumulative(300, 12, dtype="uint16", total=5000)
    centers = cluster(points, 9, metric="emd").centers.astype(int)
    assert centers.dtype == int
    assert (np.diff(centers, axis=1) >= 0).all()
    assert (centers[:, -1] == 5000).all()


def least_cost(histogram: np.ndarray, center: np.ndarray, distance: np.ndarray) -> float:
    many = len(center)
    rows, columns = np.kron(np.eye(many), np.ones(many)), np.kron(np.ones(many), np.eye(many))
    solved = linprog(
        distance.astype(float).ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.r_[histogram, center]
    )
    return float(solved.fun)


def test_transport_is_at_least_the_linear_programs() -> None:
    random = np.random.default_rng(4)
    for buckets in (2, 5, 12):
        points, over = counts(5, buckets, seed=buckets), ground(buckets)
        centers = np.vstack([random.dirichlet(np.full(buckets, 0.5), size=3) * TOTAL, points[:2]])
        greedy = distances(points, centers, metric=over)
        for i, k in np.ndindex(greedy.shape):
            expected = least_cost(points[i], centers[k], over.distance)
            assert greedy[i, k] >= expected - 1e-9
            if buckets == 2 or np.array_equal(points[i], centers[k]):
                assert greedy[i, k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_transport_on_a_line_is_at_least_the_cumulative_distance() -> None:
    points = counts(40, 10)
    line = np.abs(np.subtract.outer(np.arange(10), np.arange(10))).astype(np.float32)
    cumulated = np.cumsum(points, axis=1).astype(np.uint8)
    found = distances(points, points.astype(float), metric=Ground(line))
    assert (found >= distances(cumulated, cumulated, metric="emd") - 1e-9).all()


def test_greedy_transport_errs_by_a_few_percent() -> None:
    """Measured on sparse random histograms over 20 buckets: 5 % on average, 24 % at most, and for 94 % of the
    points the nearest centre is the same."""
    points, over = counts(100, 20), ground(20)
    centers = cluster(points, 10, metric=over).centers
    greedy = distances(points, centers, metric=over)
    exact = np.array([[least_cost(point, center, over.distance) for center in centers] for point in points])
    ratio = greedy / exact
    assert ratio.min() > 1 - 1e-9
    assert ratio.mean() < 1.07
    assert ratio.max() < 1.4
    assert (greedy.argmin(axis=1) == exact.argmin(axis=1)).mean() > 0.9


def test_sparse_histograms_are_the_dense_ones() -> None:
    dense = counts(50, 8)
    sparse = Histograms.from_dense(dense)
    assert sparse.buckets.shape[1] == (dense > 0).sum(axis=1).max()
    assert np.array_equal(sparse.dense(8), dense)
    assert same(cluster(dense, 4, metric=ground(8)), cluster(sparse, 4, metric=ground(8)))


class StopHere(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("name", ["bytes", "floats", "buckets"])
def test_an_interrupted_run_ends_as_if_it_had_not_been(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points, metric = CASES[name]
    monkeypatch.setattr(clustering, "CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / "runs" / "clusters"
    calls: list[Progress] = []

    def run(stop: int | None) -> Clustering:
        def watch(progress: Progress) -> None:
            calls.append(progress)
            if len(calls) == stop:
                raise StopHere

        return cluster(points, 9, metric=metric, seed=4, restarts=3, watch=watch, checkpoint=checkpoint)

    whole = run(None)
    assert not checkpoint.exists()
    uninterrupted, calls[:] = calls.copy(), []
    for stop in range(1, len(uninterrupted), 3):
        with pytest.raises(StopHere):
            run(stop)
        assert [path.name for path in checkpoint.parent.iterdir()] == ["clusters"]
    assert same(run(None), whole)
    assert calls == uninterrupted
    assert not list(checkpoint.parent.iterdir())


def test_a_stop_writes_a_checkpoint(tmp_path: Path) -> None:
    points, path, stop = cumulative(100, 8), tmp_path / "clusters", Stop()
    whole = cluster(points, 5, metric="emd", restarts=2, checkpoint=path)

    def request(progress: Progress) -> None:
        stop.request()

    with pytest.raises(Interrupted):
        cluster(points, 5, metric="emd", restarts=2, watch=request, stop=stop, checkpoint=path)
    with pytest.raises(Interrupted):
        cluster(points, 5, metric="emd", restarts=2, stop=stop, checkpoint=path)
    assert path.is_dir()
    assert same(cluster(points, 5, metric="emd", restarts=2, checkpoint=path), whole)


def test_foreign_and_damaged_checkpoints_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "CHECKPOINT_SECONDS", 0.0)
    points, path = cumulative(100, 8), tmp_path / "clusters"

    def stop(_: Progress) -> None:
        raise StopHere

    with pytest.raises(StopHere):
        cluster(points, 5, metric="emd", watch=stop, checkpoint=path)
    shutil.copytree(path, tmp_path / "copy")
    for changed in ({"k": 6}, {"seed": 1}, {"weights": np.full(100, 2)}, {"points": points[::-1]}):
        with pytest.raises(InputError, match="other points or settings"):
            cluster(**({"points": points, "k": 5, "metric": "emd", "checkpoint": path} | changed))  # type: ignore[arg-type]
    for file in sorted((tmp_path / "copy").iterdir()):
        written = file.read_bytes()
        flipped = bytearray(written)
        flipped[len(written) // 2] ^= 255
        for damaged in (b"", b"nothing", written[: len(written) // 2], bytes(flipped)):
            (path / file.name).write_bytes(damaged)
            with pytest.raises(InputError, match="is damaged"):
                cluster(points, 5, metric="emd", checkpoint=path)
        (path / file.name).write_bytes(written)
    cluster(points, 5, metric="emd", checkpoint=path)
    assert not path.exists()


def test_seeds_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample without k distinct points is not enough."""
    monkeypatch.setattr(lloyd, "SAMPLE", 20)
    points = np.zeros((500, 3), np.uint8)
    points[:4] = [[1, 2, 3], [2, 2, 3], [0, 1, 3], [5, 5, 5]]
    assert cluster(points, 5, metric="emd").objective == 0
    assert same(cluster(points, 2, metric="emd"), cluster(points, 2, metric="emd"))
    with pytest.raises(InputError, match="only 5 distinct"):
        cluster(points, 6, metric="emd")


BYTES = cumulative(10, 4)
SETTINGS = {"points": BYTES, "k": 2, "metric": "emd"}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"k": 0}, "k must be"),
        ({"k": -3}, "k must be"),
        ({"k": 2.0}, "k must be"),
        ({"k": 11}, "only 10 points"),
        ({"seed": -1}, "seed must be"),
        ({"restarts": 0}, "restarts must be"),
        ({"iterations": 0}, "iterations must be"),
        ({"threads": 0}, "threads must be"),
        ({"metric": "cosine"}, "the metric is"),
        ({"metric": "l2"}, "float32"),
        ({"points": BYTES.astype(np.int64)}, "uint8 or uint16"),
        ({"points": BYTES[0]}, "uint8 or uint16"),
        ({"points": BYTES.tolist()}, "not list"),
        ({"points": BYTES.tolist(), "metric": ground(4)}, "not list"),
        ({"points": BYTES[:0]}, "no points"),
        ({"points": BYTES[:, :0]}, "no points"),
        ({"points": np.full((4, 2), np.nan, np.float32), "metric": "l2"}, "finite"),
        ({"points": np.zeros((4, 2), np.uint8)}, "only 1 distinct"),
        ({"weights": np.ones(9, int)}, "weights of shape"),
        ({"weights": np.zeros(10, int)}, "at least 1"),
        ({"weights": np.ones(10)}, "whole numbers"),
        ({"metric": ground(5)}, "5 buckets"),
        ({"metric": ground(4)}, "equal totals"),
        ({"points": Histograms.from_dense(counts(9, 4))}, "need a Ground"),
        ({"points": Histograms.from_dense(counts(9, 4)), "metric": ground(3)}, "no ground distance"),
    ],
)
def test_what_cannot_be_clustered_is_refused(changed: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        cluster(**(SETTINGS | changed))  # type: ignore[arg-type]


def test_what_is_no_ground_or_centre_is_refused() -> None:
    for table in (
        np.zeros((2, 3)),
        np.ones((2, 2)),
        np.array([[0, np.nan], [1, 0]]),
        np.array([[0, -1], [1, 0]]),
    ):
        with pytest.raises(InputError, match="ground distance"):
            Ground(table.astype(np.float32))
    with pytest.raises(InputError, match="4 columns"):
        nearest(BYTES, BYTES[:, :3], metric="emd")
    with pytest.raises(InputError, match="mass for each of 8"):
        distances(counts(5, 8), np.ones((2, 7)), metric=ground(8))
    for masses in (np.ones((2, 8)), np.full((2, 8), np.nan), np.array([[TOTAL + 1, -1, 0, 0, 0, 0, 0, 0]])):
        with pytest.raises(InputError, match=f"total of the points, {TOTAL}"):
            nearest(counts(5, 8), masses, metric=ground(8))


def test_speed_is_measured_with_and_without_threads() -> None:
    setup = clustering_speed.SpeedSetup(Path(), small=True, repeats=1)
    rows = clustering_speed.run(setup, KeptRuns(), lambda said: None)["rows"]
    assert [row["metric"] for row in rows] == ["emd", "l2"]
    assert all(row["ratio"] == pytest.approx(row["seconds_of_one"] / row["seconds"]) for row in rows)
    assert all(0 < row["computed"] <= 1.1 for row in rows)
