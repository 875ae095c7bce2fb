"""The strength of hands of five, six or seven cards, fast: a few additions and three look-ups.

A hand's strength is a rank among the 7,462 kinds of five-card hands, 1 the worst and 7,462 the best; equal is a
tie. The order is `ranking`'s, which fills the tables.

Every card has a key, and a hand's key is the sum of its cards' keys, so that a board's key is made once and
hole cards are added to it. A key counts ranks as digits in base 5, seven low ranks in one number and six high
ranks in another, and suits in four small counters that begin at 3: a counter reaches 8 where five cards share a
suit. Without a flush the two numbers say which multiset of ranks it is: each is looked up in a table of its own
and their sum is the place in the table of strengths. No search, no sorting, about 350 KB of tables.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.deck import CardError, check_cards
from solvent.cards.ranking import CATEGORIES, DIGITS, strengths_of_ranks
from solvent.foundation.kernels.compiling import kernel

LOW_RANKS, HIGH_RANKS = 7, 6
HIGH_SHIFT = 17
"""Bits for the low ranks: 5**7 is less than 2**17."""
LOW_MASK, HIGH_MASK = (1 << 17) - 1, (1 << 14) - 1
SUIT_SHIFT = 32
EMPTY_KEY = 0x3333 << SUIT_SHIFT
"""The key of no cards at all."""
FLUSH_BITS = 0x8888 << SUIT_SHIFT
KINDS = 7_462
"""Number of kinds of five-card hands: 7,462 is the strength of a royal flush."""


class Evaluator(NamedTuple):
    """The tables that a kernel needs to evaluate hands."""

    card_key: NDArray[np.int64]
    """int64[52]: what a card adds to a hand's key."""
    card_bit: NDArray[np.int64]
    """int64[52]: the card as a bit, 16 bits a suit."""
    high_place: NDArray[np.int32]
    """int32[3, 5**6]: by number of cards less 5 and high ranks, where their strengths begin."""
    low_place: NDArray[np.int16]
    """int16[5**7]: which multiset of its size the low ranks are."""
    by_ranks: NDArray[np.uint16]
    """uint16[73,775]: strengths without a flush."""
    by_flush: NDArray[np.uint16]
    """uint16[8192]: strengths by the ranks of the suit that makes the flush."""


@kernel
def strength_of(key, bits, count, high_place, low_place, by_ranks, by_flush):  # type: ignore[no-untyped-def]
    """The strength of `count` cards (5, 6 or 7), from the sums of their keys and of their bits.

    The key includes EMPTY_KEY. The bits are only read where there is a flush. The tables come one by one, for a
    tuple of arrays would have its references counted at every hand.
    """
    flush = key & FLUSH_BITS
    if flush:
        suit_bits = bits
        while flush & (8 << SUIT_SHIFT) == 0:
            flush >>= 4
            suit_bits >>= 16
        return by_flush[suit_bits & 8191]
    return by_ranks[high_place[count - 5, key >> HIGH_SHIFT & HIGH_MASK] + low_place[key & LOW_MASK]]


@kernel
def strengths_kernel(cards, evaluator, strengths):  # type: ignore[no-untyped-def]
    """The strength of each row of `cards`: uint8[n, 5 to 7] to uint16[n]."""
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = evaluator
    count = cards.shape[1]
    for row in range(len(cards)):
        key, bits = np.int64(EMPTY_KEY), np.int64(0)
        for place in range(count):
            key += card_key[cards[row, place]]
            bits |= card_bit[cards[row, place]]
        strengths[row] = strength_of(key, bits, count, high_place, low_place, by_ranks, by_flush)


def hand_strengths(cards: ArrayLike) -> NDArray[np.uint16]:
    """The strength of many hands of five, six or seven different cards: [..., cards] to uint16[...].

    >>> from solvent.cards.deck import parse_cards
    >>> pair, flush = hand_strengths([parse_cards("AsAd7c6h4s3d2d"), parse_cards("As9s7s6s4s3d2d")])
    >>> strength_label(pair), strength_label(flush)
    ('pair', 'flush')
    """
    hands = np.asarray(cards)
    count = hands.shape[-1] if hands.ndim else 0
    if not 5 <= count <= 7:
        raise CardError(f"a hand to evaluate has 5, 6 or 7 cards, not {count}")
    check_cards(hands)
    rows = np.ascontiguousarray(hands.reshape(-1, count), dtype=np.uint8)
    strengths = np.empty(len(rows), dtype=np.uint16)
    strengths_kernel(rows, evaluator(), strengths)
    return strengths.reshape(hands.shape[:-1])


def strength_label(strength: int) -> str:
    """The category of a strength, such as `two pair`."""
    return CATEGORIES[strength_categories(np.asarray([strength]))[0]]


def strength_categories(strengths: NDArray[np.uint16]) -> NDArray[np.int64]:
    """The category of each strength, by its place in `ranking.CATEGORIES`."""
    first_of_category = np.searchsorted(_kinds() >> DIGITS, np.arange(len(CATEGORIES)))
    return np.searchsorted(first_of_category + 1, strengths, side="right") - 1


@cache
def evaluator() -> Evaluator:
    """The tables, made once a process in well under a second."""
    low_place, lows = _multisets(LOW_RANKS)
    high_place, highs = _multisets(HIGH_RANKS)
    high_start = np.zeros((3, 5**HIGH_RANKS), dtype=np.int32)
    strengths = []
    start = 0
    for count in (5, 6, 7):
        for high_count in range(count + 1):
            high, low = highs[high_count], lows[count - high_count]
            keys = high @ 5 ** np.arange(HIGH_RANKS)
            high_start[count - 5, keys] = start + high_place[keys].astype(np.int32) * len(low)
            pairs = np.hstack([np.tile(low, (len(high), 1)), np.repeat(high, len(low), axis=0)])
            strengths.append(_best_of_ranks(pairs, count))
            start += len(pairs)
    cards = np.arange(52)
    rank, suit = cards >> 2, cards & 3
    high_key = 5 ** np.maximum(rank - LOW_RANKS, 0) << HIGH_SHIFT
    rank_key = np.where(rank < LOW_RANKS, 5 ** np.minimum(rank, LOW_RANKS), high_key)
    card_key = rank_key + (np.int64(1) << SUIT_SHIFT + 4 * suit)
    card_bit = np.int64(1) << 16 * suit + rank
    return Evaluator(card_key, card_bit, high_start, low_place, np.concatenate(strengths), _flushes())


def _multisets(ranks: int) -> tuple[NDArray[np.int16], list[NDArray[np.int64]]]:
    """List the multisets of ranks in a hand: the place of each among those of its size, and all by size."""
    counts = np.arange(5**ranks)[:, None] // 5 ** np.arange(ranks) % 5
    sizes = counts.sum(axis=1)
    place = np.zeros(len(counts), dtype=np.int16)
    by_size = []
    for size in range(8):
        rows = np.flatnonzero(sizes == size)
        place[rows] = np.arange(len(rows))
        by_size.append(counts[rows])
    return place, by_size


def _best_of_ranks(counts: NDArray[np.int64], size: int) -> NDArray[np.uint16]:
    """The strength of each multiset of `size` ranks, given how often each of the 13 ranks stands in it."""
    ranks = np.repeat(np.tile(np.arange(13), len(counts)), counts.ravel()).reshape(-1, size)
    return _best_kind(ranks, flush=False)


def _flushes() -> NDArray[np.uint16]:
    strengths = np.zeros(1 << 13, dtype=np.uint16)
    for size in (5, 6, 7):
        ranks = np.array(list(combinations(range(13), size)))
        strengths[(1 << ranks).sum(axis=1)] = _best_kind(ranks, flush=True)
    return strengths


def _best_kind(ranks: NDArray[np.int64], flush: bool) -> NDArray[np.uint16]:
    """The kind of the best five of each row of ranks, of several suits or all of one, counted from 1."""
    best = np.zeros(len(ranks), dtype=np.int64)
    for five in combinations(range(ranks.shape[1]), 5):
        np.maximum(best, strengths_of_ranks(ranks[:, five], flush), out=best)
    return (np.searchsorted(_kinds(), best) + 1).astype(np.uint16)


@cache
def _kinds() -> NDArray[np.int64]:
    """Every strength that five cards can have, by `ranking`, from worst to best."""
    suits = np.array(list(combinations(range(13), 5)))
    sets = np.arange(13**5)[:, None] // 13 ** np.arange(5) % 13
    sets = sets[(np.diff(sets, axis=1) >= 0).all(axis=1) & (sets[:, 0] < sets[:, 4])]
    return np.unique(np.concatenate([strengths_of_ranks(sets), strengths_of_ranks(suits, flush=True)]))
