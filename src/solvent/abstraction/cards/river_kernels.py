"""Compiled passes over river boards: equity against all, equity against each cluster of opponents, and tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.lookup import card_bits
from solvent.cards.hands import HANDS
from solvent.cards.isomorphism import class_index, orbit_size
from solvent.cards.showdown import LIVE, Ordering, order_hands, ordering
from solvent.foundation.kernels.compiling import compiled, internal, kernel

OPPONENTS = 8
"""Clusters of opponents' hands that OCHS tells apart."""
UNSEEN = 0xFFFFFFFF
"""No hand's code and equity."""
MOST_FLOPS = 10
"""Flops that a river board can have come from."""


class RiverIndex(NamedTuple):
    """Numbers of river hands and flops, and the public cluster of each flop."""

    river: NDArray[np.int64]
    """The indexer's tables of [2, 5]."""
    flop: NDArray[np.int64]
    """The indexer's tables of [3]."""
    cluster_of_flop: NDArray[np.int64]
    """int64[1755]"""


class CodeCenters(NamedTuple):
    """The centres that river hands are coded by, in strips of equity."""

    strip_of: NDArray[np.int64]
    """int64[1981]: the strip of each equity"""
    centers: NDArray[np.float32]
    """float32[strips, 8, codes a strip]"""
    halves: NDArray[np.float32]
    """float32[strips, codes a strip]: half of the centres' squares"""


class RiverWorkspace(NamedTuple):
    """Workspace of one thread."""

    ordering: Ordering
    equity: NDArray[np.int64]
    """int64[1326]: against all hands, of 1,980."""
    against: NDArray[np.float32]
    """float32[1326, 8]: OCHS, the equity against each cluster, from 0 to 1."""
    held: NDArray[np.float32]
    """float32[3, 53, 8]: hands by card (52: all) and cluster: weaker ones, those of the group at hand, and all."""
    clusters: NDArray[np.int64]
    """int64[2, 10]: the public clusters that the board's flops lie in, and how many of its flops do."""


def river_workspace() -> RiverWorkspace:
    """Return the workspace of one thread."""
    return RiverWorkspace(
        ordering(),
        np.zeros(HANDS, dtype=np.int64),
        np.zeros((HANDS, OPPONENTS), dtype=np.float32),
        np.zeros((3, 53, OPPONENTS), dtype=np.float32),
        np.zeros((2, MOST_FLOPS), dtype=np.int64),
    )


@kernel(fastmath={"reassoc", "nsz"})  # sums of whole numbers, in whichever order
def opponent_equities(board, evaluator, hands, opponents, room):  # type: ignore[no-untyped-def]
    """Write every live hand's equity on a river board, against all hands and each cluster of them, into `room`.

    opponents: int64[1326], the cluster of each hand. One sweep through the hands from the weakest up, group of
    equals by group, counts by cluster the hands beaten and tied, less those that share a card.
    """
    order_hands(board, evaluator, hands, room.ordering)
    strength, order = room.ordering.strength, room.ordering.order
    equity, against, held = room.equity, room.against, room.held
    low, high = hands.low, hands.high
    weaker, group, every = 0, 1, 2
    for table in range(3):
        for card in range(53):
            for who in range(OPPONENTS):
                held[table, card, who] = 0
    for place in range(LIVE):
        count_hand(every, order[place], low, high, opponents, held)
    start = 0
    while start < LIVE:
        end = start
        strong = strength[order[start]]
        while end < LIVE and strength[order[end]] == strong:
            count_hand(group, order[end], low, high, opponents, held)
            end += 1
        for place in range(start, end):
            hand = order[place]
            a, b, own = low[hand], high[hand], opponents[hand]
            total = np.float32(1)
            for who in range(OPPONENTS):
                won = np.float32(2) * (held[weaker, 52, who] - held[weaker, a, who] - held[weaker, b, who])
                won += held[group, 52, who] - held[group, a, who] - held[group, b, who]
                met = held[every, 52, who] - held[every, a, who] - held[every, b, who]
                total += won
                against[hand, who] = won / (np.float32(2) * max(met, np.float32(1)))
            equity[hand] = np.int64(total)
            # The hand itself went twice, by each of its cards, and had to go once.
            won = np.float32(2) * (held[weaker, 52, own] - held[weaker, a, own] - held[weaker, b, own])
            won += held[group, 52, own] - held[group, a, own] - held[group, b, own] + np.float32(1)
            met = held[every, 52, own] - held[every, a, own] - held[every, b, own] + np.float32(1)
            against[hand, own] = won / (np.float32(2) * max(met, np.float32(1)))
        for place in range(start, end):
            a, b = low[order[place]], high[order[place]]
            for who in range(OPPONENTS):
                held[weaker, a, who] += held[group, a, who]
                held[group, a, who] = 0
                held[weaker, b, who] += held[group, b, who]
                held[group, b, who] = 0
        for who in range(OPPONENTS):
            held[weaker, 52, who] += held[group, 52, who]
            held[group, 52, who] = 0
        start = end


@internal
def count_hand(table, hand, low, high, opponents, held):  # type: ignore[no-untyped-def]
    """Add one hand to the counts of its cards and to all."""
    who = opponents[hand]
    held[table, low[hand], who] += 1
    held[table, high[hand], who] += 1
    held[table, 52, who] += 1


@kernel
def nearest_code(hand, against, strip, centers, halves, score):  # type: ignore[no-untyped-def]
    """The code of a hand: which of its strip's centres c its OCHS o is nearest to, by the greatest o.c - |c|^2/2.

    against: float32[1326, 8]. centers: float32[strips, 8, codes a strip]; halves: float32[strips, codes a strip],
    half of their squares. score: float32[codes a strip], room.
    """
    many = centers.shape[2]
    for code in range(many):
        score[code] = -halves[strip, code]
    for who in range(OPPONENTS):
        along = against[hand, who]
        for code in range(many):
            score[code] += along * centers[strip, who, code]
    best, most = 0, score[0]
    for code in range(1, many):
        if score[code] > most:
            best, most = code, score[code]
    return strip * many + best


@compiled
def river_tables(boards, start, end, evaluator, hands, opponents, index, codes, room, table, deals):  # type: ignore[no-untyped-def]
    """Fill the table of river hands on boards `start` to `end`, and count what falls into each public cluster.

    table: uint32[classes of [2, 5]], the code above 16 bits of equity, UNSEEN before. index: `RiverIndex`. codes:
    `CodeCenters`. deals: int64[clusters, codes], deals of flop, turn, river and hand.
    """
    hand_bits, centers, halves = hands.bits, codes.centers, codes.halves
    order, equity, against, clusters = room.ordering.order, room.equity, room.against, room.clusters
    score = np.empty(centers.shape[2], dtype=np.float32)
    rows = np.empty(LIVE, dtype=np.int64)
    counts = np.zeros(deals.shape[1], dtype=np.int64)
    for at in range(start, end):
        board = boards[at]
        bits = card_bits(board, 0, 5)
        opponent_equities(board, evaluator, hands, opponents, room)
        for place in range(LIVE):
            rows[place] = class_index((hand_bits[order[place]], bits, 0, 0), index.river)
        for place in range(LIVE):
            seen = table[rows[place]]
            if seen != UNSEEN:  # a hand like it came before: every class belongs to one board
                counts[seen >> 16] += 1
                continue
            hand = order[place]
            code = nearest_code(hand, against, codes.strip_of[equity[hand]], centers, halves, score)
            table[rows[place]] = code << 16 | equity[hand]
            counts[code] += 1
        many = public_clusters_of(board, index.flop, index.cluster_of_flop, clusters)
        weight = orbit_size(bits, 0, 0)
        for code in range(len(counts)):
            if counts[code]:
                for which in range(many):
                    deals[clusters[0, which], code] += counts[code] * weight * clusters[1, which]
                counts[code] = 0


@kernel
def public_clusters_of(board, flop_index, cluster_of_flop, clusters):  # type: ignore[no-untyped-def]
    """The public clusters of the flops that a board of four or five cards can have come from; how many."""
    many = 0
    size = len(board)
    for a in range(size):
        for b in range(a):
            for c in range(b):
                bits = np.int64(0)
                for card in (np.int64(board[a]), np.int64(board[b]), np.int64(board[c])):
                    bits |= np.int64(1) << ((card & 3) << 4 | card >> 2)
                cluster = cluster_of_flop[class_index((bits, 0, 0, 0), flop_index)]
                which = 0
                while which < many and clusters[0, which] != cluster:
                    which += 1
                if which == many:
                    clusters[0, many] = cluster
                    clusters[1, many] = 0
                    many += 1
                clusters[1, which] += 1
    return many
