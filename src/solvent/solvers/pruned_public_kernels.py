"""Compiled passes of total pruning on the public form, by block: an action on all boards and for all hands.

A block is pruned when no hand on any board would have been better off with it, even with best responses
behind. The nodes behind it are *cut*: neither player's pass comes there. The passes are those of
`solvent.response.public_kernels` on a copy of the tree in which cut nodes have the symbol CUT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvent.forms.public import DEAL, DECISION
from solvent.response import public_kernels as kernels
from solvent.response.public_kernels import RESPOND, UPDATE, Rule

Array = Any

CUT = -3


class Sums(NamedTuple):
    """What is kept by node: sum v(I), and the largest gap among an infoset's pruned actions, or more.

    Numbers of node n on board b begin at `offset[n] + b * seats`; -1 means that there are none.
    """

    value_offset: Array
    value: Array
    bound_offset: Array
    bound: Array
    most: Array
    """float64[nodes]: the largest U(I, a) among the pruned actions, times the chance of deal and board."""
    failed: Array
    """uint8[nodes]: whether a bound has come above 0."""
    offset: Array
    gap: Array
    """Gaps by block, at `offset`, where regrets have a floor; else empty."""


class Chances(NamedTuple):
    """How likely pairs of hands are: a matrix for each round and board, or none where hands are sorted."""

    matrix: Array
    """float[2, matrices, hands, hands]: the other's hands in rows, the traverser's in columns."""
    first: Array
    """int64[rounds]: the first matrix of each round."""


@njit(cache=True, nogil=True)
def is_zero(work, row, seats):  # type: ignore[no-untyped-def]
    for k in range(seats):  # noqa: SIM110 (all() does not compile)
        if work[row + k] != 0:
            return False
    return True


@njit(cache=True, nogil=True)
def reach_against(tree, chances, player, level, boards, board, source, seats, work, target, by_card):  # type: ignore[no-untyped-def]
    """pi_{-i}(I) of every seat: the reach in row `source` of all hands that can be held beside it."""
    if boards.card.shape[1] == 0:
        matrix = chances.matrix[player, chances.first[level] + board]
        work[target : target + seats] = 0
        for other in range(seats):
            for k in range(seats):
                work[target + k] += work[source + other] * matrix[other, k]
        return
    card = boards.card[board]
    by_card[:] = 0
    total = 0.0
    for k in range(seats):
        total += work[source + k]
        by_card[card[k, 0]] += work[source + k]
        by_card[card[k, 1]] += work[source + k]
    ranges = tree.own_range[player]
    for k in range(seats):
        work[target + k] = total - by_card[card[k, 0]] - by_card[card[k, 1]] + work[source + k]
        if len(ranges):
            work[target + k] *= ranges[boards.hand[board, k]]


@njit(cache=True, nogil=True)
def track(tree, chances, sums, weight, player, level, boards, board, start, stop, seats, work, by_card):  # type: ignore[no-untyped-def]
    """Add an iteration to the sums of the traverser's nodes, whose values are in the workspace."""
    reach = tree.spare * seats
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        value = tree.value_row[node] * seats
        at = sums.value_offset[node] + board * seats
        for k in range(seats):
            sums.value[at + k] += weight * work[value + k]
        if len(sums.gap):
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                at = sums.offset[edge] + board * seats
                below = tree.value_row[tree.child[edge]] * seats
                if sums.offset[edge] >= 0:
                    for k in range(seats):
                        sums.gap[at + k] += weight * (work[below + k] - work[value + k])
        at = sums.bound_offset[node]
        if at < 0:
            continue
        at += board * seats
        source = tree.other_row[player, node] * seats
        reach_against(tree, chances, player, level, boards, board, source, seats, work, reach, by_card)
        most = sums.most[node]
        worst = -np.inf
        for k in range(seats):
            sums.bound[at + k] += weight * (most * work[reach + k] - work[value + k])
            worst = max(worst, sums.bound[at + k])
        if worst > 0.0:
            sums.failed[node] = 1


@njit(cache=True, nogil=True)
def one_terminal(tree, player, boards, board, node, seats, work, scratch):  # type: ignore[no-untyped-def]
    """What the traverser's hands win at one terminal."""
    if boards.card.shape[1] == 0:
        kernels.terminals_matrix(tree, player, board, node, node + 1, seats, work)
        return
    kernels.terminals_sweep(tree, player, boards, board, node, node + 1, seats, work, scratch)
    ranges = tree.own_range[player]
    if len(ranges):
        won = tree.value_row[node] * seats
        for k in range(seats):
            work[won + k] *= ranges[boards.hand[board, k]]


@njit(cache=True, nogil=True)
def terminals_reached(tree, player, boards, board, start, stop, seats, work, scratch):  # type: ignore[no-untyped-def]
    """Evaluate the terminals that the other player reaches; the rest, and cut nodes, are worth 0.

    Returns how many nodes were touched.
    """
    touched = 0
    for node in range(start, stop):
        symbol = tree.symbol[node]
        target = tree.value_row[node] * seats
        if symbol == CUT:
            work[target : target + seats] = 0
        elif symbol < 0:
            touched += 1
        elif is_zero(work, tree.other_row[player, node] * seats, seats):
            work[target : target + seats] = 0
        else:
            one_terminal(tree, player, boards, board, node, seats, work, scratch)
            touched += 1
    return touched


@njit(cache=True, nogil=True)
def pass_live(tree, down, rounds, spaces, tables, rule, sums, weight, chances, player, above, out):  # type: ignore[no-untyped-def]
    """One player's pass over all that is not cut; returns the public nodes x hands that were touched.

    In `down` only what is behind the player's own pruned blocks is cut, and the other's nodes: his average
    grows wherever he plays, though the other player does not come there. With `weight` above 0 the sums of
    total pruning grow too.
    """
    last = len(rounds) - 1
    kernels.pass_down(down, rounds, spaces, tables, rule, player, above)
    boards = rounds[last]
    seats = out.shape[2]
    work = np.zeros(tree.rows * seats, dtype=out.dtype)
    scratch = kernels.scratch_space(work, seats, kernels.SWEEP, boards.card.shape[1] > 0, tree.rows)
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
            kernels.start_from(tree, boards, player, board, reached, reached_own, seats, work)
            unreached = away or is_zero(work, tree.first_other * seats, seats)
            if unreached and is_zero(work, tree.first_own * seats, seats) and (away or not fades):
                out[s, board] = 0
                continue
            kernels.descend(down, tables, rule, player, start, stop, board * seats, seats, work)
            if away or (unreached and not fades):
                out[s, board] = 0
                touched += seats
                continue
            touched += seats * terminals_reached(
                tree, player, boards, board, start, stop, seats, work, scratch
            )
            kernels.ascend(tree, tables, rule, player, start, stop, board * seats, seats, work)
            if weight > 0.0:
                track(
                    tree,
                    chances,
                    sums,
                    weight,
                    player,
                    last,
                    boards,
                    board,
                    start,
                    stop,
                    seats,
                    work,
                    by_card,
                )
            value = tree.value_row[start] * seats
            out[s, board] = work[value : value + seats]
    if last == 1:
        touched += first_round_up(
            tree, rounds, spaces, tables, rule, sums, weight, chances, player, out, by_card
        )
    return touched


@njit(cache=True, nogil=True)
def first_round_up(tree, rounds, spaces, tables, rule, sums, weight, chances, player, out, by_card):  # type: ignore[no-untyped-def]
    """The way back up through the first of two rounds."""
    boards, space = rounds[0], spaces[0]
    seats = boards.hand.shape[1]
    below = rounds[len(rounds) - 1]
    total = np.zeros(boards.hand.shape)
    work = space.work[0, 0]
    for s in range(len(below.subtree)):
        deal = below.subtree[s, 2]
        if tree.symbol[deal] == CUT:
            continue
        kernels.add_up(below, tree.orbit, out[s], total)
        value = tree.value_row[deal] * seats
        for k in range(seats):
            work[value + k] = total[0, k]
    scratch = kernels.scratch_space(out, seats, kernels.SWEEP, boards.card.shape[1] > 0, tree.rows)
    start, stop = boards.subtree[0, 0], boards.subtree[0, 1]
    touched = seats * terminals_reached(tree, player, boards, 0, start, stop, seats, work, scratch)
    if len(tree.orbit):
        for node in range(start, stop):
            if tree.symbol[node] >= 0:
                value = tree.value_row[node] * seats
                kernels.average_over_orbits(tree.orbit, work[value : value + seats])
    kernels.ascend(tree, tables, rule, player, start, stop, 0, seats, work)
    if weight > 0.0:
        track(tree, chances, sums, weight, player, 0, boards, 0, start, stop, seats, work, by_card)
    return touched


# Gaps from regrets


@njit(cache=True, nogil=True)
def add_up_node(tree, offset, regret, scale, possible, player, board, node, seats, work, worst, chosen, sums):  # type: ignore[no-untyped-def]
    """Q of one node from those behind it, all as values; gaps of the player's own actions on the way.

    `worst[e]` becomes the largest gap of a hand that can be held. Gaps of `chosen` actions go to the bounds.
    """
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    target = tree.value_row[node] * seats
    base = board * seats
    mine = tree.player[node] == player
    spare = tree.spare * seats
    work[spare : spare + seats] = -np.inf if mine else 0.0
    at = sums.bound_offset[node]
    for edge in range(first, last):
        below = tree.value_row[tree.child[edge]] * seats
        if not mine:
            for k in range(seats):
                work[spare + k] += work[below + k]
            continue
        if offset[edge] < 0:
            # A pruned action is worth its bound at most; it can be the best only if nothing else is.
            continue
        for k in range(seats):
            gap = scale * regret[offset[edge] + base + k] + work[below + k]
            work[spare + k] = max(work[spare + k], gap)
            if possible[board, k]:
                worst[edge] = max(worst[edge], gap)
                if chosen[edge]:
                    sums.bound[at + base + k] = max(sums.bound[at + base + k], gap)
            elif chosen[edge]:
                sums.bound[at + base + k] = max(sums.bound[at + base + k], -1.0)
    work[target : target + seats] = work[spare : spare + seats]


@njit(cache=True, nogil=True)
def add_up_regrets(tree, rounds, possible, offset, regret, scale, player, worst, chosen, sums, out):  # type: ignore[no-untyped-def]
    """T psi(I, a) - sum v(I) of every block that is stored, from the regrets: its largest, in `worst`."""
    worst[:] = -np.inf
    last = len(rounds) - 1
    for level in range(last, -1, -1):
        boards = rounds[level]
        seats = boards.hand.shape[1]
        work = np.zeros(tree.rows * seats)
        total = np.zeros(rounds[0].hand.shape)
        for s in range(len(boards.subtree)):
            start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
            if deal >= 0 and tree.symbol[deal] == CUT:
                continue
            for board in range(len(boards.hand)):
                for node in range(stop - 1, start - 1, -1):
                    if tree.symbol[node] == DECISION:
                        add_up_node(
                            tree, offset, regret, scale, possible[level][player], player, board, node, seats, work,
                            worst, chosen, sums,
                        )  # fmt: skip
                        continue
                    target = tree.value_row[node] * seats
                    work[target : target + seats] = 0
                    if level < last and tree.symbol[node] == DEAL:
                        below = rounds[level + 1]
                        for after in range(len(below.subtree)):
                            if below.subtree[after, 2] == node:
                                kernels.add_up(below, tree.orbit, out[after], total)
                        for k in range(seats):
                            work[target + k] = total[board, k]
                if level == last:
                    value = tree.value_row[start] * seats
                    out[s, board] = work[value : value + seats]


# Best responses behind a block


@njit(cache=True, nogil=True)
def seen_row(tree, rounds, level, board, edge, edge_level, averages, weight, player, seats, work, target):  # type: ignore[no-untyped-def]
    """The other player's cumulative reach by his last action, on a board of the same or the next round."""
    boards = rounds[level]
    at = -1
    average = averages.live
    if edge >= 0:
        at = averages.live_offset[edge]
        if at < 0:
            at = averages.frozen_offset[edge]
            average = averages.frozen
    before = 0
    if edge_level < level:
        before = boards.parent[board] * rounds[edge_level].hand.shape[1]
    for k in range(seats):
        if edge < 0:
            total = weight
        elif at < 0:
            total = 0.0
        elif edge_level < level:
            total = average[at + before + boards.parent_seat[board, k]]
        else:
            total = average[at + board * seats + k]
        work[target + k] = total * tree.root_reach[player, boards.hand[board, k]]


class Averages(NamedTuple):
    """Cumulative strategies by block: those of live blocks, and those that wait behind pruned ones."""

    live_offset: Array
    live: Array
    frozen_offset: Array
    frozen: Array


class Into(NamedTuple):
    """Where regrets are written, and how many of a gap's units make one of theirs."""

    offset: Array
    regret: Array
    mean: float
    floor: float


class Behind(NamedTuple):
    """Where everything lies behind a node."""

    stop: Array
    """int64[nodes]: one past the last node of the branch in its own subtree."""
    last_edge: Array
    """int64[2, nodes]: the other player's last action before a node, -1 for none, by traverser."""
    level: Array
    """int64[nodes]"""
    edge_node: Array


@njit(cache=True, nogil=True)
def respond_part(  # type: ignore[no-untyped-def]
    tree, rounds, behind, averages, weight, player, level, board, start, stop, seats, work, scratch
):
    """Reach down a part of one subtree from cumulative strategies, and its terminals; deals keep their values."""
    boards = rounds[level]
    for node in range(start, stop):
        edge = behind.last_edge[player, node]
        if node == start or (edge >= 0 and tree.child[edge] == node):
            edge_level = behind.level[behind.edge_node[edge]] if edge >= 0 else 0
            target = tree.other_row[player, node] * seats
            seen_row(
                tree, rounds, level, board, edge, edge_level, averages, weight, player, seats, work, target
            )  # fmt: skip
    for node in range(start, stop):
        if tree.symbol[node] >= 0:
            one_terminal(tree, player, boards, board, node, seats, work, scratch)


@njit(cache=True, nogil=True)
def write_regrets(tree, player, board, start, stop, seats, work, sums, into):  # type: ignore[no-untyped-def]
    """Regrets and sums of the player's nodes as if the best response in the workspace had been played."""
    base = board * seats
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        value = tree.value_row[node] * seats
        at = sums.value_offset[node] + base
        sums.value[at : at + seats] = work[value : value + seats]
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            below = tree.value_row[tree.child[edge]] * seats
            here = into.offset[edge] + base
            for k in range(seats):
                difference = work[below + k] - work[value + k]
                into.regret[here + k] = max(difference / into.mean, into.floor)
                if len(sums.gap):
                    sums.gap[here + k] = difference


@njit(cache=True, nogil=True)
def respond(tree, rounds, behind, averages, weight, player, root, writes, sums, into, won):  # type: ignore[no-untyped-def]
    """sum psi behind a node for every board and hand of its round, in `won`; returns what was touched.

    With `writes` the regrets of all the player's blocks there, which must be stored, are set accordingly.
    """
    level = behind.level[root]
    last = len(rounds) - 1
    boards = rounds[level]
    seats = boards.hand.shape[1]
    work = np.zeros(tree.rows * seats, dtype=tree.root_reach.dtype)
    scratch = kernels.scratch_space(work, seats, kernels.SWEEP, boards.card.shape[1] > 0, tree.rows)
    rule = Rule(RESPOND, 1.0, 1.0, -np.inf, 0.0, 0.0)
    regret = into.regret
    tables = kernels.Tables(into.offset, regret, regret, regret[:0], regret, regret[:0])
    stop = behind.stop[root]
    touched = 0
    for board in range(len(boards.hand)):
        if level < last:
            touched += respond_below(
                tree, rounds, behind, averages, weight, player, root, stop, writes, sums, into, work, seats,
            )  # fmt: skip
        respond_part(
            tree, rounds, behind, averages, weight, player, level, board, root, stop, seats, work, scratch
        )
        if len(tree.orbit) and level == 0:
            for node in range(root, stop):
                if tree.symbol[node] >= 0:
                    value = tree.value_row[node] * seats
                    kernels.average_over_orbits(tree.orbit, work[value : value + seats])
        kernels.ascend(tree, tables, rule, player, root, stop, board * seats, seats, work)
        if writes:
            write_regrets(tree, player, board, root, stop, seats, work, sums, into)
        value = tree.value_row[root] * seats
        won[board, :seats] = work[value : value + seats]
        touched += (stop - root) * seats
    return touched


@njit(cache=True, nogil=True)
def respond_below(  # type: ignore[no-untyped-def]
    tree, rounds, behind, averages, weight, player, root, end, writes, sums, into, above, width
):
    """The same for the subtrees of the last round behind a node of the first: values to their deal nodes."""
    boards = rounds[len(rounds) - 1]
    seats = boards.hand.shape[1]
    work = np.zeros(tree.rows * seats, dtype=above.dtype)
    scratch = kernels.scratch_space(work, seats, kernels.SWEEP, boards.card.shape[1] > 0, tree.rows)
    rule = Rule(RESPOND, 1.0, 1.0, -np.inf, 0.0, 0.0)
    regret = into.regret
    tables = kernels.Tables(into.offset, regret, regret, regret[:0], regret, regret[:0])
    out = np.zeros((len(boards.hand), seats), dtype=above.dtype)
    total = np.zeros(rounds[0].hand.shape)
    touched = 0
    for s in range(len(boards.subtree)):
        start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
        if not root <= deal < end:
            continue
        for board in range(len(boards.hand)):
            respond_part(
                tree, rounds, behind, averages, weight, player, 1, board, start, stop, seats, work, scratch
            )
            kernels.ascend(tree, tables, rule, player, start, stop, board * seats, seats, work)
            if writes:
                write_regrets(tree, player, board, start, stop, seats, work, sums, into)
            value = tree.value_row[start] * seats
            out[board] = work[value : value + seats]
            touched += (stop - start) * seats
        kernels.add_up(boards, tree.orbit, out, total)
        value = tree.value_row[deal] * width
        for k in range(width):
            above[value + k] = total[0, k]
    return touched


@njit(cache=True, nogil=True)
def play_live(tree, downs, rounds, spaces, tables, weights, sums, gain, alternating, chances, above, out):  # type: ignore[no-untyped-def]
    """One iteration over all that is not cut; returns what was touched."""
    rule = Rule(UPDATE, weights[0], weights[1], weights[2], weights[3], weights[4])
    if not alternating:
        tables.seen[:] = tables.regret
    touched = 0
    for player in range(2):
        touched += pass_live(
            tree, downs[player], rounds, spaces, tables, rule, sums, gain, chances, player, above, out
        )
    return touched


@njit(cache=True, nogil=True)
def fade_cut(tree, own, offset, sizes, regret, player, factor):  # type: ignore[no-untyped-def]
    """Let a player's regrets fade where he has some and the other player has pruned the way there."""
    for node in range(len(tree.symbol)):
        if tree.symbol[node] != CUT or own.symbol[node] != DECISION or tree.player[node] != player:
            continue
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            if offset[edge] >= 0:
                regret[offset[edge] : offset[edge] + sizes[edge]] *= factor


# What is cut


@njit(cache=True, nogil=True)
def cut(whole, parent, pruned, symbol):  # type: ignore[no-untyped-def]
    """`symbol` becomes that of the whole tree, CUT behind pruned blocks."""
    symbol[0] = whole[0]
    for node in range(1, len(whole)):
        up, edge = parent[node, 0], parent[node, 1]
        gone = symbol[up] == CUT or (edge >= 0 and pruned[edge])
        symbol[node] = CUT if gone else whole[node]


@njit(cache=True, nogil=True)
def outermost(tree, parent, pruned, low):  # type: ignore[no-untyped-def]
    """Of the blocks that are low enough to be pruned, those that are not behind another, one left at each node."""
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


@njit(cache=True, nogil=True)
def largest(tree, sums, sizes, player, found):  # type: ignore[no-untyped-def]
    """The largest |sum v(I)| of each of a player's nodes."""
    for node in range(len(found)):
        at = sums.value_offset[node]
        if tree.symbol[node] == DECISION and tree.player[node] == player and at >= 0:
            for k in range(at, at + sizes[node]):
                found[node] = max(found[node], abs(sums.value[k]))
