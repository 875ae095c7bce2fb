"""The SAEF experiment: its parts, its figures by name, and its picture.

Exploitability is that of informed exploiters in the continuous game. `recovery-1.1 by recovery-1.01` compares two
runs at the last nodes touched that both reached; with `seconds.` before it, at the last second. `last by half`
compares the end of a run to half of its nodes. `worst` and `lowest share` are over the checks at which a fixed
abstraction had touched as many nodes. `discounting` is the mean of -log w over a run's additions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, by_rows
from solvent_papers.saef.budget import budget_figures, run_budgets
from solvent_papers.saef.figure_one import (
    CAPPED,
    COARSEST,
    FINEST,
    FIXED,
    GROWING,
    MAIN,
    TRANSFER,
    Point,
    Setup,
    run_figure,
)

NODES, SECONDS = "nodes_touched", "seconds"
"""Quantities over which curves are drawn and compared, log-log between checks."""
Curve = Sequence[Point]
EARLY_WITHIN = 1.1
"""Early is until the coarsest abstraction stays within this factor of where it ends."""
SHOWN = (("informed", "exploitability, chips"), ("nodes", "public nodes of the abstraction"))
OVER = ((NODES, "nodes touched"), (SECONDS, "seconds"))


def curves(found: Found) -> dict[str, Curve]:
    """Return the checks of every run."""
    return {name: [Point(**row) for row in by_rows(run["points"])] for name, run in found["runs"].items()}


def figures(found: Found) -> dict[str, float]:
    """Return all that the ledger and the page compare."""
    runs = curves(found)
    result = {
        f"{name}.{number}": value
        for name, points in runs.items()
        for number, value in _of_run(points, found["runs"][name]).items()
    }
    main, ratios = runs[MAIN], [ratio for _, ratio in _by_best_fixed(runs)]
    known: dict[str, float | None] = {
        f"{one} by {other}": ratio_at_end(runs[one], runs[other])
        for one, other in (*((name, MAIN) for name in GROWING if name != MAIN), (MAIN, FINEST))
    }
    for before, number in (("seconds.", "informed"), ("seconds.within.", "within")):
        known[f"{before}{MAIN} by {FINEST}"] = ratio_at_end(main, runs[FINEST], SECONDS, number)
    result |= {name: value for name, value in known.items() if value is not None}
    result |= {
        f"bump.{TRANSFER} by {MAIN}": bump(runs[TRANSFER]) / bump(main),
        f"{MAIN} by best fixed.worst": max(ratios),
        f"{MAIN} by best fixed.lowest share": sum(ratio <= 1 for ratio in ratios) / len(ratios),
        f"{MAIN} by best fixed.last": ratios[-1],
    }
    until = levels_at(runs[COARSEST], EARLY_WITHIN).nodes_touched
    if logs := [log(ratio) for where, ratio in ratios_to_best(main, [runs[COARSEST]]) if where <= until]:
        result[f"early.{MAIN} by {COARSEST}"] = exp(sum(logs) / len(logs))
    for name in GROWING:
        for when, point in (("first", runs[name][0]), ("last", runs[name][-1])):
            result[f"{name}.size.{when} by {COARSEST}"] = point.nodes / runs[COARSEST][-1].nodes
    return result


def _of_run(points: Curve, run: Found) -> dict[str, float]:
    last = points[-1]
    half = value_at(points, last.nodes_touched / 2)
    assert last.uninformed_low is not None
    assert last.uninformed_high is not None
    found = {
        "last": last.informed,
        "within": last.within,
        "iterations": float(last.iterations),
        "nodes touched": float(last.nodes_touched),
        "size": float(last.nodes),
        "bump": bump(points),
        "uninformed": (last.uninformed_low + last.uninformed_high) / 2,
    }
    if half is not None:
        found["last by half"] = last.informed / half
    if run["additions"]:
        found |= {
            "additions": float(run["additions"]),
            "discounting": run["discounting"],
            "discount.lowest": run["lowest_discount"],
            "growing share": last.growing_seconds / last.seconds,
            "in last round": run["in_last_round"] / run["additions"],
            "at leaves": run["at_leaves"] / run["additions"],
        }
    return found


def _by_best_fixed(runs: Mapping[str, Curve]) -> list[tuple[float, float]]:
    """Return (nodes, the main run's exploitability by that of the best fixed abstraction there)."""
    return ratios_to_best(runs[MAIN], [runs[name] for name in FIXED])


# Curves compared


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


# The page


def view(found: Findings) -> dict[str, Any]:
    """Return the last checks by run, and ratios to the best fixed abstraction by power of ten of nodes touched."""
    if "figure" not in found:
        return {"ends": {}, "ratios": {}}
    runs, ratios = curves(found["figure"]), dict[int, list[float]]()
    for where, ratio in _by_best_fixed(runs):
        ratios.setdefault(len(str(int(where))) - 1, []).append(ratio)
    return {"ends": {name: points[-1] for name, points in runs.items()}, "ratios": ratios}


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return every check of every run."""
    runs = found.get("figure", {"runs": {}})["runs"]
    return {
        "saef.csv": [{"name": name} | row for name, run in runs.items() for row in by_rows(run["points"])]
    }


def draw(found: Findings, page: Path) -> None:
    """Draw exploitability above size; fixed abstractions are dashed, dots are uninformed exploiters."""
    if "figure" not in found:
        return
    runs = curves(found["figure"])
    with panels(page.with_suffix(".png"), (2, 2), (5.0, 3.5)) as grid:
        for row, (number, y) in zip(grid, SHOWN, strict=True):
            for axes, (over, x) in zip(row, OVER, strict=True):
                for color, name in enumerate(name for name in runs if name != CAPPED):
                    _draw(axes, name, runs[name], over, number, f"C{color}")
                dress(axes, x, y)
        grid[0][0].legend(fontsize=7)


def _draw(axes: Any, name: str, points: Curve, over: str, number: str, color: str) -> None:
    places, values = ([getattr(point, of) for point in points] for of in (over, number))
    style, width = "--" if name in FIXED else "-", 2.0 if name == MAIN else 1.0
    axes.loglog(places, values, style, color=color, linewidth=width, label=name)
    if number == "informed":
        known = [p for p in points if p.uninformed_high is not None]
        axes.loglog([getattr(p, over) for p in known], [p.uninformed_high for p in known], ".", color=color)


EXPERIMENT = Experiment(
    "saef",
    "Growing an abstraction while it is solved",
    Setup,
    (Part("figure", run_figure, figures), Part("budget", run_budgets, budget_figures)),
    view,
    tables,
    draw,
)
