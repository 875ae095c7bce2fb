"""Strategies as notebooks show them: what made them, and their first infosets."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from solvent.foundation.html import table_html

if TYPE_CHECKING:
    from solvent.strategy.strategy import Strategy

SHOWN = 12
"""Infosets that a notebook lists."""


def strategy_html(strategy: Strategy) -> str:
    """A strategy's first infosets as an HTML table."""
    rows = [
        (
            str(row.player),
            row.infoset,
            ", ".join(f"{name} {part:.3f}" for name, part in row.probabilities.items()),
        )
        for row in islice(strategy.rows(), SHOWN)
    ]
    made = ", ".join(f"{strategy.facts[key]}" for key in ("rule", "updates") if strategy.facts.get(key))
    title = f"{strategy.game}{f' ({made})' if made else ''}"
    note = f"{len(rows):,} of {len(strategy):,} infosets"
    return table_html(title, ("player", "infoset", "probabilities"), rows, note)
