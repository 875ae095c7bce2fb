"""Hands that abstractions are measured on: all flop and turn hands, or those on some flops; some river boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.build import percentiles
from solvent.abstraction.cards.feature_kernels import (
    BINS,
    dealt_turns,
    flop_histograms,
    room,
    turn_histograms,
)
from solvent.abstraction.cards.features import (
    BOARDS_TO_FIT,
    DEALT_TURN,
    FLOP,
    HOLE,
    TURN,
    RiverCodes,
    board_features,
    dealt_turn_hands,
    equity_bins,
    fit_river_codes,
    flop_features,
    mean_equity,
    opponent_clusters,
    potential_histograms,
    turn_features,
)
from solvent.abstraction.cards.river_kernels import OPPONENTS
from solvent.abstraction.clustering.cluster import Histograms
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer, orbit_size
from solvent.cards.showdown import pairs
from solvent.foundation.progress import Watch
from solvent_papers.steps import Say, saying

ROWS_AT_ONCE = 1 << 22
UNFITTED = 134_459 // BOARDS_TO_FIT // 2
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
    """Given the bucket of each turn histogram and the numbers of flop hands: how their turns are spread."""

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
    """What the river is measured on: everything is fitted on some boards and measured on others."""

    fitted: RiverHands
    measured: RiverHands
    codes: tuple[RiverCodes, ...]
    every: int
    """Boards are every n-th of 134,459."""


def deal(
    flops: int | None,
    strips: int,
    codes_per_strip: Sequence[int],
    river_every: int,
    threads: int,
    watch: Watch | None = None,
) -> tuple[Hands, River]:
    """Prepare all hands, or those on `flops` flops spread evenly, and river hands beside them."""
    say = saying(watch)
    if flops is None:
        hands, opponents = all_hands(threads, say)
    else:
        say(f"the hands on {flops} flops")
        hands, opponents = hands_on(np.linspace(0, Indexer([3]).size - 1, flops).astype(int).tolist())
    return hands, river_on(opponents, strips, codes_per_strip, river_every, threads, say)


def all_hands(threads: int, say: Say) -> tuple[Hands, NDArray[np.int64]]:
    """Every flop and turn hand, and the clusters of opponents' hands."""
    say("histograms of all turn hands")
    turn = turn_features(threads)
    say("histograms of all flop hands")
    flop = flop_features(turn, threads)
    dealt = dealt_turn_hands(threads)
    cards = Indexer(FLOP).hands(np.arange(len(flop.weight)))
    flops = Indexer([3])
    hands = Hands(
        flops.size,
        flop.histograms,
        flop.weight.astype(np.int64),
        flops.indices(cards[:, 2:]),
        cards,
        turn.histograms,
        turn.histogram_of[dealt.turn_class],
        dealt.flop,
        dealt.weight,
        lambda bucket, members: potential_histograms(bucket[turn.histogram_of], members, threads),
    )
    return hands, opponent_clusters(flop)


def hands_on(flops: Sequence[int]) -> tuple[Hands, NDArray[np.int64]]:
    """The hands on some classes of flops alone, and stand-ins for the clusters of opponents' hands.

    Opponents' hands are cut into eight by how they do on these flops.
    """
    boards = Indexer([3]).hands(np.asarray(flops))
    histograms, histogram_of, present = _turn_hands(boards)
    flop_index, dealt_index, turn_index = Indexer(FLOP), Indexer(DEALT_TURN), Indexer(TURN)
    classes = np.unique(flop_index.indices(_with_hands(boards)))
    cards = flop_index.hands(classes)
    flop = np.empty((len(classes), BINS), dtype=np.uint16)
    weight = np.empty(len(classes), dtype=np.uint8)
    flop_histograms(cards, 0, len(cards), turn_index.tables, histograms, histogram_of, flop, weight)
    turn_class = np.full(dealt_index.size, -1, dtype=np.int32)
    dealt_flop = np.empty(dealt_index.size, dtype=np.int16)
    dealt_weight = np.empty(dealt_index.size, dtype=np.uint8)
    tables = dealt_index.tables, turn_index.tables
    dealt_turns(boards, 0, len(boards), pairs(), *tables, turn_class, dealt_flop, dealt_weight)
    dealt = np.flatnonzero(turn_class >= 0)

    def potential(bucket: NDArray[np.integer], members: NDArray[np.integer]) -> Histograms:
        of_turn = np.zeros(turn_index.size, dtype=np.uint16)
        of_turn[present] = bucket[histogram_of[present]]
        return potential_histograms(of_turn, classes[members])

    number = {int(flop): at for at, flop in enumerate(flops)}
    hands = Hands(
        len(boards),
        flop,
        weight.astype(np.int64),
        np.array([number[int(flop)] for flop in Indexer([3]).indices(cards[:, 2:])]),
        cards,
        histograms,
        histogram_of[turn_class[dealt]],
        dealt_flop[dealt],
        dealt_weight[dealt],
        potential,
    )
    return hands, _opponents_on(hands)


def river_on(
    opponents: NDArray[np.int64],
    strips: int,
    codes_per_strip: Sequence[int],
    every: int,
    threads: int,
    say: Say,
) -> River:
    """Take hands on every n-th river board to fit codes on, and as many on other boards to measure them on."""
    codes = []
    for many in codes_per_strip:
        say(f"river codes, {strips} x {many}")
        codes.append(fit_river_codes(opponents, strips, many, threads=threads))
    say("river hands")
    fitted, measured = (_river_hands(opponents, start, every) for start in (0, UNFITTED))
    return River(fitted, measured, tuple(codes), every)


def _turn_hands(
    flops: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
    """Histograms of the turn hands on these flops, that of each class of turn hands, and the classes there are."""
    dealt = np.concatenate(
        [np.repeat(flops, 52, axis=0), np.tile(np.arange(52), len(flops))[:, None]], axis=1
    )
    dealt = dealt[(dealt[:, :3] != dealt[:, 3:]).all(axis=1)].astype(np.uint8)
    index, turns = Indexer(TURN), Indexer([4])
    boards = turns.hands(np.unique(turns.indices(dealt)))
    cumulative = np.zeros((index.size, BINS), dtype=np.uint8)
    weight = np.zeros(index.size, dtype=np.uint8)
    turn_histograms(
        boards, 0, len(boards), evaluator(), pairs(), index.tables, equity_bins(), room(), cumulative, weight
    )
    present = np.flatnonzero(weight)
    histograms, place = np.unique(cumulative[present], axis=0, return_inverse=True)
    histogram_of = np.zeros(index.size, dtype=np.int32)
    histogram_of[present] = place.ravel()
    return histograms, histogram_of, present


def _with_hands(boards: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Every board after every two cards that it leaves."""
    hands = np.stack([pairs().low, pairs().high], axis=1).astype(np.uint8)
    made = np.concatenate(
        [np.tile(hands, (len(boards), 1)), np.repeat(boards, len(hands), axis=0)],
        axis=1,
    )
    clash = (made[:, :2, None] == made[:, None, 2:]).any(axis=(1, 2))
    dealt: NDArray[np.uint8] = made[~clash]
    return dealt


def _opponents_on(hands: Hands) -> NDArray[np.int64]:
    """int64[1326]: each hand's eighth by mean equity on the flops at hand."""
    hole = Indexer(HOLE)
    classes = hole.indices(hands.flop_cards[:, :2])
    deals = np.bincount(classes, hands.flop_weight, minlength=hole.size)
    equity = np.bincount(classes, hands.flop_weight * mean_equity(hands.flop), minlength=hole.size)
    of_hand = hole.indices(np.stack([pairs().low, pairs().high], axis=1))
    eighths = percentiles((equity / np.maximum(deals, 1))[of_hand], np.ones_like(of_hand), OPPONENTS)
    return eighths.astype(np.int64)


def _river_hands(opponents: NDArray[np.int64], start: int, every: int) -> RiverHands:
    index = Indexer([5])
    boards = index.hands(np.arange(start, index.size, every)).astype(np.int64)
    bits = np.bitwise_or.reduce(np.int64(1) << ((boards & 3) << 4 | boards >> 2), axis=1)
    weight = [orbit_size(np.int64(board), np.int64(0), np.int64(0)) for board in bits]
    equity, ochs = zip(*(board_features(board, opponents) for board in boards), strict=True)
    live = len(equity[0])
    return RiverHands(np.concatenate(equity), np.concatenate(ochs), np.repeat(weight, live).astype(np.int64))
