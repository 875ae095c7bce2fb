"""What every part of the experiment with a cluster is given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from solvent.abstraction.cards.presets import PRESETS, Design
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent_papers.parts import PartSetup

FLAT = "flat"
"""The name of cards with as many buckets as small cards have in all their clusters, in one cluster."""


@dataclass(frozen=True)
class Setup(PartSetup):
    """`PartSetup` with the settings of Algorithm 4; its threads share a table or are as many worker processes."""

    batch: int = DEFAULT_BATCH
    """B, iterations of a turn of Algorithm 4."""
    ahead: int = DEFAULT_AHEAD
    """1: the head passes for the next turn while children work."""
    memory: int = 4 << 30
    """Bytes that a training of the largest cards may take."""
    in_process: bool = False
    """Whether children are in this process, as for tests."""

    @property
    def scale(self) -> dict[str, Any]:
        return super().scale | {"batch": self.batch, "ahead": self.ahead}

    def design_of(self, cards: str) -> Design:
        """The design of a preset or of `FLAT` cards; at small scale tiny stands for all of them."""
        return flat_design(PRESETS["small"]) if cards == FLAT and not self.small else super().design_of(cards)


def flat_design(design: Design) -> Design:
    """Return cards of one cluster, with as many buckets on every street as `design` has in all its clusters."""
    made = {street: design.clusters * getattr(design, street) for street in ("flop", "turn", "river")}
    return replace(design, name=f"{design.name}-{FLAT}", clusters=1, **made)
