"""Threads inside one traversal, with a lock for each row: how Monte Carlo CFR was first put on threads, to compare.

A thread is made for a recursive call where a player of the first two streets has more than three actions (the
paper's threshold: smaller calls do not pay for a thread), and waits for those below it. What a call draws depends
on the iteration and on the way that leads to it, so the tables do not depend on which calls got threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.engines.exploration import draw_action, minimum_probability
from solvent.engines.sampled.kernels import (
    frames,
    lock,
    match_regrets,
    traverse,
    unlock,
)
from solvent.forms.sampled import ACTIONS_MASK, FIRST, INFO, PLAYER_SHIFT, ROW, STREET_SHIFT
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import STEP, iteration_key, mix, stream, uniform
from solvent.foundation.kernels.threads import on_each
from solvent.training.kernels import MIXED, RAISED, BlueprintArrays, deal_hand

if TYPE_CHECKING:
    from solvent.training.solver import BlueprintSolver

SPAWN_ABOVE = 3
"""Actions that do not pay for threads."""
SPAWN_STREETS = 2
"""Before the flop and on it."""
LOCKS = 1 << 16


def new_locks() -> NDArray[np.int32]:
    """Locks for rows of any table; rows far apart may share one, and nobody holds two."""
    return np.zeros(LOCKS, dtype=np.int32)


@kernel
def read_row(table, row, actions, least, strategy, locks):  # type: ignore[no-untyped-def]
    """Regret matching at a row into `strategy`: float32[actions]."""
    lock(locks, row)
    match_regrets(table, row, actions, least, strategy, 0)
    unlock(locks, row)


@kernel
def drawn_action(strategy, drawn):  # type: ignore[no-untyped-def]
    """The action that a random number falls on."""
    return draw_action(strategy, 0, len(strategy), drawn)


@kernel
def add_to_row(table, start, row, numbers, locks):  # type: ignore[no-untyped-def]
    """Add to the regrets or the sums of a row, which begin at `start`."""
    lock(locks, row)
    for action in range(len(numbers)):
        table[start + action] += numbers[action]
    unlock(locks, row)


class LockedTraversal:
    """One deal, traversed for one player."""

    def __init__(
        self,
        arrays: BlueprintArrays,
        player: int,
        weight: float,
        deal: tuple[NDArray[np.int64], int],
        least: float,
        locks: NDArray[np.int32],
        spawn_above: int,
    ) -> None:
        self.walk, self.pays, _, self.table = arrays
        self.locks, self.player, self.spawn_above = locks, player, spawn_above
        self.base, self.outcome = deal
        self.weight, self.least = np.float32(weight), np.float32(least)
        self.touched: list[int] = []

    def value(self, node: int, key: int) -> float:
        """The player's value of a node; `key` decides what is drawn from here on."""
        info = int(self.walk[node, INFO])
        actions, who = info & ACTIONS_MASK, info >> PLAYER_SHIFT & 1
        if actions == 0 or info >> STREET_SHIFT >= SPAWN_STREETS:
            return self._below(node, key)
        row = int(self.base[who, info >> STREET_SHIFT] + self.walk[node, ROW])
        strategy = np.zeros(actions, dtype=np.float32)
        read_row(self.table, row, actions, self.least, strategy, self.locks)
        self.touched.append(1)
        first = int(self.walk[node, FIRST])
        if who != self.player:
            add_to_row(self.table, row + actions, row, self.weight * strategy, self.locks)
            chosen = int(drawn_action(strategy, uniform(np.uint64(key))))
            return self.value(first + chosen, _next_key(key, chosen))
        values = np.zeros(actions, dtype=np.float32)

        def one(action: int) -> None:
            values[action] = self.value(first + action, _next_key(key, action))

        if actions > self.spawn_above:
            on_each(one, actions)
        else:
            for action in range(actions):
                one(action)
        value = float(strategy @ values)
        add_to_row(self.table, row, row, self.weight * (values - np.float32(value)), self.locks)
        return value

    def _below(self, node: int, key: int) -> float:
        """The rest, compiled and on this thread."""
        room = frames()
        room.random[0] = key
        found = traverse(
            node, self.player, self.weight, self.walk, self.pays, self.base, self.outcome, self.table, room,
            self.least, np.float32(0), self.locks,
        )  # fmt: skip
        self.touched.append(int(room.touched[0]))
        return float(found)


def locked_iterations(
    solver: BlueprintSolver,
    iterations: int,
    *,
    seed: int = 0,
    linear: bool = True,
    exploration: tuple[float, float] = (0.0, 0.0),
    mix: bool = False,
    reward: str = "y1",
    spawn_above: int = SPAWN_ABOVE,
) -> None:
    """More iterations of a blueprint, one after another, each on as many threads as it makes."""
    locks, lookup, tables = new_locks(), solver.blueprint.cards.lookup, evaluator()
    arrays = solver.arrays(reward)
    random, deck = np.zeros(1, dtype=np.uint64), np.zeros(52, dtype=np.int64)
    base = np.zeros((2, 4), dtype=np.int64)
    for _ in range(iterations):
        iteration = solver.iterations
        key = np.uint64(iteration_key(seed, iteration))
        outcome, _ = deal_hand(key, arrays.layout, lookup, tables, random, deck, base)
        least = (MIXED if mix else RAISED) * minimum_probability(exploration, iteration)
        for player in (0, 1):
            traversal = LockedTraversal(
                arrays, player, iteration + 1 if linear else 1, (base, outcome), least, locks, spawn_above
            )
            traversal.value(0, int(stream(seed, iteration, player + 1)))
            solver.touched += sum(traversal.touched)
        solver.blueprint.iterations += 1


def _next_key(key: int, action: int) -> int:
    """The key of what lies behind an action."""
    return int(mix(np.uint64((key + (action + 1) * int(STEP)) % (1 << 64))))
