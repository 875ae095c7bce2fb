"""Measures of card buckets, and the ways of making buckets that are compared.

Flop and turn buckets are measured in two ways, both weighted by deals and in units of equity (0 to 1):

- spread: the standard deviation of hands' mean equity inside their buckets,
- EMD: the mean earth mover's distance of a hand's equity histogram to its bucket's median histogram.

The spread sees only what a hand is worth on average, the EMD also how that changes with the cards to come.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import percentiles
from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.cards.features import RiverCodes, mean_equity
from solvent.abstraction.clustering.cluster import Ground, Histograms, cluster, distances, nearest
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.abstraction.clustering.lloyd import Assigned
from solvent.abstraction.clustering.vectors import Vectors, padded
from solvent_papers.tartanian7.abstraction_hands import RiverHands

Floats = NDArray[np.float64]

GRID = 1 << 14
"""Steps of mean equity on which the best intervals are found."""


def equity_spread(equity: Floats, weights: NDArray[np.integer], buckets: NDArray[np.integer]) -> float:
    """Return the weighted standard deviation of values around the mean of their bucket.

    >>> equity_spread(np.array([0.2, 0.4, 0.9]), np.array([1, 1, 2]), np.array([0, 0, 1])).__round__(6)
    0.070711
    """
    mass = np.bincount(buckets, weights)
    mean = np.bincount(buckets, weights * equity) / np.maximum(mass, 1)
    return float(np.sqrt(np.average((equity - mean[buckets]) ** 2, weights=weights)))


def emd_objective(
    histograms: NDArray[Any], weights: NDArray[np.integer], buckets: NDArray[np.integer], threads: int = 1
) -> float:
    """Return the weighted mean EMD of cumulative histograms to the median of their bucket, in units of equity.

    >>> rows = np.array([[4, 4, 4, 4], [0, 4, 4, 4], [0, 4, 4, 4]], np.uint8)
    >>> emd_objective(rows, np.array([1, 1, 1]), np.array([0, 0, 0]))  # one in three moves by one of four bins
    0.08333333333333333
    """
    medians = median_histograms(histograms, weights, buckets, threads)
    space = Vectors(padded(histograms), weights.astype(np.int64), threads)
    own = space.own_distances(padded(medians), buckets.astype(np.int32))
    return float(np.average(own, weights=weights) / (int(histograms[0, -1]) * histograms.shape[1]))


def median_histograms(
    histograms: NDArray[Any], weights: NDArray[np.integer], buckets: NDArray[np.integer], threads: int = 1
) -> NDArray[Any]:
    """Return the weighted median of the histograms of each bucket, bin by bin: [buckets, bins]."""
    rows = padded(histograms)
    space = Vectors(rows, weights.astype(np.int64), threads)
    centers = np.zeros((int(buckets.max()) + 1, rows.shape[1]), rows.dtype)
    centers = space.improve(Assigned(centers, buckets.astype(np.int32), np.zeros(0), 0.0, 0, 0))
    return np.ascontiguousarray(centers[:, : histograms.shape[1]])


def potential_objective(
    points: Histograms, ground: Ground, weights: NDArray[np.integer], buckets: NDArray[np.integer]
) -> float:
    """Return the weighted mean EMD, over the ground distance, of histograms to the mean of their bucket."""
    total, cost = int(points.counts[0].sum()), 0.0
    for members in groups(buckets):
        dense, weight = points[members].dense(len(ground.distance)), weights[members]
        center = np.average(dense, axis=0, weights=weight)
        cost += float(weight @ distances(points[members], center[None], metric=ground)[:, 0])
    return cost / int(weights.sum()) / total


def ochs_error(
    ochs: NDArray[np.float32], weights: NDArray[np.integer], buckets: NDArray[np.integer]
) -> float:
    """Return the weighted mean squared distance of OCHS vectors to the mean of their bucket."""
    return float(sum(equity_spread(each.astype(np.float64), weights, buckets) ** 2 for each in ochs.T))


def groups(buckets: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """List the members of each bucket that has any."""
    order = np.argsort(buckets, kind="stable")
    return [part for part in np.split(order, np.cumsum(np.bincount(buckets))[:-1]) if len(part)]


# Ways to make buckets


@dataclass(frozen=True)
class Points:
    """Hands of a street that are put into buckets."""

    histograms: NDArray[Any]
    weights: NDArray[np.int64]
    equity: Floats

    @staticmethod
    def of(histograms: NDArray[Any], weights: NDArray[np.int64]) -> Points:
        return Points(histograms, weights, mean_equity(histograms))

    def __getitem__(self, rows: NDArray[Any]) -> Points:
        return Points(self.histograms[rows], self.weights[rows], self.equity[rows])

    def measured(self, buckets: NDArray[np.integer], threads: int) -> dict[str, float]:
        """Measure buckets by the spread of equity and by the EMD of histograms."""
        return {
            "spread": equity_spread(self.equity, self.weights, buckets),
            "emd": emd_objective(self.histograms, self.weights, buckets, threads),
        }


def by_emd(points: Points, buckets: int, seed: int, iterations: int, threads: int) -> NDArray[np.int32]:
    """Put hands into buckets by k-medians with the EMD of equity histograms."""
    return cluster(
        points.histograms, min(buckets, len(points.weights)), metric="emd", weights=points.weights,
        seed=seed, iterations=iterations, threads=threads,
    ).assignment  # fmt: skip


def by_percentiles(points: Points, buckets: int) -> NDArray[np.int32]:
    """Put hands into buckets of equal weight by mean equity."""
    return percentiles(points.equity, points.weights, buckets)


def by_intervals(points: Points, buckets: int) -> NDArray[np.int32]:
    """Put hands into the intervals of mean equity that leave the least spread."""
    step = np.minimum((points.equity * GRID).astype(np.int64), GRID - 1)
    mass = np.bincount(step, points.weights, minlength=GRID)
    of_step: NDArray[np.int32] = best_intervals(mass, buckets).of(buckets)
    return of_step[step]


# Summaries


def combined(measured: Iterable[dict[str, float]], mass: Iterable[int]) -> dict[str, float]:
    """Combine the measures of several clusters, weighted by `mass`."""
    each, weights = list(measured), np.array(list(mass))
    return {
        "spread": float(np.sqrt(np.average([one["spread"] ** 2 for one in each], weights=weights))),
        "emd": float(np.average([one["emd"] for one in each], weights=weights)),
    }


def mean_apart(apart: Floats, assignment: NDArray[np.integer]) -> float:
    """Return the mean over states of their mean distance to the others of their cluster; 0 for a state alone."""
    total = 0.0
    for members in groups(assignment):
        if len(members) > 1:
            total += float(apart[np.ix_(members, members)].sum()) / (len(members) - 1)
    return total / len(assignment)


def codes_of(codes: RiverCodes, hands: RiverHands) -> NDArray[np.int64]:
    """Return the code of each hand, int64[hands]: the strip of its equity and the nearest centre in that strip."""
    strip = codes.strip_of[hands.equity]
    per_strip = codes.centers.shape[2]
    found = np.empty(len(strip), dtype=np.int64)
    for members in groups(strip):
        which = int(strip[members[0]])
        centers = np.ascontiguousarray(codes.centers[which].T)
        found[members] = which * per_strip + nearest(hands.ochs[members], centers, metric="l2")
    return found


def equity_deviation(histograms: NDArray[Any]) -> Floats:
    """Return the standard deviation of equity over run-outs, float64[hands], with bins at their middles."""
    middles = (np.arange(BINS) + 0.5) / BINS
    mean, total = mean_equity(histograms), float(histograms[0, -1])
    squares = np.full(len(histograms), middles[-1] ** 2)
    for bin_, step in enumerate(np.diff(middles**2)):
        squares -= histograms[:, bin_] * (step / total)
    made: Floats = np.sqrt(np.maximum(squares - mean**2, 0.0))
    return made


def mean_histogram(points: Points, members: NDArray[np.intp]) -> Floats:
    """Return the mean share of run-outs in each bin, float64[32]."""
    cumulative = np.average(points.histograms[members], axis=0, weights=points.weights[members])
    shares: Floats = np.diff(cumulative, prepend=0) / cumulative[-1]
    return shares
