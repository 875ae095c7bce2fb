"""Strategies on buckets against real cards: EMD and percentiles, hierarchical and free, sampled or full width.

Hold'em to the turn on a small deck. Hands before the flop are kept apart up to suits; flop and turn hands go into
buckets, Monte Carlo CFR is run on those, and the average strategy is measured by best responses that see real
cards. Full-width CFR on the same buckets shows the abstraction's share; the rest is noise of sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import percentiles
from solvent.abstraction.cards.public_equity import equities, equity_histograms
from solvent.abstraction.clustering.cluster import cluster
from solvent.abstraction.hierarchical.hierarchical import Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import cluster_public, transition_distances
from solvent.engines.public.bucketed import BucketedSolver
from solvent.engines.sampled.public import SampledPublicSolver
from solvent.forms.public.game import PublicGame, public_game
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent_papers.confidence import mean_interval, ratio_interval
from solvent_papers.frame.drawing import dress, panels, plain_ticks
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of

BIG_BLIND = 2
LLOYD = 50
"""Iterations of k-medians at most."""
FREE, HIERARCHICAL, PERCENTILES = "EMD", "hierarchical EMD", "percentiles"
MIXED, LOSSLESS = "percentiles, EMD turn", "no abstraction"
METHODS = {FREE: "tab:blue", HIERARCHICAL: "tab:orange", PERCENTILES: "tab:green", MIXED: "tab:olive"}
"""Ways to make buckets, and their colours."""
SAMPLED, FULL_WIDTH = "sampled", "full width"
FULL_WIDTH_SEEDS = {PERCENTILES: 1, MIXED: 0, LOSSLESS: 1}
"""Full width is the same for equal buckets, and takes as long as all else; the other methods run on every seed."""
COMPARED = {
    "EMD by percentiles": (FREE, PERCENTILES),
    "EMD by percentiles on the flop": (FREE, MIXED),
    "hierarchical by free": (HIERARCHICAL, FREE),
}
"""Ratios of exploitability by the names of their figures."""

Ints = NDArray[np.integer[Any]]
Buckets = list[Ints]
"""A row for each slot of each round."""


@dataclass(frozen=True)
class Sizes:
    """Games, buckets and iterations."""

    game: str = "holdem(suits=2,ranks=6,streets=3,max_bets=1)"
    clusters: int = 4
    """Public clusters of flops in the hierarchy."""
    buckets: tuple[int, ...] = (8, 24)
    """Buckets of a street in all, clusters together."""
    base: int = 100
    """Buckets by which flops are compared."""
    seeds: int = 5
    iterations: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    """Iterations of sampling at which exploitability is measured."""
    full_width: int = 60
    """Iterations of full-width CFR, rule dcfr."""
    restarts: int = 10
    """Random starts of each public clustering."""
    bins: int = 100
    """Bins of equity histograms."""


SMALL = Sizes("holdem(suits=2,ranks=4,streets=3,max_bets=1)", 2, (6,), 10, 2, (1_000, 10_000), 5)


def kinds_of(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Return the kinds of buckets: every method with each number of buckets, and no abstraction."""
    return [*((method, size) for size in sizes for method in METHODS), (LOSSLESS, 0)]


def run(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Make every abstraction, run both solvers on it and measure the strategies.

    `states` are pairs for the flop and the turn: how many hands there are on all boards, and how many up to suits.
    """
    sizes = SMALL if setup.small else Sizes()
    say(f"{sizes.game}: compiling")
    maker, rows = Maker(sizes), list[Found]()
    for method, size in kinds_of(sizes.buckets):
        for seed in range(sizes.seeds):
            say(f"{method}, {size} buckets, clustering {seed + 1} of {sizes.seeds}")
            setting = {"method": method, "buckets": size, "seed": seed}
            rows += kept.once(setting, measured, maker, setting)
    uniform = SampledPublicSolver(maker.game, maker.lossless).evaluate().exploitability
    states = [(each.size, int(each.max()) + 1) for each in maker.lossless[1:]]
    return {"sizes": asdict(sizes), "states": states, "uniform": uniform, "rows": rows}


def measured(maker: Maker, setting: Found) -> list[Found]:
    """Return rows of strategies on one abstraction: NashConv / 2 in chips, and seconds of iterations so far."""
    sizes, (method, size, seed) = maker.sizes, setting.values()
    made, rows = maker.make(method, size, seed), list[Found]()

    def run(name: str, solver: SampledPublicSolver | BucketedSolver, checks: Sequence[int]) -> None:
        seconds = 0.0
        for iterations in checks:
            seconds += seconds_of(solver.run, iterations - solver.iterations)
            reached = {"exploitability": solver.evaluate().exploitability, "seconds": seconds}
            rows.append({**setting, "solver": name, "iterations": iterations, **reached})

    if seed < FULL_WIDTH_SEEDS.get(method, sizes.seeds):
        run(FULL_WIDTH, BucketedSolver(maker.game, made), [sizes.full_width])
    run(SAMPLED, SampledPublicSolver(maker.game, made, seed=seed), sizes.iterations)
    return rows


class Maker:
    """Abstractions of one game."""

    def __init__(self, sizes: Sizes) -> None:
        rules = load_game(sizes.game)
        assert isinstance(rules, PublicRules)
        self.sizes, self.game = sizes, public_game(rules, isomorphism=False)
        self.equity = equities(self.game)
        self.lossless: Buckets = [up_to_suits(self.game, level) for level in range(len(self.game.rounds))]
        self.points = [Points.of(equity_histograms(self.game, level, sizes.bins)) for level in (1, 2)]

    def make(self, method: str, size: int, seed: int) -> Buckets:
        """Return the buckets of every slot by round; a flop's cluster is part of its buckets' numbers."""
        if method == LOSSLESS:
            return self.lossless
        parted: Buckets = [
            percentiles(each.ravel(), np.ones(each.size, dtype=np.int64), size).reshape(each.shape)
            for each in self.equity[1:3]
        ]
        if method == PERCENTILES:
            return [self.lossless[0], *parted]
        clusters = self.public_clusters(seed) if method == HIERARCHICAL else None
        flop, turn = self._by_emd(size, seed, clusters)
        return [self.lossless[0], parted[0] if method == MIXED else flop, turn]

    def public_clusters(self, seed: int) -> NDArray[np.int32]:
        """int32[flops]: Algorithms 2 and 3 on a base abstraction of flop hands."""
        flop = self.points[0]
        base = flop.by_emd(np.arange(len(flop.shape_of)), self.sizes.base, seed)
        flops, slots = self.game.rounds[1].hand.shape
        rows = np.repeat(np.arange(flops), slots)
        transitions = np.zeros((flops, self.sizes.base), dtype=np.int64)
        np.add.at(transitions, (rows, base), 1)
        distances = transition_distances(transitions)
        return cluster_public(
            distances, self.sizes.clusters, seed=seed, restarts=self.sizes.restarts
        ).assignment

    def _by_emd(self, size: int, seed: int, clusters: NDArray[np.int32] | None) -> list[Ints]:
        """Algorithm 1 with k-medians; without clusters, all flops are one."""
        flop, turn = self.game.rounds[1:]
        of_flop = np.repeat(np.arange(len(flop.boards)), flop.slots)
        of_turn = np.repeat(turn.parent, turn.slots)
        cluster_of = np.zeros(len(flop.boards), dtype=np.int32) if clusters is None else clusters
        each = size // (int(cluster_of.max()) + 1)
        rounds = [
            Round(len(of_flop), each, self.points[0].by_emd, of_flop),
            Round(len(of_turn), each, self.points[1].by_emd, of_turn),
        ]
        made = hierarchical(rounds, cluster_of, seed)
        return [
            (each * found.cluster + found.bucket).reshape(here.hand.shape)
            for found, here in zip(made.rounds, (flop, turn), strict=True)
        ]


@dataclass(frozen=True)
class Points:
    """Histograms of a round's states, each kept once."""

    shapes: NDArray[np.uint16]
    """uint16[distinct histograms, bins], cumulative."""
    shape_of: NDArray[np.int64]
    """int64[states]: the histogram of each."""

    @classmethod
    def of(cls, histograms: NDArray[np.uint16]) -> Points:
        """Keep each distinct histogram once."""
        rows = histograms.reshape(-1, histograms.shape[-1])
        _, first, shape_of = np.unique(
            rows.view(f"V{rows.itemsize * rows.shape[1]}").ravel(), return_index=True, return_inverse=True
        )
        return cls(rows[first], shape_of.ravel())

    def by_emd(self, members: NDArray[np.int64], buckets: int, seed: int) -> NDArray[np.int64]:
        """k-medians by the earth mover's distance; each histogram its own bucket where there are no more."""
        present, place, weights = np.unique(self.shape_of[members], return_inverse=True, return_counts=True)
        if len(present) <= buckets:
            return place.ravel()
        found = cluster(
            self.shapes[present], buckets, metric="emd", weights=weights, seed=seed, iterations=LLOYD
        )
        made: NDArray[np.int64] = found.assignment[place.ravel()].astype(np.int64)
        return made


def up_to_suits(game: PublicGame, level: int) -> NDArray[np.int64]:
    """Number the slots of a round: slots that differ only in the names of suits share a number."""
    here, hands = game.rounds[level], len(game.hands)
    number = {board: k for k, board in enumerate(here.boards)}
    hand_number = {hand: k for k, hand in enumerate(game.hands)}
    least = np.full(here.hand.shape, np.iinfo(np.int64).max)
    for relabel, relabel_board in game.rules.symmetries():
        moved = np.array([number[relabel_board(board)] for board in here.boards])
        moved_hand = np.array([hand_number[relabel(hand)] for hand in game.hands])
        np.minimum(least, moved[:, None] * hands + moved_hand[here.hand], out=least)
    _, numbers = np.unique(least, return_inverse=True)
    return numbers.reshape(here.hand.shape).astype(np.int64)


# Figures, the page and its picture


def values_of(found: Found, method: str, size: int, iterations: int | None = None) -> list[float]:
    """Return exploitability in mbb/hand by seed: of sampling, or of full width if no iterations are given."""
    solver = FULL_WIDTH if iterations is None else SAMPLED
    key = method, size, solver, iterations or found["sizes"]["full_width"]
    names = "method", "buckets", "solver", "iterations"
    rows = [row for row in found["rows"] if tuple(row[name] for name in names) == key]
    return [1000 * row["exploitability"] / BIG_BLIND for row in rows]


def figures(found: Found) -> dict[str, float]:
    """Return ratios of exploitability with their intervals, named `hierarchical by free.24.sampled.high`."""
    result, ways = dict[str, float](), ((SAMPLED, found["sizes"]["iterations"][-1]), (FULL_WIDTH, None))
    for (name, pair), size, (way, count) in product(COMPARED.items(), found["sizes"]["buckets"], ways):
        values, others = (values_of(found, method, size, count) for method in pair)
        if others:
            ratio = ratio_interval(values, others * (len(values) // len(others)))
            result |= ratio.figures(f"{name}.{size}.{way}")
    return result


def view(found: Findings) -> dict[str, Any]:
    """Return the kinds of buckets, their exploitability, its means by iterations, and the noise of sampling."""
    strategies = found["strategies"]
    sizes, values = strategies["sizes"], partial(values_of, strategies)
    kinds = kinds_of(sizes["buckets"])

    def noise(method: str, size: int) -> list[float]:
        sampled, whole = values(method, size, sizes["iterations"][-1]), values(method, size)
        pairs = zip(sampled, whole if len(whole) != 1 else whole * len(sampled), strict=False)
        return [value - other for value, other in pairs]

    means = [{kind: fmean(values(*kind, count)) for kind in kinds} for count in sizes["iterations"]]
    given = {"strategies": strategies, "sizes": sizes, "big_blind": BIG_BLIND, "kinds": kinds, "means": means}
    return given | {"values": values, "noise": noise, "text": _text}


def _text(values: Sequence[float]) -> str:
    """Return a mean with half of its interval, or a lone value."""
    if len(values) < 2:
        return f"{values[0]:.1f}" if values else "-"
    mean = mean_interval(values)
    return f"{mean.middle:.1f} ± {mean.half:.1f}"


def pictures(found: Findings, page: Path) -> None:
    """Draw exploitability by iterations, a panel for each number of buckets; dashes are full width."""
    strategies = found["strategies"]
    sizes, counts = strategies["sizes"]["buckets"], strategies["sizes"]["iterations"]
    with panels(page.with_suffix(".png"), (1, len(sizes)), (5.2, 4.2)) as (line,):
        for axes in line[1:]:
            axes.sharey(line[0])
        for axes, size in zip(line, sizes, strict=True):
            for method, colour in {**METHODS, LOSSLESS: "black"}.items():
                buckets = 0 if method == LOSSLESS else size
                means = [mean_interval(values_of(strategies, method, buckets, count)) for count in counts]
                middles, halves = [mean.middle for mean in means], [mean.half for mean in means]
                axes.errorbar(counts, middles, halves, label=method, color=colour, fmt="o-", ms=3, lw=1)
                whole = values_of(strategies, method, buckets)
                if whole and method != LOSSLESS:
                    axes.axhline(fmean(whole), color=colour, linestyle="--", lw=0.8)
            axes.plot([], [], color="0.4", linestyle="--", lw=0.8, label="full width, same colours")
            axes.set_xscale("log")
            axes.set_yscale("log")
            plain_ticks(axes.yaxis, (20, 50, 100, 150, 200, 300, 400, 600, 800))
            y = "exploitability against real cards, mbb/hand"
            dress(axes, "iterations of external sampling", y, f"{size} buckets a street")
        line[-1].legend(fontsize=8)


EXPERIMENT = Experiment(
    "sampled-buckets",
    "Buckets and real cards: sampled strategies on abstractions",
    Setup,
    (Part("strategies", run, figures),),
    view,
    lambda found: {"sampled-buckets.csv": found["strategies"]["rows"]},
    pictures,
)
