"""Kernels that write the strategy of a small tree into a table of a larger tree of the same spot.

Each view of `abstraction.betting.tree_translation` has a row of weights by hand: the probability that the player,
holding the hand, plays to the true node and takes it for the seen one, apart from what the other and chance do. At
the player's views the weight times the strategy's probability of an action goes to the table's cell of the action
as it is truly played, and to the view that follows. The sum over the views j of a node n is

    sigma(n, h, a) x reach(n, h) = sum over j of w_j(h) x sigma_small(j, h, a),   reach(n, h) = sum over j of w_j(h)

so a table of these numbers is in proportion to an ordinary behaviour strategy of the large tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solvent.engines.holdem import terminals
from solvent.engines.vectors.matching import NOTHING
from solvent.foundation.kernels.compiling import internal, kernel

Array = Any


class SmallTable(NamedTuple):
    """A table of the small tree, and how it is laid out."""

    table: Array
    """The average strategy, not normalised; uniform where it is 0."""
    street_at: Array
    board_cells: Array
    edge_at: Array


class ViewPlan(NamedTuple):
    """The views of one player as kernels take them. A *group* is the views of one subtree of the large tree."""

    groups: Array
    """int64[groups, 3]: first view, one past those at the root, one past the last."""
    street_groups: Array
    """int64[streets + 1]: the first group of each street."""
    row: Array
    """int64[views]: the row of weights in the street's workspace; groups of the last street share theirs."""
    source: Array
    """int64[views]: at the root of a subtree the row of the deal's view; not read on the first street."""
    first_step: Array
    share: Array
    """See `Views` for this and the next two."""
    seen_edge: Array
    edge: Array
    target: Array
    """int64[steps]: the row of the view that follows; -1 for none."""


@internal
def normalise(small, views, small_base, first, stop, slots, factors):  # type: ignore[no-untyped-def]
    """Find f and g by slot, float[2, slots]: an action whose number is x has the probability f x + g."""
    uniform = factors.dtype.type(1.0 / (stop - first))
    for k in range(slots):
        factors[0, k] = 0
    for step in range(first, stop):
        at = small_base + small.edge_at[views.seen_edge[step]]
        for k in range(slots):
            factors[0, k] += small.table[at + k]
    for k in range(slots):
        total = factors[0, k]
        factors[0, k] = 1 / total if total > NOTHING else 0
        factors[1, k] = 0 if total > NOTHING else uniform


@internal
def own_steps(small, views, rows, table, first, stop, weights, work, factors):  # type: ignore[no-untyped-def]
    """Play a view's steps of the player to act; `rows` are slots and where the board's numbers begin."""
    slots, small_base, base, edge_at = rows
    known = views.seen_edge[first] >= 0
    if known:
        normalise(small, views, small_base, first, stop, slots, factors)
    else:  # the view's only step is taken for certain
        for k in range(slots):
            factors[0, k], factors[1, k] = 0, 1
    for step in range(first, stop):
        cell, target = base + edge_at[views.edge[step]], views.target[step] * slots
        at = small_base + small.edge_at[views.seen_edge[step]] if known else 0
        for k in range(slots):
            weight = work[weights + k] * (factors[0, k] * small.table[at + k] + factors[1, k])
            table[cell + k] += weight
            if target >= 0:
                work[target + k] += weight


@internal
def other_steps(views, slots, first, stop, weights, work):  # type: ignore[no-untyped-def]
    """Hand a view's weights on by the steps of the other."""
    for step in range(first, stop):
        share, target = work.dtype.type(views.share[step]), views.target[step] * slots
        for k in range(slots):
            work[target + k] += share * work[weights + k]


@internal
def visit(plan, small, views, table, player, street, board, above, work, factors):  # type: ignore[no-untyped-def]
    """Fill the table's numbers of one player on one board, from the weights at the deals on the board above."""
    here, boards, slots = plan.streets[street], plan.boards, plan.streets[street].slots[player]
    count, at = boards.count[player, board], terminals.slot_of(plan, street, player, board)
    slots_above = plan.streets[street - 1].slots[player] if street else 0
    number = board - here.first_board
    small_base = 0
    if street < len(small.board_cells):
        small_base = small.street_at[street] + number * small.board_cells[street]
    rows = (slots, small_base, here.table_at + number * here.board_cells, plan.nodes.edge_at)
    for group in range(views.street_groups[street], views.street_groups[street + 1]):
        first, roots, stop = views.groups[group, 0], views.groups[group, 1], views.groups[group, 2]
        for k in range(views.row[first] * slots, (views.row[stop - 1] + 1) * slots):
            work[k] = 0
        for view in range(first, roots):
            target, source = views.row[view] * slots, views.source[view] * slots_above
            for k in range(count):
                work[target + k] = above[source + boards.flat.parent_slot[at + k]] if street else 1
        for view in range(first, stop):
            begin, end = views.first_step[view], views.first_step[view + 1]
            if begin == end:
                continue
            if views.edge[begin] >= 0:
                own_steps(small, views, rows, table, begin, end, views.row[view] * slots, work, factors)
            else:
                other_steps(views, slots, begin, end, views.row[view] * slots, work)


@kernel
def fill_root(plan, small, views, table, player, work, factors):  # type: ignore[no-untyped-def]
    """Fill a player's numbers on the root board; `work` keeps the weights for the boards after it."""
    visit(plan, small, views, table, player, 0, 0, work, work, factors)


@kernel
def fill_below(plan, small, views, table, player, start, stop, root, turn, river, factors):  # type: ignore[no-untyped-def]
    """Fill a player's numbers on boards `start` to `stop` - 1 of the second street and on all boards after them.

    root: the weights that `fill_root` has left. turn, river: workspaces of the second street and the third.
    """
    boards = plan.boards
    for number in range(start, stop):
        board = plan.streets[1].first_board + number
        visit(plan, small, views, table, player, 1, board, root, turn, factors)
        if len(plan.streets) > 2:
            for child in range(boards.first_child[board], boards.stop_child[board]):
                visit(plan, small, views, table, player, 2, child, turn, river, factors)
