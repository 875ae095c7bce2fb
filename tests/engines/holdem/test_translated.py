"""Strategies of small trees in larger ones, beside a slow twin and beside the ordinary exploitability."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from oracles.holdem_compare import exact_solver, node_locks, spread
from oracles.holdem_translated_twin import TranslatedTwin
from oracles.holdem_twin import Array, Play, Twin, matched
from oracles.small_spots import locks, short_spot, spots
from solvent.abstraction.betting.tree_translation import SMALL_BETS, decisions, shares
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.translated.response import ActionValues, LargerTree, carried_locks
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.foundation.errors import InputError
from solvent.games.game import GameError
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import Betting

few = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
SIZES = (
    {"bets": "25%,50%,100%,200%,a", "raises": "50%,100%,a", "cap": 2},
    {"bets": "33%,a", "raises": "3x", "cap": 3},
    {"oop_bets": "40%,75%", "ip_bets": "60%", "raises": "a", "cap": 2},
    {"bets": "150%", "raises": "", "cap": 1},
)
NESTED = (
    ({"bets": "50%", "cap": 1}, {"bets": "20%,50%,100%,a", "cap": 1}),
    ({"bets": "50%,a", "cap": 2}, {"bets": "25%,50%,75%,a", "cap": 2}),
    (
        {"bets": "25%,300%,a", "raises": "a", "cap": 2},
        {"bets": "25%,100%,300%,a", "raises": "100%,a", "cap": 2},
    ),
)
"""Pairs of sizes of which the second have all lines of the first."""
TURN_SIZES = ({"bets": "30%,100%,a", "raises": "", "cap": 1}, {"bets": "60%,a", "raises": "", "cap": 1})


def with_sizes(spot: Spot, sizes: dict[str, Any]) -> Spot:
    """A spot with another betting tree."""
    named: dict[str, Any] = {"pot": spot.pot, "stack": spot.stack, "rake": spot.rake}
    named["rake_cap"] = None if spot.rake_cap == float("inf") else spot.rake_cap
    try:
        return short_spot(tuple(spot.deck), spot.root_board, *spot.ranges, **named, **sizes)
    except GameError:
        assume(False)
        raise


def random_average(solver: HoldemSolver, seed: int) -> None:
    """Give a solver a strategy with zeros, small numbers and infosets that are never played to."""
    rng = np.random.default_rng(seed)
    numbers = rng.random(len(solver.average)) ** 4
    solver.average[:] = np.where(rng.random(len(numbers)) < 0.2, 0.0, numbers)
    solver._play_locks(solver.lock_tables)


def check(small: Spot, large: Spot, seed: int, small_bets: str, held: Any = None) -> None:
    """Compare values and best responses in the large tree with those of the slow twin."""
    game = holdem_game(small, isomorphism=False)
    solver = HoldemSolver(game, dtype="float64", locks=node_locks(game, held or {}))
    random_average(solver, seed)
    larger = LargerTree(holdem_game(large, isomorphism=False), dtype="float64", small_bets=small_bets)
    carried = carried_locks(game, larger.game, solver.locks)
    twin = Twin(large, {larger.game.tree.betting[lock.node]: lock.play for lock in carried})
    play = matched(spread(solver, solver.average))
    slow = matched(TranslatedTwin(Twin(small), twin, play, small_bets).table)
    found = larger.evaluate(game, solver.average, solver.locks)
    scale = max(1.0, small.pot + 2.0 * small.stack)
    for player in (0, 1):
        assert found.value[player] == pytest.approx(twin.value(player, slow), abs=1e-9 * scale)
        assert found.best_response[player] == pytest.approx(twin.value(player, slow, True), abs=1e-9 * scale)
    if not small.rake:
        quick = larger.exploitability(game, solver.average, solver.locks)
        assert quick == pytest.approx(found.exploitability, abs=1e-9 * scale)


@settings(few, max_examples=25)
@given(
    spot=spots(5),
    sizes=st.sampled_from(SIZES),
    turned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    small_bets=st.sampled_from(SMALL_BETS),
)
def test_rivers(spot: Spot, sizes: dict[str, Any], turned: bool, seed: int, small_bets: str) -> None:
    other = with_sizes(spot, sizes)
    check(*((other, spot) if turned else (spot, other)), seed, small_bets)


@pytest.mark.slow
@settings(few, max_examples=5)
@given(
    spot=spots(4, ranks=4),
    sizes=st.sampled_from(TURN_SIZES),
    turned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    small_bets=st.sampled_from(SMALL_BETS),
)
def test_turns(spot: Spot, sizes: dict[str, Any], turned: bool, seed: int, small_bets: str) -> None:
    other = with_sizes(spot, sizes)
    check(*((other, spot) if turned else (spot, other)), seed, small_bets)


@settings(few, max_examples=1)
@given(spot=spots(3, ranks=3), seed=st.integers(0, 2**32 - 1))
def test_flops(spot: Spot, seed: int) -> None:
    check(spot, with_sizes(spot, TURN_SIZES[1]), seed, "check")


@settings(few, max_examples=10)
@given(spot=spots(5), nested=st.sampled_from(NESTED), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_locks_hold_at_their_lines(spot: Spot, nested: Any, seed: int, data: Any) -> None:
    small, large = (with_sizes(spot, sizes) for sizes in nested)
    check(small, large, seed, "check", data.draw(locks(small)))


@settings(few, max_examples=10)
@given(spot=spots(5), nested=st.sampled_from(NESTED), seed=st.integers(0, 2**32 - 1))
def test_more_sizes_never_help_against_a_response(spot: Spot, nested: Any, seed: int) -> None:
    small, large = (with_sizes(spot, sizes) for sizes in nested)
    solver = exact_solver(small)
    random_average(solver, seed)
    own = solver.evaluate()
    same = LargerTree(holdem_game(small), dtype="float64").evaluate(solver.game, solver.average)
    scale = small.pot + 2.0 * small.stack
    assert np.allclose(
        [*same.value, *same.best_response], [*own.value, *own.best_response], rtol=0, atol=1e-12 * scale
    )
    found = LargerTree(holdem_game(large), dtype="float64").evaluate(solver.game, solver.average)
    assert found.value == pytest.approx(own.value, abs=1e-12 * scale)
    assert found.exploitability >= own.exploitability - 1e-12 * scale


@pytest.mark.parametrize("board", ["Td9d6hQc2s", "TdTh6c6s", "Td9d6h"])
def test_the_same_tree_gives_the_ordinary_exploitability(board: str) -> None:
    """With boards that stand for others, on two threads, in two precisions."""
    spot = Spot(board, "AA,TT,98s", "KK,QJs,66", pot=100, stack=150, bets="60%,a", cap=1)
    for dtype, close in (("float64", 1e-12), ("float32", 1e-4)):
        solver = HoldemSolver(holdem_game(spot), dtype=dtype, threads=2)
        solver.run(20)
        own = solver.evaluate()
        found = LargerTree(solver.game, threads=2, dtype=dtype).evaluate(solver.game, solver.average)
        assert found.exploitability == pytest.approx(own.exploitability, abs=100 * close)
        assert found.value == pytest.approx(own.value, abs=100 * close)


def test_boards_that_stand_for_others_count_for_them() -> None:
    """Joining boards by their suits changes neither what responses win nor what actions left out gain."""
    found = []
    for isomorphism in (True, False):
        small, large = (
            holdem_game(
                Spot("TdTh6c6s", "AA,TT,98s", "KK,QJs,66", pot=100, stack=250, bets=bets, cap=1), isomorphism
            )
            for bets in ("60%,a", "30%,60%,120%,a")
        )
        assert small.isomorphism == isomorphism
        solver = HoldemSolver(small, dtype="float64")
        solver.run(3)  # later on rounding breaks ties of the two solves differently
        larger = LargerTree(large, dtype="float64")
        tables = larger.tables(small, solver.average)
        gains = {
            (each.history, each.action): each.chips
            for each in larger.values_against(small, tables).left_out()
        }
        found.append((larger.evaluate(small, solver.average), gains))
    (joined, gains), (apart, wanted) = found
    assert joined.best_response == pytest.approx(apart.best_response, abs=1e-9)
    assert joined.value == pytest.approx(apart.value, abs=1e-9)
    for key in gains.keys() | wanted.keys():
        assert gains.get(key, 0.0) == pytest.approx(wanted.get(key, 0.0), abs=1e-9)
    assert max(gains.values()) > 0.1


@pytest.mark.slow
def test_narrow_tables_are_read() -> None:
    spot = Spot("Td9d6hQc2s", "AA,TT,98s", "KK,QJs,66", pot=100, stack=150, bets="60%,a", cap=1)
    solver = HoldemSolver(holdem_game(spot), dtype="int16")
    solver.run(20)
    found = LargerTree(solver.game).exploitability(solver.game, solver.average)
    assert found == pytest.approx(solver.exploitability(), abs=1e-2)


def check_left_out(values: ActionValues, twin: Twin, slow: Play, by_player: Any) -> None:
    """Compare what actions that the small tree lacks gain with sums over hands of the twin's values."""
    board, wanted = tuple(twin.rules.root_board), {}

    def visit(node: Betting, reach: list[Array]) -> None:
        if not node.actions:
            return
        player, worth = node.player, [by_player[node.player][child, board] for child in node.children]
        known = values.known.get(node.history, ())
        best = np.max(
            [v for v, name in zip(worth, node.actions, strict=True) if name in known or not known], axis=0
        )
        for place, name in enumerate(node.actions):
            chips = float(np.maximum(worth[place] - best, 0) @ reach[player])
            if known and name not in known and chips > 0:
                wanted[node.history, name] = chips
            after = list(reach)
            after[player] = reach[player] * slow(node, board)[place]
            visit(node.children[place], after)

    visit(twin.rules.betting, list(twin.weights))
    found = {(each.history, each.action): each.chips for each in values.left_out()}
    for key in found.keys() | wanted.keys():
        assert found.get(key, 0.0) == pytest.approx(wanted.get(key, 0.0), abs=1e-9 * (twin.rules.pot + 100))


@settings(few, max_examples=8)
@given(spot=spots(5), nested=st.sampled_from(NESTED), seed=st.integers(0, 2**32 - 1))
def test_action_values_are_those_of_the_twin(spot: Spot, nested: Any, seed: int) -> None:
    small, large = (with_sizes(spot, sizes) for sizes in nested)
    solver = HoldemSolver(holdem_game(small, isomorphism=False), dtype="float64")
    random_average(solver, seed)
    larger = LargerTree(holdem_game(large, isomorphism=False), dtype="float64")
    values = larger.action_values(solver.game, solver.average)
    twin = Twin(large)
    slow = matched(TranslatedTwin(Twin(small), twin, matched(spread(solver, solver.average))).table)
    by_player = [twin.values(player, slow, respond=True) for player in (0, 1)]
    board = tuple(large.root_board)
    for node, _ in twin.places():
        wanted = [by_player[node.player][child, board] for child in node.children]
        assert np.allclose(
            values.at(node.history)[:, 0], wanted, rtol=0, atol=1e-9 * (large.pot + large.stack)
        )
    check_left_out(values, twin, slow, by_player)
    lines = [node.history for node, _ in twin.places() if node.history in values.known]
    assert lines == [node.history for node, _ in Twin(small).places()]


@settings(few, max_examples=20)
@given(spot=spots(5), sizes=st.sampled_from(SIZES), small_bets=st.sampled_from(SMALL_BETS))
def test_shares_sum_to_one(spot: Spot, sizes: dict[str, Any], small_bets: str) -> None:
    """A bet is taken for at most two neighbours, whatever the pots of both nodes are."""
    here, there = (
        decisions(holdem_game(each).tree, each).values() for each in (spot, with_sizes(spot, sizes))
    )
    for true in here:
        for bet in true.bets:
            for seen in there:
                found = shares(bet, seen, small_bets)
                assert 1 <= len(found) <= 2
                assert sum(share for _, share in found) == pytest.approx(1, abs=1e-15)
                assert all(0 < share <= 1 for _, share in found)


def test_what_is_refused() -> None:
    def game(**named: Any) -> Any:
        given: dict[str, Any] = {"pot": 100, "stack": 300, "bets": "50%,a"} | named
        return holdem_game(Spot("Td9d6hQc2s", "AA,TT", "KK,66", **given))

    small = game()
    average = np.zeros(small.cells, dtype=np.float32)
    for other in (game(pot=90), game(stack=200), game(rake="5%")):
        with pytest.raises(InputError, match="two betting trees of one spot"):
            LargerTree(other).evaluate(small, average)
    with pytest.raises(InputError, match="numbers"):
        LargerTree(small).evaluate(small, average[1:])
    with pytest.raises(InputError, match="one of the trees has no check or call"):
        LargerTree(game(remove="check, check")).evaluate(small, average)
    with pytest.raises(InputError, match="taken for check or smallest"):
        LargerTree(small, small_bets="fold").evaluate(small, average)
    with pytest.raises(InputError, match="no decision after 'check, bet 7'"):
        LargerTree(small).action_values(small, average).at("check, bet 7")
    lock = NodeLock(small.tree.betting.index(small.rules.betting.children[1]), np.eye(4)[:, [0] * 9])
    with pytest.raises(InputError, match="is locked, and the larger tree does not have it"):
        LargerTree(game(bets="75%,a")).evaluate(small, average, [lock])
