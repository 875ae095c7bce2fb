"""Starting from a strategy instead of from uniform play.

A solve that starts from sigma continues as if it had played sigma for T iterations: the average is sigma with the
weight of T iterations, the rule's clock stands at T, and regrets are proportional to sigma, so that regret matching
plays sigma first. The size of the regrets decides how soon sigma is unlearned: they are sqrt(T) times the largest
regret of the infoset's actions against sigma, which is how CFR's own regrets grow.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvent.engines.rules import RegretRule, Weights
from solvent.foundation.errors import InputError
from solvent.strategy.arena import Arena
from solvent.strategy.solved.locks import Locks

ITERATIONS = 100
"""Iterations that a strategy counts for if it does not say how many made it."""
FAINT = 2.0**-60
"""Scale of regrets that make regret matching play a strategy and vanish beside the regrets it then learns."""
ONE_ITERATION = np.array([(*Weights(), 0.0)], dtype=np.float64)
"""A schedule of one plain CFR iteration."""


class WarmSolver(Protocol):
    """A solver that can be started."""

    arena: Arena
    locks: Locks | None
    rule: RegretRule
    iterations: int
    head_start: float

    def play_once(self, strategy: NDArray[np.float64]) -> None:
        """One plain CFR iteration in which both play `strategy`: tables become its regrets and its reach."""

    def largest(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every cell the largest entry of its infoset."""


def start_from(
    solver: WarmSolver, strategy: NDArray[np.float64], facts: dict[str, Any], iterations: int | None
) -> None:
    """Begin as if `strategy`, float64[cells], had been played for some iterations."""
    if solver.iterations:
        raise InputError("a warm start comes before the first iteration")
    count = iterations if iterations is not None else int(facts.get("iterations") or ITERATIONS)
    if count < 1:
        raise InputError(f"a warm start counts for at least 1 iteration, not {count}")
    if solver.locks is not None:
        strategy = solver.locks.over(strategy)
    solver.play_once(strategy)
    regret, average = solver.arena.table("regret"), solver.arena.table("average")
    scale = solver.largest(np.abs(regret.astype(np.float64)))
    regret[:] = strategy * np.maximum(scale, FAINT) * math.sqrt(count)
    if solver.locks is not None:
        regret[solver.locks.locked] = 0.0
    weight = solver.rule.total_weight(count)
    average *= weight
    if "value" in solver.arena.names:
        solver.arena.table("value")[:] *= weight
    if "last" in solver.arena.names:
        solver.arena.table("last")[:] = 0.0
    solver.head_start = count
