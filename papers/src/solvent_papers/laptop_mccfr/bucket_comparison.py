"""Buckets by rule against as many buckets by the earth mover's distance, at equal iterations.

A third kind of bot has rule buckets and remembers of the betting which players raised on which streets, as the
paper's do: it has far fewer rows, and trains each far more often.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

from solvent.games.betting.sizes import RAISES
from solvent.training.settings import EXTERNAL, TrainingSettings
from solvent_papers.kept import KeptRuns
from solvent_papers.laptop_mccfr.bots import (
    EMD,
    RULES,
    Bot,
    Setup,
    Won,
    agent,
    meet,
    named,
    over_seeds,
    training_part,
)
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say

BUCKETS = "buckets"
BOTS = {
    RULES: Bot(RULES, TrainingSettings(sampling=EXTERNAL), RULES),
    EMD: Bot(EMD, TrainingSettings(sampling=EXTERNAL), EMD),
    RAISES: Bot(RAISES, TrainingSettings(sampling=EXTERNAL), RULES, history=RAISES),
}
MEANING = {
    RULES: "buckets by rule, the whole betting",
    EMD: "buckets by the earth mover's distance, the whole betting",
    RAISES: "buckets by rule, the raising history",
}
PAIRS = tuple(combinations(BOTS, 2))


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Every kind of bot against every other, for every seed."""
    scale, rows = setup.amount, []
    mark = float(scale.bucket_iterations)
    for seed in range(scale.seeds):
        tables = {name: bot.table(setup, say, seed, mark, f"train-{name}") for name, bot in BOTS.items()}
        for first, second in PAIRS:
            say(f"seed {seed}: {first} against {second}")
            meeting = partial(meet, setup, agent([tables[first]]), agent([tables[second]]), seed)
            setting = {"first": first, "second": second}
            rows.append(setting | once(kept, setting | {"seed": seed}, meeting))
    stored = {}
    for name, bot in BOTS.items():
        sizes = setup.load(bot.cards, say).sizes
        stored[name] = bot.tree(setup).stored_rows([clusters * buckets for clusters, buckets in sizes])
    labels = {name: setup.load(bot.cards, say).design.label for name, bot in BOTS.items()}
    return {
        "iterations": scale.bucket_iterations,
        "seeds": scale.seeds,
        "pairs": scale.pairs,
        "rows": rows,
        "stored": stored,
        "cards": labels,
    }


def between(found: Found, first: str, second: str) -> Won:
    """What bots of one kind win from those of another."""
    return over_seeds([row for row in found["rows"] if (row["first"], row["second"]) == (first, second)])


def figures(found: Found) -> dict[str, float]:
    """`buckets.rules from emd` with its interval, and likewise for the other pairs."""
    figures: dict[str, float] = {}
    for first, second in PAIRS:
        figures |= named(f"{BUCKETS}.{first} from {second}", between(found, first, second))
    return figures | {f"{BUCKETS}.rows.{name}": float(rows) for name, rows in found["stored"].items()}


def section(found: Found) -> str:
    """The kinds of bots and their meetings."""
    kinds = [
        [name, text, found["cards"][name], f"{found['stored'][name]:,}"] for name, text in MEANING.items()
    ]
    met = [[f"{first} from {second}", str(between(found, first, second))] for first, second in PAIRS]
    verdict = between(found, RULES, EMD)
    said = "surely win from" if verdict.low > 0 else "surely lose to" if verdict.high < 0 else "are even with"
    return (
        f"## Buckets by rule and by clustering\n\n{found['seeds']} bots of each kind with "
        f"{found['iterations']:,} iterations:\n\n{markdown_table(['bot', '', 'cards', 'rows'], kinds)}\n"
        f"Winnings are in mbb/hand, of {found['pairs']:,} pairs of deals for each seed, with intervals over seeds "
        f"and deals:\n\n{markdown_table(['', 'mbb/hand'], met)}\nBuckets by rule {said} as many by the earth "
        f"mover's distance ({verdict} mbb/hand).\n"
    )


PARTS = (
    *(training_part(f"train-{name}", bot, iterations="bucket_iterations") for name, bot in BOTS.items()),
    Part(
        BUCKETS,
        measure,
        section,
        figures,
        lambda found: [],
        made_of=tuple(f"train-{name}" for name in BOTS),
    ),
)
