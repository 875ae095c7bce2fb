"""The sequence form of a public game whose terminals have matrices, straight from the public form.

A player's situation is a decision node with one hand on one board. Cells are places in the public form's
tables, all blocks present: a block's first place + board x slots + slot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public.game import DEAL, DECISION, MATRIX, PublicGame
from solvent.forms.sequence import SequenceForm, Sequences
from solvent.foundation.errors import InputError

Ints = NDArray[np.int64]

MOST_PAIRED = 20_000_000
"""Histories up to which their pairs of sequences are kept: a game of boards with more goes by vectors."""
MANY_NODES = 8000
"""Betting nodes of one round from which betting nodes side by side are quicker, and then much smaller."""


def few_histories(game: PublicGame) -> bool:
    """Return whether pairs of sequences are the quickest way through a public game."""
    if game.sorted_hands or game.isomorphism:
        return False
    if len(game.rounds) == 1 and len(game.nodes.symbol) >= MANY_NODES:
        return False
    return game.rules.histories() <= MOST_PAIRED


def public_sequence_form(game: PublicGame) -> SequenceForm:
    """Fold a public game into its sequences, without its histories."""
    if game.sorted_hands:
        raise InputError(f"{game.name} has too many hands to a board for a matrix at each terminal")
    if game.isomorphism:
        raise InputError("sequences need every board: isomorphism must be off")
    reached = tuple(_Sequences(game, player) for player in (0, 1))
    rows, columns, pays = [], [], []
    for node in np.flatnonzero(game.nodes.symbol >= MATRIX):
        for board in range(len(game.rounds[game.nodes.round[node]].boards)):
            matrix = game.matrix[game.matrix_of[game.nodes.symbol[node], board]]
            first, second = np.nonzero(matrix)
            rows.append(reached[0].last[node][board, first])
            columns.append(reached[1].last[node][board, second])
            pays.append(game.nodes.stake[node] * matrix[first, second])
    # A player who has not acted has one sequence for all hands: add up what pays the same pair.
    width = len(reached[1].sequences)
    key, where = np.unique(np.concatenate(rows) * width + np.concatenate(columns), return_inverse=True)
    won = np.bincount(where, np.concatenate(pays), len(key))
    pair = np.stack(np.divmod(key, width))
    return SequenceForm((reached[0].sequences, reached[1].sequences), pair, np.stack([won, -won]))


class _Sequences:
    """One player's sequences, followed from node to node."""

    def __init__(self, game: PublicGame, player: int) -> None:
        nodes = game.nodes
        start = np.cumsum(game.block_sizes) - game.block_sizes
        self.last: list[Ints] = [np.zeros((0, 0), dtype=np.int64)] * len(nodes.symbol)
        """The sequence by which each node is reached: int64[boards, slots]."""
        first, before, cell = [np.ones(1, dtype=np.int64)], [], [np.full(1, -1, dtype=np.int64)]
        count = 1
        behind = {s.deal: s.start for here in game.rounds for s in here.subtrees}
        for node, symbol in enumerate(nodes.symbol):
            here = game.rounds[nodes.round[node]]
            if node == 0:
                self.last[0] = np.zeros((len(here.boards), here.slots), dtype=np.int64)
            reach = self.last[node]
            if symbol == DEAL:
                below = game.rounds[nodes.round[node] + 1]
                self.last[behind[node]] = reach[below.parent[:, None], below.parent_slot]
            if symbol != DECISION:
                continue
            edges = np.arange(nodes.first_edge[node], nodes.first_edge[node + 1])
            if nodes.player[node] != player:
                for edge in edges:
                    self.last[nodes.child[edge]] = reach
                continue
            situations = np.arange(reach.size)
            offered = count + situations * len(edges)
            for k, edge in enumerate(edges):
                self.last[nodes.child[edge]] = (offered + k).reshape(reach.shape)
            first.append(offered + len(edges))
            before.append(reach.ravel())
            cell.append((start[edges][None, :] + situations[:, None]).ravel())
            count += reach.size * len(edges)
        situations_of = np.concatenate(before) if before else np.zeros(0, dtype=np.int64)
        self.sequences = Sequences(
            np.concatenate(first), situations_of, np.concatenate(cell), np.ones(len(situations_of)), True
        )
