"""A board for public sampling: five cards of a deck, its hands sorted by strength, and their buckets.

Hands are made of all cards that the board leaves, or of some that are drawn from these, which takes less time. Any
two hands that share no card are then as likely to be there as any other two, so that what is found with them is on
average what is found with all hands.

Hands are in *slots*, from the weakest to the strongest, and keep their slots on every street. The buckets that
occur on the board are numbered 0, 1, 2, ... street by street, so that a walk has no work with others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import shuffle
from solvent.abstraction.cards.lookup import card_bits, flop_cluster, street_bucket
from solvent.cards.evaluator import EMPTY_KEY, KINDS, strength_of
from solvent.forms.sampled import row_start
from solvent.foundation.kernels.compiling import kernel

BOARD = 5
STREETS = 4


class BoardHands(NamedTuple):
    """The hands of a board, and room for what leads to them."""

    counts: NDArray[np.int64]
    """int64[1 + STREETS]: hands, then the buckets that occur on each street."""
    card: NDArray[np.int32]
    """int32[slots, 2]: the cards of each hand."""
    tie: NDArray[np.int32]
    """int32[slots]: at the first slot of equal hands, the first slot after them."""
    bucket: NDArray[np.int32]
    """int32[STREETS, slots]: where the numbers of the hand's bucket begin in a room, its number times a stride."""
    start: NDArray[np.int64]
    """int64[STREETS, buckets]: where the rows of each bucket that occurs begin in the table."""
    deck: NDArray[np.int64]
    """int64[cards]: the deck, its first five cards the board in dealing order; hands are made of those after it."""
    sorted_deck: NDArray[np.int64]
    """int64[cards]: the deck before it is shuffled."""
    hole_cards: int
    """Cards after the board of which hands are made."""
    number: NDArray[np.int32]
    """int32[buckets]: room for the number of each bucket of a street."""
    place: NDArray[np.int32]
    """int32[KINDS + 2]: room for where the hands of each strength begin."""
    strength: NDArray[np.int32]
    """int32[slots]: room for the strengths of hands not yet sorted."""


def board_hands(cards: NDArray[np.int64], buckets: int, hole_cards: int) -> BoardHands:
    """Room for the boards of a deck of at least nine cards; `buckets` is the most that a street has."""
    slots = hole_cards * (hole_cards - 1) // 2
    return BoardHands(
        np.zeros(1 + STREETS, dtype=np.int64),
        np.zeros((slots, 2), dtype=np.int32),
        np.zeros(slots, dtype=np.int32),
        np.zeros((STREETS, slots), dtype=np.int32),
        np.zeros((STREETS, min(slots, buckets)), dtype=np.int64),
        np.array(cards, dtype=np.int64),
        np.array(cards, dtype=np.int64),
        hole_cards,
        np.zeros(buckets, dtype=np.int32),
        np.zeros(KINDS + 2, dtype=np.int32),
        np.zeros(slots, dtype=np.int32),
    )


@kernel
def draw_board(hands, random):  # type: ignore[no-untyped-def]
    """Draw five cards, whatever hands may hold, and the cards of hands if these are not all others."""
    for place in range(len(hands.deck)):
        hands.deck[place] = hands.sorted_deck[place]
    drawn = BOARD + hands.hole_cards
    shuffle(hands.deck, drawn if drawn < len(hands.deck) else BOARD, random)


@kernel
def sort_hands(hands, evaluator):  # type: ignore[no-untyped-def]
    """Put every hand into its slot, by counting strengths."""
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = evaluator
    deck, place, strength = hands.deck, hands.place, hands.strength
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    for k in range(BOARD):
        key += card_key[deck[k]]
        bits |= card_bit[deck[k]]
    for k in range(len(place)):
        place[k] = 0
    found = 0
    for one in range(BOARD, BOARD + hands.hole_cards):
        for other in range(BOARD, one):
            a, b = deck[one], deck[other]
            held = strength_of(
                key + card_key[a] + card_key[b], bits | card_bit[a] | card_bit[b], 7, high_place, low_place,
                by_ranks, by_flush,
            )  # fmt: skip
            strength[found] = held
            place[held + 1] += 1
            found += 1
    for k in range(1, len(place)):
        place[k] += place[k - 1]
    hands.counts[0], found = found, 0
    for one in range(BOARD, BOARD + hands.hole_cards):
        for other in range(BOARD, one):
            slot = place[strength[found]]
            place[strength[found]] += 1
            hands.card[slot, 0], hands.card[slot, 1] = deck[one], deck[other]
            found += 1
    # The hands of a strength now end where `place` points; at the first of them, say so.
    begin = 0
    for k in range(len(place)):
        if place[k] > begin:
            hands.tie[begin] = place[k]
            begin = place[k]


@kernel
def find_board_buckets(hands, stride, layout, lookup):  # type: ignore[no-untyped-def]
    """Number the buckets that occur on each street, and find each hand's and where their rows begin."""
    flop, turn, river = card_bits(hands.deck, 0, 3), card_bits(hands.deck, 3, 4), card_bits(hands.deck, 4, 5)
    cluster, number = flop_cluster(flop, lookup), hands.number
    for street in range(STREETS):
        for bucket in range(layout.buckets[street]):
            number[bucket] = -1
        found = 0
        for slot in range(hands.counts[0]):
            held = card_bits(hands.card[slot], 0, 2)
            bucket = street_bucket(street, held, flop, turn, river, cluster, lookup)
            if number[bucket] < 0:
                number[bucket] = found
                hands.start[street, found] = row_start(layout, street, cluster, bucket)
                found += 1
            hands.bucket[street, slot] = number[bucket] * stride
        hands.counts[1 + street] = found
