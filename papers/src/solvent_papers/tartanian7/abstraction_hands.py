"""Hands that abstractions are measured on: all flop and turn hands, or those on some flops; some river boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards import features
from solvent.abstraction.cards.feature_kernels import BINS, dealt_turns, room, turn_histograms
from solvent.abstraction.cards.features import DEALT_TURN, FLOP, TURN, DealtTurns, FlopFeatures, TurnFeatures
from solvent.abstraction.clustering.cluster import Histograms
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer, orbit_size
from solvent.cards.showdown import pairs
from solvent_papers.frame.experiment import Say

ROWS_AT_ONCE = 1 << 22
UNFITTED = 134_459 // features.BOARDS_TO_FIT // 2
"""A river board half-way between two that codes are fitted on."""


@dataclass(frozen=True)
class Hands:
    """Flop and turn hands with their equity histograms, as cumulative counts over 32 bins."""

    flops: int
    """Classes of flops that the hands are on."""
    flop: NDArray[np.uint16]
    """uint16[flop hands, 32]"""
    flop_weight: NDArray[np.int64]
    """int64[flop hands]: deals that each stands for."""
    flop_of: NDArray[np.int64]
    """int64[flop hands]: the number of its flop, from 0 to `flops` - 1."""
    flop_cards: NDArray[np.uint8]
    """uint8[flop hands, 5]: the hand's two cards, then the flop's three."""
    turn: NDArray[np.uint8]
    """uint8[distinct, 32]: the histograms of turn hands, each once."""
    dealt: NDArray[np.int32]
    """int32[dealt turn hands]: the histogram of each turn hand whose flop is remembered."""
    dealt_flop: NDArray[np.int16]
    """int16[dealt turn hands]: the number of its flop."""
    dealt_weight: NDArray[np.uint8]
    """uint8[dealt turn hands]: deals that each stands for."""
    potential: Callable[[NDArray[np.integer], NDArray[np.integer]], Histograms]
    """Given the bucket of each turn histogram and numbers of flop hands: how their turns are spread."""

    def turn_weights(self, cluster_of_flop: NDArray[np.integer]) -> NDArray[np.int64]:
        """int64[clusters, distinct]: deals by the cluster of their flop and the histogram of their turn hand."""
        clusters, distinct = int(cluster_of_flop.max()) + 1, len(self.turn)
        deals = np.zeros(clusters * distinct)
        for start in range(0, len(self.dealt), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            cell = cluster_of_flop[self.dealt_flop[rows]].astype(np.int64) * distinct + self.dealt[rows]
            deals += np.bincount(cell, self.dealt_weight[rows], minlength=len(deals))
        return deals.astype(np.int64).reshape(clusters, distinct)


@dataclass(frozen=True)
class RiverHands:
    """All hands on some river boards."""

    equity: NDArray[np.int64]
    """int64[hands]: of 1,980."""
    ochs: NDArray[np.float32]
    """float32[hands, 8]: equity against each cluster of opponents' hands."""
    weight: NDArray[np.int64]
    """int64[hands]: boards that the board stands for."""


@dataclass(frozen=True)
class River:
    """River hands: everything is fitted on some boards and measured on others."""

    fitted: RiverHands
    measured: RiverHands
    codes: tuple[features.RiverCodes, ...]


def all_hands(threads: int, say: Say) -> tuple[Hands, NDArray[np.int64]]:
    """Return every flop and turn hand, and the clusters of opponents' hands, int64[1326]."""
    say("histograms of all turn hands")
    turn = features.turn_features(threads)
    say("histograms of all flop hands")
    flop, dealt = features.flop_features(turn, threads), features.dealt_turn_hands(threads)
    flops, classes = np.arange(Indexer([3]).size), np.arange(Indexer(FLOP).size)
    return _hands(flops, classes, turn, flop, dealt, threads), features.opponent_clusters(flop)


def hands_on(flops: Sequence[int], threads: int) -> tuple[Hands, NDArray[np.int64]]:
    """Return the hands on some classes of flops, given in order, and clusters of opponents' hands made of these."""
    numbers, index, boards = np.asarray(flops), Indexer(TURN), Indexer([4])
    dealt = _dealt_on(numbers)
    present = np.unique(dealt.turn_class)
    turns = boards.hands(np.unique(boards.indices(index.hands(present)[:, 2:])))
    cumulative = np.zeros((index.size, BINS), dtype=np.uint8)
    weight = np.zeros(index.size, dtype=np.uint8)
    to_fill = features.equity_bins(), room(), cumulative, weight
    turn_histograms(turns, 0, len(turns), evaluator(), pairs(), index.tables, *to_fill)
    histograms, place = np.unique(cumulative[present], axis=0, return_inverse=True)
    histogram_of = np.zeros(index.size, dtype=np.int32)
    histogram_of[present] = place.ravel()
    turn = TurnFeatures(histograms, histogram_of, weight)

    flop, flop_index = features.flop_features(turn, threads), Indexer(FLOP)
    cards = flop_index.hands(np.arange(flop_index.size))
    there = np.isin(Indexer([3]).indices(cards[:, 2:]), numbers)
    flop.weight[~there] = 0  # their histograms are of turns that were left out
    return _hands(numbers, np.flatnonzero(there), turn, flop, dealt, threads), features.opponent_clusters(
        flop
    )


def _dealt_on(flops: NDArray[np.integer]) -> DealtTurns:
    """Return the turn hands on these flops, by classes of [2, 3, 1] that there are; flops count from 0."""
    index, boards = Indexer(DEALT_TURN), Indexer([3]).hands(flops)
    turn_class = np.full(index.size, -1, dtype=np.int32)
    flop, weight = np.empty(index.size, dtype=np.int16), np.empty(index.size, dtype=np.uint8)
    tables = index.tables, Indexer(TURN).tables
    dealt_turns(boards, 0, len(boards), pairs(), *tables, turn_class, flop, weight)
    there = np.flatnonzero(turn_class >= 0)
    return DealtTurns(turn_class[there], flop[there], weight[there])


def _hands(
    flops: NDArray[np.integer],
    classes: NDArray[np.integer],
    turn: TurnFeatures,
    flop: FlopFeatures,
    dealt: DealtTurns,
    threads: int,
) -> Hands:
    """Return the flop hands of these classes, with their turns; `flops` are those that they are on, in order."""
    cards = Indexer(FLOP).hands(classes)

    def potential(bucket: NDArray[np.integer], members: NDArray[np.integer]) -> Histograms:
        return features.potential_histograms(bucket[turn.histogram_of], classes[members], threads)

    return Hands(
        len(flops),
        flop.histograms[classes],
        flop.weight[classes].astype(np.int64),
        np.searchsorted(flops, Indexer([3]).indices(cards[:, 2:])),
        cards,
        turn.histograms,
        turn.histogram_of[dealt.turn_class],
        dealt.flop,
        dealt.weight,
        potential,
    )


def river_on(
    opponents: NDArray[np.int64], strips: int, codes_per_strip: Sequence[int], every: int, threads: int
) -> River:
    """Take hands on every n-th river board to fit codes on, and as many on other boards to measure them on."""
    codes = [features.fit_river_codes(opponents, strips, many, threads=threads) for many in codes_per_strip]
    fitted, measured = (_river_hands(opponents, start, every) for start in (0, UNFITTED))
    return River(fitted, measured, tuple(codes))


def _river_hands(opponents: NDArray[np.int64], start: int, every: int) -> RiverHands:
    index = Indexer([5])
    boards = index.hands(np.arange(start, index.size, every)).astype(np.int64)
    bits = np.bitwise_or.reduce(np.int64(1) << ((boards & 3) << 4 | boards >> 2), axis=1)
    weight = [orbit_size(np.int64(board), np.int64(0), np.int64(0)) for board in bits]
    equity, ochs = zip(*(features.board_features(board, opponents) for board in boards), strict=True)
    live = len(equity[0])
    return RiverHands(np.concatenate(equity), np.concatenate(ochs), np.repeat(weight, live).astype(np.int64))
