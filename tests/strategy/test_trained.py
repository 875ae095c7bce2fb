"""Trained agents as strategies: betting lines, hands, classes of hands, rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from oracles.blueprints import random_cards
from solvent.cards.deck import parse_cards
from solvent.forms.betting.tree import DECISION, build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.betting_line import describe_decision, find_decision, moves
from solvent.strategy.agents.trained import TrainedStrategy, class_label, hole_cards

BETTING = "preflop=3bb,a; flop=100%; cap=1; stack=20"


PLACES = {class_label(row, column): (row, column) for row in range(13) for column in range(13)}


@pytest.fixture(scope="module")
def agent() -> TrainedStrategy:
    tree, cards = build_tree(parse_betting(BETTING)), random_cards()

    def average(node: int, cluster: int, bucket: int) -> np.ndarray:
        weights = np.random.default_rng([node, cluster, bucket]).random(len(tree.actions(node)))
        return weights / weights.sum()

    tables = SimpleNamespace(tree=tree, cards=cards, average=average)
    return TrainedStrategy(tables, {"iterations": 7})


def test_every_decision_is_found_by_its_own_line(agent: TrainedStrategy) -> None:
    for node in np.flatnonzero(agent.tree.kind == DECISION).tolist():
        assert find_decision(agent.tree, agent.tree.history(node)) == node


@pytest.mark.parametrize(
    "line",
    ["r300c/", "r300c", "R300 C /", "raise to 300, call", "raises 3bb calls /", "b300 k", "bet 3.0bb; call"],
)
def test_lines_are_written_in_many_ways(agent: TrainedStrategy, line: str) -> None:
    node = find_decision(agent.tree, line)
    assert agent.tree.history(node) == "r300c/"
    assert describe_decision(agent.tree, node) == "big blind on the flop, pot 6 BB"


def test_moves_say_where_they_lead(agent: TrainedStrategy) -> None:
    first = moves(agent.tree, 0)
    assert [move.text for move in first] == ["f", "c", "r300", "r2000"]
    assert [move.label for move in first] == ["fold", "call", "raise to 3 BB", "all-in"]
    assert [move.label for move in moves(agent.tree, find_decision(agent.tree, "cc"))] == [
        "check",
        "bet 2 BB",
    ]
    for move in moves(agent.tree, find_decision(agent.tree, "r300")):
        assert move.text == "f" or agent.tree.kind[find_decision(agent.tree, "r300")] == DECISION
    assert moves(agent.tree, find_decision(agent.tree, "r300"))[1].line == "r300c/"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("r400", "the agent knows f, c, r300, r2000, not r400"),
        ("r300/", "a street ends where"),
        ("/", "a street ends where"),
        ("r300f", "nobody decides there"),
        ("f c", "goes on"),
        ("sideways", "is no action"),
        ("r", "is no action"),
        ("r99999999999999999999999", "the agent knows"),
        ("r300c//", "a street ends where"),
    ],
)
def test_lines_that_lead_nowhere(agent: TrainedStrategy, line: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        find_decision(agent.tree, line)


def test_a_hand_has_the_strategy_of_its_bucket(agent: TrainedStrategy) -> None:
    hole, board = parse_cards("AsKs"), parse_cards("Kd7d2c")
    node = find_decision(agent.tree, "r300c/")
    cluster, bucket = agent.cards.bucket("flop", hole, board)
    expected = agent.tables.average(node, cluster, bucket)
    assert agent.hand(node, hole, board) == pytest.approx(expected)
    assert list(agent.query("AsKs|Kd7d2c|r300c/").values()) == pytest.approx(expected)
    assert agent.query(f"{cluster}.{bucket}|flop|r300c/") == agent.query("AsKs|Kd7d2c|r300c/")
    assert agent.query("AKs||") == agent.query("AhKh||", 0)
    for infoset, sentence in {
        "AsKs|Kd7d|r300c/": "a board of 3 cards",
        "AsKs|Kd7d2c|": "there is no board",
        "AsKs|Ks7d2c|r300c/": "twice",
        "AsKs": "hand|board|line",
        "9.99999|flop|r300c/": "public clusters of",
        "AK||": "written AKs, AKo or 77",
    }.items():
        with pytest.raises(InputError, match=sentence.replace("|", r"\|")):
            agent.query(infoset)
    with pytest.raises(InputError, match="player 1 decides"):
        agent.query("AsKs|Kd7d2c|r300c/", 0)


def test_a_class_is_the_mean_over_its_hands_by_reach(agent: TrainedStrategy) -> None:
    """The slow twin: every hand of a class, one by one."""
    board = parse_cards("Kd7d2c")
    before, node = (find_decision(agent.tree, line) for line in ("r300", "r300c/"))
    chart = agent.classes(node, board)
    called = [move.text for move in moves(agent.tree, before)].index("c")

    def reach(hand: tuple[int, ...]) -> float:
        return float(agent.hand(before, hand, ())[called])

    wanted = {"AKs": ["AcKc", "AhKh", "AsKs"], "KK": ["KcKh", "KcKs", "KhKs"], "72s": ["7h2h", "7s2s"]}
    for label, hands in wanted.items():
        holes = [parse_cards(hand) for hand in hands]
        parts = [reach(hole) for hole in holes]
        mean = np.average([agent.hand(node, hole, board) for hole in holes], axis=0, weights=parts)
        assert chart.probabilities[PLACES[label]] == pytest.approx(mean), label
        assert chart.reach[PLACES[label]] == pytest.approx(np.mean(parts)), label
        assert agent.hand_reach(node, holes[0], board) == pytest.approx(parts[0])
    holes = [(high, low) for high in range(52) for low in range(high) if not {high, low} & set(board)]
    mean = np.average(
        [agent.hand(node, hole, board) for hole in holes], axis=0, weights=[reach(hole) for hole in holes]
    )
    assert chart.frequencies == pytest.approx(mean)
    assert chart.heights.max() == 1
    paired = agent.classes(node, parse_cards("2c2d2h"))
    assert np.isnan(paired.probabilities[PLACES["22"]]).all()
    assert np.isnan(paired.reach[PLACES["22"]])
    preflop = agent.classes(0)
    assert (preflop.reach == 1).all()
    for label, place in PLACES.items():
        assert preflop.probabilities[place] == pytest.approx(agent.hand(0, hole_cards(label), ()))


def test_hands_that_always_fold_are_neither_drawn_nor_averaged(agent: TrainedStrategy) -> None:
    """Before the flop the big blind folds 72o and calls with aces alone."""
    before, node = (find_decision(agent.tree, line) for line in ("r300", "r300c/"))
    aces, worst = (agent.cards.bucket(0, hole_cards(hand), ()) for hand in ("AA", "72o"))

    def average(at: int, cluster: int, bucket: int) -> np.ndarray:
        if at != before:
            return agent.tables.average(at, cluster, bucket)
        plays = {aces: 1, worst: 0}.get((cluster, bucket), 0)
        return np.eye(len(agent.tree.actions(at)))[plays]

    tables = SimpleNamespace(tree=agent.tree, cards=agent.cards, average=average)
    board = parse_cards("Kd7d2c")
    strategy = TrainedStrategy(tables, {})
    chart = strategy.classes(node, board)
    held = ~np.isnan(chart.probabilities).any(axis=2)
    assert np.argwhere(held).tolist() == [[0, 0]]
    assert chart.reach[PLACES["72o"]] == chart.heights[PLACES["72o"]] == 0
    assert chart.frequencies == pytest.approx(chart.probabilities[0, 0])
    assert strategy.hand_reach(node, parse_cards("7h2s"), board) == 0


def test_rows_are_all_infosets_and_can_be_asked_again(agent: TrainedStrategy) -> None:
    rows = list(agent.rows())
    assert len(rows) == len(agent)
    assert len({row.infoset for row in rows}) == len(rows)
    for row in rows[:: max(1, len(rows) // 200)]:
        assert agent.query(row.infoset, row.player) == row.probabilities
    assert sum(1 for _ in agent.rows(1)) == sum(row.player for row in rows)
    assert agent.fingerprint == TrainedStrategy(agent.tables, {}).fingerprint


def test_calling_is_a_check_where_nothing_is_owed(agent: TrainedStrategy) -> None:
    node = find_decision(agent.tree, "c")
    place = agent.tree.actions(node).index(CALL)
    assert moves(agent.tree, node)[place].label == "check"
