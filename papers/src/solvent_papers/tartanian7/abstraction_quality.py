"""The card-abstraction experiment: how well buckets of hold'em hands fit, measured by `bucket_quality`.

Its parts compare hierarchical buckets (Algorithm 1) with free ones at equal totals, buckets by EMD with percentiles
and intervals of mean equity, potential-aware buckets with both, every way to cluster flops (Algorithm 2), and ways
to code river hands.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import code_buckets, transition_table
from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.clustering.cluster import Ground, cluster, distances, nearest
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.abstraction.hierarchical.hierarchical import Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import METHODS, cluster_public, transition_distances
from solvent.cards.showdown import FULL
from solvent.foundation.progress import Watch
from solvent_papers.steps import Say, saying
from solvent_papers.tartanian7.abstraction_hands import Hands, River
from solvent_papers.tartanian7.bucket_quality import (
    Points,
    by_emd,
    by_intervals,
    by_percentiles,
    code_name,
    codes_of,
    combined,
    equity_deviation,
    equity_spread,
    mean_apart,
    mean_histogram,
    median_histograms,
    ochs_error,
    potential_objective,
)

Street = Literal["flop", "turn"]
Floats = NDArray[np.float64]
Fit = tuple[int, int, dict[str, float]]
"""How many points were put into buckets, how many buckets have any, and both measures."""

RESTARTS = 10
"""Random starts of each public clustering."""
SEED = 0
TENTH = 0.1
"""The share of a bucket's deals from which examples of steady hands, and of draws, are taken."""


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    flops: int | None = None
    """Number of classes of flops from which hands are taken, spread evenly; None for all of them."""
    sizes: tuple[int, ...] = (50, 200, 400)
    """Numbers of free buckets on flop and turn."""
    hierarchies: tuple[tuple[int, int], ...] = ((4, 20), (8, 50), (30, 50))
    """Pairs (public clusters, buckets in each); each is compared with the same total of free buckets."""
    base: int = 1_000
    """Flop buckets by which flops are compared."""
    public: tuple[int, ...] = (8, 30)
    """Numbers of public clusters."""
    public_buckets: int = 50
    """Flop buckets in each of them."""
    potential_buckets: int = 200
    """Turn buckets that potential-aware histograms are over."""
    potential_every: int = 64
    """Potential-aware buckets are made of every n-th flop hand."""
    potential_iterations: int = 10
    strips: int = 16
    codes_per_strip: tuple[int, ...] = (32, 128)
    river_sizes: tuple[int, ...] = (50, 200, 400)
    river_every: int = 134
    """River hands are taken from every n-th board."""
    iterations: int = 20


FULL_SCALE = Scale()
QUICK = Scale(
    flops=12,
    sizes=(20, 80),
    hierarchies=((4, 20),),
    base=100,
    public=(4,),
    public_buckets=20,
    potential_buckets=20,
    potential_every=8,
    strips=4,
    codes_per_strip=(8,),
    river_sizes=(8, 20),
    river_every=2_680,
    iterations=8,
)


@dataclass(frozen=True)
class Row:
    """One way to put hands into buckets, and how well the buckets fit."""

    part: str
    street: str
    method: str
    clusters: int
    buckets: int
    """Buckets in each cluster."""
    used: int
    """Buckets that have hands, in all clusters together."""
    hands: int
    """Points that were measured: classes of hands, or distinct histograms of a cluster."""
    spread: float
    emd: float | None = None
    potential: float | None = None
    """EMD of histograms over turn buckets to their bucket's mean, in units of equity."""
    ochs: float | None = None
    """Mean squared distance of OCHS to the bucket's mean."""
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def total(self) -> int:
        return self.clusters * self.buckets


@dataclass(frozen=True)
class Public:
    """One way to cluster flops, and how well the buckets inside its clusters fit."""

    method: str
    clusters: int
    empty: int
    smallest: int
    """Flops (up to suits) in the smallest cluster that is not empty."""
    largest: int
    objective: float
    """The value that the method minimises."""
    apart: float
    """A flop's mean distance to the flops of its cluster: the share of hands that are bucketed apart."""
    buckets: int
    used: int
    spread: float
    emd: float
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Example:
    """Hands of equal mean equity: one percentile bucket, and the buckets to which k-medians moves its hands."""

    equity: float
    """The mean equity of the percentile bucket."""
    whole: Floats
    """Shares of run-outs by the equity they leave, averaged over the bucket: float64[32]."""
    parts: tuple[Floats, Floats]
    """These shares in the k-medians bucket of most of its steadiest hands, and in that of most of its draws."""
    cards: tuple[tuple[int, ...], tuple[int, ...]]
    """One hand of each of the two buckets: its two cards, then the flop."""
    deviations: tuple[float, float]
    """The standard deviation over run-outs of the equity of these two hands."""


@dataclass(frozen=True)
class Result:
    """Everything that the experiment measured."""

    scale: Scale
    rows: tuple[Row, ...]
    publics: tuple[Public, ...]
    examples: tuple[Example, ...] = field(default=(), repr=False)
    seconds: dict[str, float] = field(default_factory=dict)

    def of(self, part: str, street: str | None = None) -> list[Row]:
        return [row for row in self.rows if row.part == part and street in (None, row.street)]

    def one(self, part: str, street: str, method: str, total: int) -> Row:
        rows = self.of(part, street)
        return next(row for row in rows if row.method == method and row.total == total)


class _Experiment:
    """The parts of the experiment, on hands that are already prepared."""

    def __init__(self, hands: Hands, river: River, scale: Scale, threads: int, say: Say) -> None:
        self.hands, self.river, self.scale, self.threads, self.say = hands, river, scale, threads, say
        self.points = {"flop": Points.of(hands.flop, hands.flop_weight)}
        whole = hands.turn_weights(np.zeros(hands.flops, dtype=np.int16))[0]
        self.points["turn"] = Points.of(hands.turn, whole)
        self.made: dict[tuple[str, int], NDArray[np.int32]] = {}
        """Free buckets by EMD, from (street, number of buckets)."""
        self.free_rows: dict[tuple[str, int], Row] = {}
        self.hierarchical: dict[tuple[bytes, int], Fit] = {}

    def free(self, street: str, buckets: int) -> NDArray[np.int32]:
        """Make free buckets by EMD, or return those made before."""
        if (street, buckets) not in self.made:
            self.say(f"{street}: {buckets:,} buckets by EMD")
            self.made[street, buckets] = by_emd(
                self.points[street], buckets, SEED, self.scale.iterations, self.threads
            )
        return self.made[street, buckets]

    def free_row(self, part: str, street: str, method: str, buckets: int) -> Row:
        """Measure free buckets by EMD, or return the row measured before."""
        if (street, buckets) not in self.free_rows:
            make = partial(self.free, street, buckets)
            self.free_rows[street, buckets] = self.row(
                part, street, method, buckets, self.points[street], make
            )
        return replace(self.free_rows[street, buckets], part=part, method=method)

    def row(
        self, part: str, street: str, method: str, buckets: int, points: Points,
        make: Callable[[], NDArray[Any]], **more: Callable[[NDArray[Any]], float],
    ) -> Row:  # fmt: skip
        """Make buckets and measure them by spread, EMD and the measures in `more`."""
        start = time.perf_counter()
        found = make()
        seconds = time.perf_counter() - start
        measured = points.measured(found, self.threads) | {name: by(found) for name, by in more.items()}
        used = len(np.unique(found))
        return Row(part, street, method, 1, buckets, used, len(found), seconds=seconds, **measured)

    def buckets(self, street: Street) -> list[Row]:
        """Compare buckets by EMD with buckets by mean equity (EHS) at equal numbers of buckets."""
        points = self.points[street]
        rows = []
        for size in self.scale.sizes:
            rows.append(self.free_row("buckets", street, "emd", size))
            for method, make in (("percentiles", by_percentiles), ("intervals", by_intervals)):
                rows.append(self.row("buckets", street, method, size, points, partial(make, points, size)))
        return rows

    def potential(self) -> list[Row]:
        """Compare potential-aware buckets with the others on every n-th flop hand."""
        scale, turn = self.scale, self.points["turn"]
        turn_bucket = self.free("turn", scale.potential_buckets)
        centers = median_histograms(turn.histograms, turn.weights, turn_bucket, self.threads)
        ground = distances(centers, centers, metric="emd") / (int(centers[0, -1]) * BINS)
        metric = Ground(ground.astype(np.float32))
        members = np.arange(0, len(self.hands.flop_weight), scale.potential_every)
        histograms = self.hands.potential(turn_bucket.astype(np.uint16), members)
        points = self.points["flop"][members]

        def by_potential(size: int) -> NDArray[np.int32]:
            self.say(f"flop: {size:,} potential-aware buckets of {len(members):,} hands")
            return cluster(
                histograms, size, metric=metric, weights=points.weights, seed=SEED,
                iterations=scale.potential_iterations, threads=self.threads,
            ).assignment  # fmt: skip

        rows = []
        for size in scale.sizes:
            methods: dict[str, Callable[[], Any]] = {
                "potential": partial(by_potential, size),
                "emd": partial(by_emd, points, size, SEED, scale.iterations, self.threads),
                "percentiles": partial(by_percentiles, points, size),
            }
            own = partial(potential_objective, histograms, metric, points.weights)
            for method, make in methods.items():
                rows.append(self.row("potential", "flop", method, size, points, make, potential=own))
        return rows

    def flop_distances(self) -> Floats:
        """Compute distances between flops from the base buckets (Algorithm 2)."""
        base = self.free("flop", self.scale.base)
        transitions = transition_table(base, self.hands.flop_of, self.hands.flop_weight.astype(np.uint8))
        return transition_distances(transitions, threads=self.threads)

    def flop_hierarchy(self, cluster_of_flop: NDArray[np.int32], buckets: int) -> Fit:
        """Run Algorithm 1 on the flop, or return what it gave before."""
        points, key = self.points["flop"], (cluster_of_flop.tobytes(), buckets)

        def a_r(members: NDArray[np.int64], many: int, seed: int) -> NDArray[np.int32]:
            return by_emd(points[members], many, seed, self.scale.iterations, self.threads)

        if key not in self.hierarchical:
            each = Round(len(points.weights), buckets, a_r, self.hands.flop_of)
            made = hierarchical([each], cluster_of_flop, seed=SEED).rounds[0]
            found = made.cluster.astype(np.int64) * buckets + made.bucket
            used = len(np.unique(found))
            self.hierarchical[key] = len(found), used, points.measured(found, self.threads)
        return self.hierarchical[key]

    def turn_hierarchy(self, cluster_of_flop: NDArray[np.int32], buckets: int) -> Fit:
        """Run Algorithm 1 on the turn, where hands with equal histograms are one point."""
        points, used, measured, mass = 0, 0, [], []
        for which, deals in enumerate(self.hands.turn_weights(cluster_of_flop)):
            present = np.flatnonzero(deals)
            if not len(present):
                continue
            each = Points(self.hands.turn[present], deals[present], self.points["turn"].equity[present])
            found = by_emd(each, buckets, SEED + which, self.scale.iterations, self.threads)
            points, used = points + len(present), used + len(np.unique(found))
            measured.append(each.measured(found, self.threads))
            mass.append(int(deals.sum()))
        return points, used, combined(measured, mass)

    def hierarchies(self, apart: Floats) -> list[Row]:
        """Compare hierarchical with free buckets at equal totals."""
        rows = []
        for clusters, buckets in self.scale.hierarchies:
            public = cluster_public(apart, clusters, seed=SEED, restarts=RESTARTS).assignment
            for street, make in (("flop", self.flop_hierarchy), ("turn", self.turn_hierarchy)):
                self.say(f"{street}: {clusters} x {buckets} buckets")
                start = time.perf_counter()
                points, used, measured = make(public, buckets)
                row = Row(
                    "hierarchy", street, "hierarchical", clusters, buckets, used, points,
                    seconds=time.perf_counter() - start, **measured,
                )  # fmt: skip
                rows += [row] + [
                    self.free_row("hierarchy", street, "free", size) for size in (clusters * buckets, buckets)
                ]
        return list(dict.fromkeys(rows))

    def publics(self, apart: Floats) -> list[Public]:
        """Compare every way to cluster flops."""
        for method in METHODS:  # Compile the kernels before the clock starts.
            cluster_public(apart[:4, :4], 2, method=method)
        made = []
        for clusters in self.scale.public:
            for method in METHODS:
                self.say(f"{clusters} public clusters, {method}")
                start = time.perf_counter()
                found = cluster_public(apart, clusters, method=method, seed=SEED, restarts=RESTARTS)
                seconds = time.perf_counter() - start
                _, used, measured = self.flop_hierarchy(found.assignment, self.scale.public_buckets)
                held = found.sizes[found.sizes > 0]
                made.append(
                    Public(
                        method, clusters, clusters - len(held), int(held.min()), int(held.max()),
                        found.objective, mean_apart(apart, found.assignment), self.scale.public_buckets,
                        used, seconds=seconds, **measured,
                    )
                )  # fmt: skip
        return made

    def river_rows(self) -> list[Row]:
        """Compare buckets of codes, free k-means and intervals of equity, on boards they were not fitted to."""
        fitted, measured = self.river.fitted, self.river.measured
        coded = [(codes, codes_of(codes, fitted), codes_of(codes, measured)) for codes in self.river.codes]
        rows: list[Row] = []
        found: NDArray[Any]
        for codes, _, of in coded:
            rows.append(self.river_row(code_name(codes), len(codes.vectors), of, 0.0))
        mass = np.bincount(fitted.equity, fitted.weight, minlength=FULL + 1)
        for size in self.scale.river_sizes:
            self.say(f"river: {size:,} buckets")
            for codes, of_fitted, of in coded:
                deals = np.bincount(of_fitted, fitted.weight, minlength=len(codes.vectors)).astype(np.int64)
                start = time.perf_counter()
                found = code_buckets(codes, deals, min(size, len(codes.vectors)), SEED)[of]
                rows.append(self.river_row(code_name(codes), size, found, time.perf_counter() - start))
            start = time.perf_counter()
            found = self.river_free(size)
            rows.append(self.river_row("free", size, found, time.perf_counter() - start))
            start = time.perf_counter()
            found = best_intervals(mass, size).of(size)[measured.equity]
            rows.append(self.river_row("intervals", size, found, time.perf_counter() - start))
        return rows

    def river_free(self, buckets: int) -> NDArray[np.int32]:
        fitted = self.river.fitted
        found = cluster(
            fitted.ochs, buckets, metric="l2", weights=fitted.weight, seed=SEED, threads=self.threads,
            iterations=self.scale.iterations,
        )  # fmt: skip
        return nearest(self.river.measured.ochs, found.centers, metric="l2", threads=self.threads)

    def river_row(self, method: str, buckets: int, found: NDArray[np.integer], seconds: float) -> Row:
        measured = self.river.measured
        return Row(
            "river", "river", method, 1, buckets, len(np.unique(found)), len(found),
            spread=equity_spread(measured.equity / FULL, measured.weight, found),
            ochs=ochs_error(measured.ochs, measured.weight, found),
            seconds=seconds,
        )  # fmt: skip

    def examples(self) -> list[Example]:
        """Show three percentile buckets of the flop, and where k-medians puts their hands."""
        points, size = self.points["flop"], self.scale.sizes[0]
        ehs, emd = by_percentiles(points, size), self.free("flop", size)
        deviation = equity_deviation(points.histograms)
        made = []
        for bucket in (size // 2, 5 * size // 8, 3 * size // 4):
            members = np.flatnonzero(ehs == bucket)
            if len(members):
                made.append(self.example(members, emd, deviation))
        return made

    def example(self, members: NDArray[np.intp], emd: NDArray[np.int32], deviation: Floats) -> Example:
        points = self.points["flop"]
        order = members[np.argsort(deviation[members], kind="stable")]
        share = np.cumsum(points.weights[order]) / points.weights[order].sum()
        parts, cards, deviations = [], [], []
        for tenth in (order[share <= max(TENTH, share[0])], order[share > min(1 - TENTH, share[-2:].min())]):
            bucket = int(np.argmax(np.bincount(emd[tenth], points.weights[tenth])))
            inside = tenth[emd[tenth] == bucket]
            shown = inside[len(inside) // 2]
            parts.append(mean_histogram(points, np.flatnonzero(emd == bucket)))
            cards.append(tuple(int(card) for card in self.hands.flop_cards[shown]))
            deviations.append(float(deviation[shown]))
        return Example(
            float(np.average(points.equity[members], weights=points.weights[members])),
            mean_histogram(points, members),
            (parts[0], parts[1]),
            (cards[0], cards[1]),
            (deviations[0], deviations[1]),
        )


def abstraction_quality(
    hands: Hands, river: River, scale: Scale = FULL_SCALE, threads: int = 1, watch: Watch | None = None
) -> Result:
    """Run all parts of the experiment, one after the other."""
    seconds: dict[str, float] = {}

    def timed(name: str, part: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        made = part()
        seconds[name] = time.perf_counter() - start
        return made

    run = timed("deals by turn histogram", lambda: _Experiment(hands, river, scale, threads, saying(watch)))
    rows: list[Row] = timed("buckets", lambda: [*run.buckets("flop"), *run.buckets("turn")])
    apart = timed("flops compared", run.flop_distances)
    rows += timed("hierarchies", lambda: run.hierarchies(apart))
    publics = timed("public clusters", lambda: run.publics(apart))
    rows += timed("river", run.river_rows)
    rows += timed("potential", run.potential)
    examples = run.examples()
    return Result(scale, tuple(rows), tuple(publics), tuple(examples), seconds)
