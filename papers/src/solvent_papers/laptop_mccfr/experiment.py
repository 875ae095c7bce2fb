"""Bots of the laptop MCCFR paper: its Figures 1, 5, 7 and 8, buckets by rule, and initial weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.engines.rewards import REWARDS
from solvent.foundation.extras import pyplot
from solvent.foundation.units import span
from solvent_papers.confidence import Interval
from solvent_papers.frame.experiment import Experiment, Findings
from solvent_papers.laptop_mccfr.bots import BETTING, Setup, training_part
from solvent_papers.laptop_mccfr.comparisons import (
    BUCKET_PARTS,
    FIGURE_5,
    PAPER_REWARDS,
    PRIOR_PARTS,
    REWARD_BOTS,
    REWARDS_PART,
    reward_signs,
)
from solvent_papers.laptop_mccfr.styles import BOT, FIGURE_7, FIGURE_8, STYLES, ensemble_won_from
from solvent_papers.laptop_mccfr.styles import PARTS as STYLE_PARTS

LARGE = 1000
"""mbb/hand above which a meeting is drawn in a panel of its own scale."""


def view(found: Findings) -> dict[str, Any]:
    """Return the kinds that meet, how each was trained, and how meetings of rewards came out beside the paper's."""
    signs = reward_signs(found[FIGURE_5]) if FIGURE_5 in found else []
    return {
        "betting": BETTING,
        "styles": STYLES,
        "rewards": list(REWARDS),
        "paper_rewards": PAPER_REWARDS,
        "rewards_agree": signs.count(1),
        "rewards_against": signs.count(-1),
        "trainings": _trainings(found),
    }


def _trainings(found: Findings) -> list[list[object]]:
    """Return how each kind of bot was trained: cards, seeds, iterations and time."""
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name, each in found.items():
        for row in each["bots"] if name.startswith("train-") else ():
            kinds.setdefault((row["bot"], each["cards"]), []).append(row)
    rows = list[list[object]]()
    for (bot, cards), trained in kinds.items():
        last = max(row["mark"] for row in trained)
        ends = [row for row in trained if row["mark"] == last]
        had = sorted({row["iterations"] for row in ends})
        iterations = " to ".join(f"{count:,}" for count in dict.fromkeys((had[0], had[-1])))
        seconds = sum(row["seconds"] for row in ends) / len(ends)
        rows.append([bot, cards, len(ends), iterations, span(seconds)])
    return rows


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
    plt, bots = pyplot(), found[FIGURE_8]
    groups = [
        (
            f"bot {seed + 1}",
            {
                row["style"]: Interval.around(row["mbb"], row["interval"])
                for row in bots["rows"]
                if row["seed"] == seed
            },
        )
        for seed in range(bots["bots"])
    ]
    groups.append(("ensemble", {style: ensemble_won_from(found[FIGURE_7], style) for style in STYLES}))
    large = [style for style in STYLES if max(abs(met[style].middle) for _, met in groups) > LARGE]
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
                [met[style].middle for style in styles],
                width,
                yerr=[met[style].half for style in styles],
                label=name,
                color="black" if name == "ensemble" else f"C{k}",
                error_kw={"linewidth": 0.8, "ecolor": "0.5"},
            )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(range(len(styles)), styles, fontsize=8)
        ax.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("mbb/hand won from the changed version")
    axes[0].legend(fontsize=8)
    figure.savefig(page.with_suffix(".png"), dpi=110)
    plt.close(figure)


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
