"""Every hand on one river board: its strength, the order of strengths, and how it fares against all others.

A hand is a pair of cards, numbered 0 to 1,325 by `hand_number`. On a board 1,081 hands are live. Evaluating them
takes one addition of keys each, sorting them two passes of a radix sort, and one sweep through the order, group of
equals by group, counts for each hand the weaker and the equal ones that share no card with it (inclusion and
exclusion by card: what holds the first, plus what holds the second; only the hand itself holds both).
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvent.cards.deck import Card
from solvent.cards.evaluator import EMPTY_KEY, evaluator, strength_of

HANDS = 1326
LIVE = 1081
"""Hands that share no card with a river board."""
FULL = 1980
"""The equity of a hand that beats all 990 it may meet: 2 for each it beats and 1 for each it ties."""


class Pairs(NamedTuple):
    """All 1,326 hands, for kernels."""

    low: NDArray[np.int64]
    """int64[1326]: the lower card."""
    high: NDArray[np.int64]
    """int64[1326]: the higher card."""
    key: NDArray[np.int64]
    """int64[1326]: the evaluator's keys of both, added."""
    bits: NDArray[np.int64]
    """int64[1326]: both cards as bits, 16 bits a suit."""


def hand_number(first: Card, second: Card) -> int:
    """The number of a hand, whichever card comes first.

    >>> hand_number(0, 1), hand_number(51, 50)
    (0, 1325)
    """
    low, high = sorted((first, second))
    return high * (high - 1) // 2 + low


@cache
def pairs() -> Pairs:
    """Every hand by its number."""
    cards = np.array(sorted(combinations(range(52), 2), key=lambda pair: pair[::-1]))
    tables = evaluator()
    return Pairs(
        low=cards[:, 0].copy(),
        high=cards[:, 1].copy(),
        key=tables.card_key[cards].sum(axis=1),
        bits=tables.card_bit[cards].sum(axis=1),
    )


class Scratch(NamedTuple):
    """Room for what one thread works out on one board."""

    strength: NDArray[np.uint16]
    """uint16[1326]: every hand's strength; 0 where it shares a card with the board."""
    order: NDArray[np.int16]
    """int16[1081]: the live hands from weakest to strongest."""
    spare: NDArray[np.int16]
    """int16[1081]"""
    digits: NDArray[np.int64]
    """int64[129]"""
    held: NDArray[np.int64]
    """int64[2, 52]: by card, weaker hands with it, and hands with it in the group at hand."""


def scratch() -> Scratch:
    """Room for one thread."""
    return Scratch(
        np.zeros(HANDS, dtype=np.uint16),
        np.zeros(LIVE, dtype=np.int16),
        np.zeros(LIVE, dtype=np.int16),
        np.zeros(129, dtype=np.int64),
        np.zeros((2, 52), dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def order_hands(board, tables, hands, room):  # type: ignore[no-untyped-def]
    """Evaluate every hand on a river board (five cards) and sort the live ones by strength, into `room`."""
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    for place in range(5):
        key += card_key[board[place]]
        bits |= card_bit[board[place]]
    strength, order, spare, digits = room.strength, room.order, room.spare, room.digits
    for digit in range(129):
        digits[digit] = 0
    live = 0
    hand_key, hand_bits = hands.key, hands.bits
    for hand in range(HANDS):
        both = hand_bits[hand]
        if both & bits:
            strength[hand] = 0
            continue
        strong = strength_of(key + hand_key[hand], bits | both, 7, high_place, low_place, by_ranks, by_flush)
        strength[hand] = strong
        spare[live] = hand
        digits[(strong & 127) + 1] += 1
        live += 1
    for digit in range(128):
        digits[digit + 1] += digits[digit]
    for place in range(live):
        hand = spare[place]
        digit = strength[hand] & 127
        order[digits[digit]] = hand
        digits[digit] += 1
    for digit in range(129):
        digits[digit] = 0
    for place in range(live):
        digits[(strength[order[place]] >> 7) + 1] += 1
    for digit in range(128):
        digits[digit + 1] += digits[digit]
    for place in range(live):
        hand = order[place]
        digit = strength[hand] >> 7
        spare[digits[digit]] = hand
        digits[digit] += 1
    for place in range(live):
        order[place] = spare[place]


@njit(cache=True, nogil=True)
def count_equities(hands, room, equities):  # type: ignore[no-untyped-def]
    """After `order_hands`: 2 for each hand that a live hand beats and 1 for each that it ties, uint16[1326]."""
    strength, order, held = room.strength, room.order, room.held
    low, high = hands.low, hands.high
    for card in range(52):
        held[0, card] = held[1, card] = 0
    start = 0
    while start < LIVE:
        end = start
        strong = strength[order[start]]
        while end < LIVE and strength[order[end]] == strong:
            held[1, low[order[end]]] += 1
            held[1, high[order[end]]] += 1
            end += 1
        for place in range(start, end):
            hand = order[place]
            a, b = low[hand], high[hand]
            weaker = start - held[0, a] - held[0, b]
            equal = end - start - held[1, a] - held[1, b] + 1
            equities[hand] = 2 * weaker + equal
        for place in range(start, end):
            hand = order[place]
            a, b = low[hand], high[hand]
            held[0, a] += held[1, a]
            held[1, a] = 0
            held[0, b] += held[1, b]
            held[1, b] = 0
        start = end


def river_equities(board: tuple[Card, ...]) -> NDArray[np.uint16]:
    """Every hand's equity on a river board against all others, of 1,980; uint16[1326], 0 where a card is shared."""
    room = scratch()
    equities = np.zeros(HANDS, dtype=np.uint16)
    order_hands(np.array(board, dtype=np.int64), evaluator(), pairs(), room)
    count_equities(pairs(), room, equities)
    return equities
