"""A solved spot: asked by lines of play, locked at a node and solved further, or opened from a run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from solvent.cards.deck import cards_label
from solvent.engines.holdem.best_average import BestAverage
from solvent.engines.holdem.carry_over import carry_over
from solvent.engines.holdem.response import HoldemEvaluation
from solvent.engines.holdem.solver import HoldemSolver
from solvent.foundation.errors import InputError
from solvent.foundation.html import facts_html
from solvent.foundation.progress import TOLD, Progress, Stop, Watch
from solvent.games.holdem.spot import NAMES, Spot
from solvent.solving.session import Session, watched
from solvent.spots.folder import open_solver
from solvent.spots.locks import node_lock, parse_lock
from solvent.spots.nodes.answers import Answers, Showdowns
from solvent.spots.nodes.grid import grid_html
from solvent.spots.nodes.lines import find_place
from solvent.spots.nodes.node import SpotNode
from solvent.spots.settings import SpotSettings
from solvent.spots.work import SpotWork, spot_limits, with_limits

SOLVING = "solving"


class SpotSolution:
    """The average strategy of a solver of a spot, as it is when something is asked."""

    def __init__(self, solver: HoldemSolver) -> None:
        if not isinstance(solver.game.rules, Spot):
            raise InputError(f"{solver.name} is no spot")
        self.solver = solver
        self._showdowns = Showdowns(solver.game)
        self._evaluated: tuple[int, HoldemEvaluation] | None = None

    def __repr__(self) -> str:
        evs = ", ".join(
            f"EV {name} {value + self.spot.pot / 2:.3f}"
            for name, value in zip(NAMES, self.evaluation.value, strict=True)
        )
        return (
            f"<SpotSolution of {self.spot} after {self.solver.iterations:,} iterations: exploitability "
            f"{self.exploitability_percent:.4f} % of the pot, {evs}>"
        )

    @property
    def spot(self) -> Spot:
        """The rules that were solved."""
        rules: Spot = self.solver.game.rules
        return rules

    @property
    def iterations(self) -> int:
        """Iterations so far; after a lock they are counted anew."""
        return self.solver.iterations

    @property
    def evaluation(self) -> HoldemEvaluation:
        """Exploitability and values of the strategy, by exact best responses that keep to the locks."""
        if self._evaluated is None or self._evaluated[0] != self.iterations:
            self._evaluated = self.iterations, self.solver.evaluate()
        return self._evaluated[1]

    @property
    def exploitability(self) -> float:
        """Half of what both players would gain by best responses, in chips."""
        return self.evaluation.exploitability

    @property
    def exploitability_percent(self) -> float:
        """Exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    def _repr_html_(self) -> str:
        spot, evaluation = self.spot, self.evaluation
        facts = {
            "exploitability": f"{self.exploitability_percent:.4f} % of the pot",
            "iterations": f"{self.iterations:,}",
            "locks": f"{len(self.solver.locks):,}",
        }
        for name, value in zip(NAMES, evaluation.value, strict=True):
            facts[f"EV of {name}"] = f"{value + spot.pot / 2:.3f}"
        title = f"{cards_label(spot.root_board)}, pot {spot.pot:,}, stack {spot.stack:,}"
        return facts_html(title, facts) + grid_html(self.root)

    @property
    def root(self) -> SpotNode:
        return self.at("")

    def at(self, line: str = "") -> SpotNode:
        """The node after a line such as `check, bet 100, call, 7s`, or short `x, b100, c, 7s`; `r300` raises."""
        place = find_place(self.solver.game, line)
        return SpotNode(place, Answers(self.solver, self._showdowns))

    def plot_grid(self, line: str = "", axes: Any = None) -> Any:
        """Draw the strategy after a line as a 13 x 13 grid, coloured by action; returns Matplotlib's axes."""
        return self.at(line).plot_grid(axes)

    def lock(self, lock: str | SpotNode, play: ArrayLike | None = None) -> SpotSolution:
        """Copy the solution with one more lock: what some hands play at a decision.

        Without `play` the lock is text, `check, bet 100: 22-55 = fold:0.25, call:0.75`, and holds on all boards.
        With it the lock is a node or its line, and `play` has the probabilities, float64[actions, hands of the
        player to act] like `SpotNode.strategy`, NaN in the columns of hands that stay free; it holds on the board
        of the node. The rest of the strategy stays as it is until `solve` continues from there.
        """
        before = self.solver
        if play is not None:
            new = node_lock(self.at(lock) if isinstance(lock, str) else lock, play)
        elif isinstance(lock, str):
            new = parse_lock(lock, self.spot, before.game.tree)
        else:
            raise InputError("a lock of a node needs what is played there, such as its strategy")
        locks = (*before.locks, new)
        solver = HoldemSolver(before.game, before.rule, before.threads, before.dtype, locks)
        carry_over(before, solver)
        return SpotSolution(solver)

    def solve(
        self,
        *,
        until: str | float | None = None,
        iterations: int | None = None,
        time: float | str | None = None,
        every: int | None = None,
        watch: Watch | None = None,
        progress: bool = False,
        stop: Stop | None = None,
    ) -> SpotSolution:
        """Continue solving from the present tables, and return the solution itself.

        The first limit of `until` (exploitability, '0.3%' of the pot or chips), `iterations` (in all) and `time`
        stops it; without a limit it is 0.3 % of the pot. `progress` and `watch` are as in `solvent.solve`. Ctrl-C
        raises `Interrupted`, whose `result` is the solution.
        """
        given = {"until": until, "iterations": iterations, "time": time, "every": every}
        solver, pot = self.solver, self.spot.pot
        if self.iterations and not solver.regret.any():
            raise InputError("this solution was opened to be asked, without regrets; resume its run instead")
        settings = with_limits(SpotSettings.of({"rule": solver.rule, "dtype": solver.dtype, **given}))
        limits = spot_limits(settings, pot, solver.raked)
        work = SpotWork(solver, pot, limits, BestAverage(solver) if solver.dtype == "int16" else None)
        with watched(watch, progress) as shown:
            told = work.forecasting(shown)
            session = Session(SOLVING, work, limits, None, math.inf, told, stop or Stop())
            session.loop()
            for note in work.end():
                told(Progress(TOLD, 0, detail=note))
            return session.held.result(self)


def open_spot(folder: str | Path, threads: int = 1) -> SpotSolution:
    """Open the solution in a run's folder at its newest checkpoint; the run itself may continue meanwhile."""
    return SpotSolution(open_solver(folder, threads))
