"""Classes of hands: the known sizes, bijections, and that nothing but the classes matters."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_cards import random_hands
from solvent.cards.deck import CardError, deck, parse_cards
from solvent.cards.isomorphism import Indexer

SIZES = {
    (2,): 169,
    (3,): 1_755,
    (4,): 16_432,
    (5,): 134_459,
    (2, 3): 1_286_792,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
}
PATTERNS = list(SIZES)
LARGE = [(2, 4), (2, 5), (2, 3, 1), (2, 3, 1, 1)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_there_are_as_many_classes_as_known(pattern: tuple[int, ...]) -> None:
    assert Indexer(pattern).size == SIZES[pattern]


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p not in LARGE])
def test_every_class_of_a_small_pattern_has_a_hand(pattern: tuple[int, ...]) -> None:
    indexer = Indexer(pattern)
    everything = np.arange(indexer.size)
    np.testing.assert_array_equal(indexer.indices(indexer.hands(everything)), everything)


@pytest.mark.parametrize("count", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("pattern", LARGE)
def test_random_classes_of_a_large_pattern_have_hands(pattern: tuple[int, ...], count: int) -> None:
    indexer = Indexer(pattern)
    some = np.random.default_rng(count).integers(indexer.size, size=count)
    some[:2] = 0, indexer.size - 1
    np.testing.assert_array_equal(indexer.indices(indexer.hands(some)), some)


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_every_hand_has_a_class_of_hands_like_it(cards: int) -> None:
    """Each class is an orbit: its hands are those that the 24 permutations of suits make of one of them."""
    hands = np.array(list(combinations(deck(), cards)))
    indexer = Indexer([cards])
    sizes = np.bincount(indexer.indices(hands), minlength=indexer.size)
    assert (sizes > 0).all()
    assert set(sizes.tolist()) <= {1, 4, 6, 12, 24}  # sizes of orbits under the permutations of four suits
    assert sizes.sum() == len(hands)


def test_hole_cards_are_pairs_suited_or_not() -> None:
    hands = np.array(list(combinations(deck(), 2)))
    sizes = Counter(np.bincount(Indexer([2]).indices(hands)).tolist())
    assert sizes == {6: 13, 4: 78, 12: 78}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_neither_suits_nor_the_order_inside_a_street_matter(pattern: tuple[int, ...]) -> None:
    indexer, rng = Indexer(pattern), np.random.default_rng(11)
    hands = random_hands(20_000, sum(pattern), seed=3)
    suits = rng.permuted(np.tile(np.arange(4), (len(hands), 1)), axis=1)
    moved = hands // 4 * 4 + np.take_along_axis(suits, hands % 4, axis=1)
    ends = np.cumsum(pattern)
    streets = np.split(moved, ends[:-1], axis=1)
    moved = np.concatenate([rng.permuted(street, axis=1) for street in streets], axis=1)
    np.testing.assert_array_equal(indexer.indices(moved), indexer.indices(hands))


@settings(deadline=None)
@given(st.sampled_from(PATTERNS), st.randoms(use_true_random=False))
def test_the_hand_of_a_class_is_the_hand_with_other_suits(
    pattern: tuple[int, ...], rng: random.Random
) -> None:
    """Ranks street by street stay, and cards of one suit stay of one suit: no two classes are thrown together."""
    hand = rng.sample(deck(), sum(pattern))
    indexer = Indexer(pattern)
    found = indexer.hands(indexer.index(hand)).tolist()
    ends = np.cumsum(pattern).tolist()

    def suits_of(cards: list[int]) -> Counter[tuple[tuple[int, ...], ...]]:
        streets = [cards[end - count : end] for end, count in zip(ends, pattern, strict=True)]
        return Counter(
            tuple(tuple(sorted(card // 4 for card in street if card % 4 == suit)) for street in streets)
            for suit in range(4)
        )

    assert suits_of(found) == suits_of(hand)


def test_one_hand_at_a_time_and_many_agree() -> None:
    indexer = Indexer([2, 3])
    hands = random_hands(4, 5, seed=2).reshape(2, 2, 5)
    indices = indexer.indices(hands)
    assert indices.shape == (2, 2)
    assert indexer.index(tuple(hands[1, 0].tolist())) == indices[1, 0]
    assert indexer.hands(indices).shape == (2, 2, 5)
    assert indexer.hands(indices[0, 1]).tolist() == indexer.hands(indices)[0, 1].tolist()


@pytest.mark.parametrize("pattern", [(), (0,), (2, 0), (-1, 3), (2, 3, 1, 1, 1)])
def test_what_is_no_pattern_is_refused(pattern: tuple[int, ...]) -> None:
    with pytest.raises(CardError):
        Indexer(pattern)


def test_hands_that_do_not_fit_are_refused() -> None:
    indexer = Indexer([2, 3])
    with pytest.raises(CardError, match="a pattern of 5 cards"):
        indexer.index(parse_cards("AsKs"))
    with pytest.raises(CardError, match="has a card twice"):
        indexer.index([51, 47, 0, 1, 51])
    with pytest.raises(CardError, match="numbered 0 to 51"):
        indexer.index([51, 47, 0, 1, 52])
    for index in (-1, indexer.size):
        with pytest.raises(CardError, match="numbered 0 to 1,286,791"):
            indexer.hands(index)
