"""The cost of a training by Algorithm 4: memory, seconds an iteration, and the share of time that children wait.

Everything is a closed formula of a machine (`Rates`), a training (`Work`) and where it runs (`Cluster`). A turn is

    head's first pass + messages out + the children's work + messages back + head's second pass

and the children's work ends with the slowest of them, or, where they share cores, no sooner than all of their work
divided by the cores. `fit_rows`, `fit_line` and `fit_power` turn measurements into parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

CELL_BYTES = 8
"""Bytes of an infoset-action: a regret and a sum of strategies, four bytes each."""
NANO = 1e-9


@dataclass(frozen=True)
class Rates:
    """A machine: the costs of a row and of a message."""

    row_ns: float
    """Nanoseconds of a core for a row that lies in a cache."""
    miss_ns: float
    """Nanoseconds more for a row that does not."""
    cache_bytes: float
    """Bytes of the cache that a core's rows may lie in."""
    head_row_ns: float
    """Nanoseconds of the head for a row of its own table, both passes and the dealing of cards included."""
    deal_ns: float
    """Nanoseconds of a child for the cards of one iteration."""
    value_ns: float
    """Nanoseconds of the head for one value of one child: taken from a message and weighed."""
    message_s: float
    """Seconds of a message to a worker and its answer, however short."""
    byte_s: float
    """Seconds of a byte of either."""
    crowded: float = 1.0
    """By how much a row takes longer while every core of the machine walks."""

    def row_seconds(self, table_bytes: float) -> float:
        """Return the seconds for a row of a table of this size, of which the cache holds a share."""
        missed = max(0.0, 1.0 - self.cache_bytes / table_bytes)
        return NANO * (self.row_ns + self.miss_ns * missed)


@dataclass(frozen=True)
class Work:
    """The work of one iteration, both players' passes, on average."""

    head_rows: float
    """Rows of the head, counted once."""
    continuations: float
    """Continuations that every child values."""
    child_rows: tuple[float, ...]
    """Rows that each child touches for a sample of its cluster, on average, by cluster."""
    child_spread: float
    """Standard deviation of one child's rows in one iteration, as a share of their mean."""
    clusters_table_bytes: float
    """Bytes of one cluster's table."""

    @property
    def clusters(self) -> int:
        return len(self.child_rows)


@dataclass(frozen=True)
class Cluster:
    """The machines of a training."""

    workers: int
    """Machines or processes of one kind that own clusters."""
    cores: int | None
    """Cores that all workers share; None where each worker has cores enough of its own."""
    batch: int
    """B, iterations of a turn. 1: a turn is one player's pass."""
    samples: int = 1
    """Boards that a child draws for an iteration."""
    child_cores: int = 1
    """Cores among which a child divides its samples."""


class Turn(NamedTuple):
    """Seconds of a turn in its parts."""

    head: float
    messages: float
    children: float
    """Until the slowest child is done."""
    idle_share: float
    """The share of the turn in which a worker, on average, has nothing to do."""
    iterations: float
    """Iterations that the turn completes."""

    @property
    def seconds(self) -> float:
        return self.head + self.messages + self.children

    @property
    def iteration_seconds(self) -> float:
        return self.seconds / self.iterations


def infoset_actions(action_nodes: int, buckets: int) -> int:
    """Return the infoset-actions of a betting tree from its nodes, leaves included, and buckets on every round.

    Every node but the root is one action. The rounds before the flop have other buckets, and next to no nodes.
    """
    return (action_nodes - 1) * buckets


def game_nodes(action_nodes: int, buckets: int) -> int:
    """Return the nodes of the abstract game, leaves included: a node of the betting for each pair of buckets."""
    return action_nodes * buckets**2


def table_bytes(cells: float) -> float:
    """Return the bytes of the tables of this many infoset-actions."""
    return CELL_BYTES * cells


def expected_greatest(count: int) -> float:
    """Return the expected greatest of `count` independent standard normal numbers (Blom's approximation)."""
    if count <= 1:
        return 0.0
    return NormalDist().inv_cdf((count - 0.375) / (count + 0.25))


def message_bytes(work: Work, cluster: Cluster) -> float:
    """Return the bytes of a turn's message to a worker, its nodes, and of the answer, a value for each cluster."""
    passes = _passes(cluster)
    return 4 * work.continuations / 2 * passes * (1 + work.clusters / cluster.workers) + 8 * passes


def turn(rates: Rates, work: Work, cluster: Cluster) -> Turn:
    """Return the seconds of a turn. Cluster n belongs to worker n modulo their number."""
    passes = _passes(cluster)
    halves = passes / 2  # iterations' worth of work in this turn
    values = rates.value_ns * work.continuations * work.clusters
    head = NANO * halves * (rates.head_row_ns * work.head_rows + values)
    messages = cluster.workers * (rates.message_s + rates.byte_s * message_bytes(work, cluster))
    share = cluster.samples / cluster.child_cores
    row = rates.row_seconds(work.clusters_table_bytes * work.clusters / cluster.workers)
    if cluster.cores is not None and cluster.workers >= cluster.cores > 1:
        row *= rates.crowded
    deals = max(halves, 1.0)  # one for each iteration, and for each pass with batches of 1
    each = [
        sum(
            halves * share * work.child_rows[n] * row + deals * share * rates.deal_ns * NANO
            for n in range(worker, work.clusters, cluster.workers)
        )
        for worker in range(cluster.workers)
    ]
    mean = sum(each) / len(each)
    # Chance: a worker's rows are the sum over its clusters and the turn's iterations; of samples on cores of a
    # child the slowest counts too.
    draws = halves * max(1.0, share) * work.clusters / cluster.workers
    chance = mean * work.child_spread / sqrt(draws) * expected_greatest(cluster.workers * cluster.child_cores)
    slowest = max(each) + chance
    if cluster.cores is not None:
        slowest = max(slowest, sum(each) / cluster.cores)
    whole = head + messages + slowest
    return Turn(head, messages, slowest, 1 - mean / whole, halves)


def _passes(cluster: Cluster) -> int:
    return 1 if cluster.batch == 1 else 2 * cluster.batch


def fit_rows(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return `row_ns`, `miss_ns` and `cache_bytes` from seconds per row on tables of several sizes in bytes.

    Least squares for every cache from a quarter of a megabyte to 128, of which the best is taken.
    """
    best = (np.inf, (0.0, 0.0, 1.0))
    for power in np.arange(18, 27.01, 0.25):
        cache = float(2.0**power)
        missed = np.array([max(0.0, 1.0 - cache / size) for size in sizes])
        columns = np.stack([np.ones(len(missed)), missed], axis=1)
        wanted = np.array(seconds) / NANO
        found, *_ = np.linalg.lstsq(columns, wanted, rcond=None)
        error = float(np.square(columns @ found - wanted).sum())
        if found[1] >= 0 and error < best[0]:
            best = (error, (float(found[0]), float(found[1]), cache))
    return best[1]


def fit_line(places: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return the value at 0 and the slope of the line through measurements, by least squares; neither below 0."""
    slope, start = np.polyfit(np.array(places), np.array(values), 1)
    return max(0.0, float(start)), max(0.0, float(slope))


def fit_power(places: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return the factor and exponent of the power law through measurements, by least squares of logarithms."""
    exponent, start = np.polyfit(np.log(places), np.log(values), 1)
    return exp(float(start)), float(exponent)
