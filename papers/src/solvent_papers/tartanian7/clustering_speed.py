"""How fast hands are clustered: one thread against several, and what the triangle inequality saves."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.clustering.cluster import Clustering, cluster

POINTS, BINS, CLUSTERS, ITERATIONS = 900_000, 32, 200, 20
"""As many points as there are distinct histograms of turn hands."""


@dataclass(frozen=True)
class ClusteringSpeed:
    """Medians of interleaved repeats."""

    metric: str
    points: int
    clusters: int
    iterations: int
    computed: float
    """The share of all distances between points and centres that was computed."""
    threads: int
    seconds_of_one: float
    """On one thread."""
    seconds: float
    """On `threads`."""
    ratio: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    threads: int = 2, repeats: int = 5, points: int = POINTS, clusters: int = CLUSTERS
) -> list[ClusteringSpeed]:
    """Cluster histograms that look like hands' equities, on one thread and on several, in turn."""
    rows = []
    for metric in ("emd", "l2"):
        data = equity_like(points) if metric == "emd" else (equity_like(points) / 46).astype(np.float32)
        found = _clustered(data, clusters, metric, threads)  # compiles, too
        times: dict[int, list[float]] = {1: [], threads: []}
        for _ in range(repeats):
            for count in (1, threads):
                start = time.perf_counter()
                _clustered(data, clusters, metric, count)
                times[count].append(time.perf_counter() - start)
        one, several = median(times[1]), median(times[threads])
        made = len(found.history)
        share = found.evaluations / (points * clusters * made)
        rows.append(
            ClusteringSpeed(metric, points, clusters, made, share, threads, one, several, one / several)
        )
    return rows


def equity_like(points: int) -> NDArray[np.uint8]:
    """uint8[points, 32]: cumulative counts of 46 draws from random mixtures of two humps."""
    rng = np.random.default_rng(0)
    centre, width = rng.random((points, 2)), 0.02 + 0.2 * rng.random((points, 2))
    share = rng.random((points, 1))
    edges = np.arange(1, BINS + 1) / BINS
    humps = 1 / (1 + np.exp(-(edges[None, None] - centre[..., None]) / (0.3 * width[..., None])))
    mixed = share * humps[:, 0] + (1 - share) * humps[:, 1]
    return np.rint(46 * mixed / mixed[:, -1:]).astype(np.uint8)


def _clustered(data: NDArray[Any], clusters: int, metric: Any, threads: int) -> Clustering:
    return cluster(data, clusters, metric=metric, iterations=ITERATIONS, threads=threads)
