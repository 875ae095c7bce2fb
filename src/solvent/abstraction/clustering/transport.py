"""Histograms over buckets as a space to cluster: the earth mover's distance with a distance between buckets.

This is potential-aware abstraction (Ganzfried & Sandholm 2014): a hand is the histogram of the next round's
buckets that it may reach. Costs are in counts: the earth mover's distance of the normalised histograms times their
total, by a greedy approximation that is never below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.clustering import transport_kernels as kernels
from solvent.abstraction.clustering.lloyd import Assigned
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces

BLOCK = 256
"""Points that a thread takes at a time."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The distance between buckets that mass is moved over.

    distance: float32[b, b], not negative, 0 on the diagonal
    """

    distance: NDArray[np.float32]
    order: NDArray[np.int32] = field(init=False, repr=False)
    """int32[b, b]: for each bucket all buckets by their distance from it."""

    def __post_init__(self) -> None:
        distance = np.ascontiguousarray(self.distance, np.float32)
        if distance.ndim != 2 or distance.shape[0] != distance.shape[1] or distance.size == 0:
            raise InputError(f"a ground distance is a square table, not one of shape {distance.shape}")
        if not np.isfinite(distance).all() or (distance < 0).any() or distance.diagonal().any():
            raise InputError("a ground distance is finite, not negative, and 0 from a bucket to itself")
        object.__setattr__(self, "distance", distance)
        object.__setattr__(self, "order", np.argsort(distance, axis=1, kind="stable").astype(np.int32))


@dataclass(frozen=True, eq=False)
class Histograms:
    """Sparse histograms with equal totals, as lists of (bucket, count) that are filled up with counts of 0.

    buckets: uint16[points, support]
    counts: uint16[points, support]
    """

    buckets: NDArray[np.uint16]
    counts: NDArray[np.uint16]

    @staticmethod
    def from_dense(dense: NDArray[Any]) -> Histograms:
        """Histograms given as a count for every bucket: [points, b], uint8 or uint16."""
        support = max(1, int((dense > 0).sum(axis=1).max(initial=0)))
        # Buckets with mass first, in order: a stable sort of "is empty".
        buckets = np.argsort(dense == 0, axis=1, kind="stable")[:, :support]
        counts = np.take_along_axis(dense, buckets, axis=1)
        return Histograms(buckets.astype(np.uint16), counts.astype(np.uint16))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: NDArray[np.int64]) -> Histograms:
        return Histograms(self.buckets[rows], self.counts[rows])

    def dense(self, many: int) -> NDArray[np.float64]:
        """float64[points, many buckets]"""
        made = np.zeros((len(self), many))
        np.add.at(made, (np.arange(len(self))[:, None], self.buckets), self.counts)
        return made

    def check(self, ground: Ground) -> None:
        """Refuse histograms that are not over the ground's buckets or have unequal totals."""
        if self.buckets.ndim != 2 or self.buckets.shape != self.counts.shape:
            raise InputError(
                f"buckets and counts of histograms have one shape [points, support], "
                f"not {self.buckets.shape} and {self.counts.shape}"
            )
        if self.buckets.dtype != np.uint16 or self.counts.dtype != np.uint16:
            raise InputError(f"histograms are of uint16, not {self.buckets.dtype} and {self.counts.dtype}")
        if self.buckets.max(initial=0) >= len(ground.distance):
            raise InputError(
                f"bucket {self.buckets.max()} has no ground distance: there are {len(ground.distance)} buckets"
            )
        totals = self.counts.sum(axis=1, dtype=np.int64)
        if len(totals) and (totals.min() != totals.max() or totals[0] == 0):
            raise InputError(
                f"histograms have equal totals above 0, not from {totals.min()} to {totals.max()}"
            )


class Transported:
    """Histograms with the cost of moving one into another; their centres are mean histograms.

    The mean need not be the histogram nearest to its points, so a clustering ends before its objective rises.
    """

    def __init__(self, points: Histograms, weights: NDArray[np.int64], ground: Ground, threads: int) -> None:
        self.points, self.weights, self.ground, self.threads = points, weights, ground, threads

    def check_centers(self, centers: NDArray[np.float64]) -> None:
        """Refuse centres that are not histograms over the same buckets with the points' total."""
        many, total = len(self.ground.distance), int(self.points.counts[0].sum(dtype=np.int64))
        if centers.ndim != 2 or centers.shape[1] != many or len(centers) == 0:
            raise InputError(f"centres have a mass for each of {many} buckets, not shape {centers.shape}")
        if (centers < 0).any() or not np.allclose(centers.sum(axis=1), total, rtol=1e-6):
            raise InputError(
                f"each centre has the total of the points, {total}, in masses that are not negative"
            )

    def subset(self, rows: NDArray[np.int64]) -> Transported:
        return Transported(self.points[rows], self.weights[rows], self.ground, self.threads)

    def approach(self, point: int, nearest: NDArray[np.float64]) -> None:
        costs = self.costs(self.centers_at(np.array([point])), nearest)
        np.minimum(nearest, costs[:, 0], out=nearest)

    def centers_at(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.points[rows].dense(len(self.ground.distance))

    def own_distances(
        self, centers: NDArray[np.float64], assignment: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        own: NDArray[np.float64] = self.costs(centers)[np.arange(len(assignment)), assignment]
        return own

    def assign(self, centers: NDArray[np.float64], before: Assigned | None) -> Assigned:
        size = len(self.points)
        assignment = np.full(size, -1, np.int32) if before is None else before.assignment.copy()
        own = np.empty(size)
        evaluations = self._search(centers, assignment, own)
        moved = size if before is None else int((assignment != before.assignment).sum())
        objective = float((own * self.weights).sum())
        return Assigned(centers, assignment, np.zeros(0), objective, moved, evaluations)

    def _search(
        self, centers: NDArray[np.float64], assignment: NDArray[np.int32], own: NDArray[np.float64]
    ) -> int:
        """Skip costs that cannot be the least. The greedy cost is no metric, so no other bound holds."""
        distance, order = self.ground.distance, self.ground.order
        buckets, counts = self.points.buckets, self.points.counts
        least = np.stack([distance[:, center > 0].min(axis=1) for center in centers]).astype(np.float64)

        def work(start: int, stop: int, _: None) -> int:
            begun: int = kernels.greedy_nearest(
                buckets, counts, centers, least, distance, order, start, stop, assignment, own
            )
            return begun

        return sum(in_pieces(work, len(own), BLOCK, [None] * self.threads))

    def improve(self, now: Assigned) -> NDArray[np.float64]:
        centers: NDArray[np.float64] = now.centers.copy()
        sums, totals = np.zeros(centers.shape, np.int64), np.zeros(len(centers), np.int64)
        kernels.add_up(self.points.buckets, self.points.counts, self.weights, now.assignment, sums, totals)
        held = totals > 0
        centers[held] = sums[held] / totals[held, None]
        return centers

    def costs(
        self, centers: NDArray[np.float64], enough: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """float64[points, centers]: costs. A cost above its point's `enough` may be any number above it."""
        costs = np.empty((len(self.points), len(centers)))
        limit = np.full(len(costs), np.inf) if enough is None else enough
        given = (
            self.points.buckets,
            self.points.counts,
            centers,
            self.ground.distance,
            self.ground.order,
            limit,
        )

        def work(start: int, stop: int, _: None) -> None:
            kernels.greedy_costs(*given, start, costs[start:stop])

        in_pieces(work, len(costs), BLOCK, [None] * self.threads)
        return costs
