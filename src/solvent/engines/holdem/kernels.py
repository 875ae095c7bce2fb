"""One pass of a player over a hold'em game: every board of every street, down with reach and up with values.

On each board

    enter      the other's reach comes from the deal above
    descend    reach at every node, by regret matching at the other's decisions; the other's average grows too
    terminals  what the traverser's hands win against that reach
    ascend     values to the roots; at the traverser's decisions regrets change, or the best action is taken
    leave      values go to the deal above, times the boards that this one stands for

Between descend and ascend of a board come all boards after it. A pass is cut at one street, the *split*: above it
(the head) the boards are visited one street after another, each in a workspace of its own; each board of the split,
with all that follows it, is one task for a thread. A task's values are kept apart and added up in order, so the
result does not depend on threads.

The average of a player grows while the other one traverses: the reach that it is weighted by is there then. With
alternating updates player 0's average is therefore one iteration ahead of player 1's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.holdem import node_code as _node_code
from solvent.engines.holdem import row_kernels, terminals
from solvent.engines.schedule import AVERAGE, FLOOR, NEGATIVE, POSITIVE
from solvent.forms.holdem.locks import LockTables
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.kernels.compiling import inlined, internal, kernel
from solvent.foundation.kernels.intrinsics import add_to, yield_processor

Array = Any

code: Any = _node_code
"""Intrinsics, whose types only the compiler knows."""

UPDATE, RESPOND, EVALUATE, RECORD = 0, 1, 2, 3
"""Modes at the traverser's decisions: regrets change, the best action is taken, the strategy is played.

`RECORD` is `RESPOND` that also writes the value of every action into `Tables.average`."""
SPINS = 500
"""Looks of a waiting thread for the others before it lets other threads run in its place."""


class Marked(NamedTuple):
    """Nodes whose values are summed up, and decisions whose first action has given values.

    Both have an entry for each node, or none at all. A marked node has a row for each board of its street, in their
    order. Growing trees need both: sums of v(I), and the recovery game's alternative to an action that is added.
    """

    sum_row: Array
    """int64[2, nodes]: by traverser, the row of the node's first board in `sums`; -1 for none."""
    sums: Array
    """float64[rows, slots]: each pass of the traverser adds its values v, then discounts: V <- d (V + v)."""
    given_row: Array
    """int64[nodes]: the row of the node's first board in `given`; -1 for none."""
    given: Array
    """float64[rows, slots]: what the first action is worth to the player who takes it."""


UNMARKED = Marked(
    np.zeros((2, 0), dtype=np.int64), np.zeros((0, 0)), np.zeros(0, dtype=np.int64), np.zeros((0, 0))
)


class Tables(NamedTuple):
    """The tables by cell; strategies come from `played`, which is the regrets while solving."""

    average: Array
    played: Array
    average_scale: Array
    """float[...]: the scale of each decision's numbers on each board, in tables of int16; empty in others."""
    played_scale: Array
    locks: LockTables
    """The place where an action's locks begin, one for each slot of each board, whether hands are locked, and the
    tables' numbers for the probabilities."""
    marked: Marked = UNMARKED


class Spaces(NamedTuple):
    """Arrays that threads share: workspaces of the head, values that tasks return, and their clock."""

    head: Array
    """float[...]: a workspace for each board above the split."""
    head_at: Array
    """int64[boards]: where each begins."""
    results: Array
    """float[boards, subtrees, slots]: the values at the roots of the split's subtrees."""
    split: int
    """The street whose boards are tasks."""
    out: Array
    """float[2, hands]: each player's values at the start of the game, from the last pass."""
    clock: Array
    """int64[3]: the next task, threads that have arrived, how often all have."""
    requested: Array
    """int64[2]: the board and the node whose values are asked for; -1 for none."""
    kept: Array
    """float[slots]: those values."""
    threads: int


class Workspace(NamedTuple):
    """One thread's own arrays."""

    work: Array
    scratch: terminals.Scratch
    thread: int


@inlined
def bases(plan, street, board):  # type: ignore[no-untyped-def]
    """The places where a board's numbers, and the scales of its decisions, begin in tables."""
    here = plan.streets[street]
    number = board - here.first_board
    return here.table_at + number * here.board_cells, here.scale_at + number * here.decisions


@inlined
def enter(plan, street, player, board, bundle, above, work):  # type: ignore[no-untyped-def]
    """Carry the other's reach from the deals above to the roots of a bundle, on one board."""
    nodes, parent_slot = plan.nodes, plan.boards.flat.parent_slot
    count, slots = plan.boards.count[1 - player, board], plan.streets[street].slots[1 - player]
    at = terminals.slot_of(plan, street, 1 - player, board)
    for subtree in range(nodes.bundles[bundle, 2], nodes.bundles[bundle, 3]):
        root, deal = nodes.subtrees[subtree, 0], nodes.subtrees[subtree, 1]
        source = nodes.reach_at[player, deal] if deal >= 0 else plan.root_at[player]
        target = nodes.reach_at[player, root]
        for k in range(count):
            work[target + k] = above[source + parent_slot[at + k]]
        for k in range(count, slots):
            work[target + k] = 0


@inlined
def descend(plan, street, tables, mode, weights, player, board, bundle, work):  # type: ignore[no-untyped-def]
    """Reach from the roots of a bundle to all its nodes; in UPDATE the other's average grows on the way."""
    nodes, slots, (base, scale_at) = (
        plan.nodes,
        plan.streets[street].slots[1 - player],
        bases(plan, street, board),
    )
    rows, average = nodes.child_reach[player], weights[AVERAGE]
    locks, lock = tables.locks, (board - plan.streets[street].first_board) * slots
    for node in range(nodes.bundles[bundle, 0], nodes.bundles[bundle, 1]):
        if nodes.kind[node] != DECISION or nodes.player[node] == player:
            continue
        first, stop, reach = nodes.first_edge[node], nodes.first_edge[node + 1], nodes.reach_at[player, node]
        if mode == UPDATE:
            code.spread(
                work, slots, rows, first, stop, reach, tables.played, nodes.edge_at, base, tables.average, average,
                tables.average_scale, scale_at + nodes.number[node],
            )  # fmt: skip
            if locks.at[first] >= 0:
                row_kernels.keep_locks(nodes.edge_at, locks, tables.average, first, stop, base, lock, slots)
        else:
            code.split(work, slots, rows, first, stop, reach, tables.played, nodes.edge_at, base)


@inlined
def ascend(plan, street, tables, mode, weights, player, board, bundle, work):  # type: ignore[no-untyped-def]
    """Values from terminals and deals to the roots of a bundle; own decisions as `mode` says."""
    nodes, slots, (base, scale_at) = (
        plan.nodes,
        plan.streets[street].slots[player],
        bases(plan, street, board),
    )
    rows = nodes.child_value[player]
    factors = (weights[POSITIVE], weights[NEGATIVE], weights[FLOOR])
    place, marked = board - plan.streets[street].first_board, tables.marked
    locks, lock, some = tables.locks, place * slots, len(marked.given_row) > 0
    for node in range(nodes.bundles[bundle, 1] - 1, nodes.bundles[bundle, 0] - 1, -1):
        if nodes.kind[node] != DECISION:
            continue
        first, stop, value = nodes.first_edge[node], nodes.first_edge[node + 1], nodes.value_at[player, node]
        if some and marked.given_row[node] >= 0 and nodes.player[node] == player:
            row_kernels.give_values(marked, marked.given_row[node] + place, rows[first], slots, work)
        if nodes.player[node] != player:
            code.total(work, slots, rows, first, stop, value)
        elif mode == UPDATE:
            code.learn(
                work, slots, rows, first, stop, value, tables.played, nodes.edge_at, base, factors,
                tables.played_scale, scale_at + nodes.number[node],
            )  # fmt: skip
            if locks.at[first] >= 0:
                row_kernels.keep_locks(nodes.edge_at, locks, tables.played, first, stop, base, lock, slots)
        elif mode == EVALUATE or locks.at[first] >= 0:
            code.expect(work, slots, rows, first, stop, value, tables.played, nodes.edge_at, base)
            if mode != EVALUATE:
                row_kernels.respond_unlocked(locks, rows, first, stop, value, lock, slots, work)
        else:
            code.best(work, slots, rows, first, stop, value)
        if mode == RECORD and nodes.player[node] == player:
            row_kernels.record_values(nodes.edge_at, tables.average, rows, first, stop, base, slots, work)
        if some and marked.sum_row[player, node] >= 0:
            row_kernels.sum_values(
                marked, marked.sum_row[player, node] + place, value, slots, work, weights[POSITIVE]
            )


@inlined
def average_over_suits(plan, street, player, board, work, scratch):  # type: ignore[no-untyped-def]
    """Average the values at every deal over hands that renaming suits turns into each other."""
    if not plan.boards.symmetric[board]:
        return
    orbit, here = plan.boards.flat.orbit, plan.streets[street]
    at, count = terminals.slot_of(plan, street, player, board), plan.boards.count[player, board]
    sums, members = scratch.reach, scratch.won
    for k in range(count):
        members[k] = 0
    for k in range(count):
        members[orbit[at + k]] += 1
    for number in range(here.first_deal, here.stop_deal):
        value = plan.nodes.value_at[player, plan.nodes.deals[number]]
        for k in range(count):
            sums[k] = 0
        for k in range(count):
            sums[orbit[at + k]] += work[value + k]
        for k in range(count):
            work[value + k] = sums[orbit[at + k]] / members[orbit[at + k]]


@inlined
def equalise_over_suits(plan, street, player, board, bundle, work):  # type: ignore[no-untyped-def]
    """Give hands that renaming suits turns into each other the same values at the run-outs of a bundle.

    They differ by rounding alone. But where actions are worth the same, rounding would decide what is played, such
    hands would play differently, and a board could no longer stand for others. Folds and showdowns are valued by
    the same cards for all of them.
    """
    if not plan.boards.symmetric[board]:
        return
    nodes, orbit = plan.nodes, plan.boards.flat.orbit
    at, count = terminals.slot_of(plan, street, player, board), plan.boards.count[player, board]
    for number in range(plan.streets[street].first_run_out, plan.streets[street].stop_run_out):
        node = nodes.run_outs[number]
        if nodes.bundles[bundle, 0] <= node < nodes.bundles[bundle, 1]:
            value = nodes.value_at[player, node]
            for k in range(count):
                work[value + k] = work[value + orbit[at + k]]


@inlined
def copy_requested(plan, street, player, board, bundle, work, spaces):  # type: ignore[no-untyped-def]
    """Copy the values of the node that is asked for into `spaces.kept`."""
    node = spaces.requested[1]
    if spaces.requested[0] == board and plan.nodes.bundles[bundle, 0] <= node < plan.nodes.bundles[bundle, 1]:
        for k in range(plan.streets[street].slots[player]):
            spaces.kept[k] = work[plan.nodes.value_at[player, node] + k]


@internal
def open_board(plan, street, tables, mode, weights, player, board, above, work):  # type: ignore[no-untyped-def]
    """Go down the subtrees of a board before the last street."""
    here = plan.streets[street]
    enter(plan, street, player, board, here.first_bundle, above, work)
    descend(plan, street, tables, mode, weights, player, board, here.first_bundle, work)
    for number in range(here.first_deal, here.stop_deal):
        value = plan.nodes.value_at[player, plan.nodes.deals[number]]
        for k in range(here.slots[player]):
            work[value + k] = 0


@internal
def close_board(plan, street, tables, mode, weights, player, board, work, scratch, spaces):  # type: ignore[no-untyped-def]
    """Go up the subtrees of a board before the last street, once the boards after it have returned."""
    bundle = plan.streets[street].first_bundle
    average_over_suits(plan, street, player, board, work, scratch)
    terminals.evaluate(plan, street, player, board, bundle, work, scratch)
    if street != spaces.split - 1:  # `gather_results` has valued those of the street above the split
        for number in range(plan.streets[street].first_run_out, plan.streets[street].stop_run_out):
            terminals.run_out(plan, street, player, board, number, work, scratch)
    equalise_over_suits(plan, street, player, board, bundle, work)
    ascend(plan, street, tables, mode, weights, player, board, bundle, work)
    copy_requested(plan, street, player, board, bundle, work, spaces)


@inlined
def leave(plan, street, player, board, bundle, work, above):  # type: ignore[no-untyped-def]
    """Add the values at the roots of a bundle to those at the deals above."""
    nodes, parent_slot = plan.nodes, plan.boards.flat.parent_slot
    at, count = terminals.slot_of(plan, street, player, board), plan.boards.count[player, board]
    times = work.dtype.type(plan.boards.multiplicity[board])
    for subtree in range(nodes.bundles[bundle, 2], nodes.bundles[bundle, 3]):
        source = nodes.value_at[player, nodes.subtrees[subtree, 0]]
        target = nodes.value_at[player, nodes.subtrees[subtree, 1]]
        for k in range(count):
            above[target + parent_slot[at + k]] += times * work[source + k]


@inlined
def return_values(plan, street, player, board, bundle, work, results):  # type: ignore[no-untyped-def]
    """Keep the values at the roots of a bundle until all tasks are done."""
    nodes, here = plan.nodes, plan.streets[street]
    before = nodes.bundles[here.first_bundle, 2]
    for subtree in range(nodes.bundles[bundle, 2], nodes.bundles[bundle, 3]):
        source = nodes.value_at[player, nodes.subtrees[subtree, 0]]
        for k in range(plan.boards.count[player, board]):
            results[board - here.first_board, subtree - before, k] = work[source + k]


@internal
def visit_last(plan, street, tables, mode, weights, player, board, above, work, scratch, spaces):  # type: ignore[no-untyped-def]
    """Visit a board of the last street: all its subtrees, bundle by bundle."""
    here = plan.streets[street]
    for bundle in range(here.first_bundle, here.stop_bundle):
        enter(plan, street, player, board, bundle, above, work)
        descend(plan, street, tables, mode, weights, player, board, bundle, work)
        terminals.evaluate(plan, street, player, board, bundle, work, scratch)
        for number in range(here.first_run_out, here.stop_run_out):  # if nobody bets later
            if plan.nodes.bundles[bundle, 0] <= plan.nodes.run_outs[number] < plan.nodes.bundles[bundle, 1]:
                terminals.run_out(plan, street, player, board, number, work, scratch)
        equalise_over_suits(plan, street, player, board, bundle, work)
        ascend(plan, street, tables, mode, weights, player, board, bundle, work)
        copy_requested(plan, street, player, board, bundle, work, spaces)
        if street == spaces.split:
            return_values(plan, street, player, board, bundle, work, spaces.results)
        else:
            leave(plan, street, player, board, bundle, work, above)


@inlined
def street_work(plan, street, work):  # type: ignore[no-untyped-def]
    """A street's part of a thread's workspace."""
    return work[plan.streets[street].work_at : plan.streets[street].work_stop]


@inlined
def head_work(plan, street, board, spaces):  # type: ignore[no-untyped-def]
    """The workspace of a board above the split."""
    size = plan.streets[street].work_stop - plan.streets[street].work_at
    return spaces.head[spaces.head_at[board] : spaces.head_at[board] + size]


@inlined
def above_board(plan, street, board, spaces):  # type: ignore[no-untyped-def]
    """The workspace from which the reach of a board of the head or the split comes."""
    if street == 0:
        return plan.root_reach[0 : len(plan.root_reach)]
    return head_work(plan, street - 1, plan.boards.parent[board], spaces)


@inlined
def do_task(plan, tables, mode, weights, player, board, spaces, workspace):  # type: ignore[no-untyped-def]
    """Visit a board of the split and all boards after it, depth first."""
    street, last = spaces.split, len(plan.streets) - 1
    boards, scratch = plan.boards, workspace.scratch
    above, work = above_board(plan, street, board, spaces), street_work(plan, street, workspace.work)
    if street == last:
        visit_last(plan, last, tables, mode, weights, player, board, above, work, scratch, spaces)
        return
    open_board(plan, street, tables, mode, weights, player, board, above, work)
    scratch.board[street], scratch.child[street] = board, boards.first_child[board]
    while True:
        board, child = scratch.board[street], scratch.child[street]
        work = street_work(plan, street, workspace.work)
        if child < boards.stop_child[board]:
            scratch.child[street] += 1
            below = street_work(plan, street + 1, workspace.work)
            if street + 1 == last:
                visit_last(plan, last, tables, mode, weights, player, child, work, below, scratch, spaces)
            else:
                street += 1
                open_board(plan, street, tables, mode, weights, player, child, work, below)
                scratch.board[street], scratch.child[street] = child, boards.first_child[child]
        else:
            close_board(plan, street, tables, mode, weights, player, board, work, scratch, spaces)
            bundle = plan.streets[street].first_bundle
            if street == spaces.split:
                return_values(plan, street, player, board, bundle, work, spaces.results)
                return
            street -= 1
            leave(plan, street + 1, player, board, bundle, work, street_work(plan, street, workspace.work))


@inlined
def head_down(plan, tables, mode, weights, player, spaces):  # type: ignore[no-untyped-def]
    """Reach from the start of the game to the deals above the split."""
    for street in range(spaces.split):
        for board in range(plan.streets[street].first_board, plan.streets[street].stop_board):
            above = above_board(plan, street, board, spaces)
            work = head_work(plan, street, board, spaces)
            open_board(plan, street, tables, mode, weights, player, board, above, work)


@internal
def add_results(plan, street, player, board, deal, spaces, above):  # type: ignore[no-untyped-def]
    """Add what the boards after a board of the street above the split have returned, at one deal, in order."""
    nodes, boards, below = plan.nodes, plan.boards, plan.streets[street + 1]
    first, target = nodes.bundles[below.first_bundle, 2], nodes.value_at[player, nodes.deals[deal]]
    subtree = nodes.below[deal] - first
    for child in range(boards.first_child[board], boards.stop_child[board]):
        at = terminals.slot_of(plan, street + 1, player, child)
        times = above.dtype.type(boards.multiplicity[child])
        for k in range(boards.count[player, child]):
            result = spaces.results[child - below.first_board, subtree, k]
            above[target + boards.flat.parent_slot[at + k]] += times * result


@inlined
def gather_results(plan, player, spaces, workspace):  # type: ignore[no-untyped-def]
    """Add up what tasks have returned and value the run-outs of the street above the split: a task for each."""
    if spaces.split == 0:
        return
    street = spaces.split - 1
    here = plan.streets[street]
    deals, run_outs = here.stop_deal - here.first_deal, here.stop_run_out - here.first_run_out
    while True:
        task = add_to(spaces.clock, 0, 1)
        board = here.first_board + task // (deals + run_outs)
        if board >= here.stop_board:
            break
        which, work = task % (deals + run_outs), head_work(plan, street, board, spaces)
        if which < deals:
            add_results(plan, street, player, board, here.first_deal + which, spaces, work)
        else:
            number = here.first_run_out + which - deals
            terminals.run_out(plan, street, player, board, number, work, workspace.scratch)


@inlined
def head_up(plan, tables, mode, weights, player, spaces, scratch):  # type: ignore[no-untyped-def]
    """Values from the boards above the split to the start of the game, in a fixed order."""
    for street in range(spaces.split - 1, -1, -1):
        below = plan.streets[street + 1]
        if street + 1 < spaces.split:
            for child in range(below.first_board, below.stop_board):
                above = head_work(plan, street, plan.boards.parent[child], spaces)
                work = head_work(plan, street + 1, child, spaces)
                leave(plan, street + 1, player, child, below.first_bundle, work, above)
        for board in range(plan.streets[street].first_board, plan.streets[street].stop_board):
            work = head_work(plan, street, board, spaces)
            close_board(plan, street, tables, mode, weights, player, board, work, scratch, spaces)
    for k in range(plan.boards.count[player, 0]):
        if spaces.split == 0:
            spaces.out[player, k] = spaces.results[0, 0, k]
        else:
            spaces.out[player, k] = spaces.head[spaces.head_at[0] + plan.nodes.value_at[player, 0] + k]


@inlined
def meet(spaces):  # type: ignore[no-untyped-def]
    """Wait until all threads have come here; the last one sets the tasks back to the first."""
    clock = spaces.clock
    if spaces.threads == 1:
        clock[0] = 0
        return
    turn = add_to(clock, 2, 0)
    if add_to(clock, 1, 1) == spaces.threads - 1:
        clock[0] = 0
        clock[1] = 0
        add_to(clock, 2, 1)
        return
    waited = 0
    while add_to(clock, 2, 0) == turn:
        waited += 1
        if waited > SPINS:
            yield_processor()


@inlined
def run_pass(plan, tables, mode, weights, player, spaces, workspace):  # type: ignore[no-untyped-def]
    """One pass of a player; all threads call it with the same arguments but their own workspace."""
    if workspace.thread == 0:
        head_down(plan, tables, mode, weights, player, spaces)
    meet(spaces)
    here = plan.streets[spaces.split]
    while True:
        board = here.first_board + add_to(spaces.clock, 0, 1)
        if board >= here.stop_board:
            break
        do_task(plan, tables, mode, weights, player, board, spaces, workspace)
    meet(spaces)
    gather_results(plan, player, spaces, workspace)
    meet(spaces)
    if workspace.thread == 0:
        head_up(plan, tables, mode, weights, player, spaces, workspace.scratch)
    meet(spaces)


@kernel
def run(plan, tables, mode, schedule, first, stop, spaces, workspace):  # type: ignore[no-untyped-def]
    """Make a pass of each player from `first` to `stop` - 1 for each row of `schedule`, the weights of a rule."""
    for t in range(len(schedule)):
        for player in range(first, stop):
            run_pass(plan, tables, mode, schedule[t], player, spaces, workspace)
