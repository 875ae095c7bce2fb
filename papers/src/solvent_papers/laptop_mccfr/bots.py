"""Laptop MCCFR at this machine's scale: the bots that the experiment trains, keeps and compares.

The game is the paper's (100 big blinds; before the flop raises to 2, 4, 8, 16 big blinds or all-in; two bets or
raises a street) with two sizes after the flop, the pot and all-in, instead of seven: a bot's training ends in
minutes and goes far enough for what is asked of it. All bots of a comparison have the same number of iterations,
or the same seconds, and are compared over several seeds; nothing is processed on either side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

from solvent.abstraction.cards.win_rates import win_rates
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import EVERYTHING, parse_betting
from solvent.play.expected import expected_match
from solvent.play.table_agent import TableAgent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.settings import EXTERNAL, TrainingSettings
from solvent.training.work import Length, Training
from solvent_papers.confidence import Interval, mean_interval
from solvent_papers.frame.cards import SMALL_BETTING, CardSetup, load_table, save_table
from solvent_papers.frame.experiment import Found, Part, Say, option
from solvent_papers.frame.running import KeptRuns

BETTING = "preset=laptop; postflop=100%,a"
EXPLORATION_PART = 0.2
"""The share of a bot's iterations during which it explores."""
ITERATIONS, SECONDS = "iterations", "seconds"
"""Units of the marks of a training."""
CHUNK_SECONDS = 0.25
"""Intended time between looks at the clock."""


class Amount(NamedTuple):
    """The extent of training and playing."""

    iterations: int = 48_000_000
    """Iterations of a bot of Figures 1, 5, 7 and 8."""
    bots: int = 4
    """Bots with true rewards, whose ensemble is Figure 7's."""
    seeds: int = 3
    """Bots of every other kind."""
    bucket_iterations: int = 40_000_000
    """Iterations of a bot of the comparison of buckets."""
    marks: tuple[float, ...] = (30.0, 120.0, 600.0)
    """Seconds at which trainings with and without initial weights are compared."""
    pairs: int = 30_000
    """Pairs of deals of a meeting, averaged over what bots may draw."""


FULL = Amount()
SMALL = Amount(iterations=2_000, bots=2, seeds=2, bucket_iterations=500, marks=(0.05, 0.1), pairs=50)


@dataclass(frozen=True)
class Setup(CardSetup):
    """Cards, threads, and iterations other than those of the scale."""

    iterations: int | None = option(
        None, "Iterations of each bot of Figures 1, 5, 7 and 8.  [default: 48 million]", 100
    )

    @property
    def scale(self) -> dict[str, Any]:
        return super().scale | {"iterations": self.amount.iterations, "betting": self.betting}

    @property
    def amount(self) -> Amount:
        """The extent of training and playing."""
        amount = SMALL if self.small else FULL
        return amount if self.iterations is None else amount._replace(iterations=self.iterations)

    @property
    def betting(self) -> str:
        """The bets of the tree."""
        return SMALL_BETTING if self.small else BETTING


class Bot(NamedTuple):
    """A kind of bot, which is trained once for each seed."""

    name: str
    settings: TrainingSettings
    """Settings of its training; the betting is that of the setup."""
    cards: str = "tiny"
    history: str = EVERYTHING
    """Its memory of the betting."""

    @property
    def training(self) -> str:
        """The usual name of the part that trains it."""
        return f"train-{self.name}"

    def tree(self, setup: Setup) -> BettingTree:
        """Return the bot's betting tree."""
        return build_tree(parse_betting(f"{setup.betting}; history={self.history}"))

    def file(self, setup: Setup, seed: int, mark: float) -> Path:
        """Return where the table of a bot at a mark is kept."""
        return setup.work / "bots" / f"{self.name}-{seed}-{mark:g}.npz"

    def table(self, setup: Setup, say: Say, seed: int, mark: float, training: str | None = None) -> Blueprint:
        """Load the table of a bot at a mark; the part that trains it may have another name than usual."""
        path = self.file(setup, seed, mark)
        if not path.exists():
            part = training or self.training
            raise InputError(f"the bots {self.name} are not there: run the part {part} first")
        return load_table(path, self.tree(setup), setup.load(self.cards, say))


def reward_bot(reward: str) -> Bot:
    """Return a bot as the paper trains it, with one of its rewards."""
    settings = TrainingSettings(
        sampling=EXTERNAL,
        reward=reward,
        exploration_decay=True,
        exploration_part=EXPLORATION_PART,
        initial_weights=True,
    )
    return Bot(reward, settings)


def train_bot(
    setup: Setup, say: Say, bot: Bot, seed: int, marks: Sequence[float], unit: str = ITERATIONS
) -> list[Found]:
    """Train a bot up to each mark, in iterations or seconds, and keep its table there.

    Compiling, simulating win rates and writing tables count in no second.
    """
    settings = replace(bot.settings, seed=seed, threads=setup.threads)
    cards = setup.load(bot.cards, say)
    if settings.begins_with_prior:
        win_rates(cards, threads=setup.threads)
    length = Length(int(marks[-1])) if unit == ITERATIONS else Length(time=marks[-1])
    work = Training(bot.tree(setup), cards, settings, length)
    work.warm_up()
    work.begin()
    chunk, found = 1_000, []
    for mark in marks:
        say(f"training {bot.name}, seed {seed}, to {mark:,g} {unit}")
        while (done := work.iterations if unit == ITERATIONS else work.seconds) < mark:
            count, before = (min(chunk, int(mark - done)) if unit == ITERATIONS else chunk), work.seconds
            work.run(count)
            chunk = max(1, round(count * CHUNK_SECONDS / max(work.seconds - before, 1e-6)))
        stands = {"seconds": work.seconds, "iterations": work.iterations, "touched": work.touched}
        found.append({"bot": bot.name, "seed": seed, "mark": mark, **stands})
        save_table(bot.file(setup, seed, mark), work.solver.blueprint)
    return found


def training_part(bot: Bot, seeds: str = "seeds", iterations: str = ITERATIONS) -> Part[Setup]:
    """Return the part that trains a bot for every seed; `seeds` and `iterations` are fields of `Amount`."""

    def run(setup: Setup, kept: KeptRuns, say: Say) -> Found:
        marks, rows = [float(getattr(setup.amount, iterations))], list[Found]()
        for seed in range(getattr(setup.amount, seeds)):
            rows += kept.once({"bot": bot.name, "seed": seed}, train_bot, setup, say, bot, seed, marks)
        return {"cards": setup.load(bot.cards, say).design.label, "bots": rows}

    return Part(bot.training, run)


def agent(tables: Sequence[Blueprint], style: str = "own") -> TableAgent:
    """Return the agent of a bot, or of the ensemble of several, playing in its own style or in another."""
    return table_agent(style, list(tables), style)


def meet(setup: Setup, one: TableAgent, other: TableAgent, seed: int) -> Found:
    """Return what one agent wins from another, with the interval over deals, in mbb/hand."""
    won = expected_match(one, other, setup.amount.pairs, seed=seed, threads=setup.threads).winnings
    return {"seed": seed, "mbb": won.mbb, "interval": won.mbb_interval}


def over_seeds(rows: Sequence[Mapping[str, Any]]) -> Interval:
    """Return the mean over seeds, with the wider of the intervals over seeds (Student's) and over deals."""
    values = [float(row["mbb"]) for row in rows]
    deals = hypot(*(float(row["interval"]) for row in rows)) / len(rows)
    if len(rows) == 1:
        return Interval.around(values[0], deals)
    seeds = mean_interval(values)
    return Interval.around(seeds.middle, max(seeds.half, deals))
