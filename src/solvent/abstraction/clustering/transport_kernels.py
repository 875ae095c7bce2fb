"""Compiled passes over histograms of buckets: what it costs to move one into another.

A point is a list of (bucket, count) pairs, a centre a mass for every bucket; both have the same total.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.foundation.kernels.compiling import compiled, inlined, internal_compiled

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


class Network(NamedTuple):
    """The residual graph of a transport: sources i are the point's buckets, sinks j the centre's."""

    source: Array
    """int64[sources]: bucket of each source."""
    sink: Array
    """int64[sinks]: bucket of each sink."""
    room: Array
    """float64[sinks]: mass that each sink still takes."""
    flow: Array
    """float64[sources, sinks]"""
    u: Array
    """float64[sources]: potentials. Reduced costs c(i, j) - u(i) - v(j) are at least 0, and 0 where mass flows."""
    v: Array
    """float64[sinks]: potentials."""
    source_length: Array
    """float64[sources]: length of the shortest path from the origin, infinite where none has been found."""
    sink_length: Array
    source_from: Array
    """int64[sources]: the sink before each source on that path."""
    sink_from: Array
    """int64[sinks]: the source before each sink on that path."""
    closed: Array
    """bool[sinks]: whether the path to a sink is final."""


@inlined
def lay_network(buckets, counts, mass):  # type: ignore[no-untyped-def]
    """Make a network without flow from what is not empty in a point and a centre."""
    many, size = 0, 0
    for bucket in range(len(mass)):
        many += mass[bucket] > 0.0
    for at in range(len(counts)):
        size += counts[at] > 0
    sink, room, source = np.empty(many, np.int64), np.empty(many), np.empty(size, np.int64)
    many, size = 0, 0
    for bucket in range(len(mass)):
        if mass[bucket] > 0.0:
            sink[many], room[many] = bucket, mass[bucket]
            many += 1
    for at in range(len(counts)):
        if counts[at] > 0:
            source[size] = buckets[at]
            size += 1
    return Network(
        source, sink, room, np.zeros((size, many)), np.zeros(size), np.zeros(many), np.empty(size), np.empty(many),
        np.empty(size, np.int64), np.empty(many, np.int64), np.empty(many, np.bool_),
    )  # fmt: skip


@inlined
def shortest_path(network, origin, distance, tiny):  # type: ignore[no-untyped-def]
    """Find the sink with room that is nearest to the origin, by Dijkstra's algorithm; -1 if there is none."""
    source, sink, u, v = network.source, network.sink, network.u, network.v
    source_length, sink_length = network.source_length, network.sink_length
    for i in range(len(source)):
        source_length[i] = 0.0 if i == origin else np.inf
    for j in range(len(sink)):
        network.closed[j] = False
        sink_length[j] = distance[source[origin], sink[j]] - u[origin] - v[j]
        network.sink_from[j] = origin
    while True:
        end = -1
        for j in range(len(sink)):
            if not network.closed[j] and (end < 0 or sink_length[j] < sink_length[end]):
                end = j
        if end < 0 or network.room[end] > tiny:
            break
        network.closed[end] = True
        for i in range(len(source)):
            if network.flow[i, end] <= 0.0 or source_length[i] < np.inf:
                continue
            source_length[i] = sink_length[end]
            network.source_from[i] = end
            for j in range(len(sink)):
                length = sink_length[end] + distance[source[i], sink[j]] - u[i] - v[j]
                if not network.closed[j] and length < sink_length[j]:
                    sink_length[j] = length
                    network.sink_from[j] = i
    return end


@inlined
def raise_potentials(network, end):  # type: ignore[no-untyped-def]
    """Make the reduced costs along the shortest path to `end` 0, and keep all others at least 0."""
    least = network.sink_length[end]
    for i in range(len(network.source)):
        if network.source_length[i] < np.inf:
            network.u[i] += least - network.source_length[i]
    for j in range(len(network.sink)):
        if network.closed[j]:
            network.v[j] -= least - network.sink_length[j]


@inlined
def send_along(network, origin, end, left):  # type: ignore[no-untyped-def]
    """Send as much of `left` as the path from the origin to the sink `end` lets through, and return it."""
    flow, source_from, sink_from = network.flow, network.source_from, network.sink_from
    sent = min(left, network.room[end])
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
    network.room[end] -= sent
    return sent


@internal_compiled
def exact_transport(buckets: Array, counts: Array, mass: Array, distance: Array) -> float:
    """The least cost, by successive shortest paths with potentials.

    Each source sends its mass along shortest paths of the residual graph to sinks with room (Ahuja, Magnanti &
    Orlin 1993, section 9.7). Potentials keep reduced costs at least 0, so that Dijkstra's algorithm applies.
    """
    network = lay_network(buckets, counts, mass)
    total = 0.0
    for j in range(len(network.sink)):
        total += network.room[j]
    tiny = ROUNDING * total
    origin = 0
    for at in range(len(counts)):
        if counts[at] <= 0:
            continue
        left = float(counts[at])
        while left > tiny:
            end = shortest_path(network, origin, distance, tiny)
            if end < 0:  # what rounding left over
                break
            raise_potentials(network, end)
            left -= send_along(network, origin, end, left)
        origin += 1
    cost = 0.0
    for i in range(len(network.source)):
        for j in range(len(network.sink)):
            cost += network.flow[i, j] * distance[network.source[i], network.sink[j]]
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
