"""Cards and decks: a card is an int, written as players write it.

A card is 4 x rank + suit, with ranks 0 to 12 for 2 to A and suits 0 to 3 for clubs, diamonds, hearts and
spades, so that cards sort by rank first. A smaller deck keeps the lowest ranks and the first suits, and its
cards keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError

RANKS = "23456789TJQKA"
SUITS = "cdhs"

Card = int
"""4 x rank + suit."""


class CardError(InputError):
    """Text or numbers that name no card or no deck; the message is one sentence for the user."""


def parse_card(text: str) -> Card:
    """The card that two letters name, in upper or lower case.

    >>> parse_card("2c"), parse_card("As")
    (0, 51)
    """
    rank, suit = (text[0].upper(), text[1].lower()) if len(text) == 2 else ("?", "?")
    if rank not in RANKS or suit not in SUITS:
        raise CardError(f"a card is a rank of {RANKS} and a suit of {SUITS}, such as As; {text!r} is not one")
    return 4 * RANKS.index(rank) + SUITS.index(suit)


def parse_cards(text: str) -> tuple[Card, ...]:
    """Different cards in the order written, with or without spaces between them.

    >>> parse_cards("AsKd 2c")
    (51, 45, 0)
    """
    letters = "".join(text.split())
    cards: list[Card] = []
    for start in range(0, len(letters), 2):
        card = parse_card(letters[start : start + 2])
        if card in cards:
            raise CardError(f"{text!r} has the card {card_label(card)} twice")
        cards.append(card)
    return tuple(cards)


def card_label(card: Card) -> str:
    """A card in two letters.

    >>> card_label(51)
    'As'
    """
    if not 0 <= card < len(RANKS) * len(SUITS):
        raise CardError(f"cards are numbered 0 to 51; {card} is none of them")
    return RANKS[card // 4] + SUITS[card % 4]


def cards_label(cards: Iterable[Card]) -> str:
    """Cards in the order given, two letters each.

    >>> cards_label([51, 45, 0])
    'AsKd2c'
    """
    return "".join(map(card_label, cards))


def deck(suits: int = 4, ranks: int = 13) -> tuple[Card, ...]:
    """Every card of the deck with this many suits and this many ranks, from 2 upward, in order.

    >>> cards_label(deck(suits=2, ranks=3))
    '2c2d3c3d4c4d'
    """
    if not 1 <= suits <= len(SUITS):
        raise CardError(f"a deck has 1 to {len(SUITS)} suits, not {suits}")
    if not 1 <= ranks <= len(RANKS):
        raise CardError(f"a deck has 1 to {len(RANKS)} ranks, not {ranks}")
    return tuple(4 * rank + suit for rank in range(ranks) for suit in range(suits))


def check_cards(hands: NDArray[np.integer]) -> None:
    """Refuse what is no card, and hands with a card twice."""
    if hands.dtype.kind not in "iu":
        raise CardError(f"cards are whole numbers from 0 to 51, not {hands.dtype}")
    if hands.size and not (hands.min() >= 0 and hands.max() < 52):
        raise CardError("cards are numbered 0 to 51")
    ordered = np.sort(hands, axis=-1)
    twice = (ordered[..., 1:] == ordered[..., :-1]).any(axis=-1)
    if twice.any():
        raise CardError(f"the hand {cards_label(hands[twice][0])} has a card twice")
