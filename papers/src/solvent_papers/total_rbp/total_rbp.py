"""The pruning experiment: its parts, the rows of its tables, and its pictures of space, convergence and cost."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from solvent.engines.pruning import GATES
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Part, by_rows
from solvent_papers.total_rbp.figures import (
    at,
    common_level,
    first_stored,
    fit_cost,
    nodes_an_iteration,
    nodes_to,
    over_last_tenth,
    second_figures,
    trace_figures,
)
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    MAIN,
    MAIN_AVERAGES,
    PAPER,
    VARIANTS,
    Setting,
    Setup,
    Trace,
    Traces,
    compared,
    games_of,
    moments,
    read,
    run_seconds,
    run_traces,
)

Row = dict[str, Any]
FACTORS = (2, 7, 10)
"""How much less is stored: when was that reached?"""
RULES = ("cfr", "cfr+")
COST_AT = (10, 100, 1_000, 10_000)


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


# Pictures


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
