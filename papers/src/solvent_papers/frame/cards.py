"""The set-up of experiments with card abstractions, the training of their agents, and tables that are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from solvent.abstraction.cards.buckets import TABLES, CardAbstraction
from solvent.abstraction.cards.build import build
from solvent.abstraction.cards.presets import PRESETS, Design
from solvent.forms.betting.tree import BettingTree
from solvent.foundation.units import span
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.settings import TrainingSettings
from solvent.training.train import train_to
from solvent_papers.frame.experiment import Say, Setup, option
from solvent_papers.frame.machine import commit
from solvent_papers.frame.running import within

SMALL_BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"
"""Bets that stand for all others at small scale."""
FLAT = "flat"
"""The name of the counterpart of small cards without public clusters."""
EMD = "emd"
"""The name of cards with as many buckets as those by rule, made by the earth mover's distance."""


def flat_design(design: Design) -> Design:
    """Return cards of one cluster, with as many buckets on every street as `design` has in all its clusters."""
    made = {street: design.clusters * getattr(design, street) for street in ("flop", "turn", "river")}
    return replace(design, name=f"{design.name}-{FLAT}", clusters=1, **made)


def emd_design(rules: Design) -> Design:
    """Return clustered buckets in one public cluster, as many as cards by rule have."""
    return Design(
        f"{rules.name}-{EMD}", 1, rules.flop, rules.turn, rules.river, base=1, codes_per_strip=128,
        iterations=30, restarts=2,
    )  # fmt: skip


DESIGNS = {**PRESETS, FLAT: flat_design(PRESETS["small"]), EMD: emd_design(PRESETS["rules"])}


@dataclass(frozen=True)
class CardSetup(Setup):
    """A set-up with a folder of card abstractions, and with threads."""

    cards: Path = option(
        Path("abstractions"), "The folder of card abstractions; those that are missing are made."
    )
    threads: int = option(2, "Threads.", 1, 1024)

    def folder_of(self, cards: str, say: Say) -> Path:
        """Return the folder of the cards of this name, which are made if they are not there."""
        design = self.design_of(cards)
        folder = self.cards / design.name
        if not (folder / TABLES).is_dir():
            say(f"making the cards {design.name}, {design.label}")
            build(design, folder, self.threads)
        return folder

    def design_of(self, cards: str) -> Design:
        """Return the design of the cards of this name; at small scale tiny stands for all of them."""
        return DESIGNS["tiny" if self.small else cards]

    def load(self, cards: str, say: Say) -> CardAbstraction:
        """Load the cards of this name."""
        return _opened(self.folder_of(cards, say))

    def train(
        self, name: str, cards: str, settings: TrainingSettings, seconds: float, say: Say
    ) -> tuple[str, int]:
        """Train an agent, from where a training of this commit was stopped.

        Returns the place of its run in the work folder, and its iterations.
        """
        place = Path("agents") / commit() / name  # those of another version of the code are not trained on
        folder, watch = self.folder_of(cards, say), within(say, f"training {span(seconds)}")
        return str(place), train_to(self.work / place, folder, settings, seconds, self.threads, watch)


def save_table(path: Path, blueprint: Blueprint) -> None:
    """Keep a blueprint's table and iterations in a file, which is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    with half.open("wb") as file:
        np.savez(file, table=blueprint.table, iterations=blueprint.iterations)
    half.rename(path)


def load_table(path: Path, tree: BettingTree, cards: CardAbstraction) -> Blueprint:
    """Return a blueprint that was kept."""
    with np.load(path) as found:
        return Blueprint(tree, cards, found["table"], int(found["iterations"]))


@cache
def _opened(folder: Path) -> CardAbstraction:
    """Load the cards of a folder, checked once."""
    return CardAbstraction.load(folder)
