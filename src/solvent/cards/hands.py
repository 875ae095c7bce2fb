"""The 1,326 hands of two cards and their numbers: one order of hands for the whole package.

The hand of cards a < b has the number b (b - 1) / 2 + a, so hands are sorted by the higher card, then the lower.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card

HANDS = 1326
"""Hands of two cards of a full deck."""


def hand_number(first: Card, second: Card) -> int:
    """The number of a hand, whichever card comes first.

    >>> hand_number(0, 1), hand_number(51, 50)
    (0, 1325)
    """
    low, high = sorted((first, second))
    return high * (high - 1) // 2 + low


@cache
def hole_cards() -> NDArray[np.int64]:
    """int64[1326, 2]: both cards of every hand by its number, the lower first; read-only.

    >>> hole_cards()[:4].tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3]]
    """
    cards = np.array(sorted(combinations(range(52), 2), key=lambda pair: pair[::-1]), dtype=np.int64)
    cards.flags.writeable = False
    return cards


@cache
def renamed_hands(suits: tuple[int, ...]) -> NDArray[np.int64]:
    """int64[1326]: the number that each hand has after suit s has become `suits[s]`; read-only.

    >>> renamed_hands((1, 0, 2, 3))[:4].tolist()
    [0, 2, 1, 4]
    """
    cards = hole_cards()
    new = cards - cards % 4 + np.array(suits)[cards % 4]
    low, high = new.min(axis=1), new.max(axis=1)
    numbers: NDArray[np.int64] = high * (high - 1) // 2 + low
    numbers.flags.writeable = False
    return numbers


def compatible_weights(
    hands: NDArray[np.int64], others: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum, for each hand, the weights of the other hands that share no card with it: float64[hands].

    hands, others: hands by number. weights: float64[others].

    >>> compatible_weights(np.array([0, 5]), np.array([0, 2, 9]), np.array([1.0, 2.0, 4.0])).tolist()
    [4.0, 1.0]
    """
    cards = hole_cards()
    by_card = np.bincount(cards[others].ravel(), np.repeat(weights, 2), 52)
    same = np.zeros(HANDS)
    same[others] = weights
    # Hands with either card are taken off, and a hand with both has been taken off twice.
    found = weights.sum() - by_card[cards[hands]].sum(axis=1) + same[hands]
    return np.asarray(np.maximum(found, 0.0))
