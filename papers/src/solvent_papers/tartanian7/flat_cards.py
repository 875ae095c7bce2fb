"""Cards with as many buckets as others have in all their public clusters, in one cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace

from solvent.abstraction.cards.presets import PRESETS, Design
from solvent_papers.frame.cards import CardSetup

FLAT = "flat"
"""The name of the flat counterpart of small cards."""


@dataclass(frozen=True)
class FlatCardSetup(CardSetup):
    """A set-up with `FLAT` cards beside the presets."""

    def design_of(self, cards: str) -> Design:
        """Return the design of a preset or of `FLAT` cards; at small scale tiny stands for all of them."""
        return flat_design(PRESETS["small"]) if cards == FLAT and not self.small else super().design_of(cards)


def flat_design(design: Design) -> Design:
    """Return cards of one cluster, with as many buckets on every street as `design` has in all its clusters."""
    made = {street: design.clusters * getattr(design, street) for street in ("flop", "turn", "river")}
    return replace(design, name=f"{design.name}-{FLAT}", clusters=1, **made)
