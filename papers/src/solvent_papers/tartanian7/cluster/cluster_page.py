"""The page of `solvent reproduce tartanian7`, its CSV, its picture and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.extras import pyplot
from solvent_papers.page import Reading, write_csv, write_page
from solvent_papers.parts import PartResult, figures_and_bars, parts_text, records
from solvent_papers.tartanian7.cluster import figure_one
from solvent_papers.tartanian7.cluster.experiment import PARTS
from solvent_papers.tartanian7.cluster.figure_one import CHILDREN, FLAT_THREADS, THREADS

TITLE = "A blueprint on a cluster: Algorithm 4"


@dataclass(frozen=True)
class CsvRow:
    """One measurement of Figure 1 or Table 1."""

    part: str
    seed: int | None
    seconds: float | None
    """How long the agent had trained."""
    agent: str
    opponent: str
    mbb: float
    interval: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def write_cluster_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    page.parent.mkdir(parents=True, exist_ok=True)
    figures, bars = figures_and_bars(results)
    by = {result.part.name: result for result in results}
    sections = [parts_text(PARTS, results), *(result.part.section(result.found) for result in results)]
    rows = csv_rows(by)
    if rows:
        write_csv(rows, page.with_suffix(".csv"))
        sections.insert(1, f"Numbers of Figure 1 and Table 1: [{page.stem}.csv]({page.stem}.csv).")
    if figure_one.NAME in by:
        plot_figure_one(by[figure_one.NAME].found, page.with_suffix(".png"))
        sections.insert(2, f"![Head to head and learned responses over seconds]({page.stem}.png)")
    body = "\n\n".join(part.rstrip() for part in sections if part)
    write_page(page, TITLE, command, reading(figures), body, figures, bars, records(results))


def reading(figures: Mapping[str, float]) -> Reading:
    """The three lines at the head of the page, from the figures that are there."""
    found, so_what = (
        [],
        "Train on one machine with threads; a cluster is for tables that one machine cannot hold.",
    )
    lead = f"figure-1.{CHILDREN} over {THREADS}"
    if lead in figures:
        found.append(
            f"At equal wall time on the same cores, children win {figures[lead]:+.0f} mbb/hand "
            f"[{figures[f'{lead}.low']:+.0f}, {figures[f'{lead}.high']:+.0f}] from threads on a shared table "
            "of the same cards."
        )
        if figures[f"{lead}.low"] > 0:
            so_what = (
                "Where cards have public clusters, train with children even on one machine: at equal wall time "
                "they win from threads on a shared table."
            )
    flat = f"figure-1.{CHILDREN} over {FLAT_THREADS}"
    if flat in figures:
        found.append(
            f"From as many buckets without clusters they win {figures[flat]:+.0f} "
            f"[{figures[f'{flat}.low']:+.0f}, {figures[f'{flat}.high']:+.0f}]."
        )
        if figures[f"{flat}.high"] < 0:
            so_what += " As many buckets without clusters are stronger, as long as one machine holds them."
    if "table-1.opponents.new(0.2)" in figures:
        found.append(
            f"The agent surely beats {figures['table-1.surely beaten.new(0.2)']:.0f} of "
            f"{figures['table-1.opponents.new(0.2)']:.0f} opponents of our own, by "
            f"{figures['table-1.mean.new(0.2)']:,.0f} mbb/hand on average."
        )
    if "cost.paper.iteration ms" in figures:
        found.append(
            f"A cost model, off by {figures['cost.error.largest']:.0%} at most here, gives the paper's cluster "
            f"{figures['cost.paper.iteration ms']:.3g} ms an iteration at its latency."
        )
    if "staleness.largest free.ahead 1" in figures:
        found.append(
            f"Batches of up to {figures['staleness.largest free.ahead 1']:,.0f} iterations cost nothing measurable "
            "at equal rows touched, with the head one batch ahead."
        )
    return Reading(
        "Brown, Ganzfried and Sandholm: distributed training is ahead of the best shared-memory training against "
        "two strong agents at every time; its agent beats each of 13 opponents; latency is below 1 ms of 15 ms an "
        "iteration.",
        " ".join(found) or "Nothing has been run.",
        so_what,
    )


def csv_rows(by: Mapping[str, PartResult]) -> list[CsvRow]:
    """The measurements of Figure 1 and Table 1 as rows."""
    rows = []
    if "figure-1" in by:
        found = by["figure-1"].found
        rows += [
            CsvRow(
                "figure-1", row["seed"], row["mark"], row["run"], row["other"], row["mbb"], row["interval"]
            )
            for row in found["meetings"]
        ]
        rows += [
            CsvRow("figure-1", row["seed"], row["mark"], "response", row["run"], row["mbb"], row["interval"])
            for row in found["responses"]
        ]
    if "table-1" in by:
        found = by["table-1"].found
        rows += [
            CsvRow(
                "table-1", None, found["seconds"], row["post"], row["opponent"], row["mbb"], row["interval"]
            )
            for row in found["rows"]
        ]
    return rows


def plot_figure_one(found: dict[str, Any], path: Path) -> None:
    """Draw head-to-head winnings and learned responses over seconds of training."""
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    marks = figure_one.marks_of(found)
    for color, (one, other) in enumerate(figure_one.PAIRS):
        leads = [figure_one.meeting(found, one, other, mark) for mark in marks]
        values, widths = zip(*leads, strict=True)
        left.errorbar(
            marks, values, widths, marker=".", capsize=2, color=f"C{color}", label=f"{one} from {other}"
        )
    for color, run in enumerate(figure_one.RUNS):
        won = [figure_one.response(found, run, mark) for mark in marks]
        values, widths = zip(*won, strict=True)
        right.errorbar(marks, values, widths, marker=".", capsize=2, color=f"C{color + 3}", label=run)
    left.axhline(0.0, color="black", linewidth=0.6)
    for axes, y in ((left, "won head to head, mbb/hand"), (right, "won by a learned response, mbb/hand")):
        axes.set_xscale("log")
        axes.set_xlabel("seconds of training", fontsize=8)
        axes.set_ylabel(y, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(which="both", alpha=0.25)
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)
