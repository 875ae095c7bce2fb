"""Compiled passes of CFR over the history form: the walk, the average and the regrets.

Every edge of the tree has a cell, and a pass of player i needs two vectors over cells:

    forward   an edge's factor of the reach of all but i: 1 on i's own edges, else its probability
    backward  an edge's factor of i's value on the way up: sigma on i's own edges, else 1

With values already weighted by the others' reach, the return of the depth-first walk is a plain sum, and the sum
that arrives through cell (I, a) is the counterfactual value v_i(I, a).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.schedule import NEXT_PREDICTION
from solvent.engines.vectors.matching import expected_regret, gain_of, instantaneous, share_of, updated
from solvent.foundation.kernels.compiling import internal, kernel

Array = Any


class Rows(NamedTuple):
    """The tree as the walk reads it, one entry per history."""

    parent: Array
    cell: Array
    payoff: Array
    """float64[players, histories]"""
    end: Array
    """One past the last history of each subtree."""


class Side(NamedTuple):
    """One player's infosets, and the sequences by which the player's own reach is computed."""

    start: Array
    """First cell of each infoset."""
    stop: Array
    """One past its last cell."""
    first: Array
    before: Array
    sequence_cell: Array
    histories: Array
    plan: Array
    """Scratch: the player's own reach of each sequence."""


class Tables(NamedTuple):
    """The tables of a run, by cell."""

    regret: Array
    average: Array
    last: Array
    """The last instantaneous regrets; empty where the rule predicts nothing."""
    value: Array
    """Sums of v(I), weighted like the average, at the infoset's first cell; empty where none are kept."""


class Play(NamedTuple):
    """The current strategies and the walk's scratch space."""

    forward: Array
    """float64[players, edges]"""
    backward: Array
    """float64[players, edges]"""
    reach: Array
    """float64[histories]: probability that all but the traverser bring to each history."""
    value: Array
    """float64[histories]: the traverser's value times that reach."""
    cell_value: Array
    """float64[players, edges]: counterfactual values; a player's own cells are the ones that mean something."""


@internal
def walk_range(rows, player, play, cell_value, start, stop):  # type: ignore[no-untyped-def]
    """Depth-first over the histories start..stop-1, whose parents' reach is known: down, then back up."""
    parent, cell, payoff = rows.parent, rows.cell, rows.payoff[player]
    forward, backward = play.forward[player], play.backward[player]
    reach, value = play.reach, play.value
    for row in range(start, stop):
        reach[row] = reach[parent[row]] * forward[cell[row]]
        value[row] = reach[row] * payoff[row]
    for row in range(stop - 1, start - 1, -1):
        arrived = value[row]
        edge = cell[row]
        cell_value[edge] += arrived
        value[parent[row]] += backward[edge] * arrived


@internal
def walk_reached(rows, player, play, visited):  # type: ignore[no-untyped-def]
    """The walk without the histories that the other player does not reach; returns how many were touched.

    The others would have added 0 everywhere: every sum is that of the whole walk, number for number.
    """
    parent, cell, payoff = rows.parent, rows.cell, rows.payoff[player]
    forward, backward = play.forward[player], play.backward[player]
    reach, value, cell_value = play.reach, play.value, play.cell_value[player]
    count = 0
    row = 1
    while row < len(parent):
        here = reach[parent[row]] * forward[cell[row]]
        if here == 0.0:
            row = rows.end[row]
            continue
        reach[row] = here
        value[row] = here * payoff[row]
        visited[count] = row
        count += 1
        row += 1
    for k in range(count - 1, -1, -1):
        row = visited[k]
        arrived = value[row]
        edge = cell[row]
        cell_value[edge] += arrived
        value[parent[row]] += backward[edge] * arrived
    return 1 + count


@kernel
def walk(rows, player, play, visited):  # type: ignore[no-untyped-def]
    """One player's pass: fills `play.cell_value` and returns how many histories were touched.

    visited: int32[histories], scratch space of partial pruning; empty where nothing is pruned.
    """
    play.cell_value[player] = 0.0
    play.reach[0] = 1.0
    play.value[0] = 0.0
    if len(visited) > 0:
        return walk_reached(rows, player, play, visited)
    # Literals, here and in `iterate`, are compiled apart, which spares tests for indices that count from the end.
    walk_range(rows, player, play, play.cell_value[player], 1, len(rows.parent))
    return len(rows.parent)


@kernel
def descend(rows, player, play, head):  # type: ignore[no-untyped-def]
    """The way down over the rows above (and including the roots of) the branches."""
    forward = play.forward[player]
    payoff = rows.payoff[player]
    play.reach[0] = 1.0
    play.value[0] = 0.0
    for row in head:
        play.reach[row] = play.reach[rows.parent[row]] * forward[rows.cell[row]]
        play.value[row] = play.reach[row] * payoff[row]


@kernel
def ascend(rows, player, play, head, branch_value):  # type: ignore[no-untyped-def]
    """The way back up over the same rows; adds the branches' values, in their fixed order."""
    backward = play.backward[player]
    cell_value = play.cell_value[player]
    cell_value[:] = 0.0
    for branch in range(len(branch_value)):
        cell_value += branch_value[branch]
    for k in range(len(head) - 1, -1, -1):
        row = head[k]
        arrived = play.value[row]
        edge = rows.cell[row]
        cell_value[edge] += arrived
        play.value[rows.parent[row]] += backward[edge] * arrived


@kernel
def walk_branches(rows, player, play, roots, group, branch_value, first, step):  # type: ignore[no-untyped-def]
    """Depth-first below the roots of every `step`-th group, each group into a table of its own.

    Group g has the roots `group[g] : group[g + 1]`.
    """
    for g in range(first, len(branch_value), step):
        branch_value[g] = 0.0
        for k in range(group[g], group[g + 1]):
            walk_range(rows, player, play, branch_value[g], roots[k] + 1, np.int64(rows.end[roots[k]]))


@internal
def accumulate_average(side, weight, average, strategy):  # type: ignore[no-untyped-def]
    """S(I, a) += weight x own reach x sigma(I, a), over one player's sequences."""
    plan = side.plan
    plan[0] = 1.0
    for situation in range(len(side.before)):
        reach = plan[side.before[situation]]
        scale = weight * side.histories[situation]
        for sequence in range(side.first[situation], side.first[situation + 1]):
            cell = side.sequence_cell[sequence]
            plan[sequence] = reach * strategy[cell]
            average[cell] += scale * plan[sequence]


@kernel
def match_regrets(side, prediction, tables, strategy, others_forward):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R + prediction r) over one player's infosets, uniform where nothing is positive."""
    for infoset in range(len(side.start)):
        start, stop = side.start[infoset], side.stop[infoset]
        total = 0.0
        for cell in range(start, stop):
            strategy[cell] = max(expected_regret(tables.regret, tables.last, cell, prediction), 0.0)
            total += strategy[cell]
        for cell in range(start, stop):
            strategy[cell] = share_of(strategy[cell], total, 1.0 / (stop - start))
            others_forward[cell] = strategy[cell]


@internal
def update_regrets(side, weights, tables, strategy, cell_value):  # type: ignore[no-untyped-def]
    """Add the instantaneous regrets of one player's infosets to the cumulative ones."""
    positive, negative, floor = weights[0], weights[1], weights[2]
    for infoset in range(len(side.start)):
        start, stop = side.start[infoset], side.stop[infoset]
        gain = gain_of(strategy, cell_value, start, stop)
        if len(tables.value) > 0:
            tables.value[start] += weights[3] * (cell_value[start] + gain)
        for cell in range(start, stop):
            gained = instantaneous(cell_value[cell], cell_value[start], gain)
            tables.regret[cell] = updated(tables.regret[cell], gained, positive, negative, floor)
            if weights[4] != 0.0:
                tables.last[cell] = gained


@kernel
def update(side, player, weights, tables, play):  # type: ignore[no-untyped-def]
    """Everything that follows one player's walk: the average, the regrets, then the next strategy."""
    strategy = play.backward[player]
    accumulate_average(side, weights[3], tables.average, strategy)
    update_regrets(side, weights, tables, strategy, play.cell_value[player])
    match_regrets(side, weights[NEXT_PREDICTION], tables, strategy, play.forward[1 - player])


@kernel
def iterate(rows, side0, side1, schedule, alternating, tables, play, visited):  # type: ignore[no-untyped-def]
    """Run one iteration for each row of `schedule` on the serial plan; returns the histories touched."""
    touched = 0
    for t in range(len(schedule)):
        weights = schedule[t]
        touched += walk(rows, 0, play, visited)
        if not alternating:
            touched += walk(rows, 1, play, visited)
        update(side0, 0, weights, tables, play)
        if alternating:
            touched += walk(rows, 1, play, visited)
        update(side1, 1, weights, tables, play)
    return touched
