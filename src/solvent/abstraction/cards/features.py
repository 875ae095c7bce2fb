"""Features of hands: equities and their histograms over all run-outs, exact, for every class of hands.

- River: a hand's equity against all others, of 1,980, and its OCHS: its equity against each of eight clusters of
  opponents' hands, which tells hands of one equity apart by whom they beat. OCHS is kept as a *code*: equity is cut
  into strips, and hands of one strip go to the nearest of a few dozen centres.
- Turn: how the 46 rivers distribute its equity over 32 bins. Flop: the same over all 47 x 46 turns and rivers.
  Histograms are cumulative counts, so that the sum of absolute differences is the earth mover's distance.
- Potential-aware: how the 47 turns distribute a flop hand over buckets of the turn.

Hands are classes up to suits (`cards.isomorphism`), weighted by how many deals each stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.feature_kernels import (
    BINS,
    Workspace,
    dealt_turns,
    distinct_rows,
    flop_histograms,
    next_buckets,
    turn_histograms,
    workspace,
)
from solvent.abstraction.cards.river_kernels import (
    OPPONENTS,
    UNSEEN,
    CodeCenters,
    RiverIndex,
    RiverWorkspace,
    opponent_equities,
    river_tables,
    river_workspace,
)
from solvent.abstraction.clustering.cluster import Histograms, cluster
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import FULL, pairs
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch

HOLE, FLOP, TURN, RIVER = ([2], [2, 3], [2, 4], [2, 5])
"""Patterns of the classes that features are known for, street by street."""
DEALT_TURN = [2, 3, 1]
"""The pattern of turn hands whose flop is remembered."""

BOARDS_PER_PIECE = 64
HANDS_PER_PIECE = 8192
BOARDS_TO_FIT = 1_000
"""River boards, evenly spaced among all, that codes are fitted on."""


@dataclass(frozen=True)
class TurnFeatures:
    """Equity histograms of all 13,960,050 turn hands, equal ones kept once."""

    histograms: NDArray[np.uint8]
    """uint8[distinct, 32]: how many of 46 rivers leave an equity in this bin or below."""
    histogram_of: NDArray[np.int32]
    """int32[classes of [2, 4]]: the histogram of each class."""
    weight: NDArray[np.uint8]
    """uint8[classes]: deals that the class stands for."""


@dataclass(frozen=True)
class FlopFeatures:
    """Equity histograms of all 1,286,792 flop hands."""

    histograms: NDArray[np.uint16]
    """uint16[classes of [2, 3], 32]: how many of 2,162 turns and rivers leave an equity in this bin or below."""
    weight: NDArray[np.uint8]
    """uint8[classes]: deals that the class stands for."""


@dataclass(frozen=True)
class RiverCodes:
    """Codes of river hands: the strip by equity, in the strip the nearest centre by OCHS."""

    opponents: NDArray[np.int64]
    """int64[1326]: the cluster of each hand that an opponent may hold."""
    strip_of: NDArray[np.int64]
    """int64[1981]: the strip of each equity."""
    centers: NDArray[np.float32]
    """float32[strips, 8, codes a strip]"""

    @property
    def vectors(self) -> NDArray[np.float32]:
        """float32[codes, 8]: the OCHS that each code stands for."""
        return np.ascontiguousarray(self.centers.transpose(0, 2, 1).reshape(-1, OPPONENTS))


@dataclass(frozen=True)
class RiverFeatures:
    """Equity and code of all 123,156,254 river hands."""

    equity: NDArray[np.uint16]
    """uint16[classes of [2, 5]]: of 1,980."""
    code: NDArray[np.uint16]
    """uint16[classes]"""
    deals: NDArray[np.int64]
    """int64[public clusters, codes]: deals by the cluster of their flop and the code of their hand."""


def equity_bins() -> NDArray[np.uint8]:
    """uint8[1981]: the bin of each equity."""
    return (np.arange(FULL + 1) * BINS // (FULL + 1)).astype(np.uint8)


def turn_features(threads: int = 1, watch: Watch | None = None, stop: Stop | None = None) -> TurnFeatures:
    """Look at every river of every turn board: 788,736 boards."""
    boards, index = _all_hands([4]), Indexer(TURN)
    cumulative = np.zeros((index.size, BINS), dtype=np.uint8)
    weight = np.zeros(index.size, dtype=np.uint8)
    bins, tables, hands = equity_bins(), evaluator(), pairs()

    def work(start: int, end: int, room: Workspace) -> None:
        turn_histograms(boards, start, end, tables, hands, index.tables, bins, room, cumulative, weight)

    rooms = [workspace() for _ in range(threads)]
    in_pieces(work, len(boards), BOARDS_PER_PIECE, rooms, watch=watch, stage="turn boards", stop=stop)
    histogram_of = np.empty(index.size, dtype=np.int32)
    slots = np.full(1 << (2 * index.size).bit_length(), -1, dtype=np.int32)
    distinct = distinct_rows(cumulative.view(np.uint64), slots, histogram_of)
    return TurnFeatures(cumulative[:distinct].copy(), histogram_of, weight)


@dataclass(frozen=True)
class DealtTurns:
    """All 55,190,538 turn hands whose flop is remembered: the classes of [2, 3, 1]."""

    turn_class: NDArray[np.int32]
    """int32[classes]: the class of [2, 4] it is in once the flop is forgotten."""
    flop: NDArray[np.int16]
    """int16[classes]: the class of its flop."""
    weight: NDArray[np.uint8]
    """uint8[classes]: deals that the class stands for."""


def dealt_turn_hands(
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
    flops: NDArray[np.uint8] | None = None,
) -> DealtTurns:
    """Deal every turn card and hand on all flops, or on these alone; `turn_class` is -1 for hands on no flop."""
    flops, dealt = _all_hands([3]) if flops is None else flops, Indexer(DEALT_TURN)
    turn_class, flop = np.full(dealt.size, -1, dtype=np.int32), np.empty(dealt.size, dtype=np.int16)
    weight = np.empty(dealt.size, dtype=np.uint8)
    hands, turns = pairs(), Indexer(TURN)

    def work(start: int, end: int, _: None) -> None:
        dealt_turns(flops, start, end, hands, dealt.tables, turns.tables, turn_class, flop, weight)

    in_pieces(work, len(flops), 8, [None] * threads, watch=watch, stage="flops", stop=stop)
    return DealtTurns(turn_class, flop, weight)


def flop_features(
    turn: TurnFeatures, threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> FlopFeatures:
    """Add the histograms of the 47 turn hands that each flop hand leads to."""
    cards = _all_hands(FLOP)
    cumulative = np.empty((len(cards), BINS), dtype=np.uint16)
    weight = np.empty(len(cards), dtype=np.uint8)
    given = Indexer(TURN).tables, turn.histograms, turn.histogram_of, cumulative, weight

    def work(start: int, end: int, _: None) -> None:
        flop_histograms(cards, start, end, *given)

    nothing = [None] * threads
    in_pieces(work, len(cards), HANDS_PER_PIECE, nothing, watch=watch, stage="flop hands", stop=stop)
    return FlopFeatures(cumulative, weight)


def preflop_histograms(flop: FlopFeatures) -> NDArray[np.float64]:
    """float64[169, 32]: the cumulative share of run-outs that leave each preflop class an equity up to each bin."""
    hole = Indexer(HOLE).indices(_all_hands(FLOP)[:, :2])
    weights = flop.weight.astype(np.float64)
    sums = np.stack([np.bincount(hole, weights * column) for column in flop.histograms.T], axis=1)
    return sums / sums[:, -1:]


def opponent_clusters(flop: FlopFeatures, seed: int = 0) -> NDArray[np.int64]:
    """int64[1326]: the cluster of each hand, weakest first, by the EMD of equity over all run-outs."""
    histograms = preflop_histograms(flop)
    hands = pairs()
    hole = Indexer(HOLE).indices(np.stack([hands.low, hands.high], axis=1))
    points = np.rint(histograms * 60_000).astype(np.uint16)
    found = cluster(
        points, OPPONENTS, metric="emd", weights=np.bincount(hole), seed=seed, restarts=20
    ).assignment
    mean = mean_equity(histograms)
    strength = [np.average(mean[found == which]) for which in range(OPPONENTS)]
    place = np.argsort(np.argsort(strength))
    return place[found][hole].astype(np.int64)


def mean_equity(cumulative: NDArray[np.generic]) -> NDArray[np.float64]:
    """float64[...]: the mean equity, from 0 to 1, of cumulative histograms [..., 32], bins at their middles."""
    shares = np.asarray(cumulative, dtype=np.float64)
    below: NDArray[np.float64] = (shares / shares[..., -1:])[..., :-1].sum(axis=-1)
    return 1 - below / BINS - 0.5 / BINS


def fit_river_codes(
    opponents: NDArray[np.int64],
    strips: int,
    codes_per_strip: int,
    seed: int = 0,
    threads: int = 1,
    stop: Stop | None = None,
) -> RiverCodes:
    """Fit strips of equity and centres to the hands on every n-th river board."""
    boards = _all_hands([5])[:: 134_459 // BOARDS_TO_FIT]
    equities, vectors = zip(*(board_features(board, opponents) for board in boards), strict=True)
    equity, against = np.concatenate(equities), np.concatenate(vectors)
    strip_of = best_intervals(np.bincount(equity, minlength=FULL + 1), strips).of(strips).astype(np.int64)
    centers = np.empty((strips, OPPONENTS, codes_per_strip), dtype=np.float32)
    for strip in range(strips):
        points = against[strip_of[equity] == strip]
        found = cluster(
            points, codes_per_strip, metric="l2", seed=seed, iterations=15, threads=threads, stop=stop
        )
        centers[strip] = found.centers.T
    return RiverCodes(opponents, strip_of, centers)


def board_features(
    board: NDArray[np.integer], opponents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Equity of 1,980 and OCHS, float32[1081, 8], of all live hands on one river board, in order."""
    room = river_workspace()
    opponent_equities(board.astype(np.int64), evaluator(), pairs(), opponents, room)
    live = np.sort(room.ordering.order).astype(np.int64)
    return room.equity[live], room.against[live]


def river_features(
    codes: RiverCodes,
    cluster_of_flop: NDArray[np.integer],
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> RiverFeatures:
    """Look at every river board once: each hand's equity and code, and the deals of each public cluster by code."""
    boards, of_flop = _all_hands([5]), cluster_of_flop.astype(np.int64)
    table = np.full(Indexer(RIVER).size, UNSEEN, dtype=np.uint32)
    index = RiverIndex(Indexer(RIVER).tables, Indexer([3]).tables, of_flop)
    centers = CodeCenters(codes.strip_of, codes.centers, (codes.centers**2).sum(axis=1) / 2)
    counts = (int(of_flop.max()) + 1, len(codes.vectors))
    tables, hands = evaluator(), pairs()
    rooms = [(river_workspace(), np.zeros(counts, dtype=np.int64)) for _ in range(threads)]

    def work(start: int, end: int, room: tuple[RiverWorkspace, NDArray[np.int64]]) -> None:
        given = tables, hands, codes.opponents, index, centers, room[0], table, room[1]
        river_tables(boards, start, end, *given)

    in_pieces(work, len(boards), BOARDS_PER_PIECE, rooms, watch=watch, stage="river boards", stop=stop)
    parts = table.view(np.uint16).reshape(-1, 2)
    return RiverFeatures(
        parts[:, 0].copy(), parts[:, 1].copy(), np.sum([deals for _, deals in rooms], axis=0)
    )


def potential_histograms(
    bucket_of_turn: NDArray[np.integer], members: NDArray[np.integer], threads: int = 1
) -> Histograms:
    """Count how the 47 turns distribute flop hands over the buckets of the turn.

    bucket_of_turn: [classes of [2, 4]]. members: the classes of [2, 3] that are wanted.
    """
    cards = Indexer(FLOP).hands(members)
    tables, buckets = Indexer(TURN).tables, bucket_of_turn.astype(np.uint16)
    found, counts = np.empty((2, len(cards), 47), dtype=np.uint16)

    def work(start: int, end: int, _: None) -> None:
        next_buckets(cards, start, end, tables, buckets, found, counts)

    in_pieces(work, len(cards), HANDS_PER_PIECE, [None] * threads)
    support = int((counts > 0).sum(axis=1).max())
    return Histograms(found[:, :support].copy(), counts[:, :support].copy())


def _all_hands(pattern: list[int]) -> NDArray[np.uint8]:
    index = Indexer(pattern)
    return index.hands(np.arange(index.size))
