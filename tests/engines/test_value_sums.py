"""Sums of v(I): every plan keeps them, as the definition has them, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.random_games import RandomGame
from oracles.random_public import RandomPublic
from oracles.trees import counterfactual_values
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import Pruning
from solvent.engines.public.solver import PublicSolver
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.games.bluff import Bluff
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.leduc import Leduc

RULES = ["cfr", "cfr+", "lcfr", "dcfr", "pcfr+"]
UPDATES = ["alternating", "simultaneous"]
HISTORY_PLANS = ["serial", "branched", "flattened", "sequence"]


def sums_by_definition(tree: GameTree, rule: str, updates: str, plan: str, iterations: int) -> np.ndarray:
    """sum_t w_t v^t(I) at each infoset's first cell, by plain recursion over the strategies that a plan plays.

    They are the plan's own strategies: where two actions are worth the same, plans may differ in which one they
    play, because they add the same numbers in different orders.
    """
    solver = HistorySolver(tree, rule, updates, plan, dtype="float64")
    sums = np.zeros(tree.cells)
    for t in range(1, iterations + 1):
        before = solver.current_strategy().copy()
        solver.run(1)
        after = solver.current_strategy()
        weights = solver.rule.weights(t)
        sums *= weights.keep
        for player in (0, 1):
            # With alternating updates player 1 meets the strategy that player 0 has just learnt.
            new = player == 1 and updates == "alternating"
            met = np.where(tree.cell_player == 0, after, before) if new else before
            value = counterfactual_values(tree, met, player)
            of_infoset = np.add.reduceat(before * value, tree.infoset_cell[:-1])
            mine = tree.infoset_player == player
            sums[tree.infoset_cell[:-1][mine]] += weights.average * of_infoset[mine]
    return sums


def near(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * (1 + np.abs(expected).max(initial=0)))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RULES), st.sampled_from(UPDATES), st.booleans())
@example(195808, "cfr", "alternating", False)  # Two actions of one infoset are worth the same.
def test_every_plan_on_histories_keeps_the_sums_of_the_definition(
    seed: int, rule: str, updates: str, zero_sum: bool
) -> None:
    tree = compile_tree(RandomGame(seed, depth=5, zero_sum=zero_sum))
    if not tree.cells:
        return
    for plan in HISTORY_PLANS:
        expected = sums_by_definition(tree, rule, updates, plan, 7)
        solver = HistorySolver(tree, rule, updates, plan, dtype="float64", value_sums=True)
        solver.run(3)
        solver.run(4)
        near(solver.arena.table("value"), expected)


PUBLIC = {
    "lanes": (Leduc(), {"plan": "aggregated"}),
    "vectors": (Leduc(), {"plan": "vectors"}),
    "swept": (FlopHoldem(suits=2, ranks=4, raises=1), {"plan": "vectors"}),
    "shapes": (Bluff(dice=2, faces=2), {"plan": "shapes"}),
    "walk": (Leduc(), {"plan": "serial"}),
    "arrays": (Leduc(), {"device": "numpy"}),
}


def check_public(game: PublicGame, options: dict[str, Any], rule: str, updates: str) -> None:
    """A solver on the public form has the sums that the definition gives on the unrolled game."""
    tree, place = unroll(game)
    reference = HistorySolver(tree, rule, updates, "serial", dtype="float64", value_sums=True)
    solver = PublicSolver(game, rule, updates, dtype="float64", value_sums=True, **options)
    for count in (2, 3):
        reference.run(count)
        solver.run(count)
    found = solver.arena.table("value")
    near(found[place], reference.arena.table("value"))
    others = np.ones(game.cells, dtype=bool)
    first = game.nodes.first_edge[game.edge_node] == np.arange(len(game.edge_node))
    others &= np.repeat(~first, game.block_sizes)
    assert not found[others].any()


@pytest.mark.parametrize("plan", PUBLIC)
def test_every_plan_on_the_public_form_keeps_the_sums_of_the_histories(plan: str) -> None:
    rules, options = PUBLIC[plan]
    game = public_game(rules, isomorphism=False)
    for rule, updates in (("cfr", "alternating"), ("lcfr", "simultaneous"), ("pcfr+", "alternating")):
        check_public(game, options, rule, updates)


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["lanes", "vectors", "walk", "arrays"])
def test_random_public_games_keep_the_sums_of_the_histories(plan: str) -> None:
    # Two actions of game 9 are worth the same, and the plans' rounding decides which of them is played.
    for seed in (*range(9), *range(10, 13)):
        game = public_game(RandomPublic(seed), isomorphism=False)
        check_public(game, PUBLIC[plan][1], RULES[seed % len(RULES)], UPDATES[seed % 2])


@pytest.mark.parametrize("rule", ["dcfr", "pcfr+"])
@pytest.mark.parametrize("plan", HISTORY_PLANS)
def test_keeping_sums_changes_nothing_else(plan: str, rule: str) -> None:
    tree = compiled("leduc(ranks=2,suits=2)")
    plain, summed = (HistorySolver(tree, rule, plan=plan, value_sums=kept) for kept in (False, True))
    plain.run(20)
    summed.run(20)
    assert "value" not in plain.saved_tables()
    for name, table in plain.saved_tables().items():
        np.testing.assert_array_equal(summed.saved_tables()[name], table)


def test_sums_go_on_from_a_checkpoint_and_with_partial_pruning() -> None:
    tree = compiled("leduc(ranks=2,suits=2)")

    def make() -> HistorySolver:
        return HistorySolver(tree, "lcfr", plan="serial", pruning=Pruning("partial"), value_sums=True)

    through, first, second = make(), make(), make()
    through.run(30)
    first.run(11)
    second.load_tables({name: table.copy() for name, table in first.saved_tables().items()})
    second.restore({"iterations": 11, "nodes_touched": 0})
    second.run(19)
    np.testing.assert_array_equal(second.arena.table("value"), through.arena.table("value"))
    near(through.arena.table("value"), sums_by_definition(tree, "lcfr", "alternating", "serial", 30))
    with pytest.raises(ValueError, match="value"):
        make().load_tables(HistorySolver(tree, "lcfr").saved_tables())
