"""Hands that abstractions are measured on: all flop and turn hands, or those on some flops; some river boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards import features
from solvent.abstraction.cards.examine import board_weights
from solvent.abstraction.cards.feature_kernels import BINS, turn_histograms, workspace
from solvent.abstraction.cards.features import FLOP, TURN, DealtTurns, FlopFeatures, TurnFeatures
from solvent.abstraction.clustering.cluster import Histograms
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import pairs
from solvent_papers.frame.experiment import Say

ROWS_AT_ONCE = 1 << 22
UNFITTED = 134_459 // features.BOARDS_TO_FIT // 2
"""A river board half-way between two that codes are fitted on."""


@dataclass(frozen=True)
class Hands:
    """Flop and turn hands on some flops, with their equity histograms and the deals that each stands for."""

    flops: NDArray[np.integer]
    """Classes of the flops, in order; a flop's number is its place here."""
    classes: NDArray[np.integer]
    """Classes of the hands on these flops."""
    flop: FlopFeatures
    """Features of these hands, one row for each of `classes`."""
    turn: TurnFeatures
    dealt: DealtTurns
    """Turn hands whose flop is remembered, with the number of their flop."""
    threads: int

    @cached_property
    def cards(self) -> NDArray[np.uint8]:
        """uint8[flop hands, 5]: the hand's two cards, then the flop's three."""
        return Indexer(FLOP).hands(self.classes)

    @cached_property
    def flop_of(self) -> NDArray[np.int64]:
        """int64[flop hands]: the number of its flop."""
        return np.searchsorted(self.flops, Indexer([3]).indices(self.cards[:, 2:]))

    def potential(self, bucket: NDArray[np.integer], members: NDArray[np.integer]) -> Histograms:
        """Return the spread of some flop hands over buckets of the turn, given that of each turn histogram."""
        of_class, classes = bucket[self.turn.histogram_of], self.classes[members]
        return features.potential_histograms(of_class, classes, self.threads)

    def turn_weights(self, cluster_of_flop: NDArray[np.integer]) -> NDArray[np.int64]:
        """int64[clusters, distinct]: deals by the cluster of their flop and the histogram of their turn hand."""
        clusters, distinct = int(cluster_of_flop.max()) + 1, len(self.turn.histograms)
        dealt, deals = self.dealt, np.zeros(clusters * distinct)
        for start in range(0, len(dealt.flop), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            histogram = self.turn.histogram_of[dealt.turn_class[rows]]
            cell = cluster_of_flop[dealt.flop[rows]].astype(np.int64) * distinct + histogram
            deals += np.bincount(cell, dealt.weight[rows], minlength=len(deals))
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
    return Hands(flops, classes, flop, turn, dealt, threads), features.opponent_clusters(flop)


def hands_on(flops: Sequence[int], threads: int) -> tuple[Hands, NDArray[np.int64]]:
    """Return the hands on some classes of flops, given in order, and clusters of opponents' hands made of these."""
    numbers, index, boards = np.asarray(flops), Indexer(TURN), Indexer([4])
    every = features.dealt_turn_hands(flops=Indexer([3]).hands(numbers))
    on_these = np.flatnonzero(every.turn_class >= 0)
    dealt = DealtTurns(every.turn_class[on_these], every.flop[on_these], every.weight[on_these])
    present = np.unique(dealt.turn_class)
    turns = boards.hands(np.unique(boards.indices(index.hands(present)[:, 2:])))
    cumulative = np.zeros((index.size, BINS), dtype=np.uint8)
    weight = np.zeros(index.size, dtype=np.uint8)
    to_fill = features.equity_bins(), workspace(), cumulative, weight
    turn_histograms(turns, 0, len(turns), evaluator(), pairs(), index.tables, *to_fill)
    histograms, place = np.unique(cumulative[present], axis=0, return_inverse=True)
    histogram_of = np.zeros(index.size, dtype=np.int32)
    histogram_of[present] = place.ravel()
    turn = TurnFeatures(histograms, histogram_of, weight)

    flop, flop_index = features.flop_features(turn, threads), Indexer(FLOP)
    cards = flop_index.hands(np.arange(flop_index.size))
    there = np.isin(Indexer([3]).indices(cards[:, 2:]), numbers)
    flop.weight[~there] = 0  # their histograms are of turns that were left out
    here = FlopFeatures(flop.histograms[there], flop.weight[there])
    hands = Hands(numbers, np.flatnonzero(there), here, turn, dealt, threads)
    return hands, features.opponent_clusters(flop)


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
    equity, ochs = zip(*(features.board_features(board, opponents) for board in boards), strict=True)
    live = len(equity[0])
    return RiverHands(np.concatenate(equity), np.concatenate(ochs), np.repeat(board_weights(boards), live))
