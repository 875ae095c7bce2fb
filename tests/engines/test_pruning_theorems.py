"""What total pruning promises (Brown and Sandholm, Theorems 2 and 3), on games whose equilibria are known."""

from __future__ import annotations

from oracles.random_games import Fixed, Node, end
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.pruning import Pruning
from solvent.forms.history import compile_tree

LOSS, BLUNDER = 1.0, 10.0


def pennies(name: str, loss: float) -> Node:
    """Player 0 hides one of two pennies, player 1 guesses, player 0 may then pay a chip for nothing."""

    def guess(hidden: int) -> Node:
        won = [(2.0 if hidden else 1.0) - loss, -1.0 - loss]
        after = [
            Node(0, [end(pay, -pay), end(pay - 1, 1 - pay)], infoset=f"{name}-pay{hidden}{guessed}")
            for guessed, pay in enumerate(won[::-1] if hidden else won)
        ]
        return Node(1, after, infoset=f"{name}-guess")

    return Node(0, [guess(0), guess(1)], infoset=f"{name}-hide")


def solver_of(root: Node) -> PrunedSolver:
    pruning = Pruning("total", every=1, average=1.0, gates="paper")
    return PrunedSolver(compile_tree(Fixed(root)), "cfr", "simultaneous", pruning, "float64")


def good_or_bad() -> PrunedSolver:
    """The bad action leads to the same pennies for a chip less, unless player 1 blunders, which it does not."""
    bad = Node(1, [pennies("bad", LOSS), end(BLUNDER, -BLUNDER)], infoset="blunder")
    return solver_of(Node(0, [pennies("good", 0.0), bad], infoset="which"))


def test_a_bad_action_is_pruned_for_ever() -> None:
    """Theorem 2 and Corollary 1: what lies behind an action that no equilibrium plays takes no space in the end."""
    solver = good_or_bad()
    behind = 10  # cells of player 0 behind the bad action
    solver.run(1_000)
    for _ in range(90):
        solver.run(100)
        assert solver.stored_regrets <= 1 - behind / solver.cells
    assert solver.stored_averages <= 1 - behind / solver.cells
    assert solver.evaluate().exploitability < 0.05


def test_a_bad_action_is_walked_ever_more_seldom() -> None:
    """Theorem 3 and Lemma 2: over T iterations what lies behind it is walked O(ln T) times."""
    good = solver_of(Node(0, [pennies("good", 0.0), end(-9.0, 9.0)], infoset="which"))
    both = good_or_bad()
    spent = []
    for iterations in (100, 900, 9_000):
        good.run(iterations)
        both.run(iterations)
        spent.append(both.nodes_touched - good.nodes_touched)
    assert spent[2] - spent[1] < 2 * (spent[1] - spent[0])  # linear growth would make it ten times


def test_a_game_without_bad_actions_gains_nothing() -> None:
    """Rock, paper, scissors: every action is a best response to the equilibrium."""
    wins = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))
    rows = [Node(1, [end(won, -won) for won in row], infoset="second") for row in wins]
    solver = solver_of(Node(0, rows, infoset="first"))
    whole = 2 * solver.tree.histories
    for _ in range(20):
        solver.run(25)
        assert solver.stored_regrets == 1
        assert solver.nodes_touched == whole * solver.iterations
