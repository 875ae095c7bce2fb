"""Initial weights, and the prior at rows that training never came to: with and without, at equal seconds."""

from __future__ import annotations

from functools import partial

from solvent.foundation.errors import InputError
from solvent.foundation.units import span
from solvent.training.settings import EXTERNAL, TrainingSettings
from solvent_papers.kept import KeptRuns
from solvent_papers.laptop_mccfr.bots import (
    SECONDS,
    Bot,
    Setup,
    Won,
    agent,
    meet,
    named,
    over_seeds,
    trained,
)
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, finished, once
from solvent_papers.steps import Say

PRIOR = "prior"
MOST_SEEDS = 3
"""Parts that train; a scale with fewer seeds leaves the rest without work."""
TRAININGS = tuple(f"train-{PRIOR}-{seed}" for seed in range(MOST_SEEDS))
"""The names of these parts, by seed."""
CARDS = "small"
BOTS = {
    name: Bot(f"{PRIOR}-{name}", settings, CARDS)
    for name, settings in {
        "plain": TrainingSettings(sampling=EXTERNAL),
        "unvisited": TrainingSettings(sampling=EXTERNAL, unvisited="prior"),
        "weights": TrainingSettings(sampling=EXTERNAL, initial_weights=True),
    }.items()
}
MEANING = {
    "plain": "uniform play at first, and at rows that training never came to",
    "unvisited": "uniform play at first, the prior at rows that training never came to",
    "weights": "initial weights, which are the prior at such rows too",
}
PAIRS = (("unvisited", "plain"), ("weights", "plain"), ("weights", "unvisited"))


def train_seed(seed: int) -> Part[Setup]:
    """A part that trains all bots of one seed, each to all marks."""

    def run(setup: Setup, kept: KeptRuns, say: Say) -> Found:
        rows = []
        for bot in BOTS.values() if seed < setup.amount.seeds else ():
            rows += trained(setup, kept, say, bot, seed, setup.amount.marks, SECONDS)
        return {"cards": setup.load(CARDS, say).design.label, "bots": rows}

    return Part(TRAININGS[seed], run, lambda found: "", lambda found: {}, lambda found: [])


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """The bots against each other at every mark, for every seed that has been trained."""
    scale, rows = setup.amount, []
    seeds = [seed for seed in range(scale.seeds) if finished(setup, TRAININGS[seed]) is not None]
    if not seeds:
        raise InputError(f"no bots are there: run the part {TRAININGS[0]} first")
    for seed in seeds:
        for mark in scale.marks:
            tables = {name: bot.table(setup, say, seed, mark, TRAININGS[seed]) for name, bot in BOTS.items()}
            for first, second in PAIRS:
                say(f"seed {seed}, {span(mark)}: {first} against {second}")
                meeting = partial(meet, setup, agent([tables[first]]), agent([tables[second]]), seed)
                setting = {"first": first, "second": second, "mark": mark}
                rows.append(setting | once(kept, setting | {"seed": seed}, meeting))
    label = setup.load(CARDS, say).design.label
    return {"cards": label, "marks": scale.marks, "seeds": len(seeds), "pairs": scale.pairs, "rows": rows}


def between(found: Found, first: str, second: str, mark: float) -> Won:
    """What one kind of bot wins from another after so many seconds."""
    asked = (first, second, mark)
    return over_seeds([row for row in found["rows"] if (row["first"], row["second"], row["mark"]) == asked])


def figures(found: Found) -> dict[str, float]:
    """`prior.weights from plain.30` with its interval: by pair and seconds."""
    figures: dict[str, float] = {}
    for first, second in PAIRS:
        for mark in found["marks"]:
            name = f"{PRIOR}.{first} from {second}.{mark:g}"
            figures |= named(name, between(found, first, second, mark))
    return figures


def section(found: Found) -> str:
    """The meetings over seconds of training."""
    marks = found["marks"]
    rows = [
        [f"{first} from {second}", *(str(between(found, first, second, mark)) for mark in marks)]
        for first, second in PAIRS
    ]
    kinds = [[name, text] for name, text in MEANING.items()]
    several = found["seeds"] > 1
    bots, over = (f"{found['seeds']} bots", "seeds and deals") if several else ("one bot", "deals")
    return (
        f"## Initial weights and rows never visited\n\nCards {found['cards']}; {bots} of each kind, at equal "
        f"seconds:\n\n{markdown_table(['bot', ''], kinds)}\nWinnings are in mbb/hand, of {found['pairs']:,} pairs "
        f"of deals for each seed, with intervals over {over}:\n\n"
        f"{markdown_table(['', *map(span, marks)], rows)}\nWhat is played at rows that were never visited matters "
        "as long as there are many of them. Initial weights also decide what is played at a row's first visits, "
        f"and so what other rows are trained against. {' '.join(outcomes(found))}\n"
    )


def outcomes(found: Found) -> list[str]:
    """For each kind of bot beside another, after how long it surely wins or loses; a sentence each."""
    said = []
    for first, second in PAIRS:
        won = {mark: between(found, first, second, mark) for mark in found["marks"]}
        wins = [span(mark) for mark, each in won.items() if each.low > 0]
        loses = [span(mark) for mark, each in won.items() if each.high < 0]
        sure = [
            f"surely {verb} after {', '.join(at)}" for verb, at in (("wins", wins), ("loses", loses)) if at
        ]
        said.append(f"*{first}* {' and '.join(sure) or 'neither surely wins nor loses'} against *{second}*.")
    return said


PARTS = (
    *(train_seed(seed) for seed in range(MOST_SEEDS)),
    Part(PRIOR, measure, section, figures, lambda found: [], made_of=TRAININGS),
)
