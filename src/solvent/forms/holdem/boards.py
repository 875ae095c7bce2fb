"""The boards of each street, with boards that differ only in the names of suits joined into one.

At every deal a card stands for its orbit: the cards that it becomes when suits are renamed in ways that change
neither the board so far nor a range. The first card of an orbit is dealt; its multiplicity is how many there are.
Where no permutation is left every card stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import renamed_hands

Suits = tuple[int, ...]
"""A permutation of suits: suit s becomes suits[s]."""

SUITS = 4
IDENTITY: Suits = tuple(range(SUITS))


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, the children of one board side by side."""

    cards: NDArray[np.int8]
    """int8[boards, cards]: the cards, in the order in which they were dealt."""
    parent: NDArray[np.int32]
    """int32[boards]: the number of the board before."""
    multiplicity: NDArray[np.float64]
    """float64[boards]: how many boards after the parent each stands for."""
    groups: Sequence[Sequence[Suits]]
    """The permutations of suits that leave each board, and the ranges, as they are."""

    def __len__(self) -> int:
        return len(self.cards)


def suit_group(
    deck: Sequence[int], board: Sequence[int], ranges: Sequence[NDArray[np.float64]]
) -> list[Suits]:
    """The permutations of suits that leave the deck, the board and both ranges as they are, the identity first."""
    cards, fixed = set(deck), set(board)
    found = []
    for suits in permutations(range(SUITS)):
        same = all({moved(card, suits) for card in kept} == kept for kept in (cards, fixed))
        if same and all((weights[renamed_hands(suits)] == weights).all() for weights in ranges):
            found.append(suits)
    return found


def moved(card: int, suits: Suits) -> int:
    """A card after its suit has been renamed."""
    return card - card % SUITS + suits[card % SUITS]


def list_boards(
    deck: Sequence[int], root: Sequence[int], deals: Sequence[int], group: Sequence[Suits]
) -> list[Boards]:
    """The boards of every street from `root` on; `deals` says how many cards each deal adds."""
    first = np.array([root], dtype=np.int8).reshape(1, len(root))
    streets = [Boards(first, np.zeros(1, dtype=np.int32), np.ones(1), [list(group)])]
    for count in deals:
        before = streets[-1]
        rows = [
            (board + dealt, number, orbit, fixing)
            for number, board in enumerate(map(tuple, before.cards.tolist()))
            for dealt, orbit, fixing in _orbits(deck, board, count, before.groups[number])
        ]
        cards, parent, multiplicity, groups = zip(*rows, strict=True) if rows else ((), (), (), ())
        streets.append(
            Boards(
                np.array(cards, dtype=np.int8),
                np.array(parent, dtype=np.int32),
                np.array(multiplicity, dtype=np.float64),
                groups,
            )
        )
    return streets


def _orbits(
    deck: Sequence[int], board: tuple[int, ...], count: int, group: Sequence[Suits]
) -> list[tuple[tuple[int, ...], int, Sequence[Suits]]]:
    """The first deal of each orbit, how many deals the orbit has, and the permutations that leave it as it is."""
    left = [card for card in deck if card not in board]
    if len(group) == 1:
        return [(dealt, 1, group) for dealt in combinations(left, count)]
    found: list[tuple[tuple[int, ...], int, Sequence[Suits]]] = []
    seen: set[tuple[int, ...]] = set()
    for dealt in combinations(left, count):
        if dealt in seen:
            continue
        images = [tuple(sorted(moved(card, suits) for card in dealt)) for suits in group]
        orbit = set(images)
        seen |= orbit
        fixing = [suits for suits, image in zip(group, images, strict=True) if image == dealt]
        found.append((dealt, len(orbit), fixing))
    return found
