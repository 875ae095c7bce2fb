"""The bounds of CFR that the papers build on: regret at each infoset, and exploitability by regrets."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import compiled
from solvent.solvers.history.solver import HistorySolver

GAMES = ["kuhn", "leduc"]
ITERATIONS = (1, 9, 90, 900)


@pytest.mark.parametrize("game", GAMES)
def test_regrets_stay_below_the_bound_of_cfr(game: str) -> None:
    """Regret matching keeps the largest positive regret of I below Delta sqrt(|A(I)|) sqrt(T)."""
    tree = compiled(game)
    payoffs = tree.payoff[:, tree.player < -1] if (tree.player < -1).any() else tree.payoff
    spread = float(payoffs.max() - payoffs.min())
    solver = HistorySolver(tree, "cfr", "simultaneous", "serial", dtype="float64")
    for count in ITERATIONS:
        solver.run(count)
        largest = np.maximum.reduceat(solver.arena.table("regret"), tree.infoset_cell[:-1])
        bound = spread * np.sqrt(np.diff(tree.infoset_cell)) * np.sqrt(solver.iterations)
        assert (largest <= bound).all()
        assert (largest > 0).any()


@pytest.mark.parametrize("game", GAMES)
def test_exploitability_is_below_the_sum_of_regrets(game: str) -> None:
    """A player's regret is at most the sum over infosets of positive regrets, and NashConv the sum over players."""
    tree = compiled(game)
    solver = HistorySolver(tree, "cfr", "simultaneous", "serial", dtype="float64")
    for count in ITERATIONS:
        solver.run(count)
        regrets = np.maximum.reduceat(solver.arena.table("regret"), tree.infoset_cell[:-1])
        bound = np.maximum(regrets, 0).sum() / solver.iterations
        assert 2 * solver.evaluate().exploitability <= bound
