"""Spots whose answer is known in closed form or from elsewhere, and facts of play that every solution shows."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from oracles.holdem_compare import exact_solver
from oracles.holdem_twin import Twin
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.games.holdem.spot import Spot

RIVER = "2c2d7h8sKd"
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def solved(board: str, oop: str, ip: str, iterations: int = 400, **sizes: Any) -> HoldemSolver:
    solver = exact_solver(Spot(board, oop, ip, **{"pot": 100, "stack": 100, "bets": "a"} | sizes))
    solver.run(iterations)
    return solver


def share(solver: HoldemSolver, player: int) -> float:
    """A player's EV as a share of the pot, in chips."""
    return solver.evaluate().value[player] + solver.game.rules.pot / 2


def frequency(solver: HoldemSolver, line: str, action: str, hand: int | None = None) -> float:
    """How often an action is taken at a line, by one hand of the player's list or by the whole range."""
    tree = solver.game.tree
    node = next(k for k, one in enumerate(tree.betting) if one.actions and one.history == line)
    side = solver.game.streets[0].sides[tree.player[node]]
    count = int(side.count[0])
    played = solver.strategy_at(node)[tree.betting[node].actions.index(action), :count]
    weights = solver.game.weights[tree.player[node]][side.hand[0, :count]]
    if hand is not None:
        return float(played[side.hand[0, :count] == hand][0])
    return float(played @ weights / weights.sum())


@cache
def river_s() -> HoldemSolver:
    spot = Spot("Td9d6hQc2s", OOP, IP, pot=200, stack=900, bets="50%,a", raises="100%,a")
    return exact_solver(spot)


def test_river_s() -> None:
    solver = river_s()
    assert [len(hands) for hands in solver.game.hands] == [167, 246]
    assert solver.exploitability() / 200 == pytest.approx(0.781257, abs=1e-6)
    assert Twin(solver.game.rules).equity(0) == pytest.approx(0.5162, abs=5e-5)
    solver.run(500)
    assert solver.exploitability() < 0.1
    assert share(solver, 0) == pytest.approx(91.575, abs=0.1)


@pytest.mark.parametrize("board", ["Td9d6hQc2s", "Td9d6hQc", "Td9d6h"])
@pytest.mark.parametrize("rake", [0.0, 0.1])
def test_ranges_that_check_down_win_their_equity(board: str, rake: float) -> None:
    """Whatever is checked down pays the equity, less the rake."""
    spot = Spot(board, "AA,T8s", "QQ,J9s", pot=100, stack=10, rake=rake, check_down=True)
    twin, solver = Twin(spot), exact_solver(spot)
    for player in (0, 1):
        # In a tie both pay half of the rake, so each pays in proportion to the equity.
        assert share(solver, player) == pytest.approx(100 * (1 - rake) * twin.equity(player))


@pytest.mark.parametrize(
    ("oop", "ip", "part"), [("KhKs", "QhQs", 1.0), ("QhQs", "KhKs", 0.0), ("AhQh", "AsQs", 0.5)]
)
@pytest.mark.parametrize("rake", [0.0, 0.05])
def test_a_hand_that_always_wins_loses_or_ties(oop: str, ip: str, part: float, rake: float) -> None:
    solver = solved(RIVER, oop, ip, rake=rake)
    assert share(solver, 0) == pytest.approx(part * 100 * (1 - rake), abs=0.1)
    assert share(solver, 1) == pytest.approx((1 - part) * 100 * (1 - rake), abs=0.1)


@pytest.mark.parametrize("percent", [50, 100, 200])
def test_clairvoyance(percent: int) -> None:
    """A bettor with the nuts or nothing bluffs s / (1 + s) as often as it bets the nuts; 1 / (1 + s) are called.

    IP holds KK or 54 and OOP a hand between them; s is the bet in parts of the pot.
    """
    s = percent / 100
    solver = solved(
        RIVER, "AhAs", "KhKs,5c4c", iterations=2000, stack=percent, oop_bets="", ip_bets="a", bets=""
    )
    bluff, nuts = 0, 1  # hands go by their number: 5c4c before KhKs
    bet = f"bet {percent}"
    assert frequency(solver, "check", bet, nuts) == pytest.approx(1, abs=1e-3)
    assert frequency(solver, "check", bet, bluff) == pytest.approx(s / (1 + s), abs=0.01)
    assert frequency(solver, f"check, {bet}", "call") == pytest.approx(1 / (1 + s), abs=0.01)


def test_ace_king_queen() -> None:
    """AKQ with one pot-size bet: aces bet and call, queens never call and bluff sometimes."""
    ranges = "AhAs,KhKs,QhQs"
    solver = solved("2c2d7h8s9d", ranges, ranges.replace("h", "c").replace("s", "d"), iterations=2000)
    assert frequency(solver, "check", "bet 100", 0) < 1  # queens do not always bluff
    assert frequency(solver, "check", "bet 100", 2) == pytest.approx(1, abs=1e-3)  # aces always bet
    assert frequency(solver, "bet 100", "call", 2) == pytest.approx(1, abs=1e-3)
    assert frequency(solver, "bet 100", "call", 0) == pytest.approx(0, abs=1e-3)
    assert solver.exploitability() < 0.05


# Facts of play

POLARISED = {"board": RIVER, "oop": "AhAs,QhQs,JhJs", "ip": "KhKs,KcKs:0.5,5c4c,6c5c,4h3h"}


def test_against_a_polarised_pot_size_bet_half_is_called() -> None:
    solver = solved(**POLARISED, oop_bets="", ip_bets="a", iterations=2000)
    assert frequency(solver, "check, bet 100", "call") == pytest.approx(0.5, abs=0.02)


def test_the_nuts_never_fold() -> None:
    solver = solved(RIVER, "KhKs,AhAs,QhQs", "AcAd,JhJs,5c4c", iterations=600)
    strongest = 1  # KK comes between QQ and AA
    assert frequency(solver, "check, bet 100", "fold", strongest) < 1e-3


def test_locking_a_mistake_helps_the_other() -> None:
    free = solved(**POLARISED, iterations=600)
    game = free.game
    node = next(
        k for k, one in enumerate(game.tree.betting) if one.actions and one.history == "check, bet 100"
    )
    for action in (0, 1):  # fold everything, call everything
        play = np.zeros((2, len(game.hands[0])))
        play[action] = 1
        locked = HoldemSolver(game, dtype="float64", locks=[NodeLock(node, play)])
        locked.run(600)
        assert share(locked, 1) > share(free, 1) - 0.1
        assert (locked.strategy_at(node)[action, : len(game.hands[0])] == 1).all()


def test_another_size_does_not_hurt_the_player_who_has_it() -> None:
    one, two = (
        solved(**POLARISED, stack=200, oop_bets="", raises="", ip_bets=sizes) for sizes in ("50%", "50%,a")
    )
    assert share(two, 1) > share(one, 1) - 0.1


def test_rake_costs_both() -> None:
    free, raked = (solved(**POLARISED, iterations=800, rake=rake) for rake in (0.0, 0.05))
    assert share(raked, 0) < share(free, 0)
    assert share(raked, 1) < share(free, 1)


def test_position_does_not_hurt() -> None:
    """With the same hands, who acts last wins at least as much."""
    solver = solved("2c2d7h8s9d", "AhAs,KhKs,QhQs", "AcAd,KcKd,QcQd", iterations=2000)
    assert share(solver, 1) >= 50 - 0.05


def test_a_deeper_stack_helps_the_polarised_player() -> None:
    shares = [
        share(solved(**POLARISED, stack=stack, oop_bets="", ip_bets="a"), 1) for stack in (25, 50, 100, 200)
    ]
    assert all(deeper > shallower - 0.1 for shallower, deeper in pairwise(shares))


def test_nobody_wins_more_than_the_pot_or_less_than_nothing() -> None:
    solver = solved(**POLARISED, bets="50%,a", stack=300)
    for player in (0, 1):
        assert 0 <= share(solver, player) <= 100
        assert solver.evaluate().best_response[player] >= -50  # folding costs half of the pot


def test_a_bluff_catcher_is_indifferent() -> None:
    """Where the caller mixes, calling and folding are worth the same."""
    solver = solved(RIVER, "AhAs", "KhKs,5c4c", iterations=4000, oop_bets="", ip_bets="a", bets="")
    tree = solver.game.tree
    node = next(k for k, one in enumerate(tree.betting) if one.history == "check, bet 100")
    first, stop = tree.first_edge[node : node + 2]
    fold, call = (solver.values_at(0, int(child))[0] for child in tree.child[first:stop])
    assert call == pytest.approx(fold, abs=0.5)


def test_known_sizes_of_the_form() -> None:
    game = holdem_game(Spot("Td9d6hQc", OOP, IP, pot=200, stack=900, bets="50%,a", raises="100%,a"))
    assert [game.tree.decisions(street) for street in (0, 1)] == [12, 36]
    assert [len(hands) for hands in game.hands] == [167, 250]
