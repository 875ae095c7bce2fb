"""Laptop MCCFR at this machine's scale: four bots, their ensemble, biased rewards, style opponents, threads.

The game is the paper's (100 big blinds; before the flop raises to 2, 4, 8, 16 big blinds or all-in; two bets or
raises a street) with three sizes after the flop instead of seven, so that a bot is trained in a minute and not in
days. Bots begin with the paper's initial weights and explore as it does.

- Figure 8: four bots that differ by seed, each against changed versions of itself; Figure 1: their mean.
- Figure 7: the ensemble of the four against changed versions of itself.
- Figure 5: bots with rewards y1 to y4 against each other, two seeds each.
- Threads: rows a second on one thread and on several, without locks, with, and inside a traversal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.experiments.laptop_mccfr.training_speed import TrainingSpeed, measure
from solvent.experiments.steps import saying
from solvent.foundation.progress import Watch
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent.play.matches import MatchResult
from solvent.play.styles import STYLES as STYLE_NAMES
from solvent.solvers.blueprint.training import train_to
from solvent.solvers.rewards import REWARDS
from solvent.solvers.training_settings import TrainingSettings

BETTING = "preset=laptop; postflop=50%,100%,a"
BOTS = 4
STYLES = STYLE_NAMES[1:]
PAPER_WINS = {
    "aggressive": 1749.0,
    "tight": 609.0,
    "random": 4000.0,
    "calling-machine": 1788.0,
    "tight-aggressive": 125.0,
}
"""Figure 7, in mbb/hand."""
PAPER_REWARDS = {
    ("y1", "y2"): -300.0,
    ("y1", "y3"): -180.0,
    ("y1", "y4"): -220.0,
    ("y2", "y3"): 100.0,
    ("y2", "y4"): 60.0,
    ("y3", "y4"): -50.0,
}
"""Figure 5, in mbb/hand: what the first wins from the second."""


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seconds: float = 40.0
    """Seconds of training for each bot."""
    reward_seeds: int = 2
    pairs: int = 20_000
    """Pairs of hands of each meeting of two bots of one tree, averaged over what the bots may draw."""
    speed_repeats: int = 3


QUICK = Scale(seconds=1.0, reward_seeds=1, pairs=200, speed_repeats=1)


@dataclass(frozen=True)
class Meeting:
    """One bot against another."""

    figure: str
    bot: str
    opponent: str
    pairs: int
    mbb: float
    interval: float
    paper_mbb: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class LaptopMccfr:
    """Everything that the experiment measured."""

    scale: Scale
    cards: str
    iterations: dict[str, int]
    """The iterations of each bot."""
    meetings: list[Meeting]
    speed: TrainingSpeed

    def of(self, figure: str) -> list[Meeting]:
        """The meetings of a figure."""
        return [meeting for meeting in self.meetings if meeting.figure == figure]


def run(
    cards: Path, work: Path, scale: Scale | None = None, threads: int = 2, watch: Watch | None = None
) -> LaptopMccfr:
    """Train the bots in `work`, resuming those that are there, and set them against each other."""
    scale, say = scale or Scale(), saying(watch)
    abstraction = CardAbstraction.load(cards)
    design = TrainingSettings(betting=BETTING, exploration_decay=True, initial_weights=True)
    iterations = {}
    for name, changed in bots(design, scale).items():
        say(f"training {name}, {scale.seconds:.0f} s")
        iterations[name] = train_to(work / name, cards, changed, scale.seconds, threads)
    loader = AgentLoader()

    def meet(figure: str, bot: str, opponent: str, paper: float | None = None) -> None:
        say(f"{figure}: {Path(bot).name} against {Path(opponent).name}")
        found = expected_match(
            loader.load_table(bot), loader.load_table(opponent), scale.pairs, threads=threads
        )
        meetings.append(_meeting(figure, found, paper))

    meetings: list[Meeting] = []
    for seed in range(BOTS):
        bot = str(work / f"y1-{seed}")
        for style in STYLES:
            meet("8", bot, f"{bot}:{style}")
    ensemble = "+".join(str(work / f"y1-{seed}") for seed in range(BOTS))
    for style in STYLES:
        meet("7", ensemble, f"{ensemble}:{style}", PAPER_WINS.get(style))
    for first, second in combinations(REWARDS, 2):
        for seed in range(scale.reward_seeds):
            meet(
                "5",
                str(work / f"{first}-{seed}"),
                str(work / f"{second}-{seed}"),
                PAPER_REWARDS[first, second],
            )
    say("threads")
    speed = measure(cards, BETTING, threads, scale.speed_repeats)
    return LaptopMccfr(scale, abstraction.design.label, iterations, meetings, speed)


def bots(design: TrainingSettings, scale: Scale) -> dict[str, TrainingSettings]:
    """How each bot is trained: four with true rewards, and some with each of the other rewards."""
    seeds = {"y1": BOTS} | dict.fromkeys(tuple(REWARDS)[1:], scale.reward_seeds)
    return {
        f"{reward}-{seed}": replace(design, reward=reward, seed=seed)
        for reward, count in seeds.items()
        for seed in range(count)
    }


def _meeting(figure: str, found: MatchResult, paper: float | None) -> Meeting:
    bot, opponent = ("+".join(Path(part).name for part in name.split("+")) for name in found.names)
    winnings = found.winnings
    return Meeting(figure, bot, opponent, winnings.pairs, winnings.mbb, winnings.mbb_interval, paper)


def mean_of(meetings: Sequence[Meeting]) -> tuple[float, float]:
    """The mean of several meetings in mbb/hand and half its 95 % interval from their own intervals."""
    count = len(meetings)
    width = sum(meeting.interval**2 for meeting in meetings) ** 0.5 / count
    return sum(meeting.mbb for meeting in meetings) / count, width
