"""Compiled best responses behind a block, against what its player has seen of the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.forms.public import DECISION
from solvent.foundation.kernels.compiling import compiled, inlined, internal, internal_compiled, kernel
from solvent.passes import public_kernels as kernels
from solvent.passes import terminals
from solvent.passes.matching import share_of
from solvent.passes.public_kernels import RESPOND, Rule
from solvent.solvers.pruned.public.kernels import one_terminal

Array = Any


class Seen(NamedTuple):
    """The other player's strategies that a player's regrets were computed against, added up by block.

    (S + now x current - early x initial) x scale - kept: with alternating updates the cumulative strategy S is
    an iteration behind or ahead, and what interval pruning has kept is what had been seen when it began.
    """

    live_offset: Array
    live: Array
    frozen_offset: Array
    """Of blocks that are not live."""
    frozen: Array
    plan_offset: Array
    plan: Array
    """The other player's own reach of blocks under the current strategy; empty where `now` is 0."""
    initial: Array
    """float64[edges]: the same under the first strategy, which is uniform."""
    kept_offset: Array
    kept: Array
    everything: float
    """The weight of all iterations that count."""
    now: float
    early: float
    scale: float


@inlined
def seen_at(seen, edge, index):  # type: ignore[no-untyped-def]
    """The other player's cumulative reach at one place of a block, as the traverser has seen it."""
    total = 0.0
    if seen.live_offset[edge] >= 0:
        total += seen.live[seen.live_offset[edge] + index]
    elif seen.frozen_offset[edge] >= 0:
        total += seen.frozen[seen.frozen_offset[edge] + index]
    if seen.now > 0.0:
        total += seen.now * seen.plan[seen.plan_offset[edge] + index]
        total = max(0.0, (total - seen.early * seen.initial[edge]) * seen.scale)
    if seen.kept_offset[edge] >= 0:
        total -= seen.kept[seen.kept_offset[edge] + index]
    return total


@internal
def seen_row(tree, rounds, behind, level, board, edge, seen, player, slots, work, target):  # type: ignore[no-untyped-def]
    """The other player's cumulative reach by the last action, on a board of the same or the next round."""
    boards = rounds[level]
    edge_level = behind.level[behind.edge_node[edge]] if edge >= 0 else level
    before = boards.parent[board] * rounds[edge_level].hand.shape[1]
    for k in range(slots):
        total = seen.everything
        if edge >= 0 and edge_level < level:
            total = seen_at(seen, edge, before + boards.parent_slot[board, k])
        elif edge >= 0:
            total = seen_at(seen, edge, board * slots + k)
        work[target + k] = total * tree.root_reach[player, boards.hand[board, k]]


@kernel
def keep_seen(seen, edges, sizes, offset, kept):  # type: ignore[no-untyped-def]
    """Copy what has been seen of the other player's blocks `edges` to `kept`, each from its `offset` on."""
    for n in range(len(edges)):
        for index in range(sizes[edges[n]]):
            kept[offset[n] + index] = seen_at(seen, edges[n], index)


@kernel
def current_plan(tree, rounds, behind, offset, regret, player, edges, plan_offset, plan):  # type: ignore[no-untyped-def]
    """Write a player's own reach of the blocks `edges` under the current strategy to `plan`.

    `edges` lists the blocks before a block earlier than the block itself.
    """
    for n in range(len(edges)):
        edge = edges[n]
        node = behind.edge_node[edge]
        level = behind.level[node]
        boards = rounds[level]
        slots = boards.hand.shape[1]
        last = behind.last_edge[1 - player, node]
        last_level = behind.level[behind.edge_node[last]] if last >= 0 else level
        live = 0
        for other in range(tree.first_edge[node], tree.first_edge[node + 1]):
            live += offset[other] >= 0
        for board in range(len(boards.hand)):
            before = boards.parent[board] * rounds[last_level].hand.shape[1]
            for k in range(slots):
                at = board * slots + k
                probability = 0.0
                if offset[edge] >= 0:
                    total = 0.0
                    for other in range(tree.first_edge[node], tree.first_edge[node + 1]):
                        if offset[other] >= 0:
                            total += max(regret[offset[other] + at], 0.0)
                    mine = max(regret[offset[edge] + at], 0.0)
                    probability = share_of(mine, total, 1.0 / live)
                if last >= 0 and last_level < level:
                    probability *= plan[plan_offset[last] + before + boards.parent_slot[board, k]]
                elif last >= 0:
                    probability *= plan[plan_offset[last] + at]
                plan[plan_offset[edge] + at] = probability


class Into(NamedTuple):
    """Where regrets are written: R becomes max(keep R + d / mean, floor), d an action's value less the best one's.

    Sums of values, and regrets without a floor, become `sums_keep` of what they were and `sums_share` of what
    is added.
    """

    offset: Array
    regret: Array
    keep: float
    mean: float
    floor: float
    sums_keep: float
    sums_share: float


class Behind(NamedTuple):
    """Where what lies behind each node is found."""

    stop: Array
    """int64[nodes]: one past the last node of the branch in its own subtree."""
    last_edge: Array
    """int64[2, nodes]: the other player's last action before a node, -1 for none, by traverser."""
    level: Array
    """int64[nodes]"""
    edge_node: Array


@internal
def respond_part(  # type: ignore[no-untyped-def]
    tree, rounds, behind, seen, player, level, board, start, stop, slots, work, scratch
):
    """Carry cumulative reach down a part of one subtree and evaluate its terminals.

    The values of deal nodes are left as they are.
    """
    boards = rounds[level]
    for node in range(start, stop):
        edge = behind.last_edge[player, node]
        if node == start or (edge >= 0 and tree.child[edge] == node):
            target = tree.other_row[player, node] * slots
            seen_row(tree, rounds, behind, level, board, edge, seen, player, slots, work, target)
    for node in range(start, stop):
        if tree.symbol[node] >= 0:
            one_terminal(tree, player, boards, board, node, slots, work, scratch)


@internal
def write_regrets(tree, player, board, start, stop, slots, work, sums, into):  # type: ignore[no-untyped-def]
    """Set the regrets and sums of the player's nodes as if the best response in the workspace had been played."""
    base = board * slots
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        value = tree.value_row[node] * slots
        at = sums.value_offset[node] + base
        for k in range(slots):
            sums.value[at + k] = into.sums_keep * sums.value[at + k] + into.sums_share * work[value + k]
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            below = tree.value_row[tree.child[edge]] * slots
            here = into.offset[edge] + base
            for k in range(slots):
                lost = work[below + k] - work[value + k]
                into.regret[here + k] = max(into.keep * into.regret[here + k] + lost / into.mean, into.floor)
                if len(sums.gap):
                    sums.gap[here + k] = into.sums_keep * sums.gap[here + k] + into.sums_share * lost


@compiled
def respond(tree, rounds, behind, seen, player, root, writes, sums, into, won):  # type: ignore[no-untyped-def]
    """Write sum psi behind a node, for every board and hand of its round, to `won`; returns nodes x hands touched.

    With `writes` the regrets of all the player's blocks there, which must be stored, change accordingly.
    """
    level = behind.level[root]
    last = tree.rounds - 1
    boards = rounds[level]
    slots = boards.hand.shape[1]
    work = np.zeros(tree.rows * slots, dtype=tree.root_reach.dtype)
    scratch = terminals.scratch_space(work, slots, terminals.SWEEP, boards.card.shape[1] > 0, tree.rows)
    rule = Rule(RESPOND, 1.0, 1.0, -np.inf, 0.0, 0.0)
    regret = into.regret
    tables = kernels.Tables(into.offset, regret, regret, regret[:0], regret[:0], regret, regret[:0])
    stop = behind.stop[root]
    touched = 0
    for board in range(len(boards.hand)):
        if level < last:
            touched += respond_below(
                tree, rounds, behind, seen, player, root, stop, writes, sums, into, work, slots,
            )  # fmt: skip
        respond_part(tree, rounds, behind, seen, player, level, board, root, stop, slots, work, scratch)
        if len(tree.orbit) and level == 0:
            for node in range(root, stop):
                if tree.symbol[node] >= 0:
                    value = tree.value_row[node] * slots
                    kernels.average_over_orbits(tree.orbit, work[value : value + slots])
        kernels.ascend(tree, tables, rule, player, root, stop, board * slots, slots, work)
        if writes:
            write_regrets(tree, player, board, root, stop, slots, work, sums, into)
        value = tree.value_row[root] * slots
        won[board, :slots] = work[value : value + slots]
        touched += (stop - root) * slots
    return touched


@internal_compiled
def respond_below(  # type: ignore[no-untyped-def]
    tree, rounds, behind, seen, player, root, end, writes, sums, into, above, width
):
    """Respond in the subtrees of the last round behind a node of the first; their values go to the deal nodes."""
    boards = rounds[tree.rounds - 1]
    slots = boards.hand.shape[1]
    work = np.zeros(tree.rows * slots, dtype=above.dtype)
    scratch = terminals.scratch_space(work, slots, terminals.SWEEP, boards.card.shape[1] > 0, tree.rows)
    rule = Rule(RESPOND, 1.0, 1.0, -np.inf, 0.0, 0.0)
    regret = into.regret
    tables = kernels.Tables(into.offset, regret, regret, regret[:0], regret[:0], regret, regret[:0])
    out = np.zeros((len(boards.hand), slots), dtype=above.dtype)
    total = np.zeros(rounds[0].hand.shape)
    touched = 0
    for s in range(len(boards.subtree)):
        start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
        if not root <= deal < end:
            continue
        for board in range(len(boards.hand)):
            respond_part(tree, rounds, behind, seen, player, 1, board, start, stop, slots, work, scratch)
            kernels.ascend(tree, tables, rule, player, start, stop, board * slots, slots, work)
            if writes:
                write_regrets(tree, player, board, start, stop, slots, work, sums, into)
            value = tree.value_row[start] * slots
            out[board] = work[value : value + slots]
            touched += (stop - start) * slots
        kernels.add_up(boards, tree.orbit, out, total)
        value = tree.value_row[deal] * width
        for k in range(width):
            above[value + k] = total[0, k]
    return touched
