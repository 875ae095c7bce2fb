"""The set-up of experiments that need card abstractions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solvent.abstraction.cards.buckets import TABLES, CardAbstraction
from solvent.abstraction.cards.build import build
from solvent.abstraction.cards.presets import PRESETS, Design
from solvent_papers.frame.experiment import Say, Setup, option

SMALL_BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"
"""Bets that stand for all others at small scale."""


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
        """Return the design of a preset; at small scale tiny stands for all of them."""
        return PRESETS["tiny" if self.small else cards]

    def load(self, cards: str, say: Say) -> CardAbstraction:
        """Load the cards of this name."""
        return _opened(self.folder_of(cards, say))


@cache
def _opened(folder: Path) -> CardAbstraction:
    """Load the cards of a folder, checked once."""
    return CardAbstraction.load(folder)
