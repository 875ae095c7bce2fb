"""A public game as the pruned walks read it: the betting tree, the boards, and which blocks lie where.

Nodes of a subtree come parents before children, so that what lies behind a node is a slice of nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.public.kernels import Boards, Tree
from solvent.engines.public.public_pass import PublicPass
from solvent.forms.public.game import FOLDED, MATRIX, RANKED, PublicGame

Array = Any


class PrunedLayout(NamedTuple):
    """A public game as the walks read it; nothing of it changes while the game is solved."""

    tree: Tree
    """Without groups of terminals, and boards without parents: kernels take every array of a tuple as seven
    numbers, which makes calls slow."""
    top: Boards
    """The first round's."""
    last: Boards
    """The last round's; in a game of one round the first round's again."""
    stop: Array
    """int32[nodes]: one past the last node of the branch, inside its subtree."""
    below: Array
    """int32[nodes]: the subtree of the last round behind a deal node, else -1."""
    edge_block: Array
    """int64[edges, 2]: an edge's block on the first board, and the step to its block on the next (`block_of`). A
    subtree's blocks on one board lie side by side, as a walk reads them."""
    edge_node: Array
    """int32[edges]"""
    node_block: Array
    """int64[nodes, 2]: likewise for decision nodes, among the blocks of nodes."""
    block_node: Array
    """int32[blocks of nodes]: the node of a block."""
    last_edge: Array
    """int32[2, nodes]: the other player's last action before a node, -1 for none, by traverser."""
    level: Array
    """int8[nodes]: the round of a node."""
    most: Array
    """float64[edges]: U(I, a), the most that the player of an edge can win behind it; where hands are sorted, times
    the chance of deal and board."""
    chances: Array
    """float64[2, boards of all rounds, hands, hands]: the probabilities of pairs of hands, the other's hands in
    rows; empty where hands are sorted."""


def lay_out(
    game: PublicGame, dtype: np.dtype[Any]
) -> tuple[PrunedLayout, NDArray[np.int32], NDArray[np.int32]]:
    """Lay a public game out for the walks; also the hands of each edge's and of each node's block."""
    made = PublicPass(game, dtype)
    nodes = game.nodes
    size = len(nodes.symbol)
    parent, via, below = _parents(game)
    stop = np.arange(1, size + 1, dtype=np.int32)
    for node in range(size - 1, 0, -1):
        if via[node] >= 0:
            stop[parent[node]] = max(stop[parent[node]], stop[node])
    actions = np.diff(nodes.first_edge)
    edge_block, edge_slots, _ = _blocks(game, actions)
    place, node_slots, decision = _blocks(game, np.minimum(actions, 1))
    acts = np.flatnonzero(actions).astype(np.int32)
    node_block = np.zeros((size, 2), dtype=np.int64)
    node_block[acts] = place
    rounds = [here._replace(parent=()) for here in made.rounds]
    layout = PrunedLayout(
        tree=made.tree._replace(groups=()),
        top=rounds[0],
        last=rounds[len(game.rounds) - 1],
        stop=stop,
        below=below,
        edge_block=edge_block,
        edge_node=game.edge_node,
        node_block=node_block,
        block_node=acts[decision],
        last_edge=_last_edges(game, parent, via),
        level=nodes.round,
        most=_most_won(game, made.tree.stake, parent),
        chances=_chances(game),
    )
    return layout, edge_slots, node_slots


def _blocks(
    game: PublicGame, counts: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Number `counts[n]` blocks for each node on each board, subtree by subtree, board by board.

    Returns the first block of each edge or node and the step to the next board's, then the hands and the owner of
    every block.
    """
    first = np.cumsum(counts) - counts
    total = int(counts.sum())
    place = np.zeros((total, 2), dtype=np.int64)
    slots: list[NDArray[np.int32]] = []
    owner: list[NDArray[np.int32]] = []
    begin = 0
    for here in game.rounds:
        for subtree in here.subtrees:
            low = int(first[subtree.start])
            high = int(first[subtree.stop]) if subtree.stop < len(first) else total
            width = high - low
            place[low:high, 0] = begin + np.arange(width)
            place[low:high, 1] = width
            begin += width * len(here.boards)
            slots.append(np.full(width * len(here.boards), here.slots, dtype=np.int32))
            owner.append(np.tile(np.arange(low, high, dtype=np.int32), len(here.boards)))
    return place, np.concatenate(slots), np.concatenate(owner)


def _parents(game: PublicGame) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Find the node before each node, the edge to it (-1 behind deals), and the subtree behind a deal."""
    nodes = game.nodes
    size = len(nodes.symbol)
    parent, via, below = (np.full(size, -1, dtype=np.int32) for _ in range(3))
    parent[nodes.child] = game.edge_node
    via[nodes.child] = np.arange(len(nodes.child))
    for here in game.rounds[1:]:
        for number, subtree in enumerate(here.subtrees):
            parent[subtree.start] = subtree.deal
            below[subtree.deal] = number
    return parent, via, below


def _last_edges(game: PublicGame, parent: NDArray[np.int32], via: NDArray[np.int32]) -> NDArray[np.int32]:
    last = np.full((2, len(parent)), -1, dtype=np.int32)
    for node in range(1, len(parent)):
        last[:, node] = last[:, parent[node]]
        if via[node] >= 0:
            last[1 - game.nodes.player[parent[node]], node] = via[node]
    return last


def _chances(game: PublicGame) -> NDArray[np.float64]:
    if game.sorted_hands:
        return np.zeros((2, 0, 1, 1))
    matrix = np.concatenate([game.chances(level) for level in range(len(game.rounds))])
    return np.ascontiguousarray(np.stack([matrix.transpose(0, 2, 1), matrix]))


def _most_won(game: PublicGame, stake: NDArray[np.float64], parent: NDArray[np.int32]) -> NDArray[np.float64]:
    """U(I, a) by edge; where hands are sorted, times the chance of deal and board.

    A showdown can be won; everything else pays what it pays.
    """
    nodes = game.nodes
    scale = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    top = np.full((2, len(nodes.symbol)), -np.inf)
    ends = nodes.symbol >= 0
    least = _least_signs(game)[nodes.symbol[ends]]
    for player in (0, 1):
        won = stake[player, ends] / scale[nodes.round[ends]]
        top[player, ends] = np.select([least < 0, least == 0], [np.abs(won), np.maximum(won, 0)], won)
    for node in range(len(nodes.symbol) - 1, 0, -1):
        top[:, parent[node]] = np.maximum(top[:, parent[node]], top[:, node])
    owner = nodes.player[game.edge_node]
    return np.asarray(top[owner, nodes.child] * scale[nodes.round[game.edge_node]])


def _least_signs(game: PublicGame) -> NDArray[np.int64]:
    """Find the least sign of each symbol: 1 where it always pays its stake, 0 where it may pay nothing."""
    symbols = max(int(game.nodes.symbol.max()), RANKED) + 1
    least = np.full(symbols, -1)
    least[FOLDED] = 1
    for symbol in range(MATRIX, symbols):
        level = int(game.nodes.round[np.flatnonzero(game.nodes.symbol == symbol)[0]])
        chances = game.chances(level)
        used = game.matrix[game.matrix_of[symbol, : len(chances)]]
        least[symbol] = np.sign(used[chances > 0]).min(initial=1)
    return least
