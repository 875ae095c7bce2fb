"""Weights, equities and EVs by hand against brute force, their sums, isomorphism, and what is not reached."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.small_spots import spots
from solvent.cards.deck import card_label, deck, parse_cards
from solvent.cards.evaluator import hand_strengths
from solvent.cards.hands import hole_cards
from solvent.cards.ranges import parse_range
from solvent.engines.holdem.kernels import EVALUATE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.tree import DECISION
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import Betting
from solvent.spots.locks import parse_lock
from solvent.spots.nodes.answers import Answers, Showdowns
from solvent.spots.nodes.grid import node_heights, node_weights
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution

SIZES = {"pot": 20, "stack": 60, "bets": "50%,a", "raises": "100%,a"}
RIVER = Spot("Td9d6hQc2s", "QQ:0.75,99,AhKh:0.3,T8s,76s:0.5", "JJ:0.2,TT,A9s,98s:0.6,AQo:0.9", **SIZES)
TURN = Spot("Tc9c6cQc", "QQ,99:0.5,T8s,AhKh,AsKs,AdKd", "JJ:0.2,TT,AQo", rake="5%", **SIZES)
"""A turn whose rivers differ only in suits for the ranges."""


def test_cells_are_as_high_as_their_classes_come(river: SpotSolution) -> None:
    node = river.at("check")
    every = parse_range("JJ,TT,A9s,98s,AQo").weights > 0
    possible = every & ~np.isin(hole_cards(), node.cards).any(axis=1)
    weights = dict(zip(node.numbers[1].tolist(), node.weights[1].tolist(), strict=True))
    heights = node_heights(node)
    assert heights.keys() == {"JJ", "TT", "A9s", "98s", "AQo"}
    for label, height in heights.items():
        hands = np.flatnonzero(possible & (parse_range(label).weights > 0)).tolist()
        mean = math.fsum(weights[hand] for hand in hands) / len(hands)
        assert node_weights(node)[label] == pytest.approx(mean)
        assert height == pytest.approx(mean / 1.0), "tens come with weight 1"
    page = node._repr_html_()
    assert page.count("100%/100% 100% no-repeat") == 2
    assert page.count("100%/100% 20% no-repeat") == 1
    assert "as high as its class comes here" in page
    high = {patch.get_height() for patch in node.plot_grid().patches}
    assert {0.2, 0.6, 0.9} <= {round(each, 9) for each in high}


def solved(spot: Spot, iterations: int, isomorphism: bool = True, lock: str = "") -> SpotSolution:
    game = holdem_game(spot, isomorphism)
    locks = [parse_lock(lock, spot, game.tree)] if lock else []
    solver = HoldemSolver(game, dtype="float64", locks=locks)
    solver.run(iterations)
    return SpotSolution(solver)


@pytest.fixture(scope="module")
def river() -> SpotSolution:
    return solved(RIVER, 7)


@pytest.fixture(scope="module")
def turn() -> SpotSolution:
    found = solved(TURN, 5)
    assert found.solver.game.isomorphism
    return found


def nodes_of(node: SpotNode) -> Iterator[SpotNode]:
    """A node and all nodes of its street below it."""
    yield node
    if node.kind == "decision":
        for child in node.children().values():
            yield from nodes_of(child)


def counted_equity(node: SpotNode, player: int, own: str) -> float:
    """A hand's equity by going through all of the other's hands and all boards to come."""
    won = total = 0.0
    held = parse_cards(own)
    for hand, weight in zip(node.hands[1 - player], node.weights[1 - player].tolist(), strict=True):
        other = parse_cards(hand)
        if weight == 0 or set(held) & set(other):
            continue
        left = [card for card in deck() if card not in (*held, *other, *node.cards)]
        boards = np.array([(*node.cards, *more) for more in combinations(left, 5 - len(node.cards))])
        mine, theirs = (
            hand_strengths(np.hstack([np.tile(two, (len(boards), 1)), boards])).astype(int)
            for two in (held, other)
        )
        won += weight * float(((mine > theirs) + 0.5 * (mine == theirs)).mean())
        total += weight
    return won / total if total else math.nan


@pytest.mark.parametrize(
    "line", ["", "check", "bet 10", "check, bet 10", "bet 10, raise 50", "bet 60, call", "check, check"]
)
def test_equities_equal_a_count_over_hands_and_boards(
    river: SpotSolution, turn: SpotSolution, line: str
) -> None:
    for solution in (river, turn):
        node = solution.at(line)
        for player in (0, 1):
            counted = [counted_equity(node, player, hand) for hand in node.hands[player]]
            np.testing.assert_allclose(node.equity[player], counted, rtol=1e-12)


@pytest.mark.parametrize("card", ["2d", "2h", "Ks", "Jc", "8h"])
def test_weights_are_the_range_times_the_own_actions_on_any_river(turn: SpotSolution, card: str) -> None:
    words = ["check", "bet 10", "call", card, "bet 20", "raise 50"]
    expected = [
        {hand: TURN.ranges[player].weights[number] for hand, number in numbered(turn.root, player)}
        for player in (0, 1)
    ]
    for taken, word in enumerate(words):
        node = turn.at(", ".join(words[:taken]))
        if node.player is not None:
            row = node.strategy[node.actions.index(word)]
            for hand, chance in zip(node.hands[node.player], row.tolist(), strict=True):
                expected[node.player][hand] *= chance
    end = turn.at(", ".join(words))
    for player in (0, 1):
        left = [hand for hand in expected[player] if card not in (hand[:2], hand[2:])]
        assert list(end.hands[player]) == left
        np.testing.assert_allclose(end.weights[player], [expected[player][hand] for hand in left], rtol=1e-12)


def numbered(node: SpotNode, player: int) -> list[tuple[str, int]]:
    return list(zip(node.hands[player], node.numbers[player].tolist(), strict=True))


# EVs and the pot


def expected_rake(node: SpotNode, pairs: np.ndarray) -> float:
    """What the house takes after a node, times the weight of all pairs of hands.

    `pairs` has the weight of each pair of hands of the ranges, float64[OOP's hands, IP's hands].
    """
    if not pairs.any():
        return 0.0
    listed = node.solver.game.hands
    total = 0.0
    if node.player is not None:
        for row, child in zip(node.strategy, node.children().values(), strict=True):
            chance = np.zeros(len(listed[node.player]))
            chance[np.searchsorted(listed[node.player], node.numbers[node.player])] = row
            total += expected_rake(child, pairs * (chance[:, None] if node.player == 0 else chance[None]))
        return total
    if node.kind == "deal":
        cards = node.next_cards()
        for card, child in cards.items():
            first, second = (~(hole_cards()[hands] == parse_cards(card)[0]).any(axis=1) for hands in listed)
            total += expected_rake(child, pairs * np.outer(first, second) / (len(cards) - 4))
        return total
    return float(pairs.sum()) * terminal(node.solver.game.tree.betting[node.place.node]).rake


def terminal(betting: Betting) -> Betting:
    return terminal(betting.children[0]) if betting.deals else betting


def check_account(node: SpotNode) -> None:
    """Both players' EVs and the rake sum to the pot, and EVs are those of the actions."""
    weights, cards = [], []
    for player, listed in enumerate(node.solver.game.hands):
        weights.append(np.zeros(len(listed)))
        weights[player][np.searchsorted(listed, node.numbers[player])] = node.weights[player]
        cards.append(hole_cards()[listed])
    shared = (cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(2, 3))
    pairs = np.outer(*weights) * ~shared
    if pairs.sum() == 0:
        assert not node.reached[0].any()
        assert not node.reached[1].any()
        assert node.summary()["ev"] == [None, None]
        return
    rake = expected_rake(node, pairs) / pairs.sum()
    evs = [node.average(player, node.ev[player]) for player in (0, 1)]
    assert sum(evs) + rake == pytest.approx(node.pot, abs=1e-9 * node.pot)
    assert sum(node.average(player, node.equity[player]) for player in (0, 1)) == pytest.approx(1)
    if node.player is not None:
        mixed = (node.strategy * node.action_evs).sum(axis=0)
        np.testing.assert_allclose(mixed, node.ev[node.player], rtol=1e-9, atol=1e-9 * node.pot)


@given(spot=spots(5, raked=True), iterations=st.integers(0, 4))
@settings(max_examples=12, deadline=None)
def test_evs_and_rake_sum_to_the_pot_at_every_node_of_a_river(spot: Spot, iterations: int) -> None:
    for node in nodes_of(solved(spot, iterations).root):
        check_account(node)


@given(spot=spots(4, ranks=4, raked=True), iterations=st.integers(0, 3), data=st.data())
@settings(max_examples=6, deadline=None)
def test_evs_and_rake_sum_to_the_pot_from_a_turn_on(spot: Spot, iterations: int, data: st.DataObject) -> None:
    found = list(nodes_of(solved(spot, iterations).root))
    node = data.draw(st.sampled_from(found))
    check_account(node)
    deals = [each for each in found if each.kind == "deal"]
    if deals:
        after = data.draw(st.sampled_from(deals)).next_cards()
        for below in nodes_of(after[data.draw(st.sampled_from(sorted(after)))]):
            check_account(below)


# Suits


def played_without_isomorphism(solution: SpotSolution) -> SpotSolution:
    """The solution's strategy on all boards, as a solution of the game in which no board stands for others."""
    game = holdem_game(solution.spot, isomorphism=False)
    solver, tree = HoldemSolver(game, dtype="float64"), game.tree
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        street, player = int(tree.street[node]), int(tree.player[node])
        side, listed = game.streets[street].sides[player], game.hands[player]
        words = tree.betting[node].history.split(", ") if tree.betting[node].history else []
        turn_words = next((n for n in range(1, len(words)) if is_dealt(solution, words[:n])), len(words))
        for number, cards in enumerate(game.streets[street].boards.cards.tolist()):
            river = [card_label(cards[-1])] if street else []
            found = solution.at(", ".join([*words[:turn_words], *river, *words[turn_words:]]))
            held = side.hand[number][side.hand[number] >= 0]
            columns = np.searchsorted(found.numbers[player], listed[held])
            for action, row in enumerate(found.strategy):
                at = game.street_at[street] + number * game.board_cells[street]
                at += game.edge_at[tree.first_edge[node] + action]
                solver.average[at : at + len(held)] = row[columns]
    return SpotSolution(solver)


def is_dealt(solution: SpotSolution, words: list[str]) -> bool:
    return solution.at(", ".join(words)).kind == "deal"


def test_boards_that_stand_for_others_have_what_they_have_without_isomorphism() -> None:
    small = {"pot": 20, "stack": 60, "bets": "50%", "raises": "a", "cap": 2}
    turn = solved(Spot("Tc9c6cQc", "QQ,99:0.5,T8s,AhKh,AsKs,AdKd", "JJ:0.2,TT,AQo", **small), 5)
    apart = played_without_isomorphism(turn)
    stood_for = set()
    for line in ["check, check", "bet 10, call"]:
        for card, after in turn.at(line).next_cards().items():
            stood_for.add(after.stands_for)
            for more in ["", ", check"]:
                one, other = turn.at(f"{line}, {card}{more}"), apart.at(f"{line}, {card}{more}")
                assert one.hands == other.hands
                for name in ("weights", "ev", "equity"):
                    for mine, theirs in zip(getattr(one, name), getattr(other, name), strict=True):
                        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
                np.testing.assert_allclose(one.strategy, other.strategy, rtol=1e-9, atol=1e-9)
                np.testing.assert_allclose(one.action_evs, other.action_evs, rtol=1e-9, atol=1e-9)
    assert len(stood_for) < 48
    np.testing.assert_allclose(turn.root.ev[0], apart.root.ev[0], rtol=1e-9)


def test_a_branch_of_a_flop_has_the_values_of_the_whole_game() -> None:
    small = {"pot": 20, "stack": 30, "bets": "50%", "raises": "a", "cap": 2, "rake": "5%"}
    solution = solved(Spot("Tc9c6c", "QQ,AhKh,AsKs,AdKd", "JJ:0.2,ThTd,ThTs,TdTs", **small), 3)
    solver = solution.solver
    assert solver.game.isomorphism
    for line in ["check, check, 2d", "check, check, Qh, bet 10", "bet 10, call, Jc, check, check, 2h, check"]:
        node = solution.at(line)
        street, board = node.stands_for
        assert len(solver.game.streets[street].boards) > 1
        for player in (0, 1):
            values = solver.hand_values(player, EVALUATE, node.place.node, board) / solver.chance_at(
                node.place.node
            )
            found = Answers(solver, Showdowns(solver.game)).values(player, node.place.node, board)
            np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-12)


# What is not reached


def test_hands_and_nodes_that_are_not_reached_are_marked() -> None:
    never = solved(RIVER, 3, lock=": random = check:0.5, bet 60:0.5")
    node = never.at("bet 10")
    assert not node.reached[0].any()
    assert not node.reached[1].any()
    assert np.isnan(node.ev[1]).all()
    assert np.isfinite(node.ev[0]).all(), "IP's hands are there, so what OOP would get is known"
    found = node.summary()
    assert (found["reached"], found["ev"], found["equity"]) == (False, [None, None], [None, None])
    assert set(found["frequencies"].values()) == {None}
    some = solved(RIVER, 3, lock=": QQ = check:1").at("bet 10")
    for hand, reached in zip(some.hands[0], some.reached[0].tolist(), strict=True):
        assert reached == (not (hand[0] == hand[2] == "Q")), hand
    assert some.reached[1].all()


def test_a_hand_that_leaves_the_other_none_is_not_reached() -> None:
    blocked = Spot("Td9d6hQc2s", "AsAh,7s7h", "AsKs,AhKh", **SIZES)
    node = solved(blocked, 1).root
    assert node.reached[0].tolist() == [True, False]
    assert math.isnan(node.ev[0][1])
    assert math.isnan(node.equity[0][1])


def test_a_card_that_leaves_a_player_no_hand_leaves_the_node_unreached() -> None:
    node = solved(Spot("Td9d6hQc", "AsAh", "KsKh,JsJh", **SIZES), 1).at("check, check, As, bet 10")
    assert node.hands[0] == ()
    assert not node.reached[1].any()
    assert np.isnan(node.ev[1]).all()
    assert np.isnan(node.action_evs).all()
    assert node.summary()["frequencies"] == dict.fromkeys(node.actions)


# As data


def test_columns_and_json_have_the_same_numbers(river: SpotSolution) -> None:
    node = river.at("check, bet 10")
    columns = node.to_dict()
    assert {len(column) for column in columns.values()} == {len(node.hands[0])}
    assert columns["fold"] == node.strategy[0].tolist()
    assert columns["ev of call"] == node.action_evs[1].tolist()
    assert node.to_dict("ip")["hand"] == list(node.hands[1])
    assert node.as_dict()["hands"]["OOP"]["call"] == columns["call"]
    assert node.as_dict()["ev"][0] == node.average(0, node.ev[0])
