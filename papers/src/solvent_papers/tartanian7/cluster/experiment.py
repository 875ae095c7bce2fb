"""The declaration of `solvent reproduce tartanian7`: its parts, which can be run one by one, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent_papers.confidence import LEVEL
from solvent_papers.frame.experiment import Experiment, Findings, Found
from solvent_papers.tartanian7.cluster import figure_one, table_one
from solvent_papers.tartanian7.cluster.cost import COST
from solvent_papers.tartanian7.cluster.figure_one import FIGURE_ONE
from solvent_papers.tartanian7.cluster.resumed import RESUMED
from solvent_papers.tartanian7.cluster.staleness import STALENESS
from solvent_papers.tartanian7.cluster.table_one import TABLE_ONE
from solvent_papers.tartanian7.cluster.training import BETTING, Setup


def view(found: Findings) -> dict[str, Any]:
    """Return the bets, the level of a sure cost, and the curves of Figure 1."""
    curves = figure_one.curves(found[figure_one.NAME]) if figure_one.NAME in found else {}
    return {"betting": BETTING, "level": (1 - LEVEL) / 2, "curves": curves}


def tables(found: Findings) -> dict[str, list[Found]]:
    """Return the measurements of Figure 1 and Table 1."""
    rows = []

    def add(part: str, seed: int | None, seconds: float, agent: str, opponent: str, won: Found) -> None:
        named = {"part": part, "seed": seed, "seconds": seconds, "agent": agent, "opponent": opponent}
        rows.append(named | {"mbb": won["mbb"], "interval": won["interval"]})

    if one := found.get(figure_one.NAME):
        for row in one["meetings"]:
            add(figure_one.NAME, row["seed"], row["mark"], row["run"], row["other"], row)
        for row in one["responses"]:
            add(figure_one.NAME, row["seed"], row["mark"], "response", row["run"], row)
    if table := found.get(table_one.NAME):
        for row in table["rows"]:
            add(table_one.NAME, None, table["seconds"], row["post"], row["opponent"], row)
    return {"tartanian7.csv": rows}


def pictures(found: Findings, page: Path) -> None:
    """Draw Figure 1, if it has been run."""
    if figure_one.NAME in found:
        figure_one.draw(found[figure_one.NAME], page.with_suffix(".png"))


EXPERIMENT = Experiment(
    "tartanian7",
    "A blueprint on a cluster: Algorithm 4",
    Setup,
    (FIGURE_ONE, TABLE_ONE, COST, RESUMED, STALENESS),
    view,
    tables,
    pictures,
)
