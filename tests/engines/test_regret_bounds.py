"""The bounds of CFR that the papers build on: regret at each infoset, and exploitability by regrets."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import compiled
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import Pruning
from solvent.forms.history import GameTree

GAMES = ["kuhn", "leduc"]
ITERATIONS = (1, 9, 90, 900)


def payoff_spread(tree: GameTree) -> float:
    """Delta: the largest payoff less the smallest."""
    payoffs = tree.payoff[:, tree.player < -1] if (tree.player < -1).any() else tree.payoff
    return float(payoffs.max() - payoffs.min())


@pytest.mark.parametrize("game", GAMES)
def test_regrets_stay_below_the_bound_of_cfr(game: str) -> None:
    """Regret matching keeps the largest positive regret of I below Delta sqrt(|A(I)|) sqrt(T)."""
    tree = compiled(game)
    spread = payoff_spread(tree)
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


@pytest.mark.parametrize("game", GAMES)
def test_regrets_of_each_player(game: str) -> None:
    """R_i is at most the sum of its infosets' regrets and the bound of CFR, and R / T the gain of best "
    "responses."""
    tree = compiled(game)
    solver = HistorySolver(tree, "cfr", "simultaneous", "serial", dtype="float64")
    won, spread = np.zeros(2), payoff_spread(tree)
    for _ in range(100):
        won += evaluate(tree, solver.current_strategy()).value
        solver.run(1)
        regret = solver.iterations * np.array(solver.evaluate().best_response) - won
        largest = np.maximum.reduceat(solver.arena.table("regret"), tree.infoset_cell[:-1])
        for player in (0, 1):
            mine = tree.infoset_player == player
            most = np.diff(tree.infoset_cell)[mine].max()
            of_infosets = np.maximum(largest[mine], 0).sum()
            assert 0 < regret[player] <= of_infosets + 1e-9
            assert of_infosets <= mine.sum() * spread * np.sqrt(most) * np.sqrt(solver.iterations)
        found = solver.evaluate()
        gains = np.array(found.best_response) - found.value
        assert gains.max() <= 2 * regret.max() / solver.iterations + 1e-12


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("game", GAMES)
def test_total_pruning_keeps_the_bound_of_cfr(game: str, updates: str, every: int) -> None:
    """Theorem 1 and Lemma 1 of Total RBP, by the paper's tests: sum of R+(I, a)^2 <= Delta^2 |A| T at every I."""
    tree = compiled(game)
    pruning = Pruning("total", average=0.0, gates="paper", every=every)
    solver = PrunedSolver(tree, "cfr", updates, pruning, "float64")
    spread, actions, pruned = payoff_spread(tree), np.diff(tree.infoset_cell), 0
    for _ in range(300):
        solver.run(1)
        pruned = max(pruned, solver.pruned_actions)
        squares = np.maximum(solver.saved_tables()["regret"], 0) ** 2
        potential = np.add.reduceat(squares, tree.infoset_cell[:-1])
        assert (potential <= spread**2 * actions * solver.iterations).all()
    assert pruned > 0
    bound = sum(
        (tree.infoset_player == player).sum() * np.sqrt(actions[tree.infoset_player == player].max())
        for player in (0, 1)
    )
    assert 2 * solver.evaluate().exploitability <= bound * spread / np.sqrt(solver.iterations)
