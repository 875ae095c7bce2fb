"""The pruning experiment: its figures, the rows of its tables, and its pictures of space, convergence and cost.

Names of figures begin with game, rule and updates: `leduc.cfr.simultaneous.stored.C=0.1.T=2000` is what is stored
of regrets and averages together, the mean over the last tenth of 2,000 iterations; without `T=` it is that of the
whole run. `tables` are the bytes of all tables by those without pruning, `lowest` is the lowest exploitability of
the run. `nodes.interval by total` compares nodes touched to one exploitability, best responses included. These are
by the papers' own tests; those of our gates have their name before the figure,
`leduc.cfr.simultaneous.lasting.stored...`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product
from math import exp, fsum, log
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from solvent.engines.pruning import GATES
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, by_rows
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    MAIN,
    MAIN_AVERAGES,
    PAPER,
    VARIANTS,
    Point,
    Setting,
    Setup,
    Trace,
    Traces,
    compared,
    crossing,
    games_of,
    last_tenth,
    moments,
    read,
    run_seconds,
    run_traces,
)

Row = dict[str, Any]
FACTORS = (2, 7, 10)
"""Factors less than everything that is stored; the page says when they were reached."""
RULES = ("cfr", "cfr+")
COST_AT = (10, 100, 1_000, 10_000)
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
                    and (s.gates == gates or s.pruning in ("none", "partial"))
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


# The page


def view(found: Findings) -> Row:
    """Return the rows of the tables, by their names in the template."""
    traces, short = read(found["traces"]), found["traces"]["short"]
    games = games_of(traces)
    totals = {game: [s for s in traces if (s.game, s.pruning) == (game, "total")] for game in games}
    timed = found.get("seconds", {"rows": []})["rows"]
    return {
        "games": games,
        "factors": FACTORS,
        "main_averages": MAIN_AVERAGES,
        "space": {game: [_space(traces, setting, short) for setting in totals[game]] for game in games},
        "levels": [row for game in games for rule in RULES for row in _levels(traces, game, rule)],
        "equal": [row for game in games for row in _equal(traces, game, short)],
        "costs": _costs(traces),
        "timed": [{"label": Setting(**{f: row[f] for f in Setting._fields}).label} | row for row in timed],
    }


def _space(traces: Traces, setting: Setting, short: int) -> Row:
    """Return what one setting stores: over the last tenth of the short run, at the end, and on the way."""
    points, none = traces[setting], traces[Setting(*setting[:3], "none")]
    names = ("regrets", "bounds", "averages", "stored", "table_bytes")
    return {
        "setting": setting,
        "mean": {name: over_last_tenth(points, short, name) for name in names},
        "exploitability": at(points, short).lowest / at(none, short).lowest,
        "last": points[-1],
        "none": none[-1],
        "fell": [first_stored(points, 1 / factor) for factor in FACTORS],
        "floor": min(points, key=lambda point: point.stored),
    }


def _levels(traces: Traces, game: str, rule: str) -> list[Row]:
    """Return the nodes to the lowest exploitability that all ways to prune reached."""
    here = compared(traces, game, rule)
    level = common_level(here.values())
    nodes = {s: nodes_to(points, level) for s, points in here.items()}
    least = min(count for count in nodes.values() if count is not None)
    return [
        {"setting": s, "level": level, "nodes": count, "by_least": count / least, "last": here[s][-1]}
        for s, count in nodes.items()
        if count is not None
    ]


def _equal(traces: Traces, game: str, short: int) -> list[Row]:
    """Return exploitabilities with CFR at equal iterations, by those without pruning."""
    rows = []
    for updates, moment in product(("alternating", "simultaneous"), moments(short)):
        here = compared(traces, game, "cfr", updates)
        shown = {s.label: at(points, moment).exploitability for s, points in here.items()}
        none = shown.pop("none")
        ratios = {label: value / none for label, value in shown.items()}
        rows.append({"game": game, "updates": updates, "T": moment, "none": none, "ratios": ratios})
    return rows


def _costs(traces: Traces) -> Row:
    """Return nodes an iteration without pruning, and with total pruning the nodes at some iterations and a fit."""
    totals = {label: points for label, (s, points) in _costed(traces).items() if s.pruning == "total"}
    return {
        "none": _nodes_without(traces),
        "rows": [
            (label, point.iterations, *nodes_an_iteration(points, point))
            for label, points in totals.items()
            for point in points
            if point.iterations in COST_AT
        ],
        "fits": {label: fit for label, points in totals.items() if (fit := fit_cost(points)) is not None},
    }


def _nodes_without(traces: Traces) -> float:
    """Return nodes an iteration without pruning, the same in all."""
    _, points = _costed(traces)["none"]
    return points[-1].nodes_touched / points[-1].iterations


def _costed(traces: Traces) -> dict[str, tuple[Setting, Trace]]:
    """Return no pruning, and total pruning with the main C for each variant and its gates, on the last game."""
    game = games_of(traces)[-1]
    none = Setting(game, *VARIANTS[0], "none")
    found = {"none": (none, traces[none])}
    for gates in GATES:
        for rule, updates in VARIANTS:
            setting = Setting(game, rule, updates, "total", MAIN, gates=gates)
            found[f"total, {rule.upper()}, {updates}, {gates}"] = (setting, traces[setting])
    return found


def tables(found: Findings) -> dict[str, list[Row]]:
    """Return every check, and the seconds."""
    traces = found["traces"]["traces"]
    return {
        "total-rbp.csv": [each["setting"] | row for each in traces for row in by_rows(each["points"])],
        "total-rbp-seconds.csv": found.get("seconds", {"rows": []})["rows"],
    }


def draw(found: Findings, page: Path) -> None:
    """Draw what is stored, convergence over nodes, and the cost of an iteration."""
    traces = read(found["traces"])
    games = games_of(traces)
    alternating = [(rule, "alternating") for rule in RULES]
    for name, rows, columns, panel, size in (
        ("space", games, VARIANTS, _draw_space, (4.0, 3.3)),
        ("convergence", games, alternating, _draw_convergence, (4.0, 3.3)),
        ("cost", games[-1:], VARIANTS[:1], _draw_cost, (7.0, 4.5)),
    ):
        path = page.with_name(f"{page.stem}-{name}.png")
        with panels(path, (len(rows), len(columns)), size) as grid:
            for axes, (game, variant) in zip(grid.flat, product(rows, columns), strict=True):
                panel(axes, traces, game, *variant)
            grid.flat[0].legend(fontsize=7)


def _draw_space(axes: Any, traces: Traces, game: str, rule: str, updates: str) -> None:
    """Draw what is stored over iterations, a colour for each C."""

    def line(gates: str, shown: str, **style: Any) -> None:
        points = traces[Setting(game, rule, updates, "total", average, gates=gates)]
        axes.semilogx(*_over(points, "iterations", shown), **style)

    for number, average in enumerate(AVERAGES):
        color = f"C{number}"
        line(PAPER, "stored", color=color, label=f"C = {average:g}")
        line(PAPER, "regrets", color=color, linestyle=":", linewidth=1)
        line("lasting", "stored", color=color, linestyle="--", linewidth=1)
    axes.set_ylim(0, 1.05)
    title = f"{game}, {rule.upper()}, {updates}"
    dress(axes, "iterations", "stored (dotted: regrets; dashed: our gates)", title)


def _draw_convergence(axes: Any, traces: Traces, game: str, rule: str, updates: str) -> None:
    """Draw exploitability over nodes; the lowest so far with CFR+."""
    number = "lowest" if rule == "cfr+" else "exploitability"
    for setting, points in compared(traces, game, rule, updates).items():
        shown = [p for p in points if getattr(p, number) > 0]
        axes.loglog(*_over(shown, "nodes_touched", number), label=setting.label)
    dress(axes, "nodes touched", "exploitability, chips", f"{game}, {rule.upper()}")


def _draw_cost(axes: Any, traces: Traces, game: str, rule: str, updates: str) -> None:
    """Draw nodes an iteration over iterations."""
    dotted = Setting(game, rule, updates, "total", MAIN)
    for label, (setting, points) in _costed(traces).items():
        spent = [nodes_an_iteration(points, point) for point in points]
        iterations = [p.iterations for p in points]
        (line,) = axes.loglog(iterations, [sum(cost) for cost in spent], label=label)
        if setting == dotted:
            responses = [cost[1] or None for cost in spent]
            color = line.get_color()
            axes.loglog(iterations, responses, color=color, linestyle=":", label="its best responses")
    none = _nodes_without(traces)
    axes.loglog(iterations, [none / n for n in iterations], color="0.6", linewidth=0.8, label="none / T")
    axes.set_ylim(bottom=1)
    dress(axes, "iterations", "nodes an iteration", f"{game}, C = {MAIN:g}")


def _over(points: Trace, *numbers: str) -> list[list[float]]:
    return [[getattr(point, number) for point in points] for number in numbers]


EXPERIMENT = Experiment(
    "total-rbp",
    "Regret-based pruning: partial, interval and total",
    Setup,
    (
        Part("traces", run_traces, trace_figures),
        Part("seconds", run_seconds, second_figures, made_of=("traces",)),
    ),
    view,
    tables,
    draw,
)
