"""The aggregation paper's page: Table 1, which `plans` measures, and Figure 3, exploitability over seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from solvent.engines.solver import Solver
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size
from solvent_papers.aggregation import plans
from solvent_papers.aggregation.plans import PAPER, PlansSetup
from solvent_papers.aggregation.timing import (
    Variant,
    both_forms,
    compile_kernels,
    net_seconds,
    public_rules,
    solver_of,
)
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import (
    Experiment,
    Findings,
    Found,
    Part,
    Say,
    by_columns,
    by_rows,
    option,
)
from solvent_papers.frame.running import KeptRuns

CHECK_GROWTH = 1.3
"""Exploitability is computed each time the iterations have grown by this factor."""
LEAST_SECONDS = 1e-8
"""Shorter times were lost in the cost of a call, and are not drawn."""
SMALL_SECONDS = 1.0


@dataclass(frozen=True)
class CurvesSetup(PlansSetup):
    """The set-up of the plans, and the seconds of Figure 3."""

    seconds: float = option(
        30.0, "Seconds of each plan in Figure 3; the serial and the flattened plan have twice as many.", 0
    )


def measure(setup: CurvesSetup, kept: KeptRuns, say: Say) -> Found:
    """Follow exploitability over the seconds of iterations on one thread, plan by plan.

    A plan that takes longer than its seconds for one iteration does that one. Seconds of checks and of the calls
    themselves are not counted; exploitability is NashConv / 2 in chips.
    """
    curves = []
    for name in setup.games:
        curves += kept.once({"game": name}, _curves, name, setup, say)
    return {"curves": curves}


def _curves(name: str, setup: CurvesSetup, say: Say) -> list[Found]:
    """Return the curves of all plans of a game."""
    rules = public_rules(name)
    forms = both_forms(rules)
    seconds = min(setup.seconds, SMALL_SECONDS) if setup.small else setup.seconds
    budgets = {"serial": 2 * seconds, "flattened": 2 * seconds, "aggregated": seconds}
    budgets |= {"auto": seconds} if forms[0].sorted_hands else {}
    say(f"{name}: compiling kernels (once per machine)")
    compile_kernels(forms, [Variant(plan) for plan in budgets], "auto")
    curves = []
    for plan, budget in budgets.items():
        try:
            solver = solver_of(forms, Variant(plan), "cfr", "auto", parse_size(setup.memory))
        except InputError as reason:
            say(f"{name}, {plan}: {reason}")
            continue
        points = []
        for point in _curve(solver, budget):
            points.append(point)
            done = f"{point['iterations']:,} iterations, {point['seconds']:.1f} s"
            say(f"{name}, {plan}: {done}, exploitability {point['exploitability']:.6f}")
        facts = {"game": str(rules), "plan": plan, "rule": str(solver.rule)}
        curves.append(facts | {"points": by_columns(points)})
    return curves


def _curve(solver: Solver, budget: float) -> Iterator[dict[str, float]]:
    """Yield iterations, seconds and exploitability until the seconds are spent."""
    spent = 0.0
    while True:
        done = solver.iterations
        count = max(1, ceil(done * CHECK_GROWTH) - done)
        if done:
            count = min(count, int((budget - spent) / (spent / done)))
        if count < 1:
            return
        spent += net_seconds(solver, count)
        found = solver.evaluate().exploitability
        yield {"iterations": solver.iterations, "seconds": spent, "exploitability": found}


def figures(found: Found) -> dict[str, float]:
    """Return the serial plan's seconds to one exploitability over those of other plans, by game and plan."""
    curves = {(curve["game"], curve["plan"]): curve for curve in found["curves"]}
    return {
        f"{paper}.figure 3.{plan}": _seconds_ratio(curves[game, "serial"], curves[game, plan])
        for game, paper in PAPER.items()
        for plan in ("flattened", "aggregated")
        if (game, "serial") in curves and (game, plan) in curves
    }


def _seconds_ratio(serial: Found, other: Found) -> float:
    """Return the ratio at the lowest exploitability that both plans reached."""
    level = max(min(curve["points"]["exploitability"]) for curve in (serial, other))
    first, second = (
        next(row["seconds"] for row in by_rows(curve["points"]) if row["exploitability"] <= level)
        for curve in (serial, other)
    )
    return float(first / second)


def draw(found: Findings, page: Path) -> None:
    """Draw Figure 3: a panel for each game, exploitability over seconds, log-log."""
    if "curves" not in found or not (curves := found["curves"]["curves"]):
        return
    games, tried = (list(dict.fromkeys(curve[key] for curve in curves)) for key in ("game", "plan"))
    across = min(3, len(games))
    with panels(page.with_suffix(".png"), (ceil(len(games) / across), across), (4, 3.3)) as grid:
        for axes in grid.flat[len(games) :]:
            axes.set_axis_off()
        panel = dict(zip(games, grid.flat, strict=False))
        for curve in curves:
            points = [
                (row["seconds"], row["exploitability"])
                for row in by_rows(curve["points"])
                if row["exploitability"] > 0 and row["seconds"] > LEAST_SECONDS
            ]
            color = f"C{tried.index(curve['plan'])}"
            style = {"marker": ".", "markersize": 4, "linewidth": 1, "color": color, "label": curve["plan"]}
            panel[curve["game"]].loglog(*zip(*points, strict=True), **style)
        for game, axes in panel.items():
            dress(axes, "seconds of iterations", "exploitability, chips", game)
        max(panel.values(), key=lambda axes: len(axes.lines)).legend(fontsize=7)


def tables(found: Findings) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the rows of the plans and the points of the curves."""
    points = [
        {name: curve[name] for name in ("game", "plan", "rule")} | row
        for curve in found.get("curves", {"curves": ()})["curves"]
        for row in by_rows(curve["points"])
    ]
    rows = found["plans"]["rows"] if "plans" in found else []
    return {"aggregation.csv": rows, "aggregation-curves.csv": points}


EXPERIMENT = Experiment(
    "aggregation",
    "Aggregation: one CFR iteration on every plan",
    CurvesSetup,
    (Part("plans", plans.measure, plans.figures), Part("curves", measure, figures)),
    lambda found: {"batch_seconds": plans.BATCH_SECONDS},
    tables,
    draw,
)
