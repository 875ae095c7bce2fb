"""Heads-up hold'em played by our rules, pokerkit's and OpenSpiel's at once."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pyspiel
from pokerkit import Automation, NoLimitTexasHoldem

from solvent.cards.deck import cards_label
from solvent.cards.evaluator import hand_strengths
from solvent.games.betting.rules import (
    CALL,
    FOLD,
    HoldemRules,
    HoldemState,
    Legal,
    act,
    legal,
    payoffs,
    start,
)
from solvent.games.game import TERMINAL

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


@dataclass(frozen=True)
class Deal:
    """The cards of one hand of hold'em."""

    holes: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]

    @classmethod
    def shuffle(cls, rng: random.Random) -> Deal:
        cards = tuple(rng.sample(range(52), 9))
        return cls((cards[:2], cards[2:4]), cards[4:])

    @property
    def strengths(self) -> tuple[int, int]:
        first, second = hand_strengths([hole + self.board for hole in self.holes]).tolist()
        return first, second


class Pokerkit:
    """Its first player is the big blind; a raise is the total of the street."""

    def __init__(self, rules: HoldemRules, deal: Deal) -> None:
        self.state: Any = NoLimitTexasHoldem.create_state(
            AUTOMATIONS, True, 0, rules.blinds, rules.blinds[1], rules.stacks[::-1], 2
        )
        self.deal = deal
        for player in (1, 0, 1, 0):
            dealt = len(self.state.hole_cards[1 - player])
            self.state.deal_hole(cards_label(deal.holes[player][dealt : dealt + 1]))
        self.earlier = 0  # what each put in on the streets before
        self._deal_board()

    def _deal_board(self) -> None:
        state = self.state
        while state.can_burn_card() or state.can_deal_board():
            if state.can_burn_card():
                state.burn_card("??")  # a card that is none of ours
            lies = len(state.board_cards)
            state.deal_board(cards_label(self.deal.board[lies : 3 if lies == 0 else lies + 1]))

    def player(self) -> int:
        return TERMINAL if self.state.actor_index is None else 1 - self.state.actor_index

    def check(self, allowed: Legal) -> None:
        """Whether the same is legal here."""
        state = self.state
        if state.street_index:
            self.earlier = (state.total_pot_amount - sum(state.bets)) // 2
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        fold = state.bets[state.actor_index] < max(state.bets)
        raises = (self.earlier + least, self.earlier + most) if least else (0, 0)
        assert allowed == (fold, state.checking_or_calling_amount, *raises)

    def act(self, action: int) -> None:
        if action == FOLD:
            self.state.fold()
        elif action == CALL:
            self.state.check_or_call()
        else:
            self.state.complete_bet_or_raise_to(action - self.earlier)
        self._deal_board()

    def payoffs(self) -> tuple[int, int]:
        assert not self.state.status
        return self.state.payoffs[1], self.state.payoffs[0]


class OpenSpiel:
    """Universal poker, which runs the ACPC's own code; stacks are at least the blinds, one more."""

    def __init__(self, rules: HoldemRules, deal: Deal) -> None:
        settings = {
            "betting": "nolimit",
            "bettingAbstraction": "fullgame",
            "numPlayers": 2,
            "numRounds": 4,
            "blind": f"{rules.blinds[0]} {rules.blinds[1]}",
            "firstPlayer": "1 2 2 2",
            "numSuits": 4,
            "numRanks": 13,
            "numHoleCards": 2,
            "numBoardCards": "0 3 1 1",
            "stack": f"{rules.stacks[0]} {rules.stacks[1]}",
        }
        self.state = pyspiel.load_game("universal_poker", settings).new_initial_state()
        self.cards = iter(deal.holes[0] + deal.holes[1] + deal.board)
        self._deal()

    def _deal(self) -> None:
        state = self.state
        while True:
            if state.is_chance_node():
                state.apply_action(next(self.cards))
            elif not state.is_terminal() and len(state.legal_actions()) == 1:
                state.apply_action(state.legal_actions()[0])  # a check with an opponent all-in
            else:
                break

    def player(self) -> int:
        return TERMINAL if self.state.is_terminal() else int(self.state.current_player())

    def check(self, allowed: Legal) -> None:
        """Whether the same is legal here."""
        actions = self.state.legal_actions()
        raises = range(allowed.min_raise, allowed.max_raise + 1) if allowed.min_raise else ()
        assert actions == [*([0] if allowed.fold else []), 1, *raises]

    def act(self, action: int) -> None:
        self.state.apply_action({FOLD: 0, CALL: 1}.get(action, action))
        self._deal()

    def payoffs(self) -> tuple[float, ...]:
        return tuple(self.state.returns())


def random_rules(rng: random.Random) -> HoldemRules:
    """Blinds of several shapes and stacks of 1 chip to 400 big blinds, half of them equal, some very short.

    Equal blinds are left out: with them pokerkit lets the big blind open before the flop.
    """
    small, big = rng.choice([(1, 2), (5, 10), (2, 5), (0, 4), (3, 7)])
    stacks = [rng.choice((rng.randint(1, 3 * big), rng.randint(1, 400 * big))) for _ in range(2)]
    return HoldemRules((stacks[0], stacks[0] if rng.random() < 0.5 else stacks[1]), (small, big))


def random_action(state: HoldemState, rng: random.Random) -> int:
    """Any legal action; folds are rare, minimum and all-in raises and small ones frequent."""
    allowed = legal(state)
    if allowed.fold and rng.random() < 0.08:
        return FOLD
    if not allowed.min_raise or rng.random() < 0.6:
        return CALL
    least, most = allowed.min_raise, allowed.max_raise
    if rng.random() < 0.2:
        return rng.choice((rng.randint(least, most), most))
    return rng.choice((least, rng.randint(least, min(most, least + state.pot))))


def play_against_oracles(rules: HoldemRules, rng: random.Random) -> HoldemState:
    """Play a random hand by several rules and compare who acts, what is legal and what it pays.

    Stacks shorter than the blinds, or both the blinds, are what the ACPC's rules do not know: pokerkit alone plays.
    """
    deal = Deal.shuffle(rng)
    left = [stack - blind for stack, blind in zip(rules.stacks, rules.blinds, strict=True)]
    posted = min(left) >= 0 and max(left) > 0
    oracles: list[Pokerkit | OpenSpiel] = [Pokerkit(rules, deal)]
    if posted:
        oracles.append(OpenSpiel(rules, deal))
    state = start(rules)
    while not state.over:
        allowed = legal(state)
        for oracle in oracles:
            assert state.player == oracle.player()
            oracle.check(allowed)
        action = random_action(state, rng)
        state = act(state, action)
        for oracle in oracles:
            oracle.act(action)
    for oracle in oracles:
        assert oracle.player() == TERMINAL
        assert payoffs(state, deal.strengths) == oracle.payoffs()
    return state
