"""Making a card abstraction: features, base buckets, public clusters, then every street; each stage is kept.

Stages are bundles in the folder's `work`, so that a build that was killed goes on with the stage it was in (within
the turn, with the cluster it was in). They are removed once the tables are complete.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
from solvent.abstraction.clustering.cluster import Ground, cluster, distances, nearest
from solvent.abstraction.hierarchical.hierarchical import Bucketing, Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import cluster_public, transition_distances
from solvent.cards.isomorphism import Indexer
from solvent.foundation.bundle import read_bundle, write_bundle
from solvent.foundation.errors import InputError
from solvent.foundation.files import check_room, held, remove_half_written, write_text
from solvent.foundation.progress import Progress, Watch

WORK = "work"
ASKED = "design.json"
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Estimate:
    """What a build will cost."""

    seconds: float
    memory: int
    """Bytes, at most."""
    disk: int
    """Bytes while it is built; `kept` stay."""
    kept: int


def estimate(design: Design, threads: int) -> Estimate:
    """What building costs, from costs measured on one core of a 2 GHz server and shared among the threads.

    A clustering compares each point with the few centres that its bounds leave; that share falls with their number.
    """
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
    """Distances that a point's bounds leave to compute in an iteration, about."""
    return 8.0 + float(0.06 * centers)


def build(
    design: Design, folder: Path, threads: int = 1, watch: Watch | None = None
) -> tuple[CardAbstraction, dict[str, float]]:
    """Make a card abstraction in a new or an unfinished folder; the seconds that each stage took.

    Equal designs make equal tables, whatever the number of threads.
    """
    with _held(folder, design):
        if (folder / TABLES).is_dir():
            made = CardAbstraction.load(folder)
            if made.design != design:
                raise InputError(
                    f"{folder} holds another abstraction, {made.design.label}; choose another folder"
                )
            return made, made.facts.get("seconds", {})
        check_room(folder, estimate(design, threads).disk)
        builder = _Builder(design, folder, threads, watch or (lambda progress: None))
        arrays = builder.tables()
        facts = describe_tables(arrays, design) | {"seconds": builder.seconds, "threads": threads}
        CardAbstraction(arrays, facts).save(folder)
        shutil.rmtree(folder / WORK, ignore_errors=True)
        return CardAbstraction.load(folder), builder.seconds


@contextmanager
def _held(folder: Path, design: Design) -> Iterator[None]:
    """The folder for one builder alone, if what it holds is this design's or nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    with held(folder):
        asked = json.dumps({"version": VERSION, "design": design.as_dict()}, indent=1)
        if (folder / ASKED).is_file():
            if (folder / ASKED).read_bytes() != asked.encode():
                raise InputError(
                    f"{folder} holds an abstraction of another design or version; choose another folder"
                )
        elif any(path.name != ".lock" for path in folder.iterdir()):
            raise InputError(f"{folder} is not empty and holds no abstraction; choose another folder")
        else:
            write_text(folder / ASKED, asked)
        remove_half_written(folder)
        if (folder / WORK).is_dir():
            remove_half_written(folder / WORK)
        yield


class _Builder:
    """The stages of one design."""

    def __init__(self, design: Design, folder: Path, threads: int, watch: Watch) -> None:
        self.design, self.work, self.threads, self.watch = design, folder / WORK, threads, watch
        self.seconds: dict[str, float] = {}

    def tables(self) -> Arrays:
        """Everything, stage by stage."""
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
                len(flop.weight), self.design.flop, self.kept("flop", flop_bucketing), flops_of
            ), cluster_of_flop)},
        )  # fmt: skip
        streets |= self.stage("turn buckets", lambda: self.turn_street(turn_bucketing, cluster_of_flop))
        river = self.stage("river buckets", lambda: self.river(flop, cluster_of_flop), keep=False)
        return {**public, **streets, **river}

    def stage(self, name: str, make: Callable[[], Arrays], keep: bool = True) -> Arrays:
        """What a stage makes, or what it made before. The last need not be kept: the tables are."""
        folder = self.work / name.replace(" ", "-")
        with suppress(InputError):  # not there, or damaged: then it is made again
            arrays, facts = read_bundle(folder)
            self.seconds[name] = facts["seconds"]
            return arrays
        start = time.perf_counter()
        self.watch(Progress(name, 0))
        arrays = make()
        self.seconds[name] = time.perf_counter() - start
        if keep:
            write_bundle(folder, arrays, {"seconds": self.seconds[name]})
        return arrays

    def progress(self, stage: str) -> Watch:
        return lambda now: self.watch(replace(now, stage=stage))

    def turn_histograms(self) -> Arrays:
        return vars(turn_features(self.threads, self.progress("turn histograms")))

    def flop_histograms(self, turn: TurnFeatures) -> Arrays:
        return vars(flop_features(turn, self.threads, self.progress("flop histograms")))

    def clustered(
        self, points: Any, buckets: int, metric: Any, weights: Any, seed: int, kept: Path | None
    ) -> NDArray[np.int32]:
        """A clustering's assignment; its centres are kept, so that it is done once."""
        if buckets > len(points) // 4:
            distinct = np.unique(points, axis=0) if isinstance(points, np.ndarray) else points
            buckets = min(buckets, len(distinct))
        if kept is not None:
            with suppress(InputError):
                centers = read_bundle(kept)[0]["centers"]
                return nearest(points, centers, metric=metric, threads=self.threads)
        found = cluster(
            points, buckets, metric=metric, weights=weights, seed=seed, threads=self.threads,
            iterations=self.design.iterations, restarts=self.design.restarts,
        )  # fmt: skip
        if kept is not None:
            write_bundle(kept, {"centers": found.centers}, {})
        return found.assignment

    def kept(self, street: str, bucketing: Callable[..., NDArray[Any]]) -> Bucketing:
        """A bucketing whose centres are kept, a cluster at a time."""
        return lambda members, buckets, seed: bucketing(
            members, buckets, seed, kept=self.work / f"{street}-centers-{seed}"
        )

    def flop_bucketing(self, flop: FlopFeatures, potential: Any) -> Callable[..., NDArray[Any]]:
        """A_r of the flop: k-medians by the EMD of equity histograms, or as the design has it."""

        def bucketing(
            members: NDArray[np.int64], buckets: int, seed: int, kept: Path | None = None
        ) -> NDArray[Any]:
            weights = flop.weight[members].astype(np.int64)
            if self.design.flop_features == "ehs":
                return percentiles(mean_equity(flop.histograms[members]), weights, buckets)
            if potential is not None:
                histograms, ground = potential
                points = histograms[members]
                return self.clustered(points, buckets, ground, weights, seed, kept)
            return self.clustered(flop.histograms[members], buckets, "emd", weights, seed, kept)

        return bucketing

    def turn_bucketing(self, turn: TurnFeatures) -> Callable[..., NDArray[Any]]:
        """A_r of the turn, for turn hands whose flop is remembered. Hands of equal histograms are one point."""

        def bucketing(
            members: NDArray[np.int64], buckets: int, seed: int, dealt: DealtTurns, kept: Path
        ) -> NDArray[Any]:
            histogram = turn.histogram_of[dealt.turn_class[members]]
            counts = np.bincount(histogram, dealt.weight[members], minlength=len(turn.histograms))
            present = np.flatnonzero(counts)
            weights = counts[present].astype(np.int64)
            points = turn.histograms[present]
            if self.design.turn_features == "ehs":
                found = percentiles(mean_equity(points), weights, buckets)
            else:
                found = self.clustered(points, buckets, "emd", weights, seed, kept)
            bucket_of = np.zeros(len(counts), dtype=np.uint16)
            bucket_of[present] = found
            return bucket_of[histogram]

        return bucketing

    def potential(self, turn: TurnFeatures) -> tuple[Any, Ground]:
        """Histograms of all flop hands over free turn buckets, and the distances between those."""

        def make() -> Arrays:
            counts = np.bincount(turn.histogram_of, turn.weight).astype(np.int64)
            found = cluster(
                turn.histograms, self.design.potential_buckets, metric="emd", weights=counts,
                seed=self.design.seed, threads=self.threads, iterations=self.design.iterations,
            )  # fmt: skip
            return {"bucket": found.assignment.astype(np.uint16), "centers": found.centers}

        made = self.stage("potential buckets", make)
        ground = distances(made["centers"], made["centers"], metric="emd")
        ground /= int(made["centers"].max()) * made["centers"].shape[1]
        members = np.arange(Indexer(FLOP).size)
        histograms = potential_histograms(made["bucket"][turn.histogram_of], members, self.threads)
        return histograms, Ground(ground.astype(np.float32))

    def base(self, bucketing: Callable[..., NDArray[Any]], states: int) -> Arrays:
        found = bucketing(np.arange(states), self.design.base, self.design.seed)
        return {"base": found.astype(np.uint16)}

    def public(
        self, base: NDArray[np.uint16], flops_of: NDArray[np.int64], weight: NDArray[np.uint8]
    ) -> Arrays:
        """Algorithms 2 and 3: the transition table of the base buckets, distances, clusters of flops."""
        transitions = transition_table(base, flops_of, weight)
        found = cluster_public(
            transition_distances(transitions, threads=self.threads),
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
        made = hierarchical([each], cluster_of_flop, seed=self.design.seed, watch=self.progress(name))
        return made.rounds[0].bucket.astype(np.uint16)

    def turn_street(
        self, bucketing: Callable[..., NDArray[Any]], cluster_of_flop: NDArray[np.int16]
    ) -> Arrays:
        dealt = dealt_turn_hands(self.threads, self.progress("turn buckets"))
        a_r = self.kept("turn", lambda *given, **kept: bucketing(*given, dealt=dealt, **kept))
        each = Round(len(dealt.flop), self.design.turn, a_r, dealt.flop)
        return {"turn": self.street(each, cluster_of_flop, "turn buckets")}

    def river(self, flop: FlopFeatures, cluster_of_flop: NDArray[np.int16]) -> Arrays:
        """Codes of all river hands, and in each public cluster the buckets that codes go to."""
        design = self.design
        codes = fit_river_codes(
            opponent_clusters(flop, design.seed),
            design.strips,
            design.codes_per_strip,
            design.seed,
            self.threads,
        )
        river = river_features(codes, cluster_of_flop, self.threads, self.progress("river buckets"))
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
    """uint16[codes]: one public cluster's bucket of each code, by k-means of what OCHS the codes stand for."""
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
    """Buckets of equal weight along a line of values; equal values share a bucket."""
    distinct, place = np.unique(values, return_inverse=True)
    mass = np.bincount(place, weights, minlength=len(distinct))
    middle = np.cumsum(mass) - mass / 2
    bucket: NDArray[np.int32] = np.minimum(middle * buckets // mass.sum(), buckets - 1).astype(np.int32)
    made: NDArray[np.int32] = bucket[place]
    return made
