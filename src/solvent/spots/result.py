"""What a solve of a spot has reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from solvent.cards.deck import cards_label
from solvent.engines.holdem.response import HoldemEvaluation
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.sizing import HoldemSize
from solvent.games.holdem.spot import Spot
from solvent.spots.growing_work import SizesFound
from solvent.spots.settings import SpotSettings


@dataclass(frozen=True)
class SpotResult:
    """What a solve of a spot has reached. Pairs are of OOP and IP; chips are those of the spot."""

    spot: Spot
    settings: SpotSettings
    locks: tuple[str, ...]
    size: HoldemSize
    threads: int
    isomorphism: bool
    """Whether some boards stand for others that differ in the names of suits."""
    iterations: int
    stopped_by: str
    """iterations, until, time or interrupt"""
    evaluation: HoldemEvaluation
    equity: tuple[float, float]
    """What each player would win of the pot if everybody checked to the end, as a part of it."""
    root_actions: Mapping[str, float]
    """How often each action of the first decision is taken, over all hands."""
    infosets: int
    seconds: float
    """Seconds of iterations and of measurements on the way."""
    seconds_per_iteration: float
    """Seconds of an iteration alone, the mean of all."""
    first_iteration_seconds: float
    """Seconds of the first one, which also waits for the system to hand the tables' memory over."""
    build_seconds: float
    """Seconds from the spot to tables that nothing has been written to."""
    compile_seconds: float
    table_bytes: int
    peak_memory_bytes: int
    solver: HoldemSolver = field(repr=False)
    """The solver with its tables, of which a `SpotSolution` answers everything else."""
    convergence: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """One row for each measurement."""
    sizes_found: SizesFound | None = field(repr=False, default=None)
    """The bet sizes that the solve has found, where it was asked to."""
    run: Path | None = None
    """The folder of the run, if it is kept."""
    unsaved: str | None = None
    """What the run's folder lacks of this, and why: a full disk stops no solve."""
    notes: tuple[str, ...] = ()
    """What there is to say of the result, in sentences."""

    @property
    def exploitability(self) -> float:
        """Half of what both players would gain by best responses, in chips."""
        return self.evaluation.exploitability

    @property
    def exploitability_percent(self) -> float:
        """Exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def ev(self) -> tuple[float, float]:
        """What each player takes of the pot; the sum is the pot less the rake."""
        first, second = self.evaluation.value
        return first + self.spot.pot / 2, second + self.spot.pot / 2

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        spot, settings = self.spot, self.settings
        return {
            "exploitability_percent": self.exploitability_percent,
            "exploitability": self.exploitability,
            "gains": list(self.evaluation.gains),
            "ev": list(self.ev),
            "equity": list(self.equity),
            "root_actions": dict(self.root_actions),
            "decision_nodes": list(self.size.decisions),
            "boards": list(self.size.boards),
            "streets": list(spot.street_names),
            "hands": list(self.size.hands),
            "infosets": self.infosets,
            "iterations": self.iterations,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "seconds_per_iteration": self.seconds_per_iteration,
            "first_iteration_seconds": self.first_iteration_seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
            "table_bytes": self.table_bytes,
            "peak_memory_bytes": self.peak_memory_bytes,
            "rule": str(settings.rule),
            "dtype": settings.dtype,
            "threads": self.threads,
            "isomorphism": self.isomorphism,
            "board": cards_label(spot.root_board),
            "oop": str(spot.ranges[0]),
            "ip": str(spot.ranges[1]),
            "pot": spot.pot,
            "stack": spot.stack,
            "rake": spot.rake,
            "rake_cap": spot.rake_cap if isfinite(spot.rake_cap) else None,
            "least_bet": spot.least_bet,
            "sizes": spot.sizes,
            "locks": list(self.locks),
            "game": str(spot),
            "sizes_found": None if self.sizes_found is None else asdict(self.sizes_found),
            "run": None if self.run is None else str(self.run),
            "unsaved": self.unsaved,
            "notes": list(self.notes),
        }
