"""The serial and branched plans on a public game: its histories are walked, not stored.

Memory is that of the tables and of the depth. Branched gives each thread some of the traverser's hands; what
they find belongs to different infosets, so nothing is added up and the number of threads changes nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.public.kernels import Tables
from solvent.engines.public.walk_kernels import Learned, Walk, match_hands, update_hands, walk_deals
from solvent.engines.schedule import PREDICTION
from solvent.forms.public.game import DECISION, MATRIX, RANKED, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces

CHUNKS_PER_THREAD = 4


class HistoryWalk:
    """Iterations on a public game, one scalar history at a time."""

    def __init__(self, game: PublicGame, threads: int = 1) -> None:
        if len(game.rounds) > 2:
            raise InputError(
                f"{game.name} has {len(game.rounds)} rounds; its histories can be walked up to two"
            )
        if game.isomorphism:
            raise InputError("the serial and branched plans walk every board; they need isomorphism off")
        self.game, self.threads = game, threads
        self.walk, self.cells = _walk(game)
        self.histories = 0
        """Histories visited so far by both players' passes."""

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        if len(schedule) == 0:
            return
        if (tables.offset < 0).any():
            raise InputError("the serial and branched plans need every block; some have been freed")
        kept = (tables.regret, tables.average, tables.last, tables.value)
        learned = Learned(*map(self._gather, kept))
        sigma, value = np.zeros(self.cells), np.zeros(self.cells)
        match_hands(self.walk, schedule[0, PREDICTION], learned, sigma)
        for weights in schedule:
            if not alternating:
                # A position is one player's: both find room in one table of values.
                self._walk(0, sigma, value)
                self._walk(1, sigma, value)
            for player in (0, 1):
                if alternating:
                    self._walk(player, sigma, value)
                update_hands(self.walk, player, weights, learned, sigma, value)
        for table, walked in zip(kept, learned, strict=True):
            self._scatter(table, walked)

    def _walk(self, player: int, sigma: NDArray[np.float64], value: NDArray[np.float64]) -> None:
        hands = len(self.game.hands)
        if self.threads == 1:
            self.histories += 1 + walk_deals(self.walk, player, sigma, value, 0, hands)
            return
        cuts = np.linspace(0, hands, self.threads * CHUNKS_PER_THREAD + 1).astype(int)
        seen = in_pieces(
            lambda cut, _, room: walk_deals(self.walk, player, sigma, value, cuts[cut], cuts[cut + 1]),
            len(cuts) - 1,
            1,
            [None] * self.threads,
        )
        self.histories += 1 + sum(seen)

    # Between blocks, [board][slot], and positions, [hand][board][edge]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Where each number of the blocks, all present and in order, lies among the positions."""
        game, walk = self.game, self.walk
        found = []
        for edge, node in enumerate(game.edge_node):
            here = game.rounds[game.nodes.round[node]]
            s = int(np.searchsorted(walk.subtree[:, 0], node, side="right")) - 1
            start, _, edges, first = walk.subtree[s]
            boards = np.arange(len(here.boards))[:, None]
            position = here.hand.astype(np.int64) * len(here.boards) + boards
            found.append((first + position * edges + edge - game.nodes.first_edge[start]).ravel())
        return np.concatenate(found)

    def _gather(self, table: NDArray[Any]) -> NDArray[Any]:
        """A table by position, in its own number type: how a run is cut into calls must round nothing."""
        walked = np.zeros(self.cells if len(table) else 0, dtype=table.dtype)
        if len(table):
            walked[self.places] = table
        return walked

    def _scatter(self, table: NDArray[Any], walked: NDArray[Any]) -> None:
        if len(table):
            table[:] = walked[self.places]


def _walk(game: PublicGame) -> tuple[Walk, int]:
    """The game as the walk reads it, and how many cells its positions have."""
    nodes = game.nodes
    size = len(nodes.symbol)
    parent, edge = np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    first_edge = np.zeros((size, 2), dtype=np.int64)
    behind = np.full(size, -1, dtype=np.int64)
    subtree, cells = [], 0
    everything = [(level, s) for level, here in enumerate(game.rounds) for s in here.subtrees]
    for number, (level, s) in enumerate(everything):
        begin, end = int(nodes.first_edge[s.start]), int(nodes.first_edge[s.stop])
        for node in np.flatnonzero(nodes.symbol[s.start : s.stop] == DECISION) + s.start:
            first, last = nodes.first_edge[node], nodes.first_edge[node + 1]
            first_edge[node] = first - begin, last - begin
            for k in range(first, last):
                parent[nodes.child[k]], edge[nodes.child[k]] = node, k - begin
        if s.deal >= 0:
            behind[s.deal] = number
        subtree.append((s.start, s.stop, end - begin, cells))
        cells += (end - begin) * len(game.hands) * len(game.rounds[level].boards)
    last_round = game.rounds[-1]
    slot = np.full((len(last_round.boards), len(game.hands)), -1, dtype=np.int32)
    np.put_along_axis(slot, last_round.hand, np.arange(last_round.slots, dtype=np.int32)[None], axis=1)
    scale = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    stake = nodes.stake * scale[nodes.round]
    return Walk(
        symbol=nodes.symbol,
        player=nodes.player,
        parent=parent,
        edge=edge,
        first_edge=first_edge,
        stake=np.stack([stake, np.where(nodes.symbol == RANKED, stake, -stake)]),
        subtree=np.array(subtree, dtype=np.int64),
        behind=behind,
        slot=slot,
        tie=last_round.tie,
        matrix=game.matrix,
        matrix_of=game.matrix_of,
        possible=_possible(game),
        weight=_pair_weights(game),
    ), cells


def _pair_weights(game: PublicGame) -> NDArray[np.float64]:
    """The product of the ranges for pairs of hands that can be dealt together, else 0."""
    if not game.sorted_hands:
        possible: NDArray[np.float64] = (np.abs(game.matrix).sum(axis=0) > 0).astype(np.float64)
        return possible
    cards = np.array([game.rules.hole_cards(hand) for hand in game.hands])
    shared = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    weights: NDArray[np.float64] = np.where(shared, 0.0, game.ranges[0][:, None] * game.ranges[1][None, :])
    return weights


def _possible(game: PublicGame) -> NDArray[np.bool_]:
    """Which boards can follow which pairs of hands, where the matrices know: bool[boards, hands, hands]."""
    if game.sorted_hands:
        return np.zeros((0, 0, 0), dtype=np.bool_)
    last = len(game.rounds) - 1
    ends = np.unique(game.nodes.symbol[(game.nodes.round == last) & (game.nodes.symbol >= MATRIX)])
    boards = range(len(game.rounds[last].boards))
    return np.array([(np.abs(game.matrix[game.matrix_of[ends, b]]).sum(axis=0) > 0) for b in boards])
