"""What a part of the experiment is: it runs, keeps what it found as JSON, and has a section of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from solvent.abstraction.cards.buckets import TABLES, CardAbstraction
from solvent.abstraction.cards.build import build
from solvent.abstraction.cards.presets import PRESETS, Design
from solvent.experiments.kept import KeptRuns
from solvent.experiments.page import Bar
from solvent.experiments.steps import Say
from solvent.solvers.training_settings import DEFAULT_AHEAD, DEFAULT_BATCH

Found = dict[str, Any]
"""What a part found, ready for JSON."""
FLAT = "flat"
"""The name of cards with as many buckets as small cards have in all their clusters, in one cluster."""


@dataclass(frozen=True)
class Setup:
    """What every part is given."""

    cards: Path
    """The folder of card abstractions; those that are missing are made."""
    work: Path
    """The folder in which agents are kept, and what parts found."""
    small: bool
    """Seconds instead of minutes, on tiny cards, to see that it works."""
    threads: int = 2
    """Cores to use: threads on a shared table, or children in worker processes."""
    batch: int = DEFAULT_BATCH
    """B, iterations of a turn of Algorithm 4."""
    ahead: int = DEFAULT_AHEAD
    """1: the head passes for the next turn while children work."""
    memory: int = 4 << 30
    """Bytes that a training of the largest cards may take."""
    in_process: bool = False
    """Whether children are in this process, as for tests."""

    def folder_of(self, cards: str, say: Say) -> Path:
        """The folder of the cards of this name, which are made if they are not there."""
        design = self.design_of(cards)
        folder = self.cards / design.name
        if not (folder / TABLES).is_dir():
            say(f"making the cards {design.name}, {design.label}")
            build(design, folder, self.threads)
        return folder

    def design_of(self, cards: str) -> Design:
        """The design of a preset or of `FLAT` cards; at small scale tiny stands for all of them."""
        if self.small:
            return PRESETS["tiny"]
        return flat_design(PRESETS["small"]) if cards == FLAT else PRESETS[cards]

    def load(self, cards: str, say: Say) -> CardAbstraction:
        """The cards of this name."""
        return _opened(self.folder_of(cards, say))


@cache
def _opened(folder: Path) -> CardAbstraction:
    """The cards of a folder, checked once."""
    return CardAbstraction.load(folder)


def flat_design(design: Design) -> Design:
    """Return cards of one cluster, with as many buckets on every street as `design` has in all its clusters."""
    made = {street: design.clusters * getattr(design, street) for street in ("flop", "turn", "river")}
    return replace(design, name=f"{design.name}-{FLAT}", clusters=1, **made)


class Part(NamedTuple):
    """A part of the experiment."""

    name: str
    run: Callable[[Setup, KeptRuns, Say], Found]
    """Measure. `KeptRuns` has what the part found before it was stopped; every measurement is added to it."""
    section: Callable[[Found], str]
    """The part's section of the page, from its heading of second level on."""
    figures: Callable[[Found], Mapping[str, float]]
    """The part's figures for the ledger, by names that begin with the part's name."""
    bars: Callable[[Found], list[Bar]]
    """What we had asked of the part before it was measured."""


def once(kept: KeptRuns, setting: Mapping[str, Any], measure: Callable[[], Any]) -> Any:
    """What a setting gave before the part was stopped, or what it gives now, which is kept."""
    found = kept.find(setting)
    if found is None:
        found = measure()
        kept.add(setting, found)
    return found
