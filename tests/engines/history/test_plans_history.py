"""The flattened and the sequence plan against the serial one: the same numbers, by Corollary 1 of the paper."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.random_games import Fixed, Node, RandomGame, end
from solvent.engines.history import sequence_kernels
from solvent.engines.history.flattened import Flattened, flattened_bytes
from solvent.engines.history.sequence_kernels import Half
from solvent.engines.history.sequence_plan import LANES, SequencePlan, batch_payoffs, depths, lay_out
from solvent.engines.history.solver import HistorySolver
from solvent.engines.rules import RULES, RegretRule, Weights
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.sequence import sequence_form
from solvent.foundation.errors import InputError
from solvent.games.game import CHANCE

PLANS = ["flattened", "sequence"]
UPDATES = ["alternating", "simultaneous"]
ALL_RULES = [*RULES, "dcfr(2,0.5,3)", "dcfr(1.5,-inf,2)"]
GAMES = ["kuhn", "leduc", "bluff(dice=1,faces=3)"]


def one_history() -> GameTree:
    return compile_tree(Fixed(end(3, -3)))


def only_chance() -> GameTree:
    return compile_tree(Fixed(Node(CHANCE, [end(3, 1), end(-1, 2)], [0.25, 0.75])))


def one_player(player: int) -> GameTree:
    """Chance, then a decision, then the same player again; the other one never acts."""
    below = Node(player, [end(1, 2), end(4, -1)], infoset="below")
    branches = [Node(player, [below, end(0, 3), end(-2, 5)], infoset=f"top{k}") for k in range(2)]
    branches[1].children[0] = end(7, -7)
    return compile_tree(Fixed(Node(CHANCE, branches, [0.5, 0.5])))


def forgetful_tree(seed: int) -> GameTree | None:
    """A random game in which somebody forgets, if this seed makes one."""
    try:
        tree = compile_tree(RandomGame(seed, forgetful=True))
    except InputError:
        return None
    return None if sequence_form(tree).perfect_recall else tree


def solvers(
    tree: GameTree,
    plan: str,
    rule: str | RegretRule = "cfr",
    updates: str = "alternating",
    dtype: str = "float64",
) -> tuple[HistorySolver, HistorySolver]:
    """A solver with the serial plan and one with another."""
    serial, other = (HistorySolver(tree, rule, updates, "serial", dtype=dtype) for _ in range(2))
    other.plan = (
        Flattened(tree, other._rows, other._sides)
        if plan == "flattened"
        else SequencePlan(sequence_form(tree), tree.name)
    )
    return serial, other


def scramble(pair: tuple[HistorySolver, HistorySolver], seed: int) -> None:
    """The same random numbers into all tables of both."""
    for solver in pair:
        draw = np.random.default_rng(seed)
        for name in solver.arena.names:
            table = solver.arena.table(name)
            table[:] = draw.normal(size=len(table)) if name != "average" else draw.random(len(table))
        solver._match()


def distance(pair: tuple[HistorySolver, HistorySolver]) -> float:
    """The largest difference in any table or strategy, relative to the largest entry.

    Strategies are not asked where rounding alone makes them: where all that is positive is its residue, which
    happens to a rule that floors and predicts when actions have equal values.
    """
    serial, other = pair
    sure = ~(_residue(serial) | _residue(other))
    tables = [(other.arena.table(name), serial.arena.table(name)) for name in serial.arena.names]
    tables.append((other.current_strategy()[sure], serial.current_strategy()[sure]))
    for solver in pair:
        theirs = 1 - solver.tree.cell_player
        assert (solver.current_strategy() == solver._play.forward[theirs, np.arange(len(theirs))]).all()
    return max(np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-300) for a, b in tables)


def _residue(solver: HistorySolver) -> np.ndarray:
    """The cells of infosets in which some regret is positive, but none by more than rounding."""
    tree, regret = solver.tree, solver.arena.table("regret")
    largest = np.maximum(regret + (solver.arena.table("last") if solver.rule.predictive else 0), 0)
    if tree.cells:
        largest = np.repeat(np.maximum.reduceat(largest, tree.infoset_cell[:-1]), np.diff(tree.infoset_cell))
    return (largest > 0) & (largest < 1e-12 * np.abs(regret).max(initial=0))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-5)])
def test_one_iteration_from_any_regrets(
    plan: str, updates: str, rule: str, dtype: str, tolerance: float
) -> None:
    for seed, name in enumerate([*GAMES, "leduc(distinct=true)"]):
        pair = solvers(compiled(name), plan, rule, updates, dtype)
        scramble(pair, seed)
        for solver in pair:
            solver.run(1)
        assert distance(pair) < tolerance, name


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(
    "name", ["leduc5", "openspiel:leduc_poker", "openspiel:goofspiel(num_cards=4,imp_info=true)"]
)
def test_one_iteration_of_larger_games(plan: str, name: str) -> None:
    pair = solvers(compiled(name), plan, "pcfr+")
    scramble(pair, 0)
    for solver in pair:
        solver.run(1)
    assert distance(pair) < 1e-12


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(PLANS),
    st.sampled_from(ALL_RULES),
    st.sampled_from(UPDATES),
    st.booleans(),
)
def test_random_games(seed: int, plan: str, rule: str, updates: str, zero_sum: bool) -> None:
    pair = solvers(compile_tree(RandomGame(seed, zero_sum=zero_sum)), plan, rule, updates)
    scramble(pair, seed)
    for solver in pair:
        solver.run(1)
    assert distance(pair) < 1e-12


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", GAMES)
def test_a_hundred_iterations(plan: str, updates: str, rule: str, name: str) -> None:
    """Plain sums stay together; rules that floor, discount or predict amplify the rounding.

    On Leduc with alternating updates, LCFR, DCFR and DCFR+ do so by a factor of 1e11 within 100 iterations,
    whatever the plan: see the next test. They are compared after 50.
    """
    pair = solvers(compiled(name), plan, rule, updates)
    amplified = name == "leduc" and rule in ("lcfr", "dcfr", "dcfr+") and updates == "alternating"
    for solver in pair:
        solver.run(50 if amplified else 100)
    assert distance(pair) < (1e-10 if rule == "cfr" else 1e-6)


def test_the_serial_plan_nudged_by_one_rounding_drifts_as_far() -> None:
    tree = compiled("leduc")
    drift = {}
    for rule in ("cfr", "dcfr", "dcfr+"):
        pair = tuple(HistorySolver(tree, rule, plan="serial") for _ in range(2))
        for solver in pair:
            solver.run(1)
        regret = pair[1].arena.table("regret")
        regret[:] = np.nextafter(regret, 2 * regret)
        pair[1]._match()
        for solver in pair:
            solver.run(99)
        drift[rule] = distance(pair)
    assert drift["cfr"] < 1e-10
    assert drift["dcfr"] > 1e-7
    assert drift["dcfr+"] > 1e-7


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "tree", [one_history(), only_chance(), one_player(0), one_player(1)], ids=["one", "chance", "0", "1"]
)
def test_games_with_little_to_decide(plan: str, updates: str, rule: str, tree: GameTree) -> None:
    pair = solvers(tree, plan, rule, updates)
    scramble(pair, 1)
    for solver in pair:
        solver.run(1)
        solver.run(9)
    assert distance(pair) < 1e-12


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rule", ["dcfr", "pcfr+"])
def test_calls_may_be_cut_anywhere(plan: str, dtype: str, rule: str) -> None:
    tree = compiled("leduc")
    _, whole = solvers(tree, plan, rule, dtype=dtype)
    _, pieces = solvers(tree, plan, rule, dtype=dtype)
    whole.run(20)
    for count in (1, 0, 7, 12):
        pieces.run(count)
        pieces._match()
    assert distance((whole, pieces)) == 0


@pytest.mark.parametrize("plan", PLANS)
def test_a_rule_may_predict_now_and_then(plan: str) -> None:
    class Fickle(RegretRule):
        predictive = True

        def weights(self, t: int) -> Weights:
            return Weights(prediction=t % 2, average=t)

    pair = solvers(compiled("leduc"), plan, Fickle())
    for solver in pair:
        solver.run(6)
    assert distance(pair) < 1e-12


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2000), st.sampled_from(sorted(RULES)), st.sampled_from(UPDATES))
def test_the_flattened_plan_takes_players_who_forget(seed: int, rule: str, updates: str) -> None:
    tree = forgetful_tree(seed)
    if tree is None:
        return
    pair = solvers(tree, "flattened", rule, updates)
    scramble(pair, seed)
    for solver in pair:
        solver.run(1)
    assert distance(pair) < 1e-12


def test_the_sequence_plan_refuses_players_who_forget() -> None:
    tree = next(tree for seed in range(200) if (tree := forgetful_tree(seed)))
    with pytest.raises(InputError, match="forget nothing"):
        SequencePlan(sequence_form(tree), tree.name)


# What the plans are built from


@pytest.mark.parametrize("name", ["leduc", "leduc5", "bluff(dice=2,faces=2)"])
def test_flattened_bytes_bounds_what_it_takes(name: str) -> None:
    tree = compiled(name)
    solver = HistorySolver(tree, "pcfr+", plan="serial")
    tracemalloc.start()
    try:
        plan = Flattened(tree, solver._rows, solver._sides)
        plan.iterate(solver.rule.schedule(1, 1), True, solver.tables, solver._play)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert flattened_bytes(tree) / 3 < peak < flattened_bytes(tree) + 20_000


@pytest.mark.parametrize("name", ["leduc", "leduc5", "bluff(dice=1,faces=4)"])
def test_levels_hold_every_history_once(name: str) -> None:
    tree = compiled(name)
    solver = HistorySolver(tree, "cfr", plan="serial")
    plan = Flattened(tree, solver._rows, solver._sides)
    assert sum(len(level.parent) for level in plan.levels) == tree.histories - 1
    for level in plan.levels:
        assert level.above.stop == level.span.start
        assert (np.diff(level.parent) >= 0).all()
        assert level.parent.max() < level.above.stop - level.above.start
    assert plan.payoff.sum() == pytest.approx(tree.payoff.sum())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_a_layout_renumbers_and_keeps_the_order(seed: int) -> None:
    tree = compile_tree(RandomGame(seed, depth=6))
    for sequences in sequence_form(tree).sequences:
        layout = lay_out(sequences)
        assert sorted(layout.position) == list(range(len(sequences)))
        assert layout.position[0] == 0
        assert (layout.cell == sequences.cell[np.argsort(layout.position)][1:]).all()
        groups, depth = layout.groups, depths(sequences.first, sequences.before)
        first, width, start = (each.astype(np.int64) for each in (groups.first, groups.width, groups.start))
        assert (width <= LANES).all()
        offered_by = np.append(-1, np.repeat(np.arange(sequences.situations), np.diff(sequences.first)))
        for situation, before in enumerate(sequences.before):
            offered = layout.position[sequences.first[situation] : sequences.first[situation + 1]]
            assert (offered > layout.position[before]).all()
            group = np.searchsorted(first, offered, side="right") - 1
            lane = (offered - first[group]) % width[group]
            assert (groups.before[start[group] + lane] == layout.position[before]).all()
            assert depth[situation] == (0 if before == 0 else 1 + depth[offered_by[before]])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 400), st.integers(1, 60), st.sampled_from([0.0, 0.02, 0.3, 1.0]))
def test_batches_multiply_like_the_matrix(seed: int, rows: int, columns: int, density: float) -> None:
    """Sparse matrices with stretches of equal blocks, as at public ends, and with none."""
    draw = np.random.default_rng(seed)
    matrix = np.where(draw.random((rows, columns)) < density, draw.normal(size=(rows, columns)), 0)
    if seed % 2:
        size = draw.integers(1, 4)
        matrix *= (np.arange(rows)[:, None] // size) % columns == np.arange(columns) // size
    shuffled = matrix[draw.permutation(rows)][:, draw.permutation(columns)]
    own, other = np.nonzero(np.ones_like(shuffled))
    payoffs = batch_payoffs(own, other, shuffled.ravel(), rows)
    plan, none = draw.random(columns), np.zeros(0)
    half = Half(none, none, none, none, none, none, np.full(rows, np.nan), np.zeros((2, LANES)))
    sequence_kernels.multiply(payoffs, plan, half)
    assert half.value == pytest.approx(shuffled @ plan, abs=1e-12)
    assert sorted(payoffs.row) == list(range(rows))
