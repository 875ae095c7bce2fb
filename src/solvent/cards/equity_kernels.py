"""Kernels that let two ranges meet on every run-out of a board."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import (
    EMPTY_KEY,
    FLUSH_BITS,
    HIGH_MASK,
    HIGH_SHIFT,
    LOW_MASK,
    SUIT_SHIFT,
    strength_of,
)
from solvent.cards.showdown import sort_hands
from solvent.foundation.kernels.compiling import compiled, internal_compiled

SHARED = 120
"""Number of hands from which it is faster to evaluate the 91 pairs of ranks instead, where no flush is possible."""
MAY_FLUSH = 0x2222 << SUIT_SHIFT
"""Two more cards of each suit: added to a board's key they show whether hole cards can make a flush."""


class Hands(NamedTuple):
    """The hands of either range."""

    number: NDArray[np.int64]
    """int64[hands]: by `hands.hand_number`."""
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    key: NDArray[np.int64]
    bits: NDArray[np.int64]
    weight: NDArray[np.float64]
    """float64[hands, 2]: in each player's range."""


@compiled
def meet_on_boards(known, stub, symmetries, tables, hands, sweep, won):  # type: ignore[no-untyped-def]
    """Add what each hand wins and ties on every board that begins with the known cards and goes on with the stub's.

    won: float64[hands, wins or ties x players], in weight of hands met x boards. Returns the boards looked at: of
    those that symmetries map to each other the one with the lowest bits, which counts for all of them.
    """
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    hand_key, hand_bits, weight = hands.key, hands.bits, hands.weight
    count = len(hand_key)
    strength, order = np.zeros(count, dtype=np.int16), np.zeros(count, dtype=np.int16)
    spare, digits = np.zeros(count, dtype=np.int16), np.zeros(129, dtype=np.int64)
    held = np.zeros((52, 4))
    of_ranks, ranks = np.zeros(16 * 13, dtype=np.int16), np.zeros(count, dtype=np.int16)
    for hand in range(count):
        ranks[hand] = 16 * (hands.high[hand] >> 2) + (hands.low[hand] >> 2)
    known_key, known_bits = np.int64(EMPTY_KEY), np.int64(0)
    for place in range(len(known)):
        known_key += card_key[known[place]]
        known_bits |= card_bit[known[place]]
    left = 5 - len(known)
    pick = np.zeros(5, dtype=np.int64)
    for place in range(left):
        pick[place] = place
    seen = 0
    while left == 0 or pick[left - 1] < len(stub):
        key, bits = known_key, known_bits
        for place in range(left):
            key += card_key[stub[pick[place]]]
            bits |= card_bit[stub[pick[place]]]
        copies = stands_for(bits, symmetries)
        if copies:
            seen += 1
            shared = count >= SHARED
            flushes = key + MAY_FLUSH & FLUSH_BITS != 0
            if shared:
                strengths_by_ranks(key, bits, card_key, high_place, low_place, by_ranks, of_ranks)
            live = 0
            for hand in range(count):
                both = hand_bits[hand]
                if both & bits:
                    continue
                if shared and not (flushes and key + hand_key[hand] & FLUSH_BITS):
                    strength[hand] = of_ranks[ranks[hand]]
                else:
                    strength[hand] = strength_of(
                        key + hand_key[hand], bits | both, 7, high_place, low_place, by_ranks, by_flush
                    )
                order[live] = hand
                live += 1
            if sweep:
                sort_hands(strength, order, spare, digits, live)
                sweep_hands(strength, order, live, hands.low, hands.high, weight, held, copies, won)
            else:
                compare_hands(strength, order, spare, live, hand_bits, weight, copies, won)
        if left == 0:
            break
        place = left - 1
        while place > 0 and pick[place] == len(stub) - left + place:
            place -= 1
        pick[place] += 1
        for later in range(place + 1, left):
            pick[later] = pick[later - 1] + 1
    return seen


@internal_compiled
def strengths_by_ranks(key, bits, card_key, high_place, low_place, by_ranks, of_ranks):  # type: ignore[no-untyped-def]
    """The strength without a flush of every two ranks that can be held on a board, at 16 x higher + lower."""
    for high in range(13):
        free = (
            4
            - (bits >> high & 1)
            - (bits >> 16 + high & 1)
            - (bits >> 32 + high & 1)
            - (bits >> 48 + high & 1)
        )
        if free == 0:
            continue
        high_key = key + card_key[4 * high]
        for low in range(high + (free > 1)):
            if bits >> low & bits >> 16 + low & bits >> 32 + low & bits >> 48 + low & 1:
                continue
            both = high_key + card_key[4 * low]
            place = high_place[2, both >> HIGH_SHIFT & HIGH_MASK] + low_place[both & LOW_MASK]
            of_ranks[16 * high + low] = by_ranks[place]


@internal_compiled
def stands_for(bits, symmetries):  # type: ignore[no-untyped-def]
    """Count the boards this one stands for: all that symmetries make of it, or 0 if one of them is lower."""
    same = 0
    for row in range(len(symmetries)):
        moved = np.int64(0)
        for suit in range(4):
            moved |= (bits >> 16 * suit & 8191) << 16 * symmetries[row, suit]
        if moved < bits:
            return 0
        if moved == bits:
            same += 1
    return len(symmetries) // same


@internal_compiled
def sweep_hands(strength, order, live, low, high, weight, held, copies, won):  # type: ignore[no-untyped-def]
    """From the weakest hands up, group of equals by group: what is weaker and what is equal, without shared cards.

    held: float64[cards, weaker or equal x players], room for the weight of the hands that hold each card.
    """
    for card in range(52):
        for column in range(4):
            held[card, column] = 0.0
    weaker0 = weaker1 = 0.0
    start = 0
    while start < live:
        strong, end = strength[order[start]], start
        equal0 = equal1 = 0.0
        while end < live and strength[order[end]] == strong:
            hand = order[end]
            a, b, mine, yours = low[hand], high[hand], weight[hand, 0], weight[hand, 1]
            equal0 += mine
            equal1 += yours
            held[a, 2] += mine
            held[a, 3] += yours
            held[b, 2] += mine
            held[b, 3] += yours
            end += 1
        for place in range(start, end):
            hand = order[place]
            a, b = low[hand], high[hand]
            won[hand, 0] += copies * (weaker1 - held[a, 1] - held[b, 1])
            won[hand, 1] += copies * (weaker0 - held[a, 0] - held[b, 0])
            # Only the hand itself holds both cards; it was taken off twice.
            won[hand, 2] += copies * (equal1 - held[a, 3] - held[b, 3] + weight[hand, 1])
            won[hand, 3] += copies * (equal0 - held[a, 2] - held[b, 2] + weight[hand, 0])
        for place in range(start, end):
            hand = order[place]
            for card in (low[hand], high[hand]):
                held[card, 0] += held[card, 2]
                held[card, 1] += held[card, 3]
                held[card, 2] = held[card, 3] = 0.0
        weaker0 += equal0
        weaker1 += equal1
        start = end


@internal_compiled
def compare_hands(strength, order, spare, live, bits, weight, copies, won):  # type: ignore[no-untyped-def]
    """Every hand of one range against every hand of the other."""
    others = 0
    for place in range(live):
        if weight[order[place], 1] > 0:
            spare[others] = order[place]
            others += 1
    for place in range(live):
        hand = order[place]
        mine = weight[hand, 0] * copies
        if mine == 0:
            continue
        mine_bits, strong, win, tie = bits[hand], strength[hand], 0.0, 0.0
        for met in range(others):
            other = spare[met]
            if bits[other] & mine_bits:
                continue
            if strength[other] < strong:
                win += weight[other, 1]
            elif strength[other] == strong:
                tie += weight[other, 1]
                won[other, 3] += mine
            else:
                won[other, 1] += mine
        won[hand, 0] += win * copies
        won[hand, 2] += tie * copies
