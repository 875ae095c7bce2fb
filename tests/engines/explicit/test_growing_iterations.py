"""CFR on the explicit public tree gives the numbers of the other forms."""

from __future__ import annotations

import numpy as np
import pytest

from solvent.engines.explicit.growing.game import GrowingGame, check_rule
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET
from solvent.engines.explicit.response import evaluate_explicit
from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.forms.history import compile_tree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game


def by_infoset(tree, table):
    """A table by infoset label: {label: [numbers of its actions]}."""
    found = {}
    for node in range(tree.nodes):
        if tree.kind[node] == 0:
            board = tree.rules.board_label(tree.boards[tree.board[node]])
            for hand, held in enumerate(tree.hands):
                label = f"{tree.rules.hand_label(held)}|{board}|{tree.betting[node].history}"
                found[label] = table[tree.children(node), hand]
    return found


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr", "dcfr"])
def test_regrets_and_averages_equal_those_on_histories(rule, updates):
    iterations = 30
    game = load_game("leduc")
    history = HistorySolver(compile_tree(game), load_rule(rule), updates, "serial", 1, "float64")
    history.run(iterations)
    tree = explicit_tree(game)
    grown = GrowingGame(tree, load_rule(rule), updates)
    grown.run(iterations)
    assert grown.nodes_touched == 2 * iterations * tree.nodes * 3
    scale = {"cfr": 1.0, "lcfr": 1 / (iterations + 1), "dcfr": 1.0}[rule]
    for name, factor in ((REGRET, scale), (AVERAGE, 1.0)):
        mine = by_infoset(tree, grown.tables.rows(name))
        flat = history.arena.table(name)
        cell = history.tree.infoset_cell
        for number, label in enumerate(history.tree.infoset_label):
            theirs = flat[cell[number] : cell[number + 1]]
            np.testing.assert_allclose(factor * mine[label], theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc(distinct=true)", "continuous_leduc"])
def test_exploitability_equals_that_on_histories(name):
    game = load_game(name)
    tree, histories = explicit_tree(game), compile_tree(game)
    grown = GrowingGame(tree, load_rule("cfr"), "alternating")
    grown.run(20)
    found = evaluate_explicit(tree, grown.tables.flat(AVERAGE))
    probabilities = by_infoset(tree, grown.average_strategy())
    flat = np.concatenate([probabilities[label] for label in histories.infoset_label])
    expected = evaluate(histories, flat)
    assert found.exploitability == pytest.approx(expected.exploitability, abs=1e-12)
    assert found.value == pytest.approx(expected.value, abs=1e-12)


def test_rules_without_a_theorem_are_refused():
    with pytest.raises(InputError, match="cfr and lcfr"):
        check_rule(load_rule("cfr+"))
