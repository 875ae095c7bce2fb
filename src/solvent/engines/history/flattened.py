"""The flattened plan: breadth-first levels over the whole stored game tree, each a few array operations.

A pass of player i goes down the levels once and up once,

    reach(h a) = reach(h) x forward(a)                  all histories of a level at a time
    value(h)   = sum over a of backward(a) x value(h a)
    v_i(I, a)  = sum of value(h a) over the histories h of I

and the updates are array operations over all of a player's infoset-actions. The plan holds the tree a second
time, level by level, which takes `flattened_bytes`. The names follow `serial_kernels`, where
the same is compiled.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.sequence_plan import depths
from solvent.engines.history.serial_kernels import Play, Rows, Side, Tables
from solvent.engines.vectors.matching import update_arrays
from solvent.forms.history import GameTree
from solvent.forms.sequence import sequence_form

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]

BYTES_PER_HISTORY = 64
"""Parent, cell, two payoffs, and four numbers of the largest level at work, which may be nearly all."""
BYTES_PER_SEQUENCE = 160
"""A sequence's and its cell's indices, and a dozen numbers at work."""


class Level(NamedTuple):
    """The histories of one depth, in the order of their parents."""

    above: slice
    """The place of the level above among all histories, level by level."""
    span: slice
    """The place of this level."""
    parent: Ints
    """The parents' places in the level above."""
    cell: Ints
    """The cells of the edges that led here."""


class Infosets(NamedTuple):
    """One player's infoset-actions, infoset by infoset."""

    cell: Ints
    origin: Ints
    """The place of the infoset's first action."""
    infoset: Ints
    infosets: int
    """The number of infosets."""


class Sequences(NamedTuple):
    """One player's sequences by depth, the empty one first."""

    depths: list[slice]
    """The sequences of each depth."""
    before: Ints
    """The place of the sequence before each."""
    cell: Ints
    """The cell that each ends with; the empty one has cell 0, which is not asked."""
    histories: Floats
    """The number of histories of each, where the player forgets; 0 for the empty one."""


class Flattened:
    """One thread of array operations. It also takes players who forget."""

    name = "flattened"
    threads = 1

    def __init__(self, tree: GameTree, rows: Rows, sides: tuple[Side, Side]) -> None:
        depth = depths_of_rows(tree)
        order = np.argsort(depth, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(tree.histories)
        self.cell = rows.cell[order].astype(np.intp)
        self.payoff = rows.payoff[:, order]
        self.levels: list[Level] = []
        parent = place[rows.parent[order]]
        for above, span in pairwise(_spans(depth[order])):
            parent[span] -= above.start
            self.levels.append(Level(above, span, parent[span], self.cell[span]))
        self.infosets = tuple(_infosets(side) for side in sides)
        self.sequences = tuple(_sequences(side) for side in sides)

    def iterate(self, schedule: Floats, alternating: bool, tables: Tables, play: Play) -> None:
        for weights in schedule:
            self.walk(0, play)
            if not alternating:
                self.walk(1, play)
            self._update(0, weights, tables, play)
            if alternating:
                self.walk(1, play)
            self._update(1, weights, tables, play)

    def walk(self, player: int, play: Play) -> None:
        """Counterfactual values: down the levels and up again."""
        forward, backward = play.forward[player], play.backward[player]
        reach, value, cell_value = play.reach, play.value, play.cell_value[player]
        reach[0] = 1.0
        for above, span, parent, cell in self.levels:
            np.multiply(reach[above].take(parent), forward.take(cell), out=reach[span])
        np.multiply(reach, self.payoff[player], out=value)
        for above, span, parent, cell in reversed(self.levels):
            value[above] += _sum_by(parent, backward.take(cell) * value[span], above.stop - above.start)
        cell_value[:] = _sum_by(self.cell[1:], value[1:], len(cell_value))

    def _update(self, player: int, weights: Floats, tables: Tables, play: Play) -> None:
        """Everything that follows one player's walk: the average, the regrets, then the next strategy."""
        cell, origin, infoset, infosets = self.infosets[player]
        positive, negative, floor, average, prediction, _, after = weights
        strategy = play.backward[player].take(cell)

        # S(I, a) += weight x own reach x sigma(I, a)
        tables.average[cell] += average * self.played(player, play.backward[player]).take(cell)

        value = play.cell_value[player].take(cell)
        first = value.take(origin)
        value -= first
        gain = _sum_by(infoset, strategy * value, infosets).take(infoset)
        value -= gain
        if len(tables.value):
            head = np.flatnonzero(origin == np.arange(len(origin)))
            tables.value[cell.take(head)] += average * (first + gain).take(head)
        tables.regret[cell] = update_arrays(np, tables.regret.take(cell), value, (positive, negative), floor)

        expected = tables.regret.take(cell).astype(np.float64)
        if prediction != 0.0:
            tables.last[cell] = value
        if after != 0.0:
            expected += after * tables.last.take(cell)
        share = np.maximum(expected, 0.0)
        total = _sum_by(infoset, share, infosets)
        share = np.where((total > 0.0).take(infoset), share, 1.0)
        total = np.where(total > 0.0, total, np.bincount(infoset, minlength=infosets))
        strategy = share / total.take(infoset)
        play.backward[player, cell] = strategy
        play.forward[1 - player, cell] = strategy

    def played(self, player: int, strategy: Floats) -> Floats:
        """Own reach x sigma by cell, from the realisation plan, depth by depth."""
        depths, before, cell, histories = self.sequences[player]
        plan = np.ones(len(cell))
        for span in depths:
            np.multiply(plan.take(before[span]), strategy.take(cell[span]), out=plan[span])
        return _sum_by(cell, histories * plan, len(strategy))


def depths_of_rows(tree: GameTree) -> Ints:
    """The depth of each history: the rows before it, less the subtrees that are over."""
    return np.arange(tree.histories) - np.cumsum(np.bincount(tree.end))[:-1]


def flattened_bytes(tree: GameTree) -> int:
    """Bytes of the plan and its arrays at work, rounded up, the tree apart."""
    sequences = sum(map(len, sequence_form(tree).sequences))
    return BYTES_PER_HISTORY * tree.histories + BYTES_PER_SEQUENCE * sequences


def _sum_by(index: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values with each index. (Four times as fast as `add.reduceat` on sorted ones.)"""
    return np.bincount(index, values, size).astype(np.float64, copy=False)


def _spans(sorted_depth: NDArray[np.integer]) -> list[slice]:
    """The stretches of equal depth."""
    bounds = np.searchsorted(sorted_depth, np.arange(sorted_depth.max(initial=-1) + 2))
    return [slice(int(start), int(stop)) for start, stop in pairwise(bounds)]


def _infosets(side: Side) -> Infosets:
    actions = side.stop - side.start
    infoset = np.repeat(np.arange(len(actions)), actions)
    origin = (np.cumsum(actions) - actions)[infoset]
    cell = side.start[infoset] + np.arange(len(infoset)) - origin
    return Infosets(cell, origin, infoset, len(actions))


def _sequences(side: Side) -> Sequences:
    actions = np.diff(side.first)
    depth = np.append(0, np.repeat(1 + depths(side.first, side.before), actions))
    order = np.argsort(depth, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    before = np.append(0, place[np.repeat(side.before, actions)])[order]
    histories = np.append(0.0, np.repeat(side.histories, actions))[order]
    return Sequences(_spans(depth[order])[1:], before, np.maximum(side.sequence_cell, 0)[order], histories)
