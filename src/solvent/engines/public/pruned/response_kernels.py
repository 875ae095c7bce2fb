"""Compiled best responses on a public game, against the other player's cumulative strategy.

They value what lies behind an action, or the whole game. Where an action returns from being pruned, they also
say what is stored behind it from then on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public import terminals
from solvent.engines.public.pruned.hand_blocks import ELSEWHERE, expand
from solvent.engines.public.pruned.walk_kernels import (
    MISSING,
    equalise,
    gather,
    make_room,
    pass_by,
    scatter,
    some,
    terminal,
)
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled

Array = Any

SLACK = 1e-9
"""How far below 0, as a part of sum |v(I)| + 1, a gap must be for rounding not to have brought it there."""


class Coarse(NamedTuple):
    """A coarser game's cumulative strategy, which is played where this game's tables have nothing of their own."""

    edge: Array
    """int32[edges]: the coarse edge that stands for an edge; -1 for actions that the coarse game lacks."""
    edge_block: Array
    """int64[coarse edges]"""
    averages: Any
    average: Array


class Seen(NamedTuple):
    """The other player's strategies that a player's regrets were computed against, added up by block."""

    averages: Any
    average: Array
    everything: float
    """The weight of all iterations."""
    coarse: Coarse


@internal
def coarse_sigma(ground, coarse, node, board, slots, sigma, total):  # type: ignore[no-untyped-def]
    """The coarse average strategy at a node that has no tables of its own."""
    first, last = ground.tree.first_edge[node], ground.tree.first_edge[node + 1]
    known = 0
    for k in range(slots):
        total[k] = 0.0
    for edge in range(first, last):
        at = (edge - first) * slots
        if coarse.edge[edge] < 0:
            for k in range(slots):
                sigma[at + k] = MISSING
            continue
        known += 1
        block = coarse.edge_block[coarse.edge[edge], 0] + board * coarse.edge_block[coarse.edge[edge], 1]
        expand(coarse.averages, coarse.average, block, slots, sigma, at, 0.0)
        for k in range(slots):
            total[k] += sigma[at + k]
    for at in range(0, (last - first) * slots, slots):
        for k in range(slots):
            share = sigma[at + k]
            if share == MISSING:
                sigma[at + k] = 0.0
            else:
                sigma[at + k] = share / total[k] if total[k] > 0.0 else 1.0 / known


@internal
def seen_at(ground, seen, player, level, board, node, slots, room):  # type: ignore[no-untyped-def]
    """Write the other player's cumulative reach of a node to the row of that reach."""
    tree, boards, work, space = ground.tree, room.boards, room.work, room.sigma
    target = tree.other_row[player, node] * slots
    edge = ground.last_edge[player, node]
    if edge < 0:
        for k in range(slots):
            work[target + k] = seen.everything
    else:
        block = ground.edge_block[edge, 0]
        if ground.level[ground.edge_node[edge]] == level:
            expand(
                seen.averages,
                seen.average,
                block + board * ground.edge_block[edge, 1],
                slots,
                work,
                target,
                0.0,
            )
        else:
            width = ground.top.hand.shape[1]
            expand(seen.averages, seen.average, block, width, space, 0, 0.0)
            for k in range(slots):
                work[target + k] = space[boards.parent_slot[board, k]]
    for k in range(slots):
        work[target + k] *= tree.root_reach[player, boards.hand[board, k]]


@internal
def reach_down(ground, seen, player, level, board, start, stop, slots, room, scratch):  # type: ignore[no-untyped-def]
    """Cumulative reach from a branch's root to all that the other player reaches, and the terminals there.

    Rooms count nodes from `start`. Returns how many nodes the walk came to.
    """
    tree, work, entered = ground.tree, room.work, room.entered
    touched = 0
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(ground, entered, start, node)
            continue
        touched += 1
        symbol = tree.symbol[node]
        if symbol >= 0:
            terminal(ground, player, level, board, node, slots, room, scratch)
        elif symbol == DECISION:
            first, last = tree.first_edge[node], tree.first_edge[node + 1]
            if tree.player[node] == player:
                for edge in range(first, last):
                    entered[tree.child[edge] - start] = 1
                node += 1
                continue
            source = tree.other_row[player, node] * slots
            elsewhere = (
                seen.averages.offset[ground.edge_block[first, 0] + board * ground.edge_block[first, 1]]
                == ELSEWHERE
            )
            if elsewhere:
                coarse_sigma(ground, seen.coarse, node, board, slots, room.sigma, room.total)
            for edge in range(first, last):
                child = tree.child[edge]
                target = tree.other_row[player, child] * slots
                if elsewhere:
                    at = (edge - first) * slots
                    for k in range(slots):
                        work[target + k] = work[source + k] * room.sigma[at + k]
                else:
                    block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                    expand(seen.averages, seen.average, block, slots, work, target, 0.0)
                    for k in range(slots):
                        work[target + k] *= tree.root_reach[player, room.boards.hand[board, k]]
                entered[child - start] = some(work, target, slots)
        node += 1
    return touched


@internal
def values_up(ground, seen, player, board, start, stop, slots, room, plays):  # type: ignore[no-untyped-def]
    """Values back to a branch's root: of the traverser's best actions or, with `plays`, of the average strategy."""
    tree, work, entered = ground.tree, room.work, room.entered
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        value = tree.value_row[node] * slots
        mine = tree.player[node] == player
        if mine and plays:
            average_value(ground, seen, board, node, slots, room)
            continue
        for k in range(slots):
            work[value + k] = -np.inf if mine else 0
        for edge in range(first, last):
            child = tree.child[edge]
            if not entered[child - start]:
                continue
            below = tree.value_row[child] * slots
            if mine:
                for k in range(slots):
                    work[value + k] = max(work[value + k], work[below + k])
            else:
                for k in range(slots):
                    work[value + k] += work[below + k]


@internal
def average_value(ground, seen, board, node, slots, room):  # type: ignore[no-untyped-def]
    """The value of a node's infosets if the average strategy is played there."""
    tree, work, sigma, total = ground.tree, room.work, room.sigma, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    value = tree.value_row[node] * slots
    for k in range(slots):
        total[k] = 0.0
        total[slots + k] = 0.0
        total[2 * slots + k] = 0.0
    for edge in range(first, last):
        block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        expand(seen.averages, seen.average, block, slots, sigma, 0, 0.0)
        below = tree.value_row[tree.child[edge]] * slots
        for k in range(slots):
            total[k] += sigma[k]
            total[slots + k] += sigma[k] * work[below + k]
            total[2 * slots + k] += work[below + k]
    for k in range(slots):
        if total[k] > 0.0:
            work[value + k] = total[slots + k] / total[k]
        else:
            work[value + k] = total[2 * slots + k] / (last - first)


@internal
def respond_below(ground, seen, player, deal, slots, top, last, scratch, plays):  # type: ignore[no-untyped-def]
    """What a deal node, whose reach is known, is worth over all boards; returns the nodes touched."""
    tree, boards = ground.tree, ground.last
    inner = boards.hand.shape[1]
    begin, end = boards.subtree[ground.below[deal], 0], boards.subtree[ground.below[deal], 1]
    source, value = tree.other_row[player, deal] * slots, tree.value_row[deal] * slots
    target = tree.other_row[player, begin] * inner
    touched = 0
    top.work[value : value + slots] = 0
    for board in range(len(boards.hand)):
        gather(boards, board, inner, top.work, source, last.work, target)
        if not some(last.work, target, inner):
            continue
        touched += reach_down(ground, seen, player, 1, board, begin, end, inner, last, scratch)
        values_up(ground, seen, player, board, begin, end, inner, last, plays)
        scatter(boards, board, inner, last.work, tree.value_row[begin] * inner, top.work, value)
    if len(tree.orbit):
        equalise(tree.orbit, top.work, value, top.total)
    return touched


@internal
def respond(ground, seen, player, level, board, root, room, last, scratch, plays):  # type: ignore[no-untyped-def]
    """Value a node on one board for all of the traverser's hands, in its row of `room`; returns the nodes touched.

    `last` is the room of the last round's subtrees behind a node of the first round.
    """
    tree = ground.tree
    slots = room.boards.hand.shape[1]
    stop = ground.stop[root]
    seen_at(ground, seen, player, level, board, root, slots, room)
    touched = reach_down(ground, seen, player, level, board, root, stop, slots, room, scratch)
    if level < tree.rounds - 1:
        for node in range(root, stop):
            if room.entered[node - root] and tree.symbol[node] == DEAL:
                touched += respond_below(ground, seen, player, node, slots, room, last, scratch, plays)
    values_up(ground, seen, player, board, root, stop, slots, room, plays)
    return touched


@internal_compiled
def sweep_scratch(ground):  # type: ignore[no-untyped-def]
    """Scratch for terminals on sorted hands, for boards of any round."""
    slots = max(ground.top.hand.shape[1], ground.last.hand.shape[1])
    sorts = ground.last.card.shape[1] > 0
    return terminals.scratch_space(ground.tree.root_reach, slots, terminals.SWEPT, sorts, ground.tree.rows)


@compiled
def value_game(ground, seen, player, plays):  # type: ignore[no-untyped-def]
    """What the game is worth to a player who responds best or, with `plays`, plays the average strategy.

    It is in the units of `seen.everything`.
    """
    room, last = make_room(ground, ground.top), make_room(ground, ground.last)
    respond(ground, seen, player, 0, 0, 0, room, last, sweep_scratch(ground), plays)
    slots = ground.top.hand.shape[1]
    value = ground.tree.value_row[0] * slots
    total = 0.0
    for k in range(slots):
        total += room.work[value + k]
    return total
