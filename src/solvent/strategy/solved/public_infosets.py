"""The infosets of a public game: a decision node, a board and a hand, found and named without a table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public.game import DECISION, PublicGame
from solvent.foundation.errors import InputError
from solvent.games.public_rules import Hand
from solvent.strategy.strategy import normalise_block


class PublicInfosets:
    """Infosets numbered by decision node, then board, then slot; their cells lie where the blocks do."""

    def __init__(self, game: PublicGame) -> None:
        self.game = game
        nodes = game.nodes
        self.decisions = np.flatnonzero(nodes.symbol == DECISION)
        sizes = [game.rounds[nodes.round[node]].hand.size for node in self.decisions]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.block = np.cumsum(game.block_sizes) - game.block_sizes

    def __len__(self) -> int:
        return int(self.first[-1])

    @property
    def held(self) -> int:
        """Number of infosets that can arise: `len` counts hands that a board or the deal rules out, too."""
        return self.game.infosets

    @property
    def cells(self) -> int:
        return self.game.cells

    @property
    def shared_labels(self) -> frozenset[str]:
        """The labels that both players have: none, because a label says who acted before."""
        return frozenset()

    def numbers(self) -> Iterator[int]:
        """The infosets that can arise: hands that a board or the deal rules out are left out."""
        for infoset in range(len(self)):
            node, board, slot = self._place(infoset)
            if self._possible[self.game.nodes.round[node]][self.game.nodes.player[node], board, slot]:
                yield infoset

    def player_of(self, infoset: int) -> int:
        return int(self.game.nodes.player[self._place(infoset)[0]])

    def label(self, infoset: int) -> str:
        node, board, slot = self._place(infoset)
        here, rules = self.game.rounds[self.game.nodes.round[node]], self.game.rules
        hand = rules.hand_labels[self.game.hands[here.hand[board, slot]]]
        return f"{hand}|{rules.board_label(here.boards[board])}|{self.game.betting[node].history}"

    def actions(self, infoset: int) -> tuple[str, ...]:
        return self.game.betting[self._place(infoset)[0]].actions

    def cells_of(self, infoset: int) -> NDArray[np.int64]:
        """Where the infoset's actions lie in a vector over cells."""
        node, board, slot = self._place(infoset)
        nodes = self.game.nodes
        blocks = self.block[nodes.first_edge[node] : nodes.first_edge[node + 1]]
        cells: NDArray[np.int64] = blocks + board * self.game.rounds[nodes.round[node]].slots + slot
        return cells

    def find(self, label: str, player: int | None = None) -> int:
        """The infoset with this label. With isomorphism, any board's label finds the board that stands for it."""
        hand, _, rest = label.partition("|")
        board, _, history = rest.partition("|")
        node = self._node_of_history.get(history)
        place = self._board_of_label.get(board)
        if node is not None and place is not None and hand in self._hand_of_label:
            level, number, names = place
            here = self.game.rounds[level]
            named = self._hand_of_label[hand]
            held = self.game.hands.index(named if names is None else names[named])
            slot = np.flatnonzero(here.hand[number] == held)
            owner = int(self.game.nodes.player[node])
            if self.game.nodes.round[node] == level and len(slot) and player in (None, owner):
                which = int(np.searchsorted(self.decisions, node))
                return int(self.first[which]) + number * here.slots + int(slot[0])
        raise InputError(f"there is no infoset {label!r}; one that exists is {self.label(0)!r}")

    def normalised(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Every probability, float64[cells]: weights in proportion inside each infoset, uniform where all are 0."""
        result = np.empty(len(weights))
        for node in self.decisions:
            first, stop = self.game.nodes.first_edge[node : node + 2]
            start, size = self.block[first], int(self.game.block_sizes[first])
            cells = slice(start, start + (stop - first) * size)
            result[cells] = normalise_block(weights[cells].reshape(stop - first, size)).ravel()
        return result

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total variation between two strategies at every infoset."""
        difference = np.abs(a - b)
        found = []
        for node in self.decisions:
            first, stop = self.game.nodes.first_edge[node : node + 2]
            start, size = self.block[first], int(self.game.block_sizes[first])
            found.append(difference[start : start + (stop - first) * size].reshape(-1, size).sum(axis=0) / 2)
        return np.concatenate(found)

    def owners(self) -> NDArray[np.int8]:
        """The player of every cell, int8[cells]."""
        game = self.game
        return np.repeat(game.nodes.player[game.edge_node], game.block_sizes).astype(np.int8)

    def _place(self, infoset: int) -> tuple[int, int, int]:
        """Node, board and slot."""
        which = int(np.searchsorted(self.first, infoset, side="right")) - 1
        node = int(self.decisions[which])
        board, slot = divmod(
            infoset - int(self.first[which]), self.game.rounds[self.game.nodes.round[node]].slots
        )
        return node, board, slot

    @cached_property
    def _possible(self) -> list[NDArray[np.bool_]]:
        """Per round, bool[players, boards, slots]: whether a player can hold the hand."""
        return [self.game.possible(level) for level in range(len(self.game.rounds))]

    @cached_property
    def _node_of_history(self) -> dict[str, int]:
        return {self.game.betting[node].history: node for node in self.decisions.tolist()}

    @cached_property
    def _hand_of_label(self) -> dict[str, Hand]:
        return {label: hand for hand, label in self.game.rules.hand_labels.items()}

    @cached_property
    def _board_of_label(self) -> dict[str, tuple[int, int, Mapping[Hand, Hand] | None]]:
        """Round, number, and the new names of hands, if they have others, for the label of every board."""
        rules = self.game.rules
        found: dict[str, tuple[int, int, Mapping[Hand, Hand] | None]] = {}
        for level, here in enumerate(self.game.rounds):
            for number, board in enumerate(here.boards):
                found[rules.board_label(board)] = (level, number, None)
        if self.game.isomorphism:
            for number, board in enumerate(self.game.rounds[-1].boards):
                for on_hands, on_boards in rules.symmetries():
                    # A symmetry that takes some board to the representative takes its hands along.
                    inverse = {on_hands(hand): hand for hand in self.game.hands}
                    found.setdefault(rules.board_label(on_boards(board)), (1, number, inverse))
        return found
