"""The checks of every setting, and comparisons that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp, fsum, log
from statistics import mean, median
from typing import NamedTuple

from solvent.engines.pruning import GATES, Pruning
from solvent_papers.frame.experiment import Found, by_rows

VARIANTS = (("cfr", "alternating"), ("cfr", "simultaneous"), ("cfr+", "alternating"))
"""(rule, updates)."""
AVERAGES = (0.0, 0.01, 0.03, 0.1)
"""C. With 0 nothing is forgotten of the average strategy but what was never played."""
MAIN_AVERAGES = (Pruning().average, 0.1)
"""The default, and the paper's where it saves most: compared with other ways to prune, and run for long."""
MAIN = MAIN_AVERAGES[0]
"""The C at which nodes and seconds are compared."""
PAPER = "paper"
"""The gates of the papers' own tests."""
FIT_FROM = 100
"""Iterations from which the cost of an iteration is fitted: before, actions are still being sorted out."""


class Setting(NamedTuple):
    """One way to solve one game."""

    game: str
    rule: str
    updates: str
    pruning: str
    average: float | None = None
    """C, of total pruning."""
    plan: str = "serial"
    gates: str = PAPER
    """The gates of interval and total pruning; the other ways to prune have none."""

    @property
    def label(self) -> str:
        """The way to prune, in words."""
        ours = "" if self.gates == PAPER else f", {self.gates}"
        if self.average is not None:
            return f"{self.pruning}, C = {self.average:g}{ours}"
        return f"{self.pruning}{ours}" if self.plan == "serial" else f"{self.pruning} ({self.plan} plan)"

    def goes_with(self, gates: str) -> bool:
        """Whether this has these gates, or none at all."""
        return self.gates == gates or self.pruning in ("none", "partial")


class Point(NamedTuple):
    """A check of a setting. What is stored is a share of all infoset-actions."""

    iterations: int
    nodes_touched: int
    """Histories, those of best responses included."""
    response_nodes: int
    """Those of best responses."""
    exploitability: float
    """NashConv / 2 in chips."""
    lowest: float
    """The lowest exploitability so far."""
    regrets: float
    bounds: float
    """Infosets that keep a number for their pruned actions."""
    averages: float
    averages_pruned: float
    """Averages held of pruned actions."""
    averages_behind: float
    """Averages held of actions behind pruned ones: those whose reach is above C / sqrt(T)."""
    table_bytes: int

    @property
    def stored(self) -> float:
        """Regrets and averages together."""
        return (self.regrets + self.averages) / 2


Trace = Sequence[Point]
Traces = Mapping[Setting, Trace]


def read(found: Found) -> dict[Setting, Trace]:
    """Return the checks that were kept, by their settings."""
    return {
        Setting(**each["setting"]): [Point(**row) for row in by_rows(each["points"])]
        for each in found["traces"]
    }


def games_of(traces: Traces) -> list[str]:
    """Return the games in the order in which they were run."""
    return list(dict.fromkeys(setting.game for setting in traces))


def compared(
    traces: Traces, game: str, rule: str, updates: str = "alternating", plans: Sequence[str] = ("serial",)
) -> dict[Setting, Trace]:
    """Return the ways to prune that are set side by side."""
    return {
        s: points
        for s, points in traces.items()
        if (s.game, s.rule, s.updates) == (game, rule, updates)
        and s.plan in plans
        and s.average in (None, *MAIN_AVERAGES)
    }


def costs(traces: Traces) -> dict[str, tuple[Setting, Trace]]:
    """Return no pruning, and total pruning with the main C for each variant and its gates, on the last game."""
    game = games_of(traces)[-1]
    none = Setting(game, *VARIANTS[0], "none")
    found = {"none": (none, traces[none])}
    for gates in GATES:
        for rule, updates in VARIANTS:
            setting = Setting(game, rule, updates, "total", MAIN, gates=gates)
            found[f"total, {rule.upper()}, {updates}, {gates}"] = (setting, traces[setting])
    return found


# Moments


def moments(short: int) -> tuple[int, int]:
    """Return when exploitabilities are compared at equal iterations."""
    return short // 5, short


def last_tenth(iterations: int) -> range:
    """Return about twenty checks over the last tenth of the iterations."""
    return range(iterations - iterations // 10, iterations + 1, max(1, iterations // 200))


def at(points: Trace, iterations: int) -> Point:
    """Return the first check after this many iterations or more."""
    return next(point for point in points if point.iterations >= iterations)


def over_last_tenth(points: Trace, iterations: int, number: str) -> float:
    """Return the mean of a number over the last tenth of the iterations."""
    return float(
        mean(getattr(point, number) for point in points if point.iterations in last_tenth(iterations))
    )


def first_stored(points: Trace, share: float) -> Point | None:
    """Return the first check with no more than this share of everything stored."""
    return next((point for point in points if point.stored <= share), None)


# Nodes


def crossing(points: Trace, target: float) -> Point | None:
    """Return the first check at which an exploitability was reached."""
    return next((point for point in points if point.lowest <= target), None)


def nodes_to(points: Trace, level: float) -> float | None:
    """Return histories touched when the lowest exploitability fell to a level, log-log between checks."""
    after = crossing(points, level)
    if after is None:
        return None
    before = points[max(0, points.index(after) - 1)]
    if not 0 < after.lowest < before.lowest:
        return after.nodes_touched
    way = log(before.lowest / level) / log(before.lowest / after.lowest)
    return before.nodes_touched * exp(way * log(after.nodes_touched / before.nodes_touched))


def common_level(traces: Iterable[Trace]) -> float:
    """Return the lowest exploitability that every trace reached."""
    return max(points[-1].lowest for points in traces)


def nodes_an_iteration(points: Trace, point: Point) -> tuple[float, float]:
    """Return (walked, of best responses) an iteration, over about the second half of the iterations to a point."""
    earlier = [other for other in points if other.iterations <= point.iterations / 2]
    if not earlier:
        walked, responses = point.nodes_touched - point.response_nodes, point.response_nodes
        return walked / point.iterations, responses / point.iterations
    since, n = earlier[-1], point.iterations - earlier[-1].iterations
    responses = point.response_nodes - since.response_nodes
    return (point.nodes_touched - since.nodes_touched - responses) / n, responses / n


class CostFit(NamedTuple):
    """Nodes an iteration as a + b / T (Theorem 3), and how far single steps between checks are from it."""

    stays: float
    """a, in nodes."""
    falls: float
    """b, in nodes."""
    median_off: float
    worst_off: float


def fit_cost(points: Trace) -> CostFit | None:
    """Fit a + b / t by least squares from T = FIT_FROM on; a step between checks is weighed by the nodes in it."""
    steps = [
        (p.iterations - q.iterations, log(p.iterations / q.iterations), p.nodes_touched - q.nodes_touched)
        for q, p in pairwise([p for p in points if p.iterations >= FIT_FROM])
    ]
    if len(steps) < 2:
        return None
    rows = [(count / nodes, logs / nodes) for count, logs, nodes in steps]
    xx, xy, yy = (fsum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    x, y = (fsum(column) for column in zip(*rows, strict=True))
    determinant = xx * yy - xy * xy
    stays, falls = (yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant
    off = [abs(stays * one + falls * other - 1) for one, other in rows]
    return CostFit(stays, falls, median(off), max(off))
