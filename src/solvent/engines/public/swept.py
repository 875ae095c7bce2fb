"""The swept evaluator: terminals of one board as lanes of one sweep over its sorted hands.

Terminals to which the other brings the same reach share a lane, and WIDTH lanes make a group, one vector of
numbers for each slot. A group is gathered from rows of the workspace (8 slots of 8 rows at a time, exchanged
in registers), swept, and given back to rows. `terminals` explains what the sweep adds up.

A sweep takes sums apart again (P - P_a - P_b). Were they rounded, what should cancel to nothing would leave a
trace, and regret matching would play it. So reach is first rounded to multiples of the last place of three
times its total: then it adds up without error, in any order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.vectors import sweep_instructions as _code
from solvent.engines.vectors.code import WIDTH
from solvent.forms.public.game import CARDS
from solvent.foundation.kernels.compiling import internal_compiled

code: Any = _code
"""Intrinsics, whose types only the compiler knows."""

Array = Any

LINE = 64
"""Bytes that come from memory together."""
PARTS = 5
"""Loops over the slots among which fetching ahead is divided, the first ones of a subtree."""


class Groups(NamedTuple):
    """Terminals that are evaluated together, lane by lane. What a lane does not have, it writes to the heap."""

    first: Array
    """int64[2, nodes]: the first group of the subtree with this root, by traverser."""
    stop: Array
    """int64[2, nodes]: one past its last group."""
    source: Array
    """int64[groups, WIDTH]: the row with the other's reach."""
    shown: Array
    """int64[groups, WIDTH]: the row of winnings at showdown."""
    ranked: Array
    """float[groups, WIDTH]: the stake at showdown."""
    given: Array
    """int64[groups, WIDTH]: the row of winnings where someone folds."""
    folded: Array
    """float[groups, WIDTH]: the stake where someone folds."""
    showdowns: Array
    """int64[groups]: lanes with a showdown; in a group without any, only the first FEW lanes are used."""
    folds: Array
    """int64[groups]: those of the first FEW lanes that have a fold."""


class Lanes(NamedTuple):
    """One thread's space for one group."""

    reach: Array
    """float[slots x WIDTH]"""
    won: Array
    sums: Array
    """float[(1 + CARDS) x WIDTH]: P, then P_c of each card."""
    grid: Array
    """float[WIDTH]: three times the total reach of each lane."""
    source: Array
    """int64[WIDTH]: where the rows of this group begin in the workspace; so in the next two."""
    shown: Array
    given: Array


class Ahead(NamedTuple):
    """Rows of the tables that the next board needs: fetched bit by bit while this one is evaluated.

    Going down and up, a pass waits for memory; across the terminals memory would wait for it.
    """

    rows: Array
    """int64[rows]: their addresses in memory."""
    count: Array
    """int64[1]: their number."""


@internal_compiled
def share_of(ahead, part):  # type: ignore[no-untyped-def]
    """Return the rows, first and one past the last, that fall to this part of PARTS."""
    count = ahead.count[0]
    return min(count, count * part // PARTS), min(count, count * (part + 1) // PARTS)


@internal_compiled
def fetch(ahead, share, byte):  # type: ignore[no-untyped-def]
    """Ask for a line of each row of a share."""
    if byte & (LINE - 1) == 0:
        for k in range(share[0], share[1]):
            code.prefetch(ahead.rows, k, byte)


@internal_compiled
def lanes_for(empty, slots):  # type: ignore[no-untyped-def]
    """Make the space of a group; `empty` tells the number type."""
    kind = empty.dtype
    return Lanes(
        np.zeros(slots * WIDTH, dtype=kind),
        np.zeros(slots * WIDTH, dtype=kind),
        np.zeros((1 + CARDS) * WIDTH, dtype=kind),
        np.zeros(WIDTH, dtype=kind),
        np.zeros(WIDTH, dtype=np.int64),
        np.zeros(WIDTH, dtype=np.int64),
        np.zeros(WIDTH, dtype=np.int64),
    )


@internal_compiled
def evaluate(groups, player, root, boards, board, slots, work, lanes, ahead):  # type: ignore[no-untyped-def]
    """Evaluate every terminal of a subtree on one board, with at least WIDTH slots, for the traverser's hands."""
    start = board * slots
    part = 0
    for group in range(groups.first[player, root], groups.stop[player, root]):
        for lane in range(WIDTH):
            lanes.source[lane] = groups.source[group, lane] * slots
            lanes.shown[lane] = groups.shown[group, lane] * slots
            lanes.given[lane] = groups.given[group, lane] * slots
        whole = slots - slots % WIDTH
        code.add_up(lanes.grid, work, lanes.source, whole)
        for lane in range(WIDTH):
            for k in range(whole, slots):
                lanes.grid[lane] += work[lanes.source[lane] + k]
            lanes.grid[lane] *= 3
        lanes.sums[:] = 0
        share = share_of(ahead, part)
        # The last vector begins so that it ends with the last slot: what was done already is done again.
        for k in range(0, slots, WIDTH):
            if groups.showdowns[group]:
                code.gather(lanes.reach, work, lanes.source, min(k, slots - WIDTH), lanes.grid)
            else:
                code.gather_few(lanes.reach, work, lanes.source, min(k, slots - WIDTH), lanes.grid)
            fetch(ahead, share, k * work.itemsize)
        part += 1
        share = share_of(ahead, part)
        if groups.showdowns[group]:
            code.sweep(lanes.sums, lanes.reach, boards.card, start, slots, boards.tie, lanes.won)
            for k in range(0, slots, WIDTH):
                code.give_showdowns(
                    lanes.won, lanes.sums, boards.card, start, work, lanes.shown,
                    groups.ranked, group * WIDTH, min(k, slots - WIDTH),
                )  # fmt: skip
                fetch(ahead, share, k * work.itemsize)
            part += 1
            share = share_of(ahead, part)
        else:
            code.pile(lanes.sums, lanes.reach, boards.card, start, slots)
        if groups.folds[group]:
            for k in range(0, slots, WIDTH):
                code.give_folds(
                    lanes.reach, lanes.sums, boards.card, start, work, lanes.given,
                    groups.folded, group * WIDTH, min(k, slots - WIDTH),
                )  # fmt: skip
                fetch(ahead, share, k * work.itemsize)
            part += 1
