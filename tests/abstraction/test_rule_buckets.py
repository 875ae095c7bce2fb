"""Rule buckets: a plain twin, every number that occurs, and that suits' names and dealing order don't matter."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from oracles.random_cards import random_hands
from solvent.abstraction.cards.rule_buckets import (
    FLUSH_DRAWS,
    MADE,
    NUMBERS,
    PAIRS,
    SHAPE,
    STRAIGHT_DRAWS,
    STRAIGHTS,
    SUITS,
    RuleBuckets,
    class_buckets,
)
from solvent.cards.deck import CardError, deck, parse_cards
from solvent.cards.isomorphism import Indexer
from solvent.cards.ranking import CATEGORIES, DIGITS, five_card_strength

SIZES = {0: 169, 3: 511, 4: 1_103, 5: 411}
ACE = 12
WINDOWS = [set(range(top - 4, top + 1)) for top in range(4, 13)]
WHEEL = {12, 0, 1, 2, 3}


def top_straight(ranks: set[int]) -> int:
    """The top of the best straight, -1 if there is none."""
    tops = [max(window) for window in WINDOWS if window <= ranks]
    return max(tops, default=3 if ranks >= WHEEL else -1)


def twin(hole: list[int], board: list[int]) -> str:
    """The label of a hand's bucket, worked out from the best five cards and from lists of cards."""
    cards = hole + board
    mine, ranks = [card // 4 for card in hole], [card // 4 for card in board]
    on_board, count = Counter(ranks), Counter(mine + ranks)
    suits, suits_of_board = Counter(card % 4 for card in cards), Counter(card % 4 for card in board)
    doubled = [rank for rank, many in on_board.items() if many >= 2]
    pairs = 0 if not doubled else 1 if len(board) - len(on_board) == 1 else 2
    near = max(len(window & set(ranks)) for window in [*WINDOWS, WHEEL])
    texture = [
        SUITS[min(max(suits_of_board.values()), 4) - 1],
        PAIRS[pairs],
        STRAIGHTS[min(max(near - 2, 0), 2)],
    ]

    best = max(five_card_strength(five) for five in combinations(cards, 5))
    kind = CATEGORIES[best >> DIGITS]
    first, last = best >> DIGITS - 4 & 15, best >> DIGITS - 20 & 15
    plays_board = len(board) == 5 and best == five_card_strength(board)
    over = [rank for rank in mine if rank > max(ranks)]
    overcards = "ace high" if ACE in over else ["nothing", "one overcard", "two overcards"][len(over)]
    missing = [rank for rank in range(13) if rank not in ranks]

    def kicker(rank: int) -> str:
        good = rank in missing and sum(other > rank for other in missing) < 3
        return "good kicker" if good else "weak kicker"

    made = overcards
    if kind in ("straight flush", "full house", "flush", "straight") and plays_board:
        made = "nothing"
    elif kind == "straight flush" or (kind == "four of a kind" and on_board[first] < 4):
        made = "quads or straight flush"
    elif kind == "full house":
        if on_board[first] == 3:
            low = any(rank > last for rank in ranks if rank != first)
        else:
            low = any(rank > first for rank in doubled)
        made = "low full house" if low else "high full house"
    elif kind == "flush":
        suit = max(suits, key=lambda s: suits[s])
        left = [card for card in deck() if card % 4 == suit and card not in board]
        top = max(card for card in hole if card % 4 == suit)
        made = (["nut flush", "second nut flush"] + ["low flush"] * 12)[sum(card > top for card in left)]
    elif kind == "straight":
        nuts = max(top_straight({*ranks, a, b}) for a in range(13) for b in range(a))
        made = "nut straight" if top_straight(set(mine + ranks)) == nuts else "straight"
    elif kind == "three of a kind" and on_board[first] == 2:
        made = f"trips, {kicker(mine[1] if mine[0] == first else mine[0])}"
    elif kind == "three of a kind" and on_board[first] == 1:
        made = "set"
    elif kind in ("pair", "two pair"):
        counting = sorted((rank for rank, many in count.items() if many == 2), reverse=True)[:2]
        own = [rank for rank in counting if rank in mine]
        higher = len({rank for rank in ranks if own and rank > own[0]})
        if own and mine[0] == mine[1]:
            made = ["overpair", "pocket pair under one card", "low pocket pair"][min(higher, 2)]
        elif len(own) == 2:
            made = "top two pair" if own == sorted(set(ranks), reverse=True)[:2] else "two pair"
        elif own:
            other = mine[1] if mine[0] == own[0] else mine[0]
            made = [f"top pair, {kicker(other)}", "second pair", "low pair"][min(higher, 2)]

    draws = []
    if len(board) < 5:
        better = MADE.index(made)
        suit, many = suits.most_common(1)[0]
        held = [card for card in hole if card % 4 == suit]
        left = [card for card in deck() if card % 4 == suit and card not in board]
        if better < MADE.index("low flush"):
            if many == 4 and held:
                draws.append(FLUSH_DRAWS[3 if max(held) == max(left) else 2])
            elif len(board) == 3 and any(suits[s] == 3 and suits_of_board[s] == 1 for s in range(4)):
                draws.append(FLUSH_DRAWS[1])
        if better < MADE.index("straight"):
            outs = [r for r in range(13) if top_straight({*mine, *ranks, r}) > top_straight({*ranks, r})]
            if outs:
                draws.append(STRAIGHT_DRAWS[min(len(outs), 2)])
    return f"{', '.join(texture)}: {', '.join([made, *draws])}"


@pytest.mark.parametrize("board_cards", [3, 4, 5])
def test_hands_are_in_the_buckets_of_a_plain_twin(board_cards: int) -> None:
    """Random hands of the whole deck, and of few ranks or few suits, where rare hands are common."""
    rng, street = random.Random(board_cards), RuleBuckets(board_cards)
    decks = [deck(), deck(ranks=4), deck(suits=1), deck(suits=2), [card for card in deck() if card >= 24]]
    for cards in decks:
        for _ in range(300):
            hand = rng.sample(list(cards), 2 + board_cards)
            assert street.label(street.bucket(hand)) == twin(hand[:2], hand[2:]), hand


@pytest.mark.parametrize(
    "board_cards", [3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
def test_buckets_are_the_numbers_that_occur(board_cards: int) -> None:
    street = RuleBuckets(board_cards)
    occur = np.unique(
        class_buckets([2, board_cards], threads=2)
    )  # 65535 would stand for a number that is missing
    np.testing.assert_array_equal(occur, np.arange(street.size))
    assert np.prod(SHAPE) == NUMBERS == len(street.bucket_of)


@pytest.mark.parametrize("board_cards", [0, 3, 4, 5])
def test_sizes_and_labels(board_cards: int) -> None:
    street = RuleBuckets(board_cards)
    assert street.size == SIZES[board_cards]
    labels = [street.label(bucket) for bucket in range(street.size)]
    assert len(set(labels)) == street.size


def test_before_the_flop_a_bucket_is_a_class() -> None:
    street = RuleBuckets(0)
    hands = np.array(list(combinations(deck(), 2)))
    pairs = set(zip(street.buckets(hands).tolist(), Indexer([2]).indices(hands).tolist(), strict=True))
    assert len(pairs) == street.size == 169
    assert [street.label(street.bucket(parse_cards(hand))) for hand in ("AsKs", "KdAs", "2c2d")] == [
        "AKs",
        "AKo",
        "22",
    ]


def test_every_flop_class_has_a_bucket_and_every_bucket_a_class() -> None:
    street, indexer = RuleBuckets(3), Indexer([2, 3])
    found = street.buckets(indexer.hands(np.arange(indexer.size)))
    assert np.array_equal(np.unique(found), np.arange(street.size))


@pytest.mark.parametrize("board_cards", [0, 3, 4, 5])
def test_suits_and_dealing_order_change_no_bucket(board_cards: int) -> None:
    street, rng = RuleBuckets(board_cards), np.random.default_rng(8)
    hands = random_hands(5_000, 2 + board_cards, seed=board_cards)
    expected = street.buckets(hands)
    assert expected.min() >= 0
    for order in permutations(range(4)):
        moved = hands // 4 * 4 + np.array(order)[hands % 4]
        hole, board = rng.permuted(moved[:, :2], axis=1), rng.permuted(moved[:, 2:], axis=1)
        np.testing.assert_array_equal(street.buckets(np.hstack([hole, board])), expected)


@pytest.mark.parametrize(
    ("hand", "made"),
    [
        ("AsKs Kd7c2h", "rainbow, unpaired, no straight: top pair, good kicker"),
        ("KsTs Kd7c2h", "rainbow, unpaired, no straight: top pair, weak kicker"),
        ("AhQd KsJsTs", "three of a suit, unpaired, straights with two cards: nut straight"),
        ("7h6d 8s5c4h", "rainbow, unpaired, straights with two cards: nut straight"),
        (
            "QsJs Ts9s2d",
            "two of a suit, unpaired, no straight: two overcards, flush draw, open-ended",
        ),
        ("7s7h KdKc7c 2h", "two of a suit, paired, no straight: low full house"),
        ("As2d KsQsJsTs 2c", "four of a suit, unpaired, straights with one card: quads or straight flush"),
        ("2d3d KsQsJsTs9s", "four of a suit, unpaired, straights with one card: nothing"),
        ("As3d KsQsTs9s8s", "four of a suit, unpaired, straights with one card: nut flush"),
        ("2c2d AsAhKdKc7s", "two of a suit, more than a pair, no straight: nothing"),
        ("Qc3d 7s7h7d7cJs", "two of a suit, more than a pair, no straight: one overcard"),
    ],
)
def test_known_hands(hand: str, made: str) -> None:
    cards = parse_cards(hand)
    street = RuleBuckets(len(cards) - 2)
    assert street.label(street.bucket(cards)) == made


def test_bad_input_is_refused() -> None:
    with pytest.raises(CardError, match="0, 3, 4 or 5 cards, not 2"):
        RuleBuckets(2)
    flop = RuleBuckets(3)
    with pytest.raises(CardError, match="are 5 cards"):
        flop.bucket(parse_cards("AsKs"))
    with pytest.raises(CardError, match="a card twice"):
        flop.bucket([1, 1, 2, 3, 4])
    with pytest.raises(CardError, match="numbered 0 to 510, not 511"):
        flop.label(511)
