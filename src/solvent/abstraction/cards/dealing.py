"""Nine cards for two hands and a board, the buckets they are in on every street, and who wins."""

from __future__ import annotations

import numpy as np

from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.isomorphism import class_index
from solvent.foundation.compiling import kernel
from solvent.foundation.randomness import random_bits

DEALT = 9
"""Cards of a deal: player 0's hand, player 1's, the board."""


@kernel
def deal(deck, count, random):  # type: ignore[no-untyped-def]
    """Shuffle a deck, int64[52] in any order, so that its first `count` cards are drawn at random."""
    for place in range(count):
        drawn = place + np.int64(random_bits(random) % np.uint64(len(deck) - place))
        deck[place], deck[drawn] = deck[drawn], deck[place]


@kernel
def as_bits(deck, start, end):  # type: ignore[no-untyped-def]
    """Cards as bits, 16 bits a suit."""
    bits = np.int64(0)
    for place in range(start, end):
        bits |= np.int64(1) << ((deck[place] & 3) << 4 | deck[place] >> 2)
    return bits


@kernel
def public_cluster(deck, lookup):  # type: ignore[no-untyped-def]
    """The public cluster of a deal's flop."""
    zero = np.int64(0)
    return np.int64(lookup[5][class_index((as_bits(deck, 4, 7), zero, zero, zero), lookup[1])])


@kernel
def look_up(deck, who, cluster, lookup, buckets):  # type: ignore[no-untyped-def]
    """The buckets of a player's hand on every street: buckets[who], int64[4]. `lookup` is a `buckets.Lookup`."""
    zero = np.int64(0)
    hole, flop = as_bits(deck, 2 * who, 2 * who + 2), as_bits(deck, 4, 7)
    turn, river = as_bits(deck, 7, 8), as_bits(deck, 8, 9)
    buckets[who, 0] = class_index((hole, zero, zero, zero), lookup[0])
    buckets[who, 1] = lookup[6][class_index((hole, flop, zero, zero), lookup[2])]
    buckets[who, 2] = lookup[7][class_index((hole, flop, turn, zero), lookup[3])]
    code = lookup[8][class_index((hole, flop | turn | river, zero, zero), lookup[4])]
    buckets[who, 3] = lookup[9][cluster, code]


@kernel
def lead(deck, evaluator):  # type: ignore[no-untyped-def]
    """How much stronger player 0's hand is than player 1's at the showdown; 0 is a tie."""
    card_key, _, high_place, low_place, by_ranks, by_flush = evaluator
    key, board = np.int64(EMPTY_KEY), as_bits(deck, 4, 9)
    for place in range(4, 9):
        key += card_key[deck[place]]
    first = key + card_key[deck[0]] + card_key[deck[1]]
    second = key + card_key[deck[2]] + card_key[deck[3]]
    mine = strength_of(first, board | as_bits(deck, 0, 2), 7, high_place, low_place, by_ranks, by_flush)
    yours = strength_of(second, board | as_bits(deck, 2, 4), 7, high_place, low_place, by_ranks, by_flush)
    return np.int64(mine) - np.int64(yours)


@kernel
def bucket_of(deck, who, street, cluster, lookup):  # type: ignore[no-untyped-def]
    """The bucket of a player's hand on one street; cards of later streets are not read."""
    zero = np.int64(0)
    hole = as_bits(deck, 2 * who, 2 * who + 2)
    if street == 0:
        return np.int64(class_index((hole, zero, zero, zero), lookup[0]))
    flop = as_bits(deck, 4, 7)
    if street == 1:
        return np.int64(lookup[6][class_index((hole, flop, zero, zero), lookup[2])])
    turn = as_bits(deck, 7, 8)
    if street == 2:
        return np.int64(lookup[7][class_index((hole, flop, turn, zero), lookup[3])])
    code = lookup[8][class_index((hole, flop | turn | as_bits(deck, 8, 9), zero, zero), lookup[4])]
    return np.int64(lookup[9][cluster, min(np.int64(code), lookup[9].shape[1] - 1)])
