"""Kernels on rows of one decision on one board besides `node_code`: locks, marks and records."""

from __future__ import annotations

from solvent.foundation.kernels.compiling import internal


@internal
def give_values(marked, row, value, slots, work):  # type: ignore[no-untyped-def]
    """Set a row of values to those that are given."""
    for k in range(slots):
        work[value + k] = marked.given[row, k]


@internal
def sum_values(marked, row, value, slots, work, discount):  # type: ignore[no-untyped-def]
    """Add a row of values to their sum, and discount it."""
    for k in range(slots):
        marked.sums[row, k] = discount * (marked.sums[row, k] + work[value + k])


@internal
def keep_locks(edge_at, locks, table, first, stop, base, lock, slots):  # type: ignore[no-untyped-def]
    """Set the regrets or averages of locked hands back to what they play."""
    for edge in range(first, stop):
        at = locks.at[edge] + lock
        for k in range(slots):
            if locks.locked[at + k]:
                table[base + edge_at[edge] + k] = locks.probability[at + k]


@internal
def record_values(edge_at, table, rows, first, stop, base, slots, work):  # type: ignore[no-untyped-def]
    """Write the values of a node's actions into a table."""
    for edge in range(first, stop):
        for k in range(slots):
            table[base + edge_at[edge] + k] = work[rows[edge] + k]


@internal
def respond_unlocked(locks, rows, first, stop, value, lock, slots, work):  # type: ignore[no-untyped-def]
    """Take the best action with the hands of a node that are not locked."""
    for k in range(slots):
        if not locks.locked[locks.at[first] + lock + k]:
            best = work[rows[first] + k]
            for edge in range(first + 1, stop):
                best = max(best, work[rows[edge] + k])
            work[value + k] = best
