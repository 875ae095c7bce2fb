"""Public states that are played in similar ways: distances between them and clusters of them.

Algorithms 2 and 3 of Brown, Ganzfried and Sandholm, "Hierarchical abstraction, distributed equilibrium
computation, and post-processing, with application to a champion no-limit Texas hold'em agent" (AAMAS 2015).
Nothing here knows cards: a public state is a row of a transition table, which counts how many of the V private
states that go with it fall into each bucket of some base abstraction.

The distance is the total-variation distance of two rows divided by V, so it is a pseudometric. (The paper says
that it fails the triangle inequality; its example gives d_ik = 0.2 where the definition gives 0.8.)

Algorithm 3 as printed reassigns all states at once to the cluster with the smallest *sum* of distances. A small
cluster has small sums, all states run to it together, and unless the seeds happen to be right already, the
clusters collapse into one or a few: `literal` shows it. Moving one state at a time with the same sums lowers, at
every move, the sum of distances over all pairs that share a cluster: `sequential`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.abstraction.hierarchical import public_cluster_kernels as kernels
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import check_threads, in_pieces
from solvent.foundation.progress import Progress, Stop, Watch

Floats = NDArray[np.float64]

Method = Literal["sequential", "literal", "average", "medoids"]
METHODS = get_args(Method)

LARGEST_SUM = 2**26
"""The most private states of one public state: their squares are exact in float64."""

LEAST_GAIN = 1e-10
"""Moves must gain more than this share of the largest gain possible: less is rounding."""


def transition_distances(
    transitions: ArrayLike, threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> Floats:
    """Algorithm 2: d_ij = (V - sum_b min(T_i[b], T_j[b])) / V, the share of private states bucketed apart.

    transitions: integers[states, buckets], rows of one sum V; returns float64[states, states]. `watch` is told
    pairs of states.

    >>> transition_distances([[10, 0, 0], [0, 10, 0], [2, 2, 6]]).tolist()
    [[0.0, 1.0, 0.8], [1.0, 0.0, 0.8], [0.8, 0.8, 0.0]]
    """
    table, total = _checked_table(transitions)
    check_threads(threads)
    states, buckets = table.shape
    rows = -(-states // kernels.TILE) * kernels.TILE
    padded = np.zeros((rows, buckets), np.uint16 if total < 2**16 else np.uint32)
    padded[:states] = table
    distances = np.zeros((states, states))
    pairs = states * (states - 1) // 2

    def strip(first: int, end: int, _: None) -> None:
        kernels.distance_rows(padded, total, first, end, distances)

    def tell(now: Progress) -> None:
        if watch is not None:
            left = max(0, states - int(now.done))
            watch(Progress("distances", pairs - left * (left - 1) // 2, pairs))

    in_pieces(strip, rows, kernels.BLOCK_ROWS, [None] * threads, watch=tell, stop=stop)
    return distances


def _checked_table(transitions: ArrayLike) -> tuple[NDArray[Any], int]:
    """The table and its rows' common sum."""
    table = np.asarray(transitions)
    if table.ndim != 2 or not table.size or table.dtype.kind not in "iu":
        raise InputError(
            f"a transition table has whole numbers in rows of public states and columns of buckets, "
            f"not {table.dtype} of shape {table.shape}"
        )
    if table.dtype.kind == "i" and table.min() < 0:
        raise InputError(f"a transition table counts private states, and {table.min()} is no count")
    sums = table.sum(axis=1, dtype=np.int64)
    total = int(sums[0])
    if (sums != total).any():
        other = int(np.argmax(sums != total))
        raise InputError(
            f"every public state has the same number of private states, but row 0 of the transition table "
            f"sums to {total:,} and row {other:,} to {int(sums[other]):,}"
        )
    if not 0 < total <= LARGEST_SUM or table.max() > total:
        raise InputError(
            f"a transition table's rows sum to 1 to {LARGEST_SUM:,} private states, not {total:,}"
        )
    return table, total


@dataclass(frozen=True)
class PublicClustering:
    """Public states in clusters."""

    assignment: NDArray[np.int32]
    """int32[states]: the cluster of each public state."""
    objective: float
    """The cost that the method lowers, see `cluster_public`."""
    history: Floats
    """The objective at the start and after every move (`literal`: every iteration; `medoids`: every swap)."""
    sizes: NDArray[np.int64]
    """int64[clusters]: how many public states each cluster has."""
    weights: NDArray[np.int64]
    """int64[clusters]: how much they weigh together."""


def cluster_public(
    distances: ArrayLike,
    clusters: int,
    *,
    method: Method = "sequential",
    weights: ArrayLike | None = None,
    seed: int = 0,
    iterations: int = 100,
    restarts: int = 1,
) -> PublicClustering:
    """Algorithm 3: public states into clusters by their distances alone, from k-means++ seeds.

    distances: float[states, states], symmetric, zero on the diagonal. weights: integers[states], how many raw
    states each state stands for (1,755 flops up to suits for 22,100); 1 each by default, as in the paper. The
    result is that of as many copies of each state, kept together. With S_c(i) the sum of w_j d_ij over the
    members j of cluster c, and W_c their weight, methods and what they lower are:

    - `sequential`  each state in turn moves at once to the smallest S_c(i); the sum of w_i w_j d_ij over pairs
                    that share a cluster
    - `average`     the paper's footnote 4, one state at a time too; the sum over states of w_i S_c(i) / W_c, their
                    average distance to their cluster
    - `medoids`     k-medoids by swaps, each made as soon as it gains; the sum of w_i d(i, medoid)
    - `literal`     as printed: all states move at once to the smallest S_c(i). It need not lower anything and
                    usually empties most clusters; kept to show that. Its objective is sequential's.

    The first three leave no cluster empty and stop where no move gains, or after `iterations` passes over all
    states. Of several `restarts` the one with the lowest objective is returned. Equal seeds, equal clusters.

    >>> d = transition_distances([[9, 1], [8, 2], [1, 9], [0, 10]])
    >>> found = cluster_public(d, 2)
    >>> found.sizes.tolist(), round(found.objective, 9), bool(found.assignment[0] == found.assignment[1])
    ([2, 2], 0.2, True)
    """
    d = _checked_distances(distances)
    w = _checked_weights(weights, len(d))
    if not 1 <= clusters <= len(d):
        raise InputError(f"{len(d):,} public states make 1 to {len(d):,} clusters, not {clusters:,}")
    if method not in METHODS:
        raise InputError(f"the methods of public clustering are {', '.join(METHODS)}, not {method!r}")
    if seed < 0 or iterations < 0 or restarts < 1:
        raise InputError(
            f"public clustering takes a seed and iterations from 0 and restarts from 1, "
            f"not seed={seed}, iterations={iterations}, restarts={restarts}"
        )
    found = []
    for restart in range(restarts):
        seeds = _plus_plus(d, w, clusters, np.random.default_rng([seed, restart]))
        if method == "medoids":
            found.append(_medoids(d, w, seeds, iterations))
        elif method == "literal":
            found.append(_literal(d, w, seeds, iterations))
        else:
            found.append(_in_turn(d, w, seeds, iterations, method == "average"))
    assignment, history = min(found, key=lambda each: float(each[1][-1]))
    sizes = np.bincount(assignment, minlength=clusters).astype(np.int64)
    weighed = np.bincount(assignment, w, minlength=clusters).astype(np.int64)
    return PublicClustering(assignment, float(history[-1]), history, sizes, weighed)


def _checked_distances(distances: ArrayLike) -> Floats:
    d: Floats = np.ascontiguousarray(distances, dtype=np.float64)
    if d.ndim != 2 or d.shape[0] != d.shape[1] or not d.size:
        raise InputError(f"distances between public states are a square table, not one of shape {d.shape}")
    if not (np.isfinite(d) & (d >= 0)).all():
        i, j = np.argwhere(~(np.isfinite(d) & (d >= 0)))[0]
        raise InputError(f"distances are numbers from 0 on, but that of states {i} and {j} is {d[i, j]}")
    if np.diag(d).any():
        i = int(np.argmax(np.diag(d) > 0))
        raise InputError(f"a state's distance to itself is 0, but that of state {i} is {d[i, i]}")
    apart = np.abs(d - d.T)
    if apart.max() > 1e-6 * d.max():
        i, j = np.unravel_index(int(apart.argmax()), d.shape)
        raise InputError(
            f"distances are the same both ways, but those of states {i} and {j} are {d[i, j]} and {d[j, i]}"
        )
    return (d + d.T) / 2 if apart.any() else d


def _checked_weights(weights: ArrayLike | None, states: int) -> Floats:
    if weights is None:
        return np.ones(states)
    w = np.asarray(weights)
    if w.shape != (states,) or w.dtype.kind not in "iu" or (w < 1).any():
        raise InputError(f"weights are whole numbers from 1 on, one for each of the {states:,} public states")
    return w.astype(np.float64)


def _plus_plus(d: Floats, w: Floats, clusters: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """k-means++: each further seed with chances proportional to w_i times the squared distance to the nearest."""
    seeds = [int(rng.choice(len(d), p=w / w.sum()))]
    closest = d[seeds[0]].copy()
    while len(seeds) < clusters:
        chances = w * closest**2
        if not chances.any():  # every state left is where a seed is
            chances = w.copy()
            chances[seeds] = 0
        seeds.append(int(rng.choice(len(d), p=chances / chances.sum())))
        np.minimum(closest, d[seeds[-1]], out=closest)
    return np.array(seeds)


def _nearest(d: Floats, seeds: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return each state's nearest seed; a seed's is itself, even where another is at the same place."""
    assignment: NDArray[np.int32] = d[:, seeds].argmin(axis=1).astype(np.int32)
    assignment[seeds] = np.arange(len(seeds))
    return assignment


def _pairs(sums: Floats, w: Floats, assignment: NDArray[np.int32]) -> Floats:
    """P_c, the sum of w_i w_j d_ij over the pairs within each cluster."""
    own = w * sums[assignment, np.arange(len(w))]
    return np.bincount(assignment, own, minlength=len(sums)) / 2


def _in_turn(
    d: Floats, w: Floats, seeds: NDArray[np.int64], iterations: int, average: bool
) -> tuple[NDArray[np.int32], Floats]:
    assignment = _nearest(d, seeds)
    sums = np.empty((len(seeds), len(d)))
    kernels.cluster_sums(d, w, assignment, sums)
    pairs = _pairs(sums, w, assignment)
    cluster_weight = np.bincount(assignment, w)
    members = np.bincount(assignment)
    objective = (2 * pairs / cluster_weight if average else pairs).sum()
    least = LEAST_GAIN * d.max() * (1.0 if average else w.sum())
    history = [np.array([objective])]
    moved = np.empty(len(d) + 1)
    for _ in range(iterations):
        moved[0] = history[-1][-1]
        moves = kernels.sweep(average, d, w, sums, pairs, cluster_weight, members, assignment, least, moved)
        if not moves:
            break
        history.append(moved[1 : moves + 1].copy())
    return assignment, np.concatenate(history)


def _literal(
    d: Floats, w: Floats, seeds: NDArray[np.int64], iterations: int
) -> tuple[NDArray[np.int32], Floats]:
    assignment = _nearest(d, seeds)
    sums = np.empty((len(seeds), len(d)))
    every = np.arange(len(d))
    history = []
    for _ in range(iterations):
        kernels.cluster_sums(d, w, assignment, sums)
        history.append(_pairs(sums, w, assignment).sum())
        stays = sums[assignment, every] <= sums.min(axis=0)
        if stays.all():
            break
        assignment = np.where(stays, assignment, sums.argmin(axis=0)).astype(np.int32)
    else:
        kernels.cluster_sums(d, w, assignment, sums)
        history.append(_pairs(sums, w, assignment).sum())
    return assignment, np.array(history)


def _medoids(
    d: Floats, w: Floats, seeds: NDArray[np.int64], iterations: int
) -> tuple[NDArray[np.int32], Floats]:
    medoids = seeds.copy()
    assignment = np.empty(len(d), np.int32)
    near, second = np.empty(len(d)), np.empty(len(d))
    kernels.attach(d, medoids, assignment, near, second)
    history = [np.array([w @ near])]
    swapped = np.empty(len(d) + 1)
    for _ in range(iterations):
        swapped[0] = history[-1][-1]
        swaps = kernels.swap_sweep(
            d, w, medoids, assignment, near, second, LEAST_GAIN * d.max() * w.sum(), swapped
        )
        if not swaps:
            break
        history.append(swapped[1 : swaps + 1].copy())
    return assignment, np.concatenate(history)
