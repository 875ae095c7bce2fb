"""Cards, decks and the ranking of five cards: all 7,462 classes of hands, and pokerkit as the oracle."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from solvent.cards.deck import (
    RANKS,
    SUITS,
    CardError,
    card_label,
    cards_label,
    deck,
    parse_card,
    parse_cards,
)
from solvent.cards.ranking import CATEGORIES, category, five_card_strength

COUNTS = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
"""How many of the 2,598,960 hands fall in each category."""

five_cards = st.lists(st.sampled_from(deck()), min_size=5, max_size=5, unique=True)


def hand_classes() -> list[tuple[tuple[int, ...], int]]:
    """A hand for every combination of ranks, suited and not, with the number of hands it stands for."""
    classes: list[tuple[tuple[int, ...], int]] = []
    for ranks in combinations_with_replacement(range(13), 5):
        counts = Counter(ranks)
        if max(counts.values()) == 5:
            continue
        suits = (
            [1, 0, 0, 0, 0] if len(counts) == 5 else [ranks[:place].count(r) for place, r in enumerate(ranks)]
        )
        hand = tuple(4 * rank + suit for rank, suit in zip(ranks, suits, strict=True))
        suited = 4 if len(counts) == 5 else 0
        classes.append((hand, prod(comb(4, count) for count in counts.values()) - suited))
        if suited:
            classes.append((tuple(4 * rank for rank in ranks), suited))
    return classes


def test_cards_are_numbered_by_rank_then_suit() -> None:
    labels = [rank + suit for rank in RANKS for suit in SUITS]
    assert [parse_card(label) for label in labels] == list(range(52)) == list(deck())
    assert [card_label(card) for card in range(52)] == labels


def test_cards_are_read_in_either_case_and_with_spaces() -> None:
    assert parse_cards("aS Kd2C") == parse_cards("AsKd2c") == (51, 45, 0)
    assert parse_cards("") == ()


@given(st.lists(st.sampled_from(deck()), unique=True))
def test_labels_are_read_back(cards: list[int]) -> None:
    assert list(parse_cards(cards_label(cards))) == cards


@pytest.mark.parametrize("text", ["", "A", "1s", "Ax", "10s", "sA", "As "])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="is not one"):
        parse_card(text)


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(CardError, match="has the card As twice"):
        parse_cards("AsKdAs")
    with pytest.raises(CardError, match="'K' is not one"):
        parse_cards("AsK")


@pytest.mark.parametrize("card", [-1, 52])
def test_a_number_that_is_no_card_is_refused(card: int) -> None:
    with pytest.raises(CardError, match="0 to 51"):
        card_label(card)


def test_small_decks_keep_the_lowest_ranks() -> None:
    assert cards_label(deck(suits=3, ranks=2)) == "2c2d2h3c3d3h"


@pytest.mark.parametrize(("suits", "ranks"), [(0, 13), (5, 13), (4, 0), (4, 14)])
def test_a_deck_that_cannot_be_is_refused(suits: int, ranks: int) -> None:
    with pytest.raises(CardError, match="a deck has 1 to"):
        deck(suits, ranks)


def test_all_hand_classes_are_ordered_as_by_pokerkit() -> None:
    classes = [hand for hand, _ in hand_classes()]
    strengths = {hand: five_card_strength(hand) for hand in classes}
    assert len(set(strengths.values())) == len(classes) == 7_462
    oracle = {hand: StandardHighHand(cards_label(hand)).entry.index for hand in classes}
    assert sorted(classes, key=strengths.__getitem__) == sorted(classes, key=oracle.__getitem__)


def test_categories_have_the_known_numbers_of_hands() -> None:
    counts: Counter[str] = Counter()
    for hand, copies in hand_classes():
        counts[category(five_card_strength(hand))] += copies
    assert counts == COUNTS
    assert sorted(COUNTS, key=CATEGORIES.index, reverse=True) == list(COUNTS)


@pytest.mark.slow
def test_every_hand_of_the_deck_falls_in_its_category() -> None:
    strengths = Counter(five_card_strength(hand) for hand in combinations(deck(), 5))
    assert len(strengths) == 7_462
    counts: Counter[str] = Counter()
    for strength, copies in strengths.items():
        counts[category(strength)] += copies
    assert counts == COUNTS


def test_random_hands_compare_as_by_pokerkit() -> None:
    rng = random.Random(7)
    for _ in range(1_000):
        mine, yours = rng.sample(deck(), 5), rng.sample(deck(), 5)
        ours = five_card_strength(mine), five_card_strength(yours)
        theirs = StandardHighHand(cards_label(mine)), StandardHighHand(cards_label(yours))
        assert (ours[0] > ours[1]) == (theirs[0] > theirs[1])
        assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])


def test_the_wheel_is_the_lowest_straight() -> None:
    wheel, six_high = (
        five_card_strength(parse_cards("As2d3c4h5s")),
        five_card_strength(parse_cards("2s3d4c5h6s")),
    )
    assert category(wheel) == category(six_high) == "straight"
    assert wheel < six_high
    assert category(five_card_strength(parse_cards("KsAd2c3h4s"))) == "high card"
    # Without an ace in the deck nothing but five ranks in a row is a straight.
    assert category(five_card_strength(parse_cards("Ks2d3c4h5s"))) == "high card"


@given(five_cards, st.permutations(range(4)), st.randoms())
def test_suits_and_order_change_no_strength(cards: list[int], suits: list[int], rng: random.Random) -> None:
    moved = [card - card % 4 + suits[card % 4] for card in cards]
    rng.shuffle(moved)
    assert five_card_strength(moved) == five_card_strength(cards)


@pytest.mark.parametrize("hand", ["", "AsKd2c3h", "AsKd2c3h4s5s"])
def test_only_five_cards_are_ranked(hand: str) -> None:
    with pytest.raises(CardError, match="five different cards"):
        five_card_strength(parse_cards(hand))


def test_a_card_twice_is_not_ranked() -> None:
    with pytest.raises(CardError, match="five different cards, not AsAsAsAsAs"):
        five_card_strength([51] * 5)
