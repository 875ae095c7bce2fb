"""Kernels that evaluate each player's hands on every board, and count run-outs.

A run-out is all boards to come: for each pair of hands, how many of them each hand wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.foundation.kernels.compiling import kernel

Array = Any

BLOCKED = 0
"""The strength of a hand that shares a card with the board; all others are stronger."""


@kernel
def evaluate_hands(boards, hands, tables, strength):  # type: ignore[no-untyped-def]
    """The strength of every hand on every board, into `strength`, int32[boards, hands].

    `boards`, int8[boards, cards], have three, four or five cards; `hands` is uint8[hands, 2].
    """
    count = boards.shape[1] + 2
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    for board in range(len(boards)):
        key, bits = np.int64(EMPTY_KEY), np.int64(0)
        for place in range(boards.shape[1]):
            key += card_key[boards[board, place]]
            bits |= card_bit[boards[board, place]]
        for hand in range(len(hands)):
            a, b = hands[hand, 0], hands[hand, 1]
            both = card_bit[a] | card_bit[b]
            if both & bits:
                strength[board, hand] = BLOCKED
            else:
                strength[board, hand] = strength_of(
                    key + card_key[a] + card_key[b],
                    bits | both,
                    count,
                    high_place,
                    low_place,
                    by_ranks,
                    by_flush,
                )


@kernel
def count_run_outs(first, second, won, tied):  # type: ignore[no-untyped-def]
    """Add to `won` the boards that each hand of player 0 wins less those it loses, to `tied` those it ties.

    `first` and `second`, int32[boards, hands], are the strengths of both players' hands. `tied` may be empty.
    """
    for board in range(len(first)):
        for mine in range(first.shape[1]):
            strength = first[board, mine]
            if strength == BLOCKED:
                continue
            for other in range(second.shape[1]):
                against = second[board, other]
                live = np.int32(against != BLOCKED)
                won[mine, other] += live * (np.int32(strength > against) - np.int32(strength < against))
            if len(tied):
                for other in range(second.shape[1]):
                    tied[mine, other] += np.int32(strength == second[board, other])
