"""The aggregated plan on arrays against the compiled one: the same numbers, on every device there is."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracles.random_public import RandomBetting, RandomHoldem, RandomPublic
from solvent.engines.public.arrays import layout as array_layout
from solvent.engines.public.arrays.devices import REFERENCE, array_namespace
from solvent.engines.public.arrays.layout import array_bytes
from solvent.engines.public.arrays.plan import ArrayPass
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import RULES, RegretRule, Weights
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, Board, PublicRules

pytestmark = pytest.mark.slow  # compiles what few other tests use

UPDATES = ["alternating", "simultaneous"]
CLOSE = {"float64": 1e-12, "float32": 1e-5}
FLOP = "flop_holdem(suits=2,ranks=4)"
GAMES = [
    ("kuhn", False, None),
    ("leduc", False, None),
    ("leduc(distinct=true)", True, None),
    ("leduc(distinct=true)", False, None),
    ("leduc(distinct=true)", False, "any"),
    ("bluff(dice=1,faces=3)", False, None),
    ("bluff(dice=2,faces=2)", False, None),
    (FLOP, True, None),
    (FLOP, True, "symmetric"),
    (FLOP, False, None),
    (FLOP, False, "any"),
]
OTHERS = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed"))
    for name in ("torch", "jax", REFERENCE)
]


@cache
def game_of(name: str, isomorphism: bool = False, ranges: str | None = None) -> PublicGame:
    """A public game; ranges differ from hand to hand (any), or only where symmetry allows (symmetric)."""
    rules = load_game(name)
    game = public_game(rules, isomorphism)
    if ranges is not None:
        random = np.random.default_rng(7)
        first, second = random.uniform(0.2, 1, (2, len(game.hands)))
        if ranges == "symmetric":
            first, second = first[game.orbit], second[game.orbit]
        first[2] = 0.0 if ranges == "any" else first[2]
        game = public_game(rules, isomorphism, (first, second))
    assert game.isomorphism == isomorphism
    return game


@cache
def pass_of(
    device: str, dtype: str, name: str, isomorphism: bool = False, ranges: str | None = None
) -> ArrayPass:
    return ArrayPass(game_of(name, isomorphism, ranges), device, dtype)


def begun(
    game: PublicGame, rule: str | RegretRule, updates: str = "alternating", dtype: str = "float64"
) -> PublicSolver:
    """A solver with random tables. All of them positive: where regrets are 0, rounding would decide."""
    solver = PublicSolver(game, rule, updates, plan="vectors", dtype=dtype)
    random = np.random.default_rng(1)
    for table in solver.arena.tables.values():
        table[:] = random.uniform(0.1, 1, len(table))
    solver.iterations = 3
    return solver


def tables_of(solver: PublicSolver) -> dict[str, NDArray[np.floating]]:
    return {name: table.copy() for name, table in solver.arena.tables.items()}


def assert_same(one: PublicSolver, other: PublicSolver, close: float) -> None:
    assert one.arena.names == other.arena.names
    for name in one.arena.names:
        first, second = one.arena.table(name), other.arena.table(name)
        assert np.abs(first - second).max() <= close * np.abs(first).max(), name


def check(plan: ArrayPass, rule: str, updates: str, iterations: int = 1, factor: float = 1.0) -> None:
    dtype = plan.dtype.name
    compiled, by_array = (begun(plan.game, rule, updates, dtype) for _ in range(2))
    by_array.plan = plan
    before = tables_of(compiled)
    compiled.run(iterations)
    by_array.run(iterations)
    assert_same(compiled, by_array, factor * CLOSE[dtype])
    # The same for what the iteration did, which may be small beside what was there.
    for name, old in before.items() if dtype == "float64" else ():
        first, second = compiled.arena.table(name) - old, by_array.arena.table(name) - old
        assert np.abs(first).max() > 0
        assert np.abs(first - second).max() <= factor * 1e-10 * np.abs(first).max()


# One iteration


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_one_iteration_is_the_compiled_one(
    game: tuple[str, bool, str | None], rule: str, updates: str, dtype: str
) -> None:
    check(pass_of("numpy", dtype, *game), rule, updates)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("device", OTHERS)
@pytest.mark.parametrize("game", [GAMES[0], GAMES[2], GAMES[5], GAMES[8], GAMES[10]], ids=str)
def test_other_devices(game: tuple[str, bool, str | None], device: str, dtype: str) -> None:
    plan = pass_of(device, dtype, *game)
    # JAX compiles every combination; the others take them all.
    rules = RULES if device == "torch" else ["dcfr", "pcfr+"]
    for rule, updates in product(rules, UPDATES):
        check(plan, rule, updates)


# Many iterations


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", RULES)
def test_from_nothing_no_rounding_is_played(rule: str, dtype: str) -> None:
    # Folded hands and equal ones meet in sums that should cancel: what they leave would decide the second turn.
    for isomorphism in (True, False):
        game = game_of(FLOP, isomorphism)
        compiled, by_array = (PublicSolver(game, rule, plan="vectors", dtype=dtype) for _ in range(2))
        by_array.plan = pass_of("numpy", dtype, FLOP, isomorphism)
        compiled.run(2)
        by_array.run(2)
        assert_same(compiled, by_array, CLOSE[dtype])


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("game", [("leduc", False), (FLOP, True)], ids=str)
def test_long_runs_are_as_good(game: tuple[str, bool], rule: str, updates: str) -> None:
    compiled, by_array = (PublicSolver(game_of(*game), rule, updates, plan="vectors") for _ in range(2))
    by_array.plan = pass_of("numpy", "float64", *game)
    compiled.run(50)
    by_array.run(50)
    found, known = by_array.evaluate(), compiled.evaluate()
    assert found.exploitability == pytest.approx(known.exploitability, rel=0.05)


@pytest.mark.parametrize("updates", UPDATES)
def test_calls_may_be_cut_anywhere(updates: str) -> None:
    game = game_of("leduc")
    once, often = (begun(game, "pcfr+", updates) for _ in range(2))
    once.plan = often.plan = pass_of("numpy", "float64", "leduc")
    once.run(6)
    for count in (1, 0, 3, 2):
        often.run(count)
    assert_same(once, often, 0.0)


class Turning(RegretRule):
    """A rule whose numbers change from one iteration to the next."""

    predictive = True

    def __init__(self, predictions: Sequence[float]) -> None:
        self.predictions = predictions

    def weights(self, t: int) -> Weights:
        floor = -np.inf if t % 2 else 0.05
        prediction = self.predictions[t % len(self.predictions)]
        return Weights(1 - 0.1 / t, 0.5 + 0.1 / t, floor, t, prediction)

    def __str__(self) -> str:
        return "turning"


# With alternating updates the compiled plan has the second player meet what this iteration predicts, arrays what
# the next one does (`engines.schedule`): they agree where that does not change.
@pytest.mark.parametrize(
    ("updates", "predictions"),
    [("simultaneous", (0.0, 1.0, 0.5)), ("alternating", (0.0,)), ("alternating", (0.5,))],
)
def test_weights_may_change(updates: str, predictions: Sequence[float]) -> None:
    game = game_of("leduc(distinct=true)", True)
    for count in (1, 2, 4):
        compiled, by_array = (begun(game, Turning(predictions), updates) for _ in range(2))
        by_array.plan = pass_of("numpy", "float64", "leduc(distinct=true)", True)
        compiled.run(count)
        by_array.run(count)
        assert_same(compiled, by_array, 1e-12)


# Boards in parts


@pytest.mark.parametrize("isomorphism", [True, False])
def test_parts_change_nothing(isomorphism: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(FLOP, isomorphism)
    whole = ArrayPass(game, parts=1)
    assert [len(bounds) for bounds in whole.bounds] == [1, 1]
    check(whole, "dcfr", "alternating", 2)
    for parts in (3, 1000):
        plan = ArrayPass(game, parts=parts)
        assert [len(bounds) for bounds in plan.bounds] == [1, min(parts, len(game.rounds[1].boards))]
        check(plan, "dcfr", "alternating", 2)
        assert all(part.matrix for part in plan.fixed.parts[1])
    monkeypatch.setattr(array_layout, "PART_NUMBERS", 5_000)
    plan = ArrayPass(game)
    assert len(plan.bounds[1]) > 1
    check(plan, "pcfr+", "simultaneous", 2)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_matrices_that_do_not_fit_are_made_when_needed(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(FLOP, False, "any")
    room = 10 * 2 * 10 * 10 * np.dtype(dtype).itemsize  # ten boards, two symbols, ten slots
    monkeypatch.setattr(array_layout, "MATRIX_BYTES", room)
    plan = ArrayPass(game, dtype=dtype)
    assert len(plan.bounds[1]) == 6
    assert not any(part.matrix for part in plan.fixed.parts[1])
    check(plan, "dcfr", "alternating", 2)
    assert array_bytes(game, dtype) < array_bytes(game_of(FLOP), dtype) + 2 * room


# Any tree


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([RandomPublic, RandomHoldem]),
    st.integers(1, 2),
    st.integers(1, 3),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(UPDATES),
)
def test_random_games(
    seed: int, kind: type[RandomBetting], rounds: int, parts: int, rule: str, updates: str
) -> None:
    game = public_game(kind(seed, rounds))
    compiled, by_array = (begun(game, rule, updates) for _ in range(2))
    by_array.plan = ArrayPass(game, parts=parts)
    compiled.run(1)
    by_array.run(1)
    assert_same(compiled, by_array, 1e-12)


class Coins(PublicRules):
    """Three rounds with a public coin before the second and third, whose chances depend on the hands.

    Player 0 acts twice in a row, player 1 may be the only one to act in a round, and after an all-in the coins
    fall with nobody to act.
    """

    def __str__(self) -> str:
        return "coins"

    def hands(self) -> Sequence[int]:
        return range(3)

    def deal(self, first: int | None = None) -> Iterable[tuple[int, Fraction]]:
        return [(hand, Fraction(1, 3 if first is None else 2)) for hand in range(3) if hand != first]

    def boards(self, board: Board, first: int, second: int) -> Iterable[tuple[Board, Fraction]]:
        heads = Fraction(1 + first, 5 + second + len(board))
        return [((*board, "h"), heads), ((*board, "t"), 1 - heads)]

    def sign(self, symbol: str, board: Board, first: int, second: int) -> int:
        if symbol == FOLD:
            return 1
        return (first * 5 + second + 2 * board.count("h")) % 3 - 1

    def betting_tree(self) -> Betting:
        def end(symbol: str, stake: float) -> Betting:
            return Betting(symbol=symbol, stake=stake)

        def deal(below: Betting) -> Betting:
            return Betting(deals=True, children=(below,))

        def choose(player: int, *children: Betting) -> Betting:
            return Betting(player=player, actions=tuple("abc"[: len(children)]), children=children)

        def third(stake: float) -> Betting:
            return deal(
                choose(1, end(SHOWDOWN, stake), end(FOLD, -stake), choose(0, end(SHOWDOWN, 3 * stake)))
            )

        def raised(stake: float) -> Betting:
            return choose(1, end(FOLD, stake), third(2 * stake))

        def second(stake: float) -> Betting:
            again = choose(0, raised(stake), end(FOLD, -stake / 2), raised(1.5 * stake))
            return deal(choose(0, third(stake), again))

        def all_in() -> Betting:
            return deal(deal(end(SHOWDOWN, 5.0)))

        twice = choose(0, choose(1, second(1.0), all_in()), choose(0, second(2.0), end(FOLD, -1.0)))
        return choose(0, twice, choose(1, second(1.5), end(FOLD, 1.0), all_in()))


@pytest.mark.slow  # the compiled pass is compiled once more for three rounds
@pytest.mark.parametrize("device", ["numpy", *OTHERS])
def test_three_rounds(device: str) -> None:
    game = public_game(Coins())
    assert len(game.rounds) == 3
    plan = ArrayPass(game, device)
    for rule, updates in product(["dcfr", "pcfr+"], UPDATES):
        check(plan, rule, updates)
    check(ArrayPass(game, device, parts=2), "dcfr", "alternating")
    check(ArrayPass(public_game(RandomHoldem(5, 3)), device), "dcfr", "alternating")


# What it takes


@pytest.mark.parametrize("rule", ["dcfr", "pcfr+"])
@pytest.mark.parametrize("game", [(FLOP, False), ("bluff(dice=2,faces=3)", False)], ids=str)
def test_memory_is_as_foretold(game: tuple[str, bool], rule: str) -> None:
    solver = PublicSolver(game_of(*game), rule)
    tracemalloc.start()
    solver.plan = ArrayPass(game_of(*game))
    solver.run(2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 * array_bytes(game_of(*game)) < peak < 1.2 * array_bytes(game_of(*game))


def test_half_the_memory_in_single_precision() -> None:
    game = game_of(FLOP)
    assert array_bytes(game, "float32") == pytest.approx(array_bytes(game, "float64") / 2, rel=0.01)


# Devices


@pytest.mark.parametrize("device", ["abacus", "numpy:cuda", "cupy:1", ""])
def test_devices_there_are_not(device: str) -> None:
    with pytest.raises(InputError, match="there is no device"):
        array_namespace(device)


@pytest.mark.parametrize("device", ["torch", "torch:cuda", "cupy", "jax"])
def test_devices_not_installed(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = device.partition(":")[0]
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=f"device {name} needs .*: pip install"):
        ArrayPass(game_of("kuhn"), device)


@pytest.mark.parametrize("device", [device for device in OTHERS if device.values != (REFERENCE,)])
def test_places_there_are_not(device: str) -> None:
    with pytest.raises(InputError, match=f"device {device}:nowhere cannot be used"):
        array_namespace(f"{device}:nowhere")


@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
def test_jax_keeps_its_own_precision() -> None:
    import jax  # type: ignore[import-not-found]

    before = jax.config.jax_enable_x64
    check(pass_of("jax", "float64", "kuhn"), "dcfr", "alternating")
    assert jax.config.jax_enable_x64 == before
