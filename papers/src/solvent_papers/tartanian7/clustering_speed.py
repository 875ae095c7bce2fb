"""Speed of clustering hands: one thread against several, and the distances that the triangle inequality saves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.clustering.cluster import cluster
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of

POINTS, CLUSTERS = 900_000, 200
"""Points, about the number of distinct histograms of turn hands, and clusters."""
SMALL_POINTS, SMALL_CLUSTERS = 2_000, 5
BINS, ITERATIONS = 32, 20
METRICS: tuple[Literal["emd", "l2"], ...] = ("emd", "l2")


@dataclass(frozen=True)
class SpeedSetup(Setup):
    """Threads and repeats."""

    threads: int = option(2, "Threads to compare with one.", 2, 1024)
    repeats: int = option(5, "Interleaved repeats; medians are shown.", 1, 100_000)


def run(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Cluster histograms that look like hands' equities, on one thread and on several, in turn."""
    points, clusters = (SMALL_POINTS, SMALL_CLUSTERS) if setup.small else (POINTS, CLUSTERS)
    histograms, rows = equity_like(points), []
    for metric in METRICS:
        data = histograms if metric == "emd" else (histograms / 46).astype(np.float32)
        say(metric)
        make = partial(cluster, data, clusters, metric=metric, iterations=ITERATIONS)
        found = make(threads=setup.threads)  # compiles, too
        times: dict[int, list[float]] = {1: [], setup.threads: []}
        for _ in range(setup.repeats):
            for count, seconds in times.items():
                seconds.append(seconds_of(make, threads=count))
        one, several = median(times[1]), median(times[setup.threads])
        rows.append({
            "metric": metric,
            "points": points,
            "clusters": clusters,
            "iterations": len(found.history),
            "computed": found.evaluations / (points * clusters * len(found.history)),
            "threads": setup.threads,
            "seconds_of_one": one,
            "seconds": several,
            "ratio": one / several,
        })  # fmt: skip
    return {"rows": rows}


def equity_like(points: int) -> NDArray[np.uint8]:
    """uint8[points, 32]: cumulative counts of 46 draws from random mixtures of two humps."""
    rng = np.random.default_rng(0)
    centre, width = rng.random((points, 2)), 0.02 + 0.2 * rng.random((points, 2))
    share = rng.random((points, 1))
    edges = np.arange(1, BINS + 1) / BINS
    humps = 1 / (1 + np.exp(-(edges[None, None] - centre[..., None]) / (0.3 * width[..., None])))
    mixed = share * humps[:, 0] + (1 - share) * humps[:, 1]
    return np.rint(46 * mixed / mixed[:, -1:]).astype(np.uint8)


EXPERIMENT = Experiment(
    "clustering",
    "Clustering hands: threads and bounds",
    SpeedSetup,
    (Part("speed", run),),
    verb="bench",
)
