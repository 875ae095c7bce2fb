"""Compiled walks of CFR over a public game, depth first, which store nothing but the tables and the path.

A walk goes down one subtree on one board with the reaches of all hands as a vector, evaluates terminals on the
way, and comes back up with the traverser's values. At deals it goes through the subtrees of the last round, board
by board. It leaves out what the other player does not reach (partial pruning; Brown and Sandholm 2017, section 3),
and the traverser's actions for which nothing is stored. A walk of its own adds a player's strategy to the average.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public import terminals
from solvent.engines.public.kernels import average_over_orbits, gather, scatter
from solvent.engines.public.pruned.hand_blocks import WORD, block_of, holds
from solvent.forms.public.game import CARDS, DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled, joined
from solvent.foundation.kernels.intrinsics import lowest_bit

Array = Any

MISSING = -1.0
"""Stands for the regret of an action for which nothing is stored; it is played with probability 0."""


class StoredTables(NamedTuple):
    """Regrets and averages by edge and board, and sums of values by node and board (see `hand_blocks`)."""

    regrets: Any
    regret: Array
    gap: Array
    """Regrets that may be below 0, weighted like the average; empty where `regret` has them."""
    seen: Array
    """The regrets that strategies come from: `regret` itself, or with simultaneous updates a copy of it."""
    averages: Any
    average: Array
    values: Any
    value: Array
    """sum v(I), weighted like the average; empty where nothing is pruned for good."""
    bound: Array
    """The largest gap that a pruned action of an infoset can have by now: see `track`."""
    failed: Array
    """int64[blocks of nodes + 1]: blocks of nodes with a bound above 0, and last their number."""


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
    least: float
    """Share of what could be won that a gap must reach for pruning to pay for its end; 0 with the paper's tests."""
    mean: float
    """Mean weight of the iterations so far in gaps, beside 1 in regrets, where the two are apart."""
    best_only: bool
    """Whether the actions that a best response does not take are pruned as soon as an action returns."""


class Workspace(NamedTuple):
    """Vectors of one walk at one level: the first round's, or the last round's."""

    boards: Any
    work: Array
    """float[rows x slots]: see `solvent.engines.public.kernels.Tree` for the rows."""
    entered: Array
    """uint8[nodes of a subtree]: whether the walk came there."""
    hands: Array
    """int32[nodes of a subtree]: the traverser's hands that came there."""
    sigma: Array
    """float64[actions x slots]: the strategy at a node."""
    total: Array
    """float64[4 x slots]: sums over actions."""
    cards: Array
    """float64[52]: sums over the hands that hold each card."""


@internal_compiled
def make_workspace(layout, boards):  # type: ignore[no-untyped-def]
    """Make the vectors of a walk over the boards of one round."""
    tree = layout.tree
    slots = boards.hand.shape[1]
    nodes = 0
    for s in range(len(boards.subtree)):
        nodes = max(nodes, boards.subtree[s, 1] - boards.subtree[s, 0])
    actions = 1
    for node in range(len(tree.symbol)):
        actions = max(actions, tree.first_edge[node + 1] - tree.first_edge[node])
    return Workspace(
        boards,
        np.zeros(tree.rows * slots, dtype=tree.root_reach.dtype),
        np.zeros(nodes, dtype=np.uint8),
        np.zeros(nodes, dtype=np.int32),
        np.zeros(actions * slots),
        np.zeros(4 * slots),
        np.zeros(CARDS),
    )


@joined
def pass_by(layout, entered, start, node):  # type: ignore[no-untyped-def]
    """Mark a node that a walk does not come to, and all behind it, as not entered; returns the node after those."""
    # One branch a call: LLVM clears it with memset, but not within a loop over branches.
    for behind in range(node, layout.stop[node]):
        entered[behind - start] = 0
    return layout.stop[node]


@joined
def reaches(work, at, slots):  # type: ignore[no-untyped-def]
    """Whether a row of the workspace is not 0 everywhere."""
    for k in range(slots):  # noqa: SIM110 (any() does not compile)
        if work[at + k] != 0:
            return True
    return False


@joined
def match(layout, regrets, seen, node, board, slots, sigma, total):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R) over the actions that are stored for a hand, uniform where nothing is positive."""
    first, last = layout.tree.first_edge[node], layout.tree.first_edge[node + 1]
    # Loops, and a case for actions of which nothing is stored: slices take a tenth longer where hands are few.
    for hand in range(slots):
        total[hand] = 0.0
        total[slots + hand] = 0.0
    for edge in range(first, last):
        at = (edge - first) * slots
        block = block_of(layout.edge_block, edge, board)
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
def evaluate_terminal(layout, player, level, board, node, slots, space, scratch):  # type: ignore[no-untyped-def]
    """Compute what the traverser's hands win at one terminal, against the other player's reach of it."""
    tree, boards, work = layout.tree, space.boards, space.work
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
        average_over_orbits(tree.orbit, work, won, space.total)


@internal
def go_down(layout, tables, step, player, level, board, start, stop, slots, space, scratch):  # type: ignore[no-untyped-def]
    """Carry reach from a subtree's root to all that the walk comes to, and evaluate the terminals there.

    Returns the pairs of a node and one of the traverser's hands that it came to.
    """
    tree, work, entered = layout.tree, space.work, space.entered
    touched = 0
    entered[0], space.hands[0] = 1, slots
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(layout, entered, start, node)
            continue
        hands = space.hands[node - start]
        touched += hands
        symbol = tree.symbol[node]
        if symbol >= 0:
            evaluate_terminal(layout, player, level, board, node, slots, space, scratch)
        elif symbol == DECISION:
            first, last = tree.first_edge[node], tree.first_edge[node + 1]
            mine = tree.player[node] == player
            if not mine:
                match(layout, tables.regrets, tables.seen, node, board, slots, space.sigma, space.total)
            source = tree.other_row[player, node] * slots
            for edge in range(first, last):
                child = tree.child[edge]
                if mine:
                    block = block_of(layout.edge_block, edge, board)
                    # Pruned terminals are entered too: their bounds grow by what they pay.
                    entered[child - start] = tables.regrets.offset[block] >= 0 or tree.symbol[child] >= 0
                    space.hands[child - start] = tables.regrets.count[block]
                    continue
                target = tree.other_row[player, child] * slots
                at = (edge - first) * slots
                for k in range(slots):
                    work[target + k] = work[source + k] * space.sigma[at + k]
                entered[child - start] = step.whole or reaches(work, target, slots)
                space.hands[child - start] = hands
        node += 1
    return touched


@internal
def come_up(layout, tables, step, player, level, board, start, stop, slots, space):  # type: ignore[no-untyped-def]
    """Carry values from terminals and deals back to the root, and update the traverser's tables on the way."""
    tree, work, entered = layout.tree, space.work, space.entered
    for node in range(stop - 1, start - 1, -1):
        if not entered[node - start] or tree.symbol[node] != DECISION:
            continue
        if tree.player[node] == player:
            learn(layout, tables, step, player, level, board, node, slots, space)
            continue
        value = tree.value_row[node] * slots
        work[value : value + slots] = 0
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            child = tree.child[edge]
            if entered[child - start]:
                below = tree.value_row[child] * slots
                for k in range(slots):
                    work[value + k] += work[below + k]


@joined
def learn(layout, tables, step, player, level, board, node, slots, space):  # type: ignore[no-untyped-def]
    """Find v(I) of a node's infosets from the values of its actions; update regrets, sums of values and bounds."""
    tree, work, sigma, total = layout.tree, space.work, space.sigma, space.total
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    value = tree.value_row[node] * slots
    match(layout, tables.regrets, tables.seen, node, board, slots, sigma, total)
    for k in range(slots):
        total[k] = 0.0
    for edge in range(first, last):
        if tables.regrets.offset[block_of(layout.edge_block, edge, board)] < 0:
            continue
        at, below = (edge - first) * slots, tree.value_row[tree.child[edge]] * slots
        for k in range(slots):
            total[k] += sigma[at + k] * work[below + k]
    for k in range(slots):
        work[value + k] = total[k]
    for edge in range(first, last):
        block = block_of(layout.edge_block, edge, board)
        count = tables.regrets.count[block]
        if count == 0:
            continue
        below = tree.value_row[tree.child[edge]] * slots
        place = tables.regrets.offset[block]
        if count == slots and len(tables.gap) == 0:
            for k in range(slots):
                gained = work[below + k] - total[k]
                tables.regret[place + k] = max(tables.regret[place + k] + step.gain * gained, step.floor)
            continue
        for word in range(tables.regrets.mask.shape[1]):
            bits = tables.regrets.mask[block, word]
            while bits:
                k = word * WORD + lowest_bit(bits)
                bits &= bits - 1
                gained = work[below + k] - total[k]
                tables.regret[place] = max(tables.regret[place] + step.gain * gained, step.floor)
                if len(tables.gap):
                    tables.gap[place] += step.average * gained
                place += 1
    if len(tables.value):
        track(layout, tables, step, player, level, board, node, slots, space)


@joined
def track(layout, tables, step, player, level, board, node, slots, space):  # type: ignore[no-untyped-def]
    """Add an iteration, with v(I) in `space.total`, to the sums of a node's infosets and to their bounds.

    A pruned action stays pruned by the paper's dynamic test (Brown and Sandholm 2017, section 4), with t0 the
    iteration of its last best response and t1 this one:

        t0 psi^t0(I, a) + sum_{t0 < t <= t1} pi_-i^t(I) U(I, a)  <=  sum_{t <= t1} v^t(I).

    The bound is the left side less the right, the largest of the infoset's pruned actions. Where an action ends the
    game what it pays takes the place of pi_-i^t(I) U(I, a).
    """
    tree, total, values = layout.tree, space.total, tables.values
    most, reach = total[slots : 2 * slots], total[2 * slots : 3 * slots]
    known = False
    most[:] = -np.inf
    for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
        block = block_of(layout.edge_block, edge, board)
        if tables.regrets.count[block] == slots:
            continue
        child = tree.child[edge]
        if tree.symbol[child] >= 0:
            below = tree.value_row[child] * slots
            for k in range(slots):
                if not holds(tables.regrets, block, k):
                    most[k] = max(most[k], float(space.work[below + k]))
            continue
        if not known:
            reach_against(layout, player, level, board, node, slots, space, reach)
            known = True
        for k in range(slots):
            if not holds(tables.regrets, block, k):
                most[k] = max(most[k], layout.most[edge] * reach[k])
    block = block_of(layout.node_block, node, board)
    place = values.offset[block]
    failing = False
    for word in range(values.mask.shape[1]):
        bits = values.mask[block, word]
        while bits:
            k = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            tables.value[place] += step.average * total[k]
            if most[k] > -np.inf:
                tables.bound[place] += step.average * (most[k] - total[k])
                failing |= tables.bound[place] > 0.0
            place += 1
    if failing:
        count = tables.failed[-1]
        tables.failed[count] = block
        tables.failed[-1] = count + 1


@joined
def reach_against(layout, player, level, board, node, slots, space, reach):  # type: ignore[no-untyped-def]
    """Compute pi_-i(I) of every hand: the summed reach of the other player's hands that fit beside it."""
    tree, boards, work = layout.tree, space.boards, space.work
    source = tree.other_row[player, node] * slots
    reach[:] = 0.0
    if boards.card.shape[1] == 0:
        matrix = layout.chances[player, level * len(layout.top.hand) + board]
        for other in range(slots):
            arrives = float(work[source + other])
            if arrives != 0.0:
                for k in range(slots):
                    reach[k] += arrives * matrix[other, k]
        return
    card = boards.card[board]
    space.cards[:] = 0.0
    everyone = 0.0
    for k in range(slots):
        arrives = float(work[source + k])
        everyone += arrives
        space.cards[card[k, 0]] += arrives
        space.cards[card[k, 1]] += arrives
    ranges = tree.own_range[player]
    for k in range(slots):
        reach[k] = everyone - space.cards[card[k, 0]] - space.cards[card[k, 1]] + work[source + k]
        if len(ranges):
            reach[k] *= ranges[boards.hand[board, k]]


@compiled
def walk(layout, tables, step, player):  # type: ignore[no-untyped-def]
    """Run one player's pass over regrets, sums of values and bounds; returns the nodes x hands that it came to."""
    tree = layout.tree
    tables.failed[-1] = 0
    top, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    slots, below = layout.top.hand.shape[1], layout.last
    inner = below.hand.shape[1]
    scratch = sweep_scratch(layout)
    stop = layout.top.subtree[0, 1]
    root = tree.other_row[player, 0] * slots
    top.work[root : root + slots] = tree.root_reach[player]
    touched = go_down(layout, tables, step, player, 0, 0, 0, stop, slots, top, scratch)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        begin, end = below.subtree[layout.below[node], 0], below.subtree[layout.below[node], 1]
        source, value = tree.other_row[player, node] * slots, tree.value_row[node] * slots
        target = tree.other_row[player, begin] * inner
        top.work[value : value + slots] = 0
        for board in range(len(below.hand)):
            gather(below, board, inner, top.work, source, last.work, target)
            if not step.whole and not reaches(last.work, target, inner):
                continue
            touched += go_down(layout, tables, step, player, 1, board, begin, end, inner, last, scratch)
            come_up(layout, tables, step, player, 1, board, begin, end, inner, last)
            scatter(below, board, inner, last.work, tree.value_row[begin] * inner, top.work, value)
        if len(tree.orbit):
            average_over_orbits(tree.orbit, top.work, value, top.total)
    come_up(layout, tables, step, player, 0, 0, 0, stop, slots, top)
    return touched


@internal_compiled
def sweep_scratch(layout):  # type: ignore[no-untyped-def]
    """Make the scratch of terminals on sorted hands, for boards of any round."""
    slots = max(layout.top.hand.shape[1], layout.last.hand.shape[1])
    sorts = layout.last.card.shape[1] > 0
    return terminals.scratch_space(layout.tree.root_reach, slots, terminals.SWEPT, sorts, layout.tree.rows)


# The average


@joined
def spread_average(layout, tables, weight, player, board, start, stop, slots, space):  # type: ignore[no-untyped-def]
    """S += weight x own reach, from a subtree's root to all that the player reaches.

    Averages have a number wherever the player's regrets have one.
    """
    tree, work, entered, averages = layout.tree, space.work, space.entered, tables.averages
    entered[0] = 1
    node = start
    while node < stop:
        if not entered[node - start]:
            node = pass_by(layout, entered, start, node)
            continue
        mine = tree.symbol[node] == DECISION and tree.player[node] == player
        if mine:
            match(layout, tables.regrets, tables.regret, node, board, slots, space.sigma, space.total)
        first, source = tree.first_edge[node], tree.own_row[player, node] * slots
        for edge in range(first, tree.first_edge[node + 1]):
            child, at = tree.child[edge], (edge - first) * slots
            block = block_of(layout.edge_block, edge, board)
            entered[child - start] = not mine
            if not mine or tables.regrets.offset[block] < 0:
                continue
            target = tree.own_row[player, child] * slots
            for k in range(slots):
                work[target + k] = work[source + k] * space.sigma[at + k]
            if not reaches(work, target, slots):
                continue
            entered[child - start] = tree.symbol[child] < 0
            place = averages.offset[block]
            if averages.count[block] == slots:
                for k in range(slots):
                    tables.average[place + k] += weight * work[target + k]
                continue
            for word in range(averages.mask.shape[1]):
                bits = averages.mask[block, word]
                while bits:
                    tables.average[place] += weight * work[target + word * WORD + lowest_bit(bits)]
                    place += 1
                    bits &= bits - 1
        node += 1


@compiled
def add_averages(layout, tables, weight, player):  # type: ignore[no-untyped-def]
    """Add one player's current strategy, times own reach and `weight`, to the averages."""
    tree = layout.tree
    top, last = make_workspace(layout, layout.top), make_workspace(layout, layout.last)
    slots, below = layout.top.hand.shape[1], layout.last
    inner = below.hand.shape[1]
    stop = layout.top.subtree[0, 1]
    root = tree.own_row[player, 0] * slots
    top.work[root : root + slots] = 1
    spread_average(layout, tables, weight, player, 0, 0, stop, slots, top)
    for node in range(stop):
        if not top.entered[node] or tree.symbol[node] != DEAL:
            continue
        begin, end = below.subtree[layout.below[node], 0], below.subtree[layout.below[node], 1]
        source, target = tree.own_row[player, node] * slots, tree.own_row[player, begin] * inner
        for board in range(len(below.hand)):
            gather(below, board, inner, top.work, source, last.work, target)
            if reaches(last.work, target, inner):
                spread_average(layout, tables, weight, player, board, begin, end, inner, last)
