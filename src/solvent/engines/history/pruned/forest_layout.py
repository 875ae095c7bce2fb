"""A compiled game as pruning reads it: infosets and cells in the order of each player's own moves.

All that a player can come to behind one of their actions is then one slice: of their infosets, of their cells, and
of the terminals that those lead to. The cells of player 0 come first, then those of player 1, then the edges
of chance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.flattened import depths_of_rows
from solvent.forms.history import GameTree
from solvent.forms.sequence import sequence_form
from solvent.foundation.kernels.compiling import compiled, kernel
from solvent.games.game import TERMINAL

Array = Any
Cells = NDArray[np.int64]


class Nodes(NamedTuple):
    """The histories: nodes where somebody acts, and the node or terminal behind each of their actions.

    Kept small, as a walk over a large game waits for little else than these arrays.
    """

    node: Array
    """int32[nodes, 3], depth first: the first branch, `4 x actions + who acts` (0, 1, or 2 for chance), and the
    first cell. The next branches have the next cells. Each of chance's branches has a cell of its own here; these
    come after the players' cells."""
    leads: Array
    """int32[branches]: the node a branch leads to, or -1 - k for a terminal of kind k."""
    pays: Array
    """float64[players, kinds]: the payoffs of the terminals of each kind."""


class Forest(NamedTuple):
    """One player's infosets. Infoset k has the cells `first[k] : first[k + 1]`."""

    base: int
    """The number of the player's first infoset among those of both players."""
    first: Array
    """int32[infosets + 1]"""
    before: Array
    """int32[infosets]: the cell by which the player's own moves led here, -1 at the start."""
    behind: Array
    """int32[cells, 2]: D(I, a), the player's infosets behind a cell, as a slice of the infosets."""
    infoset: Array
    """int32[cells]: the infoset of each of the player's cells."""


class Payments(NamedTuple):
    """Payoffs of the terminals right behind each of a player's cells, by the other player's last cell.

    Right behind means that the player does not move again. Entry k of cell c, `first[c] <= k < first[c + 1]`, pays
    `pays[k]`, chance's probability included, for each unit of the other player's reach of cell `other[k]`.
    """

    first: Array
    other: Array
    pays: Array
    root_first: Array
    """First entry of each cell among the histories to which cells lead, and one past the last."""
    root_other: Array
    root_chance: Array
    histories: Array
    """int64[cells]: the number of histories behind each cell."""
    most: Array
    """float64[cells]: U(I, a), the most that is paid behind a cell."""


class ForestLayout(NamedTuple):
    """A compiled game in the order of each player's own moves."""

    nodes: Nodes
    chance: NDArray[np.float64]
    """The probabilities of chance's branches, in the order of the nodes."""
    depth: int
    forests: tuple[Forest, Forest]
    payments: tuple[Payments, Payments]
    cell_of: Cells
    """The tree's number of each cell."""
    infoset_of: Cells
    """The tree's number of each infoset."""


def lay_out_forests(tree: GameTree) -> ForestLayout:
    """Put the infosets and cells of a game with perfect recall in the order of each player's own moves."""
    orders = [_order(tree, player) for player in (0, 1)]
    infoset_of = np.concatenate([order for order, _ in orders])
    sizes = np.diff(tree.infoset_cell)[infoset_of]
    first = np.concatenate([[0], np.cumsum(sizes)])
    cell_of = np.repeat(tree.infoset_cell[infoset_of] - first[:-1], sizes) + np.arange(tree.cells)
    number = np.empty(tree.cells + len(tree.chance), dtype=np.int32)
    number[cell_of] = np.arange(tree.cells)
    number[tree.cells :] = np.arange(tree.cells, len(number))
    place = np.stack([tree.parent, number[tree.cell], tree.end], axis=1)
    chance = np.ones(len(number))
    chance[tree.cells :] = tree.chance
    reach, last = np.ones(tree.histories), np.full((2, tree.histories), tree.cells, dtype=np.int32)
    owner = np.concatenate([tree.cell_player[cell_of], np.full(len(tree.chance), -1, dtype=np.int8)])
    _trace(place, chance, owner, reach, last)
    highest = _most_paid(place, tree.payoff, tree.player == TERMINAL)
    nodes, dealt, depth = _nodes(tree, place, owner)
    infoset = np.repeat(np.arange(tree.infosets, dtype=np.int32), sizes)
    most = np.full(tree.cells, -np.inf)
    for player in (0, 1):
        rows = 1 + np.flatnonzero(owner[place[1:, 1]] == player)
        np.maximum.at(most, place[rows, 1], highest[player, rows])
    forests, payments = [], []
    base = 0
    for player, (order, before) in enumerate(orders):
        bounds = first[base : base + len(order) + 1]
        before_cell = np.where(before >= 0, number[before], -1)
        behind = _behind(bounds[:-1], bounds[1:], before_cell, tree.cells)
        forests.append(Forest(base, bounds.astype(np.int32), before_cell, behind, infoset - base))
        payments.append(_payments(tree, player, number, place, reach, last, owner, most))
        base += len(order)
    both, paid = (forests[0], forests[1]), (payments[0], payments[1])
    return ForestLayout(nodes, chance[dealt], depth, both, paid, cell_of, infoset_of)


def _order(tree: GameTree, player: int) -> tuple[Cells, Cells]:
    """A player's infosets depth first along that player's moves, and the tree's cell that leads to each, or -1."""
    sequences = sequence_form(tree).sequences[player]
    mine = np.flatnonzero(tree.infoset_player == player)
    before = sequences.cell[sequences.before]
    next_to: dict[int, list[int]] = {}
    for k, cell in enumerate(before.tolist()):
        next_to.setdefault(cell, []).append(k)
    order: list[int] = []
    waiting = next_to.get(-1, [])[::-1]
    while waiting:
        k = waiting.pop()
        order.append(k)
        infoset = mine[k]
        for cell in range(int(tree.infoset_cell[infoset + 1]) - 1, int(tree.infoset_cell[infoset]) - 1, -1):
            waiting.extend(reversed(next_to.get(cell, ())))
    return mine[order], before[order].astype(np.int64)


@compiled
def _behind(start, stop, before, cells):  # type: ignore[no-untyped-def]
    behind = np.zeros((cells, 2), dtype=np.int32)
    for k in range(len(before) - 1, -1, -1):
        last = k + 1
        for cell in range(start[k], stop[k]):
            last = max(last, behind[cell, 1])
        cell = before[k]
        if cell >= 0:
            behind[cell, 0] = k
            behind[cell, 1] = max(last, behind[cell, 1])
    return behind


@kernel
def _trace(place, chance, owner, reach, last):  # type: ignore[no-untyped-def]
    """Chance's reach of each history, and each player's last cell on the way there."""
    for row in range(1, len(place)):
        up, edge = place[row, 0], place[row, 1]
        reach[row] = reach[up] * chance[edge]
        for player in range(2):
            last[player, row] = edge if owner[edge] == player else last[player, up]


@compiled
def _most_paid(place, payoff, terminal):  # type: ignore[no-untyped-def]
    """The largest payoff behind each history, for both players."""
    found = np.full(payoff.shape, -np.inf)
    for row in range(len(place) - 1, -1, -1):
        for player in range(2):
            if terminal[row]:
                found[player, row] = payoff[player, row]
            if row > 0:
                up = place[row, 0]
                found[player, up] = max(found[player, up], found[player, row])
    return found


def _nodes(
    tree: GameTree, place: NDArray[np.int32], owner: NDArray[np.int8]
) -> tuple[Nodes, NDArray[np.int32], int]:
    """The nodes depth first with their branches one after another, chance's edges in that order, and the depth."""
    acts = np.flatnonzero(tree.player != TERMINAL)
    number = np.full(tree.histories, -1, dtype=np.int32)
    number[acts] = np.arange(len(acts))
    order = 1 + np.argsort(place[1:, 0], kind="stable")
    first = np.searchsorted(place[order, 0], acts)
    count = np.diff(np.append(first, len(order)))
    edge = place[order, 1]
    deals = owner[edge] < 0
    who = np.where(deals, 2, owner[edge])[first]
    cell = np.where(deals, tree.cells + np.cumsum(deals) - 1, edge)[first]
    node = np.stack([first, 4 * count + who, cell], axis=1).astype(np.int32)
    pays, kind = np.unique(tree.payoff[:, order], axis=1, return_inverse=True)
    leads = np.where(number[order] >= 0, number[order], -1 - kind.reshape(-1)).astype(np.int32)
    return Nodes(node, leads, pays), edge[deals], int(depths_of_rows(tree).max()) + 1


def _payments(
    tree: GameTree,
    player: int,
    number: NDArray[np.int32],
    place: NDArray[np.int32],
    reach: NDArray[np.float64],
    last: NDArray[np.int32],
    owner: NDArray[np.int8],
    most: NDArray[np.float64],
) -> Payments:
    form = sequence_form(tree)
    mine, others = form.sequences[player], form.sequences[1 - player]
    own = mine.cell[form.pair[player]]
    other = others.cell[form.pair[1 - player]]
    own, other = (np.where(side >= 0, number[side], tree.cells) for side in (own, other))
    order = np.argsort(own, kind="stable")
    order = order[own[order] < tree.cells]
    first = np.searchsorted(own[order], np.arange(tree.cells + 1))
    roots = np.flatnonzero(owner[place[:, 1]] == player)
    roots = roots[roots > 0]
    roots = roots[np.argsort(place[roots, 1], kind="stable")]
    root_first = np.searchsorted(place[roots, 1], np.arange(tree.cells + 1))
    histories = np.bincount(place[roots, 1], (tree.end[roots] - roots), tree.cells).astype(np.int64)
    return Payments(
        first.astype(np.int32),
        other[order].astype(np.int32),
        form.pays[player][order],
        root_first.astype(np.int32),
        last[1 - player, roots],
        reach[roots],
        histories,
        most,
    )
