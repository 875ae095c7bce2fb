"""External-sampling Monte Carlo CFR on the sampled form: a betting tree, and a row of numbers for each bucket.

One traversal is for one player and one deal. At his nodes all actions are walked and regrets updated; at the
other's nodes the average strategy is accumulated and one action sampled. Cards come in only through `base`, where
each player's rows of each street begin, and `outcome`, who wins at showdown.

A row is [regrets of all actions, sums of strategies of all actions]. Rows of one bucket on one street lie together
in the order of the tree, so that what a traversal touches is near what it touched before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.kernels import kernel
from solvent.randomness import random_float

DECISION, TERMINAL = 0, 1
KIND, PLAYER, STREET, ACTIONS, CHILD, ROW = range(6)
"""Columns of a node."""
MOST_ACTIONS = 16
DEEPEST = 64


class Frames(NamedTuple):
    """One thread's stack: the traverser's nodes above the node at hand."""

    node: NDArray[np.int64]
    """int64[depth, 4]: the node, its row, the action at hand, and a bit for each action that is walked."""
    strategy: NDArray[np.float32]
    """float32[depth, actions]"""
    value: NDArray[np.float32]
    """float32[depth, actions + 1]: the value of each action and, last, of the node so far."""
    random: NDArray[np.uint64]
    """uint64[1]: the counter of the random stream."""
    touched: NDArray[np.int64]
    """int64[1]: rows touched."""


def frames() -> Frames:
    """A stack for one thread."""
    return Frames(
        np.zeros((DEEPEST, 4), dtype=np.int64),
        np.zeros((DEEPEST, MOST_ACTIONS), dtype=np.float32),
        np.zeros((DEEPEST, MOST_ACTIONS + 1), dtype=np.float32),
        np.zeros(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def match_regrets(table, row, actions, least, strategy, depth):  # type: ignore[no-untyped-def]
    """Regret matching into strategy[depth]; no action gets less than `least` before they are made to sum to 1."""
    total = np.float32(0)
    for action in range(actions):
        regret = max(table[row + action], np.float32(0))
        strategy[depth, action] = regret
        total += regret
    if total > 0:
        for action in range(actions):
            strategy[depth, action] /= total
    else:
        for action in range(actions):
            strategy[depth, action] = np.float32(1) / np.float32(actions)
    if least > 0:
        total = np.float32(0)
        for action in range(actions):
            strategy[depth, action] = max(strategy[depth, action], least)
            total += strategy[depth, action]
        for action in range(actions):
            strategy[depth, action] /= total


@kernel
def traverse(  # type: ignore[no-untyped-def]
    player, weight, nodes, children, pays, base, outcome, table, stack, strategy, values, random, touched,
    least, floor,
):  # fmt: skip
    """One traversal for `player`; his value of the root.

    nodes: int32[n, 6]. children: int32[edges]. pays: float32[2, n, 3], what each player wins at a terminal if
    player 0 has the better hand, the same, or the worse (`outcome` 0, 1, 2). base: int64[2, streets]. weight: what
    this iteration counts. floor: regrets below it are not walked, except to terminals and on the last street.
    """
    node, depth, rows = 0, 0, 0
    while True:
        # Down to a terminal.
        while nodes[node, KIND] == DECISION:
            who, actions = nodes[node, PLAYER], nodes[node, ACTIONS]
            row = base[who, nodes[node, STREET]] + nodes[node, ROW]
            match_regrets(table, row, actions, least, strategy, depth)
            rows += 1
            if who == player:
                walked = (1 << actions) - 1
                if floor < 0 and nodes[node, STREET] < base.shape[1] - 1:
                    walked = worth_walking(node, nodes, children, table, row, floor)
                values[depth, MOST_ACTIONS] = 0
                action = next_action(-1, walked)
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = node, row, action, walked
                node = children[nodes[node, CHILD] + action]
                depth += 1
            else:
                draw = random_float(random)
                chosen = actions - 1
                for action in range(actions):
                    table[row + actions + action] += weight * strategy[depth, action]
                for action in range(actions - 1):
                    draw -= strategy[depth, action]
                    if draw < 0:
                        chosen = action
                        break
                node = children[nodes[node, CHILD] + chosen]
        value = pays[player, node, outcome]
        # Up to the next action that is left to walk.
        while depth > 0:
            above = depth - 1
            node, action, walked = stack[above, 0], stack[above, 2], stack[above, 3]
            values[above, action] = value
            values[above, MOST_ACTIONS] += strategy[above, action] * value
            action = next_action(action, walked)
            if action < nodes[node, ACTIONS]:
                stack[above, 2] = action
                node = children[nodes[node, CHILD] + action]
                break
            value, row = values[above, MOST_ACTIONS], stack[above, 1]
            for action in range(nodes[node, ACTIONS]):
                if walked >> action & 1:
                    table[row + action] += weight * (values[above, action] - value)
            depth -= 1
        if depth == 0:
            touched[0] += rows
            return value


@kernel
def next_action(action, walked):  # type: ignore[no-untyped-def]
    """The first action after `action` that is walked; one past the last bit if there is none."""
    action += 1
    while walked >> action and walked >> action & 1 == 0:
        action += 1
    return action if walked >> action else MOST_ACTIONS


@kernel
def worth_walking(node, nodes, children, table, row, floor):  # type: ignore[no-untyped-def]
    """A bit for each action of enough regret or that leads to a terminal; all, if no regret is positive."""
    walked, best = 0, np.float32(0)
    for action in range(nodes[node, ACTIONS]):
        best = max(best, table[row + action])
        ends = nodes[children[nodes[node, CHILD] + action], KIND] == TERMINAL
        if ends or table[row + action] >= floor:
            walked |= 1 << action
    return walked if best > 0 else (1 << nodes[node, ACTIONS]) - 1
