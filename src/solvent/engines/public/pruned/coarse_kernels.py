"""Compiled steps of a start from a coarser game: what is copied, what is read from its tables, what is measured."""

from __future__ import annotations

import numpy as np

from solvent.engines.public.pruned.hand_blocks import ELSEWHERE, add_hands, holds
from solvent.forms.public.game import DECISION
from solvent.foundation.kernels.compiling import compiled, internal


@internal
def copy_block(stored, block, slots, wanted, one, two, source, source_block, from_one, from_two):  # type: ignore[no-untyped-def]
    """Copy a block of the coarse game's tables with the hands that it has."""
    for hand in range(slots):
        wanted[hand] = holds(source, source_block, hand)
    add_hands(stored, block, slots, wanted, one, two)
    if source.count[source_block] == 0:
        return
    place, origin = stored.offset[block], source.offset[source_block]
    for k in range(source.count[source_block]):
        one[place + k] = from_one[origin + k]
        if len(two):
            two[place + k] = from_two[origin + k]


@compiled
def copy_kept(ground, coarse_ground, edges, kept, into, origin):  # type: ignore[no-untyped-def]
    """Copy regrets, averages and sums of values of all nodes and actions that the coarse game has."""
    tree = ground.tree
    wanted = np.zeros(max(ground.top.hand.shape[1], ground.last.hand.shape[1]))
    for node in range(len(tree.symbol)):
        if tree.symbol[node] != DECISION or kept[node] < 0:
            continue
        boards = ground.top if ground.level[node] == 0 else ground.last
        slots = boards.hand.shape[1]
        for board in range(len(boards.hand)):
            block = ground.node_block[node, 0] + board * ground.node_block[node, 1]
            like = coarse_ground.node_block[kept[node], 0] + board * coarse_ground.node_block[kept[node], 1]
            copy_block(
                into.values, block, slots, wanted, into.value, into.bound,
                origin.values, like, origin.value, origin.bound,
            )  # fmt: skip
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                if edges[edge] < 0:
                    continue
                block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                first, step = coarse_ground.edge_block[edges[edge]]
                copy_block(
                    into.regrets, block, slots, wanted, into.regret, into.gap,
                    origin.regrets, first + board * step, origin.regret, origin.gap,
                )  # fmt: skip
                copy_block(
                    into.averages, block, slots, wanted, into.average, into.average[:0],
                    origin.averages, first + board * step, origin.average, origin.average[:0],
                )  # fmt: skip


@compiled
def leave_elsewhere(ground, averages, kept):  # type: ignore[no-untyped-def]
    """Mark the averages of all nodes that are not the coarse game's as read from its tables."""
    tree = ground.tree
    for node in range(len(tree.symbol)):
        if tree.symbol[node] == DECISION and kept[node] < 0:
            boards = len(ground.top.hand) if ground.level[node] == 0 else len(ground.last.hand)
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                for board in range(boards):
                    block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                    averages.offset[block] = ELSEWHERE


@compiled
def await_measure(ground, reset, counts):  # type: ignore[no-untyped-def]
    """Mark infosets of which some actions are not stored for measuring; returns their blocks.

    `counts[0]` grows by the actions.
    """
    tree = ground.tree
    found = np.zeros(len(reset.values.offset), dtype=np.int64)
    size = 0
    for block in range(len(reset.values.offset)):
        if reset.values.offset[block] < 0:
            continue
        node = ground.block_node[block]
        board = (block - ground.node_block[node, 0]) // ground.node_block[node, 1]
        slots = (ground.top if ground.level[node] == 0 else ground.last).hand.shape[1]
        place = reset.values.offset[block]
        waits = False
        for hand in range(slots):
            if not holds(reset.values, block, hand):
                continue
            lacking = 0
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                at = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                lacking += not holds(reset.regrets, at, hand)
            reset.bound[place] = 0.0 if lacking else -np.inf
            counts[0] += lacking
            waits |= lacking > 0
            place += 1
        if waits:
            found[size] = block
            size += 1
    return found[:size]


@compiled
def potential(regrets, regret):  # type: ignore[no-untyped-def]
    """The sum of the squares of all regrets above 0."""
    total = 0.0
    for block in range(len(regrets.offset)):
        for k in range(regrets.count[block]):
            total += max(0.0, regret[regrets.offset[block] + k]) ** 2
    return total
