"""Compiled passes over boards that work out what hands are like: equities, their histograms, opponents by cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvent.cards.isomorphism import class_index, orbit_size
from solvent.cards.showdown import HANDS, Kinds, kind_equities, kinds

BINS = 32
"""Bins of an equity histogram: 32 bytes a row, one vector register."""


class Room(NamedTuple):
    """What one thread works in."""

    kinds: Kinds
    board: NDArray[np.int64]
    """int64[5]"""
    counts: NDArray[np.uint8]
    """uint8[1326, BINS]"""


def room() -> Room:
    """Room for one thread."""
    return Room(kinds(), np.zeros(5, dtype=np.int64), np.zeros((HANDS, BINS), dtype=np.uint8))


@njit(cache=True, nogil=True)
def board_bits(board, count):  # type: ignore[no-untyped-def]
    """The first `count` cards of a board as bits, 16 bits a suit."""
    bits = np.int64(0)
    for place in range(count):
        card = np.int64(board[place])
        bits |= np.int64(1) << ((card & 3) << 4 | card >> 2)
    return bits


@njit(cache=True, nogil=True)
def turn_histograms(boards, start, end, evaluator, hands, index, bin_of, room, cumulative, weight, classes, slots):  # type: ignore[no-untyped-def]
    """Equity histograms over all 46 river cards, of every hand on turn boards `start` to `end`.

    cumulative: uint8[classes of [2, 4], BINS], how many rivers leave the hand with an equity in this bin or below.
    weight: uint8[classes], how many deals a class stands for. classes: int32[boards, slots], each board's classes,
    -1 after the last.
    """
    board, counts, kind, equity = room.board, room.counts, room.kinds.kind, room.kinds.equity
    for at in range(start, end):
        for place in range(4):
            board[place] = boards[at, place]
        bits = board_bits(board, 4)
        for hand in range(HANDS):
            for part in range(BINS):
                counts[hand, part] = 0
        for card in range(52):
            if bits >> ((card & 3) << 4 | card >> 2) & 1:
                continue
            board[4] = card
            kind_equities(board, evaluator, room.kinds)
            hand = 0
            for high in range(1, 52):
                if kind[high] < 0:
                    hand += high
                    continue
                for low in range(high):
                    if kind[low] >= 0:
                        counts[hand, bin_of[equity[kind[high], kind[low]]]] += 1
                    hand += 1
        hand_bits = hands.bits
        found = 0
        for hand in range(HANDS):
            if hand_bits[hand] & bits:
                continue
            row = class_index((hand_bits[hand], bits, 0, 0), index)
            if weight[row]:
                continue  # a hand like it came before: every class belongs to one board
            weight[row] = orbit_size(hand_bits[hand], bits)
            classes[at, found] = row
            found += 1
            total = 0
            for part in range(BINS):
                total += counts[hand, part]
                cumulative[row, part] = total
        for slot in range(found, slots):
            classes[at, slot] = -1


@njit(cache=True, nogil=True)
def flop_histograms(cards, start, end, index, turns, cumulative, weight):  # type: ignore[no-untyped-def]
    """Equity histograms over all 47 x 46 turns and rivers, from those of the turn hands that each leads to.

    cards: uint8[classes of [2, 3], 5]. turns: uint8[classes of [2, 4], BINS]. cumulative: uint16[classes, BINS].
    """
    for row in range(start, end):
        hole, flop = np.int64(0), np.int64(0)
        for place in range(5):
            card = np.int64(cards[row, place])
            bit = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if place < 2:
                hole |= bit
            else:
                flop |= bit
        weight[row] = orbit_size(hole, flop)
        for part in range(BINS):
            cumulative[row, part] = 0
        for card in range(52):
            bit = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if (hole | flop) & bit:
                continue
            turn = class_index((hole, flop | bit, 0, 0), index)
            for part in range(BINS):
                cumulative[row, part] += turns[turn, part]
