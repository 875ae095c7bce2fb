"""Every hand on a river board against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from oracles.random_cards import random_hands
from oracles.rivers import river_equities
from solvent.cards.deck import deck
from solvent.cards.evaluator import hand_strengths
from solvent.cards.hands import HANDS, hand_number
from solvent.cards.showdown import FULL, LIVE, pairs


def test_hands_are_numbered_without_a_gap() -> None:
    numbers = [hand_number(*hand) for hand in combinations(deck(), 2)]
    assert sorted(numbers) == list(range(HANDS))
    assert hand_number(51, 3) == hand_number(3, 51)
    hands = pairs()
    assert [hand_number(a, b) for a, b in zip(hands.low, hands.high, strict=True)] == list(range(HANDS))
    assert (hands.low < hands.high).all()


def test_equities_of_200_random_hands_are_those_of_brute_force() -> None:
    for cards in random_hands(200, 7, seed=9).tolist():
        board, hole = tuple(cards[:5]), tuple(cards[5:])
        left = [card for card in deck() if card not in cards]
        others = list(combinations(left, 2))
        mine = int(hand_strengths([*board, *hole]))
        theirs = hand_strengths([board + other for other in others]).astype(np.int64)
        assert len(others) == FULL // 2
        assert river_equities(board)[hand_number(*hole)] == 2 * (theirs < mine).sum() + (theirs == mine).sum()


def test_hands_on_a_board_share_its_pots() -> None:
    board = tuple(random_hands(1, 5, seed=77)[0].tolist())
    equities = river_equities(board).astype(np.int64)
    assert equities.sum() == LIVE * FULL // 2
    hands = pairs()
    blocked = np.isin(hands.low, board) | np.isin(hands.high, board)
    assert (equities[blocked] == 0).all()
    assert blocked.sum() == HANDS - LIVE


def test_a_royal_flush_on_the_board_is_shared_by_all() -> None:
    equities = river_equities((51, 47, 43, 39, 35))
    assert set(equities.tolist()) == {0, FULL // 2}
