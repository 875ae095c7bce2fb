"""Ranges by Bayes: against products of answers, and against what many seeds of an agent's coin do on average."""

from __future__ import annotations

import random

import numpy as np
import pytest

from oracles.table_agent import random_model
from solvent.cards.hands import HANDS, hole_cards
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD, HoldemRules, act, legal, start
from solvent.games.game import GameError
from solvent.play.asked import measurable_hand
from solvent.play.contract import Board, Mixture
from solvent.play.table_agent import rule_agent, table_agent
from solvent.play.tracker import MOST_VIEWS, Tracker, mixed

WIDE = "preflop=2.5x,4x,a | 100%,a; flop=33%,75%,150%,a | 100%; turn=50%,a; river=60%,125%,a; cap=2; stack=60"
RULES = HoldemRules((6_000, 6_000), (50, 100))
BOARD = (4, 9, 30, 41, 50)


@pytest.fixture(scope="module")
def agent():
    return table_agent("agent", [random_model(WIDE, 2, cards=1)])


def random_line(seed, agent, seat):
    """Events of a hand: the other bets any size, the agent what it may do with some hand."""
    rng, state, events = random.Random(seed), start(RULES), []
    hand = measurable_hand(agent, RULES, seat, seed)
    while not state.over and len(events) < 9:
        allowed = legal(state)
        if state.player == seat:
            mixture = hand.probabilities()
            likely = mixture.probabilities.sum(axis=0)
            action = rng.choices(mixture.actions, likely * (np.array(mixture.actions) != FOLD) + 1e-9)[0]
        else:
            action = CALL
            if allowed.min_raise and rng.random() < 0.7:
                action = rng.randint(allowed.min_raise, min(allowed.max_raise, 3 * allowed.min_raise))
        after = act(state, action)
        events.append(action)
        hand.observe(action)
        if after.street > state.street:
            board = Board(BOARD[BOARD_CARDS[state.street] : BOARD_CARDS[after.street]])
            events.append(board)
            hand.observe(board)
        state = after
    return events


def seen_by_seed(agent, seat, events, seed):
    """Each hand's probability of the agent's actions, where the seed decides its coins."""
    hand, state, reach = measurable_hand(agent, RULES, seat, seed), start(RULES), np.ones(HANDS)
    for event in events:
        if isinstance(event, Board):
            hand.observe(event)
            continue
        if state.player == seat:
            actions, rows = hand.probabilities()
            reach = reach * (rows[:, actions.index(event)] if event in actions else 0.0)
        hand.observe(event)
        state = act(state, event)
    return reach


@pytest.mark.parametrize("seat", [0, 1])
def test_without_coins_reach_is_the_product_of_answers(agent, seat):
    """Both play on the tree: every bet has one reading."""
    events = [CALL, CALL, Board(BOARD[:3]), CALL, CALL, Board(BOARD[3:4]), 200, CALL]
    tracker = Tracker(RULES, (agent, None) if seat == 0 else (None, agent))
    for event in events:
        tracker.observe(event)
    free = ~np.isin(hole_cards(), tracker.board).any(axis=1)
    expected = seen_by_seed(agent, seat, events, 7)
    assert np.allclose(tracker.reach(seat)[free], expected[free], rtol=0, atol=1e-15)
    assert not tracker.reach(seat)[~free].any()
    assert (tracker.reach(1 - seat)[free] == 1).all()


@pytest.mark.parametrize("number", range(6))
def test_coins_are_summed_over(agent, number):
    """The mean over the agent's seeds, of the reach and of the next answer, within five standard errors."""
    seat = number % 2
    events = random_line(number, agent, seat)
    tracker = Tracker(RULES, (agent, None) if seat == 0 else (None, agent))
    for event in events:
        tracker.observe(event)
    free = ~np.isin(hole_cards(), tracker.board).any(axis=1)
    samples = np.array([seen_by_seed(agent, seat, events, seed)[free] for seed in range(300)])
    error = samples.std(axis=0) / np.sqrt(len(samples))
    if not tracker.surprises:
        assert (np.abs(samples.mean(axis=0) - tracker.reach(seat)[free]) <= 5 * error + 1e-9).all()


def test_the_answer_is_mixed_by_the_reach_of_each_view(agent):
    tracker = Tracker(RULES, (None, agent))
    tracker.observe(330)  # between two sizes of the tree
    views = tracker._views[1]
    assert len(views) == 2
    actions, rows = tracker.probabilities()
    assert np.allclose(rows.sum(axis=1), 1)
    expected = np.zeros_like(rows)
    for view in views:
        mixture = view.hand.probabilities()
        for column, action in enumerate(mixture.actions):
            expected[:, actions.index(action)] += view.reach * mixture.probabilities[:, column]
    assert np.allclose(rows, expected)


def test_mixtures_of_hands_that_never_come_are_means():
    one, other = (Mixture(actions, np.ones((HANDS, 1))) for actions in ((CALL,), (300,)))
    reach = np.zeros(HANDS)
    actions, rows = mixed([one, other], [reach, reach])
    assert actions == (CALL, 300)
    assert (rows == 0.5).all()


def test_surprises_leave_the_range_as_it_was():
    tracker = Tracker(RULES, (rule_agent("always-call"), None))
    tracker.observe(300)
    assert tracker.surprises == 1
    assert (tracker.reach(0) == 1).all()
    with pytest.raises(GameError):
        tracker.observe(301)


def test_views_are_bounded(agent):
    tracker = Tracker(RULES, (None, agent))
    for event in random_line(11, agent, 1):
        tracker.observe(event)
        assert len(tracker._views[1]) <= MOST_VIEWS
