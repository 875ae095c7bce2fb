"""Hands of heads-up no-limit hold'em as they were played, and in PHH, the poker hand history format, in and out.

In PHH the big blind is p1 and the button p2, and a bet or raise is the total of its street; here the button is
player 0 and a total is counted from the beginning of the hand.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from solvent.cards.deck import Card, CardError, card_label, cards_label, parse_cards
from solvent.cards.ranking import best_strength
from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra
from solvent.foundation.storage.reading import parse_toml
from solvent.games.betting.rules import (
    BOARD_CARDS,
    CALL,
    FOLD,
    HoldemRules,
    HoldemState,
    act,
    payoffs,
    play,
    start,
)
from solvent.games.game import GameError

if TYPE_CHECKING:
    from pokerkit import HandHistory

Hole = tuple[Card, Card]
UNKNOWN = "????"
PURPOSE = "hand histories"


@dataclass(frozen=True)
class Hand:
    """A hand, whole or up to some decision."""

    rules: HoldemRules
    actions: tuple[int, ...]
    """`holdem.FOLD`, `holdem.CALL` or the total raised to, in order."""
    holes: tuple[Hole | None, Hole | None] = (None, None)
    """Each player's cards; None where they are not known."""
    board: tuple[Card, ...] = ()
    names: tuple[str, str] | None = None
    number: int | None = None

    def __post_init__(self) -> None:
        if self.rules.bets or self.rules.caps or self.rules.streets != len(BOARD_CARDS):
            raise GameError("a hand history is of no-limit hold'em to the river, without caps")
        cards = [card for hole in self.holes if hole is not None for card in hole] + list(self.board)
        for place, card in enumerate(cards):
            if card in cards[:place]:
                raise CardError(f"the hand has the card {card_label(card)} twice")
        state = self.state
        lies = BOARD_CARDS[-1] if state.showdown else BOARD_CARDS[state.street]
        if len(self.board) != lies:
            raise GameError(f"after these actions the board has {lies} cards, not {len(self.board)}")
        if self.names is not None and not all(map(_is_plain_name, self.names)):
            raise GameError(f"a name is printable text that begins and ends with no quote, not {self.names}")

    @cached_property
    def state(self) -> HoldemState:
        """The state of the betting after these actions."""
        return play(self.rules, self.actions)

    @property
    def payoffs(self) -> tuple[int, int]:
        """Winnings of each player, in chips."""
        first, second = self.holes
        if not self.state.showdown:
            return payoffs(self.state)
        if first is None or second is None:
            raise GameError("at a showdown both players' cards say who wins, and some are not known")
        return payoffs(self.state, (best_strength(first + self.board), best_strength(second + self.board)))


def write_phh(hand: Hand) -> str:
    """A hand as PHH text.

    >>> button, big_blind = parse_cards("AsKd"), parse_cards("7h2c")
    >>> print(write_phh(Hand(HoldemRules(), (300, FOLD), (button, big_blind))))
    variant = 'NT'
    antes = [0, 0]
    blinds_or_straddles = [50, 100]
    min_bet = 100
    starting_stacks = [20000, 20000]
    actions = ['d dh p1 7h2c', 'd dh p2 AsKd', 'p2 cbr 300', 'p1 f']
    """
    HandHistory = extra("pokerkit", PURPOSE).HandHistory
    rules = hand.rules
    history = HandHistory(
        variant="NT",
        ante_trimming_status=None,  # None is not written
        antes=[0, 0],
        blinds_or_straddles=list(rules.blinds),
        min_bet=rules.blinds[1],
        starting_stacks=list(rules.stacks[::-1]),
        actions=_phh_actions(hand),
        hand=hand.number,
        players=None if hand.names is None else list(hand.names[::-1]),
    )
    return str(history.dumps())


def read_phh(text: str) -> Hand:
    """A hand from PHH text."""
    HandHistory = extra("pokerkit", PURPOSE).HandHistory
    parse_toml(text, "this hand history")  # bounded, and refused in a sentence
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fields that PHH does not know
            history = HandHistory.loads(text)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"this is no PHH hand history: {error}") from error
    rules = _rules(history)
    holes: list[Hole | None] = [None, None]
    board: tuple[Card, ...] = ()
    actions: list[int] = []
    state, before = start(rules), 0
    if not isinstance(history.actions, list) or not all(isinstance(one, str) for one in history.actions):
        raise InputError("the actions of a PHH hand history are a list of texts")
    for written in history.actions:
        match written.partition("#")[0].split():
            case ["d", "dh", player, cards] | [player, "sm", cards]:
                whose = _player(player)
                holes[whose] = holes[whose] if cards in (UNKNOWN, "-") else _hole(cards)
            case ["d", "db", cards]:
                board += parse_cards(cards)
            case [] | [_, "sm"]:
                pass
            case [player, "f" | "cc" | "cbr" as word, *amount] if len(amount) == (word == "cbr"):
                if state.over or _player(player) != state.player:
                    raise InputError(f"the hand history's action {written!r} is out of turn")
                action = {"f": FOLD, "cc": CALL}[word] if word != "cbr" else before + _chips(amount[0])
                after = act(state, action)
                before = after.paid[0] if after.street > state.street else before
                state = after
                actions.append(action)
            case _:
                raise InputError(f"the hand history's action {written!r} is none of heads-up hold'em")
    number = history.hand if isinstance(history.hand, int) else None
    return Hand(rules, tuple(actions), (holes[0], holes[1]), board, _names(history), number)


# Writing


def _phh_actions(hand: Hand) -> list[str]:
    lines = [f"d dh {_label(player)} {_cards(hand.holes[player])}" for player in (1, 0)]
    state, before = start(hand.rules), 0
    opener = 1  # shows first: the last to bet or raise on the street, else the first to act after the flop
    for action in hand.actions:
        words = {FOLD: "f", CALL: "cc"}.get(action, f"cbr {action - before}")
        lines.append(f"{_label(state.player)} {words}")
        opener = state.player if action > CALL else opener
        after = act(state, action)
        if after.street > state.street:
            lines.append(
                f"d db {cards_label(hand.board[BOARD_CARDS[state.street] : BOARD_CARDS[after.street]])}"
            )
            before, opener = after.paid[0], 1
        state = after
    if state.showdown:
        for street in range(state.street, len(BOARD_CARDS) - 1):
            lines.append(f"d db {cards_label(hand.board[BOARD_CARDS[street] : BOARD_CARDS[street + 1]])}")
        shown = [player for player in (opener, 1 - opener) if hand.holes[player] is not None]
        lines += [f"{_label(player)} sm {_cards(hand.holes[player])}" for player in shown]
    return lines


def _label(player: int) -> str:
    return "p2" if player == 0 else "p1"


def _cards(hole: Hole | None) -> str:
    return UNKNOWN if hole is None else cards_label(hole)


def _is_plain_name(name: str) -> bool:
    return bool(name) and name.isprintable() and "''" not in name and "'" not in (name[0], name[-1])


# Reading


def _rules(history: HandHistory) -> HoldemRules:
    if history.variant != "NT":
        raise InputError(f"the hand history is of {history.variant}; NT, no-limit hold'em, is read")
    stacks, blinds = history.starting_stacks, history.blinds_or_straddles
    if not isinstance(stacks, list) or len(stacks) != 2:
        raise InputError("the hand history is not heads-up: it needs two starting stacks")
    if not isinstance(blinds, list) or len(blinds) != 2:
        raise InputError("the hand history needs two blinds and no straddles")
    if not isinstance(history.antes, list) or any(history.antes):
        raise InputError(f"the hand history has antes {history.antes}; hands without are read")
    small, big, first, second = (_chips(amount) for amount in (*blinds, *stacks))
    if history.min_bet is None or _chips(history.min_bet) != big:
        raise InputError(
            f"the hand history's min_bet is {history.min_bet}; the big blind, {big}, is what is read"
        )
    return HoldemRules((second, first), (small, big))


def _chips(amount: Any) -> int:
    try:
        chips = int(amount)
        whole = chips == float(amount)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise InputError(f"amounts of a hand history are whole chips here, not {amount}")
    return chips


def _player(label: str) -> int:
    if label not in ("p1", "p2"):
        raise InputError(f"the players of a heads-up hand history are p1 and p2, not {label!r}")
    return 1 if label == "p1" else 0


def _hole(text: str) -> Hole:
    cards = parse_cards(text)
    if len(cards) != 2:
        raise InputError(f"a player has two cards in the hand history, not {text!r}")
    return cards[0], cards[1]


def _names(history: HandHistory) -> tuple[str, str] | None:
    if history.players is None:
        return None
    if len(history.players) != 2:
        raise InputError("a heads-up hand history has two players")
    return str(history.players[1]), str(history.players[0])
