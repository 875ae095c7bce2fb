"""A head's part of a traversal: some streets, walked for one player from a node on, up to its continuations.

A continuation is the first node below the head: a decision of a later street, or a showdown before it. Algorithm 4
of Brown, Ganzfried and Sandholm (2015) passes twice: the first pass records the continuations and writes nothing,
and the second takes their values, which children have found meanwhile. Both passes are one kernel, so that they
repeat each other bit for bit. They draw what `traverse` draws, which walks a head and what lies below it at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.exploration import draw_action
from solvent.engines.sampled.kernels import (
    Frames,
    add_to_sum,
    frames,
    match_regrets,
    next_action,
    terminal_value,
    worth_walking,
)
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
from solvent.foundation.kernels.compiling import inlined, kernel
from solvent.foundation.kernels.randomness import numbered_key, random_float

RECORD, REPLAY = range(2)
"""What becomes of a continuation: its node is recorded, or its value is given."""

ASTRAY = -(1 << 62)
"""What is counted once `REPLAY` has met another continuation than was recorded, or one more."""


class HeadRoom(NamedTuple):
    """One thread's memory for walks of a head."""

    frames: Frames
    counted: NDArray[np.int64]
    """int64[1]: continuations so far."""

    @property
    def touched(self) -> int:
        """Rows touched."""
        return int(self.frames.touched[0])


class Continuations(NamedTuple):
    """The continuations of one or more walks, in the order in which they are met."""

    node: NDArray[np.int32]
    """int32[room]: their nodes. `RECORD` leaves out what finds no room, and counts on; `REPLAY` checks them."""
    value: NDArray[np.float32]
    """float32[room]: their values, for `REPLAY`."""


class HeadTables(NamedTuple):
    """A betting tree's walk and a head's numbers."""

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
    return HeadRoom(frames(), np.zeros(1, dtype=np.int64))


def continuations(room: int) -> Continuations:
    """Room for so many continuations."""
    return Continuations(np.zeros(room, dtype=np.int32), np.zeros(room, dtype=np.float32))


@inlined
def _continue(mode, node, counted, met):  # type: ignore[no-untyped-def]
    """The value of a continuation, which means nothing after `RECORD`."""
    place = counted[0]
    counted[0] += 1
    value = np.float32(0)
    if mode == RECORD:
        if place < len(met.node):
            met.node[place] = node
    elif place < 0 or place >= len(met.node) or met.node[place] != node:
        counted[0] = ASTRAY
    else:
        value = met.value[place]
    return value


@kernel
def walk_head(mode, root, last, player, key, terms, base, tables, room, met):  # type: ignore[no-untyped-def]
    """Walk a head for `player` from a node on; returns the player's value, which means nothing after `RECORD`.

    root: the node. last: the head's last street. key: the walk's. terms: (weight, least, floor), as `traverse`
    takes them. base: int64[2, streets], where each player's rows begin in the table, on the head's streets.
    tables: `HeadTables`. room: `HeadRoom`. met: `Continuations`.
    """
    weight, least, floor = terms
    walk, frozen, table = tables.walk, tables.frozen, tables.table
    stack, strategy, values, random, touched = room.frames
    node, depth, rows = np.int64(root), 0, 0
    while True:
        # Down to a terminal or a continuation.
        info = walk[node, INFO]
        actions = info & ACTIONS_MASK
        while actions > 0 and info >> STREET_SHIFT <= last:
            who = info >> PLAYER_SHIFT & 1
            row = base[who, info >> STREET_SHIFT] + walk[node, ROW]
            first = np.int64(walk[node, FIRST])
            rows += 1
            frame = (depth & DEEPEST - 1) * MOST_ACTIONS
            match_regrets(frozen, row, actions, least, strategy, frame)
            if who == player:
                walked = (1 << actions) - 1
                if floor < 0 and least == 0:
                    walked = worth_walking(first, actions, walk, frozen, row, floor)
                values[depth, MOST_ACTIONS] = 0
                action = next_action(-1, walked)
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = node, row, action, walked
                node = first + action
                depth += 1
            else:
                random[0] = numbered_key(key, node)
                node = first + draw_action(strategy, frame, actions, random_float(random))
                if mode != RECORD:
                    for action in range(actions):
                        added = weight * strategy[frame + action]
                        add_to_sum(table, row + actions + action, added, random)
            info = walk[node, INFO]
            actions = info & ACTIONS_MASK
        if actions == 0 and info >> PLAYER_SHIFT != SHOWN:
            value = terminal_value(player, node, info, tables.pays, 1)
        else:
            value = _continue(mode, node, room.counted, met)
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
                for action in range(walk[node, INFO] & ACTIONS_MASK):
                    if walked >> action & 1:
                        table[row + action] += weight * (values[above, action] - value)
            depth = above
        if depth == 0:
            if mode != RECORD:
                touched[0] += rows
            return value
