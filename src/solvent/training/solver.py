"""Training a blueprint by external-sampling Monte Carlo CFR (Lanctot, Waugh, Zinkevich and Bowling 2009)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from solvent.cards.evaluator import evaluator
from solvent.engines.rewards import reward as reward_of
from solvent.forms.betting.tree import sampled_walk
from solvent.foundation.kernels.threads import on_each
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.kernels import (
    BlueprintArrays,
    BlueprintWorkspace,
    IterationOptions,
    blueprint_workspace,
    holdem_iterations,
    iteration_options,
)


class TableSolver(ABC):
    """Fills the tables of a blueprint, iteration by iteration, on threads that write to the same tables.

    There are no locks: an addition that two threads make to one number at the same moment may count once.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.touched = 0
        """Rows touched so far."""

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
    ) -> None:
        """Run more iterations, shared among threads; the options are those of `IterationOptions`, in chips."""
        bounds = self.iterations + np.linspace(0, iterations, threads + 1).astype(np.int64)
        options = iteration_options(linear, exploration, mix, floor)
        spaces = self.workspaces(threads)
        try:
            on_each(lambda n: self._iterate(bounds[n], bounds[n + 1], seed, options, spaces[n]), threads)
        finally:  # an interrupt comes when all threads are done
            self.blueprint.iterations += iterations
            self.touched += sum(self._touched(space) for space in spaces)

    @abstractmethod
    def workspaces(self, threads: int) -> Sequence[Any]:
        """Return the threads' memory, in which no row has been touched yet."""

    @abstractmethod
    def _iterate(self, start: int, end: int, seed: int, options: IterationOptions, space: Any) -> None:
        """Run iterations `start` to `end` on one thread."""

    @abstractmethod
    def _touched(self, space: Any) -> int:
        """Return the rows that one thread has touched."""


class BlueprintSolver(TableSolver):
    """Draws a deal for each iteration, and actions of the other player."""

    def __init__(self, blueprint: Blueprint, reward: str = "y1") -> None:
        super().__init__(blueprint)
        big_blind = blueprint.tree.abstraction.rules.blinds[1]
        walk, pays = sampled_walk(blueprint.tree).transformed(partial(reward_of, reward, unit=big_blind))
        self.arrays = BlueprintArrays(walk, pays, blueprint.layout, blueprint.table)
        """The blueprint for kernels, with payoffs transformed by the reward function."""

    def workspaces(self, threads: int) -> list[BlueprintWorkspace]:
        return [blueprint_workspace() for _ in range(threads)]

    def _iterate(
        self, start: int, end: int, seed: int, options: IterationOptions, space: BlueprintWorkspace
    ) -> None:
        lookup = self.blueprint.cards.lookup
        holdem_iterations(start, end, seed, options, self.arrays, lookup, evaluator(), space)

    def _touched(self, space: BlueprintWorkspace) -> int:
        return int(space.walks.touched[0])
