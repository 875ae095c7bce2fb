"""The results page of the pruning experiment: the paper's claims, space, convergence, seconds and cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.engines.pruning import GATES
from solvent_papers.page import (
    Bar,
    Reading,
    bytes_text,
    factor_text,
    markdown_table,
    seconds_text,
    write_csv,
    write_page,
)
from solvent_papers.total_rbp.figures import FIT_FROM, fit_cost, pruning_figures
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    FINE,
    MAIN_AVERAGES,
    OURS,
    PAPER,
    VARIANTS,
    Point,
    Result,
    Setting,
    common_level,
    costs,
    first_stored,
    moments,
    nodes_an_iteration,
    nodes_to,
    none_cost,
    over_last_tenth,
    serial,
)
from solvent_papers.total_rbp.pruning_pictures import plot_convergence, plot_cost, plot_space

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
    write_page(page, title, command, _three_lines(result), body, pruning_figures(result), bars(result))


def _three_lines(result: Result) -> Reading:
    judged = [line for line in claims(result) if not line[0].endswith(_by(OURS))]
    agree = sum(line[-1] == "agrees" for line in judged)
    totals = [(s, p) for s, p in result.traces.items() if s.pruning == "total" and s.rule == "cfr"]

    def best(gates: str) -> str:
        """The smallest part stored on each game without more exploitability than without pruning."""
        told = []
        for game in result.games:
            found = [
                over_last_tenth(points, result.scale.short, "stored")
                for s, points in totals
                if (s.game, s.gates) == (game, gates) and _by_none(result, s) <= 1
            ]
            told.append(f"{min(found):.2f} on {game}" if found else f"nothing on {game}")
        return ", ".join(told)

    worst = {gates: max(_by_none(result, s) for s, _ in totals if s.gates == gates) for gates in GATES}
    least = min((PAPER, OURS), key=lambda gates: worst[gates])
    seconds = {row.gates: row.seconds for row in result.timings if row.average == MAIN_AVERAGES[0]}
    none = result.timings[0].seconds
    quick = {gates: taken / none for gates, taken in seconds.items() if taken and none}
    took = ", ".join(f"{ratio:.2f} ({gates})" for gates, ratio in quick.items()) or "-"
    return Reading(
        "Brown and Sandholm: total pruning needs less memory, by a factor that grows with the game, and touches "
        "fewer nodes than interval pruning.",
        f"With CFR and no more exploitability than without pruning, T = {result.scale.short:,}, the paper's tests "
        f"store {best(PAPER)}; our gates {best(OURS)}. The paper's tests leave up to {worst[PAPER]:.3g} times "
        f"none's exploitability over the values of C, our gates up to {worst[OURS]:.3g}. {agree} of "
        f"{len(judged)} comparisons agree with the paper.",
        f"`--prune-gates {least}` is the safer choice where C is not tried out. Seconds by those without pruning, "
        f"to the target: {took}; where a game has other plans, they may be quicker.",
    )


def _by_none(result: Result, setting: Setting) -> float:
    """A setting's exploitability after the short run by that without pruning."""
    none = result.traces[Setting(setting.game, setting.rule, setting.updates, "none")]
    short = result.scale.short
    return _lowest_at(result.traces[setting], short) / _lowest_at(none, short)


def bars(result: Result) -> list[Bar]:
    """What we had asked of the figures before they were measured."""
    found, short = [], result.scale.short
    for average in (c for c in AVERAGES if c):
        setting = Setting("leduc", "cfr", "simultaneous", "total", average)
        if setting in result.traces:
            stored, ratio = (
                over_last_tenth(result.traces[setting], short, "stored"),
                _by_none(result, setting),
            )
            name = f"leduc, CFR, simultaneous, the paper's tests, C = {average:g}: stored"
            wanted = "at most 0.52, at exploitability at most 1.0 of none's"
            found.append(Bar(name, wanted, f"{stored:.3f} at {ratio:.2f}", stored <= 0.52 and ratio <= 1))
    figures = pruning_figures(result)
    for gates, prefix in ((PAPER, ""), (OURS, f"{OURS}.")):
        where = f"leduc5.cfr.alternating.{prefix}"
        seconds, nodes = (
            figures.get(f"{where}{name}") for name in ("seconds.total by none", "nodes.interval by total")
        )
        if seconds is not None:
            name = f"leduc5, seconds by none's, gates {gates}"
            found.append(Bar(name, "at most 0.5", f"{seconds:.2f}", seconds <= 0.5))
        if nodes is not None:
            name = f"leduc5, nodes by interval's, gates {gates}"
            found.append(Bar(name, "at most 0.92", f"{1 / nodes:.2f}", 1 / nodes <= 0.92))
    return found


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
        "What is left at the end, and why it cannot go:",
        _floor_table(result),
        "*Live* averages belong to actions that are played. The others belong to actions that are pruned, or lie "
        "behind such; they stay because their player's own reach of them in the average is still above "
        "C / sqrt(T). An action that was played until T' passes that test at about T = (T' / C)^2.",
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
    """What is stored with the largest C, by the paper's tests and by our gates."""
    lines = []
    for game, rule, factor, words in SPACE_CLAIMS:
        for gates in GATES:
            for updates in (updates for name, updates in VARIANTS if name == rule):
                points = result.traces.get(Setting(game, rule, updates, "total", LARGEST, gates=gates))
                if points is None:
                    continue
                last, short = points[-1].iterations, result.scale.short
                regrets, bounds, stored = (
                    over_last_tenth(points, last, name) for name in ("regrets", "bounds", "stored")
                )
                half = next(p.stored for p in points if p.iterations >= last // 2)
                none = result.traces[Setting(game, rule, updates, "none")]
                ratio = _lowest_at(points, short) / _lowest_at(none, short)
                measured = (
                    f"{updates}, T = {last:,}: a factor {1 / stored:.2f} (regrets alone {1 / regrets:.2f}, with "
                    f"bounds {1 / (regrets + bounds):.2f}); stored {stored:.3f}, {stored / half:.2f} of what "
                    f"it was at half of the iterations; {ratio:.3g} of none's exploitability at T = {short:,}"
                )
                claim = f"{game}, {rule.upper()}, space: {words}{_by(gates)}"
                lines.append([claim, measured, verdict(1 / stored, factor)])
    return lines


def _by(gates: str) -> str:
    return "" if gates == PAPER else " (by our gates)"


def _lowest_at(points: Sequence[Point], iterations: int) -> float:
    return next(point.lowest for point in points if point.iterations >= iterations)


def _node_claims(result: Result) -> list[list[str]]:
    """Nodes of interval by those of total pruning: to the target, or to what all reached."""
    lines = []
    for game, rule, claimed, words in NODE_CLAIMS:
        for gates in GATES if game in result.games else ():
            traces = serial(result, game, rule, gates=gates)
            level = result.scale.target if game == "leduc5" else common_level(traces.values())
            nodes = {s.label: (s.pruning, nodes_to(points, level)) for s, points in traces.items()}
            interval = next(count for pruning, count in nodes.values() if pruning == "interval")
            factors = {
                label: interval / count
                for label, (pruning, count) in nodes.items()
                if pruning == "total" and interval is not None and count is not None
            }
            told = ", ".join(f"{factor:.2f} ({label})" for label, factor in factors.items()) or "not reached"
            main = next(iter(factors.values()), None)
            judged = "-" if main is None else verdict(main, claimed)
            measured = f"interval's nodes by total's to exploitability {level:.3g}: {told}"
            lines.append([f"{game}, {rule.upper()}, nodes: {words}{_by(gates)}", measured, judged])
    return lines


def verdict(measured: float, claimed: float | None) -> str:
    """Whether a factor is the paper's; None claims that it is below 1."""
    if claimed is None:
        return "agrees" if measured < 1 else "does not agree: more"
    if measured * WITHIN < claimed:
        return "does not agree: less"
    return "agrees" if measured < claimed * WITHIN else "more than the paper's"


# Tables


def _totals(result: Result, game: str) -> dict[Setting, list[Point]]:
    return {s: points for s, points in result.traces.items() if (s.game, s.pruning) == (game, "total")}


def _name(setting: Setting) -> list[str]:
    return [setting.rule.upper(), setting.updates, setting.gates, f"{setting.average:g}"]


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
    header = ["rule", "updates", "gates", "C", "regrets", "with bounds", "averages", "stored"]
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
        "gates",
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


def _floor_table(result: Result) -> str:
    """Which averages are left at the end of the long runs, on the last game."""
    lines = []
    for setting, points in _totals(result, result.games[-1]).items():
        if setting.average in MAIN_AVERAGES:
            end = points[-1]
            live = end.averages - end.averages_pruned - end.averages_behind
            parts = (end.regrets, live, end.averages_pruned, end.averages_behind)
            lines.append([*_name(setting), f"{end.iterations:,}", *(f"{part:.3f}" for part in parts)])
    header = ["rule", "updates", "gates", "C", "T", "regrets", "averages: live", "pruned", "behind pruned"]
    return markdown_table(header, lines)


def _levels_table(result: Result) -> str:
    lines = []
    for game in result.games:
        for rule in dict.fromkeys(rule for rule, _ in VARIANTS):
            traces = serial(result, game, rule)
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
            traces = serial(result, game, rule, updates)
            for moment in moments(result.scale):
                values = [
                    next(p.exploitability for p in points if p.iterations == moment)
                    for points in traces.values()
                ]
                ratios = (f"{value / values[0]:.3f}" for value in values[1:])
                lines.append([f"`{game}`", updates, f"{moment:,}", f"{values[0]:.5f}", *ratios])
    pruned = [setting.label for setting in serial(result, result.games[0], "cfr")][1:]
    return markdown_table(["game", "updates", "T", "without pruning", *pruned], lines)


def _cost_table(result: Result) -> str:
    found, none = costs(result), none_cost(result)
    lines = [["none", "every", f"{none:,.0f}", "0", f"{none:,.0f}", "1"]]
    for label, (setting, points) in found.items():
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
    for label, (setting, points) in costs(result).items():
        fit = fit_cost(points)
        if setting.pruning == "total" and fit is not None:
            told.append(
                f"{label}: {fit.stays:,.0f} + {fit.falls / none_cost(result):.3g} |H| / T, the median check "
                f"{fit.median_off:.0%} off and the worst {fit.worst_off:.0%}"
            )
    return (
        "Nodes an iteration over the second half of the iterations up to T. The paper's bound is |S| + |H| / T, up "
        f"to factors. Fitted from T = {FIT_FROM} to the end, with |H| what an iteration touches without pruning: "
        f"{'; '.join(told)}."
    )
