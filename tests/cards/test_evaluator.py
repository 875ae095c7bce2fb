"""The evaluator: phevaluator as the oracle, all five-card hands against `ranking`, all seven-card hands counted."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from phevaluator import evaluate_cards
from test_cards import COUNTS as FIVE_CARD_COUNTS

from oracles.random_cards import all_hands, random_hands
from solvent.cards.deck import CardError, deck, parse_cards
from solvent.cards.evaluator import (
    EMPTY_KEY,
    KINDS,
    evaluator,
    hand_strengths,
    strength_categories,
    strength_label,
    strength_of,
)
from solvent.cards.ranking import CATEGORIES, DIGITS, five_card_strengths

SEVEN_CARD_COUNTS = [
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
]
"""Of the 133,784,560 seven-card hands, from high card to straight flush."""


@pytest.mark.parametrize("hands", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("cards", [5, 6, 7])
def test_random_hands_are_as_strong_as_phevaluator_says(cards: int, hands: int) -> None:
    dealt = random_hands(hands, cards, seed=hands)
    theirs = np.array([evaluate_cards(*hand) for hand in dealt.tolist()])  # 1 is the best there
    np.testing.assert_array_equal(hand_strengths(dealt), KINDS + 1 - theirs)


def test_every_five_card_hand_falls_in_its_category() -> None:
    strengths = hand_strengths(all_hands(5))
    counts = np.bincount(strengths, minlength=KINDS + 1)
    assert counts[0] == 0
    assert (counts[1:] > 0).all()
    categories = strength_categories(np.arange(1, KINDS + 1))
    found = np.bincount(categories, weights=counts[1:]).tolist()
    assert found == [FIVE_CARD_COUNTS[category] for category in CATEGORIES]


@pytest.mark.slow
def test_every_five_card_hand_is_ordered_as_by_ranking() -> None:
    hands = all_hands(5)
    kinds, numbers = np.unique(five_card_strengths(hands.astype(np.int64)), return_inverse=True)
    np.testing.assert_array_equal(hand_strengths(hands), numbers + 1)
    np.testing.assert_array_equal(strength_categories(np.arange(1, KINDS + 1)), kinds >> DIGITS)


@njit
def count_seven_card_hands(tables, counts):
    """How many seven-card hands there are of each strength."""
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    key4 = EMPTY_KEY + card_key[a] + card_key[b] + card_key[c] + card_key[d]
                    bits4 = card_bit[a] | card_bit[b] | card_bit[c] | card_bit[d]
                    for e in range(d):
                        for f in range(e):
                            key6 = key4 + card_key[e] + card_key[f]
                            bits6 = bits4 | card_bit[e] | card_bit[f]
                            for g in range(f):
                                key, bits = key6 + card_key[g], bits6 | card_bit[g]
                                strength = strength_of(
                                    key, bits, 7, high_place, low_place, by_ranks, by_flush
                                )
                                counts[strength] += 1


@pytest.mark.slow
def test_all_seven_card_hands_fall_in_their_categories() -> None:
    counts = np.zeros(KINDS + 1, dtype=np.int64)
    count_seven_card_hands(evaluator(), counts)
    assert counts.sum() == 133_784_560
    found = np.bincount(strength_categories(np.arange(1, KINDS + 1)), weights=counts[1:])
    assert found.tolist() == SEVEN_CARD_COUNTS
    assert (counts > 0).sum() == 4_824  # the kinds that the best five of seven cards can be


@given(st.lists(st.sampled_from(deck()), min_size=7, max_size=7, unique=True))
def test_six_or_seven_cards_are_as_strong_as_their_best_five(cards: list[int]) -> None:
    for count in (6, 7):
        best = max(hand_strengths(list(combinations(cards[:count], 5))))
        assert hand_strengths(cards[:count]) == best


def test_strengths_have_names() -> None:
    assert strength_label(1) == strength_label(1_277) == "high card"
    assert strength_label(1_278) == "pair"
    assert strength_label(KINDS) == CATEGORIES[-1] == "straight flush"


def test_any_shape_of_hands_is_evaluated() -> None:
    hands = random_hands(6, 7, seed=1)
    assert hand_strengths(hands.reshape(2, 3, 7)).tolist() == hand_strengths(hands).reshape(2, 3).tolist()
    assert hand_strengths(hands[0]) == hand_strengths(hands)[0]
    assert hand_strengths(np.zeros((0, 7), dtype=np.int64)).shape == (0,)


def test_keys_and_bits_of_board_and_hole_cards_add_up() -> None:
    tables = evaluator()
    for board, hole in (("Ks7d2c9h9s", "AsAh"), ("Ks7s2s9h9s", "AsAh"), ("QsJsTs9s8s", "KsAs")):
        keys, bits = zip(
            *(
                (int(tables.card_key[list(cards)].sum()), int(tables.card_bit[list(cards)].sum()))
                for cards in (parse_cards(board), parse_cards(hole))
            ),
            strict=True,
        )
        found = strength_of(EMPTY_KEY + sum(keys), sum(bits), 7, *tables[2:])
        assert found == hand_strengths(parse_cards(board + hole))


@pytest.mark.parametrize("count", [0, 1, 4, 8])
def test_other_numbers_of_cards_are_refused(count: int) -> None:
    with pytest.raises(CardError, match=f"has 5, 6 or 7 cards, not {count}"):
        hand_strengths(np.arange(count))


@pytest.mark.parametrize("card", [-1, 52, 260])
def test_what_is_no_card_is_refused(card: int) -> None:
    with pytest.raises(CardError, match="numbered 0 to 51"):
        hand_strengths([0, 1, 2, 3, card])


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(CardError, match="AsKs2c3c3c has a card twice"):
        hand_strengths([parse_cards("AsKsQsJs9s"), (51, 47, 0, 4, 4)])
