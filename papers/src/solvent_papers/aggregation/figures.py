"""The figures of the aggregation experiment by name, for the ledger of claims.

Games are named as in the paper's Table 1: `4 suits 5 cards.speedup.as printed`. *As printed* is the paper's own
aggregated plan: one matrix product for all terminals of a board, and in Bluff vectors over hands.
"""

from __future__ import annotations

from collections.abc import Sequence

from solvent_papers.aggregation.plans import PAPER, Point, Row

AGGREGATED = ("aggregated", "shapes", "sequences", "vectors")
"""The plans that work on vectors over hands, each without isomorphism."""


def plan_figures(rows: Sequence[Row], points: Sequence[Point]) -> dict[str, float]:
    """Return seconds, speed-ups over serial and memory by game, and Figure 3's seconds to one exploitability."""
    found: dict[str, float] = {}
    for game, paper in PAPER.items():
        here = [row for row in rows if row.game == game and (row.threads == 1 or row.plan == "branched")]
        if here:
            found |= {f"{paper.name}.{name}": value for name, value in _of_game(here, points).items()}
    return found


def _of_game(rows: Sequence[Row], points: Sequence[Point]) -> dict[str, float]:
    serial = next(row for row in rows if row.plan == "serial")
    branched = next(row for row in rows if row.plan == "branched")
    flattened = next(row for row in rows if row.plan == "flattened")
    vectors = [row for row in rows if row.plan in AGGREGATED and not row.isomorphism]
    quickest = min(vectors, key=lambda row: row.seconds_per_iteration or float("inf"))
    printed = next(row for row in vectors if row.evaluator == "gemm" or row.plan == "vectors")
    automatic = next(row for row in rows if row.plan == "auto")
    found = {
        "flattened.fits": float(flattened.seconds_per_iteration is not None),
        "speedup.branched": branched.speedup,
        "speedup.flattened": flattened.speedup,
        "speedup.as printed": printed.speedup,
        "speedup.quickest": quickest.speedup,
        "speedup.auto": automatic.speedup,
        "seconds.serial": serial.seconds_per_iteration,
        "seconds.flattened": flattened.seconds_per_iteration,
        "seconds.as printed": printed.seconds_per_iteration,
        "seconds.quickest": quickest.seconds_per_iteration,
        "aggregated by serial memory": _ratio(printed.peak_memory_bytes, serial.peak_memory_bytes),
        "branched by serial memory": _ratio(branched.peak_memory_bytes, serial.peak_memory_bytes),
        "flattened by serial memory": _ratio(flattened.peak_memory_bytes, serial.peak_memory_bytes),
    }
    if flattened.seconds_per_iteration and printed.seconds_per_iteration:
        found["flattened by aggregated"] = flattened.seconds_per_iteration / printed.seconds_per_iteration
    for plan in ("flattened", "aggregated"):
        found[f"figure 3.{plan}"] = seconds_ratio(points, serial.game, plan)
    return {name: value for name, value in found.items() if value is not None}


def _ratio(bytes_one: int | None, bytes_other: int | None) -> float | None:
    return bytes_one / bytes_other if bytes_one and bytes_other else None


def seconds_ratio(points: Sequence[Point], game: str, plan: str) -> float | None:
    """Return the serial plan's seconds to its last exploitability over those of another plan to the same."""
    serial = [point for point in points if (point.game, point.plan) == (game, "serial")]
    other = [point for point in points if (point.game, point.plan) == (game, plan)]
    if not serial or not other:
        return None
    level = max(min(point.exploitability for point in serial), min(point.exploitability for point in other))
    first, second = (
        next(point.seconds for point in line if point.exploitability <= level) for line in (serial, other)
    )
    return first / second
