"""Rows of numbers as a space to cluster: cumulative histograms by EMD, features by squared distance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.clustering import vector_kernels as kernels
from solvent.abstraction.clustering.lloyd import Assigned
from solvent.foundation.kernels.threads import in_pieces

BLOCK = 8192
"""Points that a thread takes at a time."""
CENTERS = 4
"""Centres that a thread improves at a time."""
NEIGHBOURHOODS = 128
"""Centres whose neighbours a thread sorts at a time."""
NEIGHBOURS = 255
"""Neighbours of each centre that are sorted at most."""
FEW = 32
"""Centres below which an unassigned point is compared with each of them."""
COARSER = 8
"""The share of more centres, one in this many, to which it is assigned first."""
SLACK = 1e-12
"""An upper bound on the relative rounding error of a length that is computed in float64."""


def padded(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows padded with zeros to whole SIMD vectors."""
    missing = -rows.shape[1] % kernels.LANES[rows.dtype]
    return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, missing))) if missing else rows)


class Vectors:
    """Integer rows with the L1 distance and medians, or float32 rows with squared distance and means."""

    def __init__(self, rows: NDArray[Any], weights: NDArray[np.int64], threads: int) -> None:
        """rows: padded; uint8, uint16 or float32"""
        self.rows, self.weights, self.threads = rows, weights, threads
        self.squared = rows.dtype == np.float32
        self.slack = SLACK if self.squared else 0.0

    def subset(self, rows: NDArray[np.int64]) -> Vectors:
        return Vectors(self.rows[rows], self.weights[rows], self.threads)

    def approach(self, point: int, nearest: NDArray[np.float64]) -> None:
        kernels.approach(self.rows, self.rows, point, 0, len(self.rows), nearest)

    def centers_at(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        return self.rows[rows]

    def own_distances(self, centers: NDArray[Any], assignment: NDArray[np.int32]) -> NDArray[np.float64]:
        own = np.empty(len(self.rows))
        kernels.own_distances(self.rows, centers, assignment, 0, len(self.rows), own)
        return own

    def assign(self, centers: NDArray[Any], before: Assigned | None) -> Assigned:
        if before is None:
            return self._assign_anew(centers)
        drift = self._drift(before.centers, centers)
        return self._assign_from(centers, before.assignment.copy(), before.lower.copy(), drift)

    def _assign_anew(self, centers: NDArray[Any]) -> Assigned:
        """Find the nearest of a few centres, by the same method, then by bounds the nearest of all."""
        size, k = len(self.rows), len(centers)
        if k < FEW:
            return self.assign_plainly(centers)
        coarse = self._assign_anew(centers[: k // COARSER])
        made = self._assign_from(centers, coarse.assignment, np.full(size, -np.inf), np.zeros(k))
        return replace(made, moved=size, evaluations=made.evaluations + coarse.evaluations)

    def _assign_from(
        self,
        centers: NDArray[Any],
        assignment: NDArray[np.int32],
        lower: NDArray[np.float64],
        drift: NDArray[np.float64],
    ) -> Assigned:
        made = self._assign(centers, assignment, lower, (drift, *self._neighbours(centers)))
        return replace(made, evaluations=made.evaluations + len(centers) ** 2)

    def assign_plainly(self, centers: NDArray[Any]) -> Assigned:
        """Compare every point with every centre."""
        size, k = len(self.rows), len(centers)
        unknown = np.zeros(size, np.int32), np.full(size, -np.inf)
        alone = np.arange(k, dtype=np.int32)[:, None], np.zeros((k, 1))
        made = self._assign(centers, *unknown, (np.zeros(k), *alone))
        return replace(made, moved=size, evaluations=size * k)

    def _assign(
        self,
        centers: NDArray[Any],
        assignment: NDArray[np.int32],
        lower: NDArray[np.float64],
        bounds: tuple[NDArray[Any], ...],
    ) -> Assigned:
        """Change assignment and lower bounds in place. `bounds`: drift, neighbours and gaps of the centres."""
        given = self.rows, self.weights, centers, self.squared, self.slack, *bounds

        def work(start: int, stop: int, _: None) -> tuple[float, int, int]:
            done: tuple[float, int, int] = kernels.assign(*given, start, stop, assignment, lower)
            return done

        parts = in_pieces(work, len(self.rows), BLOCK, [None] * self.threads)
        objective, moved, evaluations = (sum(part) for part in zip(*parts, strict=True))
        return Assigned(centers, assignment, lower, float(objective), int(moved), int(evaluations))

    def improve(self, now: Assigned) -> NDArray[Any]:
        k = len(now.centers)
        starts, members = self._members(now.assignment, k)
        centers = now.centers.copy()

        def work(start: int, stop: int, _: None) -> None:
            suit = kernels.means if self.squared else kernels.medians
            suit(self.rows, self.weights, starts, members, start, stop, centers)

        in_pieces(work, k, CENTERS, [None] * self.threads)
        return centers

    def _members(self, assignment: NDArray[np.int32], k: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Sort points by centre: those of centre k are members[starts[k]:starts[k + 1]], in order."""
        size = len(assignment)
        block = -(-size // self.threads)
        counts = np.zeros((self.threads, k), np.int64)  # by block, then by centre

        def count(start: int, stop: int, _: None) -> None:
            kernels.count_members(assignment, start, stop, counts[start // block])

        in_pieces(count, size, block, [None] * self.threads)
        starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
        place = starts[:-1] + np.cumsum(counts, axis=0) - counts
        members = np.empty(size, np.int32)

        def write(start: int, stop: int, _: None) -> None:
            kernels.place_members(assignment, start, stop, place[start // block], members)

        in_pieces(write, size, block, [None] * self.threads)
        return starts, members

    def _drift(self, old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.float64]:
        """float64[k]: for each centre, the farthest that any other centre moved."""
        k = len(old)
        shift = np.empty(k)
        kernels.own_distances(old, new, np.arange(k, dtype=np.int32), 0, k, shift)
        if self.squared:
            np.sqrt(shift, out=shift)
        shift *= 1.0 + self.slack
        farthest = int(np.argmax(shift))
        drift = np.full(k, shift[farthest])
        drift[farthest] = max(np.delete(shift, farthest), default=0.0)
        return drift

    def _neighbours(self, centers: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The nearest centres of each centre in order, itself first, and their lengths from it."""
        k = len(centers)
        many = min(k, NEIGHBOURS + 1)
        neighbours, gaps = np.empty((k, many), np.int32), np.empty((k, many))

        def work(start: int, stop: int, _: None) -> None:
            apart = np.empty((stop - start, k))
            kernels.center_distances(centers, self.squared, start, stop, apart)
            near = np.argpartition(apart, many - 1, axis=1)[:, :many] if many < k else None
            some = apart if near is None else np.take_along_axis(apart, near, axis=1)
            order = np.argsort(some, axis=1, kind="stable")
            gaps[start:stop] = np.take_along_axis(some, order, axis=1)
            neighbours[start:stop] = order if near is None else np.take_along_axis(near, order, axis=1)

        in_pieces(work, k, NEIGHBOURHOODS, [None] * self.threads)
        return neighbours, gaps


def plain_distances(points: NDArray[Any], centers: NDArray[Any]) -> NDArray[np.float64]:
    """L1 distances of integers or Euclidean distances of floats, one centre at a time."""
    apart = np.empty((len(points), len(centers)))
    for k, center in enumerate(centers):
        difference = points.astype(np.float64) - center
        if points.dtype == np.float32:
            apart[:, k] = np.sqrt((difference**2).sum(axis=1))
        else:
            apart[:, k] = np.abs(difference).sum(axis=1)
    return apart
