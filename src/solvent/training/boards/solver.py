"""Training a blueprint by public sampling: many hands of a board walk the tree at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import on_each
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.boards.dealing import BOARD, BoardHands, board_hands
from solvent.training.boards.kernels import BoardRoom, board_iterations, board_room
from solvent.training.boards.street_trees import StreetTrees, street_trees
from solvent.training.kernels import MIXED, RAISED, BlueprintArrays, IterationOptions

DECK = np.arange(52)
TWO_HANDS = 4
"""Cards of two hands."""


class BoardSolver:
    """Fills the tables of a blueprint, board by board. An iteration is a board."""

    def __init__(
        self,
        blueprint: Blueprint,
        touched: int = 0,
        deck: NDArray[np.int64] = DECK,
        hole_cards: int | None = None,
    ) -> None:
        """`touched`: rows that training has touched so far. `deck`: the cards that are dealt, at least nine.

        `hole_cards`: how many of the cards that a board leaves are drawn to make its hands of; None for all.
        """
        if len(deck) < BOARD + TWO_HANDS:
            raise InputError(f"two hands and a board take nine cards, and this deck has {len(deck)}")
        left = len(deck) - BOARD
        self.hole_cards = left if hole_cards is None else hole_cards
        if not TWO_HANDS <= self.hole_cards <= left:
            raise InputError(
                f"hands are made of {TWO_HANDS} to {left} of the cards that a board leaves, not of {hole_cards}"
            )
        self.blueprint, self.touched, self.deck = blueprint, touched, deck
        self._rooms: list[tuple[BoardHands, BoardRoom]] = []

    @property
    def iterations(self) -> int:
        """Boards that the tables have been trained on."""
        return self.blueprint.iterations

    @cached_property
    def trees(self) -> StreetTrees:
        """The betting tree, street by street."""
        return street_trees(self.blueprint.tree)

    def run(
        self,
        iterations: int,
        *,
        threads: int = 1,
        seed: int = 0,
        linear: bool = True,
        exploration: tuple[float, float] = (0.0, 0.0),
        mix: bool = False,
        floor: float = 0.0,
    ) -> None:
        """Walk more boards, shared among threads that write to the same tables without locks.

        An addition that two threads make to one number at the same moment may count once. `floor`, in chips:
        actions whose regret per iteration is below it are left out of most iterations; 0 for none.
        """
        options = IterationOptions(
            np.float32(linear), exploration, np.float32(floor), MIXED if mix else RAISED
        )
        bounds = self.iterations + np.linspace(0, iterations, threads + 1).astype(np.int64)
        rooms, lookup, tables = self.rooms(threads), self.blueprint.cards.lookup, evaluator()

        def work(which: int) -> None:
            board_iterations(
                bounds[which], bounds[which + 1], seed, options, self.trees, *rooms[which],
                self._arrays, lookup, tables,
            )  # fmt: skip

        try:
            on_each(work, threads)
        finally:  # an interrupt comes when all threads are done
            self.blueprint.iterations += iterations
            self.touched += sum(int(room.touched[0]) for _, room in rooms)

    def rooms(self, threads: int) -> list[tuple[BoardHands, BoardRoom]]:
        """Memory for some threads, kept for the next call; each has touched no row yet."""
        buckets = self.blueprint.layout.buckets
        while len(self._rooms) < threads:
            hands = board_hands(self.deck, int(buckets.max()), self.hole_cards)
            room = board_room(len(hands.tie), hands.start.shape[1], self.trees.stride)
            self._rooms.append((hands, room))
        for _, room in self._rooms:
            room.touched[0] = 0
        return self._rooms[:threads]

    @property
    def _arrays(self) -> BlueprintArrays:
        none = np.zeros((0, 4), dtype=np.int32)
        return BlueprintArrays(none, none.view(np.float32), self.blueprint.layout, self.blueprint.table)
