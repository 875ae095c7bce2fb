"""Curves of Figure 1 compared: at equal nodes touched and at equal seconds, log-log between checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log

from solvent_papers.saef.figure_one import Point, Trace

NODES, SECONDS = "nodes_touched", "seconds"
"""What curves are drawn over."""


def value_at(
    points: Sequence[Point], where: float, over: str = NODES, number: str = "informed"
) -> float | None:
    """A number of a run where it had touched so many nodes or taken so many seconds; None outside of the run."""
    places = [getattr(point, over) for point in points]
    if not points or not places[0] <= where <= places[-1]:
        return None
    after = next(k for k, place in enumerate(places) if place >= where)
    low, high = points[max(0, after - 1)], points[after]
    (x0, y0), (x1, y1) = ((getattr(point, over), getattr(point, number)) for point in (low, high))
    if x0 == x1 or min(x0, x1, y0, y1) <= 0:
        return float(y1)
    part = log(where / x0) / log(x1 / x0)
    return exp(log(y0) + part * log(y1 / y0))


def last_common(traces: Iterable[Trace], over: str = NODES) -> float:
    """The last place that every one of these runs reached."""
    return min(float(getattr(trace.last, over)) for trace in traces)


def ratio_at_end(one: Trace, other: Trace, over: str = NODES, number: str = "informed") -> float | None:
    """A number of one run by that of another, at the last place that both reached."""
    where = last_common((one, other), over)
    first, second = (value_at(trace.points, where, over, number) for trace in (one, other))
    return first / second if first is not None and second else None


def ratios_to_best(one: Trace, others: Sequence[Trace], over: str = NODES) -> list[tuple[float, float]]:
    """(place, exploitability by the lowest of the others there) at every check whose place another run reached."""
    found = []
    for point in one.points:
        where = getattr(point, over)
        values = [value_at(trace.points, where, over) for trace in others]
        if known := [value for value in values if value is not None]:
            found.append((where, point.informed / min(known)))
    return found


def levels_at(points: Sequence[Point], within: float) -> Point:
    """The first check from which on a run stays within a factor of its last exploitability."""
    last = points[-1]
    settled = last
    for point in reversed(points):
        if point.informed > within * last.informed:
            break
        settled = point
    return settled


def bump(points: Sequence[Point]) -> float:
    """The largest exploitability of a check by the lowest before it."""
    worst, lowest = 1.0, points[0].informed
    for point in points[1:]:
        worst = max(worst, point.informed / lowest)
        lowest = min(lowest, point.informed)
    return worst
