"""Comparisons of card abstractions: how well buckets of hold'em hands fit, measured by `bucket_quality`.

Hierarchical buckets (Algorithm 1) are compared with free ones at equal totals, buckets by EMD with percentiles and
intervals of mean equity, potential-aware buckets with both, all ways to cluster flops (Algorithm 2) with each
other, and ways to code river hands with free k-means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import code_buckets, transition_table
from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.cards.features import RiverCodes
from solvent.abstraction.clustering.cluster import Ground, cluster, distances, nearest
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.abstraction.hierarchical.hierarchical import Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import METHODS, cluster_public, transition_distances
from solvent.cards.deck import cards_label
from solvent.cards.showdown import FULL
from solvent_papers.frame.experiment import Found, Say
from solvent_papers.interleaved import timed
from solvent_papers.tartanian7 import bucket_quality as quality
from solvent_papers.tartanian7.abstraction_hands import Hands, River
from solvent_papers.tartanian7.bucket_quality import Floats, Points

Buckets = NDArray[np.integer[Any]]
Row = dict[str, Any]
Measures = dict[str, float]
MEASURES = ("used", "hands", "spread", "emd", "potential", "ochs")
"""Columns of measures, which not all rows have."""

STREETS = ("flop", "turn")
SEED = 0
TENTH = 0.1
"""The share of a bucket's deals from which examples of steady hands, and of draws, are taken."""


@dataclass(frozen=True)
class Sizes:
    """Numbers of hands, clusters and buckets that are compared."""

    flops: int | None = None
    """Number of classes of flops from which hands are taken, spread evenly; None for all of them."""
    free: tuple[int, ...] = (50, 200, 400)
    """Numbers of free buckets on flop and turn."""
    hierarchies: tuple[tuple[int, int], ...] = ((4, 20), (8, 50), (30, 50))
    """Pairs (public clusters, buckets in each); each is compared with the same total of free buckets."""
    base: int = 1_000
    """Flop buckets by which flops are compared."""
    public: tuple[int, ...] = (8, 30)
    """Numbers of public clusters."""
    restarts: int = 10
    """Random starts of each public clustering."""
    public_buckets: int = 50
    """Flop buckets in each of them."""
    potential_buckets: int = 200
    """Turn buckets that potential-aware histograms are over."""
    potential_every: int = 64
    """Potential-aware buckets are made of every n-th flop hand."""
    potential_iterations: int = 10
    strips: int = 16
    codes_per_strip: tuple[int, ...] = (32, 128)
    river: tuple[int, ...] = (50, 200, 400)
    river_every: int = 134
    """River hands are taken from every n-th of 134,459 boards."""
    iterations: int = 20


SMALL = Sizes(
    flops=12, free=(20, 80), hierarchies=((4, 20),), base=100, public=(4,), river=(8, 20), river_every=2_680
)


def compare(hands: Hands, river: River, sizes: Sizes, threads: int, say: Say) -> Found:
    """Make all comparisons, one after the other."""
    run = Comparison(hands, river, sizes, threads, say)
    rows, apart = [*run.buckets("flop"), *run.buckets("turn")], run.flop_distances()
    rows += run.hierarchies(apart)
    publics = run.publics(apart)
    rows += [*run.river_rows(), *run.potential()]
    return {"sizes": asdict(sizes), "rows": rows, "publics": publics, "examples": run.examples()}


def rows_of(
    part: str,
    street: str,
    size: int,
    methods: Mapping[str, Callable[[int], Buckets]],
    measure: Callable[[Buckets], Measures],
) -> list[Row]:
    """Make buckets in each way, and measure them."""
    rows = []
    for method, make in methods.items():
        made, seconds = timed(make, size)
        rows.append(fit_row(part, street, method, 1, size, fit_of(made, measure(made)), seconds))
    return rows


def fit_row(
    part: str, street: str, method: str, clusters: int, buckets: int, fit: Measures, seconds: float
) -> Row:
    """Return the row of one way to put hands into buckets, with `buckets` in each of `clusters`."""
    head = {"part": part, "street": street, "method": method, "clusters": clusters, "buckets": buckets}
    return {**head, **{name: fit.get(name) for name in MEASURES}, "seconds": seconds}


def fit_of(made: Buckets, measured: Measures) -> Measures:
    """Return the measures of buckets, with the numbers of buckets that have hands and of points that were measured.

    Points are classes of hands, or distinct histograms of a cluster. `emd` and `potential` are in units of equity,
    the latter over turn buckets; `ochs` is a mean squared distance.
    """
    return {"used": len(np.unique(made)), "hands": len(made), **measured}


class Comparison:
    """The comparisons, on hands that are already prepared."""

    def __init__(self, hands: Hands, river: River, sizes: Sizes, threads: int, say: Say) -> None:
        self.hands, self.river, self.sizes, self.threads, self.say = hands, river, sizes, threads, say
        whole = hands.turn_weights(np.zeros(len(hands.flops), dtype=np.int16))[0]
        self.points = {
            "flop": Points.of(hands.flop.histograms, hands.flop.weight.astype(np.int64)),
            "turn": Points.of(hands.turn.histograms, whole),
        }
        self._free: dict[tuple[str, int], tuple[Buckets, Row]] = {}
        """Free buckets by EMD and their rows, from (street, number of buckets)."""

    def free(self, street: str, size: int) -> tuple[Buckets, Row]:
        """Return free buckets by EMD and their row, made and measured once."""
        if (street, size) not in self._free:
            self.say(f"{street}: {size:,} buckets by EMD")
            made, seconds = timed(self._by_emd, self.points[street], size)
            fit = fit_of(made, self.points[street].measured(made, self.threads))
            self._free[street, size] = made, fit_row("buckets", street, "emd", 1, size, fit, seconds)
        return self._free[street, size]

    def _by_emd(self, points: Points, size: int, seed: int = SEED) -> Buckets:
        return quality.by_emd(points, size, seed, self.sizes.iterations, self.threads)

    def buckets(self, street: str) -> list[Row]:
        """Compare buckets by EMD with buckets by mean equity (EHS) at equal numbers of buckets."""
        points = self.points[street]
        measure = partial(points.measured, threads=self.threads)
        methods = {
            "percentiles": partial(quality.by_percentiles, points),
            "intervals": partial(quality.by_intervals, points),
        }
        rows = []
        for size in self.sizes.free:
            rows += [self.free(street, size)[1], *rows_of("buckets", street, size, methods, measure)]
        return rows

    def potential(self) -> list[Row]:
        """Compare potential-aware buckets with the others on every n-th flop hand."""
        sizes, turn = self.sizes, self.points["turn"]
        turn_bucket, _ = self.free("turn", sizes.potential_buckets)
        centers = quality.median_histograms(turn.histograms, turn.weights, turn_bucket, self.threads)
        ground = distances(centers, centers, metric="emd") / (int(centers[0, -1]) * BINS)
        metric = Ground(ground.astype(np.float32))
        members = np.arange(0, len(self.hands.classes), sizes.potential_every)
        histograms = self.hands.potential(turn_bucket.astype(np.uint16), members)
        points = self.points["flop"][members]

        def by_potential(size: int) -> Buckets:
            self.say(f"flop: {size:,} potential-aware buckets of {len(members):,} hands")
            return cluster(
                histograms, size, metric=metric, weights=points.weights, seed=SEED,
                iterations=sizes.potential_iterations, threads=self.threads,
            ).assignment  # fmt: skip

        def measure(made: Buckets) -> Measures:
            own = quality.potential_objective(histograms, metric, points.weights, made)
            return points.measured(made, self.threads) | {"potential": own}

        methods: dict[str, Callable[[int], Buckets]] = {
            "potential": by_potential,
            "emd": partial(self._by_emd, points),
            "percentiles": partial(quality.by_percentiles, points),
        }
        return [row for size in sizes.free for row in rows_of("potential", "flop", size, methods, measure)]

    def flop_distances(self) -> Floats:
        """Compute distances between flops from the base buckets (Algorithm 2)."""
        base, _ = self.free("flop", self.sizes.base)
        transitions = transition_table(base, self.hands.flop_of, self.hands.flop.weight)
        return transition_distances(transitions, threads=self.threads)

    def flop_hierarchy(self, cluster_of_flop: NDArray[np.int32], buckets: int) -> Measures:
        """Run Algorithm 1 on the flop."""
        points = self.points["flop"]

        def by_emd_among(members: NDArray[np.int64], size: int, seed: int) -> Buckets:
            return self._by_emd(points[members], size, seed)

        each = Round(len(points.weights), buckets, by_emd_among, self.hands.flop_of)
        made = hierarchical([each], cluster_of_flop, seed=SEED).rounds[0]
        found = made.cluster.astype(np.int64) * buckets + made.bucket
        return fit_of(found, points.measured(found, self.threads))

    def turn_hierarchy(self, cluster_of_flop: NDArray[np.int32], buckets: int) -> Measures:
        """Run Algorithm 1 on the turn, where hands with equal histograms are one point."""
        points, used, measured, mass = 0, 0, [], []
        for which, deals in enumerate(self.hands.turn_weights(cluster_of_flop)):
            present = np.flatnonzero(deals)
            if not len(present):
                continue
            each = replace(self.points["turn"][present], weights=deals[present])
            found = self._by_emd(each, buckets, SEED + which)
            points, used = points + len(present), used + len(np.unique(found))
            measured.append(each.measured(found, self.threads))
            mass.append(int(deals.sum()))
        return {"used": used, "hands": points, **quality.combined(measured, mass)}

    def hierarchies(self, apart: Floats) -> list[Row]:
        """Compare hierarchical with free buckets at equal totals."""
        rows: list[Row] = []
        for clusters, buckets in self.sizes.hierarchies:
            public = cluster_public(apart, clusters, seed=SEED, restarts=self.sizes.restarts).assignment
            for street, make in (("flop", self.flop_hierarchy), ("turn", self.turn_hierarchy)):
                self.say(f"{street}: {clusters} x {buckets} buckets")
                fit, seconds = timed(make, public, buckets)
                rows.append(fit_row("hierarchy", street, "hierarchical", clusters, buckets, fit, seconds))
                for size in (clusters * buckets, buckets):
                    free = {**self.free(street, size)[1], "part": "hierarchy", "method": "free"}
                    rows += [] if free in rows else [free]
        return rows

    def publics(self, apart: Floats) -> list[Row]:
        """Compare every way to cluster flops: how large clusters are, and how well the buckets inside them fit.

        `smallest` leaves out empty clusters. `objective` is the value that the method minimises, `apart` a flop's
        mean distance to the flops of its cluster: the share of hands that are bucketed apart.
        """
        for method in METHODS:  # Compile the kernels before the clock starts.
            cluster_public(apart[:4, :4], 2, method=method)
        rows = []
        for clusters in self.sizes.public:
            for method in METHODS:
                self.say(f"{clusters} public clusters, {method}")
                options = {"method": method, "seed": SEED, "restarts": self.sizes.restarts}
                found, seconds = timed(cluster_public, apart, clusters, **options)
                fit = self.flop_hierarchy(found.assignment, self.sizes.public_buckets)
                held = found.sizes[found.sizes > 0]
                row = {
                    "method": method,
                    "clusters": clusters,
                    "empty": clusters - len(held),
                    "smallest": int(held.min()),
                    "largest": int(held.max()),
                    "objective": found.objective,
                    "apart": quality.mean_apart(apart, found.assignment),
                    "buckets": self.sizes.public_buckets,
                }
                measures = {name: fit[name] for name in ("used", "spread", "emd")}
                rows.append({**row, **measures, "seconds": seconds})
        return rows

    def river_rows(self) -> list[Row]:
        """Compare buckets of codes, free k-means and intervals of equity, on boards they were not fitted to."""
        fitted, measured = self.river.fitted, self.river.measured
        mass = np.bincount(fitted.equity, fitted.weight, minlength=FULL + 1)

        def by_codes(codes: RiverCodes, of_fitted: Buckets, of: Buckets, size: int) -> Buckets:
            deals = np.bincount(of_fitted, fitted.weight, minlength=len(codes.vectors)).astype(np.int64)
            return code_buckets(codes, deals, min(size, len(codes.vectors)), SEED)[of]

        def free(size: int) -> Buckets:
            found = cluster(
                fitted.ochs, size, metric="l2", weights=fitted.weight, seed=SEED, threads=self.threads,
                iterations=self.sizes.iterations,
            )  # fmt: skip
            return nearest(measured.ochs, found.centers, metric="l2", threads=self.threads)

        def intervals(size: int) -> Buckets:
            made: Buckets = best_intervals(mass, size).of(size)[measured.equity]
            return made

        def measure(made: Buckets) -> Measures:
            spread = quality.equity_spread(measured.equity / FULL, measured.weight, made)
            return {"spread": spread, "ochs": quality.ochs_error(measured.ochs, measured.weight, made)}

        rows, methods = list[Row](), dict[str, Callable[[int], Buckets]]()
        for codes in self.river.codes:
            name = f"codes {len(codes.centers)}x{codes.centers.shape[2]}"
            of_fitted, of = quality.codes_of(codes, fitted), quality.codes_of(codes, measured)
            rows.append(fit_row("river", "river", name, 1, len(codes.vectors), fit_of(of, measure(of)), 0.0))
            methods[name] = partial(by_codes, codes, of_fitted, of)
        methods |= {"free": free, "intervals": intervals}
        for size in self.sizes.river:
            self.say(f"river: {size:,} buckets")
            rows += rows_of("river", "river", size, methods, measure)
        return rows

    def examples(self) -> list[Found]:
        """Describe three percentile buckets of the flop, and the buckets in which k-medians puts their hands."""
        points, size = self.points["flop"], self.sizes.free[0]
        ehs, (emd, _) = quality.by_percentiles(points, size), self.free("flop", size)
        deviation = quality.equity_deviation(points.histograms)
        three = (np.flatnonzero(ehs == bucket) for bucket in (size // 2, 5 * size // 8, 3 * size // 4))
        return [self._example(members, emd, deviation) for members in three if len(members)]

    def _example(self, members: NDArray[np.intp], emd: Buckets, deviation: Floats) -> Found:
        """Describe a percentile bucket: its histogram, and those of two k-medians buckets with a hand of each.

        The one has most of the bucket's steadiest hands, the other most of its draws: hands whose equity over
        run-outs has the smallest and the largest standard deviation.
        """
        points = self.points["flop"]
        order = members[np.argsort(deviation[members], kind="stable")]
        share = np.cumsum(points.weights[order]) / points.weights[order].sum()
        steady, draws = order[share <= max(TENTH, share[0])], order[share > min(1 - TENTH, share[-2:].min())]
        parts = {}
        for name, tenth in (("steady", steady), ("draw", draws)):
            bucket = int(np.argmax(np.bincount(emd[tenth], points.weights[tenth])))
            inside = tenth[emd[tenth] == bucket]
            shown = inside[len(inside) // 2]
            cards = self.hands.cards[shown].tolist()
            parts[name] = {
                "shares": quality.mean_histogram(points, np.flatnonzero(emd == bucket)).tolist(),
                "hand": f"{cards_label(cards[:2])} on {cards_label(cards[2:])}",
                "deviation": float(deviation[shown]),
            }
        equity = float(np.average(points.equity[members], weights=points.weights[members]))
        return {"equity": equity, "shares": quality.mean_histogram(points, members).tolist(), **parts}
