"""Values of the named spots: exploitability of uniform play, equities, and EVs near equilibrium."""

from __future__ import annotations

from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.frame.experiment import Found
from solvent_papers.spots.named import NamedSpot
from solvent_papers.spots.speed import EVERY


def measure_values(spot: NamedSpot, until: str, dtype: str, threads: int) -> Found:
    """Measure uniform play in float64, and solve the spot until `until`, such as 0.01% of the pot.

    Pairs are of OOP and IP. `ev` and `gains` are in chips: shares of the pot when the solved strategy is played,
    and what best responses to it would win more.
    """
    uniform = solve_spot(spot.given, SpotSettings(iterations=0, dtype="float64", threads=threads))
    solved = solve_spot(
        spot.given, SpotSettings(until=until, every=EVERY, iterations=20_000, dtype=dtype, threads=threads)
    )
    return {
        "spot": spot.name,
        "decision_nodes": uniform.size.decisions,
        "boards": uniform.size.boards,
        "hands": uniform.size.hands,
        "uniform_percent": uniform.exploitability_percent,
        "equity": uniform.equity[0],
        "ev": solved.ev,
        "gains": solved.evaluation.gains,
        "reached_percent": solved.exploitability_percent,
        "iterations": solved.iterations,
    }
