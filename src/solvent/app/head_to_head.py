"""Two strategies of one game, side by side and against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.forms.history import compile_tree
from solvent.games.catalogue import load_game
from solvent.response.exploitability import evaluate, expected_value
from solvent.strategy.strategy import Strategy
from solvent.strategy.strategy import compare as differences


def head_to_head(a: Path, b: Path) -> dict[str, Any]:
    """How two runs' strategies differ, how exploitable each is, and what a wins against b over both seats."""
    first, second = Strategy.load(a), Strategy.load(b)
    found = differences(first, second)
    tree = compile_tree(load_game(first.game))
    seat0 = expected_value(tree, (first.probabilities, second.probabilities))[0]
    seat1 = expected_value(tree, (second.probabilities, first.probabilities))[1]
    return {
        "game": first.game,
        "a": {"source": str(a), "exploitability": evaluate(tree, first.probabilities).exploitability},
        "b": {"source": str(b), "exploitability": evaluate(tree, second.probabilities).exploitability},
        "a_wins": (seat0 + seat1) / 2,
        "unit": "chips a game",
        "mean_distance": found.mean,
        "largest_distance": found.largest,
        "largest_at": found.infoset,
        "largest_at_player": found.player,
    }
