"""Compiled storing of what returns from being pruned: as if its best response had been played all along."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public.pruned.hand_blocks import ABSENT, ELSEWHERE, add_hands, holds
from solvent.engines.public.pruned.response_kernels import SLACK, coarse_sigma, reach_down, values_up
from solvent.engines.public.pruned.walk_kernels import gather, some
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import internal

Array = Any

LEFT_OUT = 2
"""Stands in `Room.entered` for a branch of which nothing is stored."""
FAINT = 2.0**-60
"""Scale of regrets that make regret matching play a strategy and vanish beside the regrets it then learns."""


class Reset(NamedTuple):
    """Where a best response's regrets are written, and how."""

    regrets: Any
    regret: Array
    gap: Array
    values: Any
    value: Array
    bound: Array
    averages: Any
    average: Array
    mean: float
    """By how much gaps outweigh regrets where they are apart."""
    best_only: bool
    """Whether the actions that the response does not take are pruned at once."""


@internal
def set_cells(ground, reset, level, board, node, slots, room, alive):  # type: ignore[no-untyped-def]
    """Store the infosets of a node for the hands with `alive`, as if the response had been played all along.

    `room.sigma` becomes 1 where an action is stored for a hand. False if there is no room.
    """
    tree, work, sigma, total = ground.tree, room.work, room.sigma, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    best = tree.value_row[node] * slots
    block = ground.node_block[node, 0] + board * ground.node_block[node, 1]
    if not add_hands(reset.values, block, slots, alive, reset.value, reset.bound):
        return False
    for k in range(slots):
        total[k] = -np.inf
    for edge in range(first, last):
        at, below = (edge - first) * slots, tree.value_row[tree.child[edge]] * slots
        for k in range(slots):
            sigma[at + k] = 0.0
            if alive[k] == 0:
                continue
            gap = float(work[below + k]) - float(work[best + k])
            if reset.best_only and gap < -SLACK * (1.0 + abs(work[best + k])):
                total[k] = max(total[k], gap)
            else:
                sigma[at + k] = 1.0
        kept = sigma[at : at + slots]
        edge_block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if not add_hands(reset.regrets, edge_block, slots, kept, reset.regret, reset.gap):
            return False
        if not add_hands(reset.averages, edge_block, slots, kept, reset.average, reset.average[:0]):
            return False
        if reset.averages.offset[edge_block] == ELSEWHERE:
            reset.averages.offset[edge_block] = ABSENT
        place = reset.regrets.offset[edge_block]
        for k in range(slots):
            if not holds(reset.regrets, edge_block, k):
                continue
            if kept[k] != 0.0:
                gap = float(work[below + k]) - float(work[best + k])
                write_gap(reset, place, gap)
            place += 1
    place = reset.values.offset[block]
    for k in range(slots):
        if holds(reset.values, block, k):
            if alive[k] != 0:
                reset.value[place] = work[best + k]
                reset.bound[place] = total[k]
            place += 1
    return True


@internal
def write_gap(reset, place, gap):  # type: ignore[no-untyped-def]
    """Set a regret as if an action's gap had come about by play."""
    if len(reset.gap):
        reset.gap[place] = gap
        reset.regret[place] = max(gap / reset.mean, 0.0)
    else:
        reset.regret[place] = gap


@internal
def live_hands(ground, regrets, player, boards, level, board, node, slots, out):  # type: ignore[no-untyped-def]
    """Write 1 for the other player's hands that are not behind a pruned action of that player's, else 0."""
    edge = ground.last_edge[player, node]
    for k in range(slots):
        out[k] = 1.0
    if edge < 0:
        return
    block = ground.edge_block[edge, 0]
    same = ground.level[ground.edge_node[edge]] == level
    for k in range(slots):
        if same:
            out[k] = holds(regrets, block + board * ground.edge_block[edge, 1], k)
        else:
            out[k] = holds(regrets, block, boards.parent_slot[board, k])


@internal
def open_node(ground, reset, coarse, player, level, board, node, slots, room):  # type: ignore[no-untyped-def]
    """Give the other player tables at a node that was played from the coarse average; False if there is no room.

    Nobody has come there, so that the regrets are 0: faint ones make regret matching begin with the coarse average.
    Actions that the coarse game lacks begin pruned, with a bound of 0.
    """
    tree, sigma, total = ground.tree, room.sigma, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    alive = total[2 * slots : 3 * slots]
    coarse_sigma(ground, coarse, node, board, slots, sigma, total)
    live_hands(ground, reset.regrets, player, room.boards, level, board, node, slots, alive)
    if not add_hands(
        reset.values,
        ground.node_block[node, 0] + board * ground.node_block[node, 1],
        slots,
        alive,
        reset.value,
        reset.bound,
    ):
        return False
    lacks = False
    for edge in range(first, last):
        block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if coarse.edge[edge] < 0:
            reset.averages.offset[block] = ABSENT
            lacks = True
            continue
        at, reached = (edge - first) * slots, tree.other_row[player, tree.child[edge]] * slots
        if not add_hands(reset.regrets, block, slots, alive, reset.regret, reset.gap):
            return False
        # Hands that are pruned on the way have come here before: their averages are kept too.
        kept = total[3 * slots : 4 * slots]
        for k in range(slots):
            kept[k] = 1.0 if alive[k] != 0 or room.work[reached + k] != 0 else 0.0
        if not add_hands(reset.averages, block, slots, kept, reset.average, reset.average[:0]):
            return False
        place = reset.averages.offset[block]
        for k in range(slots):
            if holds(reset.averages, block, k):
                weight = tree.root_reach[player, room.boards.hand[board, k]]
                reset.average[place] = room.work[reached + k] / weight if weight > 0 else 0.0
                place += 1
        place = reset.regrets.offset[block]
        for k in range(slots):
            if holds(reset.regrets, block, k):
                reset.regret[place] = FAINT * sigma[at + k]
                place += 1
    place = reset.values.offset[ground.node_block[node, 0] + board * ground.node_block[node, 1]]
    for k in range(slots):
        if holds(reset.values, ground.node_block[node, 0] + board * ground.node_block[node, 1], k):
            reset.value[place] = 0.0
            reset.bound[place] = 0.0 if lacks else -np.inf
            place += 1
    return True


@internal
def store_branch(ground, reset, coarse, player, level, board, start, stop, slots, room, alive):  # type: ignore[no-untyped-def]
    """Store what a response plays in a branch whose values are in the room, for the hands with `alive` at its root.

    Rows of the traverser's own reach say for which hands a node is stored. False if there is no room. Where the
    other player never came all values are 0, and all actions are stored.
    """
    tree, work, entered = ground.tree, room.work, room.entered
    root = tree.own_row[player, start] * slots
    for k in range(slots):
        work[root + k] = alive[k]
    node = start
    while node < stop:
        if entered[node - start] == LEFT_OUT:
            node = ground.stop[node]
            continue
        if tree.symbol[node] >= 0:
            node += 1
            continue
        own = tree.own_row[player, node] * slots
        if not some(work, own, slots):
            for behind in range(node, ground.stop[node]):
                entered[behind - start] = LEFT_OUT
            node = ground.stop[node]
            continue
        if not entered[node - start]:
            clear_values(tree, player, node, ground.stop[node], start, slots, work, entered)
        if tree.symbol[node] != DECISION:
            node += 1
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        if tree.player[node] == player:
            if not set_cells(ground, reset, level, board, node, slots, room, work[own : own + slots]):
                return False
            for edge in range(first, last):
                target, at = tree.own_row[player, tree.child[edge]] * slots, (edge - first) * slots
                for k in range(slots):
                    work[target + k] = room.sigma[at + k]
        else:
            if reset.averages.offset[
                ground.edge_block[first, 0] + board * ground.edge_block[first, 1]
            ] == ELSEWHERE and not open_node(ground, reset, coarse, player, level, board, node, slots, room):
                return False
            for edge in range(first, last):
                child = tree.child[edge]
                reached = some(work, tree.other_row[player, child] * slots, slots)
                if not reached and is_untouched(ground, reset, board, edge):
                    for behind in range(child, ground.stop[child]):
                        entered[behind - start] = LEFT_OUT
        node += 1
    return True


@internal
def is_untouched(ground, reset, board, edge):  # type: ignore[no-untyped-def]
    """Whether the other player has no hand that takes an action, and what follows has no tables of its own yet.

    It gets them for all hands together when that player begins to come there.
    """
    tree = ground.tree
    child = tree.child[edge]
    if tree.symbol[child] != DECISION:
        return False
    if reset.regrets.offset[ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]] >= 0:
        return False
    next_edge = tree.first_edge[child]
    block = ground.edge_block[next_edge, 0] + board * ground.edge_block[next_edge, 1]
    return reset.averages.offset[block] == ELSEWHERE


@internal
def clear_values(tree, player, first, stop, start, slots, work, entered):  # type: ignore[no-untyped-def]
    """Set the values and reaches of a branch that the other player never reached to 0."""
    for node in range(first, stop):
        value, reach = tree.value_row[node] * slots, tree.other_row[player, node] * slots
        work[value : value + slots] = 0
        work[reach : reach + slots] = 0
        entered[node - start] = 1


@internal
def store_behind(ground, seen, reset, player, level, board, root, room, last, scratch, alive):  # type: ignore[no-untyped-def]
    """Store what the response whose values are in the room plays behind a node; False if there is no room."""
    tree = ground.tree
    slots, stop = room.boards.hand.shape[1], ground.stop[root]
    if not store_branch(ground, reset, seen.coarse, player, level, board, root, stop, slots, room, alive):
        return False
    if level == tree.rounds - 1:
        return True
    boards = ground.last
    inner = boards.hand.shape[1]
    for node in range(root, stop):
        own = tree.own_row[player, node] * slots
        if tree.symbol[node] != DEAL or room.entered[node - root] != 1 or not some(room.work, own, slots):
            continue
        begin, end = boards.subtree[ground.below[node], 0], boards.subtree[ground.below[node], 1]
        source, target = tree.other_row[player, node] * slots, tree.other_row[player, begin] * inner
        for after in range(len(boards.hand)):
            hands = last.total[3 * inner : 4 * inner]
            gather(boards, after, inner, room.work, own, hands, 0)
            if not some(hands, 0, inner):
                continue
            gather(boards, after, inner, room.work, source, last.work, target)
            reach_down(ground, seen, player, 1, after, begin, end, inner, last, scratch)
            values_up(ground, seen, player, after, begin, end, inner, last, False)
            if not store_branch(ground, reset, seen.coarse, player, 1, after, begin, end, inner, last, hands):
                return False
    return True
