"""Compiled passes of pruning on the public form, by block: an action on all boards and for all hands.

The nodes behind a pruned block are *cut*: neither player's pass comes there. The passes are those of
`solvent.passes.public_kernels` on a copy of the tree in which cut nodes have the symbol CUT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.forms.public import DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled, kernel
from solvent.passes import public_kernels as kernels
from solvent.passes import terminals

Array = Any

CUT = -3


class Sums(NamedTuple):
    """What is kept by node, sum v(I), and how far pruned actions are from returning.

    Numbers of node n on board b begin at `value_offset[n] + b * slots`; -1 means that there are none.
    """

    value_offset: Array
    value: Array
    by_edge: bool
    """Whether every pruned block has a bound of its own, rather than a node one for all of them."""
    bound_offset: Array
    bound: Array
    """The most that the gaps of pruned actions can have become."""
    most: Array
    """float64[nodes or edges]: the largest U(I, a) that a bound is for, times the chance of deal and board."""
    failed: Array
    """uint8[nodes or edges]: whether a bound has come above 0."""
    offset: Array
    gap: Array
    """Regrets that may be below 0, by block at `offset`, where those that are played have a floor; else empty."""
    jumps: bool
    """Whether such a regret counts as 0 as soon as it rises."""
    weight: float
    """The weight of the iteration in the sums; 0 where none are kept."""


class Chances(NamedTuple):
    """How likely pairs of hands are: a matrix for each round and board, or none where hands are sorted."""

    matrix: Array
    """float[2, matrices, hands, hands]: the other's hands in rows, the traverser's in columns."""
    first: Array
    """int64[rounds]: the first matrix of each round."""


@internal
def is_zero(work, row, slots):  # type: ignore[no-untyped-def]
    """Whether a row of the workspace is 0 in every slot."""
    for k in range(slots):  # noqa: SIM110 (all() does not compile)
        if work[row + k] != 0:
            return False
    return True


@internal
def reach_against(tree, chances, player, level, boards, board, source, slots, work, target, by_card):  # type: ignore[no-untyped-def]
    """Compute pi_{-i}(I) of every slot: the summed reach, in row `source`, of the hands that fit beside it."""
    if boards.card.shape[1] == 0:
        matrix = chances.matrix[player, chances.first[level] + board]
        work[target : target + slots] = 0
        for other in range(slots):
            for k in range(slots):
                work[target + k] += work[source + other] * matrix[other, k]
        return
    card = boards.card[board]
    by_card[:] = 0
    total = 0.0
    for k in range(slots):
        total += work[source + k]
        by_card[card[k, 0]] += work[source + k]
        by_card[card[k, 1]] += work[source + k]
    ranges = tree.own_range[player]
    for k in range(slots):
        work[target + k] = total - by_card[card[k, 0]] - by_card[card[k, 1]] + work[source + k]
        if len(ranges):
            work[target + k] *= ranges[boards.hand[board, k]]


@internal
def track(tree, chances, sums, player, level, boards, board, start, stop, slots, work, by_card):  # type: ignore[no-untyped-def]
    """Add an iteration to the sums of the traverser's nodes, whose values are in the workspace."""
    weight = sums.weight
    reach = tree.spare * slots
    base = board * slots
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        value = tree.value_row[node] * slots
        at = sums.value_offset[node] + base
        for k in range(slots):
            sums.value[at + k] += weight * work[value + k]
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        bounded = not sums.by_edge and sums.bound_offset[node] >= 0
        for edge in range(first, last):
            bounded |= sums.by_edge and sums.bound_offset[edge] >= 0
            if len(sums.gap) == 0 or sums.offset[edge] < 0:
                continue
            at = sums.offset[edge] + base
            below = tree.value_row[tree.child[edge]] * slots
            for k in range(slots):
                gained = weight * (work[below + k] - work[value + k])
                if sums.jumps and gained > 0.0 and sums.gap[at + k] < 0.0:
                    sums.gap[at + k] = gained
                else:
                    sums.gap[at + k] += gained
        if not bounded:
            continue
        source = tree.other_row[player, node] * slots
        reach_against(tree, chances, player, level, boards, board, source, slots, work, reach, by_card)
        if not sums.by_edge:
            first, last = node, node + 1
        for place in range(first, last):
            at = sums.bound_offset[place] + base
            most = sums.most[place]
            worst = -np.inf
            if sums.bound_offset[place] >= 0:
                for k in range(slots):
                    sums.bound[at + k] += weight * (most * work[reach + k] - work[value + k])
                    worst = max(worst, sums.bound[at + k])
            if worst > 0.0:
                sums.failed[place] = 1


@internal
def one_terminal(tree, player, boards, board, node, slots, work, scratch):  # type: ignore[no-untyped-def]
    """Evaluate one terminal: what each of the traverser's hands wins there."""
    if boards.card.shape[1] == 0:
        terminals.by_matrix(tree, player, board, node, node + 1, slots, work)
        return
    terminals.by_sweep(tree, player, boards, board, node, node + 1, slots, work, scratch)
    ranges = tree.own_range[player]
    if len(ranges):
        won = tree.value_row[node] * slots
        for k in range(slots):
            work[won + k] *= ranges[boards.hand[board, k]]


@internal
def terminals_reached(tree, player, boards, board, start, stop, slots, work, scratch):  # type: ignore[no-untyped-def]
    """Evaluate the terminals that the other player reaches; the rest, and cut nodes, are worth 0.

    Returns how many nodes were touched.
    """
    touched = 0
    for node in range(start, stop):
        symbol = tree.symbol[node]
        target = tree.value_row[node] * slots
        if symbol == CUT:
            work[target : target + slots] = 0
        elif symbol < 0:
            touched += 1
        elif is_zero(work, tree.other_row[player, node] * slots, slots):
            work[target : target + slots] = 0
        else:
            one_terminal(tree, player, boards, board, node, slots, work, scratch)
            touched += 1
    return touched


@compiled
def pass_live(tree, down, rounds, spaces, tables, rule, sums, chances, player, above, out):  # type: ignore[no-untyped-def]
    """One player's pass over all that is not cut; returns the public nodes x hands that were touched.

    In `down` only what is behind the player's own pruned blocks is cut, and the other's nodes: the average
    grows wherever the player plays, though the other player does not come there. With `sums.weight` above 0 the
    sums that interval and total pruning need grow too.
    """
    last = tree.rounds - 1
    kernels.pass_down(down, rounds, spaces, tables, rule, player, above)
    boards = rounds[last]
    slots = out.shape[2]
    work = np.zeros(tree.rows * slots, dtype=out.dtype)
    scratch = terminals.scratch_space(work, slots, terminals.SWEEP, boards.card.shape[1] > 0, tree.rows)
    by_card = np.zeros(64)
    fades = rule.positive != 1.0
    touched = 0
    for s in range(len(boards.subtree)):
        start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
        if deal >= 0 and down.symbol[deal] == CUT:
            continue
        away = deal >= 0 and tree.symbol[deal] == CUT
        for board in range(len(boards.hand)):
            reached, reached_own = above[0, s, boards.parent[board]], above[1, s, boards.parent[board]]
            kernels.start_from(tree, boards, player, board, reached, reached_own, slots, work)
            unreached = away or is_zero(work, tree.first_other * slots, slots)
            if unreached and is_zero(work, tree.first_own * slots, slots) and (away or not fades):
                out[s, board] = 0
                continue
            kernels.descend(down, tables, rule, player, start, stop, board * slots, slots, work)
            if away or (unreached and not fades):
                out[s, board] = 0
                touched += slots
                continue
            touched += slots * terminals_reached(
                tree, player, boards, board, start, stop, slots, work, scratch
            )
            kernels.ascend(tree, tables, rule, player, start, stop, board * slots, slots, work)
            if sums.weight > 0.0:
                track(
                    tree,
                    chances,
                    sums,
                    player,
                    last,
                    boards,
                    board,
                    start,
                    stop,
                    slots,
                    work,
                    by_card,
                )
            value = tree.value_row[start] * slots
            out[s, board] = work[value : value + slots]
    if last == 1:
        touched += first_round_up(tree, rounds, spaces, tables, rule, sums, chances, player, out, by_card)
    return touched


@internal_compiled
def first_round_up(tree, rounds, spaces, tables, rule, sums, chances, player, out, by_card):  # type: ignore[no-untyped-def]
    """Carry the values of the last round up through the first of two rounds; returns the nodes x hands touched."""
    boards, space = rounds[0], spaces[0]
    slots = boards.hand.shape[1]
    below = rounds[tree.rounds - 1]
    total = np.zeros(boards.hand.shape)
    work = space.work[0, 0]
    for s in range(len(below.subtree)):
        deal = below.subtree[s, 2]
        if tree.symbol[deal] == CUT:
            continue
        kernels.add_up(below, tree.orbit, out[s], total)
        value = tree.value_row[deal] * slots
        for k in range(slots):
            work[value + k] = total[0, k]
    scratch = terminals.scratch_space(out, slots, terminals.SWEEP, boards.card.shape[1] > 0, tree.rows)
    start, stop = boards.subtree[0, 0], boards.subtree[0, 1]
    touched = slots * terminals_reached(tree, player, boards, 0, start, stop, slots, work, scratch)
    if len(tree.orbit):
        for node in range(start, stop):
            if tree.symbol[node] >= 0:
                value = tree.value_row[node] * slots
                kernels.average_over_orbits(tree.orbit, work[value : value + slots])
    kernels.ascend(tree, tables, rule, player, start, stop, 0, slots, work)
    if sums.weight > 0.0:
        track(tree, chances, sums, player, 0, boards, 0, start, stop, slots, work, by_card)
    return touched


@kernel
def fade_cut(tree, own, offset, sizes, regret, player, factor):  # type: ignore[no-untyped-def]
    """Multiply a player's regrets by `factor` at nodes that the other player's pruning cuts off.

    The pass does not come there, but the rule discounts all regrets alike.
    """
    for node in range(len(tree.symbol)):
        if tree.symbol[node] != CUT or own.symbol[node] != DECISION or tree.player[node] != player:
            continue
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            if offset[edge] >= 0:
                for at in range(offset[edge], offset[edge] + sizes[edge]):
                    regret[at] *= factor


# What is cut


@kernel
def cut(whole, parent, pruned, symbol):  # type: ignore[no-untyped-def]
    """Write the symbols of the whole tree to `symbol`, with CUT for every node behind a pruned block."""
    symbol[0] = whole[0]
    for node in range(1, len(whole)):
        up, edge = parent[node, 0], parent[node, 1]
        gone = symbol[up] == CUT or (edge >= 0 and pruned[edge])
        symbol[node] = CUT if gone else whole[node]


@compiled
def outermost(tree, parent, pruned, low):  # type: ignore[no-untyped-def]
    """Choose blocks to prune among those that are `low`: none behind another, and one left to play at each node."""
    chosen = np.zeros(len(pruned), dtype=np.uint8)
    gone = np.zeros(len(parent), dtype=np.uint8)
    for node in range(len(parent)):
        up, edge = parent[node, 0], parent[node, 1]
        if up >= 0:
            gone[node] = gone[up] or (edge >= 0 and (pruned[edge] or chosen[edge]))
        if gone[node] or tree.symbol[node] != DECISION:
            continue
        live = 0
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            live += not pruned[edge]
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            if low[edge] and not pruned[edge] and live > 1:
                chosen[edge] = 1
                live -= 1
    return chosen


@kernel
def largest(tree, sums, sizes, player, found):  # type: ignore[no-untyped-def]
    """Raise `found`, float64[nodes], to the largest |sum v(I)| of each of a player's nodes."""
    for node in range(len(found)):
        at = sums.value_offset[node]
        if tree.symbol[node] == DECISION and tree.player[node] == player and at >= 0:
            for k in range(at, at + sizes[node]):
                found[node] = max(found[node], abs(sums.value[k]))
