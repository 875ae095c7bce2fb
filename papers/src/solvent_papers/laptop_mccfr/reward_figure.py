"""Figure 5: bots with rewards y1 to y4 against each other, seed by seed."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from solvent.engines.rewards import REWARDS
from solvent_papers.kept import KeptRuns
from solvent_papers.laptop_mccfr.bots import Setup, Won, agent, meet, named, over_seeds, reward_bot
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say

PAPER_REWARDS = {
    ("y1", "y2"): -300.0,
    ("y1", "y3"): -180.0,
    ("y1", "y4"): -220.0,
    ("y2", "y3"): 100.0,
    ("y2", "y4"): 60.0,
    ("y3", "y4"): -50.0,
}
"""Figure 5, in mbb/hand: what the first wins from the second."""
FIGURE_5 = "figure-5"


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Every reward against every other, for every seed that all of them have."""
    mark, rows = float(setup.amount.iterations), []
    for seed in range(setup.amount.seeds):
        tables = {
            reward: reward_bot(reward).table(setup, say, seed, mark, f"train-{reward}") for reward in REWARDS
        }
        for first, second in combinations(REWARDS, 2):
            say(f"seed {seed}: {first} against {second}")
            meeting = partial(meet, setup, agent([tables[first]]), agent([tables[second]]), seed)
            setting = {"first": first, "second": second}
            rows.append(setting | once(kept, setting | {"seed": seed}, meeting))
    return {"iterations": setup.amount.iterations, "seeds": setup.amount.seeds, "rows": rows}


def between(found: Found, first: str, second: str) -> Won:
    """What bots of the first reward win from those of the second, in true chips."""
    for a, b, sign in ((first, second, 1.0), (second, first, -1.0)):
        rows = [row for row in found["rows"] if (row["first"], row["second"]) == (a, b)]
        if rows:
            won = over_seeds(rows)
            return Won(sign * won.mbb, won.interval)
    raise KeyError((first, second))


def figures(found: Found) -> dict[str, float]:
    """`y2 from y1` with its interval, and `worst.y1`, the least that a reward wins from any other."""
    figures: dict[str, float] = {}
    for first, second in PAPER_REWARDS:
        figures |= named(f"{first} from {second}", between(found, first, second))
        figures |= named(f"{second} from {first}", between(found, second, first))
    for mine in REWARDS:
        figures[f"worst.{mine}"] = min(figures[f"{mine} from {other}"] for other in REWARDS if other != mine)
    return figures


def agreement(found: Found) -> tuple[int, int]:
    """How many meetings surely come out as in the paper, and how many surely the other way round."""
    sure = [
        (won.mbb > 0) == (paper > 0)
        for pair, paper in PAPER_REWARDS.items()
        if abs((won := between(found, *pair)).mbb) > won.interval
    ]
    return sure.count(True), sure.count(False)


def section(found: Found) -> str:
    """Figure 5 beside the paper's."""
    rows = []
    for first in REWARDS:
        met = {second: between(found, first, second) for second in REWARDS if second != first}
        worst = min(won.mbb for won in met.values())
        rows.append(
            [first, *("-" if second == first else str(met[second]) for second in REWARDS), f"{worst:,.0f}"]
        )
    agree, against = agreement(found)
    paper = [[f"{first} against {second}", f"{won:,.0f}"] for (first, second), won in PAPER_REWARDS.items()]
    return (
        f"## Biased rewards (Figure 5)\n\nWhat the row wins from the column in mbb/hand, {found['seeds']} bots of "
        f"each with {found['iterations']:,} iterations; intervals are over seeds and deals. Winnings are in true "
        "chips, whatever a bot was trained on.\n\n"
        f"{markdown_table(['', *REWARDS, 'worst'], rows)}\nThe paper's:\n\n"
        f"{markdown_table(['', 'mbb/hand'], paper)}\nOf the six meetings, {agree} surely came out as in the paper "
        f"and {against} surely the other way round. A bot that weighs losses more is trained on a game that is not "
        "zero-sum, and its strategy need not be an equilibrium of this one.\n"
    )


PART = Part(
    FIGURE_5,
    measure,
    section,
    figures,
    lambda found: [],
    made_of=tuple(f"train-{reward}" for reward in REWARDS),
)
