"""Curves of Figure 1 compared: at equal nodes touched and at equal seconds, log-log between checks."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from solvent_papers.saef.figure_one import Point

NODES, SECONDS = "nodes_touched", "seconds"
"""Quantities over which curves are drawn."""
Curve = Sequence[Point]


def value_at(points: Curve, where: float, over: str = NODES, number: str = "informed") -> float | None:
    """Return a number of a run at this many nodes touched, or seconds; None outside of the run."""
    places = [getattr(point, over) for point in points]
    if not places or not places[0] <= where <= places[-1]:
        return None
    after = next(k for k, place in enumerate(places) if place >= where)
    low, high = points[max(0, after - 1)], points[after]
    (x0, y0), (x1, y1) = ((getattr(point, over), getattr(point, number)) for point in (low, high))
    if x0 == x1 or min(x0, x1, y0, y1) <= 0:
        return float(y1)
    way = log(where / x0) / log(x1 / x0)
    return exp(log(y0) + way * log(y1 / y0))


def ratio_at_end(one: Curve, other: Curve, over: str = NODES, number: str = "informed") -> float | None:
    """Return a number of one run by that of another, at the last place that both reached."""
    where = min(float(getattr(points[-1], over)) for points in (one, other))
    first, second = (value_at(points, where, over, number) for points in (one, other))
    return first / second if first is not None and second else None


def ratios_to_best(one: Curve, others: Sequence[Curve], over: str = NODES) -> list[tuple[float, float]]:
    """Return (place, exploitability by the lowest of the others) at every check whose place another run reached."""
    found = []
    for point in one:
        where = getattr(point, over)
        values = [value_at(points, where, over) for points in others]
        if known := [value for value in values if value is not None]:
            found.append((where, point.informed / min(known)))
    return found


def levels_at(points: Curve, within: float) -> Point:
    """Return the first check from which on a run stays within a factor of its last exploitability."""
    last = points[-1]
    settled = last
    for point in reversed(points):
        if point.informed > within * last.informed:
            break
        settled = point
    return settled


def bump(points: Curve) -> float:
    """Return the largest exploitability of a check by the lowest before it."""
    worst, lowest = 1.0, points[0].informed
    for point in points[1:]:
        worst = max(worst, point.informed / lowest)
        lowest = min(lowest, point.informed)
    return worst
