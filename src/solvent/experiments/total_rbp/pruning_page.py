"""The results page of the pruning experiment: the paper's claims, space, convergence, seconds and cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from solvent.experiments.page import (
    Reading,
    bytes_text,
    factor_text,
    markdown_table,
    seconds_text,
    write_csv,
    write_page,
)
from solvent.experiments.total_rbp.figures import pruning_figures
from solvent.experiments.total_rbp.pruning import (
    AVERAGES,
    FINE,
    MAIN_AVERAGES,
    VARIANTS,
    Point,
    Result,
    Setting,
    common_level,
    compared,
    first_stored,
    moments,
    nodes_an_iteration,
    nodes_to,
    over_last_tenth,
)
from solvent.foundation.extras import pyplot

SPACE_CLAIMS = (
    ("leduc", "cfr", 2.0, "about half"),
    ("leduc", "cfr+", 2.0, "about half"),
    ("leduc5", "cfr", 7.0, "a factor 7, and still falling"),
    ("leduc5", "cfr+", 10.0, "a factor 10"),
)
"""(game, rule, factor, in the paper's words)."""
NODE_CLAIMS = (
    ("leduc5", "cfr", 2.0, "total beats interval by 2"),
    ("leduc", "cfr", 1.0, "total and interval comparable"),
    ("leduc", "cfr+", None, "interval better than total"),
)
"""(game, rule, interval's nodes by total's, in the paper's words)."""
FACTORS = (2, 7, 10)
"""How much less is stored: when was that reached?"""
WITHIN = 1.1
"""Factors this near each other agree."""
COST_AT = (10, 100, 1_000, 10_000)
FIT_FROM = 100
"""Where the cost of an iteration is fitted from: before, actions are still being sorted out."""
LARGEST = max(AVERAGES)


def write_total_rbp(
    result: Result,
    page: Path,
    command: str = "solvent reproduce total-rbp",
    further: Sequence[str] = (),
) -> None:
    """The results page with its CSVs and pictures beside it; `further` are sections to go at its end."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.points, page.with_suffix(".csv"))
    write_csv(result.timings, page.with_name(f"{page.stem}-seconds.csv"))
    for name, draw in (("space", plot_space), ("convergence", plot_convergence), ("cost", plot_cost)):
        draw(result, page.with_name(f"{page.stem}-{name}.png"))
    body = "\n\n".join(part.rstrip() for part in [*sections(result, page.stem), *further] if part)
    title = "Regret-based pruning: partial, interval and total"
    write_page(page, title, command, _three_lines(result), body, pruning_figures(result))


def _three_lines(result: Result) -> Reading:
    judged = claims(result)
    agree = sum(line[-1] == "agrees" for line in judged)
    factors = ", ".join(
        f"{1 / over_last_tenth(points, points[-1].iterations, 'stored'):.2g} on {game} (claimed: {factor:g})"
        for game, rule, factor, _ in SPACE_CLAIMS
        if rule == "cfr"
        and (points := result.traces.get(Setting(game, rule, "alternating", "total", LARGEST))) is not None
    )
    return Reading(
        "Brown and Sandholm: total pruning needs less memory, by a factor that grows with the game, and touches "
        "fewer nodes than interval pruning.",
        f"With CFR what is stored falls by a factor {factors}. {agree} of {len(judged)} comparisons agree with the "
        "paper's figures.",
        "Prune to touch fewer nodes, and do not count on the paper's savings of memory. Where a game has other "
        "plans, "
        "they may be quicker in seconds.",
    )


def sections(result: Result, stem: str) -> list[str]:
    """The page, part by part."""
    target, short = result.scale.target, result.scale.short
    parts = [
        "History form, hands by rank, serial plan, one thread, float64. *Nodes* are histories touched by both "
        "players' passes and by the best responses of pruning; those of the checks are not counted. *Stored* is "
        "the mean of two parts: regrets held of all regrets, averages held of all averages. Exploitability is "
        "NashConv / 2 in chips, by exact best responses; with CFR+ it is the lowest so far, as in the paper. "
        f"Numbers: [{stem}.csv]({stem}.csv), [{stem}-seconds.csv]({stem}-seconds.csv)."
    ]
    found = claims(result)
    if found:
        parts += [
            "## The paper's claims",
            markdown_table(["paper", "measured", "verdict"], found),
            f"Space is 1 / stored, the mean over the last tenth of the run, at C = {LARGEST:g}; nodes are judged "
            f"at C = {MAIN_AVERAGES[0]:g}. Factors within {WITHIN:g} of each other count as agreeing.",
        ]
    parts += ["## Space", f"![What is stored over iterations]({stem}-space.png)"]
    for game in result.games:
        parts += [
            f"### `{game}`",
            f"The mean over T = {short - short // 10:,} to {short:,}:",
            _space_table(result, game),
            "At the end of each run, and on the way there:",
            _fall_table(result, game),
        ]
    parts += [
        "*With bounds* counts one number more for each infoset that has pruned actions. Beside it each infoset "
        "has the sum of its values, and CFR+ a second table of regrets; *tables* has them all. The index of what "
        "is stored and the layout of the game stay as they are. Tables: the bytes that "
        "all tables take, with their spare room, and as a part of those without pruning. Checks of the last tenth "
        "fall on multiples of the iterations between looks for actions to prune.",
        "## Convergence",
        f"![Exploitability over nodes touched]({stem}-convergence.png)",
        "Nodes to the lowest exploitability that all of them reached, log-log between checks:",
        _levels_table(result),
        f"## To exploitability {target:g} on `{result.games[-1]}`",
        f"CFR, alternating updates; checked every {FINE} iterations near it. Seconds are of iterations alone, the "
        f"median of {result.scale.repeats}, the rows taking turns.",
        _target_table(result),
        _target_ratios(result),
        "## At equal iterations",
        "CFR's exploitability with pruning by that without:",
        _equal_table(result),
        "## Cost of an iteration",
        f"![Nodes an iteration]({stem}-cost.png)",
        _cost_table(result),
        _cost_fit(result),
    ]
    return parts


# The paper's claims


def claims(result: Result) -> list[list[str]]:
    """(claim, measured, verdict) for each claim about a game that was run."""
    return [*_space_claims(result), *_node_claims(result)]


def _space_claims(result: Result) -> list[list[str]]:
    lines = []
    for game, rule, factor, words in SPACE_CLAIMS:
        for updates in (updates for name, updates in VARIANTS if name == rule):
            points = result.traces.get(Setting(game, rule, updates, "total", LARGEST))
            if points is None:
                continue
            last = points[-1].iterations
            regrets, bounds, stored = (
                over_last_tenth(points, last, name) for name in ("regrets", "bounds", "stored")
            )
            half = next(p.stored for p in points if p.iterations >= last // 2)
            measured = (
                f"{updates}, T = {last:,}: a factor {1 / stored:.2f} (regrets alone {1 / regrets:.2f}, with bounds "
                f"{1 / (regrets + bounds):.2f}); stored {stored:.3f}, {stored / half:.2f} of what it was at "
                f"half of the iterations"
            )
            lines.append([f"{game}, {rule.upper()}, space: {words}", measured, verdict(1 / stored, factor)])
    return lines


def _node_claims(result: Result) -> list[list[str]]:
    """Nodes of interval by those of total pruning: to the target, or to what all reached."""
    lines = []
    for game, rule, claimed, words in NODE_CLAIMS:
        if game not in result.games:
            continue
        traces = _serial(result, game, rule)
        level = result.scale.target if game == "leduc5" else common_level(traces.values())
        nodes = {s.label: (s.pruning, nodes_to(points, level)) for s, points in traces.items()}
        interval = nodes["interval"][1]
        factors = {
            label: interval / count
            for label, (pruning, count) in nodes.items()
            if pruning == "total" and interval is not None and count is not None
        }
        told = ", ".join(f"{factor:.2f} ({label})" for label, factor in factors.items()) or "not reached"
        main = next(iter(factors.values()), None)
        judged = "-" if main is None else verdict(main, claimed)
        measured = f"interval's nodes by total's to exploitability {level:.3g}: {told}"
        lines.append([f"{game}, {rule.upper()}, nodes: {words}", measured, judged])
    return lines


def verdict(measured: float, claimed: float | None) -> str:
    """Whether a factor is the paper's; None claims that it is below 1."""
    if claimed is None:
        return "agrees" if measured < 1 else "does not agree: more"
    if measured * WITHIN < claimed:
        return "does not agree: less"
    return "agrees" if measured < claimed * WITHIN else "more than the paper's"


# Tables


def _serial(result: Result, game: str, rule: str, updates: str = "alternating") -> dict[Setting, list[Point]]:
    """The ways to prune that are compared, without the other plan."""
    return {s: result.traces[s] for s in compared(game, rule, updates) if s.plan == "serial"}


def _totals(result: Result, game: str) -> dict[Setting, list[Point]]:
    return {s: points for s, points in result.traces.items() if (s.game, s.pruning) == (game, "total")}


def _name(setting: Setting) -> list[str]:
    return [setting.rule.upper(), setting.updates, f"{setting.average:g}"]


def _space_table(result: Result, game: str) -> str:
    """The mean over the last tenth of the short run."""
    short, lines = result.scale.short, []
    for setting, points in _totals(result, game).items():
        regrets, bounds, averages, stored, tables = (
            over_last_tenth(points, short, name)
            for name in ("regrets", "bounds", "averages", "stored", "table_bytes")
        )
        parts = (f"{part:.3f}" for part in (regrets, regrets + bounds, averages, stored))
        lines.append([*_name(setting), *parts, *_bytes_cells(result, setting, tables)])
    header = ["rule", "updates", "C", "regrets", "with bounds", "averages", "stored"]
    return markdown_table([*header, "tables", "of none's"], lines)


def _bytes_cells(result: Result, setting: Setting, tables: float) -> list[str]:
    none = result.traces[Setting(setting.game, setting.rule, setting.updates, "none")][-1].table_bytes
    return [bytes_text(round(tables)), f"{tables / none:.2f}"]


def _fall_table(result: Result, game: str) -> str:
    """The end of each run, and when how little was stored."""
    lines = []
    for setting, points in _totals(result, game).items():
        last, floor = points[-1], min(points, key=lambda point: point.stored)
        fell = [first_stored(points, 1 / factor) for factor in FACTORS]
        parts = (last.regrets, last.regrets + last.bounds, last.averages, last.stored)
        lines.append(
            [
                *_name(setting),
                f"{last.iterations:,}",
                *(f"{part:.3f}" for part in parts),
                *_bytes_cells(result, setting, last.table_bytes),
                *("-" if point is None else f"{point.iterations:,}" for point in fell),
                f"{floor.stored:.3f} at {floor.iterations:,}",
            ]
        )
    header = [
        "rule",
        "updates",
        "C",
        "end, T",
        "regrets",
        "with bounds",
        "averages",
        "stored",
        "tables",
        "of none's",
    ]
    return markdown_table(
        [*header, *(f"first T at 1/{factor}" for factor in FACTORS), "lowest stored"], lines
    )


def _levels_table(result: Result) -> str:
    lines = []
    for game in result.games:
        for rule in dict.fromkeys(rule for rule, _ in VARIANTS):
            traces = _serial(result, game, rule)
            level = common_level(traces.values())
            nodes = {s: nodes_to(points, level) for s, points in traces.items()}
            least = min(n for n in nodes.values() if n is not None)
            for setting, count in nodes.items():
                if count is not None:
                    end = traces[setting][-1]
                    numbers = [
                        f"{count:.3g}",
                        f"{count / least:.2f}",
                        f"{end.iterations:,}",
                        f"{end.lowest:.3g}",
                    ]
                    share = f"{end.response_nodes / end.nodes_touched:.1%}"
                    lines.append([f"`{game}`", rule.upper(), f"{level:.3g}", setting.label, *numbers, share])
    header = ["game", "rule", "exploitability", "pruning", "nodes", "by the least"]
    return markdown_table([*header, "run to T", "lowest", "best responses, of its nodes"], lines)


def _target_table(result: Result) -> str:
    base = result.timings[0]
    lines = []
    for row in result.timings:
        if row.nodes_touched is None or row.iterations is None or row.response_nodes is None:
            lines.append([row.label, "not reached", *["-"] * 5])
            continue
        faster = base.seconds / row.seconds if base.seconds and row.seconds else None
        lines.append(
            [
                row.label,
                f"{row.iterations:,}",
                f"{row.nodes_touched:.4g}",
                f"{row.response_nodes:.3g}",
                "-" if base.nodes_touched is None else f"{row.nodes_touched / base.nodes_touched:.3f}",
                seconds_text(row.seconds),
                factor_text(faster),
            ]
        )
    header = ["pruning", "iterations", "nodes", "of best responses", "by none's"]
    return markdown_table([*header, "seconds", "speed-up over none"], lines)


def _target_ratios(result: Result) -> str:
    """Total pruning's nodes by the others'."""
    nodes = {row.label: row.nodes_touched for row in result.timings if row.plan == "serial"}
    told = []
    for row in result.timings:
        if row.pruning == "total" and row.nodes_touched is not None:
            ratios = [
                f"{row.nodes_touched / other:.2f} of {label}'s"
                for label, other in nodes.items()
                if other is not None and not label.startswith("total")
            ]
            told.append(f"{row.label}: {', '.join(ratios)}")
    return f"Nodes of {'; '.join(told)}." if told else ""


def _equal_table(result: Result) -> str:
    lines = []
    for game in result.games:
        for rule, updates in VARIANTS:
            if rule != "cfr":
                continue
            traces = _serial(result, game, rule, updates)
            for moment in moments(result.scale):
                values = [
                    next(p.exploitability for p in points if p.iterations == moment)
                    for points in traces.values()
                ]
                ratios = (f"{value / values[0]:.3f}" for value in values[1:])
                lines.append([f"`{game}`", updates, f"{moment:,}", f"{values[0]:.5f}", *ratios])
    pruned = [setting.label for setting in _serial(result, result.games[0], "cfr")][1:]
    return markdown_table(["game", "updates", "T", "without pruning", *pruned], lines)


def _costs(result: Result) -> dict[str, tuple[Setting, list[Point]]]:
    """Without pruning, and total pruning with the largest C for each variant, on the last game."""
    game = result.games[-1]
    none = Setting(game, *VARIANTS[0], "none")
    totals = [Setting(game, rule, updates, "total", LARGEST) for rule, updates in VARIANTS]
    found = {"none": (none, result.traces[none])}
    return found | {f"total, {s.rule.upper()}, {s.updates}": (s, result.traces[s]) for s in totals}


def _none_cost(result: Result) -> float:
    """Nodes an iteration without pruning: the same in all."""
    _, points = _costs(result)["none"]
    return points[-1].nodes_touched / points[-1].iterations


def _cost_table(result: Result) -> str:
    costs, none = _costs(result), _none_cost(result)
    lines = [["none", "every", f"{none:,.0f}", "0", f"{none:,.0f}", "1"]]
    for label, (setting, points) in costs.items():
        for point in points:
            if setting.pruning == "total" and point.iterations in COST_AT:
                walked, responses = nodes_an_iteration(points, point)
                nodes = [f"{n:,.0f}" for n in (walked, responses, walked + responses)]
                lines.append([label, f"{point.iterations:,}", *nodes, f"{(walked + responses) / none:.4f}"])
    header = ["pruning", "T", "nodes walked", "nodes of best responses", "together", "by none's"]
    return markdown_table(header, lines)


def _cost_fit(result: Result) -> str:
    """How well |S| + |H| / T, with a factor each, tells the nodes an iteration from T = FIT_FROM on."""
    told = []
    for label, (setting, points) in _costs(result).items():
        steps = [
            (p.iterations - q.iterations, log(p.iterations / q.iterations), p.nodes_touched - q.nodes_touched)
            for q, p in pairwise([p for p in points if p.iterations >= FIT_FROM])
        ]
        if setting.pruning == "total" and len(steps) > 1:
            # The sum of a + b / t over a step, each step weighed by what was touched in it.
            count, logs, nodes = np.array(steps).T
            (stays, falls), *_ = np.linalg.lstsq(
                np.stack([count / nodes, logs / nodes], axis=1), np.ones(len(steps)), rcond=None
            )
            off = np.abs((stays * count + falls * logs) / nodes - 1)
            told.append(
                f"{label}: {stays:,.0f} + {falls / _none_cost(result):.3g} |H| / T, the median check "
                f"{np.median(off):.0%} off and the worst {off.max():.0%}"
            )
    return (
        "Nodes an iteration over the second half of the iterations up to T. The paper's bound is |S| + |H| / T, up "
        f"to factors. Fitted from T = {FIT_FROM} to the end, with |H| what an iteration touches without pruning: "
        f"{'; '.join(told)}."
    )


# Pictures


def plot_space(result: Result, path: Path) -> None:
    """A panel for each game and variant: what is stored over iterations, a colour for each C."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for number, average in enumerate(AVERAGES):
            points = result.traces[Setting(game, *variant, "total", average)]
            iterations = [p.iterations for p in points]
            color = f"C{number}"
            axes.semilogx(iterations, [p.stored for p in points], color=color, label=f"C = {average:g}")
            axes.semilogx(iterations, [p.regrets for p in points], color=color, linestyle=":", linewidth=1)
        axes.set_ylim(0, 1.05)
        _dress(axes, f"{game}, {variant[0].upper()}, {variant[1]}", "iterations", "stored (dotted: regrets)")

    _panels(result.games, VARIANTS, draw, path)


def plot_convergence(result: Result, path: Path) -> None:
    """A panel for each game and rule: exploitability over nodes, log-log; the lowest so far with CFR+."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for setting, points in _serial(result, game, *variant).items():
            shown = [
                (p.nodes_touched, p.lowest if setting.rule == "cfr+" else p.exploitability) for p in points
            ]
            axes.loglog(*zip(*(pair for pair in shown if pair[1] > 0), strict=True), label=setting.label)
        _dress(axes, f"{game}, {variant[0].upper()}", "nodes touched", "exploitability, chips")

    _panels(result.games, [v for v in VARIANTS if v[1] == "alternating"], draw, path)


def plot_cost(result: Result, path: Path) -> None:
    """Nodes an iteration over iterations on the last game, log-log."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for label, (setting, points) in _costs(result).items():
            costs = [nodes_an_iteration(points, point) for point in points]
            iterations = [p.iterations for p in points]
            (line,) = axes.loglog(iterations, [sum(cost) for cost in costs], label=label)
            if (setting.rule, setting.updates) == variant and setting.pruning == "total":
                responses = [cost[1] or None for cost in costs]
                axes.loglog(
                    iterations, responses, color=line.get_color(), linestyle=":", label="its best responses"
                )
        none = _none_cost(result)
        axes.loglog(iterations, [none / n for n in iterations], color="0.6", linewidth=0.8, label="none / T")
        axes.set_ylim(bottom=1)
        _dress(axes, f"{game}, C = {LARGEST:g}", "iterations", "nodes an iteration")

    _panels(result.games[-1:], VARIANTS[:1], draw, path, size=(7.0, 4.5))


def _panels(
    games: Sequence[str],
    variants: Sequence[tuple[str, str]],
    draw: Callable[[Any, str, tuple[str, str]], None],
    path: Path,
    size: tuple[float, float] = (4.0, 3.3),
) -> None:
    """A row of panels for each game, a column for each variant."""
    plt = pyplot()
    figure, grid = plt.subplots(
        len(games),
        len(variants),
        figsize=(size[0] * len(variants), size[1] * len(games)),
        layout="constrained",
        squeeze=False,
    )
    for row, game in zip(grid, games, strict=True):
        for axes, variant in zip(row, variants, strict=True):
            draw(axes, game, variant)
    grid.flat[0].legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _dress(axes: Any, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x, fontsize=8)
    axes.set_ylabel(y, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(which="both", alpha=0.25)
