"""Views of a hold'em game's tables by decision, action and board, and arrays that are laid out like them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import LockTables
from solvent.forms.holdem.tree import DECISION, HoldemTree


def node_numbers(table: NDArray[Any], game: HoldemGame, node: int) -> NDArray[Any]:
    """A decision's numbers on all boards of its street, a view [boards, actions, slots]."""
    tree, street = game.tree, int(game.tree.street[node])
    first, actions = int(tree.first_edge[node]), len(tree.betting[node].actions)
    start, slots = int(game.edge_at[first]), int(game.edge_slots[first])
    boards = len(game.streets[street].boards)
    by_board = table[game.street_at[street] : game.street_at[street + 1]].reshape(boards, -1)
    return by_board[:, start : start + actions * slots].reshape(boards, actions, slots)


def edge_numbers(table: NDArray[Any], game: HoldemGame, edge: int) -> NDArray[Any]:
    """An action's numbers on all boards of its street, a view [boards, slots]."""
    node = int(game.tree.edge_node[edge])
    return node_numbers(table, game, node)[:, edge - int(game.tree.first_edge[node])]


def action_rows(table: NDArray[Any], game: HoldemGame, node: int) -> NDArray[Any]:
    """A decision's numbers by action, a copy [actions, boards, slots]."""
    return node_numbers(table, game, node).swapaxes(0, 1).copy()


def probabilities(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities of actions in proportion to weights, float64[actions, ...]; uniform where all are 0."""
    total = rows.sum(axis=0)
    return np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / len(rows))


def edge_to(tree: HoldemTree, node: int) -> int:
    """The action that leads to a node."""
    return int(np.flatnonzero(tree.child == node)[0])


def last_edge(tree: HoldemTree, node: int, player: int) -> int:
    """The last action of a player on the way to a node; -1 if there is none."""
    while (above := int(tree.parent[node])) >= 0:
        if tree.kind[above] == DECISION and tree.player[above] == player:
            return edge_to(tree, node)
        node = above
    return -1


def board_counts(game: HoldemGame, street: int) -> NDArray[np.float64]:
    """The number of boards that each board of a street stands for, float64[boards]."""
    found = np.ones(1)
    for later in game.streets[1 : street + 1]:
        found = found[later.boards.parent] * later.boards.multiplicity
    return found


def public_nodes(game: HoldemGame) -> int:
    """Public nodes x hands of both players: an iteration visits every node on every board."""
    return int(street_hands(game)[game.tree.street].sum())


def street_hands(game: HoldemGame) -> NDArray[np.int64]:
    """Hands of both players on all boards of each street, int64[streets]."""
    return np.array(
        [sum(int(side.count.sum(dtype=np.int64)) for side in street.sides) for street in game.streets]
    )


def range_weights(game: HoldemGame, street: int, player: int) -> NDArray[np.float64]:
    """A player's weights in the range, float64[boards, slots] of a street."""
    side = game.streets[street].sides[player]
    return np.where(side.hand >= 0, game.weights[player][side.hand], 0.0)


def dealt_on(game: HoldemGame, player: int, street: int, entry: NDArray[np.float64]) -> NDArray[np.float64]:
    """Carry a player's numbers by board and slot from the street before to `street`."""
    dealt, side = game.streets[street], game.streets[street].sides[player]
    below = np.take_along_axis(entry[dealt.boards.parent], side.parent_slot.astype(np.int64), axis=1)
    return np.where(side.hand >= 0, below, 0.0)


def locked_hands(game: HoldemGame, locks: LockTables, node: int) -> NDArray[np.bool_]:
    """The hands that are locked at a decision, bool[boards, slots]."""
    tree = game.tree
    side = game.streets[tree.street[node]].sides[tree.player[node]]
    first = int(locks.at[tree.first_edge[node]])
    if first < 0:
        return np.zeros(side.hand.shape, dtype=np.bool_)
    return np.asarray(locks.locked[first : first + side.hand.size].reshape(side.hand.shape))


def impose_locks(game: HoldemGame, locks: LockTables, *tables: NDArray[Any]) -> None:
    """Write the probabilities of locked hands into tables."""
    for edge in np.flatnonzero(locks.at >= 0).tolist():
        for table in tables:
            numbers = edge_numbers(table, game, edge)
            piece = slice(int(locks.at[edge]), int(locks.at[edge]) + numbers.size)
            held = locks.locked[piece].reshape(numbers.shape)
            numbers[held] = locks.probability[piece].reshape(numbers.shape)[held]
