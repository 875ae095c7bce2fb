"""Deals of a public game for Monte Carlo CFR: two hands, a board of every round, who wins; then traversals.

A deal is a board of the last round and two hands. Where hands are cards, every such triple without a card twice is
as likely as any other, so one is drawn at random and drawn again until it fits; ranges keep it with the product of
the two weights. Where matrices hold the chances, the triple is drawn from their running sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.sampled.kernels import traverse
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import random_bits, random_unit, stream


class Dealer(NamedTuple):
    """What deals are drawn from. Boards of all rounds are numbered one round after the other."""

    first_last: int
    """The first board of the last round."""
    parent: NDArray[np.int64]
    """int64[boards]: the board before."""
    row: NDArray[np.int64]
    """int64[boards, hands]: where the rows of the hand's bucket begin in the table; -1 if it cannot be held."""
    hand: NDArray[np.int32]
    """int32[boards of the last round, slots]: the hands that can be held there."""
    card: NDArray[np.int8]
    """int8[hands, 2]: their cards; empty where there is a running sum."""
    weight: NDArray[np.float64]
    """float64[2, hands]: each player's range, at most 1; empty where all are 1."""
    strength: NDArray[np.int32]
    """int32[boards of the last round, hands]; empty where there is a running sum."""
    chance: NDArray[np.float64]
    """float64[triples of board, hand and hand]: running sum of their chances; empty for games of cards."""
    sign: NDArray[np.int8]
    """int8[triples]: who wins; empty for games of cards."""


@internal
def below(count, random):  # type: ignore[no-untyped-def]
    """A random whole number from 0 to count - 1."""
    return np.int64(random_bits(random) % np.uint64(count))


@internal
def first_above(sums, number):  # type: ignore[no-untyped-def]
    """The first place of a rising array that holds more than a number, which its last does."""
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_deal(dealer, random):  # type: ignore[no-untyped-def]
    """A board of the last round, both hands, and the outcome: 0, 1, 2 if player 0 wins, ties, loses."""
    if len(dealer.chance) > 0:
        hands = dealer.row.shape[1]
        drawn = first_above(dealer.chance, random_unit(random) * dealer.chance[-1])
        return drawn // (hands * hands), drawn // hands % hands, drawn % hands, 1 - dealer.sign[drawn]
    boards, slots = dealer.hand.shape
    card, weight = dealer.card, dealer.weight
    while True:
        board = below(boards, random)
        first, second = dealer.hand[board, below(slots, random)], dealer.hand[board, below(slots, random)]
        a, b, c, d = card[first, 0], card[first, 1], card[second, 0], card[second, 1]
        if a == c or a == d or b == c or b == d:  # noqa: SIM109
            continue
        if weight.shape[1] > 0 and random_unit(random) >= weight[0, first] * weight[1, second]:
            continue
        lead = dealer.strength[board, first] - dealer.strength[board, second]
        return board, np.int64(first), np.int64(second), 1 - (lead > 0) + (lead < 0)


@internal
def find_rows(dealer, board, first, second, base):  # type: ignore[no-untyped-def]
    """Where the rows of both players begin in every round, into base: int64[2, rounds]; `board` as dealt."""
    place = dealer.first_last + board
    for level in range(base.shape[1] - 1, -1, -1):
        base[0, level], base[1, level] = dealer.row[place, first], dealer.row[place, second]
        place = dealer.parent[place]


@kernel
def public_iterations(start, end, seed, linear, walk, pays, dealer, table, frames, base):  # type: ignore[no-untyped-def]
    """Iterations `start` to `end`: each deals once and traverses the tree for both players.

    linear: whether iteration t counts t. base: int64[2, rounds], room. The rest as `traverse` takes it.
    """
    random = frames[3]
    for iteration in range(start, end):
        random[0] = stream(seed, iteration, 0)
        board, first, second, outcome = draw_deal(dealer, random)
        find_rows(dealer, board, first, second, base)
        weight = np.float32(iteration + 1 if linear else 1)
        for player in range(2):
            random[0] = stream(seed, iteration, 1 + player)
            traverse(
                0, player, weight, walk, pays, base, outcome, table, frames, np.float32(0), np.float32(0),
            )  # fmt: skip
