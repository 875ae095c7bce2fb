"""Hand histories in PHH: written, read back, and replayed by pokerkit to the same payoffs."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import HandHistory

from oracles.holdem import Deal, random_action, random_rules
from solvent.cards.deck import parse_cards
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD, HoldemRules, act, start
from solvent.games.game import GameError
from solvent.games.hand_history import Hand, read_phh, write_phh

ACPC = HoldemRules((20_000, 20_000), (50, 100))
TEXT = """
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 15000]
actions = ['d dh p1 ????', 'd dh p2 AsKd', 'p2 cbr 300 # a usual open', 'p1 cc', 'd db 2c7dTs', 'p1 cc',
    'p2 cbr 400', 'p1 cbr 1200', 'p2 cc', 'd db 2d', 'p1 cc', 'p2 cc', 'd db Ac', 'p1 cc', 'p2 cc', 'p1 sm QhQs',
    'p2 sm AsKd']
players = ['Big', 'Button']
hand = 17
_remark = 'a field of its own'
"""


def random_hand(rng: random.Random, whole: bool = True) -> Hand:
    rules, deal = random_rules(rng), Deal.shuffle(rng)
    state, actions = start(rules), []
    while not state.over and (whole or rng.random() < 0.8):
        actions.append(random_action(state, rng))
        state = act(state, actions[-1])
    lies = BOARD_CARDS[-1] if state.showdown else BOARD_CARDS[state.street]
    first, second = ((hole[0], hole[1]) for hole in deal.holes)
    return Hand(rules, tuple(actions), (first, second), deal.board[:lies])


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_hands_read_back(seed: int, whole: bool, known: bool) -> None:
    hand = random_hand(random.Random(seed), whole)
    if not known:
        hand = replace(hand, holes=(hand.holes[0], None), names=("O'Brien", "é"), number=seed)
    assert read_phh(write_phh(hand)) == hand


def test_pokerkit_reads_what_is_written() -> None:
    rng = random.Random(3)
    for _ in range(100):
        hand = random_hand(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            history = HandHistory.loads(write_phh(hand))
            states = [state for state, _ in history.state_actions]
        assert not states[-1].status
        assert (states[-1].payoffs[1], states[-1].payoffs[0]) == hand.payoffs


def test_a_hand_is_read() -> None:
    hand = read_phh(TEXT)
    assert hand.rules == HoldemRules((15_000, 20_000), (50, 100))
    assert hand.actions == (300, CALL, CALL, 700, 1_500, *5 * [CALL])
    assert hand.holes == (parse_cards("AsKd"), parse_cards("QhQs"))
    assert hand.board == parse_cards("2c7dTs2dAc")
    assert (hand.names, hand.number) == (("Button", "Big"), 17)
    assert hand.payoffs == (1_500, -1_500)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("variant = 'NT'", "variant = 'PO'", "is of PO; NT"),
        ("variant = 'NT'", "", "no PHH hand history"),
        ("antes = [0, 0]", "antes = [5, 5]", "has antes"),
        ("[50, 100]", "[50, 100, 200]", "two blinds"),
        ("[50, 100]", "[100, 50]", "min_bet is 100"),
        ("[20000, 15000]", "[20000, 15000, 100]", "not heads-up"),
        ("[20000, 15000]", "[20000, 15000.5]", "whole chips here, not 15000.5"),
        ("min_bet = 100", "min_bet = 200", "min_bet is 200"),
        ("min_bet = 100", "min_bet = ", "this hand history is not TOML"),
        ("'p2 cbr 300", "'p1 cbr 300", "out of turn"),
        ("cbr 300", "cbr 150", "r150 is not legal"),
        ("cbr 300", "cbr much", "whole chips here, not much"),
        ("'p1 cbr 1200'", "'p1 sd'", "'p1 sd' is none of heads-up hold'em"),
        ("d dh p1 ????", "d dh p3 ????", "p1 and p2, not 'p3'"),
        ("p1 sm QhQs", "p3 sm QhQs", "p1 and p2, not 'p3'"),
        ("p1 sm QhQs", "p1 sm QhQsQd", "two cards"),
        ("p1 sm QhQs", "p1 sm QhAc", "card Ac twice"),
        ("'d db 2d', ", "", "the board has 5 cards, not 4"),
        ("players = ['Big', 'Button']", "players = ['Big']", "two players"),
    ],
)
def test_what_is_not_read_is_refused_in_a_sentence(old: str, new: str, sentence: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=sentence):
        read_phh(TEXT.replace(old, new))


def test_hands_that_cannot_be_are_refused() -> None:
    with pytest.raises(GameError, match="0 cards, not 3"):
        Hand(ACPC, (CALL,), board=(1, 2, 3))
    with pytest.raises(GameError, match="not legal"):
        Hand(ACPC, (CALL, FOLD))
    with pytest.raises(InputError, match="twice"):
        Hand(ACPC, (FOLD,), ((1, 2), (2, 3)))
    with pytest.raises(GameError, match="no-limit"):
        Hand(HoldemRules(bets=(2, 2, 4, 4)), ())
    with pytest.raises(GameError, match="quote"):
        Hand(ACPC, (), names=("'", "x"))
    unknown = Hand(ACPC, (20_000, CALL), board=(1, 2, 3, 4, 5))
    with pytest.raises(GameError, match="not known"):
        _ = unknown.payoffs
    assert Hand(ACPC, (FOLD,)).payoffs == (-50, 50)
