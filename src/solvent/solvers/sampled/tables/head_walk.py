"""The head's part of a traversal: the first street, walked for one player, and what becomes of continuations.

A continuation is the first node below the head: a decision of a later street, or a showdown before it. Plain
sampling walks it at once. Algorithm 4 of Brown, Ganzfried and Sandholm (2015) passes twice: the first pass records
the continuations and writes nothing, and the second takes their values, which children have found meanwhile. All
three are one kernel, so that the passes repeat each other, and plain sampling, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.sampled import (
    ACTIONS_MASK,
    DEEPEST,
    FIRST,
    INFO,
    MOST_ACTIONS,
    PLAYER_SHIFT,
    ROW,
    SHOWN,
    STREET_SHIFT,
)
from solvent.foundation.kernels.compiling import inlined, joined, kernel
from solvent.foundation.kernels.intrinsics import prefetch
from solvent.foundation.kernels.randomness import random_float
from solvent.solvers.sampled.exploration import draw_action
from solvent.solvers.sampled.tables.kernels import (
    Frames,
    add_to_sum,
    frames,
    lock,
    match_regrets,
    next_action,
    terminal_value,
    traverse,
    unlock,
    worth_walking,
)
from solvent.solvers.sampled.tables.keys import below_key, head_key, rounding_key

WALK, RECORD, REPLAY = range(3)
"""What becomes of a continuation: it is walked at once, its node is recorded, or its value is given."""

ASTRAY = -(1 << 62)
"""What is counted once `REPLAY` has met another continuation than was recorded, or one more."""


class HeadRoom(NamedTuple):
    """One thread's memory for walks of the head."""

    head: Frames
    below: Frames
    """The stack below continuations, for `WALK`."""
    rounding: NDArray[np.uint64]
    """uint64[1]: the counter by which sums are rounded."""
    counted: NDArray[np.int64]
    """int64[1]: continuations so far."""

    @property
    def touched(self) -> int:
        """Rows touched, in the head and below."""
        return int(self.head.touched[0] + self.below.touched[0])


class Continuations(NamedTuple):
    """The continuations of one or more walks, in the order in which they are met."""

    node: NDArray[np.int32]
    """int32[room]: their nodes. `RECORD` leaves out what finds no room, and counts on; `REPLAY` checks them."""
    value: NDArray[np.float32]
    """float32[room]: their values, for `REPLAY`."""


class HeadTables(NamedTuple):
    """A betting tree's walk and the head's numbers."""

    walk: NDArray[np.int32]
    """int32[nodes, 4]: see `solvent.forms.sampled`"""
    pays: NDArray[np.float32]
    """float32[nodes, 4]: the same memory, where terminals have their payoffs"""
    frozen: NDArray[np.float32]
    """The table that strategies are read from; it may be `table` itself."""
    table: NDArray[np.float32]
    """The table that is written to."""


def head_room() -> HeadRoom:
    """Memory for one thread."""
    return HeadRoom(frames(), frames(), np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64))


def continuations(room: int = 0) -> Continuations:
    """Room for so many continuations; `WALK` needs none."""
    return Continuations(np.zeros(room, dtype=np.int32), np.zeros(room, dtype=np.float32))


@inlined
def _ask_for_rows(first, end, walk, base, table):  # type: ignore[no-untyped-def]
    """Ask for the rows of children before the first of them is walked."""
    for child in range(first, end):
        info = walk[child, INFO]
        if info & ACTIONS_MASK:
            prefetch(table, base[info >> PLAYER_SHIFT & 1, info >> STREET_SHIFT] + walk[child, ROW])


@joined
def _continue(mode, node, player, key, terms, base, outcome, tables, room, met, locks):  # type: ignore[no-untyped-def]
    """The value of a continuation. key: the iteration's; terms: (weight, least, floor)."""
    if mode == WALK:
        room.below.random[0] = below_key(key, player, node, 0)
        return traverse(
            node, player, terms[0], tables.walk, tables.pays, base, outcome, tables.table, room.below,
            terms[1], terms[2], locks,
        )  # fmt: skip
    place = room.counted[0]
    room.counted[0] += 1
    if mode == RECORD:
        if place < len(met.node):
            met.node[place] = node
        return np.float32(0)
    if place < 0 or place >= len(met.node) or met.node[place] != node:
        room.counted[0] = ASTRAY
        return np.float32(0)
    return met.value[place]


@kernel
def walk_head(mode, player, key, terms, base, outcome, tables, room, met, locks):  # type: ignore[no-untyped-def]
    """Walk the head for `player`; returns the player's value, which means nothing after `RECORD`.

    key: the iteration's. terms: (weight, least, floor), as `traverse` takes them.
    base: int64[2, streets], where each player's rows begin in the table; `WALK` alone reads those of later
    streets, and `outcome`. tables: `HeadTables`. room: `HeadRoom`. met: `Continuations`.
    """
    weight, least, floor = terms
    walk, frozen, table = tables.walk, tables.frozen, tables.table
    stack, strategy, values, random, touched = room.head
    random[0] = head_key(key, player)
    room.rounding[0] = rounding_key(key, player)
    node, depth, rows = np.int64(0), 0, 0
    while True:
        # Down to a terminal or a continuation.
        info = walk[node, INFO]
        actions = info & ACTIONS_MASK
        while actions > 0 and info >> STREET_SHIFT == 0:
            who = info >> PLAYER_SHIFT & 1
            row = base[who, 0] + walk[node, ROW]
            first = np.int64(walk[node, FIRST])
            rows += 1
            frame = (depth & DEEPEST - 1) * MOST_ACTIONS
            lock(locks, row)
            match_regrets(frozen, row, actions, least, strategy, frame)
            if who == player:
                unlock(locks, row)
                walked = (1 << actions) - 1
                if floor < 0 and least == 0:
                    walked = worth_walking(first, actions, walk, frozen, row, floor)
                values[depth, MOST_ACTIONS] = 0
                action = next_action(-1, walked)
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = node, row, action, walked
                if mode == WALK:
                    _ask_for_rows(first, first + actions, walk, base, table)
                node = first + action
                depth += 1
            else:
                if mode != RECORD:
                    for action in range(actions):
                        added = weight * strategy[frame + action]
                        add_to_sum(table, row + actions + action, added, room.rounding)
                unlock(locks, row)
                node = first + draw_action(strategy, frame, actions, random_float(random))
            info = walk[node, INFO]
            actions = info & ACTIONS_MASK
        if actions == 0 and (mode == WALK or info >> PLAYER_SHIFT != SHOWN):
            value = terminal_value(player, node, info, tables.pays, outcome)
        else:
            value = _continue(mode, node, player, key, terms, base, outcome, tables, room, met, locks)
        # Up to the next action that is left to walk.
        while depth > 0:
            above = depth - 1
            node, action, walked = stack[above, 0], stack[above, 2], stack[above, 3]
            values[above, action] = value
            values[above, MOST_ACTIONS] += strategy[above * MOST_ACTIONS + action] * value
            action = next_action(action, walked)
            if action < MOST_ACTIONS:
                stack[above, 2] = action
                node = walk[node, FIRST] + action
                break
            value, row = values[above, MOST_ACTIONS], stack[above, 1]
            if mode != RECORD:
                lock(locks, row)
                for action in range(walk[node, INFO] & ACTIONS_MASK):
                    if walked >> action & 1:
                        table[row + action] += weight * (values[above, action] - value)
                unlock(locks, row)
            depth = above
        if depth == 0:
            if mode != RECORD:
                touched[0] += rows
            return value
