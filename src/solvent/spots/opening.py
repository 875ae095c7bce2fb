"""Open the run of a spot."""

from __future__ import annotations

from pathlib import Path

from solvent.spots.folder import open_solver
from solvent.spots.nodes.solution import SpotSolution


def open_spot(folder: str | Path, threads: int = 1) -> SpotSolution:
    """The solution in a run's folder, as its newest checkpoint has it; the run itself may go on meanwhile."""
    return SpotSolution(open_solver(folder, threads))
