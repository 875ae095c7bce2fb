"""The figures of the pruning experiment by name, for the ledger of claims.

Names begin with game, rule and updates: `leduc.cfr.simultaneous.stored.C=0.1.T=2000` is what is stored of regrets
and averages together, the mean over the last tenth of 2,000 iterations; without `T=` it is that of the whole run.
`tables` are the bytes of all tables by those without pruning, `lowest` is the lowest exploitability of the run.
`nodes.interval by total` compares nodes touched to one exploitability, best responses included. These are by the
papers' own tests; what our gates give has their name before the figure, `leduc.cfr.simultaneous.lasting.stored...`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from solvent.engines.pruning import GATES
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    MAIN_AVERAGES,
    PAPER,
    Point,
    Result,
    Setting,
    Timing,
    common_level,
    nodes_an_iteration,
    nodes_to,
    of_gates,
    over_last_tenth,
)

MAIN = MAIN_AVERAGES[0]
"""The C at which nodes and seconds are compared."""
FIT_FROM = 100
"""Where the cost of an iteration is fitted from: before, actions are still being sorted out."""
LATE = (1_000, 10_000)
"""Between these iterations the nodes an iteration are to fall."""
EARLY = 10.0
"""Early is where exploitability is this many times what all ways to prune reached."""


def pruning_figures(result: Result) -> dict[str, float]:
    """Return what is stored, touched and taken by each way to prune."""
    found: dict[str, float] = {}
    for game in result.games:
        for rule, updates in dict.fromkeys((s.rule, s.updates) for s in result.traces if s.game == game):
            serial = [
                s
                for s in result.traces
                if (s.game, s.rule, s.updates, s.plan) == (game, rule, updates, "serial")
            ]
            for gates in GATES:
                here = {s: result.traces[s] for s in of_gates(serial, gates)}
                parts = _stored(here, result.scale.short) | _nodes(result, here) | _cost(here) | _noise(here)
                found |= {f"{game}.{rule}.{updates}.{_prefix(gates)}{name}": parts[name] for name in parts}
    return found | _seconds(result.timings)


def _prefix(gates: str) -> str:
    return "" if gates == PAPER else f"{gates}."


def _stored(here: Mapping[Setting, Sequence[Point]], short: int) -> dict[str, float]:
    found: dict[str, float] = {}
    none = next(points for setting, points in here.items() if setting.pruning == "none")
    for setting, points in here.items():
        if setting.average is None:
            continue
        last, name = points[-1].iterations, f"C={setting.average:g}"
        stored = over_last_tenth(points, last, "stored")
        half = next(point.stored for point in points if point.iterations >= last // 2)
        early = over_last_tenth(points, short, "stored")
        found |= {
            f"stored.{name}": stored,
            f"factor.{name}": 1 / stored,
            f"averages pruned.{name}": over_last_tenth(points, last, "averages_pruned"),
            f"averages behind.{name}": over_last_tenth(points, last, "averages_behind"),
            f"regrets factor.{name}": 1 / over_last_tenth(points, last, "regrets"),
            f"since half.{name}": stored / half,
            f"stored.{name}.T={short}": early,
            f"factor.{name}.T={short}": 1 / early,
            f"exploitability by none's.{name}.T={short}": _at(points, short) / _at(none, short),
            f"iterations.{name}": float(last),
            f"tables.{name}": over_last_tenth(points, last, "table_bytes") / none[-1].table_bytes,
            f"lowest.{name}": points[-1].lowest,
        }
    for name in ("stored", "exploitability by none's"):
        smaller, larger = (found.get(f"{name}.C={c:g}.T={short}") for c in (min(AVERAGES), MAIN))
        if smaller is not None and larger is not None:
            found[f"{name}.C={min(AVERAGES):g} by C={MAIN:g}.T={short}"] = smaller / larger
    small, large = (f"lowest.C={c:g}" for c in MAIN_AVERAGES)
    if small in found and large in found:
        found[f"lowest.C={MAIN_AVERAGES[1]:g} by C={MAIN:g}"] = found[large] / found[small]
    return found


def _at(points: Sequence[Point], iterations: int) -> float:
    return next(point.lowest for point in points if point.iterations >= iterations)


def _nodes(result: Result, here: Mapping[Setting, Sequence[Point]]) -> dict[str, float]:
    """Return ratios of nodes to the target where that is what was run for, else to what all reached; and early."""
    lines = {s: points for s, points in here.items() if s.average is None or s.average in MAIN_AVERAGES}
    level = common_level(lines.values())
    first = next(iter(lines))
    if (first.game, first.rule) == (result.games[-1], "cfr") and level < result.scale.target:
        level = result.scale.target
    found = {"nodes.exploitability": level}
    for when, at in (("", level), (" early", EARLY * level)):
        nodes = {s.pruning: nodes_to(points, at) for s, points in lines.items() if s.average in (None, MAIN)}
        for one, other in (
            ("interval", "total"),
            ("none", "partial"),
            ("none", "total"),
            ("none", "interval"),
        ):
            less, more = nodes.get(other), nodes.get(one)
            if less is not None and more is not None:
                found[f"nodes.{one} by {other}{when}"] = more / less
    return found


class CostFit(NamedTuple):
    """Nodes an iteration told as a + b / T (Theorem 3), and how far single steps between checks are from it."""

    stays: float
    """a, in nodes."""
    falls: float
    """b, in nodes."""
    median_off: float
    worst_off: float


def fit_cost(points: Sequence[Point]) -> CostFit | None:
    """Fit a + b / t from T = FIT_FROM on; each step between checks is weighed by what was touched in it."""
    steps = [
        (p.iterations - q.iterations, log(p.iterations / q.iterations), p.nodes_touched - q.nodes_touched)
        for q, p in pairwise([p for p in points if p.iterations >= FIT_FROM])
    ]
    if len(steps) < 2:
        return None
    count, logs, nodes = np.array(steps).T
    rows = np.stack([count / nodes, logs / nodes], axis=1)
    (stays, falls), *_ = np.linalg.lstsq(rows, np.ones(len(steps)), rcond=None)
    off = np.abs(rows @ np.array([stays, falls]) - 1)
    return CostFit(float(stays), float(falls), float(np.median(off)), float(off.max()))


def _cost(here: Mapping[Setting, Sequence[Point]]) -> dict[str, float]:
    """Return the fit of nodes an iteration of total pruning with the main C, and how they change late."""
    found: dict[str, float] = {}
    none = next(points[-1] for setting, points in here.items() if setting.pruning == "none")
    points = next((points for setting, points in here.items() if setting.average == MAIN), ())
    fit = fit_cost(points)
    if fit is not None:
        found |= {
            "cost.falls by H": fit.falls / (none.nodes_touched / none.iterations),
            "cost.median off": fit.median_off,
            "cost.worst off": fit.worst_off,
        }
    at = [sum(nodes_an_iteration(points, p)) for p in points if p.iterations in LATE]
    if len(at) == len(LATE):
        found[f"cost.T={LATE[1]} by T={LATE[0]}"] = at[1] / at[0]
    return found


def _noise(here: Mapping[Setting, Sequence[Point]]) -> dict[str, float]:
    """Return exploitability by the lowest so far, the mean over checks from T = FIT_FROM on."""
    return {
        f"noise.{setting.pruning}": float(
            np.mean([p.exploitability / p.lowest for p in points if p.iterations >= FIT_FROM])
        )
        for setting, points in here.items()
        if setting.average in (None, MAIN) and points[-1].iterations >= FIT_FROM
    }


def _seconds(timings: Sequence[Timing]) -> dict[str, float]:
    """Return seconds and iterations to the target by those without pruning; the quickest plan without is apart."""
    base = next((row for row in timings if row.pruning == "none" and row.plan == "serial"), None)
    if base is None or base.seconds is None:
        return {}
    found = {}
    for row in timings:
        if row.seconds is not None and row.average in (None, MAIN) and row is not base:
            name = row.pruning if row.plan == "serial" else f"none on the {row.plan} plan"
            where = f"{row.game}.{row.rule}.{row.updates}.{_prefix(row.gates)}"
            found[f"{where}seconds.{name} by none"] = row.seconds / base.seconds
            if row.iterations is not None and base.iterations is not None:
                found[f"{where}iterations.{name} by none"] = row.iterations / base.iterations
    return found
