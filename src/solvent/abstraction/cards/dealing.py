"""Deals of two hands and a board: shuffling, the buckets of both hands, and who wins.

A deck is int64[52]. Its first nine cards are the deal: player 0's hand, player 1's hand, then the board.
"""

from __future__ import annotations

import numpy as np

from solvent.abstraction.cards.lookup import (
    card_bits,
    class_bucket,
    flop_class,
    flop_cluster,
    hole_bucket,
    river_class,
    street_bucket,
    turn_class,
)
from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import random_bits

HELD, FLOPPED, DEALT = 4, 7, 9
"""Cards of a deal: those of both hands, with the flop, and with the whole board."""


@internal
def sort_deck(deck):  # type: ignore[no-untyped-def]
    """Put the cards of a deck in order, so that a shuffle depends on its random numbers alone."""
    for card in range(len(deck)):
        deck[card] = card


@internal
def draw_cards(deck, start, end, random):  # type: ignore[no-untyped-def]
    """Draw the cards deck[start:end] at random from deck[start:], in any order before."""
    for place in range(start, end):
        drawn = place + np.int64(random_bits(random) % np.uint64(len(deck) - place))
        deck[place], deck[drawn] = deck[drawn], deck[place]


@kernel
def shuffle(deck, count, random):  # type: ignore[no-untyped-def]
    """Shuffle a deck, in any order before, so that its first `count` cards are drawn at random."""
    draw_cards(deck, 0, count, random)


@internal
def deal_cluster(deck, lookup):  # type: ignore[no-untyped-def]
    """The public cluster of a deal's flop."""
    return flop_cluster(card_bits(deck, 4, 7), lookup)


@internal
def deal_buckets(deck, who, cluster, lookup, buckets):  # type: ignore[no-untyped-def]
    """Write the buckets of a player's hand on every street to buckets[who], int64[4]."""
    buckets[who, 0] = hole_bucket(card_bits(deck, 2 * who, 2 * who + 2), lookup)
    deal_classes(deck, who, lookup, buckets)
    for street in range(1, 4):
        buckets[who, street] = class_bucket(street, buckets[who, street], cluster, lookup)


@internal
def deal_classes(deck, who, lookup, classes):  # type: ignore[no-untyped-def]
    """Write the classes of a player's hand on every street after the first to classes[who], int64[4]."""
    hole, flop = card_bits(deck, 2 * who, 2 * who + 2), card_bits(deck, 4, 7)
    classes[who, 1] = flop_class(hole, flop, lookup)
    classes[who, 2] = turn_class(hole, flop, card_bits(deck, 7, 8), lookup)
    classes[who, 3] = river_class(hole, card_bits(deck, 4, 9), lookup)


@internal
def deal_bucket(deck, who, street, cluster, lookup):  # type: ignore[no-untyped-def]
    """The bucket of a player's hand on one street; cards of later streets may be anything."""
    hole, flop = card_bits(deck, 2 * who, 2 * who + 2), card_bits(deck, 4, 7)
    turn, river = card_bits(deck, 7, 8), card_bits(deck, 8, 9)
    return street_bucket(street, hole, flop, turn, river, cluster, lookup)


@internal
def lead(deck, evaluator):  # type: ignore[no-untyped-def]
    """Return by how much player 0's hand is stronger than player 1's at the showdown; 0 is a tie."""
    card_key, _, high_place, low_place, by_ranks, by_flush = evaluator
    key, board = np.int64(EMPTY_KEY), card_bits(deck, 4, 9)
    for place in range(4, 9):
        key += card_key[deck[place]]
    first = key + card_key[deck[0]] + card_key[deck[1]]
    second = key + card_key[deck[2]] + card_key[deck[3]]
    mine = strength_of(first, board | card_bits(deck, 0, 2), 7, high_place, low_place, by_ranks, by_flush)
    yours = strength_of(second, board | card_bits(deck, 2, 4), 7, high_place, low_place, by_ranks, by_flush)
    return np.int64(mine) - np.int64(yours)
