"""Kinds of bots against each other, seed by seed: rewards (Figure 5), buckets, and initial weights.

Rewards and buckets are compared after equal iterations, initial weights after equal seconds. Beside buckets by rule
and as many by the earth mover's distance, there are bots with rule buckets that remember of the betting which
players raised on which streets, as the paper's do: they have far fewer rows, and train each far more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from solvent.engines.rewards import REWARDS
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import RAISES
from solvent.training.settings import EXTERNAL, TrainingSettings
from solvent_papers.confidence import Interval
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns, finished
from solvent_papers.laptop_mccfr.bots import (
    EMD,
    RULES,
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
FIGURE_5, BUCKETS, PRIOR = "figure-5", "buckets", "prior"
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
        meeting = partial(meet, setup, agent([tables[first]]), agent([tables[second]]), seed)
        setting = {"first": first, "second": second, **noted}
        rows.append(setting | kept.once(setting | {"seed": seed}, meeting))
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
            train = partial(train_bot, setup, say, bot, seed, setup.amount.marks, SECONDS)
            rows += kept.once({"bot": bot.name, "seed": seed}, train)
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
