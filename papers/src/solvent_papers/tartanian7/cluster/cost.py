"""The cost of Algorithm 4: a model, checked against runs here, and what it says of the paper's cluster.

Memory, seconds an iteration, and the share of time that children wait are closed formulas of a machine (`Rates`), a
training (`Work`) and where it runs (`Cluster`). A turn is

    head's first pass + messages out + the children's work + messages back + head's second pass

and the children's work ends with the slowest of them, or, where they share cores, no sooner than all of their work
divided by the cores. `fit_rows`, `fit_line` and `fit_power` turn measurements into parameters.

Brown, Ganzfried and Sandholm (2015), sections 3 and 5: 6,104,546 action nodes, 60 public clusters x 500 buckets, 60
blades of 16 cores and a head; about 15 ms an iteration, less than 1 ms of it latency, 128 GB a blade.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import exp, sqrt
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np

from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7.cluster import cost_measures as measures
from solvent_papers.tartanian7.cluster.training import BETTING, Setup

NAME = "cost"
PAPER_NODES, PAPER_CLUSTERS, PAPER_BUCKETS, PAPER_CORES = 6_104_546, 60, 500, 16
PAPER_LATENCY = 1e-3
"""The most seconds of an iteration that messages take."""
PAPER_BATCHES = (1, 100, 1_000)
MORE_SAMPLES = 10
"""Samples of a core in an iteration, where there are more than one."""
BETTINGS = (BETTING, "preflop=100%,a; postflop=50%,100%,a; cap=3; stack=200", "acpc")
BUCKETS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000)
"""Sizes of the tables on which rows are timed."""
CROWDED = 200
"""Buckets of the tables on which rows are timed with all cores at work."""
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
    """The factor by which a row takes longer while every core of the machine walks."""

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


# The experiment


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Measure the parameters, then the runs that the model is checked against."""
    small, threads, batch, in_process = setup.small, setup.threads, setup.batch, setup.in_process
    buckets, seconds, crowded = ((5, 20), 0.01, 20) if small else (BUCKETS, 3.0, CROWDED)
    continuations, repeats = ((0, 100, 1_000), 3) if small else ((0, 1_000, 10_000, 100_000), 100)
    iterations, bettings = (50, BETTINGS[:2]) if small else (300_000, BETTINGS)
    warm, turns, workers = (1, 4, (1, 2)) if small else (50, 100, (1, 2, 4, 8))
    cards = setup.load("small", say)

    def once(step: str, work: Callable[[], Any]) -> Any:
        say(step)
        return kept.once({"measure": step}, work)

    def crowd() -> list[float]:
        return [measures.row_seconds([crowded], seconds, each)[0]["seconds"] for each in (1, threads)]

    def messages() -> list[dict[str, float]]:
        return measures.message_seconds(continuations, repeats, threads, in_process)

    def trees() -> list[dict[str, Any]]:
        return measures.tree_rows(cards, bettings, iterations, max(1, iterations // 10), threads)

    def run(workers: int) -> dict[str, float]:
        return measures.turn_seconds(cards, batch, workers, turns, warm, in_process)

    measured = {
        "batch": batch,
        "cores": threads,
        "rows": once("rows by size of the table", lambda: measures.row_seconds(buckets, seconds)),
        "crowd": once("rows with all cores at work", crowd),
        "messages": once("messages", messages),
        "apart": once("turns taken apart", lambda: measures.taken_apart(cards, batch, turns, warm)),
        "trees": once("rows of larger betting trees", trees),
        "runs": [once(f"a run with {each} children", partial(run, each)) for each in workers],
    }
    return {"cards": cards.design.label, **modelled(measured), "measured": measured}


class CostModel:
    """The model with the parameters that were measured here, for this machine and for the paper's cluster."""

    def __init__(self, measured: Mapping[str, Any]) -> None:
        apart, self._measured = measured["apart"], measured
        self.law = fit_power(*_columns(measured["trees"], "nodes", "rows"))
        """Factor and exponent of the rows of an iteration by the nodes of a betting tree."""
        self.work = Work(
            apart["head_rows"],
            apart["continuations"],
            tuple(apart["child_rows"]),
            apart["child_spread"],
            apart["arena_bytes"],
        )
        self.rates = self._rates()
        self.paper_work = self._paper_work()

    def _rates(self) -> Rates:
        """Return the machine's rates."""
        measured, apart = self._measured, self._measured["apart"]
        row_ns, miss_ns, cache = fit_rows(*_columns(measured["rows"], "bytes", "seconds"))
        start, per_byte = fit_line(*_columns(measured["messages"], "bytes", "seconds"))
        values = apart["value_seconds"] * apart["continuations"] * self.work.clusters
        head = max(0.0, apart["head_seconds"] - values) / apart["head_rows"]
        # Rows take longer with real cards than with drawn ones, on tables of one process.
        rows = sum(apart["child_rows"])
        walking = apart["child_row_seconds"] * rows - apart["deal_seconds"] * self.work.clusters
        drawn = Rates(row_ns, miss_ns, cache, 0, 0, 0, 0, 0)
        real = float(walking / rows / drawn.row_seconds(apart["arena_bytes"] * self.work.clusters))
        return Rates(
            real * row_ns,
            real * miss_ns,
            cache,
            head / NANO,
            apart["deal_seconds"] / NANO,
            apart["value_seconds"] / NANO,
            start,
            per_byte,
            max(1.0, measured["crowd"][1] / measured["crowd"][0]),
        )

    def _paper_work(self) -> Work:
        """Return an iteration on the paper's betting tree: rows by the power law, imbalances as measured.

        The larger tree's share before the flop is taken to grow as the whole tree's rows do. Our clusters' shares
        of the work are repeated.
        """
        factor, exponent = self.law
        grown = (PAPER_NODES / self._measured["trees"][0]["nodes"]) ** exponent
        below = factor * PAPER_NODES**exponent
        shares = [rows / fmean(self.work.child_rows) for rows in self.work.child_rows]
        return Work(
            self.work.head_rows * grown,
            self.work.continuations * grown,
            tuple(below * shares[n % len(shares)] for n in range(PAPER_CLUSTERS)),
            self.work.child_spread,
            table_bytes(infoset_actions(PAPER_NODES, PAPER_BUCKETS)),
        )

    def here(self, workers: int) -> Turn:
        """Return a turn with worker processes on this machine."""
        return turn(self.rates, self.work, Cluster(workers, self._measured["cores"], self._measured["batch"]))

    def of_paper(self, batch: int, samples: int = 1, their_messages: bool = False) -> Turn:
        """Return a turn of the paper's cluster, with this many samples on each core of a blade.

        Messages are ours, or so quick that all of an iteration take what the paper says they take at most.
        """
        rates = self.rates
        if their_messages:
            rates = replace(rates, message_s=PAPER_LATENCY / 2 / PAPER_CLUSTERS, byte_s=0.0)
        cluster = Cluster(PAPER_CLUSTERS, None, batch, samples * PAPER_CORES, PAPER_CORES)
        return turn(rates, self.paper_work, cluster)


def _columns(rows: Sequence[Mapping[str, Any]], *names: str) -> list[list[float]]:
    return [[row[name] for row in rows] for name in names]


def modelled(measured: Mapping[str, Any]) -> Found:
    """Return the model's rates, its predictions beside the runs here, those of the paper's cluster, and figures."""
    model, apart = CostModel(measured), measured["apart"]
    checks = []
    for run in measured["runs"]:
        told, alone = model.here(run["workers"]), run["workers"] <= measured["cores"]
        checks.append(
            {
                "children": run["workers"],
                "turn_ms": 1e3 * run["seconds"],
                "error": told.seconds / run["seconds"] - 1,
                "idle": 1 - run["busy"] if alone else None,
                "told": _parts_of(told, told.seconds) | {"idle": told.idle_share if alone else None},
            }
        )
    paper = {"the paper's latency, B = 1": model.of_paper(1, their_messages=True)}
    paper |= {
        f"our worker processes' messages, B = {batch:,}": model.of_paper(batch) for batch in PAPER_BATCHES
    }
    return {
        "batch": measured["batch"],
        "cores": measured["cores"],
        "rates": asdict(model.rates),
        "rows": measured["rows"],
        "trees": measured["trees"],
        "law": model.law,
        "mean flops": fmean(apart["flops"]),
        "checks": checks,
        "paper": [
            {
                "name": name,
                **_parts_of(each, each.iteration_seconds, each.iterations),
                "idle": each.idle_share,
            }
            for name, each in paper.items()
        ],
        "paper's rows": fmean(model.paper_work.child_rows),
        "paper's message bytes": message_bytes(model.paper_work, Cluster(PAPER_CLUSTERS, None, 1)),
        "figures": _figures(model, measured, checks),
    }


def _parts_of(told: Turn, whole: float, iterations: float = 1.0) -> dict[str, float]:
    """Return milliseconds of a turn, or of one of its iterations, and of its parts."""
    parts = {"head": told.head, "messages": told.messages, "children": told.children}
    return {"ms": 1e3 * whole} | {name: 1e3 * each / iterations for name, each in parts.items()}


def _figures(
    model: CostModel, measured: Mapping[str, Any], checks: Sequence[Mapping[str, Any]]
) -> dict[str, float]:
    """Return the model's errors, and what it says of the paper's configuration."""
    named = {f"{NAME}.error.{check['children']}": check["error"] for check in checks}
    rates, apart, work = model.rates, measured["apart"], model.paper_work
    ours, theirs = model.of_paper(1), model.of_paper(1, their_messages=True)
    many, more = model.of_paper(1_000), model.of_paper(1, MORE_SAMPLES, their_messages=True)
    each = [rates.row_seconds(work.clusters_table_bytes) * rows / 2 for rows in work.child_rows]
    return {
        **named,
        f"{NAME}.error.largest": max(map(abs, named.values())),
        f"{NAME}.row ns.small": rates.row_ns,
        f"{NAME}.row ns.large": rates.row_ns + rates.miss_ns,
        f"{NAME}.message us": 1e6 * rates.message_s,
        f"{NAME}.flops.largest by mean": max(apart["flops"]) / fmean(apart["flops"]),
        f"{NAME}.work.spread": apart["child_spread"],
        f"{NAME}.work.largest by mean": max(apart["child_rows"]) / fmean(apart["child_rows"]),
        f"{NAME}.paper.iteration ms": 1e3 * theirs.iteration_seconds,
        f"{NAME}.paper.iteration ms.our messages": 1e3 * ours.iteration_seconds,
        f"{NAME}.paper.latency ms.our messages": 1e3 * ours.messages / ours.iterations,
        f"{NAME}.paper.iteration ms.batched": 1e3 * many.iteration_seconds,
        f"{NAME}.paper.latency ms.batched": 1e3 * many.messages / many.iterations,
        f"{NAME}.paper.latency share": theirs.messages / theirs.seconds,
        f"{NAME}.paper.latency share.more samples": more.messages / more.seconds,
        f"{NAME}.paper.waiting share": 1 - fmean(each) / theirs.children,
        f"{NAME}.paper.idle share": theirs.idle_share,
        f"{NAME}.paper.idle share.batched": many.idle_share,
        f"{NAME}.paper.blade bytes": work.clusters_table_bytes,
        f"{NAME}.here.idle share.{measured['cores']} children": model.here(measured["cores"]).idle_share,
    }


COST = Part(NAME, measure, lambda found: found["figures"])
