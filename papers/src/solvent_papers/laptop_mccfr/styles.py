"""Figures 1, 7 and 8: bots and their ensemble against changed versions of themselves."""

from __future__ import annotations

from functools import partial
from statistics import stdev
from typing import Any

from solvent.play.styles import STYLES as STYLE_NAMES
from solvent_papers.confidence import Interval, jackknife_half
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.laptop_mccfr.bots import Setup, agent, meet, over_seeds, reward_bot

STYLES = STYLE_NAMES[1:]
BOT = reward_bot("y1")
"""The bots with true rewards."""
FIGURE_8, FIGURE_7 = "figure-8", "figure-7"


def measure_bots(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Let every bot with true rewards meet every changed version of itself."""
    mark, rows = float(setup.amount.iterations), []
    for seed in range(setup.amount.bots):
        table = BOT.table(setup, say, seed, mark)
        for style in STYLES:
            say(f"bot {seed + 1} against its {style} version")
            meeting = partial(meet, setup, agent([table]), agent([table], style), seed)
            rows.append({"style": style, **kept.once({"seed": seed, "style": style}, meeting)})
    return _setting(setup, say) | {"rows": rows}


def measure_ensemble(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Let the ensemble of all bots with true rewards meet every changed version of itself.

    The ensembles without one of the bots play the same deals, so that the interval can be over seeds too.
    """
    mark, rows = float(setup.amount.iterations), []
    tables = [BOT.table(setup, say, seed, mark) for seed in range(setup.amount.bots)]
    for style in STYLES:
        for without in (None, *range(len(tables))):
            which = "the ensemble" if without is None else f"the ensemble without bot {without + 1}"
            say(f"{which} against its {style} version")
            some = [table for seed, table in enumerate(tables) if seed != without]
            meeting = partial(meet, setup, agent(some), agent(some, style), 0)
            setting = {"style": style, "without": without}
            rows.append({**setting, **kept.once(setting, meeting)})
    return _setting(setup, say) | {"rows": rows}


def _setting(setup: Setup, say: Say) -> dict[str, Any]:
    amount = setup.amount
    label = setup.load(BOT.cards, say).design.label
    return {"cards": label, "iterations": amount.iterations, "bots": amount.bots, "pairs": amount.pairs}


def ensemble_won_from(found: Found, style: str) -> Interval:
    """Return what the ensemble wins from a style; the interval is the wider of the deals' and the jackknife's."""
    rows = [row for row in found["rows"] if row["style"] == style]
    (whole,) = (row for row in rows if row["without"] is None)
    seeds = jackknife_half([float(row["mbb"]) for row in rows if row["without"] is not None])
    return Interval.around(whole["mbb"], max(whole["interval"], seeds))


def bot_figures(found: Found) -> dict[str, float]:
    """Return figures such as `mean.tight`, of Figure 1, and `worst bot.tight`, the least of Figure 8's bars."""
    figures: dict[str, float] = {}
    for style in STYLES:
        rows = [row for row in found["rows"] if row["style"] == style]
        worst = min(rows, key=lambda row: float(row["mbb"]))
        figures |= over_seeds(rows).figures(f"mean.{style}")
        figures |= Interval.around(worst["mbb"], worst["interval"]).figures(f"worst bot.{style}")
        figures[f"deviation of bots.{style}"] = stdev(row["mbb"] for row in rows)
    return figures


def ensemble_figures(found: Found) -> dict[str, float]:
    """Return figures such as `ensemble.tight`, of Figure 7."""
    won = {style: ensemble_won_from(found, style) for style in STYLES}
    won["worst"] = min(won.values(), key=lambda each: each.middle)
    figures: dict[str, float] = {}
    for name, each in won.items():
        figures |= each.figures(f"ensemble.{name}")
    return figures


PARTS = (
    Part(FIGURE_8, measure_bots, bot_figures, made_of=(BOT.training,)),
    Part(FIGURE_7, measure_ensemble, ensemble_figures, made_of=(BOT.training,)),
)
