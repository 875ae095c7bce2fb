"""Bots of the laptop MCCFR paper, against changed versions of themselves (Figures 1, 7, 8) and against each other.

Kinds of bots that meet differ in their rewards (Figure 5), their buckets or their initial weights. Rewards and
buckets are compared after equal iterations, initial weights after equal seconds. Beside buckets by rule and as many
by the earth mover's distance, there are bots with rule buckets that remember of the betting which players raised on
which streets, as the paper's do: they have far fewer rows, and train each far more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import stdev
from typing import Any

from solvent.abstraction.cards.rule_buckets import RULES
from solvent.engines.rewards import REWARDS
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import RAISES
from solvent.play.styles import STYLES as STYLE_NAMES
from solvent.training.settings import EXTERNAL, TrainingSettings
from solvent_papers.confidence import Interval, jackknife_half
from solvent_papers.frame.cards import EMD
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.running import KeptRuns, finished
from solvent_papers.laptop_mccfr.bots import (
    BETTING,
    SECONDS,
    Bot,
    Setup,
    agent,
    meet,
    over_seeds,
    reward_bot,
    train_bot,
    training_part,
)

Pairs = Sequence[tuple[str, str]]
FIGURE_5, FIGURE_7, FIGURE_8, BUCKETS, PRIOR = "figure-5", "figure-7", "figure-8", "buckets", "prior"
PAPER_REWARDS = {
    ("y1", "y2"): -300.0,
    ("y1", "y3"): -180.0,
    ("y1", "y4"): -220.0,
    ("y2", "y3"): 100.0,
    ("y2", "y4"): 60.0,
    ("y3", "y4"): -50.0,
}
"""Figure 5, in mbb/hand: what the first wins from the second."""
REWARD_BOTS = {reward: reward_bot(reward) for reward in REWARDS}
BOT = REWARD_BOTS["y1"]
"""The bots with true rewards."""
STYLES = STYLE_NAMES[1:]
"""The ways in which they are changed."""
BUCKET_BOTS = {
    RULES: Bot(RULES, TrainingSettings(sampling=EXTERNAL), RULES),
    EMD: Bot(EMD, TrainingSettings(sampling=EXTERNAL), EMD),
    RAISES: Bot(RAISES, TrainingSettings(sampling=EXTERNAL), RULES, history=RAISES),
}
BUCKET_PAIRS = tuple(combinations(BUCKET_BOTS, 2))
PRIOR_CARDS = "small"
PRIOR_BOTS = {
    name: Bot(f"{PRIOR}-{name}", settings, PRIOR_CARDS)
    for name, settings in {
        "plain": TrainingSettings(sampling=EXTERNAL),
        "unvisited": TrainingSettings(sampling=EXTERNAL, unvisited="prior"),
        "weights": TrainingSettings(sampling=EXTERNAL, initial_weights=True),
    }.items()
}
PRIOR_PAIRS = (("unvisited", "plain"), ("weights", "plain"), ("weights", "unvisited"))
PRIOR_TRAININGS = tuple(f"train-{PRIOR}-{seed}" for seed in range(3))
"""The parts that train these bots, one for each seed; a scale with fewer seeds leaves the rest without work."""
LARGE = 1000
"""mbb/hand above which a meeting is drawn in a panel of its own scale."""


def measure_bots(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Let every bot with true rewards meet every changed version of itself."""
    mark, rows = float(setup.amount.iterations), []
    for seed in range(setup.amount.bots):
        table = BOT.table(setup, say, seed, mark)
        for style in STYLES:
            say(f"bot {seed + 1} against its {style} version")
            asked = setup, agent([table]), agent([table], style), seed
            rows.append({"style": style, **kept.once({"seed": seed, "style": style}, meet, *asked)})
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
            setting = {"style": style, "without": without}
            rows.append(kept.row(setting, meet, setup, agent(some), agent(some, style), 0))
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


def meetings(
    setup: Setup,
    kept: KeptRuns,
    say: Say,
    bots: Mapping[str, Bot],
    pairs: Pairs,
    seed: int,
    mark: float,
    training: str | None = None,
) -> list[Found]:
    """Let bots of one seed meet in pairs after a mark, which is noted where bots have several."""
    tables = {name: bot.table(setup, say, seed, mark, training) for name, bot in bots.items()}
    noted, rows = {} if training is None else {"mark": mark}, []
    for first, second in pairs:
        say(f"seed {seed}, mark {mark:,g}: {first} against {second}")
        asked = setup, agent([tables[first]]), agent([tables[second]]), seed
        setting = {"first": first, "second": second, **noted}
        rows.append(setting | kept.once(setting | {"seed": seed}, meet, *asked))
    return rows


def between(found: Found, first: str, second: str, mark: float | None = None) -> Interval:
    """Return what bots of one kind win from those of another."""
    asked = (first, second, mark)
    rows = [row for row in found["rows"] if (row["first"], row["second"], row.get("mark")) == asked]
    return over_seeds(rows)


def measure_kinds(
    bots: Mapping[str, Bot], pairs: Pairs, iterations: str, setup: Setup, kept: KeptRuns, say: Say
) -> Found:
    """Let every kind meet every other, for every seed, and count the rows of each."""
    mark, rows, stored, cards = getattr(setup.amount, iterations), list[Found](), {}, {}
    for seed in range(setup.amount.seeds):
        rows += meetings(setup, kept, say, bots, pairs, seed, float(mark))
    for name, bot in bots.items():
        loaded = setup.load(bot.cards, say)
        stored[name] = bot.tree(setup).stored_rows([clusters * buckets for clusters, buckets in loaded.sizes])
        cards[name] = loaded.design.label
    played = {"iterations": mark, "seeds": setup.amount.seeds, "pairs": setup.amount.pairs}
    return {**played, "rows": rows, "stored": stored, "cards": cards}


def figures_of(prefix: str, pairs: Pairs, found: Found) -> dict[str, float]:
    """Return figures such as `buckets.rules from emd` or, after several marks, `prior.weights from plain.30`."""
    figures: dict[str, float] = {}
    for first, second in pairs:
        for mark in found.get("marks", (None,)):
            after = "" if mark is None else f".{mark:g}"
            figures |= between(found, first, second, mark).figures(f"{prefix}{first} from {second}{after}")
    return figures


def reward_figures(found: Found) -> dict[str, float]:
    """Return figures such as `y2 from y1`, and `worst.y1`, the least that a reward wins from any other."""
    figures: dict[str, float] = {}
    for first, second in PAPER_REWARDS:
        won = between(found, first, second)
        figures |= won.figures(f"{first} from {second}") | (-won).figures(f"{second} from {first}")
    for mine in REWARDS:
        figures[f"worst.{mine}"] = min(figures[f"{mine} from {other}"] for other in REWARDS if other != mine)
    return figures


def bucket_figures(found: Found) -> dict[str, float]:
    """Return figures such as `buckets.rules from emd`, and `buckets.rows.rules`."""
    stored = {f"{BUCKETS}.rows.{name}": float(rows) for name, rows in found["stored"].items()}
    return figures_of(f"{BUCKETS}.", BUCKET_PAIRS, found) | stored


def prior_training(seed: int) -> Part[Setup]:
    """Return the part that trains the bots with and without a prior of one seed, each to all marks."""

    def run(setup: Setup, kept: KeptRuns, say: Say) -> Found:
        rows = list[Found]()
        for bot in PRIOR_BOTS.values() if seed < setup.amount.seeds else ():
            asked = setup, say, bot, seed, setup.amount.marks, SECONDS
            rows += kept.once({"bot": bot.name, "seed": seed}, train_bot, *asked)
        return {"cards": setup.load(PRIOR_CARDS, say).design.label, "bots": rows}

    return Part(PRIOR_TRAININGS[seed], run)


def measure_prior(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Let bots with and without a prior meet at every mark, for every seed that has been trained."""
    amount, rows = setup.amount, list[Found]()
    seeds = [seed for seed in range(amount.seeds) if finished(setup, PRIOR_TRAININGS[seed]) is not None]
    if not seeds:
        raise InputError(f"no bots are there: run the part {PRIOR_TRAININGS[0]} first")
    for seed in seeds:
        for mark in amount.marks:
            rows += meetings(setup, kept, say, PRIOR_BOTS, PRIOR_PAIRS, seed, mark, PRIOR_TRAININGS[seed])
    label = setup.load(PRIOR_CARDS, say).design.label
    return {"cards": label, "marks": amount.marks, "seeds": len(seeds), "pairs": amount.pairs, "rows": rows}


STYLE_PARTS = (
    Part(FIGURE_8, measure_bots, bot_figures, made_of=(BOT.training,)),
    Part(FIGURE_7, measure_ensemble, ensemble_figures, made_of=(BOT.training,)),
)
REWARDS_PART = Part(
    FIGURE_5,
    partial(measure_kinds, REWARD_BOTS, tuple(PAPER_REWARDS), "iterations"),
    reward_figures,
    made_of=tuple(f"train-{reward}" for reward in REWARDS),
)
BUCKET_PARTS = (
    *(training_part(bot, iterations="bucket_iterations") for bot in BUCKET_BOTS.values()),
    Part(
        BUCKETS,
        partial(measure_kinds, BUCKET_BOTS, BUCKET_PAIRS, "bucket_iterations"),
        bucket_figures,
        made_of=tuple(f"train-{name}" for name in BUCKET_BOTS),
    ),
)
PRIOR_PARTS = (
    *map(prior_training, range(len(PRIOR_TRAININGS))),
    Part(PRIOR, measure_prior, partial(figures_of, f"{PRIOR}.", PRIOR_PAIRS), made_of=PRIOR_TRAININGS),
)


# The page


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
