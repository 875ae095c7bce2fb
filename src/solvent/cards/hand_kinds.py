"""Players' names for a hand on a board: top pair, a set, a flush draw.

A made hand counts what the hole cards make: a pair that lies on the board is nobody's, and on a paired board a hand
with a pair of its own is called by that pair. Draws are to flushes and straights that the hole cards take part in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS, Card
from solvent.cards.hands import hole_cards
from solvent.cards.ranking import CATEGORIES, PAIR, TRIPS, best_strength, best_strengths, category

PAIRS = ("overpair", "top pair", "second pair", "low pair", "pocket pair")
MADE = (
    *("straight flush", "four of a kind", "full house", "flush", "straight", "set", "trips", "two pair"),
    *PAIRS,
    *("high card", "the board"),
)
"""Made hands from the best; a pocket pair is not above the board, `the board` is a river that a hand only ties."""
DRAWS = ("flush draw", "open-ender", "gutshot")
KIND_NAMES = (*MADE, "pair", *DRAWS, "no draw")
"""Kinds that `is_kind` knows: `pair` is any pair of one's own."""


def hand_strengths(numbers: NDArray[np.int64], board: Sequence[Card]) -> NDArray[np.int64]:
    """Rank hands with a board of three to five cards, int64[hands]; none may hold a card of the board."""
    strengths: NDArray[np.int64] = best_strengths(np.array([board]), hole_cards()[numbers])[0]
    return strengths


def made_hands(numbers: NDArray[np.int64], board: Sequence[Card]) -> list[str]:
    """Name what hands make on a board: a name of `MADE` for each.

    >>> from solvent.cards.deck import parse_cards
    >>> from solvent.cards.hands import hand_number
    >>> hands = ("AhAs", "QsTs", "TcTs", "8c7c", "AhKh", "JhTh", "7s7h")
    >>> numbers = np.array([hand_number(*parse_cards(hand)) for hand in hands])
    >>> made_hands(numbers, parse_cards("Td9d6h"))
    ['overpair', 'top pair', 'set', 'straight', 'high card', 'top pair', 'pocket pair']
    """
    full = best_strength(board) if len(board) == 5 else -1
    return [_made(hole, board, strength, full) for hole, strength in _ranked(numbers, board)]


def draws(numbers: NDArray[np.int64], board: Sequence[Card]) -> list[tuple[str, ...]]:
    """Name what hands draw to on a board of three or four cards: names of `DRAWS` for each; none on a river.

    An open-ender is any hand that two or more ranks make a straight.

    >>> from solvent.cards.deck import parse_cards
    >>> from solvent.cards.hands import hand_number
    >>> numbers = np.array([hand_number(*parse_cards(hand)) for hand in ("QdJd", "AdKd", "Kc7c", "8s8h")])
    >>> draws(numbers, parse_cards("Td9d6h"))
    [('flush draw', 'open-ender'), ('flush draw',), ('gutshot',), ('gutshot',)]
    """
    if len(board) == 5:
        return [() for _ in numbers]
    return [_draws(hole, board, category(strength)) for hole, strength in _ranked(numbers, board)]


def is_kind(kind: str, made: str, drawing: tuple[str, ...]) -> bool:
    """Whether a hand is of a kind of `KIND_NAMES`."""
    if kind == "pair":
        return made in PAIRS
    return not drawing if kind == "no draw" else kind == made or kind in drawing


def _ranked(numbers: NDArray[np.int64], board: Sequence[Card]) -> Iterable[tuple[list[int], int]]:
    """The cards and the strength of each hand."""
    return zip(hole_cards()[numbers].tolist(), hand_strengths(numbers, board).tolist(), strict=True)


def _made(hole: list[Card], board: Sequence[Card], strength: int, full: int) -> str:
    if strength == full:
        return "the board"
    name = category(strength)
    which = CATEGORIES.index(name)
    ranks, own = sorted({card >> 2 for card in board}, reverse=True), [card >> 2 for card in hole]
    counts = [sum(card >> 2 == rank for card in board) for rank in own]
    if which == TRIPS:
        return "set" if own[0] == own[1] else "trips" if 2 in counts else "high card"
    if which > TRIPS:
        return name
    if which < PAIR:
        return "high card"
    if own[0] == own[1]:
        return "overpair" if own[0] > ranks[0] else "pocket pair"
    paired = sorted({rank for rank, count in zip(own, counts, strict=True) if count}, reverse=True)
    if not paired:
        return "high card"
    if len(paired) == 2:
        return "two pair"
    place = ranks.index(paired[0])
    return "top pair" if place == 0 else "second pair" if place == 1 else "low pair"


def _draws(hole: list[Card], board: Sequence[Card], made: str) -> tuple[str, ...]:
    found = []
    suits = [card & 3 for card in (*hole, *board)]
    if made in ("flush", "full house", "four of a kind", "straight flush"):
        return ()
    if any(suits.count(card & 3) == 4 for card in hole):
        found.append("flush draw")
    if made != "straight":
        table, both = {card >> 2 for card in board}, {card >> 2 for card in (*hole, *board)}
        completing = sum(
            _straight(both | {rank}) > _straight(table | {rank}) for rank in range(13) if rank not in both
        )
        if completing:
            found.append("gutshot" if completing == 1 else "open-ender")
    return tuple(found)


def _straight(ranks: Iterable[int]) -> int:
    """The top rank of the best straight among ranks, counted from 1; 0 without any."""
    held = {rank + 1 for rank in ranks}
    if len(RANKS) in held:
        held.add(0)  # the ace below the 2
    return max((top for top in held if all(top - k in held for k in range(5))), default=0)
