"""What the named spots are worth: exploitability of uniform play, equities, and EVs near equilibrium."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.spots.named import NamedSpot

EVERY = 10
"""Iterations between measurements on the way to a target."""


@dataclass(frozen=True)
class Worth:
    """The values of a spot. Pairs are of OOP and IP; percentages are of the pot."""

    spot: str
    decision_nodes: tuple[int, ...]
    """By street, from the root's on."""
    boards: tuple[int, ...]
    hands: tuple[int, int]
    infosets: int
    uniform_percent: float
    """Exploitability of uniform play, in float64."""
    equity: tuple[float, float]
    ev: tuple[float, float]
    """Shares of the pot, in chips, of the solved strategy."""
    gains: tuple[float, float]
    """What best responses to it would win more, in chips."""
    reached_percent: float
    """Its exploitability."""
    iterations: int
    dtype: str
    """Numbers of the tables that it was solved with."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure_values(spot: NamedSpot, until: str, dtype: str, threads: int) -> Worth:
    """Measure uniform play in float64, and solve the spot until `until`, such as 0.01% of the pot."""
    uniform = solve_spot(spot.given, SpotSettings(iterations=0, dtype="float64", threads=threads))
    solved = solve_spot(
        spot.given, SpotSettings(until=until, every=EVERY, iterations=20_000, dtype=dtype, threads=threads)
    )
    return Worth(
        spot=spot.name,
        decision_nodes=uniform.size.decisions,
        boards=uniform.size.boards,
        hands=uniform.size.hands,
        infosets=uniform.infosets,
        uniform_percent=uniform.exploitability_percent,
        equity=uniform.equity,
        ev=solved.ev,
        gains=solved.evaluation.gains,
        reached_percent=solved.exploitability_percent,
        iterations=solved.iterations,
        dtype=dtype,
    )
