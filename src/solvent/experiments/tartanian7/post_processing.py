"""Post-processing an agent's strategy: Table 2 of the 2014 champion's paper, at this machine's scale.

One agent, the same tables each time, played as it is, purified, thresholded and by New-0.2, against opponents of
different making: another betting tree, other bet sizes with biased rewards, a player who knows nothing but win
rates, and one who always calls. What each post-processing wins on average and at worst, and what it costs against a
local best response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.local_best_response import LocalBestResponse
from solvent.experiments.steps import saying
from solvent.foundation.progress import Watch
from solvent.play.agents import AgentLoader
from solvent.play.matches import Match
from solvent.solvers.blueprint.training import train_to
from solvent.solvers.training_settings import TrainingSettings

POSTS = ("none", "purify", "threshold(0.15)", "new(0.2)", "purify(first=false)", "new(0.2,first=false)")
PAPER = {
    "none": ("+30 ± 32", "+10 ± 27", 20, 10),
    "purify": ("+55 ± 27", "+19 ± 22", 37, 19),
    "threshold(0.15)": ("+35 ± 30", "+19 ± 25", 27, 19),
    "new(0.2)": ("+39 ± 26", "+103 ± 21", 71, 39),
}
"""Table 2: mbb/hand against both opponents, mean and least."""
AGENT = "fcpa"
OPPONENTS = {
    "acpc": ("more bet sizes", "acpc", "y1"),
    "thirds": (
        "other bet sizes, losses felt 1.5 times",
        "preflop=2.5x,a | 70%,a; postflop=66%,a; cap=3; stack=200",
        "y2",
    ),
}
"""Trained opponents: what they are, their betting and their rewards."""
BETS = {"fc": "fold and call alone", "fcpa": "fold, call, pot and all-in on the turn and river"}


@dataclass(frozen=True)
class Scale:
    """How much is trained, played and measured."""

    seconds: float = 60.0
    """Seconds of training for each agent."""
    hands: int = 400_000
    lbr_hands: int = 8_000


QUICK = Scale(seconds=1.0, hands=2_000, lbr_hands=20)


@dataclass(frozen=True)
class Row:
    """One post-processing against one opponent, or against a local best response."""

    post: str
    opponent: str
    hands: int
    mbb: float
    """What the agent wins a hand; for a local best response what that wins from the agent."""
    interval: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class PostProcessingTable:
    """Everything that the experiment measured."""

    scale: Scale
    cards: str
    opponents: dict[str, str]
    """From an opponent's description to its name as an agent."""
    rows: list[Row]
    responses: list[Row]

    def row(self, post: str) -> list[Row]:
        """The rows of a post-processing, one per opponent."""
        return [row for row in self.rows if row.post == post]


def run(
    cards: Path, work: Path, scale: Scale | None = None, threads: int = 2, watch: Watch | None = None
) -> PostProcessingTable:
    """Train the agent and its opponents in `work`, resuming those that are there, and play."""
    scale, say = scale or Scale(), saying(watch)
    abstraction = CardAbstraction.load(cards)

    def train(name: str, betting: str, reward: str, seed: int) -> str:
        say(f"training {name}, {scale.seconds:.0f} s")
        design = TrainingSettings(betting=betting, reward=reward, seed=seed, sampling="external")
        train_to(work / name, cards, design, scale.seconds, threads)
        return str(work / name)

    agent = train(AGENT, AGENT, "y1", 0)
    against = {
        f"O{k + 1}: {what}": train(name, betting, reward, k + 1)
        for k, (name, (what, betting, reward)) in enumerate(OPPONENTS.items())
    }
    against |= {
        f"O{len(against) + 1}: win rates alone": f"{agent}:initial-weights",
        f"O{len(against) + 2}: always calls": "always-call",
    }
    loader, rows, responses = AgentLoader(), [], []
    for post in POSTS:
        mine = loader.load_table(f"{agent}@{post}")
        assert mine.rules is not None
        for name, opponent in against.items():
            say(f"{post} against {name}")
            match = Match(mine, loader.load_table(opponent), mine.rules, scale.hands, seed=1)
            won = match.run(threads).winnings
            rows.append(Row(post, name, won.hands, won.mbb, won.mbb_interval))
        for bets in BETS:
            say(f"{post}: local best response, {bets}")
            found = LocalBestResponse(mine, bets).run(scale.lbr_hands, threads)
            responses.append(Row(post, bets, found.hands, found.mbb, found.mbb_interval))
    return PostProcessingTable(scale, abstraction.design.label, against, rows, responses)


def average(rows: Sequence[Row]) -> float:
    """The mean winnings over opponents."""
    return sum(row.mbb for row in rows) / len(rows)


def least(rows: Sequence[Row]) -> float:
    """The least winnings over opponents."""
    return min(row.mbb for row in rows)
