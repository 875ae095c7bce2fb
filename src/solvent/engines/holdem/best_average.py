"""Averages of int16 as they were when they were least exploitable.

Rounding adds to such tables as much as iterations take off: from some exploitability on, further iterations make
the strategy worse. A solve therefore keeps a copy of its best averages, half as large as its tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from numpy.typing import NDArray

from solvent.engines.holdem.solver import HoldemSolver

BEST = "best_"
"""Prefix of the tables' names in a checkpoint."""


class BestAverage:
    """The best averages of a solver so far. A checkpoint has them where the solver's own are others."""

    def __init__(self, solver: HoldemSolver) -> None:
        self.solver = solver
        self.exploitability, self.iterations = inf, -1
        self._tables: dict[str, NDArray[Any]] = {}

    @staticmethod
    def bytes_of(solver: HoldemSolver) -> int:
        """Bytes of a copy."""
        return solver.average.nbytes + solver.average_scale.nbytes

    def note(self, exploitability: float) -> None:
        """Copy the averages if a measurement has found them better than before."""
        if exploitability < self.exploitability:
            self.exploitability, self.iterations = exploitability, self.solver.iterations
            for name, table in self._averages().items():
                self._tables.setdefault(name, table.copy())[:] = table

    def give_back(self) -> None:
        """Let the solver have the best averages instead of its own."""
        for name, table in self._averages().items():
            table[:] = self._tables[name]

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """The tables of a checkpoint beside the solver's."""
        if self.iterations in (-1, self.solver.iterations):
            return {}
        return {BEST + name: table for name, table in self._tables.items()}

    def load(self, tables: Mapping[str, NDArray[Any]], exploitability: float | None, iterations: int) -> None:
        """Load the tables of a checkpoint, and the measurement at which they were the best."""
        if exploitability is None:
            return
        self.exploitability, self.iterations = exploitability, iterations
        names = BEST if BEST + "average" in tables else ""
        self._tables = {name: tables[names + name].copy() for name in self._averages()}

    def _averages(self) -> dict[str, NDArray[Any]]:
        return {"average": self.solver.average, "average_scale": self.solver.average_scale}


def best_tables(tables: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The tables of a checkpoint with the best averages in the place of the last, where it has both."""
    best = {name.removeprefix(BEST): table for name, table in tables.items() if name.startswith(BEST)}
    return {**tables, **best}
