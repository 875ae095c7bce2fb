"""Compiled passes over histograms of buckets: what it costs to move one into another.

A point is a list of (bucket, count) pairs, a centre a mass for every bucket; both have the same total.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvent.foundation.kernels.compiling import compiled, internal_compiled

Array = Any

ROUNDING = 1e-12
"""Mass that is left over by rounding alone, as a share of the total."""


@internal_compiled
def greedy_transport(
    buckets: Array, counts: Array, mass: Array, distance: Array, order: Array, enough: float
) -> float:
    """An upper bound on the cost, usually close (Ganzfried & Sandholm 2014).

    In round r every bucket of the point that has mass left sends what it can to the r-th nearest bucket that
    the centre holds. order: int32[b, b], each bucket's others by distance. What is left goes no less far than
    in this round; once that makes the cost more than `enough`, it is returned as it stands, above `enough`.
    """
    size, many = len(counts), len(mass)
    left, room = np.empty(size), np.empty(many)
    rank = np.empty(size, np.int64)
    cost, waiting = 0.0, 0
    for k in range(many):
        room[k] = mass[k]
    for i in range(size):
        left[i], rank[i] = counts[i], 0
        waiting += counts[i] > 0
    while waiting > 0:
        rest = 0.0
        for i in range(size):
            if left[i] <= 0.0:
                continue
            row = buckets[i]
            while rank[i] < many and mass[order[row, rank[i]]] <= 0.0:
                rank[i] += 1
            if rank[i] == many:  # what rounding left over
                left[i] = 0.0
                waiting -= 1
                continue
            to = order[row, rank[i]]
            rank[i] += 1
            sent = min(left[i], room[to])
            cost += sent * distance[row, to]
            room[to] -= sent
            left[i] -= sent
            rest += left[i] * distance[row, to]
            waiting -= left[i] <= 0.0
        if (cost + rest) * (1.0 - ROUNDING) > enough:
            return cost + rest
    return cost


@compiled
def greedy_costs(
    buckets: Array,
    counts: Array,
    centers: Array,
    distance: Array,
    order: Array,
    enough: Array,
    start: int,
    costs: Array,
) -> None:
    """Greedy costs between the points from `start` on, as many as there are rows of costs, and all centres."""
    for at in range(len(costs)):
        i = start + at
        for k in range(len(centers)):
            costs[at, k] = greedy_transport(buckets[i], counts[i], centers[k], distance, order, enough[i])


@compiled
def greedy_nearest(
    buckets: Array,
    counts: Array,
    centers: Array,
    least: Array,
    distance: Array,
    order: Array,
    start: int,
    stop: int,
    assignment: Array,
    own: Array,
) -> int:
    """Find the centre of least greedy cost for each point, the first of equally near ones, and that cost.

    No cost is below that of moving everything to the nearest bucket that the centre holds, wherever its room
    ends: least, float64[k, b]. A centre for which this is above the best cost found is passed over. The search
    begins at the assignment before, or where that bound is lowest if it is -1. Returns how many costs were begun.
    """
    many = len(centers)
    bound = np.empty(many)
    evaluations = 0
    for i in range(start, stop):
        lowest = 0
        for k in range(many):
            total = 0.0
            for at in range(counts.shape[1]):
                total += counts[i, at] * least[k, buckets[i, at]]
            bound[k] = total * (1.0 - ROUNDING)
            if bound[k] < bound[lowest]:
                lowest = k
        best = assignment[i] if assignment[i] >= 0 else lowest
        cost = greedy_transport(buckets[i], counts[i], centers[best], distance, order, np.inf)
        evaluations += 1
        first = best
        for k in range(many):
            if k == first or bound[k] > cost:
                continue
            found = greedy_transport(buckets[i], counts[i], centers[k], distance, order, cost)
            evaluations += 1
            if found < cost or (found == cost and k < best):
                best, cost = k, found
        assignment[i], own[i] = best, cost
    return evaluations


@compiled
def add_up(
    buckets: Array, counts: Array, weights: Array, assignment: Array, sums: Array, totals: Array
) -> None:
    """Add up the weighted histograms and the weights of each centre's points."""
    for i in range(len(assignment)):
        k = assignment[i]
        totals[k] += weights[i]
        for at in range(buckets.shape[1]):
            sums[k, buckets[i, at]] += weights[i] * np.int64(counts[i, at])
