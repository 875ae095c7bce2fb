"""Compiled walks of CFR over a public game, depth first: nothing is stored but the tables and the way from the
root.

A walk goes down one subtree on one board with the reaches of all hands as a vector, evaluates terminals on the
way, and comes back up with the traverser's values. At deals the walk goes through the subtrees of the last
round, board by board. It leaves out what the other player does not reach (partial pruning), and the traverser's
actions for which nothing is stored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public import terminals
from solvent.engines.public.pruned.hand_blocks import WORD, holds
from solvent.forms.public.game import CARDS, DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled, joined
from solvent.foundation.kernels.intrinsics import lowest_bit

Array = Any

MISSING = -1.0
"""Stands for the regret of an action for which nothing is stored; it is played with probability 0."""


class Held(NamedTuple):
    """What is kept of regrets, by edge and board, and of sums of values, by node and board."""

    regrets: Any
    regret: Array
    gap: Array
    """Regrets that may be below 0, weighted like the average; empty where `regret` has them."""
    seen: Array
    """The regrets that strategies come from: `regret` itself, or with simultaneous updates a copy of it."""
    values: Any
    value: Array
    """sum v(I), weighted like the average; empty where nothing is pruned for good."""
    bound: Array
    """The largest gap that a pruned action of an infoset can have by now."""
    failed: Array
    """int64[blocks of nodes + 1]: blocks of nodes with a bound above 0; how many there are stands last."""


class Step(NamedTuple):
    """One iteration of a rule. Sums are plain: where a rule lets the past fade, later iterations weigh more."""

    gain: float
    """Weight of the iteration in regrets."""
    average: float
    """Its weight in the average, in gaps and in sums of values."""
    floor: float
    """Regrets do not fall below this."""
    whole: bool
    """Whether even what the other player does not reach is walked."""


class Room(NamedTuple):
    """Vectors of one walk at one level: the first round's, or the last round's."""

    boards: Any
    work: Array
    """float[rows x slots]: see `public_kernels.Tree` for the rows."""
    entered: Array
    """uint8[nodes of a subtree]: whether the walk came there."""
    hands: Array
    """int32[nodes of a subtree]: for how many of the traverser's hands."""
    sigma: Array
    """float64[actions x slots]: the strategy at a node."""
    total: Array
    """float64[4 x slots]: sums over actions."""
    cards: Array
    """float64[52]: sums over the hands that hold each card."""


@internal_compiled
def make_room(ground, boards):  # type: ignore[no-untyped-def]
    """The vectors of a walk over the boards of one round."""
    tree = ground.tree
    slots = boards.hand.shape[1]
    nodes = 0
    for s in range(len(boards.subtree)):
        nodes = max(nodes, boards.subtree[s, 1] - boards.subtree[s, 0])
    actions = 1
    for node in range(len(tree.symbol)):
        actions = max(actions, tree.first_edge[node + 1] - tree.first_edge[node])
    return Room(
        boards,
        np.zeros(tree.rows * slots, dtype=tree.root_reach.dtype),
        np.zeros(nodes, dtype=np.uint8),
        np.zeros(nodes, dtype=np.int32),
        np.zeros(actions * slots),
        np.zeros(4 * slots),
        np.zeros(CARDS),
    )


@joined
def match(ground, regrets, seen, node, board, slots, sigma, total):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R) over the actions that are stored for a hand, uniform where nothing is positive."""
    first, last = ground.tree.first_edge[node], ground.tree.first_edge[node + 1]
    for hand in range(slots):
        total[hand] = 0.0
        total[slots + hand] = 0.0
    for edge in range(first, last):
        at = (edge - first) * slots
        block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if regrets.offset[block] < 0:
            for hand in range(slots):
                sigma[at + hand] = MISSING
            continue
        if regrets.count[block] == slots:
            place = regrets.offset[block]
            for hand in range(slots):
                positive = max(float(seen[place + hand]), 0.0)
                sigma[at + hand] = positive
                total[hand] += positive
                total[slots + hand] += 1.0
            continue
        place = regrets.offset[block]
        for hand in range(slots):
            sigma[at + hand] = MISSING
        for word in range(regrets.mask.shape[1]):
            bits = regrets.mask[block, word]
            while bits:
                hand = word * WORD + lowest_bit(bits)
                bits &= bits - 1
                positive = max(float(seen[place]), 0.0)
                place += 1
                sigma[at + hand] = positive
                total[hand] += positive
                total[slots + hand] += 1.0
    for hand in range(slots):
        total[slots + hand] = 1.0 / max(1.0, total[slots + hand])
        total[2 * slots + hand] = 1.0 / total[hand] if total[hand] > 0.0 else 0.0
    for at in range(0, (last - first) * slots, slots):
        for hand in range(slots):
            positive = sigma[at + hand]
            share = positive * total[2 * slots + hand] if total[hand] > 0.0 else total[slots + hand]
            sigma[at + hand] = share if positive >= 0.0 else 0.0


@joined
def terminal(ground, player, level, board, node, slots, room, scratch):  # type: ignore[no-untyped-def]
    """What the traverser's hands win at one terminal, against the other player's reach of it."""
    tree, boards, work = ground.tree, room.boards, room.work
    won = tree.value_row[node] * slots
    if boards.card.shape[1] > 0:
        terminals.by_sweep(tree, player, boards, board, node, node + 1, slots, work, scratch)
        ranges = tree.own_range[player]
        if len(ranges):
            for k in range(slots):
                work[won + k] *= ranges[boards.hand[board, k]]
    else:
        matrix = tree.matrix[player, tree.matrix_of[tree.symbol[node], board]]
        source = tree.other_row[player, node] * slots
        stake = work.dtype.type(tree.stake[player, node])
        work[won : won + slots] = 0
        for other in range(slots):
            weight = stake * work[source + other]
            if weight != 0:
                for k in range(slots):
                    work[won + k] += weight * matrix[other, k]
    if level == 0 and len(tree.orbit):
        equalise(tree.orbit, work, won, room.total)


@joined
def pass_by(ground, entered, start, node):  # type: ignore[no-untyped-def]
    """Note that a walk does not come to a node nor to anything behind it; returns the node after those."""
    for behind in range(node, ground.stop[node]):
        entered[behind - start] = 0
    return ground.stop[node]


@joined
def equalise(orbit, work, at, space):  # type: ignore[no-untyped-def]
    """Give hands that differ only in the names of suits the mean of their values; `space` is two vectors."""
    hands = len(orbit)
    for k in range(2 * hands):
        space[k] = 0.0
    for k in range(hands):
        space[orbit[k]] += work[at + k]
        space[hands + orbit[k]] += 1.0
    for k in range(hands):
        work[at + k] = space[orbit[k]] / space[hands + orbit[k]]


@joined
def some(work, at, slots):  # type: ignore[no-untyped-def]
    """Whether a row of the workspace is not 0 everywhere."""
    for k in range(slots):  # noqa: SIM110 (any() does not compile)
        if work[at + k] != 0:
            return True
    return False


@internal
def go_down(ground, held, step, player, level, board, start, stop, slots, room, scratch):  # type: ignore[no-untyped-def]
    """Reach from a subtree's root to all that the walk comes to, and what its terminals are worth.

    Returns how many pairs of a node and one of the traverser's hands it came to.
    """
    tree, work, entered = ground.tree, room.work, room.entered
    touched = 0
    entered[0] = 1
    room.hands[0] = slots
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(ground, entered, start, node)
            continue
        hands = room.hands[node - start]
        touched += hands
        symbol = tree.symbol[node]
        if symbol >= 0:
            terminal(ground, player, level, board, node, slots, room, scratch)
        elif symbol == DECISION:
            first, last = tree.first_edge[node], tree.first_edge[node + 1]
            mine = tree.player[node] == player
            if not mine:
                match(ground, held.regrets, held.seen, node, board, slots, room.sigma, room.total)
            source = tree.other_row[player, node] * slots
            for edge in range(first, last):
                child = tree.child[edge]
                if mine:
                    block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
                    # Terminals are looked at even where they are pruned: what they pay is what their bounds
                    # grow by.
                    entered[child - start] = held.regrets.offset[block] >= 0 or tree.symbol[child] >= 0
                    room.hands[child - start] = held.regrets.count[block]
                    continue
                target = tree.other_row[player, child] * slots
                at = (edge - first) * slots
                for k in range(slots):
                    work[target + k] = work[source + k] * room.sigma[at + k]
                entered[child - start] = step.whole or some(work, target, slots)
                room.hands[child - start] = hands
        node += 1
    return touched


@internal
def come_up(ground, held, step, player, level, board, start, stop, slots, room):  # type: ignore[no-untyped-def]
    """Values from terminals and deals back to the root; regrets and sums of the traverser change on the way."""
    tree, work, entered = ground.tree, room.work, room.entered
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        value = tree.value_row[node] * slots
        if tree.player[node] == player:
            learn(ground, held, step, player, level, board, node, slots, room)
            continue
        work[value : value + slots] = 0
        for edge in range(first, last):
            child = tree.child[edge]
            if entered[child - start]:
                below = tree.value_row[child] * slots
                for k in range(slots):
                    work[value + k] += work[below + k]


@joined
def learn(ground, held, step, player, level, board, node, slots, room):  # type: ignore[no-untyped-def]
    """v(I) of a node's infosets from the values of its actions; their regrets, sums of values and bounds."""
    tree, work, sigma, total = ground.tree, room.work, room.sigma, room.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    value = tree.value_row[node] * slots
    match(ground, held.regrets, held.seen, node, board, slots, sigma, total)
    for k in range(slots):
        total[k] = 0.0
    for edge in range(first, last):
        if held.regrets.offset[ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]] < 0:
            continue
        at, below = (edge - first) * slots, tree.value_row[tree.child[edge]] * slots
        for k in range(slots):
            total[k] += sigma[at + k] * work[below + k]
    for k in range(slots):
        work[value + k] = total[k]
    for edge in range(first, last):
        block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        count = held.regrets.count[block]
        if count == 0:
            continue
        below = tree.value_row[tree.child[edge]] * slots
        place = held.regrets.offset[block]
        if count == slots and len(held.gap) == 0:
            for k in range(slots):
                gained = work[below + k] - total[k]
                held.regret[place + k] = max(held.regret[place + k] + step.gain * gained, step.floor)
            continue
        for word in range(held.regrets.mask.shape[1]):
            bits = held.regrets.mask[block, word]
            while bits:
                k = word * WORD + lowest_bit(bits)
                bits &= bits - 1
                gained = work[below + k] - total[k]
                held.regret[place] = max(held.regret[place] + step.gain * gained, step.floor)
                if len(held.gap):
                    held.gap[place] += step.average * gained
                place += 1
    if len(held.value):
        track(ground, held, step, player, level, board, node, slots, room)


@joined
def track(ground, held, step, player, level, board, node, slots, room):  # type: ignore[no-untyped-def]
    """Add an iteration, with v(I) in `room.total`, to the sums of a node's infosets and to their bounds.

    A pruned action could have won U(I, a) times the reach of all others at most, as the paper's dynamic test has
    it, or what it pays where it ends the game.
    """
    tree, total, values = ground.tree, room.total, held.values
    most, reach = total[slots : 2 * slots], total[2 * slots : 3 * slots]
    known = False
    for k in range(slots):
        most[k] = -np.inf
    for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
        block = ground.edge_block[edge, 0] + board * ground.edge_block[edge, 1]
        if held.regrets.count[block] == slots:
            continue
        child = tree.child[edge]
        if tree.symbol[child] >= 0:
            below = tree.value_row[child] * slots
            for k in range(slots):
                if not holds(held.regrets, block, k):
                    most[k] = max(most[k], float(room.work[below + k]))
            continue
        if not known:
            reach_against(ground, player, level, board, node, slots, room, reach)
            known = True
        for k in range(slots):
            if not holds(held.regrets, block, k):
                most[k] = max(most[k], ground.most[edge] * reach[k])
    block = ground.node_block[node, 0] + board * ground.node_block[node, 1]
    place = values.offset[block]
    failing = False
    for word in range(values.mask.shape[1]):
        bits = values.mask[block, word]
        while bits:
            k = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            held.value[place] += step.average * total[k]
            if most[k] > -np.inf:
                held.bound[place] += step.average * (most[k] - total[k])
                failing |= held.bound[place] > 0.0
            place += 1
    if failing:
        count = held.failed[-1]
        held.failed[count] = block
        held.failed[-1] = count + 1


@joined
def reach_against(ground, player, level, board, node, slots, room, reach):  # type: ignore[no-untyped-def]
    """Compute pi_{-i}(I) of every hand: the summed reach of the other player's hands that fit beside it."""
    tree, boards, work = ground.tree, room.boards, room.work
    source = tree.other_row[player, node] * slots
    for k in range(slots):
        reach[k] = 0.0
    if boards.card.shape[1] == 0:
        matrix = ground.chances[player, ground.first_chance[level] + board]
        for other in range(slots):
            arrives = float(work[source + other])
            if arrives != 0.0:
                for k in range(slots):
                    reach[k] += arrives * matrix[other, k]
        return
    card = boards.card[board]
    for k in range(CARDS):
        room.cards[k] = 0.0
    everyone = 0.0
    for k in range(slots):
        arrives = float(work[source + k])
        everyone += arrives
        room.cards[card[k, 0]] += arrives
        room.cards[card[k, 1]] += arrives
    ranges = tree.own_range[player]
    for k in range(slots):
        reach[k] = everyone - room.cards[card[k, 0]] - room.cards[card[k, 1]] + work[source + k]
        if len(ranges):
            reach[k] *= ranges[boards.hand[board, k]]


@internal
def gather(boards, board, slots, above, source, work, target):  # type: ignore[no-untyped-def]
    """Carry a vector at a deal node to the hands of one of the boards that follow."""
    for k in range(slots):
        work[target + k] = above[source + boards.parent_slot[board, k]]


@internal
def scatter(boards, board, slots, work, source, above, target):  # type: ignore[no-untyped-def]
    """Add what the hands of one board are worth to those of the deal node before it."""
    count = boards.multiplicity[board]
    for k in range(slots):
        above[target + boards.parent_slot[board, k]] += count * work[source + k]


@compiled
def walk(ground, held, step, player):  # type: ignore[no-untyped-def]
    """One player's pass: regrets, sums of values and bounds. Returns the nodes x hands that it came to."""
    tree = ground.tree
    held.failed[-1] = 0
    top, last = make_room(ground, ground.top), make_room(ground, ground.last)
    slots, below = ground.top.hand.shape[1], ground.last
    inner = below.hand.shape[1]
    sorts = below.card.shape[1] > 0
    scratch = terminals.scratch_space(top.work, max(slots, inner), terminals.SWEPT, sorts, tree.rows)
    stop = ground.top.subtree[0, 1]
    root = tree.other_row[player, 0] * slots
    top.work[root : root + slots] = tree.root_reach[player]
    touched = go_down(ground, held, step, player, 0, 0, 0, stop, slots, top, scratch)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        s = ground.below[node]
        begin, end = below.subtree[s, 0], below.subtree[s, 1]
        source, value = tree.other_row[player, node] * slots, tree.value_row[node] * slots
        top.work[value : value + slots] = 0
        for board in range(len(below.hand)):
            target = tree.other_row[player, begin] * inner
            gather(below, board, inner, top.work, source, last.work, target)
            if not step.whole and not some(last.work, target, inner):
                continue
            touched += go_down(ground, held, step, player, 1, board, begin, end, inner, last, scratch)
            come_up(ground, held, step, player, 1, board, begin, end, inner, last)
            scatter(below, board, inner, last.work, tree.value_row[begin] * inner, top.work, value)
        if len(tree.orbit):
            equalise(tree.orbit, top.work, value, top.total)
    come_up(ground, held, step, player, 0, 0, 0, stop, slots, top)
    return touched
