"""Clusters of points that lie near each other: k-means, k-medians for EMD, and centres of bucket histograms.

    "l2"     float32 features; squared Euclidean distance, means
    "emd"    cumulative histograms of counts, uint8 or uint16; the sum of absolute differences, which is the
             earth mover's distance in one dimension times the total; medians, which are again cumulative histograms
    Ground   histograms over buckets, dense counts or `Histograms`; the earth mover's distance over distances
             between buckets times the total; means

Results are the same for any number of threads. For "l2" and "emd" the triangle inequality saves most distances,
and the assignment is that of comparing every point with every centre.

>>> points = np.array([[0, 4, 4], [1, 4, 4], [0, 0, 4], [0, 1, 4]], np.uint8)
>>> found = cluster(points, 2, metric="emd")
>>> bool(found.assignment[0] == found.assignment[1] != found.assignment[2] == found.assignment[3])
True
>>> found.objective
2.0
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.clustering.lloyd import Assigned, Space, Standing, Track, run
from solvent.abstraction.clustering.transport import Ground, Histograms, Transported
from solvent.abstraction.clustering.vectors import Vectors, padded, plain_distances
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.bundle import read_bundle, write_bundle

__all__ = ["Clustering", "Ground", "Histograms", "Metric", "cluster", "distances", "nearest"]

Metric = Literal["l2", "emd"] | Ground

DTYPES = {"l2": ("float32",), "emd": ("uint8", "uint16")}

CHECKPOINT_SECONDS = 5.0
"""Seconds between two checkpoints of a clustering."""
TRACKS = ("track", "best")
"""The restart that is under way, and the best of those that ended."""


@dataclass(frozen=True)
class Clustering:
    """Points in k clusters, none of them empty."""

    assignment: NDArray[np.int32]
    """int32[points]: the nearest centre of each point, the first of equally near ones."""
    centers: NDArray[Any]
    """[k, dims], of the points' type; float64[k, b] for a Ground."""
    objective: float
    """The weighted sum of distances; of squared distances for l2."""
    history: tuple[float, ...]
    """The objective after each iteration of the best restart; it never rises."""
    evaluations: int
    """Distances that the iterations computed, between centres too; without bounds, points * k * iterations."""


def cluster(
    points: NDArray[Any] | Histograms,
    k: int,
    *,
    metric: Metric,
    weights: NDArray[Any] | None = None,
    seed: int = 0,
    restarts: int = 1,
    iterations: int = 100,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
    checkpoint: Path | None = None,
) -> Clustering:
    """The best of several clusterings into k clusters, each from k-means++ seeds.

    weights: how often each point counts, integers from 1
    iterations: of a restart at most, unless a centre is then without points
    watch: told after each iteration how many iterations of all restarts are done, and how many points moved
    stop: read after each iteration; the checkpoint is written first
    checkpoint: a folder from which the clustering is continued if it exists, and that is removed at its end
    """
    _check_whole("k", k, 1)
    _check_whole("seed", seed, 0)
    _check_whole("restarts", restarts, 1)
    _check_whole("iterations", iterations, 1)
    size = len(points)
    if size and k > size:
        raise InputError(f"{k} clusters were asked for, but there are only {size} points")
    space = _space(points, metric, _checked_weights(weights, size), threads)
    fingerprint = _fingerprint(space, metric, (k, seed, restarts, iterations)) if checkpoint else ""
    begin = read_checkpoint(checkpoint, fingerprint) if checkpoint else Standing(0, None, None)
    at, written = begin, time.monotonic()
    for at in run(space, int(k), int(seed), restarts, iterations, begin):
        if at.track is None or at.track is begin.track:
            continue
        if checkpoint and time.monotonic() - written >= CHECKPOINT_SECONDS:
            write_checkpoint(checkpoint, fingerprint, at)
            written = time.monotonic()
        if watch is not None:
            now, done = at.track.now, at.restart * iterations + len(at.track.history)
            detail = f"objective {now.objective:g}, {now.moved:,} points moved"
            watch(Progress("clustering", done, restarts * iterations, detail))
        if stop is not None and stop.requested:
            if checkpoint:
                write_checkpoint(checkpoint, fingerprint, at)
            stop.check()
    if checkpoint:
        shutil.rmtree(checkpoint, ignore_errors=True)
    assert at.best is not None
    return _result(at.best, points)


def nearest(
    points: NDArray[Any] | Histograms, centers: NDArray[Any], *, metric: Metric, threads: int = 1
) -> NDArray[np.int32]:
    """int32[points]: the nearest centre of each point, the first of equally near ones."""
    space, given = _with_centers(points, centers, metric, threads)
    return space.assign(given, None).assignment


def distances(
    points: NDArray[Any] | Histograms, centers: NDArray[Any], *, metric: Metric
) -> NDArray[np.float64]:
    """float64[points, centers]: L1 for emd, Euclidean and not squared for l2, a Ground's cost of transport."""
    space, given = _with_centers(points, centers, metric, 1)
    if isinstance(space, Transported):
        return space.costs(given)
    assert not isinstance(points, Histograms)
    return plain_distances(points, centers)


def write_checkpoint(folder: Path, fingerprint: str, at: Standing) -> None:
    """Write the standing of a clustering as a bundle; `fingerprint` says which clustering it is."""
    arrays: dict[str, NDArray[Any]] = {}
    facts: dict[str, Any] = {"fingerprint": fingerprint, "restart": at.restart}
    for name, track in zip(TRACKS, (at.track, at.best), strict=True):
        if track is None:
            continue
        now = track.now
        arrays |= {
            f"{name}_centers": now.centers,
            f"{name}_assignment": now.assignment,
            f"{name}_lower": now.lower,
        }
        facts[name] = {
            "history": list(track.history),
            "counts": [now.moved, now.evaluations, track.evaluations],
        }
    write_bundle(folder, arrays, facts)


def read_checkpoint(folder: Path, fingerprint: str) -> Standing:
    """Read the standing of a clustering; its beginning if there is no checkpoint."""
    if not folder.exists():
        return Standing(0, None, None)
    arrays, facts = read_bundle(folder)
    if "restart" not in facts:
        raise InputError(f"{folder} is not the checkpoint of a clustering")
    if facts.get("fingerprint") != fingerprint:
        raise InputError(f"{folder} is the checkpoint of a clustering with other points or settings")
    return Standing(int(facts["restart"]), *(_track(arrays, facts, name) for name in TRACKS))


def _track(arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], name: str) -> Track | None:
    if name not in facts:
        return None
    centers, assignment, lower = (arrays[f"{name}_{key}"] for key in ("centers", "assignment", "lower"))
    moved, evaluations, all_evaluations = facts[name]["counts"]
    objectives = tuple(facts[name]["history"])
    now = Assigned(centers, assignment, lower, objectives[-1], moved, evaluations)
    return Track(now, objectives, all_evaluations)


def _with_centers(
    points: NDArray[Any] | Histograms, centers: NDArray[Any], metric: Metric, threads: int
) -> tuple[Space, NDArray[Any]]:
    """The space of the points, and the centres as it takes them."""
    space = _space(points, metric, np.ones(len(points), np.int64), threads)
    if isinstance(space, Transported):
        made: NDArray[Any] = np.ascontiguousarray(centers, np.float64)
        space.check_centers(made)
        return space, made
    _check_rows(centers, metric, "centres")
    assert not isinstance(points, Histograms)
    if centers.dtype != points.dtype or centers.shape[1] != points.shape[1]:
        raise InputError(
            f"centres are like the points, {points.dtype} with {points.shape[1]} columns, "
            f"not {centers.dtype} with {centers.shape[1]}"
        )
    return space, padded(centers)


def _space(
    points: NDArray[Any] | Histograms, metric: Metric, weights: NDArray[np.int64], threads: int
) -> Space:
    _check_whole("threads", threads, 1)
    if isinstance(metric, Ground):
        if not isinstance(points, Histograms):
            _check_dense(points, metric)
            points = Histograms.from_dense(points)
        if len(points) == 0:
            raise InputError("there are no points to cluster")
        points.check(metric)
        return Transported(points, weights, metric, threads)
    if isinstance(points, Histograms):
        raise InputError(f"histograms of buckets need a Ground as their metric, not {metric!r}")
    _check_rows(points, metric, "points")
    return Vectors(padded(points), weights, threads)


def _check_whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number, at least {least}, not {value!r}")


def _check_rows(rows: NDArray[Any], metric: Any, what: str) -> None:
    if metric not in DTYPES:
        raise InputError(f'the metric is "l2", "emd" or a Ground, not {metric!r}')
    allowed = DTYPES[metric]
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.name not in allowed:
        raise InputError(
            f"{what} for {metric} are a table [{what}, dims] of {' or '.join(allowed)}, not {_kind(rows)}"
        )
    if rows.size == 0:
        raise InputError(f"there are no {what} to cluster: their table has shape {rows.shape}")
    if metric == "l2" and not np.isfinite(rows).all():
        raise InputError(f"{what} for l2 must be finite numbers, but some are not")


def _check_dense(points: NDArray[Any], ground: Ground) -> None:
    buckets = len(ground.distance)
    given = _kind(points)
    if given not in [f"{name}[{len(points)}, {buckets}]" for name in DTYPES["emd"]]:
        raise InputError(
            f"points for a ground of {buckets} buckets are Histograms or counts [points, {buckets}] of uint8 or "
            f"uint16, not {given}"
        )


def _kind(points: Any) -> str:
    return f"{points.dtype}{list(points.shape)}" if isinstance(points, np.ndarray) else type(points).__name__


def _checked_weights(weights: NDArray[Any] | None, size: int) -> NDArray[np.int64]:
    if weights is None:
        return np.ones(size, np.int64)
    weights = np.asarray(weights)
    if weights.shape != (size,):
        raise InputError(f"there are {size} points, but weights of shape {weights.shape}")
    if weights.dtype.kind not in "iu" or (weights < 1).any():
        raise InputError("weights must be whole numbers, at least 1")
    return np.ascontiguousarray(weights, np.int64)


def _fingerprint(space: Space, metric: Metric, settings: tuple[int, ...]) -> str:
    """A digest of everything that decides a clustering."""
    digest = hashlib.sha256(repr(tuple(map(int, settings))).encode())
    arrays: list[NDArray[Any]] = [space.weights]
    if isinstance(metric, Ground):
        assert isinstance(space, Transported)
        digest.update(b"ground")
        arrays += [metric.distance, space.points.buckets, space.points.counts]
    else:
        assert isinstance(space, Vectors)
        digest.update(metric.encode())
        arrays.append(space.rows)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _result(best: Track, points: NDArray[Any] | Histograms) -> Clustering:
    now = best.now
    centers = now.centers
    if not isinstance(points, Histograms) and centers.dtype == points.dtype:
        centers = np.ascontiguousarray(centers[:, : points.shape[1]])
    return Clustering(now.assignment, centers, now.objective, best.history, best.evaluations)
