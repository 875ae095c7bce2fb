"""Equities against brute force, with phevaluator's strengths, and against published figures."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from phevaluator import evaluate_cards

from oracles.random_cards import all_hands
from solvent.cards import equities as module
from solvent.cards.deck import CardError, cards_label, deck, parse_cards
from solvent.cards.equities import Equity, equity
from solvent.cards.evaluator import hand_strengths
from solvent.cards.hands import HANDS, hand_number
from solvent.cards.ranges import Range, parse_range
from solvent.cards.showdown import pairs
from solvent.foundation.progress import Progress

FIRST, SECOND = "AsKh,QQ:0.5,JTs:0.25,9c9d", "99,AKs:0.7,8h7h,AsQs,JTs"


def meet(first: str, second: str, board: str = "", dead: str = "", threads: int = 1) -> Equity:
    return equity(parse_range(first), parse_range(second), parse_cards(board), parse_cards(dead), threads)


def brute_force(first: Range, second: Range, board: tuple[int, ...], dead: tuple[int, ...]) -> np.ndarray:
    """Weight won, tied and in all by hand: float64[players, 3, 1326], pair by pair, run-out by run-out."""
    found = np.zeros((2, 3, HANDS))
    hands = [(a, b) for a, b in zip(pairs().low.tolist(), pairs().high.tolist(), strict=True)]
    for mine in np.flatnonzero(first.weights):
        for yours in np.flatnonzero(second.weights):
            cards = [*hands[mine], *hands[yours], *board, *dead]
            if len(set(cards)) < len(cards):
                continue
            left = [card for card in deck() if card not in cards]
            for runout in combinations(left, 5 - len(board)):
                # phevaluator's best is 1
                sign = evaluate_cards(*hands[yours], *board, *runout) - evaluate_cards(
                    *hands[mine], *board, *runout
                )
                for player, hand, weight, won in (
                    (0, mine, second.weights[yours], sign > 0),
                    (1, yours, first.weights[mine], sign < 0),
                ):
                    found[player, :, hand] += weight * won, weight * (sign == 0), weight
    return found


def agree(found: Equity, first: Range, second: Range, expected: np.ndarray) -> None:
    for side, given, (win, tie, total) in zip(found.sides, (first, second), expected, strict=True):
        weights = given.weights
        assert side.win == pytest.approx(weights @ win / (weights @ total), abs=1e-12)
        assert side.tie == pytest.approx(weights @ tie / (weights @ total), abs=1e-12)
        assert side.equity == pytest.approx(side.win + side.tie / 2, abs=1e-15)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(side.hands, (win + tie / 2) / total, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sweep_cost", [0, 10**9])
@pytest.mark.parametrize(
    ("board", "dead"), [("Ks9h2c7d", "As"), ("Ks9h2c7d", ""), ("KsQs2c9h9s", ""), ("TsJsQsKsAs", "2c")]
)
def test_weighted_ranges_meet_as_by_brute_force(
    board: str, dead: str, sweep_cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SWEEP_COST", sweep_cost)
    first, second = parse_range(FIRST), parse_range(SECOND)
    expected = brute_force(first, second, parse_cards(board), parse_cards(dead))
    agree(meet(FIRST, SECOND, board, dead), first, second, expected)


@pytest.mark.parametrize("sweep_cost", [0, 10**9])
def test_hands_meet_on_a_flop_as_by_brute_force(sweep_cost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SWEEP_COST", sweep_cost)
    first, second = parse_range("AsKs:0.5,7h7d"), parse_range("QhQd,AcKc:0.3,7c6c")
    found = equity(first, second, parse_cards("Ts7s2s"), parse_cards("3d"))
    agree(found, first, second, brute_force(first, second, parse_cards("Ts7s2s"), parse_cards("3d")))
    assert (found.pairs, found.runouts) == (6, 44 * 43 // 2)


@pytest.mark.parametrize("board", ["Ks9h2c7d3s", "AsKsQs2s9d", "7c7d7h7s2c", "AsAcAdAhKs", "JsTs9s8s7s"])
def test_every_hand_against_a_wide_range_on_the_river(board: str) -> None:
    """All hands at once, against a matrix of comparisons."""
    first, second = parse_range("random"), parse_range("22+:0.5,A2s+,KTo+:0.25,T9s-54s")
    river, hands = parse_cards(board), pairs()
    live = np.flatnonzero(~(np.isin(hands.low, river) | np.isin(hands.high, river)))
    cards = np.column_stack([hands.low[live], hands.high[live], np.tile(river, (len(live), 1))])
    strength = hand_strengths(cards).astype(np.int64)
    met = (hands.bits[live, None] & hands.bits[None, live]) == 0
    expected = np.zeros((2, 3, HANDS))
    for player, other in ((0, second), (1, first)):
        weaker, equal = strength[:, None] > strength[None], strength[:, None] == strength[None]
        weight = other.weights[live]
        expected[player][:, live] = (met & weaker) @ weight, (met & equal) @ weight, met @ weight
    for given, row in ((first, expected[0]), (second, expected[1])):
        row[:, given.weights == 0] = 0
    agree(equity(first, second, river), first, second, expected)


def test_aces_against_kings_on_all_1_712_304_boards() -> None:
    aces, kings = parse_cards("AsAh"), parse_cards("KsKh")
    left = [card for card in deck() if card not in aces + kings]
    boards = all_hands(5, left)
    mine, yours = (
        hand_strengths(np.hstack([boards, np.tile(np.array(hand, np.uint8), (len(boards), 1))])).astype(int)
        for hand in (aces, kings)
    )
    found = meet("AsAh", "KsKh")
    assert found.runouts == len(boards) == 1_712_304
    assert found.sides[0].win * len(boards) == pytest.approx((mine > yours).sum(), abs=1e-6)
    assert found.sides[0].tie * len(boards) == pytest.approx((mine == yours).sum(), abs=1e-6)
    assert found.sides[0].equity + found.sides[1].equity == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(
    ("first", "second", "percent"),
    [
        ("AA", "KK", 81.9461),
        pytest.param("AA", "random", 85.2037, marks=pytest.mark.slow),
        pytest.param("AsAh", "random", 85.2037, marks=pytest.mark.slow),
        pytest.param("72o", "random", 34.5836, marks=pytest.mark.slow),
        pytest.param("random", "random", 50.0, marks=pytest.mark.slow),
    ],
)
def test_published_equities_before_the_flop(first: str, second: str, percent: float) -> None:
    found = meet(first, second, threads=2)
    assert 100 * found.sides[0].equity == pytest.approx(percent, abs=1e-4)
    assert found.sides[0].equity + found.sides[1].equity == pytest.approx(1, abs=1e-12)


def test_symmetries_of_suits_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [("QQ+,AKs:0.5", "JJ,AQo", "Ks7s2d", ""), ("AsKs", "QdQc", "", "2c2d")]
    with_symmetries = [meet(*case) for case in cases]
    assert [found.boards for found in with_symmetries] == [721, 718_421]  # by Burnside's lemma
    monkeypatch.setattr(module, "_symmetries", lambda *_: np.arange(4)[None])
    for found, case in zip(with_symmetries, cases, strict=True):
        whole = meet(*case)
        assert whole.boards > found.boards
        for side, other in zip(found.sides, whole.sides, strict=True):
            assert side.equity == pytest.approx(other.equity, abs=1e-12)
            np.testing.assert_allclose(side.hands, other.hands, rtol=0, atol=1e-12)


def test_canonical_boards_before_the_flop() -> None:
    assert meet("AA", "KK").boards == 134_459


def test_equities_do_not_depend_on_names_of_suits_or_on_seats() -> None:
    first, second, flop = "AsKs,QhQd:0.5", "JJ,Td9d", "Kh7d2d"
    found = meet(first, second, flop)
    other_way = meet(second, first, flop)
    assert [side.equity for side in found.sides] == pytest.approx(
        [side.equity for side in reversed(other_way.sides)], abs=1e-14
    )
    for order in list(permutations("cdhs"))[::5]:
        rename = str.maketrans("cdhs", "".join(order))
        moved = meet(first.translate(rename), second.translate(rename), flop.translate(rename))
        assert moved.sides[0].equity == pytest.approx(found.sides[0].equity, abs=1e-14)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    one, three = (meet("22+,A2s+:0.3", "random:0.7,AA:0.1", "Ks7d2c", threads=count) for count in (1, 3))
    for side, other in zip(one.sides, three.sides, strict=True):
        assert (side.equity, side.win, side.tie) == (other.equity, other.win, other.tie)
        np.testing.assert_array_equal(side.hands, other.hands)


def test_progress_reaches_the_end() -> None:
    said: list[Progress] = []
    equity(parse_range("AsAh"), parse_range("KK"), parse_cards("Ks7d2c"), progress=said.append)
    done = [now.done for now in said]
    assert done == sorted(done)
    assert done[-1] == said[-1].total == 47 * 46 // 2


@pytest.mark.parametrize(
    ("first", "second", "board", "dead", "said"),
    [
        ("AsAh", "AsKs", "", "", "shares a card with every hand of the second"),
        ("AsAh", "AsKs,AhKs", "", "", "shares a card with every hand of the second"),
        ("AsAh", "KK", "AsKd2c", "", "every hand of the first range has a card of the board or a dead card"),
        ("AA", "KsKh", "", "Kh", "every hand of the second range has a card of the board"),
        ("AA:0", "KK", "", "", "every hand of the first range has weight 0"),
        ("AA", "KK", "2c", "", "0, 3, 4 or 5 cards, not 1"),
        ("AA", "KK", "2c3c", "", "0, 3, 4 or 5 cards, not 2"),
        ("AA", "KK", "2c3c4c5c6c7c", "", "0, 3, 4 or 5 cards, not 6"),
        ("AA", "KK", "2c3c4c", "4c", "the card 4c is twice"),
        ("AA", "KK", "", cards_label(range(44)), "44 dead cards leave too few"),
    ],
)
def test_deals_that_cannot_be_are_refused(first: str, second: str, board: str, dead: str, said: str) -> None:
    with pytest.raises(CardError, match=said):
        meet(first, second, board, dead)


def test_the_last_cards_of_the_deck_can_be_dealt() -> None:
    found = meet("AsAh", "KsKh", dead=cards_label(range(43)))
    assert (found.runouts, found.boards, found.pairs) == (1, 1, 1)
    assert hand_number(*parse_cards("AsAh")) in np.flatnonzero(~np.isnan(found.sides[0].hands))
