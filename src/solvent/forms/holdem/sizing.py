"""Size of a hold'em game in public form, counted before any of it is built.

`holdem_size` lists the boards and counts exactly. `least_cells` lists nothing: by Burnside's lemma there are as
many boards, those that stand for others counted once, as sequences of deals that a permutation of suits leaves as
they are, on average over the permutations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import hole_cards
from solvent.forms.holdem.boards import IDENTITY, Suits, list_boards, moved, suit_group
from solvent.forms.holdem.game import padded_slots
from solvent.forms.holdem.tree import RUN_OUT, holdem_tree

CARDS = 52
BYTES_PER_SLOT = 2 * 14
"""Bytes that a hand on a board takes in the form and in what passes copy of it."""
BYTES_PER_PAIR = 2 * 4
"""Bytes that a pair of hands takes in a table of run-outs, likewise."""


@dataclass(frozen=True)
class HoldemSize:
    """The size of a hold'em game in public form."""

    decisions: tuple[int, ...]
    """Decision nodes of the betting tree, by street."""
    boards: tuple[int, ...]
    """Boards by street, those that stand for others counted once."""
    hands: tuple[int, int]
    """Hands of each player that the root board leaves."""
    cells: int
    """Numbers in each table."""
    form_bytes: int
    """Approximate bytes of the form, beside the tables."""


def holdem_size(rules: Any, isomorphism: bool = True) -> HoldemSize:
    """Count what `holdem_game` would build for these rules."""
    tree = holdem_tree(rules.betting)
    cards, ranges = sorted(rules.deck), rules.range_weights
    group = suit_group(cards, rules.root_board, ranges) if isomorphism else [IDENTITY]
    streets = list_boards(cards, rules.root_board, rules.deals[: len(tree.subtrees) - 1], group)
    edges = np.diff(tree.first_edge)
    cells = form = 0
    for number, boards in enumerate(streets):
        here = tree.street == number
        slots = [padded_slots(_most_hands(weights, boards.cards)) for weights in ranges]
        for player in (0, 1):
            cells += len(boards) * slots[player] * int(edges[here & (tree.player == player)].sum())
        form += len(boards) * sum(slots) * BYTES_PER_SLOT
        run_outs = here & (tree.kind == RUN_OUT)
        if run_outs.any():
            tables = 2 if (tree.pays[run_outs].sum(axis=2) != 0).any() else 1
            form += len(boards) * slots[0] * slots[1] * tables * BYTES_PER_PAIR
    first, second = (int(np.count_nonzero(weights)) for weights in ranges)
    return HoldemSize(
        tuple(tree.decisions(number) for number in range(len(streets))),
        tuple(len(boards) for boards in streets),
        (first, second),
        cells,
        form,
    )


def _most_hands(weights: NDArray[np.float64], boards: NDArray[np.int8]) -> int:
    """The most hands of a range that any of these boards, int8[boards, cards], leaves possible."""
    held = hole_cards()[weights > 0]
    together = np.zeros((CARDS, CARDS), dtype=np.int64)
    together[held[:, 0], held[:, 1]] = together[held[:, 1], held[:, 0]] = 1
    blocked = np.zeros(len(boards), dtype=np.int64)
    for place in range(boards.shape[1]):
        blocked += together.sum(axis=1)[boards[:, place]]
    for one, two in combinations(
        range(boards.shape[1]), 2
    ):  # a hand of two board cards has been counted twice
        blocked -= together[boards[:, one], boards[:, two]]
    return len(held) - int(blocked.min(initial=len(held)))


def least_cells(rules: Any, isomorphism: bool = True) -> int:
    """Numbers that each table has at least: as if each card of a board blocked as many hands as any card does."""
    tree, ranges = holdem_tree(rules.betting), rules.range_weights
    group = suit_group(rules.deck, rules.root_board, ranges) if isomorphism else [IDENTITY]
    edges, cells = np.diff(tree.first_edge), 0
    for number in range(len(tree.subtrees)):
        boards = count_boards(rules.deck, rules.root_board, rules.deals[:number], group)
        dealt = sum(rules.deals[:number])
        for player, weights in enumerate(ranges):
            held = hole_cards()[weights > 0]
            blocked = np.sort(np.bincount(held.ravel(), minlength=CARDS))[CARDS - dealt :]
            actions = int(edges[(tree.street == number) & (tree.player == player)].sum())
            cells += boards * actions * max(0, len(held) - int(blocked.sum()))
    return cells


def count_boards(
    deck: Sequence[int], root: Sequence[int], deals: Sequence[int], group: Sequence[Suits]
) -> int:
    """Count the boards after some deals; those that `group` turns into each other count once.

    >>> count_boards(range(52), (), [3], suit_group(range(52), (), []))
    1755
    """
    left = [card for card in deck if card not in root]
    return sum(_fixed(_cycles(left, suits), deals) for suits in group) // len(group)


def _cycles(cards: Sequence[int], suits: Suits) -> tuple[int, ...]:
    """Count the cycles of 1, 2, 3 and 4 cards of a permutation of suits."""
    lengths: Counter[int] = Counter()
    for card in cards:
        length, at = 1, moved(card, suits)
        while at != card:
            length, at = length + 1, moved(at, suits)
        lengths[length] += 1
    return tuple(lengths[length] // length for length in (1, 2, 3, 4))


def _fixed(cycles: tuple[int, ...], deals: Sequence[int]) -> int:
    """Count the sequences of deals that a permutation leaves as they are: each deal is made of whole cycles."""
    if not deals:
        return 1
    return sum(
        prod(map(comb, cycles, taken))
        * _fixed(tuple(there - here for there, here in zip(cycles, taken, strict=True)), deals[1:])
        for taken in _partitions(deals[0], len(cycles))
        if all(here <= there for here, there in zip(taken, cycles, strict=True))
    )


def _partitions(cards: int, longest: int) -> list[tuple[int, ...]]:
    """Yield the numbers of cycles of each length up to `longest` that make up this many cards."""
    if longest == 0:
        return [()] if cards == 0 else []
    return [
        (*shorter, count)
        for count in range(cards // longest + 1)
        for shorter in _partitions(cards - count * longest, longest - 1)
    ]
