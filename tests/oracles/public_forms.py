"""Games in the public and the history form, and checks that iterations and evaluations agree on both."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from solvent.engines.history.response import evaluate
from solvent.engines.history.solver import HistorySolver
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import load_rule
from solvent.forms.history import GameTree
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.strategy import normalise

UPDATES = ["alternating", "simultaneous"]
SMALL = ["kuhn", "leduc", "leduc(distinct=true)"]
BLUFF = [f"bluff(dice={dice},faces={faces})" for dice, faces in ((1, 2), (1, 3), (1, 4), (2, 2))]
FLOP = "flop_holdem(suits=2,ranks=4)"
"""The smallest deck of two suits that can deal seven cards."""
LARGER_FLOP = "flop_holdem(suits=3,ranks=3)"
RANGED = [f"{name} with ranges" for name in ("kuhn", "leduc", FLOP)]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}

Tables = dict[str, NDArray[np.float64]]


class Unrolled(NamedTuple):
    """A game in both forms."""

    game: PublicGame
    tree: GameTree
    place: NDArray[np.int64]
    """The place of each cell of the tree in the public tables."""
    scale: float
    """The largest regret of one iteration: regrets of this size are moved by one, and their errors seen."""


def both(game: PublicGame) -> Unrolled:
    tree, place = unroll(game)
    solver = HistorySolver(tree, "cfr", plan="serial")
    solver.run(1)
    return Unrolled(game, tree, place, float(np.abs(solver.arena.table("regret")).max(initial=1e-3)))


@cache
def unrolled(name: str) -> Unrolled:
    """A game by name without isomorphism, "with ranges" if it says so; once per test process."""
    rules = load_game(name.removesuffix(" with ranges"))
    return both(public_game(rules, False, uneven_ranges(rules) if name.endswith("ranges") else None))


def uneven_ranges(rules: PublicRules) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Different weights for every hand of each player, and a hand that neither ever holds."""
    draw = np.random.default_rng(len(rules.hands()))
    first, second = draw.uniform(0.1, 1, (2, len(rules.hands())))
    first[0] = second[-1] = 0
    return first, second


def random_tables(size: int, scale: float, positive: bool = False, seed: int = 0) -> Tables:
    """Tables to start from, the same numbers in float32 as in float64."""
    draw = np.random.default_rng(seed)
    regret, last = draw.uniform(0.1, 1, (2, size)) if positive else draw.normal(size=(2, size))
    start = {"regret": scale * regret, "average": np.zeros(size), "last": scale * last}
    return {name: table.astype(np.float32).astype(np.float64) for name, table in start.items()}


def positive_start(rule: str) -> bool:
    """Whether regrets should start above zero: for rules that floor or predict.

    Regrets that are all exactly 0 mean uniform play; where one order of addition leaves 0 and another 1e-17,
    they play differently, and both are right.
    """
    declared = load_rule(rule)
    return declared.floors or declared.predictive


def after_history(both: Unrolled, rule: str, updates: str, start: Tables, iterations: int = 1) -> Tables:
    """The tables after iterations of the serial plan on the stored game tree, by cell."""
    solver = HistorySolver(both.tree, rule, updates, plan="serial", dtype="float64")
    for name, table in solver.arena.tables.items():
        table[:] = start[name][both.place]
    solver.restore({"iterations": 0, "nodes_touched": 0})
    solver.run(iterations)
    return {name: table.copy() for name, table in solver.arena.tables.items()}


def after_public(
    game: PublicGame, rule: str, updates: str, start: Tables, iterations: int = 1, **options: Any
) -> Tables:
    """The tables after iterations of a plan on the public form, in the order of the public tables."""
    solver = PublicSolver(game, rule, updates, **options)
    for name, table in solver.arena.tables.items():
        table[:] = start[name]
    solver.run(iterations)
    return {name: table.copy() for name, table in solver.arena.tables.items()}


def plans(game: PublicGame) -> list[dict[str, Any]]:
    """Every plan that takes the game, every evaluator where there is a choice, and arrays."""
    evaluators = ("swept", "gemm") if game.sorted_hands else ("auto",)
    found: list[dict[str, Any]] = [{"plan": "vectors", "evaluator": evaluator} for evaluator in evaluators]
    found += [{"plan": "vectors", "threads": 2}]
    if not game.isomorphism and not game.sorted_hands:
        found += [{"plan": "sequences"}] + [{"plan": "shapes"}] * (len(game.rounds) == 1)
    if not game.isomorphism and len(game.rounds) < 3:
        found += [{"plan": "serial"}, {"plan": "branched", "threads": 2}]
    return found


def assert_close(
    ours: Tables, theirs: Tables, relative: float, place: Any = slice(None), about: Any = ""
) -> None:
    """Equal relative to the largest entry of each table."""
    for name, table in theirs.items():
        error = np.abs(ours[name][place] - table).max(initial=0)
        largest = max(np.abs(table).max(initial=0), 1e-300)
        assert error <= relative * largest, f"{about} {name}: {error / largest:.1e}"


def assert_threads_change_nothing(found: dict[str, Tables]) -> None:
    """One thread and two give the same bits."""
    for one, two in (("vectors", "vectors 2"), ("serial", "branched 2")):
        if one in found:
            same = (found[one][name] == found[two][name] for name in found[one])
            assert all(map(np.all, same)), f"{one} and {two} differ"


def assert_invariant(both: Unrolled, rule: str, updates: str, seed: int = 0, dtype: str = "float64") -> None:
    """One iteration from random regrets: every plan and evaluator against the stored tree."""
    game, tree, place, scale = both
    start = random_tables(game.cells, scale, positive_start(rule), seed)
    expected = after_history(both, rule, updates, start)
    found: dict[str, Tables] = {}
    for options in plans(game):
        tables = after_public(game, rule, updates, start, dtype=dtype, **options)
        assert_close(tables, expected, TOLERANCE[dtype], place, (tree.name, options, dtype))
        named = f"{options.get('plan')} {options.get('threads', '')}".strip()
        found.setdefault(named, tables)
    assert_threads_change_nothing(found)


def assert_same_evaluation(solver: PublicSolver, tree: GameTree, place: NDArray[np.int64]) -> None:
    found = solver.evaluate()
    average = solver.arena.table("average")[place].astype(np.float64)
    expected = evaluate(tree, normalise(average, tree.infoset_cell))
    assert found.value == pytest.approx(expected.value, abs=1e-10)
    assert found.best_response == pytest.approx(expected.best_response, abs=1e-10)
    assert found.exploitability == pytest.approx(expected.exploitability, abs=1e-10)
    assert found.value[0] == -found.value[1]
    assert all(b >= v - 1e-12 for b, v in zip(found.best_response, found.value, strict=True))
