"""Training a blueprint by public sampling: many hands of a board walk the tree at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.boards.dealing import BOARD, BoardHands, board_hands
from solvent.training.boards.kernels import BoardWorkspace, board_iterations, board_workspace
from solvent.training.boards.street_trees import StreetTrees, street_trees
from solvent.training.kernels import BlueprintArrays, IterationOptions
from solvent.training.solver import TableSolver

DECK = np.arange(52)
TWO_HANDS = 4
"""Cards of two hands."""


class BoardSolver(TableSolver):
    """Draws a board for each iteration, and walks many hands on it at once."""

    def __init__(
        self, blueprint: Blueprint, deck: NDArray[np.int64] = DECK, hole_cards: int | None = None
    ) -> None:
        """deck: the cards that are dealt, at least nine.

        hole_cards: of the cards that a board leaves, those that are drawn to make its hands of; None for all.
        """
        super().__init__(blueprint)
        if len(deck) < BOARD + TWO_HANDS:
            raise InputError(f"two hands and a board take nine cards, and this deck has {len(deck)}")
        left = len(deck) - BOARD
        self.hole_cards = left if hole_cards is None else hole_cards
        if not TWO_HANDS <= self.hole_cards <= left:
            raise InputError(
                f"hands are made of {TWO_HANDS} to {left} of the cards that a board leaves, not of {hole_cards}"
            )
        self.deck = deck
        none = np.zeros((0, 4), dtype=np.int32)
        self._arrays = BlueprintArrays(none, none.view(np.float32), blueprint.layout, blueprint.table)
        self._spaces: list[tuple[BoardHands, BoardWorkspace]] = []

    @cached_property
    def trees(self) -> StreetTrees:
        """The betting tree, street by street."""
        return street_trees(self.blueprint.tree)

    def workspaces(self, threads: int) -> list[tuple[BoardHands, BoardWorkspace]]:
        """Return memory for some threads, kept for the next call; each has touched no row yet."""
        buckets = self.blueprint.layout.buckets
        while len(self._spaces) < threads:
            hands = board_hands(self.deck, int(buckets.max()), self.hole_cards)
            self._spaces.append(
                (hands, board_workspace(len(hands.tie), hands.start.shape[1], self.trees.stride))
            )
        for _, space in self._spaces:
            space.touched[0] = 0
        return self._spaces[:threads]

    def _iterate(
        self,
        start: int,
        end: int,
        seed: int,
        options: IterationOptions,
        memory: tuple[BoardHands, BoardWorkspace],
    ) -> None:
        board_iterations(
            start, end, seed, options, self.trees, *memory, self._arrays, self.blueprint.cards.lookup,
            evaluator(),
        )  # fmt: skip

    def _touched(self, memory: tuple[BoardHands, BoardWorkspace]) -> int:
        return int(memory[1].touched[0])
