"""Bots of the laptop MCCFR paper: its Figures 1, 5, 7 and 8, buckets by rule, and initial weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.engines.rewards import REWARDS
from solvent_papers.confidence import Interval
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings
from solvent_papers.laptop_mccfr.bots import BETTING, Setup, training_part
from solvent_papers.laptop_mccfr.comparisons import (
    BUCKET_PARTS,
    PAPER_REWARDS,
    PRIOR_PARTS,
    REWARD_BOTS,
    REWARDS_PART,
)
from solvent_papers.laptop_mccfr.styles import BOT, FIGURE_7, FIGURE_8, STYLES, ensemble_won_from
from solvent_papers.laptop_mccfr.styles import PARTS as STYLE_PARTS

LARGE = 1000
"""mbb/hand above which a meeting is drawn in a panel of its own scale."""


def view(found: Findings) -> dict[str, Any]:
    """Return what may be bet, the kinds that meet, and Figure 5 as the paper has it."""
    return {"betting": BETTING, "styles": STYLES, "rewards": list(REWARDS), "paper_rewards": PAPER_REWARDS}


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return all meetings: a row for each."""
    rows = []
    for name, each in found.items():
        for row in each.get("rows", ()):
            bot = row.get("first", BOT.name)
            if name == FIGURE_7:
                without = row["without"]
                bot = "ensemble" if without is None else f"ensemble without bot {without + 1}"
            rows.append(
                {
                    "part": name,
                    "seed": row["seed"],
                    "mark": row.get("mark"),
                    "bot": bot,
                    "opponent": row.get("second", row.get("style", "")),
                    "mbb": row["mbb"],
                    "interval": row["interval"],
                }
            )
    return {"laptop-mccfr.csv": rows}


def draw(found: Findings, page: Path) -> None:
    """Draw what each bot and the ensemble win from their changed versions: bars with 95 % intervals."""
    if not {FIGURE_7, FIGURE_8} <= set(found):
        return
    bots = found[FIGURE_8]
    groups = {
        f"bot {seed + 1}": {
            row["style"]: Interval.around(row["mbb"], row["interval"])
            for row in bots["rows"]
            if row["seed"] == seed
        }
        for seed in range(bots["bots"])
    }
    groups["ensemble"] = {style: ensemble_won_from(found[FIGURE_7], style) for style in STYLES}
    large = [style for style in STYLES if max(abs(met[style].middle) for met in groups.values()) > LARGE]
    width = 0.8 / len(groups)
    with panels(page.with_suffix(".png"), (1, 2), (5.5, 4.2)) as ((left, right),):
        for axes, styles in ((left, [style for style in STYLES if style not in large]), (right, large)):
            for k, (name, met) in enumerate(groups.items()):
                shift = (k - (len(groups) - 1) / 2) * width
                axes.bar(
                    [place + shift for place in range(len(styles))],
                    [met[style].middle for style in styles],
                    width,
                    yerr=[met[style].half for style in styles],
                    label=name,
                    color="black" if name == "ensemble" else f"C{k}",
                    error_kw={"linewidth": 0.8, "ecolor": "0.5"},
                )
            axes.axhline(0, color="black", linewidth=0.8)
            dress(axes, "", "mbb/hand won from the changed version" if axes is left else "")
            axes.set_xticks(range(len(styles)), styles)
        left.legend(fontsize=8)


EXPERIMENT = Experiment(
    "laptop-mccfr",
    "Laptop MCCFR",
    Setup,
    (
        *(training_part(bot, "bots" if bot.name == BOT.name else "seeds") for bot in REWARD_BOTS.values()),
        *STYLE_PARTS,
        REWARDS_PART,
        *BUCKET_PARTS,
        *PRIOR_PARTS,
    ),
    view,
    tables,
    draw,
)
