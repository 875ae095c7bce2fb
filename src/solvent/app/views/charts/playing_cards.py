"""Cards as players see them: a rank and the suit's symbol, in the four colours of card rooms."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from solvent.cards.deck import RANKS, Card

SYMBOLS = "♣♦♥♠"
"""Symbols of the suits by number; a terminal whose encoding has none shows c, d, h and s (`app.terminal`)."""
STYLES = ("green", "blue", "red", "bold")


def cards_text(cards: Iterable[Card]) -> Text:
    """Cards with spaces in between.

    >>> cards_text([51, 45]).plain
    'A♠ K♦'
    """
    return Text(" ").join(
        Text(RANKS[card // 4] + SYMBOLS[card % 4], style=STYLES[card % 4]) for card in cards
    )
