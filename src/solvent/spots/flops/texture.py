"""The texture of a flop: suits, pairs, the highest card, and whether a straight is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solvent.cards.deck import RANKS, Card

SUITS = ("monotone", "two-tone", "rainbow")
PAIRING = ("unpaired", "paired", "trips")
CONNECTION = ("connected", "disconnected")
ACE, STRAIGHT = 12, 5


@dataclass(frozen=True)
class FlopTexture:
    """A flop in four words. The fields are the columns of reports by texture."""

    suits: str
    """monotone, two-tone or rainbow"""
    pairing: str
    """unpaired, paired or trips"""
    high_card: str
    """The highest rank, such as A or 9."""
    connection: str
    """connected where two more cards can make a straight with all three, otherwise disconnected."""


def flop_texture(flop: Sequence[Card]) -> FlopTexture:
    """Name the texture of three cards.

    >>> flop_texture((51, 38, 28))
    FlopTexture(suits='rainbow', pairing='unpaired', high_card='A', connection='disconnected')
    """
    ranks = {card // 4 for card in flop}
    return FlopTexture(
        suits=SUITS[len({card % 4 for card in flop}) - 1],
        pairing=PAIRING[3 - len(ranks)],
        high_card=RANKS[max(ranks)],
        connection=CONNECTION[0 if _in_one_straight(ranks) else 1],
    )


def texture_values() -> dict[str, tuple[str, ...]]:
    """List the values of each field of a texture, in the order of reports."""
    return {"suits": SUITS, "pairing": PAIRING, "high_card": tuple(reversed(RANKS)), "connection": CONNECTION}


def _in_one_straight(ranks: set[int]) -> bool:
    """Whether three different ranks lie within five in a row; the ace is also below the two."""
    low = {-1 if rank == ACE else rank for rank in ranks}
    return len(ranks) == 3 and any(max(each) - min(each) < STRAIGHT for each in (ranks, low))
