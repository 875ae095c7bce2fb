"""Compiled best responses on a public game, against the other player's cumulative strategy.

They value what lies behind an action, or the whole game. Where an action returns from being pruned, they also
say what is stored behind it from then on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.forms.public import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled
from solvent.passes import terminals
from solvent.solvers.pruned.public.hand_blocks import ABSENT, ELSEWHERE, add_hands, expand, holds
from solvent.solvers.pruned.public.walk_kernels import (
    MISSING,
    equalise,
    gather,
    make_room,
    pass_by,
    scatter,
    some,
    terminal,
)

Array = Any

LEFT_OUT = 2
"""Stands in `Room.entered` for a branch of which nothing is stored."""
FAINT = 2.0**-60
"""Scale of regrets that make regret matching play a strategy and vanish beside the regrets it then learns."""
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
    return terminals.scratch_space(ground.tree.root_reach, slots, terminals.SWEEP, sorts, ground.tree.rows)


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


# What returns


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
        if not add_hands(reset.averages, block, slots, alive, reset.average, reset.average[:0]):
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
                if is_elsewhere(ground, reset.averages, coarse, board, edge):
                    for behind in range(child, ground.stop[child]):
                        entered[behind - start] = LEFT_OUT
        node += 1
    return True


@internal
def is_elsewhere(ground, averages, coarse, board, edge):  # type: ignore[no-untyped-def]
    """Whether an action is one that the coarse game lacks, and there are no tables yet behind it on a board."""
    child = ground.tree.child[edge]
    if len(coarse.edge) == 0 or coarse.edge[edge] >= 0 or ground.tree.symbol[child] != DECISION:
        return False
    return (
        averages.offset[
            ground.edge_block[ground.tree.first_edge[child], 0]
            + board * ground.edge_block[ground.tree.first_edge[child], 1]
        ]
        == ELSEWHERE
    )


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
