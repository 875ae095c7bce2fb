"""The results page of the aggregation experiment: Table 1, every plan, the physical limit, Figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np

from solvent.foundation.extras import pyplot
from solvent_papers.aggregation.figures import plan_figures
from solvent_papers.aggregation.plans import (
    BATCH_SECONDS,
    NUMBERS_PER_CELL,
    PAPER,
    Point,
    Row,
    both_forms,
    public_rules,
)
from solvent_papers.page import (
    Reading,
    bytes_text,
    factor_text,
    markdown_table,
    seconds_text,
    threads_text,
    write_csv,
    write_page,
)

LEAST_SECONDS = 1e-8
"""What took less was lost in what a call costs beside its iterations, and is not drawn."""


def write_results(
    rows: Sequence[Row], page: Path, points: Sequence[Point] = (), command: str = "solvent bench plans"
) -> None:
    """The results page with a CSV of the rows and, where there are points, a picture of them and their CSV."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(rows, page.with_suffix(".csv"))
    beside = f"Numbers: [{page.stem}.csv]({page.stem}.csv)"
    if points:
        points_csv = page.with_name(f"{page.stem}-curves.csv")
        write_csv(points, points_csv)
        plot_curves(points, page.with_suffix(".png"))
        beside += f", [{points_csv.name}]({points_csv.name})"
    repeats = max(row.repeats for row in rows)
    threads = max(row.threads for row in rows if row.plan == "auto")
    parts = [
        f"Vanilla CFR, alternating updates, one process, the plans of a game taking turns. Shown is the median of "
        f"{repeats} turns of at least {BATCH_SECONDS} s; slow plans had fewer (`repeats` in the CSV). {beside}.",
        "## Table 1",
        _paper_table(rows),
        "Seconds an iteration. The paper's serial plan ran on one core and its others on an unnamed GPU; ours all "
        f"run on this machine's cores, with {threads_text(threads)}. Our *aggregated* sweeps all terminals of a "
        "board together and takes every board (in Bluff it works on many public nodes side by side); *auto* is "
        "what `solvent solve` runs, with isomorphism where there are boards. `-`: did not fit in memory, or is not "
        "in the paper.",
        "## How the games were read",
        _readings_table(list(dict.fromkeys(row.game for row in rows))),
        "*2 dices k numbers*: two dice for each player, k faces on each die, the highest face wild; a hand is a "
        "roll without its order. *4 suits k cards*: a deck of 4 suits x k ranks, two hole cards each, a betting "
        "round, a flop of three cards, a betting round; blinds 1 and 2, bets of 2, at most three bets or raises a "
        "round. Public nodes are betting nodes x boards; infosets and infoset-actions are without isomorphism.",
        "## Every plan",
        _rows_table(rows),
        "ns per history: an iteration's time over twice the histories, as each player's pass visits each once; "
        "isomorphic rows solve the same game and are divided by the same number. Peak: what building the solver "
        "and its first iteration added to the process; the flattened plan's tree is in it. Speed-up: over the "
        "serial plan of the same game.",
        _refusals(rows),
        "## The physical limit",
        _limit(rows),
    ]
    if points:
        parts += [
            "## Figure 3",
            f"![Exploitability over time]({page.stem}.png)",
            f"{points[0].rule}, one thread; NashConv / 2 in chips over seconds of iterations, checks not counted.",
        ]
    write_page(
        page,
        "Aggregation: one CFR iteration on every plan",
        command,
        _reading(rows),
        "\n\n".join(part.rstrip() for part in parts if part),
        plan_figures(rows, points),
    )


def _reading(rows: Sequence[Row]) -> Reading:
    best = max((row for row in rows if row.plan == "auto"), key=lambda row: row.speedup or 0)
    theirs = max(PAPER.values(), key=lambda paper: paper.speedup)
    return Reading(
        f"Vectors over hands on the public tree make an iteration up to {theirs.speedup:g} times as quick as "
        "history "
        "by history; the paper measures it on a GPU.",
        f"On `{best.game}` an iteration is {factor_text(best.speedup)} times as quick as our serial plan, on "
        f"{threads_text(best.threads)} of a processor.",
        "Take the aggregated plan wherever a game has a public form; `--plan auto` does.",
    )


def plot_curves(points: Sequence[Point], path: Path) -> None:
    """Figure 3: a panel for each game, exploitability over seconds, log-log."""
    plt = pyplot()
    games = list(dict.fromkeys(point.game for point in points))
    plans = list(dict.fromkeys(point.plan for point in points))
    across = min(3, len(games))
    down = ceil(len(games) / across)
    figure, grid = plt.subplots(
        down, across, figsize=(4 * across, 3.3 * down), layout="constrained", squeeze=False
    )
    for axes in grid.flat[len(games) :]:
        axes.set_axis_off()
    for axes, game in zip(grid.flat, games, strict=False):
        for number, plan in enumerate(plans):
            drawn = (p for p in points if p.exploitability > 0 and p.seconds > LEAST_SECONDS)
            line = [p for p in drawn if (p.game, p.plan) == (game, plan)]
            axes.loglog(
                [p.seconds for p in line],
                [p.exploitability for p in line],
                marker=".",
                markersize=4,
                linewidth=1,
                color=f"C{number}",
                label=plan,
            )
        axes.set_title(game, fontsize=9)
        axes.set_xlabel("seconds of iterations", fontsize=8)
        axes.set_ylabel("exploitability, chips", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(which="both", alpha=0.25)
    grid.flat[0].legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _paper_table(rows: Sequence[Row]) -> str:
    """The paper's Table 1 beside ours."""
    header = ["game", "paper: serial", "flattened", "aggregated", "speed-up"]
    header += ["ours: serial", "flattened", "aggregated", "speed-up", "auto", "speed-up"]
    lines = []
    for game in dict.fromkeys(row.game for row in rows):
        here = [row for row in rows if row.game == game]
        paper = PAPER.get(game)
        theirs = [seconds_text(s) for s in paper[1:4]] if paper else ["-"] * 3
        line = [paper.name if paper else game, *theirs, f"{paper.speedup:g}" if paper else "-"]
        line += [seconds_text(_find(here, plan).seconds_per_iteration) for plan in ("serial", "flattened")]
        # With matrices `aggregated` means sequences or shapes.
        auto = _find(here, "auto")
        way = auto.runs_as if any(row.plan == "sequences" for row in here) else "aggregated"
        for found in (_find(here, way), auto):
            line += [seconds_text(found.seconds_per_iteration), factor_text(found.speedup)]
        lines.append(line)
    return markdown_table(header, lines)


def _find(rows: Sequence[Row], plan: str) -> Row:
    """The first row of a plan: one thread, `swept` and without isomorphism where there is a choice."""
    return next(row for row in rows if row.plan == plan)


def _readings_table(games: Sequence[str]) -> str:
    header = ["game", "paper", "hands", "boards", "isomorphic", "betting nodes"]
    header += ["public nodes", "histories", "infosets", "infoset-actions"]
    lines = []
    for name in games:
        game, isomorphic = both_forms(public_rules(name))
        per_round = np.bincount(game.nodes.round, minlength=len(game.rounds)).tolist()
        counts = [
            len(game.hands),
            len(game.rounds[-1].boards),
            len(isomorphic.rounds[-1].boards),
            len(game.nodes.symbol),
            sum(count * len(here.boards) for count, here in zip(per_round, game.rounds, strict=True)),
            game.rules.histories(),
            game.infosets,
            game.cells,
        ]
        lines.append([f"`{name}`", PAPER[name].name if name in PAPER else "-", *(f"{n:,}" for n in counts)])
    return markdown_table(header, lines)


def _rows_table(rows: Sequence[Row]) -> str:
    header = [
        "game",
        "plan",
        "evaluator",
        "isomorphism",
        "threads",
        "s/iteration",
        "ns per history",
        "tables",
    ]
    return markdown_table(
        [*header, "peak", "speed-up", "efficiency"],
        [
            [
                f"`{row.game}`",
                row.plan if row.plan == row.runs_as else f"{row.plan} ({row.runs_as})",
                row.evaluator or "-",
                "on" if row.isomorphism else "off",
                row.threads,
                seconds_text(row.seconds_per_iteration),
                "-" if row.ns_per_history is None else f"{row.ns_per_history:.3g}",
                bytes_text(row.table_bytes),
                bytes_text(row.peak_memory_bytes),
                factor_text(row.speedup),
                "-" if row.efficiency is None else f"{row.efficiency:.2f}",
            ]
            for row in rows
        ],
    )


def _refusals(rows: Sequence[Row]) -> str:
    return "\n".join(f"- `{row.game}`, {row.plan}: {row.refused}." for row in rows if row.refused is not None)


def _limit(rows: Sequence[Row]) -> str:
    rates = {row.threads: row.bandwidth for row in sorted(rows, key=lambda row: row.threads)}
    measured = ", ".join(f"{rate / 1e9:.1f} GB/s with {threads_text(count)}" for count, rate in rates.items())
    return (
        f"Read-modify-write bandwidth of this machine, each thread adding to a float32 array of its own that no "
        f"cache holds: {measured}. An iteration must move {NUMBERS_PER_CELL} numbers per infoset-action, which is "
        f"{4 * NUMBERS_PER_CELL} bytes in float32: regret and average are read and written when their player is "
        f"updated, and the regret is read on the other player's pass. Efficiency is the time this takes at that "
        f"bandwidth by the time the iteration takes; it can pass 1 where the tables fit in a cache."
    )
