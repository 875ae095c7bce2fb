"""Building a card abstraction: features, base buckets, public clusters, then the buckets of every street.

A building is a run. Its checkpoints are the stages that are done, and long clusterings keep where they stand in the
folder's `work`, so that a build that was stopped or killed continues where it was. Both are removed once the
tables are complete.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import TABLES, VERSION, CardAbstraction, describe_tables
from solvent.abstraction.cards.features import (
    FLOP,
    DealtTurns,
    FlopFeatures,
    RiverCodes,
    TurnFeatures,
    dealt_turn_hands,
    fit_river_codes,
    flop_features,
    mean_equity,
    opponent_clusters,
    potential_histograms,
    river_features,
    turn_features,
)
from solvent.abstraction.cards.presets import Design
from solvent.abstraction.cards.rule_buckets import rule_tables
from solvent.abstraction.clustering.cluster import Clustering, Ground, cluster, distances, nearest
from solvent.abstraction.hierarchical.hierarchical import Bucketing, Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import cluster_public, transition_distances
from solvent.cards.isomorphism import Indexer
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.bundle import read_bundle, write_bundle
from solvent.foundation.storage.files import check_room, remove_half_written
from solvent.foundation.storage.run import CHECKPOINTS, Retention, Run

WORK = "work"
STAGES = (
    "turn histograms",
    "flop histograms",
    "potential buckets",
    "base buckets",
    "public clusters",
    "flop buckets",
    "turn buckets",
    "river buckets",
)
"""In the order they are made; checkpoint N of the run holds what stage N, counted from 1, has made."""
RULE_STAGE = "rule buckets"
"""The one stage of buckets by rule, which is quick and keeps nothing until it is done."""
RULE_SECONDS = 100.0
"""Seconds in which one core finds all rule buckets."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Estimate:
    """Cost of a build."""

    seconds: float
    memory: int
    """Bytes of memory at most."""
    disk: int
    """Bytes on the disk while it is built."""
    kept: int
    """Bytes on the disk that stay."""


def estimate(design: Design, threads: int) -> Estimate:
    """Estimate what building costs, from costs measured on one core of a 2 GHz server and divided by the threads.

    A clustering compares each point only with the centres that its bounds leave, a share that falls with `k`.
    """
    if design.by_rule:
        tables = 2 * (55_190_538 + 123_156_254 + 1_286_792)
        return Estimate(seconds=6.0 + RULE_SECONDS / threads, memory=1_000 << 20, disk=tables, kept=tables)
    passes = 69.0 + 0.38 * design.codes_per_strip
    alone = 12.0  # sorting states into clusters, and writing, are one thread's work
    flop = 1.29e6 * design.iterations * (_compared(design.base) + _compared(design.flop)) * 6.0e-9
    turn = 0.65e6 * design.clusters * design.iterations * _compared(design.turn) * 6.0e-9
    if design.flop_features == "potential":
        flop += 1.29e6 * design.iterations * (design.base + design.flop) * 1.0e-6
    tables = 2 * 55_190_538 + 4 * 123_156_254 + 2 * 1_286_792
    return Estimate(
        seconds=alone + (passes + (flop + turn) * design.restarts) / threads,
        memory=2_400 << 20,
        disk=tables + (700 << 20),
        kept=tables,
    )


def _compared(centers: int) -> float:
    """Estimate the distances that the bounds leave to compute for a point in an iteration."""
    return 8.0 + float(0.06 * centers)


def build(
    design: Design,
    folder: Path,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> tuple[CardAbstraction, dict[str, float]]:
    """Make a card abstraction in a new or an unfinished folder, and say how many seconds each stage took.

    Equal designs make equal tables, whatever the number of threads. A stop ends it with `Interrupted`, Ctrl-C with
    KeyboardInterrupt; another call continues where it stood.
    """
    found = _built(design, folder)
    if found is not None:
        return found, found.facts.get("seconds", {})
    run = _begun(design, folder, threads)
    with run.locked():
        if (found := _built(design, folder)) is None:  # else another process was quicker
            made = run.folder / WORK
            made.mkdir(exist_ok=True)
            remove_half_written(made)
            builder = _Builder(design, run, threads, watch or (lambda progress: None), stop or Stop())
            arrays = builder.tables()
            facts = describe_tables(arrays, design) | {"seconds": builder.seconds, "threads": threads}
            CardAbstraction(arrays, facts).save(folder)
            found = CardAbstraction.load(folder)
        for finished in (WORK, CHECKPOINTS):
            shutil.rmtree(folder / finished, ignore_errors=True)
        return found, found.facts.get("seconds", {})


def _built(design: Design, folder: Path) -> CardAbstraction | None:
    """The abstraction that a folder holds, if it is complete and of this design."""
    if not (folder / TABLES).is_dir():
        return None
    made = CardAbstraction.load(folder)
    if made.design != design:
        raise InputError(f"{folder} holds another abstraction, {made.design.label}; choose another folder")
    return made


def _begun(design: Design, folder: Path, threads: int) -> Run:
    """The run that builds a design: a new one, or the one that the folder holds."""
    needed = estimate(design, threads).disk
    fixed = {**design.as_dict(), "tables_version": VERSION}
    if Run.is_run(folder):
        run = Run.open(folder, "cards")
        if run.fixed != fixed:
            raise InputError(
                f"{folder} holds an unfinished abstraction of another design or version; choose another folder"
            )
        made = sum(path.stat().st_size for path in folder.rglob("*.npy"))
        check_room(folder, max(0, needed - made))
        return run
    Run.check_new(folder)
    check_room(folder, needed)
    return Run.create(folder, "cards", fixed, retention=Retention(newest=len(STAGES)))


class _Builder:
    """The stages of one design."""

    def __init__(self, design: Design, run: Run, threads: int, watch: Watch, stop: Stop) -> None:
        self.design, self.run, self.threads, self.watch, self.stop = design, run, threads, watch, stop
        self.work = run.folder / WORK
        self.seconds: dict[str, float] = {}

    def tables(self) -> Arrays:
        """Make all tables, stage by stage."""
        if self.design.by_rule:
            start = time.perf_counter()
            made = rule_tables(self.threads, self.watching(RULE_STAGE), self.stop)
            self.seconds[RULE_STAGE] = time.perf_counter() - start
            return made
        turn = TurnFeatures(**self.stage("turn histograms", self.turn_histograms))
        flop = FlopFeatures(**self.stage("flop histograms", lambda: self.flop_histograms(turn)))
        turn_bucketing = self.turn_bucketing(turn)
        potential = self.potential(turn) if self.design.flop_features == "potential" else None
        flop_bucketing = self.flop_bucketing(flop, potential)
        flops_of = Indexer([3]).indices(Indexer(FLOP).hands(np.arange(len(flop.weight)))[:, 2:])
        base = self.stage("base buckets", lambda: self.base(flop_bucketing, len(flop.weight)))["base"]
        public = self.stage("public clusters", lambda: self.public(base, flops_of, flop.weight))
        cluster_of_flop = public["cluster_of_flop"]
        streets = self.stage(
            "flop buckets",
            lambda: {"flop": self.street(Round(
                len(flop.weight), self.design.flop, self.named("flop", flop_bucketing), flops_of
            ), cluster_of_flop)},
        )  # fmt: skip
        streets |= self.stage("turn buckets", lambda: self.turn_street(turn_bucketing, cluster_of_flop))
        river = self.stage("river buckets", lambda: self.river(flop, cluster_of_flop), keep=False)
        return {**public, **streets, **river}

    def stage(self, name: str, make: Callable[[], Arrays], keep: bool = True) -> Arrays:
        """Run a stage, or load what it has made before. The last need not be kept: the tables are."""
        self.stop.check()
        number = STAGES.index(name) + 1
        with suppress(InputError):  # not there, or damaged: then it is made again
            arrays, facts = self.run.load_checkpoint(number)
            self.seconds[name] = float(facts["seconds"])
            return arrays
        start = time.perf_counter()
        self.watch(Progress(name, 0))
        arrays = make()
        self.seconds[name] = time.perf_counter() - start
        if keep:
            self.run.save_checkpoint(number, arrays, {"stage": name, "seconds": self.seconds[name]})
        return arrays

    def watching(self, stage: str) -> Watch:
        """Return a watch that reports the parts of a stage under the stage's name."""
        return lambda now: self.watch(replace(now, stage=stage))

    def turn_histograms(self) -> Arrays:
        return vars(turn_features(self.threads, self.watching("turn histograms"), self.stop))

    def flop_histograms(self, turn: TurnFeatures) -> Arrays:
        return vars(flop_features(turn, self.threads, self.watching("flop histograms"), self.stop))

    def cluster(
        self, name: str, points: Any, buckets: int, metric: Any, weights: Any, seed: int, watch: Watch | None
    ) -> Clustering:
        """A clustering that continues where a stopped or killed build left it."""
        checkpoint = self.work / name

        def clustered() -> Clustering:
            return cluster(
                points, buckets, metric=metric, weights=weights, seed=seed, threads=self.threads,
                iterations=self.design.iterations, restarts=self.design.restarts,
                watch=watch, stop=self.stop, checkpoint=checkpoint,
            )  # fmt: skip

        try:
            return clustered()
        except InputError:
            if not checkpoint.exists():
                raise
            shutil.rmtree(checkpoint)  # damaged
            return clustered()

    def clustered(
        self, points: Any, buckets: int, metric: Any, weights: Any, seed: int, name: str
    ) -> NDArray[np.int32]:
        """A clustering's assignment. Those of a street's clusters keep their centres until the stage is done."""
        if buckets > len(points) // 4:
            distinct = np.unique(points, axis=0) if isinstance(points, np.ndarray) else points
            buckets = min(buckets, len(distinct))
        kept, whole = self.work / f"{name}-centers", name == "base"
        if not whole:
            with suppress(InputError):
                centers = read_bundle(kept)[0]["centers"]
                return nearest(points, centers, metric=metric, threads=self.threads)
        watch = self.watching("base buckets") if whole else None
        found = self.cluster(name, points, buckets, metric, weights, seed, watch)
        if not whole:
            write_bundle(kept, {"centers": found.centers}, {})
        return found.assignment

    def named(self, street: str, bucketing: Callable[..., NDArray[Any]]) -> Bucketing:
        """A bucketing whose clusterings have names of their own, by the street and the seed of the cluster."""
        return lambda members, buckets, seed: bucketing(members, buckets, seed, name=f"{street}-{seed}")

    def flop_bucketing(self, flop: FlopFeatures, potential: Any) -> Callable[..., NDArray[Any]]:
        """A_r of Algorithm 1 for the flop: k-medians by the EMD of equity histograms, or what the design says."""

        def bucketing(members: NDArray[np.int64], buckets: int, seed: int, name: str) -> NDArray[Any]:
            weights = flop.weight[members].astype(np.int64)
            if self.design.flop_features == "ehs":
                return percentiles(mean_equity(flop.histograms[members]), weights, buckets)
            if potential is not None:
                histograms, ground = potential
                points = histograms[members]
                return self.clustered(points, buckets, ground, weights, seed, name)
            return self.clustered(flop.histograms[members], buckets, "emd", weights, seed, name)

        return bucketing

    def turn_bucketing(self, turn: TurnFeatures) -> Callable[..., NDArray[Any]]:
        """A_r of Algorithm 1 for turn hands whose flop is remembered. Hands with equal histograms are one point."""

        def bucketing(
            members: NDArray[np.int64], buckets: int, seed: int, dealt: DealtTurns, name: str
        ) -> NDArray[Any]:
            histogram = turn.histogram_of[dealt.turn_class[members]]
            counts = np.bincount(histogram, dealt.weight[members], minlength=len(turn.histograms))
            present = np.flatnonzero(counts)
            weights = counts[present].astype(np.int64)
            points = turn.histograms[present]
            if self.design.turn_features == "ehs":
                found = percentiles(mean_equity(points), weights, buckets)
            else:
                found = self.clustered(points, buckets, "emd", weights, seed, name)
            bucket_of = np.zeros(len(counts), dtype=np.uint16)
            bucket_of[present] = found
            return bucket_of[histogram]

        return bucketing

    def potential(self, turn: TurnFeatures) -> tuple[Any, Ground]:
        """Potential-aware features: histograms of all flop hands over turn buckets, and distances between those."""

        def make() -> Arrays:
            counts = np.bincount(turn.histogram_of, turn.weight).astype(np.int64)
            found = self.cluster(
                "potential", turn.histograms, self.design.potential_buckets, "emd", counts, self.design.seed,
                self.watching("potential buckets"),
            )  # fmt: skip
            return {"bucket": found.assignment.astype(np.uint16), "centers": found.centers}

        made = self.stage("potential buckets", make)
        ground = distances(made["centers"], made["centers"], metric="emd")
        ground /= int(made["centers"].max()) * made["centers"].shape[1]
        members = np.arange(Indexer(FLOP).size)
        histograms = potential_histograms(made["bucket"][turn.histogram_of], members, self.threads)
        return histograms, Ground(ground.astype(np.float32))

    def base(self, bucketing: Callable[..., NDArray[Any]], states: int) -> Arrays:
        found = bucketing(np.arange(states), self.design.base, self.design.seed, name="base")
        return {"base": found.astype(np.uint16)}

    def public(
        self, base: NDArray[np.uint16], flops_of: NDArray[np.int64], weight: NDArray[np.uint8]
    ) -> Arrays:
        """Algorithms 2 and 3: the transition table of the base buckets, its distances, clusters of flops."""
        transitions = transition_table(base, flops_of, weight)
        found = cluster_public(
            transition_distances(transitions, self.threads, self.watching("public clusters"), self.stop),
            self.design.clusters,
            method=self.design.public_method,  # type: ignore[arg-type]
            seed=self.design.seed,
            restarts=max(10, self.design.restarts),
        )
        return {"cluster_of_flop": found.assignment.astype(np.int16)}

    def street(
        self, each: Round, cluster_of_flop: NDArray[np.int16], name: str = "flop buckets"
    ) -> NDArray[np.uint16]:
        """Algorithm 1 for one street from the flop on."""
        made = hierarchical([each], cluster_of_flop, self.design.seed, self.watching(name), self.stop)
        return made.rounds[0].bucket.astype(np.uint16)

    def turn_street(
        self, bucketing: Callable[..., NDArray[Any]], cluster_of_flop: NDArray[np.int16]
    ) -> Arrays:
        dealt = dealt_turn_hands(self.threads, self.watching("turn buckets"), self.stop)
        a_r = self.named("turn", lambda *given, name: bucketing(*given, dealt=dealt, name=name))
        each = Round(len(dealt.flop), self.design.turn, a_r, dealt.flop)
        return {"turn": self.street(each, cluster_of_flop, "turn buckets")}

    def river(self, flop: FlopFeatures, cluster_of_flop: NDArray[np.int16]) -> Arrays:
        """The code of every river hand, and in each public cluster the bucket of each code."""
        design = self.design
        codes = fit_river_codes(
            opponent_clusters(flop, design.seed),
            design.strips,
            design.codes_per_strip,
            design.seed,
            self.threads,
            self.stop,
        )
        river = river_features(
            codes, cluster_of_flop, self.threads, self.watching("river buckets"), self.stop
        )
        buckets = np.stack([
            code_buckets(codes, deals, design.river, seed=design.seed + which)
            for which, deals in enumerate(river.deals)
        ])  # fmt: skip
        return {
            "river": buckets,
            "river_code": river.code,
            "river_equity": river.equity,
            "river_vectors": codes.vectors,
            "opponents": codes.opponents.astype(np.uint8),
        }


def transition_table(
    base: NDArray[np.integer], flops_of: NDArray[np.int64], weight: NDArray[np.uint8]
) -> NDArray[np.uint16]:
    """uint16[1755, base buckets]: how many of the 1,176 hands on each flop fall into each base bucket.

    base, flops_of, weight: by class of [2, 3], the bucket, the class of the flop, and how many deals it stands for:
    as many on each flop of the flop's class.
    """
    buckets = int(base.max()) + 1
    deals = np.bincount(flops_of * buckets + base, weight, minlength=(int(flops_of.max()) + 1) * buckets)
    by_flop = deals.astype(np.int64).reshape(-1, buckets)
    flops_in_class = by_flop.sum(axis=1, keepdims=True) // 1176
    transitions: NDArray[np.uint16] = (by_flop // flops_in_class).astype(np.uint16)
    return transitions


def code_buckets(codes: RiverCodes, deals: NDArray[np.int64], buckets: int, seed: int) -> NDArray[np.uint16]:
    """uint16[codes]: the bucket of each code in one public cluster, by k-means over the codes' OCHS vectors."""
    present = np.flatnonzero(deals)
    vectors = codes.vectors
    found = cluster(
        vectors[present],
        min(buckets, len(present)),
        metric="l2",
        weights=deals[present],
        seed=seed,
        restarts=3,
    )
    made = nearest(vectors, found.centers, metric="l2")  # codes that no deal has get the nearest bucket too
    made[present] = found.assignment
    return made.astype(np.uint16)


def percentiles(values: NDArray[np.float64], weights: NDArray[np.int64], buckets: int) -> NDArray[np.int32]:
    """int32[values]: buckets of about equal weight along a line of values; equal values share a bucket."""
    distinct, place = np.unique(values, return_inverse=True)
    mass = np.bincount(place, weights, minlength=len(distinct))
    middle = np.cumsum(mass) - mass / 2
    bucket: NDArray[np.int32] = np.minimum(middle * buckets // mass.sum(), buckets - 1).astype(np.int32)
    made: NDArray[np.int32] = bucket[place]
    return made
