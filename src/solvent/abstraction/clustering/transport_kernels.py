"""Compiled passes over histograms of buckets: what it costs to move one into another.

A point is a list of (bucket, count) pairs, a centre a mass for every bucket; both have the same total.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvent.foundation.compiling import compiled

Array = Any

ROUNDING = 1e-12
"""Mass that is left over by rounding alone, as a share of the total."""


@compiled
def greedy_transport(
    buckets: Array, counts: Array, mass: Array, distance: Array, order: Array, enough: float
) -> float:
    """An upper bound on the cost, usually close: Ganzfried & Sandholm 2014, algorithm 1.

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
def exact_transport(buckets: Array, counts: Array, mass: Array, distance: Array) -> float:
    """The least cost, by successive shortest paths with potentials.

    Each source sends its mass along shortest paths of the residual graph to sinks with room. Potentials keep
    all reduced costs c(i, j) - u(i) - v(j) at least 0, and 0 where mass flows (Ahuja, Magnanti & Orlin 1993,
    section 9.7), so that Dijkstra's algorithm applies.
    """
    sinks, sources = np.empty(len(mass), np.int64), np.empty(len(counts), np.int64)
    room = np.empty(len(mass))
    many, size, total = 0, 0, 0.0
    for bucket in range(len(mass)):
        if mass[bucket] > 0.0:
            sinks[many], room[many] = bucket, mass[bucket]
            total += mass[bucket]
            many += 1
    for at in range(len(counts)):
        if counts[at] > 0:
            sources[size] = at
            size += 1
    tiny = ROUNDING * total
    flow = np.zeros((size, many))
    u, v = np.zeros(size), np.zeros(many)
    source_length, sink_length = np.empty(size), np.empty(many)
    source_from, sink_from = np.empty(size, np.int64), np.empty(many, np.int64)
    closed = np.empty(many, np.bool_)
    for origin in range(size):
        left = float(counts[sources[origin]])
        while left > tiny:
            # Shortest paths from the origin, until a sink with room is reached.
            for i in range(size):
                source_length[i] = 0.0 if i == origin else np.inf
            for j in range(many):
                closed[j] = False
                sink_length[j] = distance[buckets[sources[origin]], sinks[j]] - u[origin] - v[j]
                sink_from[j] = origin
            end = -1
            while True:
                end = -1
                for j in range(many):
                    if not closed[j] and (end < 0 or sink_length[j] < sink_length[end]):
                        end = j
                if end < 0 or room[end] > tiny:
                    break
                closed[end] = True
                for i in range(size):
                    if flow[i, end] <= 0.0 or source_length[i] < np.inf:
                        continue
                    source_length[i] = sink_length[end]
                    source_from[i] = end
                    for j in range(many):
                        length = sink_length[end] + distance[buckets[sources[i]], sinks[j]] - u[i] - v[j]
                        if not closed[j] and length < sink_length[j]:
                            sink_length[j] = length
                            sink_from[j] = i
            if end < 0:  # what rounding left over
                break
            least = sink_length[end]
            for i in range(size):
                if source_length[i] < np.inf:
                    u[i] += least - source_length[i]
            for j in range(many):
                if closed[j]:
                    v[j] -= least - sink_length[j]
            # As much as the path lets through.
            sent = min(left, room[end])
            i = sink_from[end]
            while i != origin:
                sent = min(sent, flow[i, source_from[i]])
                i = sink_from[source_from[i]]
            j = end
            i = sink_from[j]
            flow[i, j] += sent
            while i != origin:
                j = source_from[i]
                flow[i, j] -= sent
                i = sink_from[j]
                flow[i, j] += sent
            left -= sent
            room[end] -= sent
    cost = 0.0
    for i in range(size):
        for j in range(many):
            cost += flow[i, j] * distance[buckets[sources[i]], sinks[j]]
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
def exact_costs(
    buckets: Array, counts: Array, centers: Array, distance: Array, start: int, costs: Array
) -> None:
    """Least costs between the points from `start` on, as many as there are rows of costs, and all centres."""
    for i in range(len(costs)):
        for k in range(len(centers)):
            costs[i, k] = exact_transport(buckets[start + i], counts[start + i], centers[k], distance)


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
