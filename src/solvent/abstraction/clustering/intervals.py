"""Optimal intervals: values on a line cut into k intervals with the least squared distances to their means.

Dynamic programming over how many values the first j intervals cover. The best last cut never moves left as more
values are covered, so each row is filled by halving: O(n log n) a row, all counts of intervals up to k at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.kernels.compiling import compiled, internal_compiled


@dataclass(frozen=True)
class Intervals:
    """The best cuts of a line of values into 1, 2, ..., k intervals."""

    cost: NDArray[np.float64]
    """float64[k + 1, n + 1]: the cost of the first n values in j intervals; the last column is that of all."""
    cut: NDArray[np.int32]
    """int32[k + 1, n + 1]: where the last of j intervals over the first n values starts."""

    def of(self, intervals: int) -> NDArray[np.int32]:
        """int32[n]: the interval of each value, when there are this many."""
        made = np.empty(self.cut.shape[1] - 1, dtype=np.int32)
        end = len(made)
        for interval in range(intervals, 0, -1):
            start = int(self.cut[interval, end])
            made[start:end] = interval - 1
            end = start
        return made


def best_intervals(mass: NDArray[np.generic], most: int) -> Intervals:
    """The best intervals of the values 0, 1, ..., n - 1 that weigh `mass`, for every count up to `most`.

    >>> best_intervals(np.array([5, 5, 0, 0, 1, 0, 9]), 3).of(3).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    weight = np.asarray(mass, dtype=np.float64)
    value = np.arange(len(weight), dtype=np.float64)
    sums = np.zeros((3, len(weight) + 1))
    for power in range(3):
        np.cumsum(weight * value**power, out=sums[power, 1:])
    cost = np.full((most + 1, len(weight) + 1), np.inf)
    cut = np.zeros((most + 1, len(weight) + 1), dtype=np.int32)
    cost[0, 0] = 0.0
    _fill(sums, cost, cut)
    return Intervals(cost, cut)


@internal_compiled
def _spread(sums, start, end):  # type: ignore[no-untyped-def]
    """The weighted sum of squared distances of the values from start to end from their mean."""
    weight = sums[0, end] - sums[0, start]
    if weight <= 0:
        return 0.0
    first = sums[1, end] - sums[1, start]
    return max(sums[2, end] - sums[2, start] - first * first / weight, 0.0)


@compiled
def _fill(sums, cost, cut):  # type: ignore[no-untyped-def]
    values = cost.shape[1] - 1
    stack = np.empty((64, 4), dtype=np.int64)
    for row in range(1, len(cost)):
        if row == 1:
            for end in range(values + 1):
                cost[1, end] = _spread(sums, 0, end)
            continue
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, values, 0, values
        depth = 1
        while depth:
            depth -= 1
            low, high, left, right = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
            middle = (low + high) // 2
            best, at = np.inf, left
            for start in range(left, min(right, middle) + 1):
                whole = cost[row - 1, start] + _spread(sums, start, middle)
                if whole < best:
                    best, at = whole, start
            cost[row, middle], cut[row, middle] = best, at
            if low < middle:
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = low, middle - 1, left, at
                depth += 1
            if middle < high:
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = (
                    middle + 1,
                    high,
                    at,
                    right,
                )
                depth += 1
