"""The figures of the pruning experiment by name, for the ledger of claims.

Names begin with game, rule and updates: `leduc.cfr.simultaneous.stored.C=0.1.T=2000` is what is stored of regrets
and averages together, the mean over the last tenth of 2,000 iterations; without `T=` it is that of the whole run.
`nodes.interval by total` compares nodes touched to one exploitability, best responses included. These are by the
papers' own tests; what our gates give has their name before the figure, `leduc.cfr.simultaneous.lasting.stored...`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from solvent.experiments.total_rbp.pruning import (
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
from solvent.solvers.pruned.pruning import GATES

MAIN = MAIN_AVERAGES[0]
"""The C at which nodes and seconds are compared."""
FIT_FROM = 100
"""Where the cost of an iteration is fitted from: before, actions are still being sorted out."""
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
                parts = _stored(here, result.scale.short) | _nodes(result, here) | _cost(here)
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
        }
    for name in ("stored", "exploitability by none's"):
        smaller, larger = (found.get(f"{name}.C={c:g}.T={short}") for c in (min(AVERAGES), MAIN))
        if smaller is not None and larger is not None:
            found[f"{name}.C={min(AVERAGES):g} by C={MAIN:g}.T={short}"] = smaller / larger
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


def _cost(here: Mapping[Setting, Sequence[Point]]) -> dict[str, float]:
    """Return how far the nodes an iteration of total pruning with the largest C are from a + b / T (Theorem 3)."""
    found: dict[str, float] = {}
    for setting, points in here.items():
        late = [point for point in points if point.iterations >= FIT_FROM]
        if setting.average != max(AVERAGES) or len(late) < 2:
            continue
        costs = np.array([sum(nodes_an_iteration(points, point)) for point in late])
        rows = np.array([[1.0, 1 / point.iterations] for point in late])
        fitted = rows @ np.linalg.lstsq(rows / costs[:, None], np.ones(len(late)), rcond=None)[0]
        off = np.abs(fitted / costs - 1)
        found |= {"cost.median off": float(np.median(off)), "cost.worst off": float(off.max())}
    return found


def _seconds(timings: Sequence[Timing]) -> dict[str, float]:
    """Return seconds to the target by those without pruning; the plan that is quickest without pruning is apart."""
    base = next((row for row in timings if row.pruning == "none" and row.plan == "serial"), None)
    if base is None or base.seconds is None:
        return {}
    found = {}
    for row in timings:
        if row.seconds is not None and row.average in (None, MAIN) and row is not base:
            name = row.pruning if row.plan == "serial" else f"none on the {row.plan} plan"
            where = f"{row.game}.{row.rule}.{row.updates}.{_prefix(row.gates)}"
            found[f"{where}seconds.{name} by none"] = row.seconds / base.seconds
    return found
