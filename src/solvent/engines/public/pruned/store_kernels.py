"""Compiled storing of what returns from being pruned: as if its best response had been played all along.

With N iterations so far and psi the value of a best response to the other player's average (Brown and Sandholm
2017, section 4; Theorem 1), the action that returns and all I' behind it, D(I, a), are set to

    R(I, a)  = N psi(I, a) - sum v(I)
    sum v(I') = N psi(I')           R(I', a') = N (psi(I', a') - psi(I'))
"""

from __future__ import annotations

import numpy as np

from solvent.engines.public.kernels import gather
from solvent.engines.public.pruned.hand_blocks import ABSENT, ELSEWHERE, add_hands, block_of, holds, put
from solvent.engines.public.pruned.response_kernels import SLACK, coarse_sigma, reach_down, values_up
from solvent.engines.public.pruned.walk_kernels import reaches
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import internal

LEFT_OUT = 2
"""Stands in `Workspace.entered` for a branch of which nothing is stored."""
FAINT = 2.0**-60
"""Scale of regrets that make regret matching play a strategy and vanish beside the regrets it then learns."""


@internal
def set_cells(layout, tables, step, board, node, slots, space, alive):  # type: ignore[no-untyped-def]
    """Store the infosets of a node for the hands with `alive`, as if the response had been played all along.

    `space.sigma` becomes 1 where an action is stored for a hand. False if there is no room.
    """
    tree, work, sigma = layout.tree, space.work, space.sigma
    bound, gaps = space.total[:slots], space.total[slots : 2 * slots]
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    best = tree.value_row[node] * slots
    block = block_of(layout.node_block, node, board)
    if not add_hands(tables.values, block, slots, alive, tables.value, tables.bound):
        return False
    bound[:] = -np.inf
    for edge in range(first, last):
        at, below = (edge - first) * slots, tree.value_row[tree.child[edge]] * slots
        kept = sigma[at : at + slots]
        for k in range(slots):
            kept[k] = 0.0
            if alive[k] == 0:
                continue
            gaps[k] = float(work[below + k]) - float(work[best + k])
            if step.best_only and gaps[k] < -SLACK * (1.0 + abs(work[best + k])):
                bound[k] = max(bound[k], gaps[k])
            else:
                kept[k] = 1.0
        if not store_action(layout, tables, step, board, edge, slots, kept, gaps):
            return False
    put(tables.values, tables.value, block, slots, alive, work, best)
    put(tables.values, tables.bound, block, slots, alive, bound, 0)
    return True


@internal
def store_action(layout, tables, step, board, edge, slots, wanted, gaps):  # type: ignore[no-untyped-def]
    """Store an action for the hands that are `wanted`, with these gaps for regrets; False if there is no room."""
    block = block_of(layout.edge_block, edge, board)
    if not add_hands(tables.regrets, block, slots, wanted, tables.regret, tables.gap):
        return False
    if not add_hands(tables.averages, block, slots, wanted, tables.average, tables.average[:0]):
        return False
    if tables.averages.offset[block] == ELSEWHERE:
        tables.averages.offset[block] = ABSENT
    place = tables.regrets.offset[block]
    for k in range(slots):
        if not holds(tables.regrets, block, k):
            continue
        if wanted[k] != 0.0:
            if len(tables.gap):
                tables.gap[place] = gaps[k]
                tables.regret[place] = max(gaps[k] / step.mean, 0.0)
            else:
                tables.regret[place] = gaps[k]
        place += 1
    return True


@internal
def live_hands(layout, regrets, player, boards, level, board, node, slots, out):  # type: ignore[no-untyped-def]
    """Write 1 for the other player's hands that are not behind a pruned action of that player's, else 0."""
    edge = layout.last_edge[player, node]
    out[:] = 1.0
    if edge < 0:
        return
    same = layout.level[layout.edge_node[edge]] == level
    for k in range(slots):
        if same:
            out[k] = holds(regrets, block_of(layout.edge_block, edge, board), k)
        else:
            out[k] = holds(regrets, layout.edge_block[edge, 0], boards.parent_slot[board, k])


@internal
def open_node(layout, tables, coarse, player, level, board, node, slots, space):  # type: ignore[no-untyped-def]
    """Give the other player tables at a node that was played from the coarse average; False if there is no room.

    Nobody has come there, so that the regrets are 0: faint ones make regret matching begin with the coarse average.
    Actions that the coarse game lacks begin pruned, with a bound of 0.
    """
    tree, sigma, total = layout.tree, space.sigma, space.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    alive, kept = total[2 * slots : 3 * slots], total[3 * slots : 4 * slots]
    node_block = block_of(layout.node_block, node, board)
    coarse_sigma(layout, coarse, node, board, slots, sigma, total)
    live_hands(layout, tables.regrets, player, space.boards, level, board, node, slots, alive)
    if not add_hands(tables.values, node_block, slots, alive, tables.value, tables.bound):
        return False
    lacks = False
    for edge in range(
        last - 1, first - 1, -1
    ):  # by the first one a second call sees whether this one had room
        block = block_of(layout.edge_block, edge, board)
        if coarse.edge[edge] < 0:
            tables.averages.offset[block] = ABSENT
            lacks = True
            continue
        at, reached = (edge - first) * slots, tree.other_row[player, tree.child[edge]] * slots
        if not add_hands(tables.regrets, block, slots, alive, tables.regret, tables.gap):
            return False
        for k in range(slots):
            # Hands that are pruned on the way have come here before: their averages are kept too.
            kept[k] = 1.0 if alive[k] != 0 or space.work[reached + k] != 0 else 0.0
            weight = tree.root_reach[player, space.boards.hand[board, k]]
            total[k] = space.work[reached + k] / weight if weight > 0 else 0.0
            sigma[at + k] *= FAINT
        if not add_hands(tables.averages, block, slots, kept, tables.average, tables.average[:0]):
            return False
        put(tables.averages, tables.average, block, slots, kept, total, 0)
        put(tables.regrets, tables.regret, block, slots, alive, sigma, at)
    if not lacks:
        total[:slots] = -np.inf
        put(tables.values, tables.bound, node_block, slots, alive, total, 0)
    return True


@internal
def store_branch(layout, tables, step, coarse, player, level, board, start, stop, slots, space, alive):  # type: ignore[no-untyped-def]
    """Store what a response plays in a branch whose values are in `space`, for the hands with `alive` at its root.

    Rows of the traverser's own reach say for which hands a node is stored. False if there is no room. Where the
    other player never came all values are 0, and all actions are stored.
    """
    tree, work, entered = layout.tree, space.work, space.entered
    root = tree.own_row[player, start] * slots
    for k in range(slots):
        work[root + k] = alive[k]
    node = start
    while node < stop:
        if tree.symbol[node] >= 0:
            node += 1
            continue
        own = tree.own_row[player, node] * slots
        if entered[node - start] == LEFT_OUT or not reaches(work, own, slots):
            entered[node - start : layout.stop[node] - start] = LEFT_OUT
            node = layout.stop[node]
            continue
        if not entered[node - start]:
            clear_values(tree, player, node, layout.stop[node], start, slots, work, entered)
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        if tree.symbol[node] == DECISION and tree.player[node] == player:
            if not set_cells(layout, tables, step, board, node, slots, space, work[own : own + slots]):
                return False
            for edge in range(first, last):
                target, at = tree.own_row[player, tree.child[edge]] * slots, (edge - first) * slots
                for k in range(slots):
                    work[target + k] = space.sigma[at + k]
        elif tree.symbol[node] == DECISION:
            elsewhere = tables.averages.offset[block_of(layout.edge_block, first, board)] == ELSEWHERE
            if elsewhere and not open_node(layout, tables, coarse, player, level, board, node, slots, space):
                return False
            for edge in range(first, last):
                child = tree.child[edge]
                reached = reaches(work, tree.other_row[player, child] * slots, slots)
                if not reached and is_untouched(layout, tables, board, edge):
                    entered[child - start : layout.stop[child] - start] = LEFT_OUT
        node += 1
    return True


@internal
def is_untouched(layout, tables, board, edge):  # type: ignore[no-untyped-def]
    """Whether the other player has no hand that takes an action, and what follows has no tables of its own yet.

    It gets them for all hands together when that player begins to come there.
    """
    child = layout.tree.child[edge]
    if layout.tree.symbol[child] != DECISION:
        return False
    if tables.regrets.offset[block_of(layout.edge_block, edge, board)] >= 0:
        return False
    block = block_of(layout.edge_block, layout.tree.first_edge[child], board)
    return tables.averages.offset[block] == ELSEWHERE


@internal
def clear_values(tree, player, first, stop, start, slots, work, entered):  # type: ignore[no-untyped-def]
    """Set the values and reaches of a branch that the other player never reached to 0."""
    for node in range(first, stop):
        value, reach = tree.value_row[node] * slots, tree.other_row[player, node] * slots
        work[value : value + slots] = 0
        work[reach : reach + slots] = 0
        entered[node - start] = 1


@internal
def store_behind(layout, view, tables, step, player, level, board, root, space, last, scratch, alive):  # type: ignore[no-untyped-def]
    """Store what the response whose values are in `space` plays behind a node; False if there is no room."""
    tree, coarse = layout.tree, view.coarse
    slots, stop = space.boards.hand.shape[1], layout.stop[root]
    if not store_branch(layout, tables, step, coarse, player, level, board, root, stop, slots, space, alive):
        return False
    if level == tree.rounds - 1:
        return True
    boards = layout.last
    inner = boards.hand.shape[1]
    hands = last.total[3 * inner : 4 * inner]
    for node in range(root, stop):
        own = tree.own_row[player, node] * slots
        if (
            tree.symbol[node] != DEAL
            or space.entered[node - root] != 1
            or not reaches(space.work, own, slots)
        ):
            continue
        begin, end = boards.subtree[layout.below[node], 0], boards.subtree[layout.below[node], 1]
        source, target = tree.other_row[player, node] * slots, tree.other_row[player, begin] * inner
        for after in range(len(boards.hand)):
            gather(boards, after, inner, space.work, own, hands, 0)
            if not reaches(hands, 0, inner):
                continue
            gather(boards, after, inner, space.work, source, last.work, target)
            reach_down(layout, view, player, 1, after, begin, end, inner, last, scratch)
            values_up(layout, view, player, after, begin, end, inner, last, False)
            if not store_branch(
                layout, tables, step, coarse, player, 1, after, begin, end, inner, last, hands
            ):
                return False
    return True
