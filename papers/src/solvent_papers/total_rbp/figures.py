"""The figures of the pruning experiment by name, for the ledger of claims.

Names begin with game, rule and updates: `leduc.cfr.simultaneous.stored.C=0.1.T=2000` is what is stored of regrets
and averages together, the mean over the last tenth of 2,000 iterations; without `T=` it is that of the whole run.
`tables` are the bytes of all tables by those without pruning, `lowest` is the lowest exploitability of the run.
`nodes.interval by total` compares nodes touched to one exploitability, best responses included. These are by the
papers' own tests; those of our gates have their name before the figure, `leduc.cfr.simultaneous.lasting.stored...`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import exp, fsum, log
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from solvent.engines.pruning import GATES
from solvent_papers.frame.experiment import Found
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    MAIN,
    MAIN_AVERAGES,
    PAPER,
    VARIANTS,
    Point,
    Setting,
    Trace,
    Traces,
    crossing,
    games_of,
    last_tenth,
    read,
)

FIT_FROM = 100
"""Iterations from which the cost of an iteration is fitted: before, actions are still being sorted out."""
LATE = (1_000, 10_000)
"""Between these iterations the nodes an iteration are to fall."""
EARLY = 10.0
"""Early is where exploitability is this many times what all ways to prune reached."""
PAIRS = (
    ("interval", "total"),
    ("none", "partial"),
    ("none", "total"),
    ("none", "interval"),
    ("total", "interval"),
)


def trace_figures(found: Found) -> dict[str, float]:
    """Return what is stored and touched by each way to prune."""
    traces, figures = read(found), dict[str, float]()
    games = games_of(traces)
    for game in games:
        for rule, updates in VARIANTS:
            target = found["target"] if (game, rule) == (games[-1], "cfr") else 0.0
            for gates in GATES:
                here = {
                    s: points
                    for s, points in traces.items()
                    if (s.game, s.rule, s.updates, s.plan) == (game, rule, updates, "serial")
                    and s.goes_with(gates)
                }
                none = here[Setting(game, rule, updates, "none")]
                parts = _stored(here, none, found["short"]) | _nodes(here, target) | _cost(here, none)
                figures |= {place(game, rule, updates, gates) + name: parts[name] for name in parts}
    return figures


def place(game: str, rule: str, updates: str, gates: str) -> str:
    """Return the beginning of a figure's name."""
    return f"{game}.{rule}.{updates}." + ("" if gates == PAPER else f"{gates}.")


def _stored(here: Traces, none: Trace, short: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for setting, points in here.items():
        if setting.average is None:
            continue
        last, name = points[-1].iterations, f"C={setting.average:g}"
        stored = over_last_tenth(points, last, "stored")
        early = over_last_tenth(points, short, "stored")
        found |= {
            f"stored.{name}": stored,
            f"factor.{name}": 1 / stored,
            f"averages pruned.{name}": over_last_tenth(points, last, "averages_pruned"),
            f"averages behind.{name}": over_last_tenth(points, last, "averages_behind"),
            f"regrets factor.{name}": 1 / over_last_tenth(points, last, "regrets"),
            f"since half.{name}": stored / at(points, last // 2).stored,
            f"stored.{name}.T={short}": early,
            f"factor.{name}.T={short}": 1 / early,
            f"exploitability by none's.{name}.T={short}": at(points, short).lowest / at(none, short).lowest,
            f"iterations.{name}": float(last),
            f"tables.{name}": over_last_tenth(points, last, "table_bytes") / none[-1].table_bytes,
            f"lowest.{name}": points[-1].lowest,
        }
    for name in ("stored", "exploitability by none's"):
        smaller, larger = (found[f"{name}.C={c:g}.T={short}"] for c in (min(AVERAGES), MAIN))
        found[f"{name}.C={min(AVERAGES):g} by C={MAIN:g}.T={short}"] = smaller / larger
    small, large = (found[f"lowest.C={c:g}"] for c in MAIN_AVERAGES)
    return found | {f"lowest.C={MAIN_AVERAGES[1]:g} by C={MAIN:g}": large / small}


def _nodes(here: Traces, target: float) -> dict[str, float]:
    """Return ratios of nodes to the target where there is one, else to what all reached; and early."""
    lines = {s: points for s, points in here.items() if s.average in (None, *MAIN_AVERAGES)}
    level = max(common_level(lines.values()), target)
    found = {"nodes.exploitability": level}
    for when, aim in (("", level), (" early", EARLY * level)):
        nodes = {s.pruning: nodes_to(points, aim) for s, points in lines.items() if s.average in (None, MAIN)}
        for one, other in PAIRS:
            less, more = nodes[other], nodes[one]
            if less is not None and more is not None:
                found[f"nodes.{one} by {other}{when}"] = more / less
    return found


def _cost(here: Traces, none: Trace) -> dict[str, float]:
    """Return the fit of nodes an iteration of total pruning with the main C, how they change late, and noise.

    Noise is exploitability by the lowest so far, the mean over checks from T = FIT_FROM on.
    """
    found: dict[str, float] = {}
    points = next(points for setting, points in here.items() if setting.average == MAIN)
    fit = fit_cost(points)
    if fit is not None:
        found |= {
            "cost.falls by H": fit.falls / (none[-1].nodes_touched / none[-1].iterations),
            "cost.median off": fit.median_off,
            "cost.worst off": fit.worst_off,
        }
    late = [sum(nodes_an_iteration(points, p)) for p in points if p.iterations in LATE]
    if len(late) == len(LATE):
        found[f"cost.T={LATE[1]} by T={LATE[0]}"] = late[1] / late[0]
    for setting, points in here.items():
        if setting.average in (None, MAIN):
            noise = [p.exploitability / p.lowest for p in points if p.iterations >= FIT_FROM]
            found[f"noise.{setting.pruning}"] = float(np.mean(noise))
    return found


def second_figures(found: Found) -> dict[str, float]:
    """Return seconds and iterations to the target by those without pruning; the quickest plan without is apart."""
    base, *rows = found["rows"]
    figures = {}
    for row in rows:
        if row["seconds"] is not None and base["seconds"] is not None and row["average"] in (None, MAIN):
            name = row["pruning"] if row["plan"] == "serial" else f"none on the {row['plan']} plan"
            where = place(row["game"], row["rule"], row["updates"], row["gates"])
            for number in ("seconds", "iterations"):
                figures[f"{where}{number}.{name} by none"] = row[number] / base[number]
    return figures


# Comparisons


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
