"""The pruning experiment: its parts, the rows of its tables, and its pictures of space, convergence and cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    place,
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
COST_AT = (10, 100, 1_000, 10_000)


def view(found: Findings) -> Row:
    """Return the rows of the tables, by their names in the template."""
    if "traces" not in found:
        return {"games": []}
    traces, short = read(found["traces"]), found["traces"]["short"]
    games, figures = games_of(traces), trace_figures(found["traces"])
    alternating = [(rule, updates) for rule, updates in VARIANTS if updates == "alternating"]
    timed = found.get("seconds", {"rows": []})["rows"]
    return {
        "games": games,
        "factors": FACTORS,
        "main_averages": MAIN_AVERAGES,
        "best": {gates: _best(figures, games, short, gates) for gates in GATES},
        "worst": {gates: _worst(figures, games, short, gates) for gates in GATES},
        "space": {game: [_space(traces, s, short) for s in traces if _is_total(s, game)] for game in games},
        "levels": [
            row for game in games for variant in alternating for row in _levels(traces, game, *variant)
        ],
        "equal": [row for game in games for row in _equal(traces, game, short)],
        "costs": _costs(traces),
        "timed": [{"label": Setting(**{f: row[f] for f in Setting._fields}).label} | row for row in timed],
    }


def _is_total(setting: Setting, game: str) -> bool:
    return (setting.game, setting.pruning) == (game, "total")


def _by_none(figures: dict[str, float], game: str, short: int, gates: str) -> list[tuple[float, float]]:
    """Return (stored, exploitability by none's) after the short run with CFR, for both updates and every C."""
    found = []
    for rule, updates in VARIANTS:
        for average in AVERAGES if rule == "cfr" else ():
            where, end = place(game, rule, updates, gates), f"C={average:g}.T={short}"
            ratio = figures[f"{where}exploitability by none's.{end}"]
            found.append((figures[f"{where}stored.{end}"], ratio))
    return found


def _best(figures: dict[str, float], games: Sequence[str], short: int, gates: str) -> dict[str, float | None]:
    """Return the least that is stored on each game without more exploitability than without pruning."""
    return {
        game: min((s for s, ratio in _by_none(figures, game, short, gates) if ratio <= 1), default=None)
        for game in games
    }


def _worst(figures: dict[str, float], games: Sequence[str], short: int, gates: str) -> float:
    return max(ratio for game in games for _, ratio in _by_none(figures, game, short, gates))


def _space(traces: Traces, setting: Setting, short: int) -> Row:
    """Return what one setting stores: over the last tenth of the short run, at the end, and on the way."""
    points = traces[setting]
    names = ("regrets", "bounds", "averages", "stored", "table_bytes")
    return {
        "setting": setting,
        "mean": {name: over_last_tenth(points, short, name) for name in names},
        "last": points[-1],
        "none": traces[Setting(*setting[:3], "none")][-1],
        "fell": [first_stored(points, 1 / factor) for factor in FACTORS],
        "floor": min(points, key=lambda point: point.stored),
    }


def _levels(traces: Traces, game: str, rule: str, updates: str) -> list[Row]:
    """Return the nodes to the lowest exploitability that all ways to prune reached."""
    here = compared(traces, game, rule, updates)
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
    for rule, updates in VARIANTS:
        for moment in moments(short) if rule == "cfr" else ():
            none, *pruned = (
                (s.label, at(points, moment).exploitability)
                for s, points in compared(traces, game, rule, updates).items()
            )
            ratios = {label: value / none[1] for label, value in pruned}
            rows.append({"game": game, "updates": updates, "T": moment, "none": none[1], "ratios": ratios})
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
    traces = found.get("traces", {"traces": []})["traces"]
    return {
        "total-rbp.csv": [each["setting"] | row for each in traces for row in by_rows(each["points"])],
        "total-rbp-seconds.csv": found.get("seconds", {"rows": []})["rows"],
    }


# Pictures


def draw(found: Findings, page: Path) -> None:
    """Draw what is stored, convergence over nodes, and the cost of an iteration."""
    if "traces" not in found:
        return
    traces = read(found["traces"])
    games = games_of(traces)
    rules = [variant for variant in VARIANTS if variant[1] == "alternating"]

    def picture(
        name: str, games: Sequence[str], variants: Sequence[tuple[str, str]], panel: Callable[..., None]
    ) -> None:
        size = (7.0, 4.5) if name == "cost" else (4.0, 3.3)
        path = page.with_name(f"{page.stem}-{name}.png")
        with panels(path, (len(games), len(variants)), size) as grid:
            for row, game in zip(grid, games, strict=True):
                for axes, variant in zip(row, variants, strict=True):
                    panel(axes, traces, game, *variant)
            grid.flat[0].legend(fontsize=7)

    picture("space", games, VARIANTS, _draw_space)
    picture("convergence", games, rules, _draw_convergence)
    picture("cost", games[-1:], VARIANTS[:1], _draw_cost)


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
