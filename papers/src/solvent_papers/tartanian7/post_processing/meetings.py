"""Matches of the agent in blocks of deals, so that post-processings are compared on the same deals.

All post-processings meet an opponent on the same deals, with the same draws, and every opponent has deals of its
own. A block's mean winnings are one observation; what one post-processing wins more than another is the mean of
what it wins more in each block, with Student's interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from solvent.play.asked import averaged_match
from solvent.play.expected import can_be_averaged
from solvent_papers.confidence import Interval, mean_interval
from solvent_papers.frame.experiment import Found, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7.flat_cards import FlatCardSetup
from solvent_papers.tartanian7.post_processing.players import AGENT, OPPONENTS, load

NONE, NEW = "none", "new(0.2)"
SEEDS_EACH = 1_000
"""Seeds of deals that are set aside for the blocks of an opponent."""


def meet(
    setup: FlatCardSetup, kept: KeptRuns, say: Say, post: str, opponent: str, first_seed: int = 0
) -> Found:
    """Return what the agent with a post-processing wins from an opponent without, in each block.

    `pairs` are pairs of deals, all blocks together; `averaged`: whether the tree was walked for each deal, instead
    of playing hands; `blocks` are in mbb/hand.
    """
    setting = {"post": post, "opponent": opponent}
    found: Found = kept.once(setting, partial(_play, setup, say, post, opponent, first_seed))
    return setting | found


def _play(setup: FlatCardSetup, say: Say, post: str, opponent: str, first_seed: int) -> Found:
    say(f"{post} against {opponent}")
    count, played, walked = (4, 400, 40) if setup.small else (20, 2_000_000, 160_000)
    mine, other = load(setup, AGENT, post), load(setup, OPPONENTS[opponent])
    assert mine.rules is not None
    averaged = can_be_averaged(mine, other)
    pairs = (walked if averaged else played) // count
    seed = first_seed + SEEDS_EACH * list(OPPONENTS).index(opponent)
    blocks = [
        averaged_match(mine, other, mine.rules, pairs, seed=seed + block, threads=setup.threads)
        for block in range(count)
    ]
    won = [round(block.winnings.mbb, 2) for block in blocks]
    return {"pairs": pairs * count, "averaged": averaged, "blocks": won}


class Meetings:
    """Meetings by post-processing and opponent."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take meetings as JSON has them."""
        self._blocks: dict[tuple[str, str], list[float]] = {
            (row["post"], row["opponent"]): row["blocks"] for row in rows
        }
        self.posts = list(dict.fromkeys(post for post, _ in self._blocks))
        self.opponents = list(dict.fromkeys(opponent for _, opponent in self._blocks))

    def blocks(self, posts: Mapping[str, str]) -> list[float]:
        """Return the mean over opponents in each block. posts: the post-processing against each opponent."""
        rows = [self._blocks[post, opponent] for opponent, post in posts.items()]
        return [fmean(block) for block in zip(*rows, strict=True)]

    def mean(self, post: str, opponents: Sequence[str] | None = None) -> Interval:
        """Return the agent's winnings averaged over opponents, all or these."""
        return mean_interval(self.blocks(dict.fromkeys(opponents or self.opponents, post)))

    def worst(self, post: str) -> str:
        """Return the opponent from whom the agent wins least."""
        return min(self.opponents, key=lambda name: fmean(self._blocks[post, name]))

    def least(self, post: str) -> Interval:
        """Return what the agent wins from the opponent from whom it wins least."""
        return self.mean(post, [self.worst(post)])

    def mean_lead(self, post: str, other: str, opponents: Sequence[str] | None = None) -> Interval:
        """Return what one post-processing wins more than another, on average over opponents."""
        among = opponents or self.opponents
        return difference(self.blocks(dict.fromkeys(among, post)), self.blocks(dict.fromkeys(among, other)))

    def least_lead(self, post: str, other: str) -> Interval:
        """Return how far one post-processing is ahead of another, each at its worst."""
        return difference(*(self._blocks[each, self.worst(each)] for each in (post, other)))


def difference(mine: Sequence[float], others: Sequence[float]) -> Interval:
    """Return what is won more in blocks of the same number, with its interval."""
    return mean_interval([one - other for one, other in zip(mine, others, strict=True)])


def named(name: str, interval: Interval) -> dict[str, float]:
    """Return the figures of an estimate and its interval."""
    return {name: interval.middle, f"{name}.low": interval.low, f"{name}.high": interval.high}
