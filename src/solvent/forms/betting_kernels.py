"""The compiled builder of betting trees: the rules of `solvent.games.betting.rules` on a stack of pending nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

DECISION, FOLDED, SHOWDOWN, DEAL = 0, 1, 2, 3
"""What a node is."""
POT, TIMES, TOTAL, ALL_IN = 0, 1, 2, 3
"""What a size is written in: parts of the pot after calling, times the bet faced, big blinds, all-in."""
FOLD, CALL = -1, 0
MOST_PENDING = 1 << 16
PENDING = 10
"""Numbers of a pending node: what it is, street, player, both totals, the street's first total, raised, raises,
whether the street is opened, parent."""


class Sizes(NamedTuple):
    """Bet sizes by street and by how many bets or raises came before on it, for the kernel."""

    lengths: NDArray[np.int64]
    """int64[streets, numbers]: how many"""
    unit: NDArray[np.int64]
    """int64[streets, numbers, sizes]"""
    value: NDArray[np.float64]
    """float64[streets, numbers, sizes]"""
    cap: NDArray[np.int64]
    """int64[streets]"""


class Columns(NamedTuple):
    """What the kernel fills. With no rows it only counts."""

    kind: NDArray[np.int8]
    player: NDArray[np.int8]
    street: NDArray[np.int8]
    parent: NDArray[np.int32]
    first_edge: NDArray[np.int32]
    """int32[nodes + 1]"""
    paid: NDArray[np.int32]
    """int32[nodes, 2]"""
    action: NDArray[np.int32]
    child: NDArray[np.int32]


@njit(cache=True, nogil=True)
def raise_totals(sizes, street, raises, yours, base, big, least, most, found):  # type: ignore[no-untyped-def]
    """The totals that the sizes of this place come to, ascending and different, into `found`; how many."""
    number = min(raises, sizes.lengths.shape[1] - 1)
    count = 0
    for k in range(sizes.lengths[street, number]):
        unit, value = sizes.unit[street, number, k], sizes.value[street, number, k]
        if unit == POT:
            exact = yours + value * 2 * yours
        elif unit == TIMES:
            exact = base + value * (yours - base)
        elif unit == TOTAL:
            exact = base + value * big
        else:
            exact = np.float64(most)
        if exact <= yours:
            continue  # no raise at all
        total = np.int64(np.floor(min(exact, np.float64(most)) + 0.5))
        total = max(total, least)
        place = count
        while place > 0 and found[place - 1] >= total:
            place -= 1
        if place < count and found[place] == total:
            continue
        for later in range(count, place, -1):
            found[later] = found[later - 1]
        found[place] = total
        count += 1
    return count


@njit(cache=True, nogil=True)
def push(pending, top, kind, street, player, first, second, base, raised, raises, opened, parent):  # type: ignore[no-untyped-def]
    """Put a node on the stack."""
    row = pending[top]
    row[0], row[1], row[2], row[3], row[4] = kind, street, player, first, second
    row[5], row[6], row[7], row[8], row[9] = base, raised, raises, opened, parent
    return top + 1


@njit(cache=True, nogil=True)
def grow(stack0, stack1, small, big, streets, sizes, limit, columns):  # type: ignore[no-untyped-def]
    """Build the tree in preorder, or count it: (nodes, edges), or (-1, -1) where nodes are more than `limit`."""
    write = len(columns.kind) > 0
    pending = np.zeros((MOST_PENDING, PENDING), dtype=np.int64)
    found = np.zeros(sizes.unit.shape[2] + 1, dtype=np.int64)
    nodes = edges = np.int64(0)
    first, second = min(stack0, small), min(stack1, big)
    decides = first < stack0 and (first < second or second < stack1)
    top = push(
        pending, 0, DECISION if decides else SHOWDOWN, 0, 0 if decides else -1, first, second, 0, 0, 0, 0, -1
    )
    while top > 0:
        top -= 1
        kind, street, player = pending[top, 0], pending[top, 1], pending[top, 2]
        first, second, base = pending[top, 3], pending[top, 4], pending[top, 5]
        raised, raises, opened, parent = pending[top, 6], pending[top, 7], pending[top, 8], pending[top, 9]
        node = nodes
        nodes += 1
        if nodes > limit or top + len(found) + 2 > MOST_PENDING:
            return np.int64(-1), np.int64(-1)
        if write:
            columns.kind[node], columns.player[node], columns.street[node] = kind, player, street
            columns.parent[node], columns.first_edge[node] = parent, edges
            columns.paid[node, 0], columns.paid[node, 1] = first, second
            if parent >= 0 and columns.kind[parent] == DECISION:
                # Children come in the order of the actions: this is the parent's next one.
                edge = columns.first_edge[parent]
                while columns.child[edge] >= 0:
                    edge += 1
                columns.child[edge] = node
        if kind == DEAL:
            top = push(pending, top, DECISION, street + 1, 1, first, second, first, 0, 0, 0, node)
            continue
        if kind != DECISION:
            continue
        mine, yours = (first, second) if player == 0 else (second, first)
        stack, other = (stack0, stack1) if player == 0 else (stack1, stack0)
        totals = 0
        cap = sizes.cap[street]
        if (cap < 0 or raises < cap) and stack > yours and yours < other:
            least = min(yours + max(big, raised), stack)
            most = min(stack0, stack1)
            totals = raise_totals(sizes, street, raises, yours, base, big, least, most, found)
        folds = yours > mine
        if write:
            edge = edges
            if folds:
                columns.action[edge] = FOLD
                edge += 1
            columns.action[edge] = CALL
            for k in range(totals):
                columns.action[edge + 1 + k] = found[k]
        edges += totals + 1 + (1 if folds else 0)
        for k in range(totals - 1, -1, -1):  # the last pushed is the first built
            total = found[k]
            after0, after1 = (total, second) if player == 0 else (first, total)
            longest = max(raised, total - yours)
            top = push(
                pending, top, DECISION, street, 1 - player, after0, after1, base, longest, raises + 1, 1, node
            )
        total = min(yours, stack) if folds else mine
        after0, after1 = (total, second) if player == 0 else (first, total)
        all_in = after0 == stack0 or after1 == stack1
        if opened == 0 and not all_in:
            top = push(
                pending, top, DECISION, street, 1 - player, after0, after1, base, raised, raises, 1, node
            )
        elif all_in or street + 1 == streets:
            top = push(pending, top, SHOWDOWN, street, -1, after0, after1, base, 0, 0, 0, node)
        else:
            top = push(pending, top, DEAL, street, -1, after0, after1, base, 0, 0, 0, node)
        if folds:
            top = push(pending, top, FOLDED, street, player, first, second, base, 0, 0, 0, node)
    if write:
        columns.first_edge[nodes] = edges
    return nodes, edges


@njit(cache=True, nogil=True)
def subtree_ends(parent, end):  # type: ignore[no-untyped-def]
    """One past the last node of each subtree, into `end`."""
    for node in range(len(parent) - 1, -1, -1):
        end[node] = max(end[node], node + 1)
        if parent[node] >= 0:
            end[parent[node]] = max(end[parent[node]], end[node])
