"""Gadgets: the coin toss with its closed answers, and rivers solved again that leave no hand better off."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from solvent.cards.ranges import Range
from solvent.engines.holdem.gadget import GadgetSolver, carried_values, compatible_mass, gadget_play
from solvent.engines.holdem.kernels import EVALUATE, RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.gadget import CFRD, FLOOR, KINDS, MAXMARGIN, UNSAFE, Gadget
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import Spot

OOP, IP = "QQ,99:0.5,AhKh,T8s,76s:0.5,A2s", "JJ,TT,A9s,98s:0.6,AQo:0.9,54s"
SIZES = {"pot": 20, "stack": 60, "bets": "50%,a", "raises": "100%,a"}


# The coin toss: the opponent sees a coin and may enter; we guess heads with probability p.


def guess(kind: str, instead: tuple[float, float], iterations: int = 20_000) -> float:
    """Our average guess p in the coin toss: entering is worth 1 - 2p with heads and 2p - 1 with tails."""
    play = gadget_play(Gadget(0, kind, np.array(instead)), np.ones(2), np.ones(2))
    regret, total = np.zeros(2), 0.0
    for t in range(1, iterations + 1):
        p = regret[0] / regret.sum() if regret.sum() > 0 else 0.5
        total += t * p
        won = (play.reach[0] - play.reach[1]) * np.array([1.0, -1.0])
        regret = np.maximum(0, regret + won - (p * won[0] + (1 - p) * won[1]))
        play.learn(np.array([1 - 2 * p, 2 * p - 1]))
    return total / (iterations * (iterations + 1) / 2)


@pytest.mark.parametrize("instead", [(0.5, -0.5), (-0.5, 0.5), (0.2, 0.1), (0.0, 0.0), (0.4, -0.6)])
def test_maxmargin_evens_out_what_both_sides_of_the_coin_gain(instead: tuple[float, float]) -> None:
    heads, tails = instead
    assert guess(MAXMARGIN, instead) == pytest.approx((2 - heads + tails) / 4, abs=5e-3)


@pytest.mark.parametrize("instead", [(0.5, -0.5), (-0.5, 0.5), (0.2, 0.1), (0.0, 0.0), (0.6, -0.4)])
def test_cfrd_leaves_neither_side_of_the_coin_better_off(instead: tuple[float, float]) -> None:
    heads, tails = instead
    assert (1 - heads) / 2 - 2e-3 <= guess(CFRD, instead) <= (1 + tails) / 2 + 2e-3


def test_cfrd_learns_as_its_definition_says() -> None:
    rng = np.random.default_rng(5)
    weights, instead = rng.uniform(0.1, 1, 6), rng.normal(size=6)
    play = gadget_play(Gadget(1, CFRD, instead), weights, np.ones(6))
    np.testing.assert_array_equal(play.reach, weights)
    enter, stay, part = np.zeros(6), np.zeros(6), np.ones(6)
    for _ in range(20):
        values = rng.normal(size=6)
        mean = part * values + (1 - part) * instead
        enter, stay = np.maximum(0, enter + values - mean), np.maximum(0, stay + instead - mean)
        part = np.where(enter + stay > 0, enter / np.where(enter + stay > 0, enter + stay, 1), 1)
        play.learn(values)
        np.testing.assert_allclose(play.reach, weights * part, atol=1e-12)


def test_maxmargin_learns_as_its_definition_says() -> None:
    rng = np.random.default_rng(6)
    mass, instead = np.array([0.5, 0.2, 0.0, 0.9]), rng.normal(size=4)
    possible = mass > 0
    play = gadget_play(Gadget(1, MAXMARGIN, instead), np.ones(4), mass)
    margin, picked = np.zeros(4), possible / 3
    for _ in range(20):
        np.testing.assert_allclose(play.reach[possible], picked[possible] / mass[possible], atol=1e-12)
        assert play.reach[2] == 0
        values = rng.normal(size=4) * possible
        gain = np.array([(v - t) / m if m else 0 for v, t, m in zip(values, instead, mass, strict=True)])
        margin = np.maximum(0, margin + gain - picked @ gain) * possible
        picked = margin / margin.sum() if margin.sum() > 0 else possible / 3
        play.learn(values)


def test_floor_never_falls_below_a_part_of_the_old_reach() -> None:
    weights, old = np.ones(3), np.array([0.0, 0.4, 1.0])
    gadget = Gadget(0, FLOOR, np.ones(3), old, share=0.5, least=0.1)
    play = gadget_play(gadget, weights, np.ones(3))
    for _ in range(10):
        play.learn(np.array([-1.0, -1.0, -1.0]))
    np.testing.assert_allclose(play.reach, [0.1, 0.2, 0.5])
    for _ in range(100):
        play.learn(np.array([2.0, 2.0, 2.0]))
    assert (play.reach > 0.9).all()


# Hold'em


def with_all_hands(trunk: HoldemSolver, player: int) -> HoldemGame:
    """The trunk's river with the player's hands at weight 1, as a gadget wants them."""
    rules = trunk.game.rules
    ranges = [
        Range((weights > 0).astype(float) if who == player else weights)
        for who, weights in enumerate(rules.range_weights)
    ]
    return holdem_game(Spot(rules.root_board, ranges[0], ranges[1], **SIZES))


@pytest.fixture(scope="module")
def trunk() -> HoldemSolver:
    """A river that has hardly been solved."""
    solver = HoldemSolver(holdem_game(Spot("Td9d6hQc2s", OOP, IP, **SIZES)), dtype="float64")
    solver.run(3)
    return solver


@pytest.fixture(scope="module")
def resolved(trunk: HoldemSolver) -> dict[tuple[int, str], GadgetSolver]:
    """The river solved again against each player as the opponent, by each kind of gadget that promises safety."""
    found = {}
    for player in (0, 1):
        game = with_all_hands(trunk, player)
        values = carried_values(trunk, 0, 0, game, player)
        for kind in (CFRD, MAXMARGIN):
            found[player, kind] = GadgetSolver(game, Gadget(player, kind, values), dtype="float64")
            found[player, kind].run(3000)
    return found


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("kind", [CFRD, MAXMARGIN])
def test_no_hand_of_the_opponent_is_better_off(
    trunk: HoldemSolver, resolved: dict[tuple[int, str], GadgetSolver], player: int, kind: str
) -> None:
    solver = resolved[player, kind]
    game, before = solver.game, solver.gadget.values
    assert before is not None
    after = solver.hand_values(player, RESPOND)
    in_chips = (after - before) / compatible_mass(game, player)
    assert in_chips.max() < 5e-3
    # The opponent's best response in the whole river, the gadget and the trunk's ranges: not above the trunk's.
    weights = trunk.game.weights[player]
    assert weights @ after <= weights @ before + 5e-3 * (weights @ compatible_mass(game, player))
    found = solver.evaluate()
    assert found.exploitability < 5e-3
    assert found.best_response[player] >= found.value[player]
    assert sum(found.value) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_without_a_gadget_some_hands_of_the_opponent_are_better_off(player: int) -> None:
    """Against a fair strategy the promise of `cfrd` binds: `unsafe` breaks it by far."""
    trunk = HoldemSolver(holdem_game(Spot("Td9d6hQc2s", OOP, IP, **SIZES)), dtype="float64")
    trunk.run(30)
    game = with_all_hands(trunk, player)
    values = carried_values(trunk, 0, 0, game, player)
    better_off = {}
    for kind in (UNSAFE, CFRD):
        solver = GadgetSolver(game, Gadget(player, kind, values, trunk.game.weights[player]), dtype="float64")
        solver.run(3000)
        gained = (solver.hand_values(player, RESPOND) - values) / compatible_mass(game, player)
        better_off[kind] = gained.max()
    assert better_off[UNSAFE] > 0.2
    assert better_off[CFRD] < 5e-3


@pytest.mark.parametrize("player", [0, 1])
def test_maxmargin_gains_most_where_it_gains_least(
    resolved: dict[tuple[int, str], GadgetSolver], player: int
) -> None:
    least = {}
    for kind in (CFRD, MAXMARGIN):
        solver = resolved[player, kind]
        assert solver.gadget.values is not None
        gains = solver.gadget.values - solver.hand_values(player, RESPOND)
        least[kind] = (gains / compatible_mass(solver.game, player)).min()
    assert least[MAXMARGIN] >= least[CFRD] - 5e-3
    assert -resolved[player, MAXMARGIN].evaluate().best_response[player] == pytest.approx(least[MAXMARGIN])


def test_unsafe_is_a_plain_spot(trunk: HoldemSolver) -> None:
    game = trunk.game
    for reach in (None, game.weights[1]):
        solver = GadgetSolver(game, Gadget(1, UNSAFE, reach=reach), dtype="float64")
        solver.run(3)
        np.testing.assert_array_equal(solver.regret, trunk.regret)
        np.testing.assert_array_equal(solver.average, trunk.average)
        assert solver.evaluate() == trunk.evaluate()


@pytest.mark.parametrize("player", [0, 1])
def test_a_gadget_that_everybody_enters_is_a_plain_spot(trunk: HoldemSolver, player: int) -> None:
    poor = np.full(len(trunk.game.hands[player]), -1e6)
    solver = GadgetSolver(trunk.game, Gadget(player, CFRD, poor), dtype="float64")
    solver.run(3)
    np.testing.assert_allclose(solver.regret, trunk.regret, atol=1e-12)
    np.testing.assert_allclose(solver.average, trunk.average, atol=1e-12)


def test_iterations_may_come_in_pieces_and_from_a_checkpoint(trunk: HoldemSolver) -> None:
    game, values = trunk.game, trunk.hand_values(0, RESPOND)
    for kind in KINDS:
        gadget = Gadget(0, kind, values, 0.5 * game.weights[0])
        at_once, pieces = (GadgetSolver(game, gadget, dtype="float64") for _ in range(2))
        at_once.run(9)
        pieces.run(4)
        loaded = GadgetSolver(game, gadget, dtype="float64")
        loaded.load_tables({name: table.copy() for name, table in pieces.saved_tables().items()})
        loaded.iterations = 4
        for solver in (pieces, loaded):
            solver.run(5)
            np.testing.assert_array_equal(solver.average, at_once.average)
            assert solver.evaluate() == at_once.evaluate()


# A river of a turn


def play_instead(
    target: HoldemSolver, root: int, board: int, source: HoldemSolver, top: int, at: int
) -> None:
    """Let `target` play below (root, board) what `source` plays below (top, at), where the trees are alike."""
    for node in range(_size(source, top)):
        here, there = root + node, top + node
        if source.game.tree.kind[there] != DECISION:
            continue
        player = int(source.game.tree.player[there])
        places = [
            {int(number): slot for slot, number in enumerate(game.hands[player][hands]) if hands[slot] >= 0}
            for game, hands in (
                (target.game, _slots(target, here, board, player)),
                (source.game, _slots(source, there, at, player)),
            )
        ]
        rows, played = average_rows(target, here, board), source.strategy_at(there, at)
        for number, slot in places[0].items():
            if number in places[1]:
                for row, probability in zip(rows, played[:, places[1][number]], strict=True):
                    row[slot] = probability


def _size(solver: HoldemSolver, top: int) -> int:
    subtrees = (one for street in solver.game.tree.subtrees for one in street)
    return next(one.stop - one.start for one in subtrees if one.start == top)


def _slots(solver: HoldemSolver, node: int, board: int, player: int) -> NDArray[np.int16]:
    return solver.game.streets[solver.game.tree.street[node]].sides[player].hand[board]


def average_rows(solver: HoldemSolver, node: int, board: int) -> list[NDArray[np.float64]]:
    """The averages of each action of a decision on a board, by slot: views of the solver's table."""
    game, tree = solver.game, solver.game.tree
    street = int(tree.street[node])
    base = game.street_at[street] + board * game.board_cells[street]
    edges = range(tree.first_edge[node], tree.first_edge[node + 1])
    return [
        solver.average[base + game.edge_at[edge] : base + game.edge_at[edge] + game.edge_slots[edge]]
        for edge in edges
    ]


@pytest.fixture(scope="module")
def turn() -> HoldemSolver:
    spot = Spot("Td9d6hQc", "AQo,KJs:0.5,A2s,88", "JJ,AJo:0.9,KTs,77", **SIZES)
    solver = HoldemSolver(holdem_game(spot, isomorphism=False), dtype="float64")
    solver.run(4)
    return solver


def river_of(turn: HoldemSolver, board: int, opponent: int) -> tuple[int, HoldemGame]:
    """The river after both have checked, as a node of the turn and as a spot with a gadget's ranges."""
    game, tree = turn.game, turn.game.tree
    checked = tree.child[tree.first_edge[tree.child[0]]]
    root = next(one.start for one in tree.subtrees[1] if one.deal == checked)
    ranges = []
    for player, reach in enumerate(turn.reaches_at(root, board)):
        weights = np.zeros(1326)
        weights[game.hands[player]] = reach > 0 if player == opponent else reach
        ranges.append(Range(weights))
    cards = tuple(game.streets[1].boards.cards[board].tolist())
    return root, holdem_game(Spot(cards, *ranges, **SIZES))


@pytest.mark.parametrize("opponent", [0, 1])
def test_values_carried_to_a_river_are_those_of_the_same_strategy_there(
    turn: HoldemSolver, opponent: int
) -> None:
    root, game = river_of(turn, 7, opponent)
    alike = HoldemSolver(game, dtype="float64")
    play_instead(alike, 0, 0, turn, root, 7)
    for mode in (EVALUATE, RESPOND):
        carried = carried_values(turn, root, 7, game, opponent, mode)
        np.testing.assert_allclose(alike.hand_values(opponent, mode), carried, atol=1e-12)


@pytest.mark.parametrize("opponent", [0, 1])
def test_a_river_solved_again_makes_the_turn_no_easier_to_exploit(turn: HoldemSolver, opponent: int) -> None:
    mended = HoldemSolver(turn.game, dtype="float64")
    mended.load_tables({name: table.copy() for name, table in turn.saved_tables().items()})
    start = before = turn.evaluate().best_response[opponent]
    for board in (0, 7, 20, 33):
        root, game = river_of(turn, board, opponent)
        gadget = Gadget(opponent, CFRD, carried_values(turn, root, board, game, opponent))
        solver = GadgetSolver(game, gadget, dtype="float64")
        solver.run(1000)
        old = average_rows_of(mended, root, board, opponent)
        play_instead(mended, root, board, solver, 0, 0)
        for rows, kept in old:
            for row, was in zip(rows, kept, strict=True):
                row[:] = was  # the opponent's strategy stays
        after = mended.evaluate().best_response[opponent]
        assert after <= before + 1e-6
        by_hand = [one.hand_values(opponent, RESPOND, root, board) for one in (turn, mended)]
        assert (by_hand[1] <= by_hand[0] + 1e-6).all()
        before = after
    assert before < start - 0.05


def average_rows_of(
    solver: HoldemSolver, root: int, board: int, player: int
) -> list[tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]]:
    """A player's averages below a root: views, and copies of what they hold."""
    tree, found = solver.game.tree, []
    for node in range(root, root + _size(solver, root)):
        if tree.kind[node] == DECISION and tree.player[node] == player:
            rows = average_rows(solver, node, board)
            found.append((rows, [row.copy() for row in rows]))
    return found


@pytest.mark.parametrize("kind", [CFRD, MAXMARGIN, FLOOR])
def test_isomorphism_and_threads_leave_the_value_as_it_is(kind: str) -> None:
    spot = Spot("Tc9c6cQc", "AQo,KJs:0.5,A2s,88", "JJ,AJo:0.9,KTs,77", **SIZES)
    plain, joined = (holdem_game(spot, isomorphism=isomorphism) for isomorphism in (False, True))
    assert joined.isomorphism
    trunk = HoldemSolver(plain, dtype="float64")
    trunk.run(2)
    values = trunk.hand_values(1, RESPOND)
    gadget = Gadget(1, kind, values, 0.3 * plain.weights[1])
    solvers = [GadgetSolver(game, gadget, dtype="float64") for game in (plain, joined)]
    solvers.append(GadgetSolver(joined, gadget, dtype="float64", threads=2))
    for solver in solvers:
        solver.run(400)
    # Where regrets cancel rounding decides what is played, but a game has one value.
    apart, together, threaded = (solver.evaluate() for solver in solvers)
    error = apart.exploitability + together.exploitability
    assert error < 0.01
    assert together.value[0] == pytest.approx(apart.value[0], abs=2 * error)
    assert threaded == together


def test_a_gadget_that_tells_suits_apart_needs_a_game_without_isomorphism() -> None:
    spot = Spot("Tc9c6cQc", "QQ", "JJ", **SIZES)
    values = np.arange(3.0)
    with pytest.raises(InputError, match="without isomorphism"):
        GadgetSolver(holdem_game(spot), Gadget(0, CFRD, values))
    GadgetSolver(holdem_game(spot, isomorphism=False), Gadget(0, CFRD, values))


def test_gadgets_that_do_not_fit_are_refused(trunk: HoldemSolver) -> None:
    game, hands = trunk.game, len(trunk.game.hands[0])
    for make in (
        lambda: Gadget(2, UNSAFE),
        lambda: Gadget(0, "maxmargins"),
        lambda: Gadget(0, CFRD),
        lambda: Gadget(0, FLOOR, np.zeros(hands)),
        lambda: Gadget(0, FLOOR, np.zeros(hands), np.zeros(hands), share=2),
        lambda: GadgetSolver(game, Gadget(0, CFRD, np.zeros(hands + 1))),
        lambda: GadgetSolver(game, Gadget(0, CFRD, np.full(hands, np.nan))),
        lambda: GadgetSolver(game, Gadget(0, UNSAFE, reach=np.full(hands, 2.0))),
    ):
        with pytest.raises(InputError):
            make()
