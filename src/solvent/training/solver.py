"""Training a blueprint by external-sampling Monte Carlo CFR (Lanctot, Waugh, Zinkevich and Bowling 2009)."""

from __future__ import annotations

from functools import partial

import numpy as np

from solvent.cards.evaluator import evaluator
from solvent.engines.rewards import reward as reward_of
from solvent.forms.betting.tree import sampled_walk
from solvent.foundation.kernels.threads import on_each
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.kernels import (
    MIXED,
    RAISED,
    BlueprintArrays,
    IterationOptions,
    blueprint_room,
    holdem_iterations,
)


class BlueprintSolver:
    """Fills the tables of a blueprint, iteration by iteration."""

    def __init__(self, blueprint: Blueprint, touched: int = 0) -> None:
        """`touched`: rows that training has touched so far."""
        self.blueprint, self.touched = blueprint, touched
        self._walk = sampled_walk(blueprint.tree)
        self._arrays: tuple[str, BlueprintArrays] | None = None

    @property
    def iterations(self) -> int:
        """Iterations that the tables have been trained for."""
        return self.blueprint.iterations

    def run(
        self,
        iterations: int,
        *,
        threads: int = 1,
        seed: int = 0,
        linear: bool = True,
        exploration: tuple[float, float] = (0.0, 0.0),
        mix: bool = False,
        floor: float = 0.0,
        reward: str = "y1",
    ) -> None:
        """Run more iterations, shared among threads that write to the same tables.

        There are no locks: an addition that two threads make to one number at the same moment may count once.
        `exploration` is mixed in or raised to: see `IterationOptions`. `floor`, in chips: actions whose regret per
        iteration is below it are left out of most iterations; 0 for none.
        """
        start, stop = self.iterations, self.iterations + iterations
        bounds = np.linspace(start, stop, threads + 1).astype(np.int64)
        rooms = [blueprint_room() for _ in range(threads)]
        arrays, options = (
            self.arrays(reward),
            IterationOptions(np.float32(linear), exploration, np.float32(floor), MIXED if mix else RAISED),
        )
        lookup, tables = self.blueprint.cards.lookup, evaluator()

        def work(which: int) -> None:
            first, end = bounds[which : which + 2]
            holdem_iterations(first, end, seed, options, arrays, lookup, tables, rooms[which])

        try:
            on_each(work, threads)
        finally:  # an interrupt comes when all threads are done
            self.blueprint.iterations = stop
            self.touched += sum(int(room.walks.touched[0]) for room in rooms)

    def arrays(self, reward: str) -> BlueprintArrays:
        """The blueprint for kernels, with payoffs transformed by a reward function; kept for the next call."""
        if self._arrays is None or self._arrays[0] != reward:
            big_blind = self.blueprint.tree.abstraction.rules.blinds[1]
            walk, pays = self._walk.transformed(partial(reward_of, reward, unit=big_blind))
            made = BlueprintArrays(walk, pays, self.blueprint.layout, self.blueprint.table)
            self._arrays = reward, made
        return self._arrays[1]
