"""Compiled passes over boards that work out histograms of equity, and what turn hands flop hands lead to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.lookup import card_bits
from solvent.cards.hands import HANDS
from solvent.cards.isomorphism import class_index, orbit_size
from solvent.cards.showdown import KINDS_OF_CARDS, Kinds, kind_equities, kinds
from solvent.foundation.kernels.compiling import kernel

BINS = 32
"""Bins of an equity histogram: 32 bytes a row, one vector register."""


class Workspace(NamedTuple):
    """Workspace of one thread."""

    kinds: Kinds
    board: NDArray[np.int64]
    """int64[5]"""
    counts: NDArray[np.uint8]
    """uint8[1326, BINS]"""
    bins: NDArray[np.uint8]
    """uint8[26, 26]: the bin of each pair of kinds of cards."""


def workspace() -> Workspace:
    """Return the workspace of one thread."""
    counts, bins = (HANDS, BINS), (KINDS_OF_CARDS, KINDS_OF_CARDS)
    return Workspace(
        kinds(), np.zeros(5, dtype=np.int64), np.zeros(counts, dtype=np.uint8), np.zeros(bins, dtype=np.uint8)
    )


@kernel
def turn_histograms(  # type: ignore[no-untyped-def]
    boards, start, end, evaluator, hands, index, bin_of, room, cumulative, weight
):
    """Equity histograms over all 46 river cards, of every hand on turn boards `start` to `end`.

    cumulative: uint8[classes of [2, 4], BINS], how many rivers leave the hand with an equity in this bin or below.
    weight: uint8[classes], how many deals a class stands for.
    """
    board, counts, bins, kind, equity = room.board, room.counts, room.bins, room.kinds.kind, room.kinds.equity
    for at in range(start, end):
        for place in range(4):
            board[place] = boards[at, place]
        bits = card_bits(board, 0, 4)
        for hand in range(HANDS):
            for part in range(BINS):
                counts[hand, part] = 0
        for card in range(52):
            if bits >> ((card & 3) << 4 | card >> 2) & 1:
                continue
            board[4] = card
            kind_equities(board, evaluator, room.kinds)
            for a in range(KINDS_OF_CARDS):
                for b in range(KINDS_OF_CARDS):
                    bins[a, b] = bin_of[equity[a, b]]
            hand = 0
            for high in range(1, 52):
                if kind[high] < 0:
                    hand += high
                    continue
                for low in range(high):
                    if kind[low] >= 0:
                        counts[hand, bins[kind[high], kind[low]]] += 1
                    hand += 1
        hand_bits = hands.bits
        for hand in range(HANDS):
            if hand_bits[hand] & bits:
                continue
            row = class_index((hand_bits[hand], bits, 0, 0), index)
            if weight[row]:
                continue  # a hand like it came before: every class belongs to one board
            weight[row] = orbit_size(hand_bits[hand], bits, 0)
            total = 0
            for part in range(BINS):
                total += counts[hand, part]
                cumulative[row, part] = total


@kernel
def flop_histograms(cards, start, end, index, turns, histogram_of, cumulative, weight):  # type: ignore[no-untyped-def]
    """Equity histograms over all 47 x 46 turns and rivers, from those of the turn hands that each leads to.

    cards: uint8[classes of [2, 3], 5]. turns: uint8[distinct, BINS]
    and histogram_of: int32[classes of [2, 4]] are those of the turn. cumulative: uint16[classes, BINS].
    """
    for row in range(start, end):
        hole = card_bits(cards[row], 0, 2)
        flop = card_bits(cards[row], 0, 5) ^ hole
        weight[row] = orbit_size(hole, flop, 0)
        for part in range(BINS):
            cumulative[row, part] = 0
        for card in range(52):
            bit = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if (hole | flop) & bit:
                continue
            turn = histogram_of[class_index((hole, flop | bit, 0, 0), index)]
            for part in range(BINS):
                cumulative[row, part] += turns[turn, part]


@kernel
def dealt_turns(flops, start, end, hands, dealt_index, turn_index, turn_class, flop, weight):  # type: ignore[no-untyped-def]
    """Turn hands as they are dealt, the flop remembered: [2, 3, 1] on flops `start` to `end`.

    By their class: turn_class: int32, the class of [2, 4] they are in once the flop is forgotten (-1 before), flop:
    int16, the flop's class, and weight: uint8, how many deals the class stands for.
    """
    hand_bits = hands.bits
    for at in range(start, end):
        flop_bits = card_bits(flops[at], 0, 3)
        for card in range(52):
            turn = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if flop_bits & turn:
                continue
            for hand in range(HANDS):
                hole = hand_bits[hand]
                if hole & (flop_bits | turn):
                    continue
                row = class_index((hole, flop_bits, turn, 0), dealt_index)
                if turn_class[row] >= 0:
                    continue
                turn_class[row] = class_index((hole, flop_bits | turn, 0, 0), turn_index)
                flop[row] = at
                weight[row] = orbit_size(hole, flop_bits, turn)


@kernel
def next_buckets(cards, start, end, index, bucket_of, buckets, counts):  # type: ignore[no-untyped-def]
    """Count the turns that bring a flop hand to each turn bucket: buckets and counts, uint16[n, 47], 0 after."""
    for row in range(start, end):
        hole = card_bits(cards[row], 0, 2)
        flop = card_bits(cards[row], 0, 5) ^ hole
        found = 0
        for card in range(52):
            bit = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if (hole | flop) & bit:
                continue
            bucket = bucket_of[class_index((hole, flop | bit, 0, 0), index)]
            slot = 0
            while slot < found and buckets[row, slot] != bucket:
                slot += 1
            if slot == found:
                buckets[row, slot] = bucket
                counts[row, slot] = 0
                found += 1
            counts[row, slot] += 1
        for slot in range(found, 47):
            buckets[row, slot] = counts[row, slot] = 0


@kernel
def distinct_rows(rows, slots, place_of):  # type: ignore[no-untyped-def]
    """Move distinct rows to the front, in order of first sight, and tell where each row went; how many there are.

    rows: uint64[n, 4]. slots: int32, a power of two at least twice as many, all -1: a hash table.
    """
    distinct = 0
    for row in range(len(rows)):
        mixed = np.uint64(0)
        for part in range(rows.shape[1]):
            mixed = (mixed ^ rows[row, part]) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed & np.uint64(len(slots) - 1))
        while True:
            seen = slots[slot]
            if seen < 0:
                for part in range(rows.shape[1]):
                    rows[distinct, part] = rows[row, part]
                slots[slot] = distinct
                place_of[row] = distinct
                distinct += 1
                break
            same = True
            for part in range(rows.shape[1]):
                same &= rows[seen, part] == rows[row, part]
            if same:
                place_of[row] = seen
                break
            slot = (slot + 1) & (len(slots) - 1)
    return distinct
