"""Compiled adding of a player's current strategy to the average, where the player comes."""

from __future__ import annotations

from solvent.engines.public.pruned.hand_blocks import WORD
from solvent.engines.public.pruned.walk_kernels import gather, make_room, match, pass_by, some
from solvent.forms.public.game import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal
from solvent.foundation.kernels.intrinsics import lowest_bit


@internal
def spread_average(ground, held, averages, average, weight, player, board, start, stop, slots, room):  # type: ignore[no-untyped-def]
    """S += weight x own reach, from a subtree's root to all that the player reaches.

    `averages` has a number wherever the player's regrets have one.
    """
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
            match(ground, held.regrets, held.regret, node, board, slots, room.sigma, room.total)
            source = tree.own_row[player, node] * slots
            for edge in range(first, last):
                child, at = tree.child[edge], (edge - first) * slots
                block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                entered[child - start] = 0
                if held.regrets.offset[block] < 0:
                    continue
                target = tree.own_row[player, child] * slots
                for k in range(slots):
                    work[target + k] = work[source + k] * room.sigma[at + k]
                if not some(work, target, slots):
                    continue
                entered[child - start] = tree.symbol[child] < 0
                place = averages.offset[block]
                if averages.count[block] == slots:
                    for k in range(slots):
                        average[place + k] += weight * work[target + k]
                    continue
                for word in range(averages.mask.shape[1]):
                    bits = averages.mask[block, word]
                    while bits:
                        average[place] += weight * work[target + word * WORD + lowest_bit(bits)]
                        place += 1
                        bits &= bits - 1
        node += 1


@compiled
def add_averages(ground, held, averages, average, weight, player):  # type: ignore[no-untyped-def]
    """Add one player's current strategy, times own reach and `weight`, to the averages."""
    tree = ground.tree
    top, last = make_room(ground, ground.top), make_room(ground, ground.last)
    slots, below = ground.top.hand.shape[1], ground.last
    inner = below.hand.shape[1]
    stop = ground.top.subtree[0, 1]
    root = tree.own_row[player, 0] * slots
    top.work[root : root + slots] = 1
    spread_average(ground, held, averages, average, weight, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        begin, end = below.subtree[ground.below[node], 0], below.subtree[ground.below[node], 1]
        for board in range(len(below.hand)):
            target = tree.own_row[player, begin] * inner
            gather(below, board, inner, top.work, tree.own_row[player, node] * slots, last.work, target)
            if some(last.work, target, inner):
                spread_average(
                    ground, held, averages, average, weight, player, board, begin, end, inner, last
                )
