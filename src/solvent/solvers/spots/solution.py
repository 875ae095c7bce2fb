"""A solved spot, asked by lines of play."""

from __future__ import annotations

from solvent.foundation.errors import InputError
from solvent.games.spot import Spot
from solvent.solvers.holdem.solver import HoldemSolver
from solvent.solvers.spots.lines import find_place
from solvent.solvers.spots.node import SpotNode
from solvent.solvers.spots.showdowns import Showdowns


class SpotSolution:
    """The average strategy of a solver of a spot, as it is when something is asked."""

    def __init__(self, solver: HoldemSolver) -> None:
        if not isinstance(solver.game.rules, Spot):
            raise InputError(f"{solver.name} is no spot")
        self.solver = solver
        self._showdowns = Showdowns(solver.game)

    @property
    def spot(self) -> Spot:
        """The rules that were solved."""
        rules: Spot = self.solver.game.rules
        return rules

    @property
    def root(self) -> SpotNode:
        return self.at("")

    def at(self, line: str = "") -> SpotNode:
        """The node after a line such as `check, bet 100, call, 7s`, or short `x, b100, c, 7s`; `r300` raises."""
        return SpotNode(self.solver, find_place(self.solver.game, line), self._showdowns)
