"""Rules, plans and kernels against slow twins, and the invariants that every solver keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solvent
from conftest import compiled
from oracles.random_games import RandomGame
from oracles.trees import counterfactual_values
from solvent.engines.history.plans import cut
from solvent.engines.history.response import evaluate
from solvent.engines.history.serial_kernels import walk
from solvent.engines.history.solver import HistorySolver
from solvent.engines.rules import DCFR, LCFR, RULES, RegretRule, Weights, load_rule
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError

ALL_RULES = [*RULES, "dcfr(2,0.5,3)", "dcfr(1.5,-inf,2)"]


class SlowCFR:
    """CFR as the papers write it, with dictionaries and recursion: the twin of every kernel."""

    def __init__(self, tree: GameTree, rule: str, alternating: bool) -> None:
        self.tree, self.rule, self.alternating = tree, load_rule(rule), alternating
        self.regret = np.zeros(tree.cells)
        self.average = np.zeros(tree.cells)
        self.last = np.zeros(tree.cells)
        self.strategy = tree.uniform.copy()
        self.t = 0

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            weights = self.rule.weights(self.t)
            if self.alternating:
                for player in (0, 1):
                    self._update(player, weights, counterfactual_values(self.tree, self.strategy, player))
            else:
                values = [counterfactual_values(self.tree, self.strategy, player) for player in (0, 1)]
                for player in (0, 1):
                    self._update(player, weights, values[player])

    def _update(self, player: int, weights: Weights, value: np.ndarray) -> None:
        tree = self.tree
        self._accumulate(player, weights.average)
        for infoset in np.flatnonzero(tree.infoset_player == player):
            cells = slice(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
            r = value[cells] - self.strategy[cells] @ value[cells]
            regret = self.regret[cells] + r
            regret *= np.where(regret > 0, weights.positive, weights.negative)
            self.regret[cells] = np.maximum(regret, weights.floor)
            self.last[cells] = r
            positive = np.maximum(self.regret[cells] + weights.prediction * r, 0)
            total = positive.sum()
            self.strategy[cells] = positive / total if total > 0 else 1 / len(positive)

    def _accumulate(self, player: int, weight: float) -> None:
        """S += weight x own reach x sigma once per infoset, or once per history where the player forgets."""
        tree, seen = self.tree, set()
        own = np.ones(tree.histories)
        for row in range(1, tree.histories):
            up = tree.parent[row]
            own[row] = own[up] * (self.strategy[tree.cell[row]] if tree.player[up] == player else 1)
        for row in np.flatnonzero(tree.player == player):
            infoset = tree.infoset[row]
            if infoset in seen:
                continue
            seen.add(infoset)
            cells = slice(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
            self.average[cells] += weight * own[row] * self.strategy[cells]


def close(a: np.ndarray, b: np.ndarray, relative: float) -> bool:
    """Equal relative to the largest entry."""
    return bool(np.abs(a - b).max(initial=0) <= relative * max(np.abs(b).max(initial=0), 1e-300))


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("plan", ["serial", "branched"])
def test_every_rule_does_what_its_slow_twin_does(rule: str, updates: str, plan: str) -> None:
    tree = compiled("leduc(ranks=2,suits=2)")
    fast = HistorySolver(tree, rule, updates=updates, plan=plan)
    slow = SlowCFR(tree, rule, updates == "alternating")
    for _ in range(3):
        fast.run(2)
        slow.run(2)
        assert close(fast.arena.table("regret"), slow.regret, 1e-12)
        assert close(fast.arena.table("average"), slow.average, 1e-12)
        assert close(fast.current_strategy(), slow.strategy, 1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(RULES)), st.booleans())
def test_random_games_do_what_the_slow_twin_does(seed: int, rule: str, zero_sum: bool) -> None:
    """Simultaneous updates: in alternating ones a tie that rounding decides for one player moves the other."""
    tree = compile_tree(RandomGame(seed, zero_sum=zero_sum))
    fast = HistorySolver(tree, rule, updates="simultaneous")
    slow = SlowCFR(tree, rule, alternating=False)
    fast.run(1)
    slow.run(1)
    assert close(fast.arena.table("regret"), slow.regret, 1e-12)
    assert close(fast.arena.table("average"), slow.average, 1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_walk_gives_counterfactual_values_by_definition(seed: int) -> None:
    tree = compile_tree(RandomGame(seed))
    solver = HistorySolver(tree, "cfr")
    draw = np.random.default_rng(seed)
    weights = draw.random(tree.cells)
    for player in (0, 1):
        mine = np.flatnonzero(tree.cell_player == player)
        solver._play.backward[player, mine] = solver._play.forward[1 - player, mine] = weights[mine] / 2
    for player in (0, 1):
        walk(solver._rows, player, solver._play, np.zeros(0, dtype=np.int32))
        mine = tree.cell_player == player
        slow = counterfactual_values(tree, weights / 2, player)
        assert close(solver._play.cell_value[player, : tree.cells][mine], slow[mine], 1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc(distinct=true)", "bluff(dice=1,faces=4)", "leduc5"])
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
def test_plans_agree(name: str, updates: str) -> None:
    tree = compiled(name)
    solvers = [
        HistorySolver(tree, "cfr", updates=updates, plan=plan, threads=threads)
        for plan, threads in (("serial", 1), ("branched", 1), ("branched", 2), ("branched", 3))
    ]
    for solver in solvers:
        solver.run(5)
    serial, *branched = (solver.arena.table("regret") for solver in solvers)
    assert all(close(table, serial, 1e-12) for table in branched)
    assert all((table == branched[0]).all() for table in branched), "threads must not change a bit"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_a_cut_covers_every_history_once(seed: int, groups: int) -> None:
    tree = compile_tree(RandomGame(seed))
    if tree.histories < 2:
        return
    found = cut(tree, groups)
    below = [row for root in found.roots for row in range(root + 1, tree.end[root])]
    assert sorted([0, *found.head, *below]) == list(range(tree.histories))
    assert found.group[0] == 0
    assert found.group[-1] == len(found.roots)
    assert (np.diff(found.group) > 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(ALL_RULES), st.booleans())
def test_strategies_sum_to_one_and_nobody_beats_a_best_response(seed: int, rule: str, zero_sum: bool) -> None:
    tree = compile_tree(RandomGame(seed, zero_sum=zero_sum))
    if tree.infosets == 0:
        return
    solver = HistorySolver(tree, rule)
    solver.run(7)
    for strategy in (solver.average_strategy(), solver.current_strategy()):
        assert (strategy >= 0).all()
        assert np.add.reduceat(strategy, tree.infoset_cell[:-1]) == pytest.approx(1, abs=1e-12)
        found = evaluate(tree, strategy)
        assert all(b >= v - 1e-12 for b, v in zip(found.best_response, found.value, strict=True))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "bluff(dice=1,faces=3)", "bluff(dice=2,faces=2)", "openspiel:coordinated_mp"]
)
def test_every_rule_converges(name: str, rule: str, updates: str) -> None:
    tree = compiled(name)
    solver = HistorySolver(tree, rule, updates=updates)
    solver.run(10)
    early = evaluate(tree, solver.average_strategy()).exploitability
    solver.run(1_990)
    late = evaluate(tree, solver.average_strategy()).exploitability
    assert late < max(early / 10, 1e-9)


def test_float32_tables_are_close() -> None:
    tree = compiled("leduc")
    single, double = (HistorySolver(tree, "cfr", dtype=dtype) for dtype in ("float32", "float64"))
    for solver in (single, double):
        solver.run(1)
    assert single.arena.table("regret").dtype == np.float32
    assert close(single.arena.table("regret"), double.arena.table("regret"), 1e-6)
    single.run(499)
    assert evaluate(tree, single.average_strategy()).exploitability < 0.03


def test_nodes_touched_counts_both_passes() -> None:
    solver = HistorySolver(compiled("kuhn"), "cfr")
    solver.run(3)
    assert solver.nodes_touched == 3 * 2 * 58


def test_a_forgetful_player_is_still_solved_for() -> None:
    """CFR has no guarantee here, but runs, and its averages weigh every history of an infoset."""
    for seed in range(60):
        try:
            tree = compile_tree(RandomGame(seed, forgetful=True))
        except InputError:
            continue
        solver = HistorySolver(tree, "cfr+")
        solver.run(50)
        assert np.isfinite(solver.average_strategy()).all()


# Rules


def test_lcfr_is_dcfr_1_1_1() -> None:
    assert all(LCFR().weights(t) == DCFR(1, 1, 1).weights(t) for t in (1, 2, 10, 1000))


def test_dcfr_fades_as_the_paper_says() -> None:
    weights = DCFR(1.5, 0, 2).weights(4)
    assert weights.positive == pytest.approx(8 / 9)
    assert weights.negative == 0.5
    assert weights.average == 16


@pytest.mark.parametrize(
    ("power", "expected"), [(math.inf, 1.0), (-math.inf, 0.0), (400.0, 1.0), (-400.0, 0.0)]
)
def test_extreme_powers_do_not_overflow(power: float, expected: float) -> None:
    assert DCFR(power, power, 1).weights(10).positive == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cfr++", "there is no rule"),
        ("dcfr(1,2,3,4)", "takes 3 numbers"),
        ("dcfr(x)", "must be a number"),
        ("dcfr(delta=1)", "alpha, beta, gamma"),
        ("cfr(1)", "takes no parameters"),
        ("dcfr(1", "cannot read"),
        ("", "cannot read"),
        ("dcfr(", "such as dcfr"),
        ("dcfr(1.5,0,inf)", "gamma a finite one"),
        (3, "cannot be 3"),
    ],
)
def test_bad_rules(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        load_rule(text)


def test_a_rule_of_ones_own_touches_no_kernel() -> None:
    class Forgetful(RegretRule):
        def weights(self, t: int) -> Weights:
            return Weights(positive=0.99, negative=0.5, average=t)

    tree = compiled("leduc")
    solver = HistorySolver(tree, Forgetful())
    solver.run(500)
    assert evaluate(tree, solver.average_strategy()).exploitability < 0.05
    assert str(solver.rule) == "forgetful"


@dataclass(frozen=True)
class Halving(RegretRule):
    """CFR+ whose positive regrets are halved every `period` iterations."""

    period: int = 100

    def weights(self, t: int) -> Weights:
        return Weights(positive=0.5 if t % self.period == 0 else 1.0, floor=0.0, average=t)


def test_a_rule_is_printed_with_its_parameters() -> None:
    assert [str(Halving(3)), str(Halving())] == ["halving(period=3)", "halving(period=100)"]
    assert str(DCFR(1.5, 0, 1.00000001)) == "dcfr(1.5,0,1.00000001)"


class Optimistic(RegretRule):
    """PCFR+ under another name, which says nothing of its table."""

    def weights(self, t: int) -> Weights:
        return Weights(floor=0.0, average=float(t) ** 2, prediction=1.0)


class LateOptimist(RegretRule):
    def weights(self, t: int) -> Weights:
        return Weights(prediction=float(t > 3))


class AnnouncedOptimist(LateOptimist):
    predictive = True


class DeniedOptimist(Optimistic):
    predictive = False


def test_a_predicting_rule_gets_its_table() -> None:
    tree = compiled("leduc")
    ours, theirs = HistorySolver(tree, Optimistic()), HistorySolver(tree, "pcfr+")
    for solver in (ours, theirs):
        solver.run(50)
    assert (ours.arena.table("regret") == theirs.arena.table("regret")).all()
    assert (ours.arena.table("last") == theirs.arena.table("last")).all()


def test_a_rule_that_predicts_without_its_table_is_refused() -> None:
    solver = HistorySolver(compiled("leduc"), LateOptimist())
    solver.run(2)  # an iteration also computes what the next one plays
    with pytest.raises(InputError, match="let it be True"):
        solver.run(1)
    with pytest.raises(InputError, match="let it be True"):
        HistorySolver(compiled("leduc"), DeniedOptimist())
    HistorySolver(compiled("leduc"), AnnouncedOptimist()).run(10)


class Forget(RegretRule):
    """LCFR under another name, which declares nothing."""

    def weights(self, t: float) -> Weights:
        return Weights(t / (t + 1), t / (t + 1), average=t)


class LinearForget(Forget):
    discounts = floors = False
    linear = True
    average_power = 1.0


class OwnPlus(RegretRule):
    discounts = False
    average_power = 1.0

    def weights(self, t: float) -> Weights:
        return Weights(floor=0.0, average=t)


class DeniedFloor(OwnPlus):
    floors = False


class DeniedPower(OwnPlus):
    average_power = 2.0


def test_refusals_of_own_rules_say_what_to_declare() -> None:
    declared = "`discounts = floors = False` and `average_power = 0.0`, or 1.0 beside `linear = True`"
    with pytest.raises(
        InputError, match=f"forget cannot be pruned. A rule of your own .* {declared}; one like"
    ):
        solvent.solve("kuhn", rule=Forget(), pruning="total")
    with pytest.raises(InputError, match=f"forget cannot be sampled. A rule of your own .* {declared}$"):
        solvent.solve("kuhn", rule=Forget(), sampling="external")
    with pytest.raises(InputError, match=r"dcfr.* cannot be pruned$"):
        solvent.solve("kuhn", rule="dcfr", pruning="total")
    with pytest.raises(InputError, match=r"write Forget\(\)$"):
        solvent.solve("kuhn", rule=Forget)
    with pytest.raises(InputError, match="let it be True, after which it cannot be sampled"):
        DeniedFloor().schedule(1, 3)
    with pytest.raises(
        InputError, match="let that be None, after which it can be neither pruned nor sampled"
    ):
        DeniedPower().schedule(1, 3)


def test_declared_own_rules_are_pruned_as_the_built_in_ones() -> None:
    for own, name in ((LinearForget(), "lcfr"), (OwnPlus(), "cfr+")):
        ours, theirs = (
            solvent.solve("kuhn", rule=rule, pruning="total", iterations=50) for rule in (own, name)
        )
        assert ours.exploitability == pytest.approx(theirs.exploitability, rel=1e-9)
    assert ours.warnings[0].startswith("ownplus with pruning is noisy")


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (Weights(positive=math.nan), "finite"),
        (Weights(floor=math.nan), "floor a number"),
        (Weights(average=-1), "at least 0"),
        (Weights(average=math.inf), "outgrow"),
        (Weights(average=1e38), "outgrow float32 by iteration 10"),
        ((1.0, 1.0), "six numbers"),
    ],
)
def test_bad_weights(weights: Weights, sentence: str) -> None:
    class Bad(RegretRule):
        predictive = False

        def weights(self, t: int) -> Weights:
            return weights

    with pytest.raises(InputError, match=sentence):
        Bad().schedule(1, 10, "float32")


def test_a_steep_average_is_refused_where_it_would_overflow() -> None:
    solver = HistorySolver(compiled("kuhn"), "dcfr(1.5,0,400)")
    solver.run(5)
    with pytest.raises(InputError, match="outgrow float64"):
        solver.run(5)
    assert np.isfinite(solver.average_strategy()).all()


def test_there_are_no_more_threads_than_branches() -> None:
    solver = HistorySolver(compiled("kuhn"), plan="branched", threads=1000)
    assert solver.threads <= 32


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"updates": "random"}, "there is no update mode"),
        ({"plan": "parallel"}, "there is no plan"),
        ({"dtype": "int8"}, "there is no dtype"),
        ({"threads": 0}, "from 1 to 1,024"),
        ({"threads": "2"}, "whole number"),
        ({"rule": 3}, "cannot be 3"),
    ],
)
def test_bad_options(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        HistorySolver(compiled("kuhn"), **options)
