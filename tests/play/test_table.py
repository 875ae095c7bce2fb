"""A table against the rules of betting, pokerkit's payoffs, and hands that hear what they should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import HandHistory

from solvent.cards.deck import CardError
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, payoffs, play
from solvent.games.game import GameError
from solvent.games.hand_history import write_phh
from solvent.play.contract import Board, Hole
from solvent.play.table import Table, play_on, replayed

CARDS = (0, 1, 2, 3, 20, 21, 22, 23, 24)
SHORT = HoldemRules(stacks=(1_000, 700), blinds=(50, 100))


class Listener:
    """A hand that notes what it is told, and calls."""

    def __init__(self, actions=()):
        self.heard, self.actions = [], list(actions)

    def observe(self, event):
        self.heard.append(event)

    def act(self):
        return self.actions.pop(0) if self.actions else CALL


def test_hands_are_told_cards_and_actions_in_order():
    button, blind = Listener([300]), Listener()
    table = Table(SHORT, CARDS)
    for seat, hand in enumerate((button, blind)):
        table.seat(seat, hand)
    play_on(table)
    streets = [Board(CARDS[4:7]), CALL, CALL, Board((23,)), CALL, CALL, Board((24,)), CALL, CALL]
    assert button.heard == [Hole((0, 1)), 300, CALL, *streets]
    assert blind.heard == [Hole((2, 3)), 300, CALL, *streets]
    assert table.board == CARDS[4:]
    assert table.actions[:2] == (300, CALL)


def test_an_all_in_deals_the_board_without_telling_it():
    caller = Listener()
    table = Table(SHORT, CARDS)
    table.seat(0, Listener([700]))
    table.seat(1, caller)
    play_on(table)
    assert caller.heard == [Hole((2, 3)), 700, CALL]
    assert table.board == CARDS[4:]
    assert sum(table.payoffs) == 0


def test_cards_from_elsewhere_are_dealt_street_by_street():
    table = replayed(SHORT, (), [300, CALL])
    assert table.lacking == 3
    with pytest.raises(GameError, match="3 public cards are to be dealt before"):
        table.apply(CALL)
    with pytest.raises(GameError, match="3 public cards are to be dealt now, not 1"):
        table.deal((5,))
    table.deal((5, 6, 7))
    with pytest.raises(GameError, match="0 public cards are to be dealt now"):
        table.deal((8,))
    with pytest.raises(CardError, match="twice"):
        replayed(SHORT, (), [300, CALL]).deal((5, 6, 5))
    with pytest.raises(CardError, match="9 cards, not 4"):
        Table(SHORT, (1, 2, 3, 4))


def test_a_client_knows_its_own_cards_alone():
    table = Table(SHORT, holes=(None, (2, 3)))
    heard = Listener()
    table.seat(1, heard)
    table.apply(FOLD)
    assert heard.heard == [Hole((2, 3)), FOLD]
    assert table.payoffs == (-50, 50)


@pytest.mark.parametrize("action", [150, 2_000, "all-in", 1.5])
def test_an_action_that_cannot_be_played_changes_nothing_and_names_who_chose_it(action):
    table = Table(SHORT, CARDS)
    table.seat(0, Listener([action]), "the maniac")
    with pytest.raises(InputError, match="the maniac chose an action that cannot be played"):
        play_on(table)
    assert table.actions == ()
    assert table.player == 0


def legal_actions(data, table):
    """A legal action of the player to act, drawn."""
    found = [CALL] + [FOLD] * table.legal.fold
    if table.legal.min_raise:
        found += [table.legal.min_raise, table.legal.max_raise]
        found.append(data.draw(st.integers(table.legal.min_raise, table.legal.max_raise)))
    return data.draw(st.sampled_from(found))


@given(st.data(), st.permutations(range(52)), st.integers(4, 900), st.integers(4, 900))
def test_what_a_hand_pays_is_what_pokerkit_says(data, deck, first, second):
    rules = HoldemRules(stacks=(first, second), blinds=(1, 2))
    table = Table(rules, deck[:9])
    while not table.over:
        table.apply(legal_actions(data, table))
        assert table.state == play(rules, table.actions)
        assert table.lacking == 0
    *_, end = HandHistory.loads(write_phh(table.hand()))
    assert tuple(end.payoffs[::-1]) == table.payoffs


def test_payoffs_without_cards_are_those_of_the_betting():
    table = replayed(SHORT, (), [300, FOLD])
    assert table.payoffs == payoffs(play(SHORT, [300, FOLD]))
