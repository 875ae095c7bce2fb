"""Matches averaged over what agents may draw: against a recursion over decisions, and against played hands."""

import numpy as np
import pytest

from oracles.table_agent import random_model
from solvent.cards.evaluator import evaluator, hand_strengths
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import act, start
from solvent.play.contract import View
from solvent.play.expected import Deal, expected_match, shares
from solvent.play.matches import Match
from solvent.play.statistics import SURE
from solvent.play.table_agent import rule_agent, table_agent
from solvent.play.table_kernels import deal_pair
from solvent.strategy.post_processing import parse_post

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@pytest.fixture(scope="module")
def agents():
    first, second = random_model(BETTING, 1), random_model(BETTING, 5)
    post = parse_post("threshold(0.2,first=false)")
    return table_agent("first", [first], post=post), table_agent("second", [first, second], "tight")


def recursion(agents, rules, cards, share):
    """What the first agent, on the button, wins: every decision asked for, every action followed."""

    def value(state, actions):
        if state.over:
            if state.folded >= 0:
                return state.at_stake * (1 if state.folded == 1 else -1)
            return state.at_stake * share[state.street]
        seat = state.player
        board = cards[4 : 4 + (0, 3, 4, 5)[state.street]]
        thought = agents[seat].decision(
            View(rules, seat, board, actions, 0, hole=tuple(cards[2 * seat : 2 * seat + 2]))
        )
        return sum(
            likely * value(act(state, action), (*actions, action))
            for action, likely in zip(thought.actions, thought.probabilities, strict=True)
            if likely > 0
        )

    return value(start(rules), ())


def test_pairs_are_worth_what_a_recursion_says(agents):
    rules = agents[0].rules
    deal = Deal(np.zeros(52, np.int64), np.zeros(1, np.uint64), np.zeros(4))
    total = 0.0
    for pair in range(3):
        deal.random[0] = deal_pair(9, pair, deal.deck, deal.random)
        shares(deal, evaluator())
        cards = tuple(deal.deck[:9].tolist())
        total += recursion(agents, rules, cards, deal.share)
        total -= recursion(agents[::-1], rules, cards, deal.share)
    found = expected_match(*agents, pairs=3, seed=9, faint=0.0)
    assert found.winnings.won == pytest.approx(100 * total, abs=3)


def test_shares_are_what_hands_are_worth():
    deal = Deal(np.arange(52), np.array([5], np.uint64), np.zeros(4))
    rng, means = np.random.default_rng(0), np.zeros(2)
    deal.deck[:] = rng.permutation(52)
    dealt = deal.deck.copy()
    for _ in range(300):
        shares(deal, evaluator())
        means += deal.share[:2] / 300
        np.testing.assert_array_equal(deal.deck[:9], dealt[:9])
        assert sorted(deal.deck) == list(range(52))
    rivers = np.array([[*dealt[:8], river] for river in dealt[8:]])
    first, second = hand_strengths(rivers[:, [0, 1, 4, 5, 6, 7, 8]]), hand_strengths(rivers[:, 2:])
    lead = np.sign(first.astype(int) - second.astype(int))
    assert deal.share[3] == lead[0]
    assert deal.share[2] == pytest.approx(lead.mean())
    boards = np.array([rng.permutation(dealt[4:])[:5] for _ in range(20_000)])
    hands = [np.hstack([np.tile(dealt[k : k + 2], (len(boards), 1)), boards]) for k in (0, 2)]
    mean = np.sign(hand_strengths(hands[0]).astype(int) - hand_strengths(hands[1]).astype(int)).mean()
    assert means[0] == pytest.approx(mean, abs=0.04)


def test_the_mean_is_that_of_played_hands(agents):
    expected = expected_match(*agents, pairs=4_000, seed=1, threads=2)
    played = Match(*agents, agents[0].rules, 80_000, seed=2).run()
    error = np.hypot(expected.winnings.mbb_interval, played.winnings.mbb_interval) / SURE
    assert abs(expected.winnings.mbb - played.winnings.mbb) < 4 * error
    assert expected_match(*agents, pairs=4_000, seed=1).winnings == expected.winnings  # on any threads
    assert expected.winnings.mbb_interval < 2.5 * played.winnings.mbb_interval  # no gain: 3.2


def test_rules_walk_the_tree_and_strangers_do_not(agents):
    calls, folds = rule_agent("always-call"), rule_agent("always-fold")
    assert expected_match(agents[0], agents[0], pairs=500, faint=0.0).winnings.won == 0
    assert expected_match(agents[0], folds, pairs=500).winnings.mbb > 300
    assert abs(expected_match(agents[0], calls, pairs=500).winnings.mbb) < 5_000
    other = table_agent("other", [random_model("preflop=a; stack=20", 1)])
    for pair in ((agents[0], other), (calls, folds), (agents[0], rule_agent("random"))):
        with pytest.raises(InputError, match="must be played"):
            expected_match(*pair, pairs=10)
