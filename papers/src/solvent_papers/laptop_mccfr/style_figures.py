"""Figures 1, 7 and 8: bots and their ensemble against changed versions of themselves."""

from __future__ import annotations

from functools import partial
from statistics import stdev
from typing import Any

from solvent.play.styles import STYLES as STYLE_NAMES
from solvent_papers.confidence import jackknife_half
from solvent_papers.kept import KeptRuns
from solvent_papers.laptop_mccfr.bots import (
    Setup,
    Won,
    agent,
    meet,
    named,
    over_seeds,
    reward_bot,
)
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say

STYLES = STYLE_NAMES[1:]
PAPER_WINS = {
    "aggressive": 1749.0,
    "tight": 609.0,
    "random": 4000.0,
    "calling-machine": 1788.0,
    "tight-aggressive": 125.0,
}
"""Figure 7, in mbb/hand."""
MOST_LOST = {"deterministic": 50.0}
MOST_LOST_OTHERWISE = 20.0
"""Our bars: what a bot may lose to a version of itself, in mbb/hand."""
TRUE = "y1"
TRAINING = f"train-{TRUE}"
"""The part that trains these bots."""
FIGURE_8, FIGURE_7 = "figure-8", "figure-7"


def measure_bots(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Every bot with true rewards against every changed version of itself."""
    bot, mark, rows = reward_bot(TRUE), float(setup.amount.iterations), []
    for seed in range(setup.amount.bots):
        table = bot.table(setup, say, seed, mark, TRAINING)
        for style in STYLES:
            say(f"bot {seed + 1} against its {style} version")
            meeting = partial(meet, setup, agent([table]), agent([table], style), seed)
            rows.append({"style": style, **once(kept, {"seed": seed, "style": style}, meeting)})
    return _setting(setup, say) | {"rows": rows}


def measure_ensemble(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """The ensemble of all bots with true rewards against every changed version of itself.

    The ensembles without one of the bots play the same deals, so that the interval can be over seeds too.
    """
    bot, mark, rows = reward_bot(TRUE), float(setup.amount.iterations), []
    tables = [bot.table(setup, say, seed, mark, TRAINING) for seed in range(setup.amount.bots)]
    for style in STYLES:
        for without in (None, *range(len(tables))):
            which = "the ensemble" if without is None else f"the ensemble without bot {without + 1}"
            say(f"{which} against its {style} version")
            some = [table for seed, table in enumerate(tables) if seed != without]
            meeting = partial(meet, setup, agent(some), agent(some, style), 0)
            setting = {"style": style, "without": without}
            rows.append({**setting, **once(kept, setting, meeting)})
    return _setting(setup, say) | {"rows": rows}


def _setting(setup: Setup, say: Say) -> dict[str, Any]:
    scale = setup.amount
    return {
        "cards": setup.load(reward_bot(TRUE).cards, say).design.label,
        "iterations": scale.iterations,
        "bots": scale.bots,
        "pairs": scale.pairs,
    }


def won_from(found: Found, style: str) -> Won:
    """What bots win from a style, over seeds and deals."""
    return over_seeds([row for row in found["rows"] if row["style"] == style])


def ensemble_won_from(found: Found, style: str) -> Won:
    """What the ensemble wins from a style; the interval is the wider of that over deals and the jackknife's."""
    rows = [row for row in found["rows"] if row["style"] == style]
    (whole,) = (row for row in rows if row["without"] is None)
    seeds = jackknife_half([float(row["mbb"]) for row in rows if row["without"] is not None])
    return Won(whole["mbb"], max(whole["interval"], seeds))


def bot_figures(found: Found) -> dict[str, float]:
    """`mean.tight` is Figure 1, and `worst bot.tight` the least of Figure 8's bars."""
    figures: dict[str, float] = {}
    for style in STYLES:
        rows = [row for row in found["rows"] if row["style"] == style]
        worst = min(rows, key=lambda row: float(row["mbb"]))
        figures |= named(f"mean.{style}", over_seeds(rows))
        figures |= named(f"worst bot.{style}", Won(worst["mbb"], worst["interval"]))
        figures[f"deviation of bots.{style}"] = stdev(row["mbb"] for row in rows)
    return figures


def ensemble_figures(found: Found) -> dict[str, float]:
    """`ensemble.tight` is Figure 7."""
    figures: dict[str, float] = {}
    for style in STYLES:
        figures |= named(f"ensemble.{style}", ensemble_won_from(found, style))
    worst = min((ensemble_won_from(found, style) for style in STYLES), key=lambda won: won.mbb)
    return figures | named("ensemble.worst", worst)


def bars(found: Found) -> list[Bar]:
    """What we had asked of a bot before anything is done to it: it loses little to its own versions."""
    made = []
    for style in STYLES:
        most, won = MOST_LOST.get(style, MOST_LOST_OTHERWISE), won_from(found, style)
        name, seen = f"{style} wins from the bot", f"{-won.mbb:,.0f} ± {won.interval:,.0f}"
        made.append(Bar(name, f"at most {most:.0f} mbb/hand", seen, -won.mbb <= most))
    return made


def bots_section(found: Found) -> str:
    """Figure 8, and its mean, Figure 1."""
    rows = []
    for style in STYLES:
        each = [Won(row["mbb"], row["interval"]) for row in found["rows"] if row["style"] == style]
        rows.append([style, *map(str, each), str(won_from(found, style))])
    header = ["opponent", *(f"bot {k + 1}" for k in range(found["bots"])), "mean (Figure 1)"]
    lost = [style for style in STYLES if won_from(found, style).high < 0]
    won = [style for style in STYLES if won_from(found, style).low > 0]
    text = (
        f"Over seeds the bots surely win from {_listed(won)} and surely lose to {_listed(lost)}. A version that "
        "only re-weighs actions which a bot mixes itself is as good as the bot where that is near an equilibrium: "
        "wins from such versions go to 0 with training and do not measure exploitability. Losses do: a bot that "
        "loses x to a version of itself is exploitable by x at least. At an equilibrium of the abstract game no "
        "version with the same buckets wins, so that losses are what training has left undone."
    )
    return (
        "## Bots against changed versions of themselves (Figures 1 and 8)\n\n"
        f"Cards {found['cards']}; every bot had {found['iterations']:,} iterations. Winnings are in mbb/hand, of "
        f"{found['pairs']:,} pairs of deals a meeting, averaged over what bots may draw. Intervals of single bots "
        "are over deals, those of the mean over seeds and deals. Neither side is processed.\n\n"
        f"{markdown_table(header, rows)}\n{text}\n"
    )


def _listed(styles: list[str]) -> str:
    return ", ".join(styles) or "none of their versions"


def ensemble_section(found: Found) -> str:
    """Figure 7."""
    rows = []
    for style in STYLES:
        paper = PAPER_WINS.get(style)
        rows.append([style, str(ensemble_won_from(found, style)), "-" if paper is None else f"{paper:,.0f}"])
    return (
        f"## The ensemble (Figure 7)\n\nThe probabilities of {found['bots']} bots, added up, against changed "
        "versions of the sum, in mbb/hand. The interval is the wider of that over deals and that over seeds, which "
        "comes from the ensembles without one of the bots (jackknife).\n\n"
        f"{markdown_table(['opponent', 'ensemble', 'paper'], rows)}\nThe paper's factors are unknown, so that its "
        "numbers are beside ours and not of the same experiment. Where a bot mixes actions it is nearly "
        "indifferent between them after enough training, and so is it against a version of itself that mixes them "
        "in other parts: versions that only re-weigh, such as the calling machine, then lose next to nothing, "
        "while those that play what the bot never does, such as random, lose much. Averaging bots removes what "
        "differs from seed to seed; it does not remove what all of them have in common, which is what a version "
        "wins by.\n"
    )


PARTS = (
    Part(FIGURE_8, measure_bots, bots_section, bot_figures, bars, made_of=(TRAINING,)),
    Part(
        FIGURE_7,
        measure_ensemble,
        ensemble_section,
        ensemble_figures,
        lambda found: [],
        made_of=(TRAINING,),
    ),
)
