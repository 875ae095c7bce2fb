"""The agent that is post-processed and its opponents, each trained by a part of its own.

Opponents have larger cards than the agent or more bet sizes, train four times as long, and differ in how they are
made: buckets inside public clusters, as many without, buckets by rule; the agent's betting tree and others; public
and external sampling, each with its usual rule.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from solvent.abstraction.cards.rule_buckets import RULES
from solvent.forms.betting.tree import build_tree
from solvent.foundation.storage.run import Run
from solvent.foundation.units import span
from solvent.games.betting.sizes import parse_betting
from solvent.play.agents import AgentLoader
from solvent.play.table_agent import TableAgent
from solvent.training.settings import EXTERNAL, PUBLIC, TrainingSettings
from solvent.training.train import train_to
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.machine import commit
from solvent_papers.frame.running import KeptRuns, found_by, within
from solvent_papers.tartanian7.flat_cards import FLAT, FlatCardSetup

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
"""Every second one has small cards, so that the halves of a choice differ in their cards."""
PLAYERS = (AGENT, *OPPONENTS.values())


def train(player: Player, setup: FlatCardSetup, kept: KeptRuns, say: Say) -> Found:
    """Train a player, from where a training of this commit was stopped."""
    of_agent, of_opponents = (0.2, 0.4) if setup.small else (300.0, 1200.0)
    seconds = of_agent if player is AGENT else of_opponents
    cards = setup.folder_of(player.cards, say)
    place = Path("agents") / commit() / player.name  # those of another version of the code are not trained on
    settings, watch = player.settings(), within(say, f"training {span(seconds)}")
    iterations = train_to(setup.work / place, cards, settings, seconds, setup.threads, watch)
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
        "run": str(place),
    }


def load(setup: FlatCardSetup, player: Player, post: str = "none") -> TableAgent:
    """Return a trained player with a post-processing."""
    return AgentLoader().load_table(f"{setup.work / found_by(setup, player.part)['run']}@{post}")


TRAININGS = tuple(Part(player.part, partial(train, player)) for player in PLAYERS)
