"""Lines of play through a spot, such as `check, bet 100, call, 7s`, and the places that they lead to.

A line has actions (`games.betting.action_words`) and, where a street is dealt, a card; '' is the root. Any card
may be named. Where boards that differ only in the names of suits are solved once, a place also has the renaming of
suits that turns its cards into those of the board that stands for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card, CardError, card_label, cards_label, parse_cards
from solvent.cards.hands import hole_cards, renamed_hands
from solvent.forms.holdem.boards import IDENTITY, Suits, moved
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.tree import DEAL, DECISION, RUN_OUT
from solvent.foundation.errors import InputError
from solvent.games.betting.action_words import choose_action, match_action, paid_after
from solvent.games.holdem.spot import NAMES


@dataclass(frozen=True)
class Place:
    """A node of the betting tree on a board, and what has been put into the pot on the way."""

    node: int
    board: int
    """The number of the board, among those of the node's street, that stands for the cards."""
    suits: Suits
    """The renaming of suits that turns the cards of this place into those of the board."""
    cards: tuple[Card, ...]
    """The board's cards as the line names them."""
    words: tuple[str, ...]
    paid: tuple[int, int]
    """Chips that each player has added since the root."""
    street_paid: tuple[int, int]
    """Chips of the current street among them."""

    @property
    def line(self) -> str:
        return ", ".join(self.words)


def root_place(game: HoldemGame) -> Place:
    """The place where a spot begins."""
    return Place(0, 0, IDENTITY, tuple(game.rules.root_board), (), (0, 0), (0, 0))


def find_place(game: HoldemGame, line: str) -> Place:
    """Find the place that a line leads to."""
    if not isinstance(line, str):
        raise InputError(f"a line is text such as 'check, bet 100', not {line!r}")
    place = root_place(game)
    if not line.strip():
        return place
    for word in line.split(","):
        place = follow(game, place, word)
    return place


def follow(game: HoldemGame, place: Place, word: str) -> Place:
    """Follow one more action or card, as a line names it."""
    kind, text = game.tree.kind[place.node], " ".join(word.lower().split())
    if kind == DEAL:
        return deal(game, place, _dealt(place, text))
    if kind != DECISION:
        how = "both players are all-in" if kind == RUN_OUT else "the hand is over"
        raise InputError(f"{how} after the line {place.line!r}, so {word.strip()!r} cannot follow it")
    betting, actions = game.tree.betting[place.node], game.tree.betting[place.node].actions
    chosen = choose_action(word, actions, _all_in_amount(game, place), NAMES[betting.player], place.words)
    return act(game, place, actions.index(chosen))


def find_action(game: HoldemGame, place: Place, word: str) -> str | None:
    """Find the action at a place that a word names, short or not; None where there is no such action."""
    actions = game.tree.betting[place.node].actions
    return match_action(word, actions, _all_in_amount(game, place)) if actions else None


def act(game: HoldemGame, place: Place, action: int) -> Place:
    """Follow the action of this number."""
    tree, actor = game.tree, int(game.tree.player[place.node])
    name = tree.betting[place.node].actions[action]
    on_street = paid_after(name, actor, place.street_paid)
    before = [all_in - here for all_in, here in zip(place.paid, place.street_paid, strict=True)]
    return replace(
        place,
        node=int(tree.child[tree.first_edge[place.node] + action]),
        words=(*place.words, name),
        paid=(before[0] + on_street[0], before[1] + on_street[1]),
        street_paid=on_street,
    )


def cards_to_come(game: HoldemGame, place: Place) -> list[Card]:
    """List the cards that may be dealt at a place where a card is dealt."""
    return [card for card in sorted(game.rules.deck) if card not in place.cards]


def deal(game: HoldemGame, place: Place, cards: Sequence[Card]) -> Place:
    """Follow a deal of these cards."""
    street = int(game.tree.street[place.node])
    here, after = game.streets[street], game.streets[street + 1].boards
    count = after.cards.shape[1] - here.boards.cards.shape[1]
    for card in cards:
        if card in place.cards:
            raise InputError(f"{card_label(card)} is on the board {cards_label(place.cards)} already")
        if card not in game.rules.deck:
            raise InputError(f"the deck has no {card_label(card)}")
    if len(cards) != count:
        come = "one card comes" if count == 1 else f"{count} cards come"
        raise InputError(f"after {place.line!r} {come}, not {cards_label(cards)}")
    number, suits = board_after(game, street, place.board, place.suits, cards)
    root = next(each.start for each in game.tree.subtrees[street + 1] if each.deal == place.node)
    return replace(
        place,
        node=root,
        board=number,
        suits=suits,
        cards=(*place.cards, *cards),
        words=(*place.words, cards_label(cards)),
        street_paid=(0, 0),
    )


def board_after(
    game: HoldemGame, street: int, board: int, suits: Suits, cards: Sequence[Card]
) -> tuple[int, Suits]:
    """Find the board that stands for a board of a street and these cards, and the renaming of suits.

    `suits` is the renaming that turns the cards so far into those of the board.
    """
    here, after = game.streets[street], game.streets[street + 1].boards
    first, stop = here.first_child[board : board + 2].tolist()
    children = {
        tuple(row[-len(cards) :]): first + k for k, row in enumerate(after.cards[first:stop].tolist())
    }
    for more in here.boards.groups[board]:
        renamed = tuple(more[suit] for suit in suits)
        dealt = tuple(sorted(moved(card, renamed) for card in cards))
        if dealt in children:
            return children[dealt], renamed
    raise AssertionError("no board stands for the cards")


def hands_at(game: HoldemGame, place: Place, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List a player's hands at a place, by number, and where each stands, its suits renamed, in the player's
    list."""
    numbers = game.hands[player]
    left = numbers[~np.isin(hole_cards()[numbers], place.cards).any(axis=1)]
    return left, np.searchsorted(numbers, renamed_hands(place.suits)[left])


def _dealt(place: Place, text: str) -> tuple[Card, ...]:
    letters = text.replace(" ", "")
    try:
        return parse_cards(letters)
    except CardError:
        after = f"after {place.line!r}" if place.words else "first"
        raise InputError(f"a card is dealt {after}, such as 7s; {text!r} is none") from None


def _all_in_amount(game: HoldemGame, place: Place) -> int:
    """Chips of the player to act on the street after going all-in."""
    actor = int(game.tree.player[place.node])
    return int(game.rules.stack) - place.paid[actor] + place.street_paid[actor]
