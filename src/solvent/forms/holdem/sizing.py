"""How large a hold'em game is in public form, counted before any of it is built."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import hole_cards
from solvent.forms.holdem.boards import IDENTITY, list_boards, suit_group
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
    """About what the form takes beside the tables."""


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
