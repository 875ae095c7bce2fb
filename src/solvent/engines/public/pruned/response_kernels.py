"""Compiled best responses on a public game, against the other player's cumulative strategy.

They value what lies behind an action, or the whole game. Where an action returns from being pruned, they also
say what is stored behind it from then on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public.kernels import average_over_orbits, gather, scatter
from solvent.engines.public.pruned.hand_blocks import ELSEWHERE, block_of, expand
from solvent.engines.public.pruned.walk_kernels import (
    MISSING,
    evaluate_terminal,
    make_workspace,
    pass_by,
    reaches,
    sweep_scratch,
)
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, joined

Array = Any

SLACK = 1e-9
"""The least gap below 0 that rounding cannot have made, as a share of |sum v(I)| + 1."""


class CoarseStrategy(NamedTuple):
    """A coarser game's cumulative strategy, which is played where this game's tables have nothing of their own."""

    edge: Array
    """int32[edges]: the coarse edge that stands for an edge; -1 for actions that the coarse game lacks."""
    edge_block: Array
    """int64[coarse edges, 2]: see `PrunedLayout.edge_block`."""
    averages: Any
    average: Array


class OpponentView(NamedTuple):
    """The other player's strategies that a player's regrets were computed against, added up by block."""

    averages: Any
    average: Array
    weight: float
    """The weight of all iterations."""
    coarse: CoarseStrategy


@internal
def coarse_sigma(layout, coarse, node, board, slots, sigma, total):  # type: ignore[no-untyped-def]
    """Read the coarse average strategy at a node that has no tables of its own."""
    first, last = layout.tree.first_edge[node], layout.tree.first_edge[node + 1]
    known = 0
    total[:slots] = 0.0
    for edge in range(first, last):
        at = (edge - first) * slots
        if coarse.edge[edge] < 0:
            sigma[at : at + slots] = MISSING
            continue
        known += 1
        block = block_of(coarse.edge_block, coarse.edge[edge], board)
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
def read_reach(layout, view, player, level, board, node, slots, space):  # type: ignore[no-untyped-def]
    """Write the other player's cumulative reach of a node to the row of that reach."""
    tree, boards, work, wide = layout.tree, space.boards, space.work, space.sigma
    target = tree.other_row[player, node] * slots
    edge = layout.last_edge[player, node]
    if edge < 0:
        work[target : target + slots] = view.weight
    elif layout.level[layout.edge_node[edge]] == level:
        block = block_of(layout.edge_block, edge, board)
        expand(view.averages, view.average, block, slots, work, target, 0.0)
    else:
        block, width = layout.edge_block[edge, 0], layout.top.hand.shape[1]
        expand(view.averages, view.average, block, width, wide, 0, 0.0)
        gather(boards, board, slots, wide, 0, work, target)
    for k in range(slots):
        work[target + k] *= tree.root_reach[player, boards.hand[board, k]]


@joined
def reach_down(layout, view, player, level, board, start, stop, slots, space, scratch):  # type: ignore[no-untyped-def]
    """Carry cumulative reach from a branch's root to all that the other player reaches, and the terminals there.

    Workspaces count nodes from `start`. Returns the nodes that the walk came to.
    """
    tree, work, entered = layout.tree, space.work, space.entered
    touched = 0
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(layout, entered, start, node)
            continue
        touched += 1
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        if tree.symbol[node] >= 0:
            evaluate_terminal(layout, player, level, board, node, slots, space, scratch)
        elif tree.symbol[node] == DECISION and tree.player[node] == player:
            for edge in range(first, last):
                entered[tree.child[edge] - start] = 1
        elif tree.symbol[node] == DECISION:
            source = tree.other_row[player, node] * slots
            elsewhere = view.averages.offset[block_of(layout.edge_block, first, board)] == ELSEWHERE
            if elsewhere:
                coarse_sigma(layout, view.coarse, node, board, slots, space.sigma, space.total)
            for edge in range(first, last):
                child = tree.child[edge]
                target = tree.other_row[player, child] * slots
                if elsewhere:
                    at = (edge - first) * slots
                    for k in range(slots):
                        work[target + k] = work[source + k] * space.sigma[at + k]
                else:
                    block = block_of(layout.edge_block, edge, board)
                    expand(view.averages, view.average, block, slots, work, target, 0.0)
                    for k in range(slots):
                        work[target + k] *= tree.root_reach[player, space.boards.hand[board, k]]
                entered[child - start] = reaches(work, target, slots)
        node += 1
    return touched


@internal
def values_up(layout, view, player, board, start, stop, slots, space, plays):  # type: ignore[no-untyped-def]
    """Carry values up to a branch's root: of the best actions or, with `plays`, of the traverser's average."""
    tree, work, entered = layout.tree, space.work, space.entered
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        mine = tree.player[node] == player
        if mine and plays:
            average_value(layout, view, board, node, slots, space)
            continue
        value = tree.value_row[node] * slots
        work[value : value + slots] = -np.inf if mine else 0.0
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
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
def average_value(layout, view, board, node, slots, space):  # type: ignore[no-untyped-def]
    """Compute the value of a node's infosets if the average strategy is played there."""
    tree, work, sigma, total = layout.tree, space.work, space.sigma, space.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    value = tree.value_row[node] * slots
    total[: 3 * slots] = 0.0
    for edge in range(first, last):
        block = block_of(layout.edge_block, edge, board)
        expand(view.averages, view.average, block, slots, sigma, 0, 0.0)
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
def respond_below(layout, view, player, deal, slots, top, last, scratch, plays):  # type: ignore[no-untyped-def]
    """Value a deal node, whose reach is known, over all boards; returns the nodes touched."""
    tree, boards = layout.tree, layout.last
    inner = boards.hand.shape[1]
    begin, end = boards.subtree[layout.below[deal], 0], boards.subtree[layout.below[deal], 1]
    source, value = tree.other_row[player, deal] * slots, tree.value_row[deal] * slots
    target = tree.other_row[player, begin] * inner
    touched = 0
    top.work[value : value + slots] = 0
    for board in range(len(boards.hand)):
        gather(boards, board, inner, top.work, source, last.work, target)
        if not reaches(last.work, target, inner):
            continue
        touched += reach_down(layout, view, player, 1, board, begin, end, inner, last, scratch)
        values_up(layout, view, player, board, begin, end, inner, last, plays)
        scatter(boards, board, inner, last.work, tree.value_row[begin] * inner, top.work, value)
    if len(tree.orbit):
        average_over_orbits(tree.orbit, top.work, value, top.total)
    return touched


@internal
def respond(layout, view, player, level, board, root, space, last, scratch, plays):  # type: ignore[no-untyped-def]
    """Value a node on one board for all of the traverser's hands: T psi(I, a), in its row of `space`.

    `last` is the workspace of the last round's subtrees, behind a node of the first. Returns the nodes touched.
    """
    tree = layout.tree
    slots = space.boards.hand.shape[1]
    stop = layout.stop[root]
    read_reach(layout, view, player, level, board, root, slots, space)
    touched = reach_down(layout, view, player, level, board, root, stop, slots, space, scratch)
    if level < tree.rounds - 1:
        for node in range(root, stop):
            if space.entered[node - root] and tree.symbol[node] == DEAL:
                touched += respond_below(layout, view, player, node, slots, space, last, scratch, plays)
    values_up(layout, view, player, board, root, stop, slots, space, plays)
    return touched


@compiled
def value_game(layout, view, player, plays):  # type: ignore[no-untyped-def]
    """Value the game for a player who responds best or, with `plays`, plays the average strategy.

    It is in the units of `view.weight`.
    """
    space, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    respond(layout, view, player, 0, 0, 0, space, last, sweep_scratch(layout), plays)
    slots = layout.top.hand.shape[1]
    value = layout.tree.value_row[0] * slots
    total = 0.0
    for k in range(slots):
        total += space.work[value + k]
    return total
