"""Matches of the agent in blocks of deals, so that post-processings are compared on the same deals.

All post-processings meet an opponent on the same deals, with the same draws, and every opponent has deals of its
own. A block's mean winnings are one observation; what one post-processing wins more than another is the mean of
what it wins more in each block, with Student's interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from solvent.play.asked import averaged_match
from solvent.play.expected import can_be_averaged
from solvent_papers.confidence import Interval, mean_interval
from solvent_papers.kept import KeptRuns
from solvent_papers.parts import once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.post_processing.players import AGENT, OPPONENTS, Player, Setup, load

NONE, NEW = "none", "new(0.2)"
SEEDS_EACH = 1_000
"""Seeds of deals that are set aside for the blocks of an opponent."""
STRENGTH_SEEDS = 1_000_000
"""Where the seeds of the part `strength` begin, so that opponents are not let in for their luck in Table 2."""


class Meeting(NamedTuple):
    """What the agent wins with a post-processing from an opponent."""

    post: str
    opponent: str
    pairs: int
    """Pairs of deals, all blocks together."""
    averaged: bool
    """Whether the tree was walked for each deal, instead of playing hands."""
    blocks: list[float]
    """mbb/hand in each block."""


def meet(setup: Setup, kept: KeptRuns, say: Say, post: str, opponent: Player, first_seed: int = 0) -> Meeting:
    """The agent with a post-processing against an opponent without, kept once it is played."""

    def measure() -> dict[str, Any]:
        say(f"{post} against {opponent.name}")
        amount = setup.amount
        mine, other = load(setup, AGENT, post), load(setup, opponent)
        assert mine.rules is not None
        averaged = can_be_averaged(mine, other)
        pairs = (amount.averaged if averaged else amount.played) // amount.blocks
        seed = first_seed + SEEDS_EACH * OPPONENTS.index(opponent)
        blocks = [
            averaged_match(mine, other, mine.rules, pairs, seed=seed + block, threads=setup.threads)
            for block in range(amount.blocks)
        ]
        return {
            "pairs": pairs * amount.blocks,
            "averaged": averaged,
            "blocks": [round(block.winnings.mbb, 2) for block in blocks],
        }

    found = once(kept, {"post": post, "opponent": opponent.name}, measure)
    return Meeting(post, opponent.name, **found)


class Meetings:
    """Meetings by post-processing and opponent."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """`rows`: meetings as JSON has them."""
        self._by = {(row["post"], row["opponent"]): Meeting(**row) for row in rows}

    @property
    def posts(self) -> list[str]:
        """All post-processings."""
        return list(dict.fromkeys(post for post, _ in self._by))

    @property
    def opponents(self) -> list[str]:
        """All opponents' names."""
        return list(dict.fromkeys(opponent for _, opponent in self._by))

    def one(self, post: str, opponent: str) -> Meeting:
        """One meeting."""
        return self._by[post, opponent]

    def won(self, post: str, opponent: str) -> Interval:
        """What the agent wins from an opponent."""
        return mean_interval(self.one(post, opponent).blocks)

    def blocks(self, posts: Mapping[str, str]) -> list[float]:
        """The mean over opponents in each block. posts: the post-processing against each opponent."""
        rows = [self.one(post, opponent).blocks for opponent, post in posts.items()]
        return [fmean(block) for block in zip(*rows, strict=True)]

    def mean(self, post: str, opponents: Sequence[str] | None = None) -> Interval:
        """What the agent wins on average over opponents, all or these."""
        return mean_interval(self.blocks(dict.fromkeys(opponents or self.opponents, post)))

    def worst(self, post: str) -> str:
        """The opponent from whom the agent wins least."""
        return min(self.opponents, key=lambda name: fmean(self.one(post, name).blocks))

    def least(self, post: str) -> Interval:
        """What the agent wins from the opponent from whom it wins least."""
        return self.won(post, self.worst(post))

    def mean_lead(self, post: str, other: str, opponents: Sequence[str] | None = None) -> Interval:
        """What one post-processing wins more than another, on average over opponents."""
        among = opponents or self.opponents
        return difference(self.blocks(dict.fromkeys(among, post)), self.blocks(dict.fromkeys(among, other)))

    def least_lead(self, post: str, other: str) -> Interval:
        """How far one post-processing is ahead of another, each at its worst."""
        mine, theirs = (self.one(each, self.worst(each)).blocks for each in (post, other))
        return difference(mine, theirs)


def difference(mine: Sequence[float], others: Sequence[float]) -> Interval:
    """What is won more in blocks of the same number, with its interval."""
    return mean_interval([one - other for one, other in zip(mine, others, strict=True)])


def named(name: str, interval: Interval) -> dict[str, float]:
    """The figures of an estimate and its interval."""
    return {name: interval.middle, f"{name}.low": interval.low, f"{name}.high": interval.high}


def text(interval: Interval) -> str:
    """An estimate and half its interval.

    >>> text(Interval(1_234.0, 1_224.0, 1_244.0))
    '+1,234 ± 10'
    """
    return f"{interval.middle:+,.0f} ± {interval.half:,.0f}"
