"""Deals for Monte Carlo CFR: nine cards, every street's buckets and who wins; then a traversal for each player."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.isomorphism import class_index
from solvent.solvers.blueprint_kernels import random_bits, random_float, traverse
from solvent.solvers.random_kernels import stream

PRUNED_SHARE = np.float32(0.95)
"""Of iterations that leave out actions of regret below the floor."""


@njit(cache=True, nogil=True)
def deal_cards(deck, count, random):  # type: ignore[no-untyped-def]
    """Shuffle the first `count` places of a deck: int64[52]."""
    for place in range(count):
        drawn = place + np.int64(random_bits(random) % np.uint64(len(deck) - place))
        deck[place], deck[drawn] = deck[drawn], deck[place]


@njit(cache=True, nogil=True)
def as_bits(deck, start, end):  # type: ignore[no-untyped-def]
    """Cards as bits, 16 bits a suit."""
    bits = np.int64(0)
    for place in range(start, end):
        bits |= np.int64(1) << ((deck[place] & 3) << 4 | deck[place] >> 2)
    return bits


@njit(cache=True, nogil=True)
def holdem_iterations(  # type: ignore[no-untyped-def]
    start, end, seed, linear, nodes, children, pays, layout, table, lookup, evaluator, frames, deck,
    base, exploration, floor,
):  # fmt: skip
    """Iterations `start` to `end`: each deals cards once and traverses the tree for both players.

    layout: int64[3, 4]: (0, floats of the head, floats of a cluster's arena, 0); floats of a bucket by street;
    where each street's rows begin in a cluster's arena. deck: int64[52]. base: int64[2, 4], room. exploration:
    (height, slope), the least probability of an action falls with the iterations. linear: 1 if iteration t counts
    t, else 0.
    """
    hole_index, board_index, flop_index, turn_index, river_index = lookup[:5]
    cluster_of_flop, flop_bucket, turn_bucket, river_code, river_bucket = lookup[5:]
    card_key, _, high_place, low_place, by_ranks, by_flush = evaluator
    stack, strategy, values, random, touched = frames
    zero = np.int64(0)
    for iteration in range(start, end):
        random[0] = stream(seed, iteration, 0)
        for card in range(52):
            deck[card] = card
        deal_cards(deck, 9, random)
        flop, turn, river = as_bits(deck, 4, 7), as_bits(deck, 7, 8), as_bits(deck, 8, 9)
        board = flop | turn | river
        board_key = np.int64(EMPTY_KEY)
        for place in range(4, 9):
            board_key += card_key[deck[place]]
        cluster = np.int64(cluster_of_flop[class_index((flop, zero, zero, zero), board_index)])
        arena = layout[0, 1] + cluster * layout[0, 2]
        lead = np.int64(0)  # how much stronger player 0's hand is
        for who in range(2):
            hole = as_bits(deck, 2 * who, 2 * who + 2)
            base[who, 0] = class_index((hole, zero, zero, zero), hole_index) * layout[1, 0]
            bucket = np.int64(flop_bucket[class_index((hole, flop, zero, zero), flop_index)])
            base[who, 1] = arena + layout[2, 1] + bucket * layout[1, 1]
            bucket = np.int64(turn_bucket[class_index((hole, flop, turn, zero), turn_index)])
            base[who, 2] = arena + layout[2, 2] + bucket * layout[1, 2]
            code = river_code[class_index((hole, board, zero, zero), river_index)]
            base[who, 3] = arena + layout[2, 3] + np.int64(river_bucket[cluster, code]) * layout[1, 3]
            key = board_key + card_key[deck[2 * who]] + card_key[deck[2 * who + 1]]
            strength = np.int64(strength_of(key, board | hole, 7, high_place, low_place, by_ranks, by_flush))
            lead += strength if who == 0 else -strength
        outcome = 1 - (lead > 0) + (lead < 0)
        weight = np.float32(iteration + 1) * linear + (np.float32(1) - linear)
        least = np.float32(max(0.0, exploration[0] - exploration[1] * iteration))
        prune = random_float(random) < PRUNED_SHARE
        for player in range(2):
            traverse(
                player, weight, nodes, children, pays, base, outcome, table, stack, strategy, values, random,
                touched, least, floor if prune else np.float32(-np.inf),
            )  # fmt: skip
