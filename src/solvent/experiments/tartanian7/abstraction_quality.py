"""How well buckets of hold'em hands fit: hierarchical and free, by EMD, by percentiles, by potential; river codes.

Two measures of flop and turn buckets, both weighted by deals and in units of equity (0 to 1):

- spread: the standard deviation of hands' mean equity inside their buckets,
- EMD: the mean earth mover's distance of a hand's equity histogram to its bucket's median histogram.

The first knows only what a hand is worth on average, the second also how that changes with the cards to come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import code_buckets, percentiles, transition_table
from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.cards.features import RiverCodes, mean_equity
from solvent.abstraction.clustering.cluster import Ground, Histograms, cluster, distances, nearest
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.abstraction.clustering.lloyd import Assigned
from solvent.abstraction.clustering.vectors import Vectors, padded
from solvent.abstraction.hierarchical.hierarchical import Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import METHODS, cluster_public, transition_distances
from solvent.cards.showdown import FULL
from solvent.experiments.tartanian7.abstraction_hands import Hands, River, RiverHands

Street = Literal["flop", "turn"]
Say = Callable[[str], None]
Floats = NDArray[np.float64]
Fit = tuple[int, int, dict[str, float]]
"""How many points were put into buckets, how many buckets have any, and both measures."""

GRID = 1 << 14
"""Steps of mean equity that the best intervals are found on."""
RESTARTS = 10
"""Of public clusterings."""
SEED = 0
TENTH = 0.1
"""The part of a bucket's deals that examples of steady hands and of draws are taken from."""


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    flops: int | None = None
    """Classes of flops that hands are taken from, spread evenly; None: all of them."""
    sizes: tuple[int, ...] = (50, 200, 400)
    """Numbers of free buckets on flop and turn."""
    hierarchies: tuple[tuple[int, int], ...] = ((4, 20), (8, 50), (30, 50))
    """(public clusters, buckets in each); each is compared with as many free buckets."""
    base: int = 1_000
    """Flop buckets by which flops are compared."""
    public: tuple[int, ...] = (8, 30)
    """Numbers of public clusters."""
    public_buckets: int = 50
    """Flop buckets in each of them."""
    potential_buckets: int = 200
    """Turn buckets that potential-aware histograms are over."""
    potential_every: int = 64
    """Potential-aware buckets are of every so many-th flop hand."""
    potential_iterations: int = 10
    strips: int = 16
    codes_per_strip: tuple[int, ...] = (32, 128)
    river_sizes: tuple[int, ...] = (50, 200, 400)
    river_every: int = 134
    """River hands are those on every so many-th board."""
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
    """One way to put hands into buckets, and how well it fits."""

    part: str
    street: str
    method: str
    clusters: int
    buckets: int
    """In each cluster."""
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
    """One way to cluster flops, and how well 50 buckets in each cluster fit."""

    method: str
    clusters: int
    empty: int
    smallest: int
    """Flops up to suits in the smallest cluster that has any."""
    largest: int
    objective: float
    """What the method lowers."""
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
    """Hands of equal mean equity: one bucket by percentiles, and where k-medians put its steady hands and draws."""

    equity: float
    """The mean of the bucket by percentiles."""
    whole: Floats
    """float64[32]: shares of run-outs by the equity they leave, the mean over the bucket."""
    parts: tuple[Floats, Floats]
    """The same of the bucket of k-medians that most of its surest hands are in, and of most of its draws'."""
    cards: tuple[tuple[int, ...], tuple[int, ...]]
    """A hand of each of the two: its cards, then the flop's."""
    deviations: tuple[float, float]
    """The standard deviation over run-outs of these two hands' equity."""


@dataclass(frozen=True)
class Result:
    """What was measured."""

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


# The measures


def equity_spread(equity: Floats, weights: NDArray[np.integer], buckets: NDArray[np.integer]) -> float:
    """The weighted standard deviation of values around the mean of their bucket.

    >>> equity_spread(np.array([0.2, 0.4, 0.9]), np.array([1, 1, 2]), np.array([0, 0, 1])).__round__(6)
    0.070711
    """
    mass = np.bincount(buckets, weights)
    mean = np.bincount(buckets, weights * equity) / np.maximum(mass, 1)
    return float(np.sqrt(np.average((equity - mean[buckets]) ** 2, weights=weights)))


def emd_objective(
    histograms: NDArray[Any], weights: NDArray[np.integer], buckets: NDArray[np.integer], threads: int = 1
) -> float:
    """The weighted mean EMD of cumulative histograms to the median of their bucket, in units of equity.

    >>> rows = np.array([[4, 4, 4, 4], [0, 4, 4, 4], [0, 4, 4, 4]], np.uint8)
    >>> emd_objective(rows, np.array([1, 1, 1]), np.array([0, 0, 0]))  # one in three moves by one of four bins
    0.08333333333333333
    """
    medians = median_histograms(histograms, weights, buckets, threads)
    space = Vectors(padded(histograms), weights.astype(np.int64), threads)
    own = space.own_distances(padded(medians), buckets.astype(np.int32))
    return float(np.average(own, weights=weights) / (int(histograms[0, -1]) * histograms.shape[1]))


def median_histograms(
    histograms: NDArray[Any], weights: NDArray[np.integer], buckets: NDArray[np.integer], threads: int = 1
) -> NDArray[Any]:
    """[buckets, bins]: the weighted median of the histograms of each bucket, bin by bin."""
    rows = padded(histograms)
    space = Vectors(rows, weights.astype(np.int64), threads)
    centers = np.zeros((int(buckets.max()) + 1, rows.shape[1]), rows.dtype)
    centers = space.improve(Assigned(centers, buckets.astype(np.int32), np.zeros(0), 0.0, 0, 0))
    return np.ascontiguousarray(centers[:, : histograms.shape[1]])


def potential_objective(
    points: Histograms, ground: Ground, weights: NDArray[np.integer], buckets: NDArray[np.integer]
) -> float:
    """The weighted mean EMD over the ground of histograms to the mean of their bucket."""
    total, cost = int(points.counts[0].sum()), 0.0
    for members in _groups(buckets):
        dense, weight = points[members].dense(len(ground.distance)), weights[members]
        center = np.average(dense, axis=0, weights=weight)
        cost += float(weight @ distances(points[members], center[None], metric=ground)[:, 0])
    return cost / int(weights.sum()) / total


def ochs_error(
    ochs: NDArray[np.float32], weights: NDArray[np.integer], buckets: NDArray[np.integer]
) -> float:
    """The weighted mean squared distance of vectors to the mean of their bucket."""
    return float(sum(equity_spread(each.astype(np.float64), weights, buckets) ** 2 for each in ochs.T))


def _groups(buckets: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """Members of each bucket that has any."""
    order = np.argsort(buckets, kind="stable")
    return [part for part in np.split(order, np.cumsum(np.bincount(buckets))[:-1]) if len(part)]


# Buckets


@dataclass(frozen=True)
class Points:
    """Hands of a street to be put into buckets."""

    histograms: NDArray[Any]
    weights: NDArray[np.int64]
    equity: Floats

    @staticmethod
    def of(histograms: NDArray[Any], weights: NDArray[np.int64]) -> Points:
        return Points(histograms, weights, mean_equity(histograms))

    def __getitem__(self, rows: NDArray[Any]) -> Points:
        return Points(self.histograms[rows], self.weights[rows], self.equity[rows])

    def measured(self, buckets: NDArray[np.integer], threads: int) -> dict[str, float]:
        """Both measures."""
        return {
            "spread": equity_spread(self.equity, self.weights, buckets),
            "emd": emd_objective(self.histograms, self.weights, buckets, threads),
        }


def by_emd(points: Points, buckets: int, seed: int, iterations: int, threads: int) -> NDArray[np.int32]:
    """k-medians by the EMD of equity histograms."""
    return cluster(
        points.histograms, min(buckets, len(points.weights)), metric="emd", weights=points.weights,
        seed=seed, iterations=iterations, threads=threads,
    ).assignment  # fmt: skip


def by_percentiles(points: Points, buckets: int) -> NDArray[np.int32]:
    """Parts of equal weight by mean equity."""
    return percentiles(points.equity, points.weights, buckets)


def by_intervals(points: Points, buckets: int) -> NDArray[np.int32]:
    """The intervals of mean equity that leave the least spread."""
    step = np.minimum((points.equity * GRID).astype(np.int64), GRID - 1)
    mass = np.bincount(step, points.weights, minlength=GRID)
    of_step: NDArray[np.int32] = best_intervals(mass, buckets).of(buckets)
    return of_step[step]


# The experiment


class _Experiment:
    """The parts of the experiment, on hands at hand."""

    def __init__(self, hands: Hands, river: River, scale: Scale, threads: int, say: Say) -> None:
        self.hands, self.river, self.scale, self.threads, self.say = hands, river, scale, threads, say
        self.points = {"flop": Points.of(hands.flop, hands.flop_weight)}
        whole = hands.turn_weights(np.zeros(hands.flops, dtype=np.int16))[0]
        self.points["turn"] = Points.of(hands.turn, whole)
        self.made: dict[tuple[str, int], NDArray[np.int32]] = {}
        """Free buckets by EMD."""
        self.free_rows: dict[tuple[str, int], Row] = {}
        self.hierarchical: dict[tuple[bytes, int], Fit] = {}

    def free(self, street: str, buckets: int) -> NDArray[np.int32]:
        """Free buckets by EMD, made once."""
        if (street, buckets) not in self.made:
            self.say(f"{street}: {buckets:,} buckets by EMD")
            self.made[street, buckets] = by_emd(
                self.points[street], buckets, SEED, self.scale.iterations, self.threads
            )
        return self.made[street, buckets]

    def free_row(self, part: str, street: str, method: str, buckets: int) -> Row:
        """The same measured, once."""
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
        """Buckets made and measured, by both measures and more."""
        start = time.perf_counter()
        found = make()
        seconds = time.perf_counter() - start
        measured = points.measured(found, self.threads) | {name: by(found) for name, by in more.items()}
        used = len(np.unique(found))
        return Row(part, street, method, 1, buckets, used, len(found), seconds=seconds, **measured)

    def buckets(self, street: Street) -> list[Row]:
        """EMD against EHS at equal numbers of buckets."""
        points = self.points[street]
        rows = []
        for size in self.scale.sizes:
            rows.append(self.free_row("buckets", street, "emd", size))
            for method, make in (("percentiles", by_percentiles), ("intervals", by_intervals)):
                rows.append(self.row("buckets", street, method, size, points, partial(make, points, size)))
        return rows

    def potential(self) -> list[Row]:
        """Potential-aware buckets beside the others, on every so many-th flop hand."""
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
        """Algorithm 2: distances between flops, from the base buckets."""
        base = self.free("flop", self.scale.base)
        transitions = transition_table(base, self.hands.flop_of, self.hands.flop_weight.astype(np.uint8))
        return transition_distances(transitions, threads=self.threads)

    def flop_hierarchy(self, cluster_of_flop: NDArray[np.int32], buckets: int) -> Fit:
        """Algorithm 1 on the flop, done once."""
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
        """The same on the turn, where hands of one histogram are one point."""
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
        """Hierarchical against free buckets at equal totals."""
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
        """Every way to cluster flops."""
        for method in METHODS:  # kernels, on a few flops
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
        """Codes in buckets, free k-means, intervals of equity: fitted on some boards, measured on others."""
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
        """Three buckets by percentiles of the flop, from the middle up, and what k-medians do with their hands."""
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
    hands: Hands, river: River, scale: Scale = FULL_SCALE, threads: int = 1, say: Say = lambda said: None
) -> Result:
    """All parts of the experiment, one after the other."""
    seconds: dict[str, float] = {}

    def timed(name: str, part: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        made = part()
        seconds[name] = time.perf_counter() - start
        return made

    run = timed("deals by turn histogram", lambda: _Experiment(hands, river, scale, threads, say))
    rows: list[Row] = timed("buckets", lambda: [*run.buckets("flop"), *run.buckets("turn")])
    apart = timed("flops compared", run.flop_distances)
    rows += timed("hierarchies", lambda: run.hierarchies(apart))
    publics = timed("public clusters", lambda: run.publics(apart))
    rows += timed("river", run.river_rows)
    rows += timed("potential", run.potential)
    examples = run.examples()
    return Result(scale, tuple(rows), tuple(publics), tuple(examples), seconds)


def combined(measured: Iterable[dict[str, float]], mass: Iterable[int]) -> dict[str, float]:
    """The measures of clusters of these weights together."""
    each, weights = list(measured), np.array(list(mass))
    return {
        "spread": float(np.sqrt(np.average([one["spread"] ** 2 for one in each], weights=weights))),
        "emd": float(np.average([one["emd"] for one in each], weights=weights)),
    }


def mean_apart(apart: Floats, assignment: NDArray[np.integer]) -> float:
    """The mean over states of their mean distance to the others of their cluster; 0 for those alone."""
    total = 0.0
    for members in _groups(assignment):
        if len(members) > 1:
            total += float(apart[np.ix_(members, members)].sum()) / (len(members) - 1)
    return total / len(assignment)


def codes_of(codes: RiverCodes, hands: RiverHands) -> NDArray[np.int64]:
    """int64[hands]: the code of each: its strip by equity, in the strip the nearest centre."""
    strip = codes.strip_of[hands.equity]
    per_strip = codes.centers.shape[2]
    found = np.empty(len(strip), dtype=np.int64)
    for members in _groups(strip):
        which = int(strip[members[0]])
        centers = np.ascontiguousarray(codes.centers[which].T)
        found[members] = which * per_strip + nearest(hands.ochs[members], centers, metric="l2")
    return found


def code_name(codes: RiverCodes) -> str:
    """Codes as strips x codes in each."""
    strips, _, per_strip = codes.centers.shape
    return f"codes {strips}x{per_strip}"


def equity_deviation(histograms: NDArray[Any]) -> Floats:
    """float64[hands]: the standard deviation of equity over run-outs, bins at their middles."""
    middles = (np.arange(BINS) + 0.5) / BINS
    mean, total = mean_equity(histograms), float(histograms[0, -1])
    squares = np.full(len(histograms), middles[-1] ** 2)
    for bin_, step in enumerate(np.diff(middles**2)):
        squares -= histograms[:, bin_] * (step / total)
    made: Floats = np.sqrt(np.maximum(squares - mean**2, 0.0))
    return made


def mean_histogram(points: Points, members: NDArray[np.intp]) -> Floats:
    """float64[32]: the mean share of run-outs in each bin."""
    cumulative = np.average(points.histograms[members], axis=0, weights=points.weights[members])
    shares: Floats = np.diff(cumulative, prepend=0) / cumulative[-1]
    return shares
