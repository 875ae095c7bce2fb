"""What changes nothing: isomorphism, threads, other names of suits; and the accounts of chance, EVs and rake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from oracles.holdem_compare import close, exact_solver, load, renamed_board, spread
from oracles.holdem_twin import Table
from oracles.small_spots import NO_LIMIT, nolimit, short_spot, spots
from solvent.cards.deck import deck
from solvent.cards.hands import HANDS, hand_number, hole_cards, renamed_hands
from solvent.cards.ranges import Range
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.boards import moved
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.tree import DECISION
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.holdem.spot import Spot

few = settings(deadline=None, suppress_health_check=list(HealthCheck))

SYMMETRIC = "AA,JTs:0.5", "JJ,AKs:0.7"
ASYMMETRIC = "AA,KcJc,JhTh:0.5,JcTs", "QQ,AsKs:0.7,JdTd,KdTs"
BOARDS = {
    "monotone": "KhQhTh",
    "two-tone": "KhQhTc",
    "rainbow": "KhQcTd",
    "paired": "KhKcTh",
    "three of a kind": "ThTcTd",
    "turn of two suits": "KhQhTcJc",
    "turn of one suit": "KhQhThJh",
}


def flop(board: str, ranges: tuple[str, str], **sizes: Any) -> Spot:
    """A spot on the 20 cards from ten up."""
    given = {"pot": 10, "stack": 20, "bets": "a", "cap": 1} | sizes
    return short_spot(deck()[-20:], board, *ranges, **given)


def same_with_isomorphism(rules: Any) -> HoldemSolver:
    """Each player's half of an iteration and all values, with and without isomorphism, from random tables.

    Tables that were left alone would part: where actions are worth the same, rounding decides what is played.
    """
    joined, apart = exact_solver(rules), exact_solver(rules, isomorphism=False)
    assert not apart.game.isomorphism
    rng, row = np.random.default_rng(1), joined.rule.schedule(3, 1, "float64")
    regret, average = (symmetric(joined, spread(apart, rng.random(apart.game.cells))) for _ in range(2))
    for player in (0, 1):
        for solver in (joined, apart):
            load(solver, solver.regret, regret)
            load(solver, solver.average, average)
            solver.passes.update(solver._tables(), row, player)
        for one, other in ((joined.regret, apart.regret), (joined.average, apart.average)):
            expected = spread(apart, other)
            for place, rows in spread(joined, one).items():
                close(rows, expected[place])
    one, other = joined.evaluate(), apart.evaluate()
    close([*one.value, *one.best_response, *one.gains], [*other.value, *other.best_response, *other.gains])
    for player in (0, 1):
        close(joined.hand_values(player), apart.hand_values(player))
    return joined


def symmetric(solver: HoldemSolver, table: Table) -> Table:
    """The mean of a table over all ways to rename suits that change nothing in a solver's game."""
    game, found = solver.game, {place: np.zeros_like(rows) for place, rows in table.items()}
    group = game.streets[0].boards.groups[0]
    for suits in group:
        turn = [np.searchsorted(hands, renamed_hands(suits)[hands]) for hands in game.hands]
        for (node, board), rows in table.items():
            found[node, renamed_board(game, board, suits)][:, turn[node.player]] += rows / len(group)
    return found


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS.keys())
def test_isomorphism_changes_nothing(board: str) -> None:
    solver = same_with_isomorphism(flop(board, SYMMETRIC, rake="5%"))
    assert solver.game.isomorphism == (board != BOARDS["rainbow"])


def test_ranges_that_tell_suits_apart_leave_no_isomorphism() -> None:
    assert not holdem_game(flop("KhQhTh", ASYMMETRIC)).isomorphism
    partly = flop(
        "KhQh9h", ("AcAd,JcTc,JdTd", "AsAc,AsAd,QsJs")
    )  # clubs and diamonds are alike, spades are not
    assert len(holdem_game(partly).streets[0].boards.groups[0]) == 2
    same_with_isomorphism(partly)


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=[pytest.mark.slow] if k > 2 else []) for k in range(len(NO_LIMIT))]
)
def test_isomorphism_changes_nothing_on_whole_decks(number: int) -> None:
    assert same_with_isomorphism(nolimit(number)).game.isomorphism


@pytest.mark.parametrize("board", ["KhQhTc", "KhQhTcJc"])
def test_threads_change_nothing(board: str) -> None:
    spot = flop(board, ASYMMETRIC)
    solvers = [exact_solver(spot, threads=threads) for threads in (1, 2)]
    for solver in solvers:
        solver.run(5)
    for one, other in zip(*[(spread(s, s.regret), spread(s, s.average)) for s in solvers], strict=True):
        assert all((rows == other[place]).all() for place, rows in one.items())
    assert solvers[0].evaluate() == solvers[1].evaluate()


def test_numbers_of_32_bits_are_near_those_of_64() -> None:
    spot = flop("KhQhTc", SYMMETRIC)
    exact, single = exact_solver(spot), HoldemSolver(holdem_game(spot), dtype="float32")
    exact.run(20)
    single.average[:] = exact.average
    assert single.exploitability() == pytest.approx(exact.exploitability(), abs=1e-4)
    assert single.evaluate().value == pytest.approx(exact.evaluate().value, abs=1e-4)
    solved = HoldemSolver(single.game, dtype="float32")
    solved.run(300)
    assert solved.exploitability() < 0.002 * spot.pot
    close(solved.strategy_at(0).sum(axis=0), 1.0, 1e-6)


def renamed(spot: Spot, suits: tuple[int, ...]) -> Spot:
    """A spot with its suits renamed."""
    ranges = []
    for weights in spot.range_weights:
        new = np.zeros(HANDS)
        for hand in np.flatnonzero(weights):
            new[hand_number(*(moved(card, suits) for card in hole_cards()[hand].tolist()))] = weights[hand]
        ranges.append(Range(new))
    board = tuple(moved(card, suits) for card in spot.root_board)
    sizes = {"pot": spot.pot, "stack": spot.stack, "rake": spot.rake, **spot.sizes}
    return short_spot(spot.deck, board, *ranges, **sizes)


@pytest.mark.parametrize("suits", [(1, 0, 2, 3), (3, 2, 0, 1)])
def test_names_of_suits_change_nothing(suits: tuple[int, ...]) -> None:
    spot = flop("KhQhTc", ASYMMETRIC)
    one, other = exact_solver(spot), exact_solver(renamed(spot, suits))
    game, new = one.game, other.game
    one.average[:] = np.random.default_rng(2).random(game.cells)
    node_of = dict(zip(game.tree.betting, new.tree.betting, strict=True))
    turn = [np.searchsorted(new.hands[p], renamed_hands(suits)[game.hands[p]]) for p in (0, 1)]
    turned = {}
    for (node, board), rows in spread(one, one.average).items():
        place = node_of[node], tuple(moved(card, suits) for card in board)
        turned[place] = np.empty_like(rows)
        turned[place][:, turn[node.player]] = rows
    load(other, other.average, turned)
    close(*([*s.evaluate().value, *s.evaluate().best_response] for s in (one, other)))
    close(other.hand_values(0)[turn[0]], one.hand_values(0))


@pytest.mark.parametrize("isomorphism", [True, False])
def test_chances_of_boards_sum_to_1(isomorphism: bool) -> None:
    """45 turns and 44 rivers are left by two hands and a flop."""
    game = holdem_game(Spot("KhQh9h", "AcAd", "8s7s", pot=10, stack=20, bets="a", cap=1), isomorphism)
    turn, river = game.streets[1], game.streets[2]
    assert (1 / turn.probability, 1 / river.probability) == pytest.approx((45, 44))
    free = [
        (street.boards.multiplicity * street.sides[0].count * street.sides[1].count)
        for street in (turn, river)
    ]
    assert free[0].sum() == 45
    behind = np.zeros(len(turn.boards))
    np.add.at(behind, river.boards.parent, free[1])
    possible = free[0] > 0
    assert (behind[possible] == 44).all()


def test_chances_of_boards_sum_to_1_for_every_pair() -> None:
    """Boards that stand for others count for all hands that suits turn into each other: their mean is 1."""
    spot = flop("KhQhTh", SYMMETRIC)
    game = holdem_game(spot)
    turn = game.streets[1]
    apart = np.array(
        [[not {*a} & {*b} for b in hole_cards()[game.hands[1]]] for a in hole_cards()[game.hands[0]]]
    )
    chance = np.zeros(apart.shape)
    for number, times in enumerate(turn.boards.multiplicity):
        first, second = (side.hand[number, : side.count[number]] for side in turn.sides)
        chance[np.ix_(first, second)] += times * turn.probability
    assert game.isomorphism
    assert chance[apart].mean() == pytest.approx(1)


@settings(few, max_examples=25)
@given(spot=spots(5))
def test_accounts(spot: Spot) -> None:
    """Strategies sum to 1, best responses win at least the value, and all that is not won is the rake."""
    solver = exact_solver(spot)
    solver.run(3)
    tree = solver.game.tree
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        close(solver.strategy_at(node).sum(axis=0), 1.0)
    measured = solver.evaluate()
    assert all(
        best >= value - 1e-9 for best, value in zip(measured.best_response, measured.value, strict=True)
    )
    taken = -sum(measured.value)
    pots = {2 * abs(end.stake): end.rake for end in tree.betting if end.symbol is not None}
    if spot.rake:
        assert min(pots.values()) - 1e-9 <= taken <= max(pots.values()) + 1e-9
        assert all(rake == pytest.approx(min(spot.rake * pot, spot.rake_cap)) for pot, rake in pots.items())
    else:
        assert taken == pytest.approx(0, abs=1e-9)


def test_a_fixed_rake_is_what_both_shares_of_the_pot_lack() -> None:
    spot = flop("KhQhTcJc", SYMMETRIC, rake="50%", rake_cap=3)  # the cap is reached in every pot
    solver = exact_solver(spot)
    solver.run(5)
    shares = [value + spot.pot / 2 for value in solver.evaluate().value]
    assert sum(shares) + 3 == pytest.approx(spot.pot)


def test_hands_that_differ_only_in_suits_play_alike_to_the_last_bit() -> None:
    """Otherwise rounding would decide what is played where actions are worth the same, for each of them apart."""
    rules = NoLimit(suits=2, ranks=4, boards=[0, 2, 1], stack=3, bets="a", cap=1)
    solver = HoldemSolver(holdem_game(rules), dtype="float64")
    solver.run(200)
    game, tree = solver.game, solver.game.tree
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        street = game.streets[tree.street[node]]
        orbit = street.sides[tree.player[node]].orbit
        for board, group in enumerate(street.boards.groups):
            if len(group) > 1:
                play = solver.strategy_at(node, board)
                assert (play == play[:, orbit[board]]).all()
    value = solver.evaluate().value
    assert value[0] == pytest.approx(-value[1], abs=1e-12)
