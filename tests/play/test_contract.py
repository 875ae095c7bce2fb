"""The agent contract: adapters, hands that are told what happens, and agents measured by asking them."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.table_agent import Wild, random_model
from solvent.cards import parse_cards, parse_range
from solvent.cards.hands import HANDS, hand_number
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, play
from solvent.play import hole_cards
from solvent.play.asked import asked_match, averaged_match, is_measurable, measurable_hand
from solvent.play.contract import Board, Hole, Mixture, PublicView, View, as_agent
from solvent.play.expected import expected_match
from solvent.play.matches import Match
from solvent.play.table_agent import RULES, TableAgent, rule_agent, table_agent
from solvent.play.table_kernels import deal_pair
from solvent.strategy.post_processing import parse_post

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"
SIZES = "preflop=2.5x,4x,a; postflop=50%,100%,a; cap=2; stack=40"


def test_rows_of_a_mixture_are_numbered_as_ranges_are() -> None:
    cards = hole_cards()
    assert [hand_number(*pair) for pair in cards.tolist()] == list(range(HANDS))
    assert {tuple(pair) for pair in cards[parse_range("AsKs,2c2d").weights > 0].tolist()} == {
        tuple(sorted(parse_cards(text))) for text in ("AsKs", "2c2d")
    }


class Plain:
    """A compiled agent that nobody knows to be one."""

    def __init__(self, agent: TableAgent) -> None:
        self.agent, self.name = agent, agent.name

    def start(self, rules: HoldemRules, seat: int, seed: int):
        return self.agent.start(rules, seat, seed)


class Folds:
    """The easy way: folds to every bet, and says so."""

    name = "folds"

    def act(self, view: View) -> int:
        return FOLD if view.legal.fold else CALL

    def probabilities(self, view: PublicView) -> Mixture:
        return Mixture((FOLD if view.legal.fold else CALL,), np.ones((HANDS, 1)))


class Raises(Folds):
    """Raises as little as it may, and never folds."""

    name = "raises"

    def act(self, view: View) -> int:
        return view.legal.min_raise or CALL

    def probabilities(self, view: PublicView) -> Mixture:
        return Mixture((view.legal.min_raise or CALL,), np.ones((HANDS, 1)))


class Recorder:
    """Checks and calls, and keeps what it is told."""

    name = "recorder"

    def __init__(self) -> None:
        self.told: list = []

    def start(self, rules, seat, seed):
        self.told = [(seat, seed)]
        return self

    def observe(self, event):
        self.told.append(event)

    def act(self):
        return CALL


def test_a_hand_is_told_every_action_and_card():
    agent, rules = Recorder(), HoldemRules()
    first, _ = Match(agent, rule_agent("always-call"), rules, 2, seed=3).pair(0)
    assert agent.told[0][0] == 1  # the second hand of a pair is played in the other seat
    hole, *events = agent.told[1:]
    assert hole == Hole(first.holes[1])
    assert events == [
        0, 0, Board(first.board[:3]), 0, 0, Board(first.board[3:4]), 0, 0, Board(first.board[4:]), 0, 0,
    ]  # fmt: skip


def test_an_agent_in_plain_clothes_plays_the_same_hands():
    agents = [
        table_agent("a", [random_model(SIZES, seed)], post=parse_post("threshold(0.1)")) for seed in (1, 2)
    ]
    for rules in (agents[0].rules, HoldemRules((700, 900)), HoldemRules((30_000, 30_000))):
        compiled = Match(*agents, rules, 60, seed=4)
        plain = Match(Plain(agents[0]), Plain(agents[1]), rules, 60, seed=4)
        assert plain.run().winnings == compiled.run().winnings
    wild = Match(Wild(), Plain(agents[0]), agents[0].rules, 40, seed=1)
    assert wild.run().winnings == Match(Wild(), agents[0], agents[0].rules, 40, seed=1).run().winnings


@pytest.mark.parametrize("models", [1, 2])
def test_a_strategy_for_all_hands_holds_what_each_hand_decides(models):
    """Against bets of arbitrary size, by reach too: a hand's row is its own decision."""
    agent = table_agent(
        "agent", [random_model(SIZES, seed) for seed in range(models)], "aggressive",
        parse_post("threshold(0.1,first=false)"), by_reach=models > 1,
    )  # fmt: skip
    rules, checked = HoldemRules((3_000, 5_000)), 0
    for number in range(30):
        first, second = Match(Wild(), agent, rules, 60, seed=2).pair(number)
        seed = int(deal_pair(2, number, np.zeros(52, np.int64), np.zeros(1, np.uint64)))
        for hand, seat in ((first, 1), (second, 0)):
            asked = agent.start(rules, seat, seed)
            board: tuple = ()
            for done, action in enumerate(hand.actions):
                state = play(rules, hand.actions[:done])
                if state.street and len(board) < state.street + 2:
                    new = hand.board[len(board) : state.street + 2]
                    asked.observe(Board(new))
                    board += new
                if state.player == seat:
                    view = View(rules, seat, board, hand.actions[:done], seed, hole=hand.holes[seat])
                    decision = agent.decision(view)
                    assert decision.actions[decision.chosen] == action
                    mixture = asked.probabilities()
                    row = mixture.probabilities[hand_number(*hand.holes[seat])]
                    assert row.sum() == pytest.approx(1)
                    assert len(set(mixture.actions)) == len(mixture.actions)
                    wanted = dict.fromkeys(mixture.actions, 0.0)
                    for one, share in zip(decision.actions, decision.probabilities, strict=True):
                        wanted[one] += share
                    assert row.tolist() == pytest.approx(list(wanted.values()))
                    checked += 1
                    if decision.actions.count(action) > 1:
                        break  # which of two equal actions it was is the hand's own secret
                asked.observe(action)
    assert checked > 60


@pytest.mark.parametrize("faint", [0.0, 0.02])
def test_asking_gives_the_compiled_numbers(faint):
    post = parse_post("threshold(0.2,first=false)")
    first, second = random_model(BETTING, 1), random_model(BETTING, 5)
    a, b = table_agent("a", [first], post=post), table_agent("b", [first, second], "tight")
    compiled = expected_match(a, b, 4, seed=9, faint=faint)
    asked = asked_match(Plain(a), Plain(b), a.rules, 4, seed=9, faint=faint)
    assert asked.winnings == compiled.winnings


def test_who_always_folds_loses_750_however_it_is_written():
    rules = HoldemRules()
    for folds in (Folds(), Plain(rule_agent("always-fold"))):
        found = averaged_match(Raises(), folds, rules, 20)
        assert (found.winnings.mbb, found.winnings.mbb_interval) == (750, 0)
        assert as_agent(folds).name == folds.name


def test_agents_without_probabilities_are_played():
    assert not is_measurable(Wild())
    assert all(is_measurable(rule_agent(name)) for name in RULES)
    with pytest.raises(InputError, match="wild does not say its probabilities"):
        measurable_hand(Wild(), HoldemRules(), 0, 0)
    found = averaged_match(Wild(), Folds(), HoldemRules(), 5, seed=1)
    assert found.winnings == Match(Wild(), Folds(), HoldemRules(), 10, seed=1).run().winnings


def test_the_random_agent_says_how_likely_each_raise_is():
    rules = HoldemRules((700, 700))
    mixture = rule_agent("random").start(rules, 0, 0).probabilities()
    assert mixture.probabilities[0].sum() == pytest.approx(1)
    drawn = [rule_agent("random").act(View(rules, 0, (), (), seed, hole=(0, 1))) for seed in range(4_000)]
    for action in (FOLD, CALL, 200, 201):
        share = mixture.probabilities[5][mixture.actions.index(action)]
        assert np.mean(np.array(drawn) == action) == pytest.approx(share, abs=0.03)
