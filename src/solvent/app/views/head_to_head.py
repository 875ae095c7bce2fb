"""Two strategies of one game, side by side and against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.response.measure import measure, value_against
from solvent.strategy.opening import open_strategy
from solvent.strategy.tables import compare as differences


def head_to_head(a: Path, b: Path) -> dict[str, Any]:
    """How two runs' strategies differ, how exploitable each is, and what a wins against b over both seats."""
    first, second = open_strategy(a), open_strategy(b)
    found = differences(first, second)
    # In a zero-sum game what a wins from the second seat is what b loses from the first.
    won = (value_against(first, second) - value_against(second, first)) / 2
    return {
        "game": first.game,
        "a": {"source": str(a), "exploitability": measure(first).exploitability},
        "b": {"source": str(b), "exploitability": measure(second).exploitability},
        "a_wins": won,
        "unit": "chips a game",
        "mean_distance": found.mean,
        "largest_distance": found.largest,
        "largest_at": found.infoset,
        "largest_at_player": found.player,
    }
