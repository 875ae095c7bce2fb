"""Measurements of a solved game: the best response and the local best response, both exactly.

Abstractions of games with continuous bet sizes are measured in the continuous game as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.engines.explicit.continuous.measure import has_continuous_sizes, measure_continuous
from solvent.evaluate.local_response_public import local_response
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.files import can_write_in
from solvent.solving.measure import measure
from solvent.strategy.opening import open_solved
from solvent.strategy.solved.tables import TableStrategy

LOCAL = (("fc", False), ("all bets", True))
"""Actions of the local best response: fold and call alone, or everything."""


class SolvedGame:
    """The newest strategy of a solved game, to be measured (`evaluation.Measured`)."""

    def __init__(self, folder: Path, own_code: bool = False) -> None:
        self.folder = folder if can_write_in(folder) else None
        self.strategy = open_solved(folder, own_code=own_code)
        self.parts: tuple[str, ...] = ("best_response", "local_best_response")
        if has_continuous_sizes(self.strategy):
            self.parts += ("continuous",)
        self.usual = self.parts
        self.facts = {
            "run": str(folder),
            "game": self.strategy.game,
            "unit": "chips a game",
            "iterations": self.strategy.facts.get("iterations"),
        }

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure a part and put it into `found`. Each is one computation that is not stopped half-way."""
        watch(Progress(part, 0, 1))
        if part == "best_response":
            exact = measure(self.strategy)
            found["exploitability"] = exact.exploitability
            found["value"], found["best_response"] = list(exact.value), list(exact.best_response)
            return True
        if part == "continuous":
            found["continuous"] = _continuous(self.strategy)
            return True
        try:
            found["local_best_response"] = {
                name: list(local_response(self.strategy, bets=bets)) for name, bets in LOCAL
            }
        except InputError as error:  # a game without folds, checks, calls and bets
            found["local_best_response"], found["no_local_best_response"] = None, str(error)
        return True


def _continuous(strategy: TableStrategy) -> dict[str, Any]:
    """Value best responses with any bet size as either player, and the gap between the bounds of true values."""
    exact = measure_continuous(strategy)
    return {
        "uninformed": [(low + high) / 2 for low, high in exact.uninformed.best_response],
        "informed": list(exact.informed.best_response),
        "gap": max(high - low for low, high in exact.uninformed.best_response),
    }
