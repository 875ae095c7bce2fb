"""Local updates of one's own: hedge, and a predictive update, on Leduc.

    python examples/local_update.py
    solvent solve leduc --rule "examples/local_update.py:Hedge(rate=20)"

A local update says what an infoset plays next, in plain NumPy. Arrays are float64[infosets, actions].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import solvent

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hedge(solvent.LocalUpdate):
    """Multiplicative weights: actions by the exponential of their regret, at a rate that falls with sqrt(t)."""

    rate: float = 30.0

    state = ("regret",)

    def next_strategy(self, t: int, values: Floats, strategy: Floats, state: dict[str, Floats]) -> Floats:
        state["regret"] += solvent.instantaneous_regret(values, strategy)
        exponent = self.rate * state["regret"] / t**0.5
        weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True)
class Predictive(solvent.LocalUpdate):
    """Regret matching+ that expects the last regret to come again (Farina, Kroer and Sandholm 2021)."""

    state = ("regret",)

    def next_strategy(self, t: int, values: Floats, strategy: Floats, state: dict[str, Floats]) -> Floats:
        now = solvent.instantaneous_regret(values, strategy)
        state["regret"] = np.maximum(state["regret"] + now, 0.0)
        return solvent.match_regrets(state["regret"] + now)

    def average(self, t: float) -> float:
        return t * t


def main(game: str = "leduc", iterations: int = 300) -> dict[str, float]:
    rules = (Hedge(), Predictive())
    found = {
        str(rule): solvent.solve(game, rule=rule, iterations=iterations).exploitability for rule in rules
    }
    for rule, exploitability in found.items():
        print(f"{rule}: exploitability {exploitability:.4f} chips after {iterations} iterations")
    return found


if __name__ == "__main__":
    main()
