"""A solve on one thread gives the same tables, bit for bit, however it is cut into calls and resumed.

Several threads add up in an order that does not depend on their number: they too give the same tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

import solvent
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import Pruning
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import RegretRule, Weights
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.public.game import PublicGame, public_game
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules

ITERATIONS = 60
Made = Callable[..., HistorySolver | PublicSolver]


class Changing(RegretRule):
    """A rule whose prediction, and what it keeps of the average, change on the way."""

    predictive = True

    def weights(self, t: float) -> Weights:
        predicts = t % 4 >= 2
        return Weights(0.9, 0.5, average=t, prediction=0.5 * predicts, keep=0.75 if t % 5 == 0 else 1.0)


RULES: list[str | RegretRule] = ["cfr", "cfr+", "lcfr", "dcfr", "pcfr+", Changing()]


@cache
def tree(name: str) -> GameTree:
    return compile_tree(load_game(name))


@cache
def public(name: str) -> PublicGame:
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    return public_game(rules, False)


def on_histories(name: str, **options: object) -> Made:
    return lambda **more: HistorySolver(tree(name), **options, **more)


def on_public_form(name: str, **options: object) -> Made:
    return lambda **more: PublicSolver(public(name), **options, **more)


SOLVERS: dict[str, Made] = {
    "serial": on_histories("leduc", plan="serial"),
    "branched": on_histories("leduc", plan="branched", threads=2),
    "flattened": on_histories("leduc", plan="flattened"),
    "sequence": on_histories("leduc", plan="sequence"),
    "sequences": on_public_form("leduc", plan="sequences"),
    "vectors": on_public_form("leduc", plan="vectors"),
    "walked": on_public_form("leduc", plan="serial"),
    "walked on threads": on_public_form("kuhn", plan="branched", threads=2),
    "arrays": on_public_form("kuhn", device="numpy"),
    "shapes": on_public_form("bluff(dice=1,faces=3)", plan="shapes"),
}


def cut_run(make: Made, cuts: list[int], resume: bool) -> dict[str, np.ndarray]:
    """The tables after iterations in these pieces, each on a solver of its own if it resumes the one before."""
    solver = make()
    for piece in cuts:
        if resume:
            facts = {"iterations": solver.iterations, "nodes_touched": 0, "head_start": solver.head_start}
            saved = {name: table.copy() for name, table in solver.saved_tables().items()}
            solver = make()
            solver.load_tables(saved)
            solver.restore(facts)
        solver.run(piece)
        solver.evaluate()
    return solver.saved_tables()


def check_cuts(make: Made) -> None:
    whole = make()
    whole.run(ITERATIONS)
    for cuts, resume in (([7, 1, 0, 30, 22], False), ([13, 47], True), ([1] * 5 + [55], True)):
        assert sum(cuts) == ITERATIONS
        for name, table in cut_run(make, cuts, resume).items():
            assert np.array_equal(table, whole.saved_tables()[name]), (name, cuts, resume)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("plan", SOLVERS)
def test_cutting_a_run_changes_nothing(plan: str, rule: str | RegretRule, updates: str) -> None:
    check_cuts(partial(SOLVERS[plan], rule=rule, updates=updates, dtype="float64"))


@pytest.mark.slow  # compiles every kernel once more
@pytest.mark.parametrize("plan", SOLVERS)
def test_cutting_a_run_in_single_precision_changes_nothing(plan: str) -> None:
    for rule in ("dcfr", "pcfr+"):
        check_cuts(partial(SOLVERS[plan], rule=rule, dtype="float32"))


@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
def test_cutting_a_run_with_partial_pruning_changes_nothing(rule: str) -> None:
    check_cuts(partial(on_histories("leduc", pruning=Pruning("partial")), rule=rule))


def test_rules_that_change_their_prediction_mean_the_same_on_every_plan() -> None:
    def regrets(plan: str, updates: str) -> np.ndarray:
        solver = SOLVERS[plan](rule=Changing(), updates=updates)
        solver.run(20)
        return solver.saved_tables()["regret"]

    for updates in ("alternating", "simultaneous"):
        for plan in ("flattened", "sequence"):
            assert regrets(plan, updates) == pytest.approx(regrets("serial", updates), abs=1e-9)
        assert regrets("sequences", updates) == pytest.approx(regrets("walked", updates), abs=1e-9)
    assert regrets("vectors", "simultaneous") == pytest.approx(regrets("walked", "simultaneous"), abs=1e-9)


@pytest.mark.parametrize("checks", [7, 50])
def test_measuring_changes_nothing(checks: int) -> None:
    name = "leduc(ranks=5,suits=2,bets1=2,bets2=4,max_bets=2)"
    whole = solvent.solve(name, iterations=100, check_every=100)
    cut = solvent.solve(name, iterations=100, check_every=checks)
    assert cut.exploitability == whole.exploitability


@pytest.mark.parametrize("rule", ["dcfr", "pcfr+"])
def test_the_number_of_threads_changes_nothing(rule: str) -> None:
    makers = (
        on_histories("leduc", plan="branched"),
        on_public_form("leduc", plan="vectors"),
        on_public_form("leduc", plan="branched"),
    )
    for make in makers:
        found = []
        for threads in (1, 2, 3):
            solver = make(rule=rule, threads=threads)
            solver.run(20)
            found.append(solver.saved_tables())
        for other in found[1:]:
            assert all(np.array_equal(table, other[name]) for name, table in found[0].items())
