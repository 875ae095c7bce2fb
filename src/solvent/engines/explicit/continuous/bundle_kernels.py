"""Bundles: the abstract nodes that the strategy may believe in, with the probability of each.

The exploiter knows its bets and the shares that the mapping gives them, so that after a bet it faces a bundle of
abstract nodes, alike in everything it has seen. A member's weight is the product of shares; the other player's
reach by hand is in the member's own values. Before the exploiter's first bet the bundle is one node of weight 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.abstraction.betting.translation import lower_share
from solvent.foundation.kernels.compiling import internal

Array = Any


class Known(NamedTuple):
    """What does not change while an exploiter's response is found."""

    nodes: Array
    """`NODE`[nodes], described for the exploiter."""
    worth: Array
    """float64[nodes, hands]: informed values."""
    settings: Array
    """float64[]: the smallest and the largest size, then the tolerance of searches after 0, 1, ... bets."""


class Work(NamedTuple):
    """Room for the bundles and searches of one response, and what has been found of single nodes."""

    members: Array
    """int64[levels, most members]: the nodes of the bundle at each level of the walk."""
    weights: Array
    """float64[levels, most members]."""
    frames: Array
    """`FRAME`[levels]: the walk's stack."""
    points: Array
    """`POINT`[bets, most points]: the sizes of the search that is under way after so many bets."""
    found: Array
    """float64[nodes, hands, 3]: the value of a single node of weight 1 from below and above, NaN where unknown; and
    the size of the best bet found there, 0 where no bet is best."""


@internal
def total_worth(known, work, level, count, hand):  # type: ignore[no-untyped-def]
    """The informed value of a bundle: an upper bound, and its value where it is settled."""
    total = 0.0
    for member in range(count):
        total += work.weights[level, member] * known.worth[work.members[level, member], hand]
    return total


@internal
def total_folded(known, work, level, count, hand):  # type: ignore[no-untyped-def]
    """What the folds of a bundle of nodes that face a bet are worth to the exploiter."""
    total = 0.0
    for member in range(count):
        fold = known.nodes[work.members[level, member]].first
        total += work.weights[level, member] * known.worth[fold, hand]
    return total


@internal
def take_child(known, work, level, count, place):  # type: ignore[no-untyped-def]
    """Put child number `place` of every member on the next level."""
    for member in range(count):
        work.members[level + 1, member] = known.nodes[work.members[level, member]].first + place
        work.weights[level + 1, member] = work.weights[level, member]


@internal
def next_size(known, work, level, count, above):  # type: ignore[no-untyped-def]
    """The smallest size larger than `above` that any member has; infinite if there is none."""
    smallest = np.inf
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        for child in range(record.first + record.facing + 1, record.first + record.children):
            size = known.nodes[child].size
            if size > above:
                smallest = min(smallest, size)
                break
    return smallest


@internal
def take_size(known, work, level, count, size):  # type: ignore[no-untyped-def]
    """Put the members' children after a bet of exactly `size` on the next level, and count them."""
    taken = 0
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        for child in range(record.first + record.facing + 1, record.first + record.children):
            if known.nodes[child].size == size:
                work.members[level + 1, taken] = child
                work.weights[level + 1, taken] = work.weights[level, member]
                taken += 1
    return taken


@internal
def translate_size(known, work, level, count, size):  # type: ignore[no-untyped-def]
    """Put what the members take a bet of `size` for on the next level, and count it."""
    taken = 0
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        weight = work.weights[level, member]
        above = record.first + record.facing + 1
        last = record.first + record.children - 1
        if above > last:
            continue
        while above < last and known.nodes[above].size < size:
            above += 1
        share = 0.0
        if above > record.first + record.facing + 1 and size < known.nodes[above].size:
            share = lower_share(size, known.nodes[above - 1].size, known.nodes[above].size)
            work.members[level + 1, taken] = above - 1
            work.weights[level + 1, taken] = weight * share
            taken += 1
        work.members[level + 1, taken] = above
        work.weights[level + 1, taken] = weight * (1.0 - share)
        taken += 1
    return taken
