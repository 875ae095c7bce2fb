"""The passes of a head over a turn, the mean of the children's values, and a child's walks of a batch.

A head walks the first street for one player, from the root up to its continuations: the first node below it, a
decision of a later street or a showdown before it. Algorithm 4 of Brown, Ganzfried and Sandholm (2015) passes
twice: the first pass records the continuations and writes nothing, and the second takes their values, which
children have found meanwhile. Both passes are one kernel, so that they repeat each other bit for bit. They draw
what `traverse` draws, which walks a head and what lies below it at once.
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
    traverse,
    walk_key,
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
from solvent.foundation.kernels.compiling import inlined, internal, kernel
from solvent.foundation.kernels.randomness import iteration_key, numbered_key, random_float
from solvent.training.kernels import iteration_terms

RECORD, REPLAY = range(2)
"""Modes of a pass: continuations are recorded by node, or their values are given."""

ASTRAY = -(1 << 62)
"""The count once `REPLAY` has met another continuation than was recorded, or one more."""


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
    """Make room for continuations."""
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
def walk_head(mode, player, key, terms, base, tables, room, met):  # type: ignore[no-untyped-def]
    """Walk the head's street from the root for `player`: all of their actions, and one of the other player's.

    key: the walk's. terms: (weight, least, floor), as `traverse` takes them. base: int64[2], where each player's
    rows begin in the table. tables: `HeadTables`. room: `HeadRoom`. met: `Continuations`.
    """
    weight, least, floor = terms
    walk, frozen, table = tables.walk, tables.frozen, tables.table
    stack, strategy, values, random, touched = room.frames
    node, depth, rows = np.int64(0), 0, 0
    while True:
        # Down to a terminal or a continuation.
        info = walk[node, INFO]
        actions = info & ACTIONS_MASK
        while actions > 0 and info >> STREET_SHIFT == 0:
            who = info >> PLAYER_SHIFT & 1
            row = base[who] + walk[node, ROW]
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
            return


@internal
def pass_start(ends, number):  # type: ignore[no-untyped-def]
    """The first continuation of a pass."""
    return ends[number - 1] if number > 0 else 0


@kernel
def head_passes(mode, first, turn, seed, options, deals, tables, room, met, ends):  # type: ignore[no-untyped-def]
    """A head's passes of a turn from pass `first` on; returns the number of passes whose continuations fit.

    mode: `RECORD` writes ends, int64[passes], the continuations up to the end of each pass; `REPLAY` takes their
    values from `met`. deals: `HeadDeals`. tables: `HeadTables`.
    """
    for number in range(first, len(ends)):
        which = number // turn.players
        iteration, player = turn.start + which, turn.player + number % turn.players
        terms = iteration_terms(iteration, options, deals.drawn[which])
        key = walk_key(iteration_key(seed, iteration), player, 0)
        walk_head(mode, player, key, terms, deals.base[which], tables, room, met)
        ends[number] = room.counted[0]
        if ends[number] > len(met.node):
            return number
    return len(ends)


@kernel
def mean_values(turn, ends, choices, values, means):  # type: ignore[no-untyped-def]
    """sum_n |F_{n,h}| v_n / sum_n |F_{n,h}| of each continuation, in the order of clusters (Algorithm 4).

    choices: int32[iterations, clusters]. values: float32[clusters, continuations]. means: float32[continuations].
    With one cluster the mean is its value exactly: products and quotient are exact in float64.
    """
    for number in range(len(ends)):
        weights = choices[number // turn.players]
        for place in range(pass_start(ends, number), ends[number]):
            total, weight = 0.0, 0.0
            for n in range(len(values)):
                if weights[n] > 0:
                    total += np.float64(weights[n]) * np.float64(values[n, place])
                    weight += np.float64(weights[n])
            means[place] = np.float32(total / weight)


@internal
def child_scale(chosen, mean):  # type: ignore[no-untyped-def]
    """The weight of a child's increments for hands that leave it `chosen` public samples: |F_{n,h}| / mean over h.

    A child draws its public sample from its own alone, which plain sampling would reach with a chance proportional
    to |F_{n,h}|. mean: numerator and denominator, whole numbers; with one cluster the scale is 1 exactly. A
    denominator of 0: 1.
    """
    if mean[1] == 0:
        return 1.0
    return np.float64(chosen) * np.float64(mean[1]) / np.float64(mean[0])


@kernel
def child_walks(turn, seed, options, deals, tables, frames, batch, mean, samples, sums):  # type: ignore[no-untyped-def]
    """Walk a batch's continuations on a child's table, for samples[0] to samples[1] of its boards.

    deals: `ChildDeals`. tables: `HeadTables`, of which the walk and `table` are used. batch: (ends, node).
    mean: as `child_scale` takes it. sums: float64[continuations], to which the values of all samples are added.
    """
    ends, node = batch
    for number in range(len(ends)):
        which = number // turn.players
        iteration, player = turn.start + which, turn.player + number % turn.players
        key = iteration_key(seed, iteration)
        whole, least, floor = iteration_terms(iteration, options, deals.drawn[which])
        for sample in range(samples[0], samples[1]):
            if deals.chosen[which, sample] == 0:
                continue
            scale = child_scale(deals.chosen[which, sample], mean)
            weight = whole * np.float32(scale / deals.outcome.shape[1])
            for place in range(pass_start(ends, number), ends[number]):
                frames.random[0] = walk_key(key, player, sample)
                sums[place] += traverse(
                    node[place], player, weight, tables.walk, tables.pays, deals.base[which, sample],
                    deals.outcome[which, sample], tables.table, frames, least, floor,
                )  # fmt: skip
