"""External-sampling Monte Carlo CFR on the sampled form: a betting tree, and a row of numbers for each bucket.

One traversal is for one player and one deal. At that player's nodes all actions are walked and regrets updated;
at the other's nodes the average strategy is accumulated and one action sampled. Cards come in only through
`base`, where each player's rows of each street begin, and `outcome`, who wins at showdown. The draw at a node
depends on the walk's key and the node alone: parts of a walk can be walked apart, in any order, and draw the same.

All keys are made from an iteration's, `iteration_key(seed, iteration)`, for one machine and for many: the head of
Algorithm 4 (`training/distributed`) can repeat its walk, and the walk below a continuation can be done in another
process. With one public cluster at every level all keys are those of plain sampling. A walk has one key, and every
node of it a stream of its own, numbered by the node.

A row is [regrets of all actions, sums of strategies of all actions]. Rows wait in main memory: a traversal asks for
those of all children of a node before it walks the first, so that it waits once and not once for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.exploration import draw_action, mix_uniform, raise_to
from solvent.engines.vectors.matching import match_row
from solvent.forms.sampled import (
    ACTIONS_MASK,
    DEEPEST,
    FIRST,
    GAIN,
    INFO,
    LOSS,
    MOST_ACTIONS,
    PLAYER_SHIFT,
    ROW,
    SHOWN,
    STREET_SHIFT,
)
from solvent.foundation.kernels.compiling import inlined, internal, kernel
from solvent.foundation.kernels.intrinsics import prefetch
from solvent.foundation.kernels.randomness import numbered_key, random_float

SMALLEST_PART = np.float32(2.0**-20)
"""The least addition to a sum, as a fraction of it: sixteen times the precision of float32."""

HANDS, BOARD, WALKS = range(3)
"""The numbers of an iteration's streams; from `WALKS` on one for each sample and player."""
SAMPLE_SHIFT = 32
"""Bits of a board's number that are the cluster; the sample's number stands above them."""


class Frames(NamedTuple):
    """One thread's stack: the traverser's nodes above the node at hand."""

    node: NDArray[np.int64]
    """int64[depth, 4]: the node, its row, the action at hand, and a bit for each action that is walked."""
    strategy: NDArray[np.float32]
    """float32[depth x MOST_ACTIONS]"""
    value: NDArray[np.float32]
    """float32[depth, actions + 1]: the value of each action and, last, of the node so far."""
    random: NDArray[np.uint64]
    """uint64[1]: the key of the walk when it begins; then the counter of the stream of the node at hand."""
    touched: NDArray[np.int64]
    """int64[1]: rows touched."""


def frames() -> Frames:
    """A stack for one thread."""
    return Frames(
        np.zeros((DEEPEST, 4), dtype=np.int64),
        np.zeros(DEEPEST * MOST_ACTIONS, dtype=np.float32),
        np.zeros((DEEPEST, MOST_ACTIONS + 1), dtype=np.float32),
        np.zeros(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


@inlined
def match_regrets(table, row, actions, least, strategy, frame):  # type: ignore[no-untyped-def]
    """Regret matching at a row into strategy[frame : frame + actions], with `least` for every action at least.

    Below 0 it is -least for every action at least, by mixing in uniform play.
    """
    match_row(table, row, actions, strategy, frame)
    if least > 0:
        raise_to(strategy, frame, actions, least)
    elif least < 0:
        mix_uniform(strategy, frame, actions, -least)


@inlined
def add_to_sum(table, place, added, random):  # type: ignore[no-untyped-def]
    """Add to a sum that may have grown so large that float32 would lose the addition: then a fraction of the sum is
    added instead, as often as it takes to be right on average."""
    part = table[place] * SMALLEST_PART
    if 0 < added < part:
        added = part if random_float(random) * part < added else np.float32(0)
    table[place] += added


@inlined
def terminal_value(player, node, info, pays, outcome):  # type: ignore[no-untyped-def]
    """`player`'s winnings at a terminal; `outcome`: player 0's hand is better (0), the same (1), worse (2)."""
    folded = info >> PLAYER_SHIFT
    ahead = 1 - outcome if folded == SHOWN else 2 * folded - 1
    if player == 1:
        ahead = -ahead
    return pays[node, GAIN] if ahead > 0 else pays[node, LOSS] if ahead < 0 else np.float32(0)


@kernel
def traverse(root, player, weight, walk, pays, base, outcome, table, frames, least, floor):  # type: ignore[no-untyped-def]
    """Traverse the tree for `player` from a node on; returns the player's value of it.

    walk: int32[nodes, 4], pays: float32[nodes, 4], the same memory. base: int64[2, streets], where each player's
    rows begin. frames: `Frames`, whose stream holds the walk's key. weight: the iteration's. floor:
    actions of regret below it are not walked, except to terminals, on the last street and where every action has a
    `least` probability; 0: all are.
    """
    stack, strategy, values, random, touched = frames
    key = random[0]
    node, depth, rows, last_street = np.int64(root), 0, 0, base.shape[1] - 1
    while True:
        # Down to a terminal.
        info = walk[node, INFO]
        actions = info & ACTIONS_MASK
        while actions > 0:
            who, street = info >> PLAYER_SHIFT & 1, info >> STREET_SHIFT
            row = base[who, street] + walk[node, ROW]
            first = np.int64(walk[node, FIRST])
            rows += 1
            frame = (depth & DEEPEST - 1) * MOST_ACTIONS  # a place that cannot be negative needs no test
            match_regrets(table, row, actions, least, strategy, frame)
            if who == player:
                walked = (1 << actions) - 1
                if floor < 0 and least == 0 and street < last_street:
                    walked = worth_walking(first, actions, walk, table, row, floor)
                values[depth, MOST_ACTIONS] = 0
                action = next_action(-1, walked)
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = node, row, action, walked
                for child in range(first, first + actions):
                    below = walk[child, INFO]
                    if below & ACTIONS_MASK:
                        there = base[below >> PLAYER_SHIFT & 1, below >> STREET_SHIFT] + walk[child, ROW]
                        prefetch(table, there)
                node = first + action
                depth += 1
            else:
                random[0] = numbered_key(key, node)
                node = first + draw_action(strategy, frame, actions, random_float(random))
                for action in range(actions):
                    add_to_sum(table, row + actions + action, weight * strategy[frame + action], random)
            info = walk[node, INFO]
            actions = info & ACTIONS_MASK
        value = terminal_value(player, node, info, pays, outcome)
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
            for action in range(walk[node, INFO] & ACTIONS_MASK):
                if walked >> action & 1:
                    table[row + action] += weight * (values[above, action] - value)
            depth -= 1
        if depth == 0:
            touched[0] += rows
            return value


@inlined
def next_action(action, walked):  # type: ignore[no-untyped-def]
    """The first action after `action` that is walked; `MOST_ACTIONS` if there is none."""
    action += 1
    while walked >> action and walked >> action & 1 == 0:
        action += 1
    return action if walked >> action else MOST_ACTIONS


@inlined
def worth_walking(first, actions, walk, table, row, floor):  # type: ignore[no-untyped-def]
    """A bit for each action of enough regret or that leads to a terminal; all, if no regret is positive."""
    walked, best = 0, np.float32(0)
    for action in range(actions):
        best = max(best, table[row + action])
        ends = walk[first + action, INFO] & ACTIONS_MASK == 0
        if ends or table[row + action] >= floor:
            walked |= 1 << action
    return walked if best > 0 else (1 << actions) - 1


@internal
def hands_key(iteration):  # type: ignore[no-untyped-def]
    """Both hands, then the draw that says whether the iteration leaves out actions below the regret floor."""
    return numbered_key(iteration, HANDS)


@internal
def board_key(iteration, cluster, sample):  # type: ignore[no-untyped-def]
    """The board that a public cluster draws. Plain sampling deals that of cluster 0, sample 0."""
    number = np.int64(cluster) | np.int64(sample) << SAMPLE_SHIFT
    return numbered_key(numbered_key(iteration, BOARD), number)


@internal
def walk_key(iteration, player, sample):  # type: ignore[no-untyped-def]
    """The actions of a walk, and the rounding of sums, at every level. The first head walks with sample 0."""
    return numbered_key(iteration, WALKS + 2 * sample + player)
