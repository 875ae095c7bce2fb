"""The SAEF experiment: its parts, its figures by name, and its picture.

Exploitability is that of informed exploiters in the continuous game. `recovery-1.1 by recovery-1.01` compares two
runs at the last nodes touched that both reached; with `seconds.` before it, at the last second. `last by half`
compares the end of a run to half of its nodes. `worst` and `lowest share` are over the checks at which a fixed
abstraction had touched as many nodes. `discounting` is the mean of -log w over a run's additions.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from pathlib import Path
from typing import Any

from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, by_rows
from solvent_papers.saef.budget import budget_figures, run_budgets
from solvent_papers.saef.curves import (
    NODES,
    SECONDS,
    Curve,
    bump,
    levels_at,
    ratio_at_end,
    ratios_to_best,
    value_at,
)
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
