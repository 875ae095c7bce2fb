"""A hand at the table: the player to act, legal actions, open cards, and payoffs.

Matches, the terminal and servers drive the same `Table`. A dealer gives it all nine cards and seats two agents:

    table = Table(rules, cards=deck[:9])
    table.seat(0, agent.start(rules, 0, seed))
    table.seat(1, other.start(rules, 1, seed))
    play_on(table)
    table.payoffs

A client of somebody else's table knows its own two cards and is told the board street by street (`deal`). A table
without cards follows the betting alone.

>>> from solvent.games.betting.rules import CALL
>>> table = Table[AgentHand](HoldemRules())
>>> table.apply(300), table.apply(CALL), table.lacking
(None, None, 3)
>>> table.deal((8, 21, 33))
>>> table.player, table.board, table.legal.call
(1, (8, 21, 33), 0)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Generic, TypeVar

from solvent.cards.deck import Card, CardError
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import BOARD_CARDS, HoldemRules, Legal, act, legal, start
from solvent.games.game import GameError
from solvent.games.hand_history import Hand
from solvent.games.hand_history import Hole as HoleCards
from solvent.play.contract import AgentHand, Board, Event, Hole, MeasurableHand

BOARD = 4
"""The place of the board among the cards of a deal, behind both hands."""
DEALT = BOARD + BOARD_CARDS[-1]


S = TypeVar("S", bound=AgentHand | MeasurableHand)
"""Hands that take seats: those that act, or those that say their probabilities."""


class Table(Generic[S]):
    """One hand of heads-up no-limit hold'em. Seat 0 has the button."""

    def __init__(
        self,
        rules: HoldemRules,
        cards: Sequence[Card] = (),
        holes: tuple[HoleCards | None, HoleCards | None] = (None, None),
    ) -> None:
        """Begin a hand.

        cards: the button's two, the big blind's two and the five of the board; none where they come from elsewhere
        holes: without `cards`, the hands that are known
        """
        if len(cards) not in (0, DEALT):
            raise CardError(f"a deal is of {DEALT} cards, not {len(cards)}")
        if cards:
            holes = (cards[0], cards[1]), (cards[2], cards[3])
        self.rules, self.holes, self.state = rules, holes, start(rules)
        self.actions: tuple[int, ...] = ()
        self.board: tuple[Card, ...] = ()
        """The public cards so far. All five lie open once a hand ends in a showdown."""
        self._stock = tuple(cards[BOARD:])
        self._seats: dict[int, tuple[S, str]] = {}
        self._turn()

    # The state

    @property
    def over(self) -> bool:
        """True if nobody has anything to decide any more."""
        return self.state.over

    @property
    def player(self) -> int:
        """The seat that is to act; `TERMINAL` where the hand is over."""
        return self.state.player

    @property
    def legal(self) -> Legal:
        """The actions of the player to act."""
        return legal(self.state)

    @property
    def lacking(self) -> int:
        """Number of public cards that are to be dealt now, by `deal`."""
        return BOARD_CARDS[-1 if self.state.showdown else self.state.street] - len(self.board)

    @property
    def payoffs(self) -> tuple[int, int]:
        """Winnings of each seat in chips; a showdown needs both hands and the whole board."""
        return self.hand().payoffs

    def hand(self, names: tuple[str, str] | None = None, number: int | None = None) -> Hand:
        """Return the record of the hand so far."""
        return Hand(self.rules, self.actions, self.holes, self.board, names, number)

    # Events

    def seat(self, seat: int, hand: S, name: str = "the agent", told: bool = True) -> None:
        """Have a hand of an agent take a seat: it is told all that follows.

        name: its name where an action of it is refused
        told: whether it is told its cards, where they are known
        """
        self._seats[seat] = hand, name
        known = self.holes[seat]
        if told and known is not None:
            hand.observe(Hole(known))

    def seated(self, seat: int) -> S:
        """Return the hand that has taken a seat."""
        return self._seats[seat][0]

    def fork(self: Table[MeasurableHand], seed: int) -> Table[MeasurableHand]:
        """Return a copy that is played on by itself, with forks of the hands that have taken seats."""
        made = copy(self)
        made._seats = {seat: (hand.fork(seed), name) for seat, (hand, name) in self._seats.items()}
        return made

    def apply(self, action: int) -> None:
        """Play an action of the seat that is to act; one that is not legal is refused, and changes nothing."""
        if self.lacking:
            raise GameError(f"{self.lacking} public cards are to be dealt before anybody acts")
        try:
            after = act(self.state, operator.index(action))
        except (GameError, TypeError) as error:
            if self.player not in self._seats:
                raise
            name = self._seats[self.player][1]
            reason = (
                str(error)
                if isinstance(error, GameError)
                else f"{action!r} is no action: it is not a whole number"
            )
            raise InputError(f"{name} chose an action that cannot be played: {reason}") from error
        self.state, self.actions = after, (*self.actions, int(action))
        self._tell(action)
        self._turn()

    def deal(self, cards: Sequence[Card]) -> None:
        """Lay the public cards that are lacking."""
        if len(cards) != self.lacking or not cards:
            raise GameError(f"{self.lacking} public cards are to be dealt now, not {len(cards)}")
        seen = [card for hole in self.holes if hole is not None for card in hole] + [*self.board, *cards]
        if len(set(seen)) < len(seen):
            raise CardError("a card lies on the table twice")
        self.board += tuple(cards)
        if not self.over:  # what is dealt at a showdown is of no use to anybody's decisions
            self._tell(Board(tuple(cards)))

    def _turn(self) -> None:
        """Lay the cards of a new street from the deal, where the table has one."""
        if self._stock and self.lacking:
            self.deal(self._stock[len(self.board) : len(self.board) + self.lacking])

    def _tell(self, event: Event) -> None:
        for hand, _ in self._seats.values():
            hand.observe(event)


def replayed(rules: HoldemRules, cards: Sequence[Card], actions: Iterable[int]) -> Table[AgentHand]:
    """Return a table after these actions."""
    table: Table[AgentHand] = Table(rules, cards)
    for action in actions:
        table.apply(int(action))
    return table


def play_on(table: Table[AgentHand]) -> None:
    """Ask the hands that have taken seats for actions, to the end of the hand."""
    while not table.over:
        table.apply(table.seated(table.player).act())
