"""The history form: shape of the arrays, refusals, and what it says of a game."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.random_games import Node, RandomGame, RandomState
from oracles.trees import children, count
from solvent.forms import history
from solvent.forms.history import compile_tree, estimated_histories
from solvent.forms.sequence import sequence_form
from solvent.foundation.progress import Progress
from solvent.games.catalogue import load_game
from solvent.games.game import CHANCE, TERMINAL, GameError

SMALL = [
    "kuhn",
    "leduc",
    "leduc(ranks=4,suits=3,bets1=[1,2],max_bets=1)",
    "bluff(dice=1,faces=3)",
    "bluff(dice=2,faces=2)",
]


class Hand:
    """A game made of one hand-written tree."""

    players = 2

    def __init__(self, root: Node) -> None:
        self.node = root

    def __str__(self) -> str:
        return "hand-made"

    def root(self) -> RandomState:
        return RandomState(self.node)


def win(amount: float) -> Node:
    return Node(TERMINAL, pays=(amount, -amount))


@pytest.mark.parametrize("name", SMALL)
def test_rows_are_a_preorder_tree(name: str) -> None:
    tree = compiled(name)
    assert tree.histories == count(load_game(name))
    assert tree.parent[0] == 0
    assert (tree.parent[1:] < np.arange(1, tree.histories)).all()
    for row in range(tree.histories):
        below = children(tree, row)
        assert (tree.player[row] == TERMINAL) == (not below)
        assert all(tree.parent[child] == row for child in below)
        if tree.player[row] == CHANCE:
            probabilities = [tree.chance[tree.cell[child] - tree.cells] for child in below]
            assert sum(probabilities) == pytest.approx(1, abs=1e-12)
        elif tree.player[row] >= 0:
            infoset = tree.infoset[row]
            assert [tree.cell[child] for child in below] == list(
                range(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1])
            )
            assert tree.infoset_player[infoset] == tree.player[row]
    assert (tree.payoff[0] == -tree.payoff[1]).all()
    assert tree.zero_sum


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_random_games_compile_to_what_a_walk_counts(seed: int, forgetful: bool) -> None:
    game = RandomGame(seed, forgetful=forgetful)
    try:
        tree = compile_tree(game)
    except GameError as error:
        assert forgetful
        assert "in one infoset" in str(error)
        return
    assert tree.histories == count(game)
    if not forgetful:
        assert sequence_form(tree).perfect_recall


def test_a_game_that_does_not_fit_is_refused_with_its_size_and_the_limit() -> None:
    with pytest.raises(GameError, match=r"2,393,682,131 histories.*160\.5 GiB.*8\.0 GiB"):
        compile_tree(load_game("flop_holdem(suits=4,ranks=5)"))


def test_a_game_that_cannot_be_counted_is_refused_when_it_outgrows_the_limit() -> None:
    with pytest.raises(GameError, match=r"of its histories .* the memory limit is 10\.0 KiB"):
        compile_tree(RandomGame(1, depth=8), memory=10 << 10)


class Endless:
    """A game that never ends: each state has `fan` children, and what a player knows takes `known` letters."""

    players = 2

    def __init__(self, fan: int = 1, known: int = 1, player: int = 0) -> None:
        self.fan, self.known, self.mover, self.made = fan, known, player, 0

    def root(self) -> Endless:
        return self

    def player(self) -> int:
        return self.mover

    def actions(self) -> list[str]:
        return [str(k) for k in range(self.fan)]

    def chance(self) -> list[tuple[str, float]]:
        return [(str(k), 1 / self.fan) for k in range(self.fan)]

    def child(self, action: str) -> Endless:
        self.made += 1
        return self

    def infoset(self) -> str:
        return str(self.made).zfill(self.known)


@pytest.mark.parametrize(
    ("game", "most"),
    [
        (Endless(known=100_000), 100),
        (Endless(fan=10_000), 10),
        (Endless(fan=10_000, player=CHANCE), 20_000),
        (Endless(), 10_000 + 60 * 1_000),  # with the playouts by which its size may be estimated
    ],
)
def test_labels_actions_and_waiting_states_count_as_memory(game: Endless, most: int) -> None:
    with pytest.raises(GameError, match=r"the memory limit is 10\.0 MiB"):
        compile_tree(game, memory=10 << 20)
    assert game.made <= most


def test_a_game_without_end_is_refused() -> None:
    with pytest.raises(GameError, match="does it ever end"):
        compile_tree(Endless(), memory=1 << 30)


def test_chess_does_not_fill_the_memory() -> None:
    with pytest.raises(GameError, match=r"openspiel:chess\(\) is too large"):
        compile_tree(load_game("openspiel:chess"), memory=20 << 20)


def test_a_game_far_too_large_is_refused_at_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "SECONDS_BEFORE_ESTIMATE", 0.0)
    counted: list[Progress] = []
    with pytest.raises(GameError, match=r"60 random playouts.*give the game smaller parameters"):
        compile_tree(load_game("openspiel:battleship"), watch=counted.append)
    assert sum(each.done for each in counted) < 10_000


class Binary:
    """A game of `moves` moves, each of them left or right, that says nothing of its size."""

    players = 2

    def __init__(self, moves: int, made: int = 0) -> None:
        self.moves, self.made = moves, made

    def root(self) -> Binary:
        return self

    def player(self) -> int:
        return TERMINAL if self.made == self.moves else self.made % 2

    def actions(self) -> tuple[str, ...]:
        return ("left", "right")

    def child(self, action: str) -> Binary:
        return Binary(self.moves, self.made + 1)

    def infoset(self) -> str:
        return str(self.made)

    def payoffs(self) -> tuple[float, float]:
        return 0.0, 0.0


def test_a_huge_game_is_refused_by_an_estimate_of_its_size() -> None:
    before = process_time()
    with pytest.raises(GameError, match=r"about 2e\+18 histories \(estimated .* 8\.0 GiB holds 119,304,647"):
        compile_tree(Binary(60))
    assert process_time() - before < 20  # the memory limit alone would let it go on for minutes


def test_estimates_are_near_the_truth() -> None:
    for name in ("kuhn", "leduc", "leduc5", "bluff(dice=1,faces=4)"):
        histories = compiled(name).histories
        assert histories / 3 < estimated_histories(load_game(name)) < 3 * histories
    assert estimated_histories(Binary(20)) == 2**21 - 1


def test_compiling_counts_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvent.forms.history.SECONDS_BETWEEN_REPORTS", 0.0)
    said: list[Progress] = []
    assert compile_tree(Binary(16), watch=said.append).histories == 2**17 - 1
    assert said
    assert [each.done for each in said] == sorted(each.done for each in said)
    assert said[0].detail == f"{said[0].done:,} histories"


def test_imperfect_recall_is_noticed() -> None:
    """Player 0 moves twice and forgets what he did first."""
    again = Node(0, [win(1), win(-1)], infoset="forgot")
    also = Node(0, [win(-1), win(1)], infoset="forgot")
    form = sequence_form(compile_tree(Hand(Node(0, [again, also], infoset="start"))))
    assert not form.sequences[0].perfect_recall
    assert form.sequences[1].perfect_recall
    assert form.sequences[0].situations == 3


def test_absent_mindedness_is_imperfect_recall() -> None:
    """The driver who cannot tell the first exit from the second."""
    second = Node(0, [win(4), win(1)], infoset="junction")
    tree = compile_tree(Hand(Node(0, [win(0), second], infoset="junction")))
    assert tree.infosets == 1
    assert not sequence_form(tree).perfect_recall


def test_general_sum_is_noticed() -> None:
    assert not compile_tree(Hand(Node(0, [Node(TERMINAL, pays=(1, 1)), win(0)], infoset="x"))).zero_sum


def test_only_one_history() -> None:
    tree = compile_tree(Hand(win(3)))
    assert (tree.histories, tree.infosets, tree.cells) == (1, 0, 0)


@pytest.mark.parametrize(
    ("root", "sentence"),
    [
        (Node(CHANCE, [win(1), win(0)], [0.5, 0.4]), "sum to 0.9"),
        (Node(CHANCE, [win(1), win(0)], [1.5, -0.5]), "include -0.5; they must be non-negative"),
        (Node(0, [], infoset="x"), "no action"),
        (Node(2, [win(0)], infoset="x"), "player 2"),
        (Node(0, [win(float("nan"))], infoset="x"), "finite"),
        (Node(CHANCE, [win(1), win(0)], [float("nan"), 0.5]), "sum to nan"),
        (Node(CHANCE, [win(1), win(0)], [None, 1]), "pairs of an outcome and its probability"),
        (Node(None, [win(0)], infoset="x"), "player None"),
        (Node(0.0, [win(0)], infoset="x"), "player 0.0"),
        (Node(0, [win(0)], infoset=3), "infoset 3; infosets must be text"),
        (Node(0, [win(0)], infoset=["x"]), "infosets must be text"),
        (Node(TERMINAL, pays=None), "pays None"),
        (Node(TERMINAL, pays=(1, -1, 0)), "two numbers"),
        (Node(TERMINAL, pays=(None, 1)), "two numbers"),
        (
            Node(
                CHANCE, [Node(0, [win(1)], infoset="x"), Node(0, [win(1), win(2)], infoset="x")], [0.5, 0.5]
            ),
            "in one infoset",
        ),
    ],
)
def test_bad_rules_are_refused_in_a_sentence(root: Node, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        compile_tree(Hand(root))


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [([0, 1], "must be text"), (None, "must give a list"), ([["x"], ["y"]], "be text")],
)
def test_bad_actions_are_refused_in_a_sentence(actions: object, sentence: str) -> None:
    node = Node(0, [win(0), win(1)], infoset="x")
    node.actions = lambda: actions
    with pytest.raises(GameError, match=sentence):
        compile_tree(Hand(node))


def test_a_child_that_is_none_is_refused() -> None:
    class Forgot(RandomState):
        def child(self, action: str) -> None:
            """Lost its return."""

    game = Hand(Node(0, [win(0)], infoset="x"))
    game.root = lambda: Forgot(game.node)
    with pytest.raises(GameError, match="None where a state should be"):
        compile_tree(game)


def test_what_else_a_state_has_is_its_own_affair() -> None:
    """`children`, `chance_children` and `histories` of a user's classes mean nothing to us."""

    class Busy(RandomState):
        children = "mine"

        def chance_children(self) -> int:
            return 3

        def child(self, action: str) -> Busy:
            return Busy(super().child(action).node)

    class BusyGame(RandomGame):
        histories = "many"

        def root(self) -> Busy:
            return Busy(self.tree)

    assert compile_tree(BusyGame(5)).fingerprint == compile_tree(RandomGame(5)).fingerprint


def test_three_players_are_refused() -> None:
    game = RandomGame(0)
    game.players = 3
    with pytest.raises(GameError, match="3 players"):
        compile_tree(game)


def test_fingerprints_tell_games_apart_and_are_stable() -> None:
    names = ["kuhn", "leduc", "leduc(bets1=[3])", "leduc(distinct=true)", "bluff(dice=1,faces=3)"]
    assert len({compiled(name).fingerprint for name in names}) == len(names)
    assert compile_tree(load_game("leduc")).fingerprint == compiled("leduc").fingerprint
