"""The agent that is post-processed, its opponents, and their matches in blocks of deals.

Each player has a part that trains it. Opponents have larger cards than the agent or more bet sizes, train four
times as long, and differ in how they are made: buckets inside public clusters, as many without, buckets by rule;
the agent's betting tree and others; public and external sampling, each with its usual rule.

All post-processings meet an opponent on the same deals, with the same draws, and every opponent has deals of its
own. A block's mean winnings are one observation; what one post-processing wins more than another is the mean of
what it wins more in each block, with Student's interval.

A post-processing is chosen on half of the opponents and judged on the other half, and the other way round. The one
with the best mean on one half is what somebody would play who has only those opponents to try; the other half says
what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from solvent.abstraction.cards.rule_buckets import RULES
from solvent.forms.betting.tree import build_tree
from solvent.foundation.storage.run import Run
from solvent.games.betting.sizes import parse_betting
from solvent.play.agents import AgentLoader
from solvent.play.asked import averaged_match
from solvent.play.expected import can_be_averaged
from solvent.play.table_agent import TableAgent
from solvent.training.settings import EXTERNAL, PUBLIC, TrainingSettings
from solvent_papers.confidence import Interval, mean_interval
from solvent_papers.frame.cards import FLAT, CardSetup
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns, found_by

NONE, NEW = "none", "new(0.2)"
SEEDS_EACH = 1_000
"""Seeds of deals that are set aside for the blocks of an opponent."""
FOLD_ALONE = "new(0.2,classes=actions,between=0,within=0)"
"""Folds wherever New-0.2 folds for its threshold, and changes nothing else."""
LOWER_TAU = "new(0.1)"
FAMILY = (
    LOWER_TAU,
    "new(0.3)",
    "new(0.4)",
    "new(1)",
    "new(0.2,classes=sizes)",
    "new(0.2,classes=actions)",
    "new(0.2,between=0.15,within=0.15)",
    FOLD_ALONE,
    "new(0.4,classes=actions,between=0,within=0)",
)
"""Candidates beside the rows of Table 2. They are ours: the paper names the family and leaves open the threshold of
folds, the classes of actions, and the thresholds between and inside classes. From 0.5 on tau changes nothing: what
is more probable is purified to."""
BETTINGS = {
    "three": "preset=fcpa; postflop=50%,100%,a | a",
    "four": "preset=fcpa; postflop=33%,75%,150%,a | a",
    "other": "preflop=2.5x,a | 100%,a; postflop=33%,75%,150%,a | a; cap=3; stack=200",
}
"""Betting trees of 2,352, 5,204 and 5,294 decisions, all of 200 big blinds."""


class Player(NamedTuple):
    """An agent that is trained."""

    name: str
    what: str
    """A description in a few words, for readers of the page."""
    cards: str
    betting: str
    sampling: str
    seed: int = 0

    @property
    def part(self) -> str:
        """The name of the part that trains it."""
        return f"train-{self.name}"

    def settings(self) -> TrainingSettings:
        """Return the settings of its training."""
        return TrainingSettings(betting=BETTINGS[self.betting], sampling=self.sampling, seed=self.seed)


AGENT = Player("agent", "the agent", "tiny", "three", PUBLIC)
OPPONENTS = {
    player.name: player
    for player in (
        Player("larger-cards", "larger cards on the agent's tree", "small", "three", PUBLIC, 1),
        Player("rule-buckets", "buckets by rule, more bet sizes", RULES, "four", EXTERNAL, 2),
        Player("other-tree", "larger cards on another tree", "small", "other", PUBLIC, 3),
        Player("flat-cards", "buckets without public clusters, more bet sizes", FLAT, "four", EXTERNAL, 4),
    )
}
"""The opponents; every second one has small cards, so that the halves of a choice differ in their cards."""
PLAYERS = (AGENT, *OPPONENTS.values())


def train(player: Player, setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Train a player, from where a training of this commit was stopped."""
    of_agent, of_opponents = (0.2, 0.4) if setup.small else (300.0, 1200.0)
    seconds = of_agent if player is AGENT else of_opponents
    settings = player.settings()
    place, iterations = setup.train(player.name, player.cards, settings, seconds, say)
    return {
        "name": player.name,
        "what": player.what,
        "cards": setup.design_of(player.cards).label,
        "betting": settings.betting,
        "decisions": build_tree(parse_betting(settings.betting)).decisions,
        "sampling": player.sampling,
        "rule": settings.as_json()["rule"],
        "threads": setup.threads,
        "seconds": seconds,
        "iterations": iterations,
        "touched": Run.open(setup.work / place, "training").facts()["touched"],
        "run": place,
    }


def load(setup: CardSetup, player: Player, post: str = "none") -> TableAgent:
    """Return a trained player with a post-processing."""
    return AgentLoader().load_table(f"{setup.work / found_by(setup, player.part)['run']}@{post}")


TRAININGS = tuple(Part(player.part, partial(train, player)) for player in PLAYERS)


def meet(setup: CardSetup, kept: KeptRuns, say: Say, post: str, opponent: str, first_seed: int = 0) -> Found:
    """Return what the agent with a post-processing wins from an opponent without, in each block.

    `pairs` are pairs of deals, all blocks together; `averaged`: whether the tree was walked for each deal, instead
    of playing hands; `blocks` are in mbb/hand.
    """
    setting = {"post": post, "opponent": opponent}
    return kept.row(setting, _play, setup, say, post, opponent, first_seed)


def _play(setup: CardSetup, say: Say, post: str, opponent: str, first_seed: int) -> Found:
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


class Fold(NamedTuple):
    """A choice on one half of the opponents, and what it is worth on the other."""

    chosen_on: list[str]
    judged_on: list[str]
    post: str
    won: Interval
    """mbb/hand on the half that judges."""
    over_none: Interval
    over_new: Interval


class Choice(NamedTuple):
    """Both choices, and their leads over all opponents, each judged by the choice that it had no part in."""

    folds: list[Fold]
    over_none: Interval
    over_new: Interval

    @property
    def posts(self) -> list[str]:
        """The post-processings that were chosen."""
        return list(dict.fromkeys(fold.post for fold in self.folds))


def two_fold(met: Meetings) -> Choice | None:
    """Choose by the best mean on every second opponent and judge on the others, and the other way round.

    Fewer than two opponents leave nothing to choose.
    """
    if len(met.opponents) < 2:
        return None
    folds, posts = [], dict[str, str]()
    halves = met.opponents[::2], met.opponents[1::2]
    for mine, others in (halves, halves[::-1]):
        best = max(met.posts, key=lambda post: met.mean(post, mine).middle)
        leads = (met.mean_lead(best, other, others) for other in (NONE, NEW))
        folds.append(Fold(mine, others, best, met.mean(best, others), *leads))
        posts |= dict.fromkeys(others, best)
    against = (met.blocks(dict.fromkeys(posts, other)) for other in (NONE, NEW))
    return Choice(folds, *(difference(met.blocks(posts), other) for other in against))


def difference(mine: Sequence[float], others: Sequence[float]) -> Interval:
    """Return what is won more in blocks of the same number, with its interval."""
    return mean_interval([one - other for one, other in zip(mine, others, strict=True)])
