"""The results page of the SAEF experiment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from solvent_papers.page import Bar, Reading, markdown_table, write_csv, write_page
from solvent_papers.saef.budget import budget_bars, budget_section
from solvent_papers.saef.curves import ratios_to_best
from solvent_papers.saef.figure_one import (
    CAPPED,
    EVERY,
    FINEST,
    FIXED,
    MAIN,
    RECOVERY,
    TRANSFER,
    UPDATES,
    Result,
)
from solvent_papers.saef.saef_figures import saef_figures
from solvent_papers.saef.saef_picture import plot_saef

MOST_GROWING = 0.3
"""The largest part of the time that looks and additions were to take."""


def write_saef(result: Result, page: Path, command: str = "solvent reproduce saef") -> None:
    """Write the page with its CSV, picture and figures beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.points, page.with_suffix(".csv"))
    plot_saef(result, page.with_suffix(".png"))
    figures = saef_figures(result)
    body = "\n\n".join(part.rstrip() for part in _sections(result, page.stem) + _budget(result))
    title = "Growing an abstraction while it is solved"
    write_page(page, title, command, reading(figures), body, figures, bars(figures))


def reading(figures: Mapping[str, float]) -> Reading:
    """The three lines at the head of the page."""
    worst, share = (figures.get(f"{MAIN} by best fixed.{which}") for which in ("worst", "lowest share"))
    lines = [
        f"{name} {figures[f'{name}.last']:.3g}"
        for name in (*FIXED, MAIN, TRANSFER)
        if f"{name}.last" in figures
    ]
    found = f"Exploitability in the end, in chips: {', '.join(lines)}."
    if worst is not None and share is not None:
        found += (
            f" {MAIN} is below the best fixed abstraction at {share:.0%} of its checks over nodes touched, at the "
            f"worst {worst:.2f} of it."
        )
    last, growing = figures.get(f"seconds.{MAIN} by {FINEST}"), figures.get(f"{MAIN}.growing share")
    so_what = (
        "Let the sizes of a continuous game be found while it is solved: `solvent solve continuous_leduc --grow "
        "recovery`."
    )
    if last is not None and last > 1:
        so_what = (
            f"Five fixed sizes are no worse than sizes that are found: {1 / last:.2f} of it in equal time."
        )
    if last is not None and growing is not None:
        found += f" At equal seconds {last:.2f} of {FINEST}'s; growing takes {growing:.0%} of the time."
    return Reading(
        "Brown and Sandholm: an abstraction that grows by recovery games (factor 1.01) is less exploitable in the "
        "full game than every fixed one at every point of the run, and goes on improving where they level off.",
        found,
        so_what,
    )


def bars(figures: Mapping[str, float]) -> list[Bar]:
    """What we had asked of the figures before they were measured."""
    found = []
    last, growing = figures.get(f"seconds.{MAIN} by {FINEST}"), figures.get(f"{MAIN}.growing share")
    if last is not None:
        found.append(Bar(f"{MAIN} by {FINEST} at the end in seconds", "below 1", f"{last:.2f}", last < 1))
    if growing is not None:
        name = f"{MAIN}: looks and additions, of the time"
        found.append(Bar(name, f"at most {MOST_GROWING:.0%}", f"{growing:.0%}", growing <= MOST_GROWING))
    return found + budget_bars(figures)


def _budget(result: Result) -> list[str]:
    return budget_section(result.budgets) if result.budgets else []


def _sections(result: Result, stem: str) -> list[str]:
    scale = result.scale
    return [
        f"Continuous Leduc, explicit public tree, float64, one thread, vanilla CFR, {UPDATES} updates. The runs "
        f"that grow begin as branch-2 and look for bets to add every {EVERY} iterations. *Nodes touched* are "
        "public nodes times hands, of iterations, recovery games and looks. Exploitability is NashConv / 2 in "
        "chips, in the game where any bet from 1 % to 100 % of the pot may be made, under the randomised "
        "pseudo-harmonic mapping: *informed* exploiters see what their bets are taken for (an upper bound), "
        "*uninformed* ones do not. Checks are in neither nodes nor seconds. "
        f"{FINEST} and {MAIN} run for {scale.seconds:g} seconds, the others for {scale.other_seconds:g}, one "
        f"after another. Numbers: [{stem}.csv]({stem}.csv).",
        f"![Exploitability and size over nodes touched and seconds]({stem}.png)",
        "Lines are informed exploiters, dots uninformed ones; fixed abstractions are dashed.",
        "## At the end of each run",
        _end_table(result),
        "## Against the best fixed abstraction",
        f"Exploitability of {MAIN} by that of the best fixed abstraction at equal nodes touched:",
        _worst_table(result),
        "## What was added",
        _addition_table(result),
        "*Discounting* is the mean of -log w over additions: what one of them costs of what was learned before. "
        "*Bump* is the largest exploitability of a check by the lowest before it.",
        "## What is not the paper's",
        "- A bet's regret is estimated beyond the best action that its infoset has (`repaired`), not beyond the "
        "infoset's value: otherwise every neighbour of an action with regret looks worth adding.\n"
        "- A recovery game is played for more iterations than its Z where Z is small: as many as the game has had, "
        "up to a limit; Theorem 1 holds for any number. Near the leaves Z is often below 1, and a past of one "
        "iteration of uniform play costs a heavy discount.\n"
        "- Behind a bet that is added stands a copy of what follows the nearest size, with the bets that it has "
        "gained; with branch-2's two sizes in its place a new bet of the first round is exploitable at first, and "
        "filling it up costs one discount after another.\n"
        "- The opponent keeps a millionth of the recovery game's regrets, so that it does not begin to play the "
        "new subgame uniformly.\n"
        "- Whether updates alternate is not said in the paper; here they do, in all runs.",
    ]


def _end_table(result: Result) -> str:
    lines = []
    for name, trace in result.traces.items():
        last = trace.last
        bounds = (last.uninformed_low, last.uninformed_high)
        sure = "-" if bounds[0] is None or bounds[1] is None else f"{sum(bounds) / 2:.4f}"  # type: ignore[arg-type]
        lines.append(
            [
                name,
                f"{last.seconds:.0f}",
                f"{last.iterations:,}",
                f"{last.nodes_touched:.3g}",
                f"{last.nodes:,}",
                f"{last.informed:.4f}",
                sure,
                f"{last.within:.4f}",
                f"{last.growing_seconds / last.seconds:.0%}",
            ]
        )
    header = ["run", "seconds", "iterations", "nodes touched", "size", "informed", "uninformed", "within"]
    return markdown_table([*header, "growing, of the time"], lines)


def _worst_table(result: Result) -> str:
    """Ratios to the best fixed abstraction, by power of ten of nodes touched."""
    fixed = [trace for name, trace in result.traces.items() if name in FIXED]
    if MAIN not in result.traces or not fixed:
        return ""
    by_power: dict[int, list[float]] = {}
    for where, ratio in ratios_to_best(result.traces[MAIN], fixed):
        by_power.setdefault(len(str(int(where))) - 1, []).append(ratio)
    lines: list[list[object]] = []
    for power, ratios in sorted(by_power.items()):
        told = (f"{value:.2f}" for value in (min(ratios), sum(ratios) / len(ratios), max(ratios)))
        lines.append([f"1e{power} to 1e{power + 1}", len(ratios), *told])
    return markdown_table(["nodes touched", "checks", "lowest", "mean", "highest"], lines)


def _addition_table(result: Result) -> str:
    figures, lines = saef_figures(result), []
    for name in (*RECOVERY, TRANSFER, CAPPED):
        if name in result.traces and result.traces[name].discounts:
            numbers = ("additions", "in last round", "at leaves", "discounting", "discount.lowest", "bump")
            values = [figures[f"{name}.{number}"] for number in numbers]
            lines.append(
                [
                    name,
                    f"{values[0]:.0f}",
                    *(f"{v:.0%}" for v in values[1:3]),
                    *(f"{v:.3g}" for v in values[3:]),
                ]
            )
    header = ["run", "additions", "in the second round", "raises there", "discounting", "lowest w", "bump"]
    return markdown_table(header, lines)
