"""A public game as pruning by block reads it: what lies behind an action, before a node, and what it can pay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public import DECISION, FOLDED, MATRIX, RANKED, PublicGame
from solvent.passes.public_pass import MOST_ROUNDS, padded
from solvent.solvers.pruned.public.kernels import Chances
from solvent.solvers.pruned.public.response_kernels import Behind

Blocks = NDArray[np.int64]


class Order(NamedTuple):
    """All nodes depth first, later rounds behind their deals: what lies behind a node is a slice."""

    place: NDArray[np.int64]
    """int64[nodes, 2]: that slice."""
    blocks: tuple[tuple[Blocks, NDArray[np.int64]], tuple[Blocks, NDArray[np.int64]]]
    """By player: that player's blocks in this order, and how many of them come before each place."""


class BlockLayout:
    """What does not change while a public game is solved by block. `stake` is that of `public_kernels.Tree`."""

    def __init__(self, game: PublicGame, stake: NDArray[np.float64], dtype: np.dtype[Any]) -> None:
        self.game = game
        self.parent = _parents(game)
        """The node before each node, and the edge that leads here, -1 behind a deal: int64[nodes, 2]."""
        self.order = _order(game, self.parent)
        self.behind = _behind(game, self.parent)
        self.highest = _highest(game, stake, self.parent)
        """The most that the player of each edge can win behind it, times the chance of deal and board."""
        self.chances = _chances(game, dtype)
        self.possible = padded([game.possible(level) for level in range(len(game.rounds))], MOST_ROUNDS)
        """By round: whether each player can hold the hand of each slot, bool[players, boards, slots]."""
        self.node_sizes = _node_sizes(game)
        """Infosets of each node, on all boards; 0 where nobody acts."""
        self.owner: NDArray[np.int8] = game.nodes.player[game.edge_node]
        """The player of each edge."""

    def edges(self, node: int) -> range:
        first = self.game.nodes.first_edge
        return range(first[node], first[node + 1])

    def shape(self, node: int) -> tuple[int, int]:
        """Boards and slots of a node's round."""
        here = self.game.rounds[self.game.nodes.round[node]]
        return len(here.boards), here.slots

    def blocks_behind(self, edge: int, player: int) -> Blocks:
        """A player's blocks behind a block, each after those before it."""
        first, last = self.order.place[self.game.nodes.child[edge]]
        edges, starts = self.order.blocks[player]
        return edges[starts[first] : starts[last]]

    def own_behind(self, edge: int) -> Blocks:
        """The blocks of a block's own player behind it."""
        return self.blocks_behind(edge, int(self.owner[edge]))

    def last_before(self, node: int, player: int) -> int:
        """A player's last action before a node, -1 for none."""
        return int(self.behind.last_edge[1 - player, node])

    def blocks_before(self, node: int, player: int) -> list[int]:
        """All of a player's actions on the way to a node, in order."""
        found = []
        edge = self.last_before(node, player)
        while edge >= 0:
            found.append(edge)
            edge = self.last_before(int(self.game.edge_node[edge]), player)
        return found[::-1]


def _order(game: PublicGame, parent: NDArray[np.int64]) -> Order:
    nodes = game.nodes
    size = len(nodes.symbol)
    count = np.ones(size, dtype=np.int64)
    for node in range(size - 1, 0, -1):
        count[parent[node, 0]] += count[node]
    first = np.zeros(size, dtype=np.int64)
    taken = np.ones(size, dtype=np.int64)
    for node in range(1, size):
        up = parent[node, 0]
        first[node] = first[up] + taken[up]
        taken[up] += count[node]
    sequence = np.argsort(first)
    actions = np.diff(nodes.first_edge)
    blocks = []
    for player in (0, 1):
        mine = np.where((nodes.symbol == DECISION) & (nodes.player == player), actions, 0)[sequence]
        starts = np.concatenate([[0], np.cumsum(mine)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], mine)
        blocks.append((np.repeat(nodes.first_edge[:-1][sequence], mine) + within, starts))
    return Order(np.stack([first, first + count], axis=1), (blocks[0], blocks[1]))


def _parents(game: PublicGame) -> NDArray[np.int64]:
    """The node before each node, and the edge that leads here, -1 behind a deal: int64[nodes, 2]."""
    nodes = game.nodes
    parent = np.full((len(nodes.symbol), 2), -1, dtype=np.int64)
    parent[nodes.child, 0] = game.edge_node
    parent[nodes.child, 1] = np.arange(len(nodes.child))
    for here in game.rounds[1:]:
        for subtree in here.subtrees:
            parent[subtree.start] = subtree.deal, -1
    return parent


def _behind(game: PublicGame, parent: NDArray[np.int64]) -> Behind:
    nodes = game.nodes
    size = len(nodes.symbol)
    stop = np.arange(1, size + 1, dtype=np.int64)
    last = np.full((2, size), -1, dtype=np.int64)
    for node in range(1, size):
        up, edge = parent[node]
        last[:, node] = last[:, up]
        if edge >= 0:
            last[1 - nodes.player[up], node] = edge
    for node in range(size - 1, 0, -1):
        up, edge = parent[node]
        if edge >= 0:
            stop[up] = max(stop[up], stop[node])
    return Behind(stop, last, nodes.round.astype(np.int64), game.edge_node.astype(np.int64))


def _highest(game: PublicGame, stake: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most that the player of each edge can win behind it, times the chance of deal and board of its round.

    A showdown can be won; everything else pays what it pays.
    """
    nodes = game.nodes
    chance = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    top = np.full((2, len(nodes.symbol)), -np.inf)
    ends = nodes.symbol >= 0
    least = _least_signs(game)[nodes.symbol[ends]]
    for player in (0, 1):
        won = stake[player, ends] / chance[nodes.round[ends]]
        top[player, ends] = np.select([least < 0, least == 0], [np.abs(won), np.maximum(won, 0)], won)
    for node in range(len(nodes.symbol) - 1, 0, -1):
        up = parent[node, 0]
        top[:, up] = np.maximum(top[:, up], top[:, node])
    owner = nodes.player[game.edge_node]
    return np.asarray(top[owner, nodes.child] * chance[nodes.round[game.edge_node]])


def _least_signs(game: PublicGame) -> NDArray[np.int64]:
    """The least sign that each symbol can have: 1 where it always pays its stake, 0 where it may pay nothing."""
    symbols = max(int(game.nodes.symbol.max()), RANKED) + 1
    least = np.full(symbols, -1)
    least[FOLDED] = 1
    for symbol in range(MATRIX, symbols):
        level = int(game.nodes.round[np.flatnonzero(game.nodes.symbol == symbol)[0]])
        chances = game.chances(level)
        used = game.matrix[game.matrix_of[symbol, : len(chances)]]
        least[symbol] = np.sign(used[chances > 0]).min(initial=1)
    return least


def _chances(game: PublicGame, dtype: np.dtype[Any]) -> Chances:
    if game.sorted_hands:
        return Chances(np.zeros((2, 0, 1, 1), dtype=dtype), np.zeros(len(game.rounds), dtype=np.int64))
    found = [matrix for level in range(len(game.rounds)) for matrix in game.chances(level)]
    first = np.cumsum([0] + [len(here.boards) for here in game.rounds[:-1]])
    matrix = np.array(found)
    both = np.stack([matrix.transpose(0, 2, 1), matrix])
    return Chances(np.ascontiguousarray(both, dtype=dtype), first.astype(np.int64))


def _node_sizes(game: PublicGame) -> NDArray[np.int64]:
    """Infosets of each node, on all boards; 0 where nobody acts."""
    per_round = np.array([len(here.boards) * here.slots for here in game.rounds], dtype=np.int64)
    return np.where(game.nodes.symbol == DECISION, per_round[game.nodes.round], 0)
