"""How well strategies on buckets play real cards: EMD and percentiles, hierarchical and free, sampled or not.

Hold'em to the turn on a small deck. Hands before the flop are kept apart up to suits; flop and turn hands go into
buckets, Monte Carlo CFR is run on those, and the average strategy is measured by best responses that see real
cards. Full-width CFR on the same buckets tells what of it is the abstraction's; the rest is noise of sampling.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
from solvent.foundation.progress import Watch
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent_papers.steps import saying

BIG_BLIND = 2
BINS = 100
"""Bins of equity histograms."""
RESTARTS = 10
"""Random starts of each public clustering."""
LLOYD = 50
"""Iterations of k-medians at most."""
STREETS = ("flop", "turn")
FREE, HIERARCHICAL, PERCENTILES, MIXED, LOSSLESS = (
    "EMD",
    "hierarchical EMD",
    "percentiles",
    "percentiles, EMD turn",
    "no abstraction",
)
METHODS = (FREE, HIERARCHICAL, PERCENTILES, MIXED)
SAMPLED, FULL_WIDTH = "sampled", "full width"
FULL_WIDTH_SEEDS = {PERCENTILES: 1, MIXED: 0, LOSSLESS: 1}
"""Full width is the same for equal buckets, and takes as long as all else; the other methods run on every seed."""

Ints = NDArray[np.integer[Any]]
Buckets = list[Ints]
"""A row for each slot of each round."""


@dataclass(frozen=True)
class Scale:
    """How much the experiment runs."""

    game: str
    clusters: int
    """Public clusters of flops in the hierarchy."""
    sizes: tuple[int, ...]
    """Buckets of a street in all, clusters together."""
    base: int
    """Buckets by which flops are told apart."""
    seeds: int
    iterations: tuple[int, ...]
    """Iterations of sampling at which exploitability is measured."""
    full_width: int
    """Iterations of full-width CFR, rule dcfr."""


FULL = Scale(
    "holdem(suits=2,ranks=6,streets=3,max_bets=1)", 4, (8, 24), 100, 5, (10_000, 100_000, 1_000_000), 60
)
QUICK = Scale("holdem(suits=2,ranks=4,streets=3,max_bets=1)", 2, (6,), 10, 2, (1_000, 10_000), 5)


@dataclass(frozen=True)
class Row:
    """One measured strategy."""

    method: str
    buckets: int
    """Buckets of the flop and of the turn each; 0 without abstraction."""
    seed: int
    solver: str
    iterations: int
    exploitability: float
    """NashConv / 2 in chips, by best responses that see real cards."""
    seconds: float
    """Seconds of iterations so far."""

    @property
    def mbb(self) -> float:
        """Exploitability in thousandths of a big blind a hand."""
        return 1000 * self.exploitability / BIG_BLIND

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Result:
    """Everything that the experiment measured."""

    scale: Scale
    rows: tuple[Row, ...]
    states: tuple[tuple[int, int], ...]
    """For the flop and the turn: pairs of a board and a hand, and how many differ in more than suits."""
    uniform: float
    """Exploitability of playing every action alike, in chips."""
    seconds: float

    def values(self, method: str, buckets: int, solver: str, iterations: int) -> list[float]:
        """Exploitability in mbb/hand, by seed."""
        key = (method, buckets, solver, iterations)
        return [row.mbb for row in self.rows if (row.method, row.buckets, row.solver, row.iterations) == key]


def sampled_buckets(scale: Scale = FULL, watch: Watch | None = None) -> Result:
    """Make every abstraction, run both solvers on it and measure."""
    say = saying(watch)
    begin = time.perf_counter()
    say(f"{scale.game}: compiling")
    maker = Maker(scale)
    rows: list[Row] = []
    kinds = [(method, size) for size in scale.sizes for method in METHODS]
    for method, size in [*kinds, (LOSSLESS, 0)]:
        for seed in range(scale.seeds):
            buckets = maker.make(method, size, seed)
            if seed < FULL_WIDTH_SEEDS.get(method, scale.seeds):
                say(f"{method}, {size} buckets, clustering {seed + 1} of {scale.seeds}: full width")
                rows += _full_width(maker.game, buckets, method, size, seed, scale.full_width)
            say(f"{method}, {size} buckets, clustering {seed + 1} of {scale.seeds}: sampled")
            rows += _sampled(maker.game, buckets, method, size, seed, scale.iterations)
    untrained = SampledPublicSolver(maker.game, maker.lossless).evaluate().exploitability
    seconds = time.perf_counter() - begin
    return Result(scale, tuple(rows), maker.states, untrained, seconds)


def _sampled(
    game: PublicGame, buckets: Buckets, method: str, size: int, seed: int, checks: Sequence[int]
) -> list[Row]:
    solver = SampledPublicSolver(game, buckets, seed=seed)
    seconds, rows = 0.0, []
    for iterations in checks:
        start = time.perf_counter()
        solver.run(iterations - solver.iterations)
        seconds += time.perf_counter() - start
        reached = solver.evaluate().exploitability
        rows.append(Row(method, size, seed, SAMPLED, iterations, reached, seconds))
    return rows


def _full_width(
    game: PublicGame, buckets: Buckets, method: str, size: int, seed: int, iterations: int
) -> list[Row]:
    solver = BucketedSolver(game, buckets)
    start = time.perf_counter()
    solver.run(iterations)
    seconds = time.perf_counter() - start
    return [Row(method, size, seed, FULL_WIDTH, iterations, solver.evaluate().exploitability, seconds)]


class Maker:
    """Abstractions of one game."""

    def __init__(self, scale: Scale) -> None:
        rules = load_game(scale.game)
        assert isinstance(rules, PublicRules)
        self.scale, self.game = scale, public_game(rules, isomorphism=False)
        self.equity = equities(self.game)
        self.lossless: Buckets = [up_to_suits(self.game, level) for level in range(len(self.game.rounds))]
        self.points = [Points.of(equity_histograms(self.game, level, BINS)) for level in (1, 2)]

    @property
    def states(self) -> tuple[tuple[int, int], ...]:
        return tuple((each.size, int(each.max()) + 1) for each in self.lossless[1:])

    def make(self, method: str, size: int, seed: int) -> Buckets:
        """The buckets of every slot by round; a flop's cluster is part of its buckets' numbers."""
        if method == LOSSLESS:
            return self.lossless
        parted = [self._percentiles(level, size) for level in (1, 2)]
        if method == PERCENTILES:
            return [self.lossless[0], *parted]
        clusters = self.public_clusters(seed) if method == HIERARCHICAL else None
        flop, turn = self._by_emd(size, seed, clusters)
        return [self.lossless[0], parted[0] if method == MIXED else flop, turn]

    def _percentiles(self, level: int, size: int) -> Ints:
        values = self.equity[level].ravel()
        bucket = percentiles(values, np.ones(len(values), dtype=np.int64), size)
        return bucket.reshape(self.equity[level].shape)

    def public_clusters(self, seed: int) -> NDArray[np.int32]:
        """int32[flops]: Algorithms 2 and 3 on a base abstraction of flop hands."""
        flop = self.points[0]
        base = flop.by_emd(np.arange(len(flop.shape_of)), self.scale.base, seed)
        flops, slots = self.game.rounds[1].hand.shape
        rows = np.repeat(np.arange(flops), slots)
        transitions = np.zeros((flops, self.scale.base), dtype=np.int64)
        np.add.at(transitions, (rows, base), 1)
        distances = transition_distances(transitions)
        return cluster_public(distances, self.scale.clusters, seed=seed, restarts=RESTARTS).assignment

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
    """A number for each slot of a round that slots share which differ only in the names of suits."""
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
