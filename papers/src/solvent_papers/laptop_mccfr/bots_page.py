"""The page of `solvent reproduce laptop-mccfr`, its CSV, its picture and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.extras import pyplot
from solvent.foundation.units import span
from solvent_papers.laptop_mccfr import reward_figure
from solvent_papers.laptop_mccfr.bots import BETTING, EMD, RULES, Won, over_seeds
from solvent_papers.laptop_mccfr.bucket_comparison import BUCKETS
from solvent_papers.laptop_mccfr.experiment import PARTS
from solvent_papers.laptop_mccfr.style_figures import (
    FIGURE_7,
    FIGURE_8,
    STYLES,
    TRUE,
    ensemble_won_from,
    won_from,
)
from solvent_papers.page import Reading, markdown_table, write_csv, write_page
from solvent_papers.parts import Found, PartResult, figures_and_bars, parts_text, records

TITLE = "Laptop MCCFR"
LARGE = 1000
"""mbb/hand above which a meeting is drawn in a panel of its own scale."""


@dataclass(frozen=True)
class CsvRow:
    """One meeting."""

    part: str
    seed: int
    mark: float | None
    """Seconds of training, where bots are compared at several."""
    bot: str
    opponent: str
    mbb: float
    interval: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def write_laptop_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    page.parent.mkdir(parents=True, exist_ok=True)
    figures, bars = figures_and_bars(results)
    by = {result.part.name: result.found for result in results}
    sections = [parts_text(PARTS, results), _setting(), _trainings(results)]
    rows = csv_rows(results)
    if rows:
        write_csv(rows, page.with_suffix(".csv"))
        sections.append(f"All meetings: [{page.stem}.csv]({page.stem}.csv).")
    if FIGURE_8 in by and FIGURE_7 in by:
        plot_meetings(by[FIGURE_8], by[FIGURE_7], page.with_suffix(".png"))
        sections.append(f"![What bots win from changed versions of themselves]({page.stem}.png)")
    sections += [result.part.section(result.found) for result in results]
    body = "\n\n".join(part.rstrip() for part in sections if part)
    write_page(page, TITLE, command, reading(by), body, figures, bars, records(results))


def reading(by: Mapping[str, Found]) -> Reading:
    """The three lines at the head of the page, from the parts that have been run."""
    found, so_what = [], ["A bot that loses x to a version of itself is exploitable by at least x"]
    if FIGURE_8 in by:
        won = [won_from(by[FIGURE_8], style) for style in STYLES]
        found.append(
            f"Over seeds the bots surely beat {sum(each.low > 0 for each in won)} and surely lose to "
            f"{sum(each.high < 0 for each in won)} of {len(STYLES)} changed versions of themselves; the best of "
            f"these wins {max(-each.mbb for each in won):,.0f} mbb/hand."
        )
    if reward_figure.FIGURE_5 in by:
        agree, against = reward_figure.agreement(by[reward_figure.FIGURE_5])
        found.append(
            f"Of six meetings of biased rewards, {agree} surely came out as in the paper and {against} surely the "
            "other way round."
        )
        if agree != against:
            so_what.insert(0, "Train on true rewards" if against > agree else "Weigh losses more in training")
    if BUCKETS in by:
        rows = [row for row in by[BUCKETS]["rows"] if (row["first"], row["second"]) == (RULES, EMD)]
        found.append(f"Buckets by rule win {over_seeds(rows)} mbb/hand from as many by clustering.")
    return Reading(
        "Lin (2024): the bot beats changed versions of itself, and biased rewards and ensembles make it better.",
        " ".join(found) or "Nothing has been run.",
        ". ".join(so_what) + ", and winning against such versions says little about exploitability.",
    )


def _setting() -> str:
    return (
        "100 big blinds; before the flop raises to 2, 4, 8, 16 BB or all-in, after it the pot or all-in, two bets "
        f"or raises a street (`{BETTING}`). Bots are trained by external sampling, as the paper's are."
    )


def _trainings(results: Sequence[PartResult]) -> str:
    """What each bot had, a line for each kind."""
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for result in results:
        for row in result.found.get("bots", ()) if result.part.name.startswith("train-") else ():
            kinds.setdefault((row["bot"], result.found["cards"]), []).append(row)
    rows = []
    for (bot, cards), each in kinds.items():
        last = max(row["mark"] for row in each)
        ends = [row for row in each if row["mark"] == last]
        had = sorted({row["iterations"] for row in ends})
        iterations = f"{had[0]:,}" if len(had) == 1 else f"{had[0]:,} to {had[-1]:,}"
        seconds = sum(row["seconds"] for row in ends) / len(ends)
        rows.append([bot, cards, len(ends), iterations, span(seconds)])
    header = ["bots", "cards", "seeds", "iterations each", "time each"]
    return markdown_table(header, rows) if rows else ""


def csv_rows(results: Sequence[PartResult]) -> list[CsvRow]:
    """All meetings as rows."""
    rows = []
    for result in results:
        for row in result.found.get("rows", ()):
            bot = row.get("first", TRUE)
            if result.part.name == FIGURE_7:
                without = row["without"]
                bot = "ensemble" if without is None else f"ensemble without bot {without + 1}"
            other = row.get("second", row.get("style", ""))
            mark = row.get("mark")
            rows.append(CsvRow(result.part.name, row["seed"], mark, bot, other, row["mbb"], row["interval"]))
    return rows


def plot_meetings(bots: Found, ensemble: Found, path: Path) -> None:
    """What each bot and the ensemble win from each changed version of themselves: bars with 95 % intervals."""
    plt = pyplot()
    groups: list[tuple[str, dict[str, Won]]] = [
        (
            f"bot {seed + 1}",
            {row["style"]: Won(row["mbb"], row["interval"]) for row in bots["rows"] if row["seed"] == seed},
        )
        for seed in range(bots["bots"])
    ]
    groups.append(("ensemble", {style: ensemble_won_from(ensemble, style) for style in STYLES}))
    large = [style for style in STYLES if max(abs(met[style].mbb) for _, met in groups) > LARGE]
    panels = [[style for style in STYLES if style not in large], large]
    figure, axes = plt.subplots(
        1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=[max(1, len(part)) for part in panels]
    )
    width = 0.8 / len(groups)
    for ax, styles in zip(axes, panels, strict=True):
        for k, (name, met) in enumerate(groups):
            shift = (k - (len(groups) - 1) / 2) * width
            ax.bar(
                [place + shift for place in range(len(styles))],
                [met[style].mbb for style in styles],
                width,
                yerr=[met[style].interval for style in styles],
                label=name,
                color="black" if name == "ensemble" else f"C{k}",
                error_kw={"linewidth": 0.8, "ecolor": "0.5"},
            )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(range(len(styles)), styles, fontsize=8)
        ax.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("mbb/hand won from the changed version")
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
