"""Compiled steps of total pruning on a public game: what begins to be pruned, what returns, what is forgotten.

The test is that of Brown and Sandholm (2017): an action is pruned at iteration T while T psi(I, a) <= sum v(I),
where psi is its counterfactual best-response value against the other player's average. What regrets say of it
needs no response: T psi(I, a) - sum v(I) = R(I, a) + the largest such gap of each infoset that follows.
"""

from __future__ import annotations

import numpy as np

from solvent.engines.public.pruned.hand_blocks import (
    ELSEWHERE,
    add_hands,
    expand,
    holds,
    remove_hands,
)
from solvent.engines.public.pruned.response_kernels import (
    SLACK,
    respond,
    seen_at,
    sweep_scratch,
)
from solvent.engines.public.pruned.store_kernels import store_behind, write_gap
from solvent.engines.public.pruned.walk_kernels import equalise, gather, make_room, pass_by, scatter
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal

# What begins to be pruned


@internal
def go_down_stored(ground, held, averages, player, board, start, stop, slots, room):  # type: ignore[no-untyped-def]
    """Enter everything that is stored for the player in a subtree; terminals have no gaps behind them."""
    tree, entered = ground.tree, room.entered
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(ground, entered, start, node)
            continue
        if tree.symbol[node] >= 0:
            value = tree.value_row[node] * slots
            room.work[value : value + slots] = 0
        elif tree.symbol[node] == DECISION:
            first, last = tree.first_edge[node], tree.first_edge[node + 1]
            mine = tree.player[node] == player
            empty = (
                not mine
                and averages.offset[ground.edge_block[first, 0] + board * ground.edge_block[first, 1]]
                == ELSEWHERE
            )
            for edge in range(first, last):
                stored = (
                    held.regrets.offset[ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]] >= 0
                )
                entered[tree.child[edge] - start] = stored if mine else not empty
        node += 1


@internal
def prune_up(ground, held, seen, least, player, level, board, start, stop, slots, room, lost):  # type: ignore[no-untyped-def]
    """Gaps from the ends of a subtree to its root; the actions whose gaps are below 0 are pruned on the way."""
    tree, work, entered = ground.tree, room.work, room.entered
    pruned = 0
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        value = tree.value_row[node] * slots
        if tree.player[node] == player:
            pruned += prune_node(ground, held, seen, least, player, level, board, node, slots, room, lost)
            continue
        work[value : value + slots] = 0
        for edge in range(first, last):
            child = tree.child[edge]
            if entered[child - start]:
                below = tree.value_row[child] * slots
                for k in range(slots):
                    # Behind an action that the other player has never had, nothing is stored: no gap, not -inf.
                    if work[below + k] > -np.inf:
                        work[value + k] += work[below + k]
    return pruned


@internal
def prune_node(ground, held, seen, least, player, level, board, node, slots, room, lost):  # type: ignore[no-untyped-def]
    """Prune the actions of a node whose gaps are below 0; its row becomes the largest gap of each infoset."""
    tree, work, total = ground.tree, room.work, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    largest = tree.value_row[node] * slots
    values, gap = held.values, held.gap if len(held.gap) else held.regret
    block = ground.node_block[node, 0] + board * ground.node_block[node, 1]
    live, value, bound = total[:slots], total[slots : 2 * slots], total[2 * slots : 3 * slots]
    expand(values, held.value, block, slots, value, 0, 0.0)
    expand(values, held.bound, block, slots, bound, 0, -np.inf)
    for k in range(slots):
        live[k] = 0.0
        work[largest + k] = bound[k]
    for edge in range(first, last):
        at = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if held.regrets.offset[at] >= 0:
            for k in range(slots):
                live[k] += holds(held.regrets, at, k)
    reach = 0.0
    if least > 0.0:
        seen_at(ground, seen, player, level, board, node, slots, room)
        source = tree.other_row[player, node] * slots
        for k in range(slots):
            reach += work[source + k]
    pruned = 0
    gone = total[3 * slots : 4 * slots]
    for edge in range(first, last):
        at = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if held.regrets.offset[at] < 0:
            continue
        below = tree.value_row[tree.child[edge]] * slots
        place = held.regrets.offset[at]
        count = 0
        for k in range(slots):
            gone[k] = 0.0
            if not holds(held.regrets, at, k):
                continue
            here = gap[place] + work[below + k]
            short = -here < least * (ground.most[edge] * reach - value[k])
            if (
                here < -SLACK * (1.0 + abs(value[k]))
                and held.regret[place] <= 0.0
                and live[k] > 1.0
                and not short
            ):
                gone[k] = 1.0
                live[k] -= 1.0
                bound[k] = max(bound[k], here)
                count += 1
            work[largest + k] = max(work[largest + k], here)
            place += 1
        if count:
            pruned += count
            remove_hands(held.regrets, at, slots, gone, held.regret, held.gap)
            drop_behind(ground, held, player, level, board, tree.child[edge], gone, lost)
    if pruned:
        place = values.offset[block]
        for k in range(slots):
            if holds(values, block, k):
                held.bound[place] = bound[k]
                place += 1
    return pruned


@internal
def drop_behind(ground, held, player, level, board, root, gone, lost):  # type: ignore[no-untyped-def]
    """Forget a player's regrets and sums of values behind a node for the hands with `gone`; averages stay."""
    tree = ground.tree
    drop_nodes(ground, held, player, board, root, ground.stop[root], len(gone), gone)
    if level == tree.rounds - 1:
        return
    boards = ground.last
    inner = boards.hand.shape[1]
    for node in range(root, ground.stop[root]):
        if tree.symbol[node] != DEAL:
            continue
        begin, end = boards.subtree[ground.below[node], 0], boards.subtree[ground.below[node], 1]
        for after in range(len(boards.hand)):
            gather(boards, after, inner, gone, 0, lost, 0)
            drop_nodes(ground, held, player, after, begin, end, inner, lost)


@internal
def drop_nodes(ground, held, player, board, start, stop, slots, gone):  # type: ignore[no-untyped-def]
    """Forget regrets and sums of values of hands at a player's nodes in a slice of a subtree."""
    tree = ground.tree
    for node in range(start, stop):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        block = ground.node_block[node, 0] + board * ground.node_block[node, 1]
        if held.values.offset[block] < 0:
            continue
        remove_hands(held.values, block, slots, gone, held.value, held.bound)
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            remove_hands(
                held.regrets,
                ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1],
                slots,
                gone,
                held.regret,
                held.gap,
            )


@compiled
def begin(ground, held, seen, least, player):  # type: ignore[no-untyped-def]
    """Prune, for one player, what best responses could not have made worth playing; returns how many actions."""
    tree = ground.tree
    top, last = make_room(ground, ground.top), make_room(ground, ground.last)
    slots, below = ground.top.hand.shape[1], ground.last
    inner = below.hand.shape[1]
    lost = np.zeros(inner)
    stop = ground.top.subtree[0, 1]
    pruned = 0
    go_down_stored(ground, held, seen.averages, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        begin_node, end = below.subtree[ground.below[node], 0], below.subtree[ground.below[node], 1]
        value = tree.value_row[node] * slots
        top.work[value : value + slots] = 0
        for board in range(len(below.hand)):
            go_down_stored(ground, held, seen.averages, player, board, begin_node, end, inner, last)
            pruned += prune_up(
                ground, held, seen, least, player, 1, board, begin_node, end, inner, last, lost
            )
            add_gaps(below, board, inner, last.work, tree.value_row[begin_node] * inner, top.work, value)
        if len(tree.orbit):
            equalise(tree.orbit, top.work, value, top.total)
    return pruned + prune_up(ground, held, seen, least, player, 0, 0, 0, stop, slots, top, lost)


@internal
def add_gaps(boards, board, slots, work, source, above, target):  # type: ignore[no-untyped-def]
    """Add a board's gaps to those of the deal node before it; hands of which nothing is stored have none."""
    for k in range(slots):
        if work[source + k] == -np.inf:
            work[source + k] = 0
    scatter(boards, board, slots, work, source, above, target)


# What returns


@internal
def settle_edge(ground, seen, reset, least, player, level, board, edge, hands, room, last, scratch):  # type: ignore[no-untyped-def]
    """Measure a pruned action by a best response, for some hands; store again what may pay.

    `hands` is float64[4 x slots]: for which hands (1 or 0), sum v(I), the bound to come, and space. Returns the
    nodes touched, or -1 if there is no room.
    """
    child, slots = ground.tree.child[edge], len(hands) // 4
    touched = respond(ground, seen, player, level, board, child, room, last, scratch, False)
    won = ground.tree.value_row[child] * slots
    reach = 0.0
    if least > 0.0:
        source = ground.tree.other_row[player, child] * slots
        for k in range(slots):
            reach += room.work[source + k]
    returns = hands[3 * slots :]
    block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
    count = 0
    for k in range(slots):
        returns[k] = 0.0
        if hands[k] == 0.0 or holds(reset.regrets, block, k):
            continue
        value = hands[slots + k]
        gap = float(room.work[won + k]) - value
        short = -gap < least * (ground.most[edge] * reach - value)
        if gap < -SLACK * (1.0 + abs(value)) and not short:
            hands[2 * slots + k] = max(hands[2 * slots + k], gap)
        else:
            returns[k] = 1.0
            count += 1
    if count == 0:
        return touched
    if not add_hands(reset.averages, block, slots, returns, reset.average, reset.average[:0]):
        return -1
    if ground.tree.symbol[child] < 0 and not store_behind(
        ground, seen, reset, player, level, board, child, room, last, scratch, returns
    ):
        return -1
    # The action itself comes last: as long as it is not stored, a second call does all of this again.
    if not add_hands(reset.regrets, block, slots, returns, reset.regret, reset.gap):
        return -1
    place = reset.regrets.offset[block]
    for k in range(slots):
        if holds(reset.regrets, block, k):
            if returns[k] != 0.0:
                write_gap(reset, place, float(room.work[won + k]) - hands[slots + k])
            place += 1
    return touched


@compiled
def settle(ground, seen, reset, least, player, failed, first, counts):  # type: ignore[no-untyped-def]
    """Measure the pruned actions of infosets whose bounds have come above 0, blocks `failed[first:]`.

    Returns how many blocks are settled; fewer than there are if there was no room. `counts[0]` grows by the nodes x
    hands touched; `counts[1]` is the edge for which there was no room, so that those before it count once.
    """
    tree = ground.tree
    top, last = make_room(ground, ground.top), make_room(ground, ground.last)
    scratch = sweep_scratch(ground)
    most = max(ground.top.hand.shape[1], ground.last.hand.shape[1])
    everyone = np.zeros(4 * most)
    for n in range(first, len(failed)):
        block = failed[n]
        node = ground.block_node[block]
        board = (block - ground.node_block[node, 0]) // ground.node_block[node, 1]
        level = ground.level[node]
        slots = (top if level == 0 else last).boards.hand.shape[1]
        hands = everyone[: 4 * slots]
        place, count = reset.values.offset[block], 0
        for k in range(slots):
            hands[k] = 0.0
            hands[2 * slots + k] = -np.inf
            if holds(reset.values, block, k):
                # A response values all hands alike: those whose bounds hold are measured anew too.
                if reset.bound[place] > -np.inf:
                    hands[k] = 1.0
                    hands[slots + k] = reset.value[place]
                    count += 1
                place += 1
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            at = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
            some_pruned = False
            for k in range(slots):
                some_pruned |= hands[k] != 0.0 and not holds(reset.regrets, at, k)
            if not some_pruned:
                continue
            room = top if level == 0 else last
            touched = settle_edge(
                ground, seen, reset, least, player, level, board, edge, hands, room, last, scratch
            )
            if touched < 0:
                counts[1] = edge
                return n
            if n > first or edge >= counts[1]:
                counts[0] += touched * count
        place = reset.values.offset[block]
        for k in range(slots):
            if holds(reset.values, block, k):
                if hands[k] != 0.0:
                    reset.bound[place] = hands[2 * slots + k]
                place += 1
    return len(failed)


# What is forgotten


@internal
def forget_node(ground, held, averages, average, limit, board, node, slots, room, scale):  # type: ignore[no-untyped-def]
    """Take pruned actions out of the average at one node that are at most `limit` of it; the others take their
    place.

    `scale` multiplies the averages of the node's hands; 0 forgets them. Rows `room.sigma` become what multiplies
    those behind each action.
    """
    tree, sigma, total = ground.tree, room.sigma, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    live = held.values.offset[ground.node_block[node, 0] + board * ground.node_block[node, 1]] >= 0
    for k in range(slots):
        total[k] = 0.0
        total[slots + k] = 0.0
    for edge in range(first, last):
        at, block = (edge - first) * slots, ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        expand(averages, average, block, slots, sigma, at, 0.0)
        for k in range(slots):
            share = sigma[at + k]
            total[k] += share
            if holds(held.regrets, block, k) or share * scale[k] > limit:
                total[slots + k] += share
    for k in range(slots):
        stays = live and holds(
            held.values, ground.node_block[node, 0] + board * ground.node_block[node, 1], k
        )
        total[2 * slots + k] = 1.0
        if total[slots + k] > 0.0:
            total[2 * slots + k] = total[k] / total[slots + k]
        elif stays or total[k] > 0.0:
            total[slots + k] = MISSING_ALL
    gone = total[3 * slots : 4 * slots]
    for edge in range(first, last):
        at, block = (edge - first) * slots, ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if averages.offset[block] < 0:
            for k in range(slots):
                sigma[at + k] = 0.0
            continue
        count = 0
        for k in range(slots):
            gone[k] = 0.0
            keeps = total[slots + k] == MISSING_ALL or holds(held.regrets, block, k)
            keeps = keeps or sigma[at + k] * scale[k] > limit
            factor = scale[k] * total[2 * slots + k]
            sigma[at + k] = factor
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


MISSING_ALL = -1.0
"""Stands for an infoset that is played, or was, and would lose all its averages: it keeps them, as what its actions
add up to is the player's reach of it."""


@internal
def forget_subtree(ground, held, averages, average, limit, player, board, start, stop, slots, room):  # type: ignore[no-untyped-def]
    """Forget averages in a subtree on one board; rows of own reach hold what multiplies them."""
    tree, work, entered = ground.tree, room.work, room.entered
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(ground, entered, start, node)
            continue
        if tree.symbol[node] == DECISION:
            first, last = tree.first_edge[node], tree.first_edge[node + 1]
            if tree.player[node] != player:
                for edge in range(first, last):
                    entered[tree.child[edge] - start] = 1
                node += 1
                continue
            own = tree.own_row[player, node] * slots
            for edge in range(first, last):
                child, block = (
                    tree.child[edge],
                    ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1],
                )
                entered[child - start] = averages.offset[block] >= 0 and tree.symbol[child] < 0
            forget_node(
                ground, held, averages, average, limit, board, node, slots, room, work[own : own + slots]
            )
            for edge in range(first, last):
                target, at = tree.own_row[player, tree.child[edge]] * slots, (edge - first) * slots
                if target != own:
                    for k in range(slots):
                        work[target + k] = room.sigma[at + k]
        node += 1


@compiled
def forget(ground, held, averages, average, limit, player):  # type: ignore[no-untyped-def]
    """Let go of a player's averages of pruned actions, and behind them, that are at most `limit`."""
    tree = ground.tree
    top, last = make_room(ground, ground.top), make_room(ground, ground.last)
    slots, below = ground.top.hand.shape[1], ground.last
    inner = below.hand.shape[1]
    stop = ground.top.subtree[0, 1]
    root = tree.own_row[player, 0] * slots
    top.work[root : root + slots] = 1
    forget_subtree(ground, held, averages, average, limit, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if tree.symbol[node] != DEAL or not top.entered[node]:
            continue
        begin_node, end = below.subtree[ground.below[node], 0], below.subtree[ground.below[node], 1]
        source, target = tree.own_row[player, node] * slots, tree.own_row[player, begin_node] * inner
        for board in range(len(below.hand)):
            gather(below, board, inner, top.work, source, last.work, target)
            forget_subtree(
                ground, held, averages, average, limit, player, board, begin_node, end, inner, last
            )
