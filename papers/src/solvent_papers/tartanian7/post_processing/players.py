"""The agent that is post-processed and its opponents, each trained by a part of its own.

Opponents have larger cards than the agent or more bet sizes, train four times as long, and differ in how they are
made: buckets inside public clusters, as many without, buckets by rule; the agent's betting tree and others; public
and external sampling, each with its usual rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from solvent.abstraction.cards.presets import PRESETS, Design
from solvent.abstraction.cards.rule_buckets import RULES
from solvent.forms.betting.tree import build_tree
from solvent.foundation.machine import commit
from solvent.foundation.storage.run import Run
from solvent.foundation.units import span
from solvent.games.betting.sizes import parse_betting
from solvent.play.agents import AgentLoader
from solvent.play.table_agent import TableAgent
from solvent.training.settings import EXTERNAL, PUBLIC, TrainingSettings
from solvent.training.train import train_to
from solvent_papers.kept import KeptRuns
from solvent_papers.parts import Found, Part, PartSetup, found_by
from solvent_papers.steps import Say, within
from solvent_papers.tartanian7.cluster.part import FLAT, flat_design

BETTINGS = {
    "three": "preset=fcpa; postflop=50%,100%,a | a",
    "four": "preset=fcpa; postflop=33%,75%,150%,a | a",
    "other": "preflop=2.5x,a | 100%,a; postflop=33%,75%,150%,a | a; cap=3; stack=200",
}
"""Betting trees of 2,352, 5,204 and 5,294 decisions, all of 200 big blinds."""


@dataclass(frozen=True)
class Scale:
    """How much is trained, played and measured."""

    agent_seconds: float
    opponent_seconds: float
    blocks: int
    """Blocks of a match, each with deals of its own: intervals are over blocks."""
    played: int
    """Pairs of deals of a match between different betting trees, whose hands are played."""
    averaged: int
    """Pairs of deals of a match on one betting tree, which is walked for each."""
    local_hands: int
    """Hands of each setting of local best response."""
    margin: float
    """mbb/hand: an opponent that surely loses less to the agent is taken for at least as strong."""


FULL = Scale(300.0, 1200.0, blocks=20, played=2_000_000, averaged=160_000, local_hands=12_000, margin=10.0)
SMALL = Scale(0.2, 0.4, blocks=4, played=400, averaged=40, local_hands=4, margin=1e6)


@dataclass(frozen=True)
class Setup(PartSetup):
    """`PartSetup` with `FLAT` cards beside the presets."""

    @property
    def amount(self) -> Scale:
        """How much is trained, played and measured."""
        return SMALL if self.small else FULL

    def design_of(self, cards: str) -> Design:
        """The design of a preset or of `FLAT` cards; at small scale tiny stands for all of them."""
        flat = cards == FLAT and not self.small
        return flat_design(PRESETS["small"]) if flat else super().design_of(cards)


class Player(NamedTuple):
    """An agent that is trained."""

    name: str
    what: str
    """What it is in a few words, for readers of the page."""
    cards: str
    betting: str
    sampling: str
    seed: int = 0

    @property
    def part(self) -> str:
        """The name of the part that trains it."""
        return f"train-{self.name}"

    def settings(self) -> TrainingSettings:
        """How it is trained."""
        return TrainingSettings(betting=BETTINGS[self.betting], sampling=self.sampling, seed=self.seed)


AGENT = Player("agent", "the agent", "tiny", "three", PUBLIC)
OPPONENTS = (
    Player("larger-cards", "larger cards on the agent's tree", "small", "three", PUBLIC, seed=1),
    Player("rule-buckets", "buckets by rule, more bet sizes", RULES, "four", EXTERNAL, seed=2),
    Player("other-tree", "larger cards on another tree", "small", "other", PUBLIC, seed=3),
    Player("flat-cards", "buckets without public clusters, more bet sizes", FLAT, "four", EXTERNAL, seed=4),
)
"""Every second one has small cards, so that the halves of a choice differ in their cards."""


def train(player: Player, setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train a player, from where a training of this commit was stopped."""
    seconds = setup.amount.agent_seconds if player is AGENT else setup.amount.opponent_seconds
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


def training_part(player: Player) -> Part[Setup]:
    """The part that trains a player; the section of `strength` says how."""
    return Part(player.part, partial(train, player), lambda found: "", lambda found: {}, lambda found: [])


def trained(setup: Setup, player: Player) -> dict[str, Any]:
    """What the part that trains a player found."""
    return found_by(setup, player.part)


def load(setup: Setup, player: Player, post: str = "none") -> TableAgent:
    """A trained player with a post-processing."""
    return AgentLoader().load_table(f"{setup.work / trained(setup, player)['run']}@{post}")


def opponent_named(name: str) -> Player:
    """The opponent with this name."""
    return next(player for player in OPPONENTS if player.name == name)
