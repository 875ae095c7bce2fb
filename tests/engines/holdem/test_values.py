"""Counterfactual values by hand and reaches, at any node: against sums over pairs of hands, and their accounts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from solvent.cards.evaluator import hand_strengths
from solvent.cards.hands import hole_cards
from solvent.engines.holdem.kernels import EVALUATE, RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.tree import DECISION, FOLDED
from solvent.games.holdem.spot import Spot

OOP, IP = "QQ:0.75,99,AhKh:0.3,T8s,76s:0.5", "JJ:0.2,TT,A9s,98s:0.6,AQo:0.9"
SIZES = {"pot": 20, "stack": 60, "bets": "50%,a", "raises": "100%,a"}


@pytest.fixture(scope="module")
def river() -> HoldemSolver:
    solver = HoldemSolver(holdem_game(Spot("Td9d6hQc2s", OOP, IP, **SIZES)), dtype="float64")
    solver.run(7)
    return solver


@pytest.fixture(scope="module")
def turn() -> HoldemSolver:
    """A turn whose boards have isomorphic rivers."""
    ranges = "QQ,99:0.5,T8s", "JJ:0.2,TT,AQo"
    solver = HoldemSolver(holdem_game(Spot("Tc9c6cQc", *ranges, **SIZES)), dtype="float64")
    solver.run(5)
    assert solver.game.isomorphism
    return solver


def paid_by_pairs(solver: HoldemSolver, node: int, player: int) -> NDArray[np.float64]:
    """What the player's hands win at a terminal of a river, by pairs; 0 where both cannot be held at once."""
    game = solver.game
    board = game.streets[0].boards.cards
    own, others = (hole_cards()[game.hands[who]] for who in (player, 1 - player))
    mine, theirs = (
        hand_strengths(np.hstack([hands, np.repeat(board, len(hands), axis=0)])).astype(int)
        for hands in (own, others)
    )
    win, tie, lose = game.tree.pays[node, player]
    ahead = np.sign(mine[:, None] - theirs[None])
    apart = ~(own[:, None, :, None] == others[None, :, None, :]).any(axis=(2, 3))
    return apart * np.where(ahead > 0, win, np.where(ahead == 0, tie, lose))


def values_by_pairs(
    solver: HoldemSolver, node: int, player: int, best: bool, other_reach: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`hand_values` of a river by the definition: a walk down to every terminal, and a sum over pairs there."""
    game, tree = solver.game, solver.game.tree
    if tree.kind[node] != DECISION:
        return game.deal_scale * paid_by_pairs(solver, node, player) @ other_reach
    actor = int(tree.player[node])
    slots = game.streets[0].sides[actor].hand[0]
    rows = solver.strategy_at(node)
    played = np.zeros((len(rows), len(game.hands[actor])))
    played[:, slots[slots >= 0]] = rows[:, slots >= 0]
    children = tree.child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
    if actor == player:
        found = np.array([values_by_pairs(solver, child, player, best, other_reach) for child in children])
        return found.max(axis=0) if best else (played * found).sum(axis=0)
    below = [
        values_by_pairs(solver, child, player, best, other_reach * chosen)
        for child, chosen in zip(children, played, strict=True)
    ]
    return np.sum(below, axis=0)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("mode", [EVALUATE, RESPOND])
def test_values_are_sums_over_pairs_of_hands(river: HoldemSolver, player: int, mode: int) -> None:
    for node in range(len(river.game.tree.kind)):
        reach = river.reaches_at(node)[1 - player]
        expected = values_by_pairs(river, node, player, mode == RESPOND, reach)
        np.testing.assert_allclose(river.hand_values(player, mode, node), expected, rtol=0, atol=1e-12)


def test_values_at_the_root_sum_to_the_value_of_the_game(river: HoldemSolver, turn: HoldemSolver) -> None:
    for solver in (river, turn):
        found = solver.evaluate()
        for player, weights in enumerate(solver.game.weights):
            assert weights @ solver.hand_values(player) == pytest.approx(found.value[player], abs=1e-12)
        assert sum(found.value) == pytest.approx(0, abs=1e-12)


def test_what_one_wins_the_other_loses_at_every_node_of_every_board(
    river: HoldemSolver, turn: HoldemSolver
) -> None:
    for solver in (river, turn):
        game = solver.game
        for node in range(len(game.tree.kind)):
            for board in range(0, len(game.streets[game.tree.street[node]].boards), 5):
                reaches = solver.reaches_at(node, board)
                first, second = (
                    reaches[player] @ solver.hand_values(player, EVALUATE, node, board) for player in (0, 1)
                )
                assert first == pytest.approx(-second, abs=1e-12)


def test_values_at_a_deal_are_those_of_the_boards_after_it(turn: HoldemSolver) -> None:
    game, tree = turn.game, turn.game.tree
    rivers = game.streets[1].boards
    for subtree in tree.subtrees[1]:
        for player in (0, 1):
            below = [turn.hand_values(player, EVALUATE, subtree.start, board) for board in range(len(rivers))]
            # A hand's own value counts boards by suit; what all hands sum to does not.
            reach = turn.reaches_at(subtree.deal)[player]
            total = sum(
                times * (reach @ values) for times, values in zip(rivers.multiplicity, below, strict=True)
            )
            here = reach @ turn.hand_values(player, EVALUATE, subtree.deal)
            assert total == pytest.approx(here, abs=1e-12)


def test_reaches_are_weights_times_what_is_played(river: HoldemSolver) -> None:
    tree = river.game.tree
    np.testing.assert_array_equal(river.reaches_at(0)[0], river.game.weights[0])
    children = tree.child[: tree.first_edge[1]]
    split = [river.reaches_at(int(child)) for child in children]
    np.testing.assert_allclose(sum(reach[0] for reach in split), river.game.weights[0], atol=1e-14)
    for reach in split:
        np.testing.assert_array_equal(reach[1], river.game.weights[1])


def test_values_of_a_fold_are_the_mass_of_hands_that_can_be_held(river: HoldemSolver) -> None:
    tree = river.game.tree
    node = int(np.flatnonzero(tree.kind == FOLDED)[0])
    reach = river.reaches_at(node)[1]
    own, others = (hole_cards()[hands] for hands in river.game.hands)
    apart = ~(own[:, None, :, None] == others[None, :, None, :]).any(axis=(2, 3))
    expected = river.chance_at(node) * tree.pays[node, 0, 0] * (apart @ reach)
    np.testing.assert_allclose(river.hand_values(0, EVALUATE, node), expected, atol=1e-14)
