"""Every hand on one river board: its strength, the order of strengths, and how it fares against all others.

A hand is a pair of cards, numbered 0 to 1,325 by `hands.hand_number`. On a board 1,081 hands are live;
`order_hands` evaluates each by one addition of keys and sorts them by two passes of a radix sort.

Against all hands at once, far fewer need be looked at. Cards of one rank are equal to a board without three cards
of a suit, and to one with three or more, cards of one rank that are not of that suit. So `kind_equities` sweeps at
most 91 or 351 pairs of kinds of cards, from the weakest up, group of equals by group, and counts for each the
weaker and the equal hands that share no card with it: all, less those with its first card, less those with its
second (only the hand itself has both).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import EMPTY_KEY, evaluator, strength_of
from solvent.cards.hands import HANDS, hole_cards
from solvent.foundation.kernels.compiling import internal, kernel

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


@cache
def pairs() -> Pairs:
    """Every hand by its number."""
    cards = hole_cards()
    tables = evaluator()
    return Pairs(
        low=cards[:, 0].copy(),
        high=cards[:, 1].copy(),
        key=tables.card_key[cards].sum(axis=1),
        bits=tables.card_bit[cards].sum(axis=1),
    )


class Ordering(NamedTuple):
    """Room for one thread to order hands in."""

    strength: NDArray[np.uint16]
    """uint16[1326]: every hand's strength; 0 where it shares a card with the board."""
    order: NDArray[np.int16]
    """int16[1081]: the live hands from weakest to strongest."""
    spare: NDArray[np.int16]
    """int16[1081]"""
    digits: NDArray[np.int64]
    """int64[129]"""


def ordering() -> Ordering:
    """Room for one thread."""
    strength, order = np.zeros(HANDS, dtype=np.uint16), np.zeros(LIVE, dtype=np.int16)
    return Ordering(strength, order, order.copy(), np.zeros(129, dtype=np.int64))


@internal
def order_hands(board, tables, hands, room):  # type: ignore[no-untyped-def]
    """Evaluate every hand on a river board (five cards) and sort the live ones by strength, into `room`."""
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    for place in range(5):
        key += card_key[board[place]]
        bits |= card_bit[board[place]]
    strength, order, spare, digits = room
    live = 0
    hand_key, hand_bits = hands.key, hands.bits
    for hand in range(HANDS):
        both = hand_bits[hand]
        if both & bits:
            strength[hand] = 0
            continue
        strong = strength_of(key + hand_key[hand], bits | both, 7, high_place, low_place, by_ranks, by_flush)
        strength[hand] = strong
        order[live] = hand
        live += 1
    sort_hands(strength, order, spare, digits, live)


@internal
def sort_hands(strength, order, spare, digits, live):  # type: ignore[no-untyped-def]
    """Sort the first `live` hands of `order` by strength: two passes by seven bits."""
    for shift in (0, 7):
        for digit in range(129):
            digits[digit] = 0
        for place in range(live):
            spare[place] = order[place]
            digits[(strength[order[place]] >> shift & 127) + 1] += 1
        for digit in range(128):
            digits[digit + 1] += digits[digit]
        for place in range(live):
            hand = spare[place]
            digit = strength[hand] >> shift & 127
            order[digits[digit]] = hand
            digits[digit] += 1


KINDS_OF_CARDS = 26
"""Ranks, and ranks of a suit that a flush may be in."""


class Kinds(NamedTuple):
    """Room for one thread to compare kinds of cards in."""

    kind: NDArray[np.int64]
    """int64[52]: a card's kind on the board at hand; -1 for the board's own."""
    equity: NDArray[np.uint16]
    """uint16[26, 26]: by the kinds of both cards: 2 for each hand beaten and 1 for each tied, of 1,980."""
    ordering: Ordering
    """Counts pairs of kinds, not pairs of hands."""
    cards: NDArray[np.int64]
    """int64[3, 26]: how many cards of each kind live, and two of them."""
    held: NDArray[np.int64]
    """int64[2, 26]: by kind, weaker hands with one certain card of it, and hands with it in the group at hand."""


def kinds() -> Kinds:
    """Room for one thread."""
    return Kinds(
        np.zeros(52, dtype=np.int64),
        np.zeros((KINDS_OF_CARDS, KINDS_OF_CARDS), dtype=np.uint16),
        ordering(),
        np.zeros((3, KINDS_OF_CARDS), dtype=np.int64),
        np.zeros((2, KINDS_OF_CARDS), dtype=np.int64),
    )


@kernel
def kind_equities(board, tables, room):  # type: ignore[no-untyped-def]
    """The equity of every pair of kinds of cards on a river board, against all hands, into `room`."""
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    key, bits = sort_cards_by_kind(board, card_key, card_bit, room.kind, room.cards)
    strength, order, spare, digits = room.ordering
    cards = room.cards
    pairs = 0
    for a in range(KINDS_OF_CARDS):
        if cards[0, a] == 0:
            continue
        key_a, bits_a = key + card_key[cards[1, a]], bits | card_bit[cards[1, a]]
        for b in range(a + 1):
            if cards[0, b] == 0 or (a == b and cards[0, a] < 2):
                continue
            other = cards[2, a] if a == b else cards[1, b]
            pair = a * KINDS_OF_CARDS + b
            both, held = key_a + card_key[other], bits_a | card_bit[other]
            strength[pair] = strength_of(both, held, 7, high_place, low_place, by_ranks, by_flush)
            order[pairs] = pair
            pairs += 1
    sort_hands(strength, order, spare, digits, pairs)
    sweep_kinds(pairs, strength, order, cards, room.held, room.equity)


@internal
def sort_cards_by_kind(board, card_key, card_bit, kind, cards):  # type: ignore[no-untyped-def]
    """Each card's kind, and how many and which cards are of each kind; the key and the bits of the board."""
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    for place in range(5):
        key += card_key[board[place]]
        bits |= card_bit[board[place]]
    flush_suit = -1
    for suit in range(4):
        in_suit = 0
        for place in range(5):
            in_suit += board[place] & 3 == suit
        if in_suit >= 3:
            flush_suit = suit
    for a in range(KINDS_OF_CARDS):
        cards[0, a] = 0
    for card in range(52):
        if card_bit[card] & bits:
            kind[card] = -1
            continue
        a = card >> 2
        if card & 3 == flush_suit:
            a += 13
        kind[card] = a
        cards[0, a] += 1
        cards[2, a] = cards[1, a]
        cards[1, a] = card
    return key, bits


@internal
def sweep_kinds(pairs, strength, order, cards, held, equity):  # type: ignore[no-untyped-def]
    """Sweep from the weakest pair of kinds up: hands beaten and hands tied, less those that share a card."""
    for a in range(KINDS_OF_CARDS):
        held[0, a] = held[1, a] = 0
    start = weaker = 0
    while start < pairs:
        end, equal = start, 0
        strong = strength[order[start]]
        while end < pairs and strength[order[end]] == strong:
            a, b = order[end] // KINDS_OF_CARDS, order[end] % KINDS_OF_CARDS
            if a == b:
                held[1, a] += cards[0, a] - 1
                equal += cards[0, a] * (cards[0, a] - 1) // 2
            else:
                held[1, a] += cards[0, b]
                held[1, b] += cards[0, a]
                equal += cards[0, a] * cards[0, b]
            end += 1
        for place in range(start, end):
            a, b = order[place] // KINDS_OF_CARDS, order[place] % KINDS_OF_CARDS
            beaten = weaker - held[0, a] - held[0, b]
            tied = equal - held[1, a] - held[1, b] + 1
            equity[a, b] = equity[b, a] = 2 * beaten + tied
        for place in range(start, end):
            a, b = order[place] // KINDS_OF_CARDS, order[place] % KINDS_OF_CARDS
            held[0, a] += held[1, a]
            held[1, a] = 0
            held[0, b] += held[1, b]
            held[1, b] = 0
        weaker += equal
        start = end
