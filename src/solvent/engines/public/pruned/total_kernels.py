"""Compiled steps of total pruning on a public game: what begins to be pruned, what returns, what is forgotten.

The tests are those of Brown and Sandholm (2017, section 4). After T iterations an action is pruned if

    T psi(I, a)  <=  sum_{t <= T} v^t(I)

where psi is its counterfactual best-response value against the other player's average. A *gap* is the left side
less the right. Regrets tell it without a response: it is R(I, a) + the largest gap of each infoset that follows.
While an action is pruned its gap is bounded (`walk_kernels.track`); where the bound comes above 0 a best response
measures the gap anew, and an action that fails the test returns (`store_kernels`). Averages of pruned actions are
forgotten by the paper's section 4.1 (`forget`).
"""

from __future__ import annotations

import numpy as np

from solvent.engines.public.kernels import average_over_orbits, gather, scatter
from solvent.engines.public.pruned.hand_blocks import (
    ELSEWHERE,
    add_hands,
    block_of,
    expand,
    holds,
    put,
    remove_hands,
)
from solvent.engines.public.pruned.response_kernels import SLACK, read_reach, respond
from solvent.engines.public.pruned.store_kernels import store_action, store_behind
from solvent.engines.public.pruned.walk_kernels import make_workspace, pass_by, sweep_scratch
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, joined

# What begins to be pruned


@internal
def go_down_stored(layout, tables, player, board, start, stop, slots, space):  # type: ignore[no-untyped-def]
    """Enter everything that is stored for the player in a subtree; terminals have no gaps behind them."""
    tree, entered = layout.tree, space.entered
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(layout, entered, start, node)
            continue
        first = tree.first_edge[node]
        if tree.symbol[node] >= 0:
            value = tree.value_row[node] * slots
            space.work[value : value + slots] = 0
        elif tree.symbol[node] == DECISION and tree.player[node] == player:
            for edge in range(first, tree.first_edge[node + 1]):
                block = block_of(layout.edge_block, edge, board)
                entered[tree.child[edge] - start] = tables.regrets.offset[block] >= 0
        elif tree.symbol[node] == DECISION:
            own = tables.averages.offset[block_of(layout.edge_block, first, board)] != ELSEWHERE
            for edge in range(first, tree.first_edge[node + 1]):
                entered[tree.child[edge] - start] = own
        node += 1


@internal
def prune_up(layout, tables, view, step, player, level, board, start, stop, slots, space, lost):  # type: ignore[no-untyped-def]
    """Carry gaps from the ends of a subtree to its root; actions whose gaps are below 0 are pruned on the way."""
    tree, work, entered = layout.tree, space.work, space.entered
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        if tree.player[node] == player:
            prune_node(layout, tables, view, step, player, level, board, node, slots, space, lost)
            continue
        value = tree.value_row[node] * slots
        work[value : value + slots] = 0
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            child = tree.child[edge]
            if entered[child - start]:
                below = tree.value_row[child] * slots
                for k in range(slots):
                    # Behind an action that the other player has never had, nothing is stored: no gap, not -inf.
                    if work[below + k] > -np.inf:
                        work[value + k] += work[below + k]


@internal
def prune_node(layout, tables, view, step, player, level, board, node, slots, space, lost):  # type: ignore[no-untyped-def]
    """Prune the actions of a node whose gaps are below 0; its row becomes the largest gap of each infoset."""
    tree, work, total, regrets = layout.tree, space.work, space.total, tables.regrets
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    largest = tree.value_row[node] * slots
    gap = tables.gap if len(tables.gap) else tables.regret
    block = block_of(layout.node_block, node, board)
    live, value, bound = total[:slots], total[slots : 2 * slots], total[2 * slots : 3 * slots]
    gone = total[3 * slots : 4 * slots]
    expand(tables.values, tables.value, block, slots, value, 0, 0.0)
    expand(tables.values, tables.bound, block, slots, bound, 0, -np.inf)
    live[:] = 0.0
    for k in range(slots):
        work[largest + k] = bound[k]
    for edge in range(first, last):
        at = block_of(layout.edge_block, edge, board)
        if regrets.offset[at] >= 0:
            for k in range(slots):
                live[k] += holds(regrets, at, k)
    reach = 0.0
    if step.least > 0.0:
        read_reach(layout, view, player, level, board, node, slots, space)
        reach = add_up(work, tree.other_row[player, node] * slots, slots)
    pruned = False
    for edge in range(first, last):
        at = block_of(layout.edge_block, edge, board)
        place = regrets.offset[at]
        if place < 0:
            continue
        below = tree.value_row[tree.child[edge]] * slots
        prunes = False
        for k in range(slots):
            gone[k] = 0.0
            if not holds(regrets, at, k):
                continue
            here = gap[place] + work[below + k]
            may = tables.regret[place] <= 0.0 and live[k] > 1.0
            if may and is_pruned(here, value[k], layout.most[edge] * reach, step):
                gone[k] = 1.0
                live[k] -= 1.0
                bound[k] = max(bound[k], here)
                prunes = True
            work[largest + k] = max(work[largest + k], here)
            place += 1
        if prunes:
            pruned = True
            remove_hands(regrets, at, slots, gone, tables.regret, tables.gap)
            drop_behind(layout, tables, player, level, board, tree.child[edge], gone, lost)
    if pruned:
        put(tables.values, tables.bound, block, slots, live, bound, 0)


@joined
def add_up(work, at, slots):  # type: ignore[no-untyped-def]
    """Add up a row of the workspace."""
    total = 0.0
    for k in range(slots):
        total += work[at + k]
    return total


@joined
def is_pruned(gap, value, most, step):  # type: ignore[no-untyped-def]
    """Whether an action of an infoset with this sum of v(I) is to be pruned, or stays so.

    Its gap is below 0 by more than rounding, and by `step.least` of what the action could have won at `most`.
    """
    return gap < -SLACK * (1.0 + abs(value)) and not -gap < step.least * (most - value)


@internal
def drop_behind(layout, tables, player, level, board, root, gone, lost):  # type: ignore[no-untyped-def]
    """Forget a player's regrets and sums of values behind a node for the hands with `gone`; averages stay."""
    tree = layout.tree
    drop_nodes(layout, tables, player, board, root, layout.stop[root], len(gone), gone)
    if level == tree.rounds - 1:
        return
    boards = layout.last
    inner = boards.hand.shape[1]
    for node in range(root, layout.stop[root]):
        if tree.symbol[node] != DEAL:
            continue
        begin, end = boards.subtree[layout.below[node], 0], boards.subtree[layout.below[node], 1]
        for after in range(len(boards.hand)):
            gather(boards, after, inner, gone, 0, lost, 0)
            drop_nodes(layout, tables, player, after, begin, end, inner, lost)


@internal
def drop_nodes(layout, tables, player, board, start, stop, slots, gone):  # type: ignore[no-untyped-def]
    """Forget regrets and sums of values of hands at a player's nodes in a slice of a subtree."""
    tree = layout.tree
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        block = block_of(layout.node_block, node, board)
        if tables.values.offset[block] < 0:
            continue
        remove_hands(tables.values, block, slots, gone, tables.value, tables.bound)
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            block = block_of(layout.edge_block, edge, board)
            remove_hands(tables.regrets, block, slots, gone, tables.regret, tables.gap)


@compiled
def begin(layout, tables, view, step, player):  # type: ignore[no-untyped-def]
    """Prune, for one player, what best responses could not have made worth playing."""
    tree = layout.tree
    top, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    slots, below = layout.top.hand.shape[1], layout.last
    inner = below.hand.shape[1]
    lost = np.zeros(inner)
    stop = layout.top.subtree[0, 1]
    go_down_stored(layout, tables, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        start, end = below.subtree[layout.below[node], 0], below.subtree[layout.below[node], 1]
        source, value = tree.value_row[start] * inner, tree.value_row[node] * slots
        top.work[value : value + slots] = 0
        for board in range(len(below.hand)):
            go_down_stored(layout, tables, player, board, start, end, inner, last)
            prune_up(layout, tables, view, step, player, 1, board, start, end, inner, last, lost)
            for k in range(inner):
                if last.work[source + k] == -np.inf:  # nothing is stored of this hand: it has no gap
                    last.work[source + k] = 0
            scatter(below, board, inner, last.work, source, top.work, value)
        if len(tree.orbit):
            average_over_orbits(tree.orbit, top.work, value, top.total)
    prune_up(layout, tables, view, step, player, 0, 0, 0, stop, slots, top, lost)


# What returns


@internal
def settle_edge(layout, view, tables, step, player, level, board, edge, hands, space, last, scratch):  # type: ignore[no-untyped-def]
    """Measure a pruned action by a best response, for some hands; store again what may pay.

    `hands` is float64[4 x slots]: for which hands (1 or 0), sum v(I), the bound to come, and space. Returns the
    nodes touched, or -1 if there is no room.
    """
    child, slots = layout.tree.child[edge], len(hands) // 4
    touched = respond(layout, view, player, level, board, child, space, last, scratch, False)
    won = layout.tree.value_row[child] * slots
    reach = 0.0
    if step.least > 0.0:
        reach = add_up(space.work, layout.tree.other_row[player, child] * slots, slots)
    returns = hands[3 * slots :]
    block = block_of(layout.edge_block, edge, board)
    count = 0
    for k in range(slots):
        returns[k] = 0.0
        if hands[k] == 0.0 or holds(tables.regrets, block, k):
            continue
        gap = float(space.work[won + k]) - hands[slots + k]
        if is_pruned(gap, hands[slots + k], layout.most[edge] * reach, step):
            hands[2 * slots + k] = max(hands[2 * slots + k], gap)
        else:
            returns[k] = 1.0
            count += 1
    if count == 0:
        return touched
    if not add_hands(tables.averages, block, slots, returns, tables.average, tables.average[:0]):
        return -1
    if layout.tree.symbol[child] < 0 and not store_behind(
        layout, view, tables, step, player, level, board, child, space, last, scratch, returns
    ):
        return -1
    # The action itself comes last: as long as it is not stored, a second call does all of this again.
    for k in range(slots):
        space.total[k] = float(space.work[won + k]) - hands[slots + k]
    if not store_action(layout, tables, step, board, edge, slots, returns, space.total):
        return -1
    return touched


@compiled
def settle(layout, view, tables, step, player, failed, first, counts):  # type: ignore[no-untyped-def]
    """Measure the pruned actions of infosets whose bounds have come above 0, blocks `failed[first:]`.

    Returns how many blocks are settled; fewer than there are if there was no room. `counts[0]` grows by the nodes x
    hands touched; `counts[1]` is the edge for which there was no room, so that those before it count once.
    """
    tree = layout.tree
    top, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    scratch = sweep_scratch(layout)
    most = max(layout.top.hand.shape[1], layout.last.hand.shape[1])
    everyone = np.zeros(4 * most)
    for n in range(first, len(failed)):
        block = failed[n]
        node = layout.block_node[block]
        board = (block - layout.node_block[node, 0]) // layout.node_block[node, 1]
        level = layout.level[node]
        space = top if level == 0 else last
        slots = space.boards.hand.shape[1]
        hands = everyone[: 4 * slots]
        expand(tables.values, tables.value, block, slots, hands, slots, 0.0)
        expand(tables.values, tables.bound, block, slots, hands, 2 * slots, -np.inf)
        count = 0
        for k in range(slots):
            # A response values all hands at once: those whose bounds hold are measured anew too.
            hands[k] = 1.0 if hands[2 * slots + k] > -np.inf else 0.0
            hands[2 * slots + k] = -np.inf
            count += hands[k] != 0.0
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            at = block_of(layout.edge_block, edge, board)
            some_pruned = False
            for k in range(slots):
                some_pruned |= hands[k] != 0.0 and not holds(tables.regrets, at, k)
            if not some_pruned:
                continue
            touched = settle_edge(
                layout, view, tables, step, player, level, board, edge, hands, space, last, scratch
            )
            if touched < 0:
                counts[1] = edge
                return n
            if n > first or edge >= counts[1]:
                counts[0] += touched * count
        put(tables.values, tables.bound, block, slots, hands, hands, 2 * slots)
    return len(failed)


# What is forgotten

MISSING_ALL = -1.0
"""Stands for an infoset that is played, or was, and would lose all its averages: it keeps them, as what its actions
add up to is the player's reach of it."""


@internal
def forget_node(layout, tables, limit, board, node, slots, space, scale):  # type: ignore[no-untyped-def]
    """Take pruned actions out of the average at one node that are at most `limit` of it, for the others' benefit.

    sigma(I, a) becomes 0 and sigma(I) is renormalised. `scale` multiplies the averages of the node's hands; 0
    forgets them. Rows `space.sigma` become what multiplies those behind each action.
    """
    tree, sigma, averages, average = layout.tree, space.sigma, tables.averages, tables.average
    total, kept = space.total[:slots], space.total[slots : 2 * slots]
    grown, gone = space.total[2 * slots : 3 * slots], space.total[3 * slots : 4 * slots]
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    node_block = block_of(layout.node_block, node, board)
    total[:] = 0.0
    kept[:] = 0.0
    for edge in range(first, last):
        at, block = (edge - first) * slots, block_of(layout.edge_block, edge, board)
        expand(averages, average, block, slots, sigma, at, 0.0)
        for k in range(slots):
            share = sigma[at + k]
            total[k] += share
            if holds(tables.regrets, block, k) or share * scale[k] > limit:
                kept[k] += share
    for k in range(slots):
        grown[k] = 1.0
        if kept[k] > 0.0:
            grown[k] = total[k] / kept[k]
        elif holds(tables.values, node_block, k) or total[k] > 0.0:
            kept[k] = MISSING_ALL
    for edge in range(first, last):
        at, block = (edge - first) * slots, block_of(layout.edge_block, edge, board)
        if averages.offset[block] < 0:
            sigma[at : at + slots] = 0.0
            continue
        count = 0
        for k in range(slots):
            gone[k] = 0.0
            keeps = kept[k] == MISSING_ALL or holds(tables.regrets, block, k)
            keeps = keeps or sigma[at + k] * scale[k] > limit
            sigma[at + k] = scale[k] * grown[k]
            if holds(averages, block, k) and (not keeps or scale[k] == 0.0):
                gone[k] = 1.0
                sigma[at + k] = 0.0
                count += 1
        if count:
            remove_hands(averages, block, slots, gone, average, average[:0])
        place = averages.offset[block]
        for k in range(slots):
            if holds(averages, block, k):
                average[place] *= sigma[at + k]
                place += 1


@internal
def forget_subtree(layout, tables, limit, player, board, start, stop, slots, space):  # type: ignore[no-untyped-def]
    """Forget averages in a subtree on one board; rows of own reach hold what multiplies them."""
    tree, work, entered = layout.tree, space.work, space.entered
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(layout, entered, start, node)
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        mine = tree.symbol[node] == DECISION and tree.player[node] == player
        own = tree.own_row[player, node] * slots
        for edge in range(first, last):
            child, block = tree.child[edge], block_of(layout.edge_block, edge, board)
            stored = tables.averages.offset[block] >= 0 and tree.symbol[child] < 0
            entered[child - start] = stored or not mine
        if mine:
            forget_node(layout, tables, limit, board, node, slots, space, work[own : own + slots])
            for edge in range(first, last):
                target, at = tree.own_row[player, tree.child[edge]] * slots, (edge - first) * slots
                if target != own:
                    for k in range(slots):
                        work[target + k] = space.sigma[at + k]
        node += 1


@compiled
def forget(layout, tables, limit, player):  # type: ignore[no-untyped-def]
    """Forget a player's averages of pruned actions, and behind them, that are at most `limit`, C T / sqrt(T)."""
    tree = layout.tree
    top, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    slots, below = layout.top.hand.shape[1], layout.last
    inner = below.hand.shape[1]
    stop = layout.top.subtree[0, 1]
    root = tree.own_row[player, 0] * slots
    top.work[root : root + slots] = 1
    forget_subtree(layout, tables, limit, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if tree.symbol[node] != DEAL or not top.entered[node]:
            continue
        start, end = below.subtree[layout.below[node], 0], below.subtree[layout.below[node], 1]
        source, target = tree.own_row[player, node] * slots, tree.own_row[player, start] * inner
        for board in range(len(below.hand)):
            gather(below, board, inner, top.work, source, last.work, target)
            forget_subtree(layout, tables, limit, player, board, start, end, inner, last)
