"""The history form laid out for sampling: a step to any child is one look-up, an infoset's numbers one cache line.

A node's children have consecutive numbers, and families lie in depth-first order, so that a walk that picks a child
at random reads 16 bytes per node and finds the next ones close by.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled
from solvent.foundation.kernels.memory import new_table
from solvent.games.game import CHANCE, TERMINAL

LINE = 64
"""Bytes of a cache line."""
NODE = np.dtype(
    [("player", np.int32), ("actions", np.int32), ("first", np.int32), ("row", np.int32)], align=True
)
"""Who acts, how many children there are, the number of the first, and where more stands: the infoset's row of the
table, the chance node's lottery, or the line of the payoffs."""

BYTES_PER_HISTORY = 40
"""Bytes for each history, at most: its node and the arrays by which nodes are numbered."""


class SampledHistories(NamedTuple):
    """A game as the sampling kernels read it."""

    nodes: NDArray[Any]
    payoff: NDArray[np.float64]
    """float64[distinct ends, players]"""
    keep: NDArray[np.float64]
    """Walker's alias method: the probability with which column k of a lottery stands for outcome k."""
    other: NDArray[np.int32]
    """The column's other outcome. The lottery of a chance node is `keep[row : row + actions]`."""


class HistoryLayout(NamedTuple):
    """A laid out game and where the tables have each infoset-action."""

    tree: SampledHistories
    regret: NDArray[np.int64]
    """The place of each cell's regret in the table."""
    average: NDArray[np.int64]
    """The place of its average: in the same row, behind the regrets."""
    numbers: int
    """The size of the table, gaps included."""
    deepest: int
    """Decision nodes in a row, at most."""
    widest: int
    """Actions of an infoset, at most."""


def lay_out_histories(tree: GameTree, payoff: NDArray[np.float64], dtype: DTypeLike) -> HistoryLayout:
    """Lay a tree out, with payoffs of the caller's choice: float64[players, histories]."""
    width = np.diff(tree.infoset_cell)
    row, numbers = _place_rows(2 * width, LINE // np.dtype(dtype).itemsize)
    if numbers >= 1 << 31:
        raise InputError(
            f"{tree.name} has {tree.cells:,} infoset-actions, more than sampling's tables can hold"
        )
    number, first, actions, deepest = _number_nodes(tree.parent, tree.player)
    nodes = np.zeros(tree.histories, dtype=NODE)
    nodes["player"][number] = tree.player
    nodes["actions"][number] = actions
    nodes["first"][number] = first
    where = np.zeros(tree.histories, dtype=np.int32)
    acts = tree.infoset >= 0
    where[acts] = row[tree.infoset[acts]]
    ends = np.flatnonzero(tree.player == TERMINAL)
    pairs = np.ascontiguousarray(payoff[:, ends].T).view(np.complex128).ravel()
    distinct, where[ends] = np.unique(pairs, return_inverse=True)
    lotteries = np.flatnonzero(tree.player == CHANCE)
    where[lotteries], keep, other = _lotteries(tree, actions[lotteries])
    nodes["row"][number] = where
    regret = np.repeat(row - tree.infoset_cell[:-1], width) + np.arange(tree.cells)
    return HistoryLayout(
        SampledHistories(nodes, distinct.view(np.float64).reshape(-1, 2), keep, other),
        regret,
        regret + np.repeat(width, width),
        numbers,
        deepest,
        int(width.max(initial=1)),
    )


def aligned(numbers: int, dtype: DTypeLike) -> NDArray[Any]:
    """Zeros that begin with a cache line."""
    kind = np.dtype(dtype)
    room = new_table(numbers * kind.itemsize + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + numbers * kind.itemsize].view(kind)


@compiled
def _number_nodes(parent, player):  # type: ignore[no-untyped-def]
    """Numbers that put siblings side by side; of each history its number, its first child's, and its children."""
    histories = len(parent)
    actions = np.zeros(histories, dtype=np.int32)
    for row in range(1, histories):
        actions[parent[row]] += 1
    number = np.zeros(histories, dtype=np.int32)
    first = np.zeros(histories, dtype=np.int32)
    taken = np.zeros(histories, dtype=np.int32)
    decisions = np.zeros(histories, dtype=np.int32)
    deepest = 0
    free = 1
    for row in range(histories):
        if row > 0:
            above = parent[row]
            number[row] = first[above] + taken[above]
            taken[above] += 1
            decisions[row] = decisions[above]
        if player[row] >= 0:
            decisions[row] += 1
            deepest = max(deepest, decisions[row])
        if actions[row] > 0:
            first[row] = free
            free += actions[row]
    return number, first, actions, deepest


@compiled
def _place_rows(lengths, line):  # type: ignore[no-untyped-def]
    """Place rows so that none that fits a cache line lies across two; where each begins, and the numbers in all."""
    start = np.zeros(len(lengths), dtype=np.int64)
    free = 0
    for k in range(len(lengths)):
        if free % line + lengths[k] > line:
            free += -free % line
        start[k] = free
        free += lengths[k]
    return start, free


def _lotteries(
    tree: GameTree, actions: NDArray[np.int32]
) -> tuple[list[int], NDArray[np.float64], NDArray[np.int32]]:
    """The lottery of each chance history, by its number of actions, and the columns of the distinct ones."""
    known: dict[bytes, int] = {}
    columns: list[tuple[NDArray[np.float64], NDArray[np.int32]]] = []
    begin: list[int] = []
    free = 0
    children = 1 + np.flatnonzero(tree.player[tree.parent[1:]] == CHANCE)
    children = children[np.argsort(tree.parent[children], kind="stable")]
    for cells in np.split(tree.cell[children], np.cumsum(actions)[:-1]) if len(actions) else ():
        key = cells.tobytes()
        if key not in known:
            known[key] = free
            columns.append(alias_columns(tree.chance[cells - tree.cells]))
            free += len(cells)
        begin.append(known[key])
    if not columns:
        return begin, np.zeros(0), np.zeros(0, dtype=np.int32)
    return begin, np.concatenate([k for k, _ in columns]), np.concatenate([o for _, o in columns])


def alias_columns(probability: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Walker's table of a distribution: n columns of equal width, each shared by at most two outcomes.

    >>> keep, other = alias_columns(np.array([0.5, 0.25, 0.25]))
    >>> keep.tolist(), other.tolist()
    ([1.0, 0.75, 0.75], [0, 0, 0])
    """
    width = probability * len(probability)
    keep, other = np.ones(len(width)), np.arange(len(width), dtype=np.int32)
    short = [k for k in range(len(width)) if width[k] < 1]
    long = [k for k in range(len(width)) if width[k] >= 1]
    while short and long:
        filled, giver = short.pop(), long[-1]
        keep[filled], other[filled] = width[filled], giver
        width[giver] -= 1 - width[filled]
        if width[giver] < 1:
            short.append(long.pop())
    # The rest is 1 but for rounding; an impossible outcome must not come of that.
    never = probability == 0
    keep[never] = 0.0
    other[never] = np.where(never[other[never]], np.argmax(probability), other[never])
    return keep, other
