"""The public form against the history form: by Corollary 1 the same numbers under every plan."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracles.public_forms import (
    BLUFF,
    FLOP,
    LARGER_FLOP,
    RANGED,
    SMALL,
    TOLERANCE,
    UPDATES,
    Tables,
    Unrolled,
    after_history,
    after_public,
    assert_close,
    assert_invariant,
    assert_same_evaluation,
    both,
    plans,
    positive_start,
    random_tables,
    uneven_ranges,
    unrolled,
)
from oracles.random_public import RandomBetting, RandomHoldem, RandomPublic
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import RULES
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.holdem.limit_holdem import FlopHoldem

# Invariance: one iteration


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", [*SMALL, *BLUFF, FLOP, *RANGED])
def test_one_iteration(name: str, rule: str, updates: str, dtype: str) -> None:
    assert_invariant(unrolled(name), rule, updates, dtype=dtype)


@pytest.mark.parametrize(("rule", "updates"), [("dcfr", "alternating"), ("pcfr+", "simultaneous")])
def test_one_iteration_of_leduc5(rule: str, updates: str) -> None:
    assert_invariant(unrolled("leduc5"), rule, updates)


@pytest.mark.parametrize(("rule", "updates"), [("cfr", "alternating"), ("pcfr+", "simultaneous")])
def test_one_iteration_of_a_larger_flop(rule: str, updates: str) -> None:
    assert_invariant(unrolled(LARGER_FLOP), rule, updates)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([RandomPublic, RandomHoldem]),
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(UPDATES),
)
def test_one_iteration_of_a_random_game(
    seed: int, kind: type[RandomBetting], rounds: int, ranged: bool, rule: str, updates: str
) -> None:
    rules = kind(seed, rounds)
    ranges = uneven_ranges(rules) if ranged and len(rules.hands()) > 2 else None
    try:
        game = public_game(rules, ranges=ranges)
    except InputError as error:
        assert "leave no pair of hands" in str(error)
        return
    assert_invariant(both(game), rule, updates, seed)


@pytest.mark.slow  # the kernels are compiled once more for three rounds
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", [RandomPublic, RandomHoldem])
def test_one_iteration_of_three_rounds(kind: type[RandomBetting], rule: str) -> None:
    for seed in (2, 5):
        for updates in UPDATES:
            assert_invariant(both(public_game(kind(seed, 3))), rule, updates, seed)


# Isomorphism


MOST_CLASSES = 10**6


def classes(game: PublicGame, numbers: dict[Any, int]) -> NDArray[np.int64]:
    """For each number of the public tables the class that it belongs to: equal but for the names of suits."""
    symmetries = game.rules.symmetries()
    per_round = [
        np.array(
            [
                [
                    numbers.setdefault(
                        min((b(board), h(game.hands[hand])) for h, b in symmetries), len(numbers)
                    )
                    for hand in slots
                ]
                for board, slots in zip(here.boards, here.hand.tolist(), strict=True)
            ]
        ).ravel()
        for here in game.rounds
    ]
    edges = game.nodes.round[game.edge_node]
    return np.concatenate([MOST_CLASSES * edge + per_round[level] for edge, level in enumerate(edges)])


class Symmetric(NamedTuple):
    """A game with isomorphism and without."""

    short: PublicGame
    whole: Unrolled
    short_class: NDArray[np.int64]
    whole_class: NDArray[np.int64]
    expand: NDArray[np.int64]
    """For each number of the whole tables one of the short ones that stands for it."""


@cache
def symmetric(name: str, ranged: bool = False) -> Symmetric:
    rules = load_game(name)
    ranges = None
    if ranged:
        orbit = public_game(rules).orbit
        draw = np.random.default_rng(1).uniform(0, 1, (2, orbit.max() + 1))
        ranges = draw[0][orbit], draw[1][orbit]
    short, whole = public_game(rules, True, ranges), both(public_game(rules, False, ranges))
    assert short.isomorphism
    numbers: dict[Any, int] = {}
    short_class, whole_class = classes(short, numbers), classes(whole.game, numbers)
    found, first = np.unique(short_class, return_index=True)
    at = np.searchsorted(found, whole_class)
    assert (found[at] == whole_class).all(), "every class has a representative"
    return Symmetric(short, whole, np.searchsorted(found, short_class), at, first[at])


def assert_isomorphism_changes_nothing(
    games: Symmetric, rule: str, updates: str, dtype: str = "float64"
) -> None:
    drawn = random_tables(int(games.whole_class.max()) + 1, games.whole.scale, positive_start(rule))
    short = {name: table[games.short_class] for name, table in drawn.items()}
    whole = {name: table[games.whole_class] for name, table in drawn.items()}
    expected = after_history(games.whole, rule, updates, whole)
    place = games.expand[games.whole.place]
    for options in plans(games.short):
        tables = after_public(games.short, rule, updates, short, dtype=dtype, **options)
        assert_close(tables, expected, TOLERANCE[dtype], place, (options, dtype))


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ranged", [False, True])
@pytest.mark.parametrize("name", ["leduc(distinct=true)", FLOP])
def test_isomorphism_changes_nothing(name: str, ranged: bool, rule: str, updates: str, dtype: str) -> None:
    assert_isomorphism_changes_nothing(symmetric(name, ranged), rule, updates, dtype)


@pytest.mark.parametrize(("rule", "updates"), [("dcfr", "simultaneous"), ("cfr+", "alternating")])
def test_isomorphism_changes_nothing_with_three_suits(rule: str, updates: str) -> None:
    assert_isomorphism_changes_nothing(symmetric(LARGER_FLOP), rule, updates)


def test_plans_that_walk_every_board_refuse_isomorphism() -> None:
    for plan in ("serial", "branched"):
        with pytest.raises(InputError, match="need isomorphism off"):
            PublicSolver(public_game(FlopHoldem(2, 4)), plan=plan)


# Invariance: many iterations


AMPLIFYING = ("lcfr", "dcfr", "dcfr+")


def many_iterations(rule: str, updates: str) -> int:
    """Linear and discounted CFR amplify rounding when players update in turn: see the test after this one."""
    return 30 if updates == "alternating" and rule in AMPLIFYING else 100


def long_start(both: Unrolled, rule: str) -> Tables:
    """Discounted CFR halves what is below zero: after 50 iterations that is rounding, so it starts above."""
    return random_tables(both.game.cells, both.scale, positive_start(rule) or rule == "dcfr")


LONG = [(name, updates) for name in (*SMALL, *BLUFF, *RANGED[:2]) for updates in UPDATES]
LONG += [(FLOP, "alternating")]
LONGER = [(FLOP, "simultaneous"), *((RANGED[2], updates) for updates in UPDATES)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("name", "updates"), [*LONG, *(pytest.param(*longer, marks=pytest.mark.slow) for longer in LONGER)]
)
def test_many_iterations(name: str, updates: str, rule: str) -> None:
    both = unrolled(name)
    start, iterations = long_start(both, rule), many_iterations(rule, updates)
    expected = after_history(both, rule, updates, start, iterations)
    for options in plans(both.game):
        if name.startswith(FLOP) and options["plan"] in ("serial", "branched"):
            continue  # one iteration was compared above, and many take long
        tables = after_public(both.game, rule, updates, start, iterations, **options)
        assert_close(tables, expected, 1e-10 if rule == "cfr" else 1e-6, both.place, options)


@pytest.mark.parametrize("rule", AMPLIFYING)
def test_some_rules_amplify_rounding_themselves(rule: str) -> None:
    """Why they are compared after 30 iterations: by 100 the reference has left a twin one ulp away."""
    both = unrolled("leduc")
    start = random_tables(both.game.cells, both.scale, positive=True)
    nudged = start | {"regret": np.nextafter(start["regret"], np.inf)}
    apart = {}
    for iterations in (30, 100):
        one, other = (
            after_history(both, rule, "alternating", begin, iterations) for begin in (start, nudged)
        )
        apart[iterations] = np.abs(one["regret"] - other["regret"]).max() / np.abs(one["regret"]).max()
    assert apart[30] < 1e-9
    assert apart[100] > 1e-6


@pytest.mark.parametrize("name", ["kuhn", BLUFF[0], FLOP])
def test_pure_strategies_are_pure(name: str) -> None:
    """A regret that is alone above zero is played with probability 1 and not 1 - 1e-16.

    Otherwise actions of equal value get regrets of that size, and regret matching plays them.
    """
    game, tree, place, _ = unrolled(name)
    regret = -np.ones(tree.cells)
    regret[tree.infoset_cell[:-1]] = np.random.default_rng(0).uniform(0.1, 1, tree.infosets)
    start = random_tables(game.cells, 1.0)
    start["regret"][place] = regret
    for options in plans(game):
        average = after_public(game, "cfr", "simultaneous", start, **options)["average"][place]
        assert set(average) == {0.0, 1.0}, options


# Large games, one iteration


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [3, 4])
def test_one_iteration_of_four_suits(ranks: int) -> None:
    game = public_game(FlopHoldem(4, ranks), isomorphism=False)
    start = random_tables(game.cells, 1e-4)
    serial = after_public(game, "cfr", "alternating", start, plan="serial", dtype="float64")
    for evaluator in ("swept", "gemm"):
        for dtype, tolerance in TOLERANCE.items():
            tables = after_public(game, "cfr", "alternating", start, evaluator=evaluator, dtype=dtype)
            assert_close(tables, serial, tolerance, about=(evaluator, dtype))


# Exploitability


@pytest.mark.parametrize("name", [*SMALL, *BLUFF, FLOP, *RANGED])
def test_exploitability_is_that_of_the_tree(name: str) -> None:
    game, tree, place, _ = unrolled(name)
    for options in plans(game):
        if options["plan"] != "vectors":
            continue  # how it was solved does not matter to what is measured
        solver = PublicSolver(game, "dcfr", dtype="float64", **options)
        for iterations in (0, 1, 9):
            solver.run(iterations)
            assert_same_evaluation(solver, tree, place)
        solver.arena.table("average")[:] = np.random.default_rng(0).random(game.cells)
        assert_same_evaluation(solver, tree, place)


@pytest.mark.parametrize("name", ["leduc(distinct=true)", FLOP, LARGER_FLOP])
def test_exploitability_with_isomorphism(name: str) -> None:
    games = symmetric(name)
    solver = PublicSolver(games.short, "dcfr")
    solver.run(10)
    assert_same_evaluation(solver, games.whole.tree, games.expand[games.whole.place])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([RandomPublic, RandomHoldem]), st.integers(1, 2))
def test_exploitability_of_a_random_game(seed: int, kind: type[RandomBetting], rounds: int) -> None:
    game, tree, place, _ = both(public_game(kind(seed, rounds)))
    solver = PublicSolver(game, "cfr+")
    solver.run(5)
    assert_same_evaluation(solver, tree, place)


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.0856064), (BLUFF[0], None)])
def test_the_public_form_solves_the_game(name: str, value: float | None) -> None:
    solver = PublicSolver(public_game(load_game(name)), "dcfr")
    solver.run(2000)
    found = solver.evaluate()
    assert found.exploitability < 1e-4
    if value is not None:
        assert found.value[0] == pytest.approx(value, abs=1e-4)
