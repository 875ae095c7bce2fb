"""The order of five-card hands: the usual one of a 52-card deck, in plain Python.

A hand's strength is an int: its category, then its ranks as base-16 digits with the most repeated first.
Higher is better and equal is a tie. Smaller decks use the same order. Their ranks run from 2 upward, so only
a deck of all 13 has an ace to make the wheel, A2345, the lowest straight.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card, CardError, cards_label

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The categories of a hand, from worst to best."""

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

REPEATED = {
    (1,): HIGH_CARD,
    (1, 1): HIGH_CARD,
    (2,): PAIR,
    (2, 1): PAIR,
    (2, 2): TWO_PAIR,
    (3,): TRIPS,
    (3, 1): TRIPS,
    (3, 2): FULL_HOUSE,
    (4,): QUADS,
    (4, 1): QUADS,
    (5,): QUADS,
}
"""The category by how often the two most repeated ranks stand in a hand. No deck has five cards of a rank, but the
table of strengths has a place for them."""

WHEEL = [12, 3, 2, 1, 0]
DIGITS = 20
"""Bits below the category: five ranks of four bits."""


def five_card_strength(cards: Iterable[Card]) -> int:
    """Return the strength of five different cards; the better of two hands has the greater number.

    >>> from solvent.cards.deck import parse_cards
    >>> wheel, aces = (five_card_strength(parse_cards(hand)) for hand in ("As2d3c4h5s", "AsAdAcKhQs"))
    >>> wheel > aces
    True
    """
    hand = list(cards)
    if len(set(hand)) != 5:
        raise CardError(f"a hand is five different cards, not {cards_label(hand) or 'none'}")
    ranks = sorted([card >> 2 for card in hand], reverse=True)
    if len(set(ranks)) < 5:
        return _repeated(ranks)
    return _distinct(ranks, flush=len({card & 3 for card in hand}) == 1)


def best_strength(cards: Iterable[Card]) -> int:
    """Return the strength of the best five of five or more different cards."""
    return max(map(five_card_strength, combinations(cards, 5)))


def five_card_strengths(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """`five_card_strength` of many hands at once: int64[..., 5] to int64[...].

    Ranks and whether there is a flush say it all, so each is one look-up in a table. Rows in which a card
    stands twice get a number that means nothing.
    """
    suits = cards & 3
    flush = (suits == suits[..., :1]).all(axis=-1)
    return np.where(flush, strengths_of_ranks(cards >> 2, flush=True), strengths_of_ranks(cards >> 2))


def strengths_of_ranks(ranks: NDArray[np.int64], flush: bool = False) -> NDArray[np.int64]:
    """The strength of five ranks, of several suits or all of one: int64[..., 5] to int64[...]."""
    key = np.sort(ranks, axis=-1) @ (13 ** np.arange(5))
    strengths: NDArray[np.int64] = _strength_tables()[int(flush)][key]
    return strengths


def short_strengths(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the strengths of hands of two, three or four cards, which all count: int64[..., cards] to int64[...].

    They are ordered as hands of five are; straights, flushes and full houses take five cards.

    >>> from solvent.cards.deck import parse_cards
    >>> [category(s) for s in short_strengths(np.array([parse_cards(hand) for hand in ("8s8d7c", "AsKsQs")]))]
    ['pair', 'high card']
    """
    ranks = np.sort(cards >> 2, axis=-1)
    different, which = np.unique(ranks.reshape(-1, cards.shape[-1]), axis=0, return_inverse=True)
    strengths = np.array([_repeated(row[::-1]) for row in different.tolist()], dtype=np.int64)
    return strengths[which].reshape(cards.shape[:-1])


def best_strengths(boards: NDArray[np.int64], holes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The strength of each hand on each board: int64[boards, cards], int64[hands, 2] to int64[boards, hands]."""
    shape, count = (len(boards), len(holes)), boards.shape[1]
    columns = [np.broadcast_to(boards[:, None, k], shape) for k in range(count)]
    columns += [np.broadcast_to(holes[None, :, k], shape) for k in range(2)]
    if len(columns) < 5:
        return short_strengths(np.stack(columns, axis=-1))
    best = np.zeros(shape, dtype=np.int64)
    for chosen in combinations(columns, 5):
        np.maximum(best, five_card_strengths(np.stack(chosen, axis=-1)), out=best)
    return best


@cache
def _strength_tables() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The strength of five ranks by their base-13 number, lowest rank first: mixed suits, and all of one."""
    tables = np.zeros(13**5, dtype=np.int64), np.zeros(13**5, dtype=np.int64)
    for ranks in combinations_with_replacement(range(13), 5):
        key = sum(rank * 13**place for place, rank in enumerate(ranks))
        highest_first = sorted(ranks, reverse=True)
        if len(set(ranks)) == 5:
            tables[0][key] = _distinct(highest_first, flush=False)
            tables[1][key] = _distinct(highest_first, flush=True)
        else:
            tables[0][key] = _repeated(highest_first)
    return tables


def category(strength: int) -> str:
    """The name of a strength's category.

    >>> from solvent.cards.deck import parse_cards
    >>> category(five_card_strength(parse_cards("As2s3s4s5s")))
    'straight flush'
    """
    return CATEGORIES[strength >> DIGITS]


RANK_NAMES = (
    *("two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "jack", "queen", "king", "ace"),
)


def hand_name(strength: int) -> str:
    """A strength as players call it.

    >>> from solvent.cards.deck import parse_cards
    >>> [hand_name(best_strength(parse_cards(hand))) for hand in ("As9s7s3s2s", "KsKd6c6h6d", "As2d3c4h5s")]
    ['a flush, ace high', 'a full house, sixes over kings', 'a straight, five high']
    """
    which, ranks = strength >> DIGITS, _digits(strength)
    high, many = RANK_NAMES[ranks[0]], _plural(ranks[0])
    if which == STRAIGHT_FLUSH and high == "ace":
        return "a royal flush"
    return {
        HIGH_CARD: f"{high} high",
        PAIR: f"a pair of {many}",
        TWO_PAIR: f"two pair, {many} and {_plural(ranks[2])}",
        TRIPS: f"three of a kind, {many}",
        STRAIGHT: f"a straight, {high} high",
        FLUSH: f"a flush, {high} high",
        FULL_HOUSE: f"a full house, {many} over {_plural(ranks[3])}",
        QUADS: f"four of a kind, {many}",
        STRAIGHT_FLUSH: f"a straight flush, {high} high",
    }[which]


def hand_names(first: int, second: int) -> tuple[str, str]:
    """Two strengths as players call them, with the card that decides where the names alone do not tell.

    >>> from solvent.cards.deck import parse_cards
    >>> hand_names(*(best_strength(parse_cards(hand)) for hand in ("AsAdKc7h2d", "AcAhQc7d2h")))
    ('a pair of aces, king kicker', 'a pair of aces, queen kicker')
    """
    names = hand_name(first), hand_name(second)
    if first == second or names[0] != names[1]:
        return names
    ranks = _digits(first), _digits(second)
    place = next(k for k in range(5) if ranks[0][k] != ranks[1][k])
    written = "then {}" if first >> DIGITS in (HIGH_CARD, FLUSH) else "{} kicker"
    one, other = (
        f"{name}, {written.format(RANK_NAMES[each[place]])}" for name, each in zip(names, ranks, strict=True)
    )
    return one, other


def _digits(strength: int) -> list[int]:
    """The ranks in a strength, those that count first at the front."""
    return [strength >> DIGITS - 4 * (place + 1) & 15 for place in range(5)]


def _plural(rank: int) -> str:
    name = RANK_NAMES[rank]
    return name + ("es" if name == "six" else "s")


def _distinct(ranks: list[int], flush: bool) -> int:
    """The strength of five different ranks, highest first."""
    if ranks == WHEEL:
        ranks = [3, 2, 1, 0, -1]  # the ace plays below the 2
    if ranks[0] - ranks[4] == 4:
        return _strength(STRAIGHT_FLUSH if flush else STRAIGHT, ranks[:1])
    return _strength(FLUSH if flush else HIGH_CARD, ranks)


def _repeated(ranks: list[int]) -> int:
    """The strength of at most five ranks by how often they repeat, highest first."""
    grouped = sorted(ranks, key=ranks.count, reverse=True)  # stable: equal counts stay highest first
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    return _strength(REPEATED[tuple(counts[:2])], grouped)


def _strength(category: int, ranks: list[int]) -> int:
    strength = category
    for rank in ranks:
        strength = strength << 4 | rank
    return strength << DIGITS - 4 * len(ranks)
