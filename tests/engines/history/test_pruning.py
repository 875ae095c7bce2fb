"""What must hold on the history form whatever is pruned: partial pruning, convergence, resuming and refusals."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.pruning import check_invariants
from oracles.random_games import Fixed, Node, RandomGame, end
from solvent.engines.history.pruned import kernels as pruned_kernels
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import Pruning
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.sequence import sequence_form
from solvent.foundation.errors import InputError
from solvent.games.game import CHANCE

UPDATES = ["alternating", "simultaneous"]
RULES = ["cfr", "cfr+", "lcfr"]
SMALL = "leduc(ranks=2,suits=2)"
BLUFF = "bluff(dice=1,faces=3)"
EXACT = [("cfr", "alternating"), ("cfr", "simultaneous"), ("lcfr", "simultaneous")]
"""Where a player's regrets and what he has seen of the other's play weigh iterations alike."""


def forgetful_tree(seed: int) -> GameTree | None:
    """A random game in which somebody forgets, if this seed makes one."""
    try:
        tree = compile_tree(RandomGame(seed, forgetful=True))
    except InputError:
        return None
    return None if sequence_form(tree).perfect_recall else tree


# Partial pruning changes nothing


def check_partial(tree: GameTree, rule: str, updates: str, iterations: int) -> None:
    plain = HistorySolver(tree, rule, updates, "serial", dtype="float64")
    partial = HistorySolver(tree, rule, updates, "serial", dtype="float64", pruning=Pruning("partial"))
    for count in (1, 2, iterations - 3):
        plain.run(count)
        partial.run(count)
        for name in ("regret", "average"):
            assert np.array_equal(plain.arena.table(name), partial.arena.table(name))
        assert np.array_equal(plain.current_strategy(), partial.current_strategy())
    assert partial.nodes_touched <= plain.nodes_touched


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("game", ["kuhn", "leduc", BLUFF])
def test_partial_pruning_changes_no_number(game: str, rule: str, updates: str) -> None:
    check_partial(compiled(game), rule, updates, 120)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RULES), st.sampled_from(UPDATES), st.booleans())
def test_partial_pruning_changes_no_number_of_random_games(
    seed: int, rule: str, updates: str, zero_sum: bool
) -> None:
    check_partial(compile_tree(RandomGame(seed, depth=6, zero_sum=zero_sum)), rule, updates, 40)


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
def test_partial_pruning_changes_no_number_where_players_forget(rule: str, updates: str) -> None:
    trees = [tree for tree in map(forgetful_tree, range(60)) if tree is not None]
    assert len(trees) >= 5
    for tree in trees[:15]:
        check_partial(tree, rule, updates, 40)


def test_partial_pruning_leaves_something_out() -> None:
    plain, partial = (
        HistorySolver(compiled("leduc"), "cfr", plan="serial", dtype="float64", pruning=pruning)
        for pruning in (Pruning(), Pruning("partial"))
    )
    plain.run(300)
    partial.run(300)
    assert partial.nodes_touched < 0.9 * plain.nodes_touched


# Convergence


@cache
def exploitability(tree: GameTree, rule: str, updates: str, iterations: int) -> float:
    plain = HistorySolver(tree, rule, updates, "serial", dtype="float64")
    plain.run(iterations)
    return plain.evaluate().exploitability


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("game", ["kuhn", "leduc", SMALL, BLUFF])
def test_all_modes_converge(game: str, rule: str, updates: str) -> None:
    """CFR+ and LCFR lose some of their lead when actions return late: they stay ahead of CFR."""
    tree = compiled(game)
    plain = exploitability(tree, rule, updates, 400)
    if rule != "cfr":
        plain = max(plain, exploitability(tree, "cfr", updates, 400) / 1.3)
    for mode in ("interval", "total"):
        solver = PrunedSolver(tree, rule, updates, Pruning(mode), "float64")
        solver.run(400)
        assert solver.evaluate().exploitability <= max(1.3 * plain, 0.004)
        check_invariants(solver)


@pytest.mark.parametrize("updates", UPDATES)
def test_pruned_leduc_is_as_good_as_unpruned(updates: str) -> None:
    tree = compiled("leduc")
    plain = HistorySolver(tree, "cfr", updates, "serial", dtype="float64")
    solvers = [PrunedSolver(tree, "cfr", updates, mode, "float64") for mode in ("interval", "total")]
    for count in (400, 1600):
        plain.run(count)
        for solver in solvers:
            solver.run(count)
            assert solver.evaluate().exploitability <= 1.10 * plain.evaluate().exploitability
            assert solver.nodes_touched < plain.nodes_touched
            assert solver.nodes_touched <= plain.nodes_touched + solver.response_nodes


def test_leduc_with_distinct_cards_converges() -> None:
    tree = compiled("leduc(distinct=true)")
    for mode in ("interval", "total"):
        solver = PrunedSolver(tree, "cfr", pruning=mode, dtype="float64")
        solver.run(400)
        assert solver.evaluate().exploitability <= 1.10 * exploitability(tree, "cfr", "alternating", 400)
        check_invariants(solver)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", UPDATES)
def test_random_games_converge(rule: str, updates: str) -> None:
    """CFR+ brings actions back at once, which is what pruning leaves out: it is held to less."""
    for seed in range(7):
        tree = compile_tree(RandomGame(seed, depth=6))
        plain = max(exploitability(tree, kind, updates, 300) for kind in ("cfr", rule))
        for mode in ("interval", "total"):
            solver = PrunedSolver(tree, rule, updates, Pruning(mode, every=1 + seed % 5), "float64")
            solver.run(300)
            allowed = 2.5 if rule == "cfr+" else 1.3
            assert solver.evaluate().exploitability <= allowed * max(plain, 0.02)
            check_invariants(solver)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["interval", "total"])
@pytest.mark.parametrize("options", [{"after": "uniform"}, {"average": 0.1}])
def test_every_option_converges(rule: str, mode: str, options: dict) -> None:
    tree = compiled("leduc")
    solver = PrunedSolver(tree, rule, pruning=Pruning(mode, **options), dtype="float64")
    solver.run(400)
    plain = exploitability(tree, rule, "alternating", 400)
    if rule != "cfr":
        plain = max(plain, exploitability(tree, "cfr", "alternating", 400) / 1.3)
    assert solver.evaluate().exploitability <= 1.3 * plain
    check_invariants(solver)


@pytest.mark.slow
def test_single_precision_converges() -> None:
    solver = PrunedSolver(compiled("leduc"), "cfr", pruning="total", dtype="float32")
    solver.run(300)
    assert solver.regrets.table("regret").dtype == np.float32
    assert solver.evaluate().exploitability < 0.05
    check_invariants(solver)


# What holds after every iteration


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_what_holds_after_every_iteration(rule: str, updates: str, mode: str) -> None:
    pruning = Pruning(mode, average=0.1, every=2, least=1.0)
    solver = PrunedSolver(compiled(SMALL), rule, updates, pruning, "float64")
    most = 0
    for count in (1, 1, 1, 1, 2, 3, 1, 1, 5, 1, 1, 7, 1, 20):
        solver.run(count)
        check_invariants(solver)
        most = max(most, solver.pruned_actions)
    assert most > 0


@pytest.mark.parametrize("mode", ["interval", "total"])
def test_runs_may_be_cut_in_two(mode: str) -> None:
    whole, parts = (PrunedSolver(compiled("leduc"), "cfr", pruning=mode, dtype="float64") for _ in range(2))
    whole.run(120)
    for count in (1, 49, 70):
        parts.run(count)
    assert np.array_equal(whole.average_strategy(), parts.average_strategy())
    assert whole.nodes_touched == parts.nodes_touched
    assert np.array_equal(whole.pruned, parts.pruned)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_a_run_goes_on_from_its_saved_tables(rule: str, mode: str) -> None:
    whole, first, second = (
        PrunedSolver(compiled(SMALL), rule, pruning=mode, dtype="float64") for _ in range(3)
    )
    whole.run(95)
    first.run(55)
    second.load_tables({name: table.copy() for name, table in first.saved_tables().items()})
    names = ("iterations", "response_nodes", "nodes_touched", "peak_stored")
    second.restore({name: getattr(first, name) for name in names})
    check_invariants(second)
    second.run(40)
    assert np.array_equal(whole.average_strategy(), second.average_strategy())
    assert np.array_equal(whole.pruned, second.pruned)
    assert whole.nodes_touched == second.nodes_touched
    assert whole.peak_stored == second.peak_stored


def test_total_pruning_stores_less_and_its_memory_falls() -> None:
    solver = PrunedSolver(compiled("leduc"), "cfr", "simultaneous", Pruning("total", average=0.1), "float64")
    before = solver.table_bytes
    solver.run(1000)
    assert solver.stored_regrets < 0.8
    assert solver.table_bytes < before


def test_before_anything_is_pruned_all_is_as_without() -> None:
    tree = compiled("leduc")
    for mode in ("interval", "total"):
        for updates in UPDATES:
            plain = HistorySolver(tree, "cfr", updates, "serial", dtype="float64")
            pruned = PrunedSolver(tree, "cfr", updates, Pruning(mode, every=1000), "float64")
            plain.run(60)
            pruned.run(60)
            assert pruned.pruned_actions == 0
            for name in ("regret", "average"):
                expected = plain.arena.table(name)
                np.testing.assert_allclose(pruned.saved_tables()[name], expected, rtol=0, atol=1e-9)


def one_player(player: int) -> Node:
    """Chance, then a decision, then the same player again; the other one never acts."""
    below = Node(player, [end(1, 2), end(4, -1)], infoset="below")
    branches = [Node(player, [below, end(0, 3), end(-2, 5)], infoset=f"top{k}") for k in range(2)]
    branches[1].children[0] = end(7, -7)
    return Node(CHANCE, branches, [0.5, 0.5])


@pytest.mark.parametrize(
    "root",
    [
        pytest.param(one_player(0), id="only player 0"),
        pytest.param(one_player(1), id="only player 1"),
        pytest.param(Node(CHANCE, [end(3, 1), end(-1, 2)], [0.25, 0.75]), id="only chance"),
        pytest.param(end(3, -3), id="one history"),
    ],
)
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_games_with_hardly_anything_in_them(mode: str, root: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    # In Python, as a compiled walk beyond its arrays would end the process.
    monkeypatch.setattr(pruned_kernels, "walk_live", pruned_kernels.walk_live.py_func)
    tree = compile_tree(Fixed(root))
    solver = PrunedSolver(tree, "cfr", pruning=Pruning(mode, every=1, gates="paper"), dtype="float64")
    solver.run(20)
    assert solver.evaluate().exploitability < 0.2


def test_interval_pruning_with_cfr_plus_does_not_grow_rare() -> None:
    """`least` is in iterations, whatever the average weighs."""
    solver = PrunedSolver(compiled("leduc"), "cfr+", pruning="interval", dtype="float64")
    spent = []
    for count in (100, 300, 300, 300):
        before = solver.nodes_touched
        solver.run(count)
        spent.append((solver.nodes_touched - before) / count)
    assert spent[-1] < spent[1]


# Near best responses


def test_regrets_of_cfr_plus_go_below_zero_with_interval_pruning_alone() -> None:
    """With interval pruning one that rises from below zero jumps to zero at least; total pruning has the floor."""
    tree = compiled("leduc")
    interval, total = (
        PrunedSolver(tree, "cfr+", "alternating", Pruning(mode, gates="paper", every=7), "float64")
        for mode in ("interval", "total")
    )
    layout, first = interval._layout, np.zeros(tree.cells, dtype=bool)
    for forest in layout.forests:  # infosets with no own action before them, which are never skipped
        for k in np.flatnonzero(np.asarray(forest.before) < 0):
            first[layout.cell_of[forest.first[k] : forest.first[k + 1]]] = True
    before, watched, jumped = np.zeros(tree.cells), first, 0
    for _ in range(60):
        interval.run(1)
        total.run(1)
        regret, free = interval.saved_tables()["regret"], first.copy()
        free[layout.cell_of] &= interval.pruned == 0
        rose = (before < 0) & (regret > before) & watched & free
        assert (regret[rose] >= 0).all()
        jumped += int(rose.sum())
        before, watched = regret, free
        assert (total.saved_tables()["regret"] >= 0).all()
    assert before.min() < 0
    assert jumped > 0


# Refusals


@pytest.mark.parametrize("mode", ["partial", "interval", "total"])
@pytest.mark.parametrize("rule", ["dcfr", "pcfr+", "dcfr(1,1,1)"])
def test_other_rules_are_refused(mode: str, rule: str) -> None:
    solver = HistorySolver if mode == "partial" else PrunedSolver
    with pytest.raises(InputError, match="cannot be pruned"):
        solver(compiled("kuhn"), rule, pruning=Pruning(mode))


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "all"},
        {"average": -0.1},
        {"average": math.nan},
        {"average": math.inf},
        {"average": True},
        {"every": 0},
        {"every": 2.5},
        {"every": True},
        {"after": "never"},
        pytest.param({"least": -1.0}),
        pytest.param({"least": math.nan}),
        pytest.param({"settled": math.nan}),
        pytest.param({"settled": -0.5}),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(options: dict) -> None:
    with pytest.raises(InputError):
        Pruning(**{"mode": "total", **options})


@pytest.mark.parametrize("mode", ["none", "partial"])
def test_what_skips_nothing_is_not_for_the_pruned_solver(mode: str) -> None:
    with pytest.raises(InputError):
        PrunedSolver(compiled("kuhn"), "cfr", pruning=mode)


@pytest.mark.parametrize("mode", ["interval", "total"])
def test_players_who_forget_are_refused(mode: str) -> None:
    tree = next(tree for tree in map(forgetful_tree, range(100)) if tree is not None)
    with pytest.raises(InputError, match="forget"):
        PrunedSolver(tree, "cfr", pruning=mode)


@pytest.mark.parametrize("plan", ["flattened", "sequence", "branched"])
def test_plans_without_a_walk_to_cut_short_are_refused(plan: str) -> None:
    with pytest.raises(InputError, match="plan"):
        HistorySolver(compiled("kuhn"), "cfr", plan=plan, pruning=Pruning("partial"))
