"""The sequence plan: iterations on the sequence form, for players who forget nothing.

With perfect recall a player reaches an infoset by one sequence of own actions, so the histories fold into pairs
of sequences. One pass of player i is then

    v = A_i y                  the immediate payoff of each own sequence against the other's plan y
    v(I), R, sigma             one sweep up over the player's own infosets
    x(a) = x(before I) sigma   one sweep down, the plan that the other's next pass multiplies with

and the walk over histories is gone. All numbers equal the serial plan's up to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history import sequence_kernels as kernels
from solvent.engines.history.sequence_kernels import Groups, Half, Payoffs
from solvent.engines.history.serial_kernels import Play, Tables
from solvent.forms.sequence import SequenceForm, Sequences
from solvent.foundation.errors import InputError

LANES = 256
"""Most situations or matrices side by side: their scratch stays in the fastest cache."""
GATHERED = 2048
"""Numbers of the other's plan that a batch may hold at once, for the same reason."""
FEWEST_ALIKE = 8
"""Matrices of one shape from which they are worth a batch of their own."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Layout(NamedTuple):
    """The places of a player's sequences in the lanes."""

    groups: Groups
    position: Ints
    """New number of each sequence of the sequence form."""
    cell: Ints
    """The cell that each sequence but the empty one ends with, by new number."""


class SequencePlan:
    """One thread, all iterations inside one compiled call.

    A call works on copies of the tables, in an order of its own, and puts them back at its end: a call of many
    iterations costs less than many calls.
    """

    name = "sequence"
    threads = 1

    def __init__(self, form: SequenceForm, name: str) -> None:
        if not form.perfect_recall:
            raise InputError(
                f"the sequence plan needs players who forget nothing, but one of {name}'s does; "
                f"the serial plan takes it"
            )
        self.layouts = tuple(lay_out(sequences) for sequences in form.sequences)
        place = [layout.position[form.pair[player]] for player, layout in enumerate(self.layouts)]
        self.payoffs = tuple(
            batch_payoffs(place[player], place[1 - player], form.pays[player], len(form.sequences[player]))
            for player in (0, 1)
        )

    def iterate(self, schedule: Floats, alternating: bool, tables: Tables, play: Play | None) -> None:
        """Run one iteration for each row of `schedule`; without `play` the tables alone change."""
        if len(schedule) == 0:
            return
        groups = tuple(layout.groups for layout in self.layouts)
        halves = tuple(_take(layout.cell, tables) for layout in self.layouts)
        kernels.iterate(groups, self.payoffs, halves, schedule, alternating)
        for player, (layout, half) in enumerate(zip(self.layouts, halves, strict=True)):
            _put_back(layout.cell, half, tables)
            if play is not None:
                play.backward[player][layout.cell] = play.forward[1 - player][layout.cell] = half.strategy[1:]


def _take(cell: Ints, tables: Tables) -> Half:
    """One player's tables in the plan's order, after a place for the empty sequence."""

    def copy(table: NDArray[np.floating]) -> NDArray[np.floating]:
        if not len(table):
            return table
        mine = np.zeros(1 + len(cell), dtype=table.dtype)
        table.take(cell, out=mine[1:], mode="clip")  # all are inside, and it is the mode that needs no buffer
        return mine

    regret, average, last, value = map(copy, tables)
    strategy, plan = np.ones((2, 1 + len(cell)))
    return Half(regret, average, last, value, strategy, plan, np.zeros(1 + len(cell)), np.zeros((2, LANES)))


def _put_back(cell: Ints, half: Half, tables: Tables) -> None:
    for table, mine in zip(tables, half, strict=False):
        if len(table):
            table[cell] = mine[1:]


def lay_out(sequences: Sequences) -> Layout:
    """Sort a player's situations by depth and number of actions, and cut them into groups."""
    actions = np.diff(sequences.first)
    depth = depths(sequences.first, sequences.before)
    # Siblings, reached through one sequence, lie apart: adding to one number twice in a row has to wait.
    sibling = _rank(sequences.before * (1 + actions.max(initial=0)) + actions)
    order = np.lexsort((sibling, actions, depth))
    group = _runs(np.stack([depth, actions])[:, order], LANES)
    start = np.flatnonzero(np.diff(group, prepend=-1))
    width = np.diff(np.append(start, len(order)))
    group_actions = actions[order][start]
    first = 1 + np.cumsum(width * group_actions) - width * group_actions
    lane = np.arange(len(order)) - start[group]
    # By situation of the sequence form: its first sequence's new number, and the step to the next action's.
    base, step = np.empty_like(order), np.empty_like(order)
    base[order] = first[group] + lane
    step[order] = width[group]
    owner = np.repeat(np.arange(len(order)), actions)
    action = np.arange(1, len(sequences)) - sequences.first[owner]
    position = np.zeros(len(sequences), dtype=np.int64)
    position[1:] = base[owner] + action * step[owner]
    cell = np.empty_like(owner)
    cell[position[1:] - 1] = sequences.cell[1:]
    groups = Groups(
        group_actions,
        width.astype(np.uint64),
        first.astype(np.uint64),
        start.astype(np.uint64),
        position[sequences.before[order]].astype(np.uint32),
    )
    return Layout(groups, position, cell)


def depths(first: Ints, before: Ints) -> Ints:
    """The number of own situations that a player has passed before each; arguments as in `Sequences`."""
    offered_by = np.repeat(np.arange(len(before)), np.diff(first))
    up = np.append(-1, offered_by)[before]
    depth = np.zeros(len(before), dtype=np.int64)
    current = up
    while (passed := current >= 0).any():
        depth += passed
        current = np.where(passed, up[current], -1)
    return depth


def _runs(keys: Ints, longest: int | Ints) -> Ints:
    """Number the runs of equal columns, each cut into pieces of at most `longest`."""
    change = np.ones(keys.shape[1], dtype=bool)
    change[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    start = np.flatnonzero(change)
    change |= (np.arange(keys.shape[1]) - start[np.cumsum(change) - 1]) % longest == 0
    runs: Ints = np.cumsum(change) - 1
    return runs


def batch_payoffs(own: Ints, other: Ints, pays: Floats, sequences: int) -> Payoffs:
    """Cut a player's sparse pay-off matrix into dense ones, and put those of one shape side by side.

    Sequences that meet, directly or through others, form a component; in a card game these are the hands at
    one public end. Components that are nearly full and have many of the same shape become matrices, the rows of
    all others matrices of one row each.
    """
    paid = pays != 0
    own, other, pays = own[paid], other[paid], pays[paid]
    matrix_of_row = _matrices(own, other, sequences)
    matrix = matrix_of_row[own]
    # A matrix's columns in increasing order, each once.
    span = int(other.max(initial=0)) + 1
    key, column_of_entry = np.unique(matrix * span + other, return_inverse=True)
    column_matrix, column = np.divmod(key, span)
    rows, columns = np.bincount(matrix_of_row), np.bincount(column_matrix, minlength=matrix_of_row.max() + 1)
    columns = np.where(rows == 1, _round_up(columns), columns)
    row_rank, column_rank = _rank(matrix_of_row), _rank(column_matrix)
    entry = row_rank[own] * columns[matrix] + column_rank[column_of_entry]
    kind = _same_matrices(rows, columns, matrix, entry, pays)

    order = np.lexsort((kind, columns, rows))
    batch = _runs(
        np.stack([rows, columns, kind])[:, order],
        np.clip(GATHERED // np.maximum(columns, 1), 8, LANES)[order],
    )
    start = np.flatnonzero(np.diff(batch, prepend=-1))
    width = np.diff(np.append(start, len(order)))
    height, breadth = rows[order][start], columns[order][start]
    lane, batch_of = np.empty_like(order), np.empty_like(order)
    lane[order] = np.arange(len(order)) - start[batch]
    batch_of[order] = batch

    def fill(values: NDArray, matrix: Ints, index: Ints, per_matrix: Ints) -> NDArray:  # type: ignore[type-arg]
        """Put values at [index, lane] of their matrix's batch."""
        size = per_matrix * width
        table = np.zeros(size.sum(), dtype=values.dtype)
        b = batch_of[matrix]
        table[(np.cumsum(size) - size)[b] + index * width[b] + lane[matrix]] = values
        return table

    shared = kind[order][start] >= 0
    full = fill(pays, matrix, entry, height * breadth)
    ends = np.cumsum(height * breadth * width)
    parts = [
        full[end - h * b * w : end : w if s else 1]
        for end, h, b, w, s in zip(ends, height, breadth, width, shared, strict=True)
    ]
    return Payoffs(
        height,
        breadth.astype(np.uint64),
        width.astype(np.uint64),
        fill(np.arange(sequences, dtype=np.uint32), matrix_of_row, row_rank, height),
        fill(column.astype(np.uint32), column_matrix, column_rank, breadth),
        np.concatenate(parts),
        shared,
        np.zeros((width * breadth).max()),
    )


def _same_matrices(rows: Ints, columns: Ints, matrix: Ints, entry: Ints, pays: Floats) -> Ints:
    """A number for each matrix, the same for equal ones; -1 where too few are equal to be worth a batch."""
    order = np.lexsort((entry, matrix))
    matrix, entry, pays = matrix[order], entry[order], pays[order]
    # Equal matrices have equal projections, as their numbers are added in the same order.
    weight = np.random.default_rng(0).random((2, int(entry.max(initial=0)) + 1))
    projections = [np.bincount(matrix, pays * w[entry], len(rows)) for w in weight]
    keys = np.stack([rows.astype(np.float64), columns.astype(np.float64), *projections])
    _, first, kind, alike = np.unique(
        keys, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    kind = kind.ravel()
    # Unequal ones could have them too, in theory: compare with the first of the kind.
    size = np.bincount(matrix, minlength=len(rows))
    begin = np.cumsum(size) - size
    like = first[kind]
    same_size = size == size[like]
    twin = np.minimum(begin[like][matrix] + np.arange(len(matrix)) - begin[matrix], len(matrix) - 1)
    differs = np.bincount(matrix, (pays != pays[twin]) | (entry != entry[twin]), len(rows)) > 0
    equal: Ints = np.where(same_size & ~differs & (alike[kind] >= FEWEST_ALIKE), kind, -1)
    return equal


def _components(one: Ints, other: Ints, corners: int) -> Ints:
    """The connected component of each corner of a graph, int64[corners], numbered by their first corners.

    `one` and `other`, int64[edges], are the ends of the edges. Each corner points to the smallest corner that it is
    known to be connected with; a few rounds of taking the smaller of two ends, and of following pointers, find all.
    SciPy's function does the same, but importing it takes longer than solving a small game.
    """
    least = np.arange(corners)
    while True:
        smaller = np.minimum(least[one], least[other])
        before = least.copy()
        for ends in (one, other):
            np.minimum.at(least, before[ends], smaller)
            np.minimum.at(least, ends, smaller)
        least = least[least]
        if np.array_equal(least, before):
            return np.unique(least, return_inverse=True)[1]


def _matrices(own: Ints, other: Ints, sequences: int) -> Ints:
    """The matrix that each row belongs to, numbered from 0."""
    corners = sequences + int(other.max(initial=0)) + 1
    component = _components(own, sequences + other, corners)
    count = int(component.max(initial=-1)) + 1
    rows = np.bincount(component[:sequences], minlength=count)
    columns = np.bincount(component[sequences:], minlength=count)
    entries = np.bincount(component[own], minlength=count)
    shape = rows * (1 + columns.max()) + columns
    _, shape, alike = np.unique(shape, return_inverse=True, return_counts=True)
    whole = (rows * columns <= 2 * entries) & (entries > 0) & (alike[shape] >= FEWEST_ALIKE)
    row = np.arange(sequences)
    found = np.where(whole[component[:sequences]], component[:sequences], count + row)
    matrix: Ints = np.unique(found, return_inverse=True)[1]
    return matrix


def _rank(labels: Ints) -> Ints:
    """The number of equal labels before each."""
    order = np.argsort(labels, kind="stable")
    new = np.diff(labels[order], prepend=-1) != 0
    rank = np.empty_like(order)
    rank[order] = np.arange(len(labels)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    return rank


def _round_up(lengths: Ints) -> Ints:
    """Round up to three binary digits and zeros, so that rows of nearly one length get the same."""
    unit = 1 << np.maximum(np.frexp(lengths)[1].astype(np.int64) - 3, 0)
    rounded: Ints = -(-lengths // unit) * unit
    return rounded
