"""What rules declare, and what pruning, sampling and the average make of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import solvent
from solvent.engines.history.solver import HistorySolver
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import RULES, RegretRule, Weights, load_rule
from solvent.forms.history import compile_tree
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules


class Linear(RegretRule):
    """LCFR by another hand, with all that it is declared."""

    discounts = floors = False
    linear = True
    average_power = 1.0

    def weights(self, t: float) -> Weights:
        return Weights(t / (t + 1), t / (t + 1), average=t)


class Undeclared(Linear):
    discounts = floors = True
    linear = False
    average_power = None


@dataclass(frozen=True)
class Forgetting(RegretRule):
    """DCFR(1.5, 0, 2) whose average is scaled down instead of being weighted up."""

    def weights(self, t: float) -> Weights:
        inner = load_rule("dcfr").weights(t)
        return inner._replace(average=1.0, keep=((t - 1) / t) ** 2 if t > 1 else 0.0)


def test_what_the_rules_declare() -> None:
    declared = {
        name: (rule.discounts, rule.floors, rule.linear, rule.predictive, rule.average_power)
        for name, rule in ((name, load_rule(name)) for name in RULES)
    }
    assert declared == {
        "cfr": (False, False, False, False, 0),
        "cfr+": (False, True, False, False, 1),
        "lcfr": (False, False, True, False, 1),
        "dcfr": (True, False, False, False, 2),
        "pcfr+": (False, True, False, True, 2),
        "dcfr+": (True, True, False, False, 4),
        "pdcfr+": (True, True, False, True, 5),
    }
    assert [name for name in RULES if load_rule(name).additive] == ["cfr", "lcfr"]
    assert [name for name in RULES if load_rule(name).prunable] == ["cfr", "cfr+", "lcfr"]
    for name in RULES:
        load_rule(name).schedule(1, 50)  # compares the declarations with the weights
        load_rule(name).schedule(17.25, 50)


@pytest.mark.parametrize(
    "options",
    [{"pruning": "partial"}, {"pruning": "total", "updates": "simultaneous"}, {"sampling": "external"}],
)
def test_a_declared_rule_is_pruned_and_sampled_like_the_one_it_equals(options: dict[str, str]) -> None:
    ours = solvent.solve("kuhn", rule=Linear(), iterations=60, **options)
    theirs = solvent.solve("kuhn", rule="lcfr", iterations=60, **options)
    assert ours.strategy.probabilities == pytest.approx(theirs.strategy.probabilities, abs=1e-12)
    with pytest.raises(InputError, match=r"cannot be (pruned|sampled)"):
        solvent.solve("kuhn", rule=Undeclared(), iterations=60, **options)


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"linear": False}, "`discounts` is False"),
        ({"average_power": 2.0}, r"t\^2"),
        ({"weights": lambda self, t: Weights(t / (t + 1), t / (t + 1), 0.0, t)}, "`floors` is False"),
        (
            {"weights": lambda self, t: Weights(t / (t + 1), t / (t + 1), average=t, keep=0.5)},
            "average_power",
        ),
        ({"weights": lambda self, t: Weights(keep=1.5), "average_power": None}, "from 0 to 1"),
    ],
)
def test_a_rule_that_does_what_it_denies_is_refused(declared: dict[str, object], sentence: str) -> None:
    rule: RegretRule = type("Liar", (Linear,), declared)()
    with pytest.raises(InputError, match=sentence):
        rule.schedule(1, 10)


@pytest.mark.parametrize("plan", ["serial", "flattened", "sequence"])
def test_keeping_part_of_the_average_is_weighting_what_comes_after_on_histories(plan: str) -> None:
    tree = compile_tree(load_game("kuhn"))
    kept, weighted = HistorySolver(tree, Forgetting(), plan=plan), HistorySolver(tree, "dcfr", plan=plan)
    for solver in (kept, weighted):
        solver.run(40)
    assert kept.average_strategy() == pytest.approx(weighted.average_strategy(), abs=1e-12)
    scale = kept.arena.table("average").sum() / weighted.arena.table("average").sum()
    assert scale == pytest.approx(40.0**-2)


@pytest.mark.parametrize(
    ("name", "plan", "device"),
    [
        ("kuhn", "sequences", "cpu"),
        ("kuhn", "serial", "cpu"),
        ("kuhn", "vectors", "cpu"),
        ("kuhn", "aggregated", "numpy"),
        ("bluff(dice=1,faces=2)", "shapes", "cpu"),
    ],
)
def test_keeping_part_of_the_average_is_weighting_what_comes_after(name: str, plan: str, device: str) -> None:
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    game = public_game(rules, False)
    kept, weighted = (PublicSolver(game, rule, plan=plan, device=device) for rule in (Forgetting(), "dcfr"))
    for solver in (kept, weighted):
        solver.run(40)
    ours, theirs = kept.arena.table("average"), weighted.arena.table("average")
    assert np.asarray(ours) * 40**2 == pytest.approx(theirs, rel=1e-9)


def test_a_clock_need_not_be_whole() -> None:
    schedule = load_rule("dcfr").schedule(0.5, 3)
    assert schedule[:, Weights._fields.index("average")] == pytest.approx([0.25, 2.25, 6.25])
    whole = load_rule("dcfr").schedule(1, 3)
    assert (whole == load_rule("dcfr").schedule(1.0, 3)).all()
