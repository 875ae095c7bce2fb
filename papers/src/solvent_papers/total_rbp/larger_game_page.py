"""The page of the larger game: its three lines, bars, pictures and tables, all computed from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from solvent.foundation.extras import pyplot
from solvent_papers.page import (
    Bar,
    Reading,
    bytes_text,
    markdown_table,
    plain_ticks,
    write_csv,
    write_page,
)
from solvent_papers.total_rbp.larger_game import (
    GATED,
    NONE,
    QUICKEST,
    TOTAL,
    WARM,
    Larger,
    common_level,
    larger_figures,
    rate,
    seconds_to,
)
from solvent_papers.total_rbp.larger_run import Point

TITLE = "A larger game: total pruning in memory and time"
LARGE = 10_000_000
MOST_BASELINE, MOST_MEMORY, MOST_SECONDS = 1.1, 0.6, 0.7
"""Our bars: the baseline's memory by its tables, and memory and seconds of the warm start by the baseline's."""
LABELS = {
    NONE: "none, the same walk",
    TOTAL: "total, the paper's tests",
    GATED: "total, our gates",
    WARM: "total from a coarser game",
    QUICKEST: "none, plan auto",
}
Figures = Mapping[str, float]


def write_larger_game(result: Larger, page: Path, command: str) -> None:
    """Write the results page with its CSV and picture."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.points, page.with_suffix(".csv"))
    _plot(result, page.with_suffix(".png"))
    figures = larger_figures(result)
    parts = [
        _conditions(result),
        _summary(result),
        f"![memory and time]({page.stem}.png)",
        "Left: what is resident at each check, and dashed the most so far, checks included. Right: exploitability "
        "over seconds of solving.",
        "## What was found",
        _findings(result, figures),
        "## Every check",
        *(f"**{LABELS[name]}**\n\n{_table(result.of(name)).rstrip()}" for name in result.traces),
    ]
    write_page(page, TITLE, command, reading(figures), "\n\n".join(parts), figures, bars(figures))


# Bars and the three lines


def bars(figures: Figures) -> list[Bar]:
    """Return what we had asked for, and whether it was met."""
    count = figures["infoset-actions"]
    return [
        Bar("size of the game", f"at least {LARGE:,} infoset-actions", f"{count:,.0f}", count >= LARGE),
        _at_most(
            "memory of the unpruned walk by its tables", MOST_BASELINE, figures, "baseline.memory by tables"
        ),
        _at_most("memory of the warm start by none's", MOST_MEMORY, figures, "warm start.memory by none"),
        _at_most(
            "seconds of the warm start to the same exploitability by none's",
            MOST_SECONDS,
            figures,
            "warm start.seconds by none",
        ),
    ]


def _at_most(name: str, most: float, figures: Figures, figure: str) -> Bar:
    seen = figures.get(figure)
    shown = "not known on this system" if seen is None else f"{seen:.2f}"
    return Bar(name, f"at most {most:g}", shown, seen is not None and seen <= most)


def reading(figures: Figures) -> Reading:
    """Return the page's three lines."""
    reached = f"After {figures['iterations']:,.0f} iterations"
    total = f"{reached} total pruning stores {figures['stored']:.0%} of the numbers"
    if "total.memory by none" in figures:
        total += (
            f" and holds {figures['total.memory at the end by none']:.2f} of the memory of the same walk without "
            f"pruning, but held {figures['total.memory by none']:.2f} of it at its peak"
        )
    warm = f"it takes {figures['warm start.seconds by none']:.2f} of the seconds to the same exploitability"
    if "warm start.memory by none" in figures:
        warm = f"its peak is {figures['warm start.memory by none']:.2f}, and {warm}"
    return Reading(
        "Brown and Sandholm: total pruning takes orders of magnitude less space on games with many bad actions, "
        "and a start from a coarser game avoids the full tables that it needs at first.",
        f"{total}. From a coarser game {warm}.",
        _so_what(figures),
    )


def _so_what(figures: Figures) -> str:
    memory, seconds = figures.get("warm start.memory by none"), figures["warm start.seconds by none"]
    if memory is not None and memory <= MOST_MEMORY and seconds <= MOST_SECONDS:
        return (
            "Start a large game from a coarser one: it takes less memory and less time than solving it whole."
        )
    if memory is not None and memory < 1:
        short = "" if memory <= MOST_MEMORY else f", short of the {MOST_MEMORY:g} that we had asked for"
        pays = "and saves time" if seconds < 1 else "and takes longer, so it pays only where memory is short"
        beside = figures.get("warm start.memory by quickest", 0.0)
        other = "" if beside < 1 else " Plan auto without pruning takes no more memory than that."
        return f"A start from a coarser game fits in {memory:.2f} of the memory{short}, {pays}.{other}"
    if seconds < 1:
        return "A start from a coarser game saves time, and no memory that could be shown."
    return (
        "Solve a game that fits without pruning: total pruning frees memory late, and a start from a coarser game "
        "has neither made this game fit in less nor solved it sooner."
    )


# The body


def _conditions(result: Larger) -> str:
    warm = result.traces[WARM].run
    pruned, late = result.traces[TOTAL].run, [t for t in result.traces.values() if not t.finished]
    text = (
        f"{result.game}: {result.infoset_actions:,} infoset-actions, whose plain tables (a regret and an average, "
        f"{bytes_text(result.tables)}) are what memory is compared with. LCFR, alternating updates, float64, one "
        "thread, the public form; each run in a process of its own. *Memory* is the most that was resident less "
        "what was resident before the game was built, with kernels loaded: the form, tables, vectors and checks "
        "count, and for the start from a coarser game its form and solve, too. *Seconds* are of solving, with the "
        "coarse solve, without checks. "
        f"Total pruning has C = {pruned.average:g} and looks every {pruned.every} iterations. The coarser game is "
        f"{result.coarse}, solved for {warm.coarse_iterations:,} iterations, which the run from it counts; that "
        f"run is by the paper's tests with C = {warm.average:g} and looks every {warm.every} iterations. Every "
        f"run ends after {pruned.iterations:,} iterations of the game or {pruned.limit / 60:g} minutes."
    )
    if late:
        stopped = ", ".join(f"{LABELS[t.run.name]} at {t.points[-1].iterations:,}" for t in late)
        text += f" The time ended these, at their last checks: {stopped}."
    return text


def _summary(result: Larger) -> str:
    none, header = result.of(NONE), ("run", "peak memory", "by tables", "at the end", "iterations", "seconds",
              "s an iteration", "exploitability", "seconds by none")  # fmt: skip
    rows = []
    for name in result.traces:
        points = result.of(name)
        last, level = points[-1], common_level(points, none)
        rows.append(
            (
                LABELS[name],
                bytes_text(last.peak),
                "-" if last.peak is None else f"{last.peak / result.tables:.2f}",
                bytes_text(last.memory),
                f"{last.iterations:,}",
                f"{last.seconds:.1f}",
                f"{rate(points):.2f}",
                f"{last.exploitability:.4g}",
                f"{seconds_to(points, level) / seconds_to(none, level):.2f} to {level:.3g}",
            )
        )
    return (
        f"{markdown_table(header, rows)}\nSeconds by none are to the exploitability that both had in the end: "
        "until it was reached for good. *s an iteration* is over the last part of the way."
    )


def _findings(result: Larger, figures: Figures) -> str:
    found = [_baseline(figures), _pruned(result, figures), _started(result, figures)]
    return "\n".join(f"- {text}" for text in found)


def _baseline(figures: Figures) -> str:
    known = figures.get("baseline.memory by tables")
    quick = figures["quickest.seconds by none"]
    text = (
        ""
        if known is None
        else f"The walk without pruning takes {known:.2f} of its tables: histories are not stored. "
    )
    text += f"Plan auto, which a solve without pruning takes by itself, takes {quick:.2f} of its seconds"
    more = figures.get("quickest.memory by none")
    return text + ("." if more is None else f" and {more:.2f} of its memory.")


def _pruned(result: Larger, figures: Figures) -> str:
    text = (
        f"Total pruning stores {figures['regrets']:.0%} of regrets and {figures['averages']:.0%} of averages after "
        f"{figures['iterations']:,.0f} iterations by the paper's tests, {figures['lasting.regrets']:.0%} and "
        f"{figures['lasting.averages']:.0%} by our gates, in {figures['seconds.total by none']:.2f} and "
        f"{figures['lasting.seconds.total by none']:.2f} of the seconds, at "
        f"{figures['exploitability.total by none']:.2f} and "
        f"{figures['lasting.exploitability.total by none']:.2f} of the exploitability."
    )
    if "total.memory by none" not in figures:
        return text
    peak, end = figures["total.memory by none"], figures["total.memory at the end by none"]
    highest = next(p.iterations for p in result.of(TOTAL) if p.peak == result.of(TOTAL)[-1].peak)
    return (
        f"{text} Its memory is highest by iteration {highest:,}, {peak:.2f} of none's: beside regrets and averages "
        f"it keeps sums of v(I) and an index of what is stored. It ends at {end:.2f}."
        + (" What must fit is the peak, so pruning alone makes no game fit." if peak >= 1 else "")
    )


def _started(result: Larger, figures: Figures) -> str:
    first, highest, last = (figures[f"{WARM}.{when} exploitability"] for when in ("first", "highest", "last"))
    lacking, returned = figures[f"{WARM}.lacking"], figures[f"{WARM}.returned"]
    text = (
        f"The start from the coarser game: {lacking:,.0f} infoset-actions that it lacks lie on its lines. Those "
        f"with T psi <= sum v begin pruned; for the others {returned:,.0f} infoset-actions were stored. These "
        "begin with R = T psi - sum v > 0, which makes the sum of squared positive regrets "
        f"{figures[f'{WARM}.potential']:.3g} times as large; CFR's bound grows by the root of it. "
    )
    if highest > first:
        text += (
            f"Exploitability begins at {first:.3g} and rises to {highest:.3g}; it ends at {last:.3g}. We take "
            "this for the reason, without having tested it apart: an action that the coarse game lacks looks good "
            "against an opponent who answers it as the nearest size; it is played at once, and the opponent learns "
            "the answer only then. "
        )
    else:
        text += f"Exploitability falls from {first:.3g} to {last:.3g}. "
    return text + _limit(result, figures)


def _limit(result: Larger, figures: Figures) -> str:
    """Where the start from a coarser game falls short, in what was counted."""
    points, cells = result.of(WARM), result.traces[NONE].cells
    most = max(points, key=lambda point: point.stored_regrets + point.stored_averages)
    text = (
        f"An iteration takes {figures[f'{WARM}.seconds an iteration by none']:.2f} times the seconds of none's; "
        f"{points[-1].response_nodes / points[-1].nodes_touched:.0%} of the nodes are those of best responses. "
    )
    if all(bar.met for bar in bars(figures) if "warm start" in bar.name):
        return text.rstrip()
    return (
        f"{text}The limit is what comes back: the coarse game has {figures[f'{WARM}.coarse cells'] / cells:.0%} of "
        f"the cells, the start adds {figures[f'{WARM}.returned'] / cells:.0%}, and at iteration "
        f"{most.iterations:,}, where most is stored, {most.stored_regrets:.0%} of regrets and "
        f"{most.stored_averages:.0%} of averages are, each with more beside it than in plain tables."
    )


def _table(points: Sequence[Point]) -> str:
    header = ("iterations", "seconds", "exploitability", "nodes", "best responses", "regrets", "averages",
              "tables", "memory", "peak")  # fmt: skip
    rows = [
        (
            f"{point.iterations:,}",
            f"{point.seconds:.1f}",
            f"{point.exploitability:.4g}",
            f"{point.nodes_touched:.3g}",
            f"{point.response_nodes:.3g}",
            f"{point.stored_regrets:.3f}",
            f"{point.stored_averages:.3f}",
            bytes_text(point.table_bytes),
            bytes_text(point.memory),
            bytes_text(point.peak),
        )
        for point in points
    ]
    return markdown_table(header, rows)


def _plot(result: Larger, path: Path) -> None:
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(11, 4.2))
    for number, name in enumerate(result.traces):
        points, color = result.of(name), f"C{number}"
        known = [point for point in points if point.memory is not None]
        steps = [point.iterations for point in known]
        left.plot(
            steps, [(p.memory or 0) / 2**20 for p in known], "o-", ms=3, color=color, label=LABELS[name]
        )
        left.plot(steps, [(p.peak or 0) / 2**20 for p in known], "--", lw=1, color=color)
        shown = [(p.seconds, p.exploitability) for p in points]
        right.plot(*zip(*shown, strict=True), "o-", ms=3, color=color, label=LABELS[name])
    left.axhline(result.tables / 2**20, color="0.6", lw=1, label="plain tables")
    if any(point.memory is not None for point in result.points):
        left.set_xscale("log")
    left.set(xlabel="iterations", ylabel="MiB", title="memory")
    left.set_ylim(bottom=0)
    right.set(xscale="log", yscale="log", xlabel="seconds", ylabel="exploitability, chips", title="time")
    places = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5)]
    for axis in (right.xaxis, right.yaxis, *([left.xaxis] if left.get_xscale() == "log" else [])):
        plain_ticks(axis, places)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot().close(figure)
