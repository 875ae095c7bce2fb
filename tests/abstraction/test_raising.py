"""Raising histories: nodes that share a class have one player, one round, one set of actions and one history."""

from __future__ import annotations

from itertools import product

import pytest

from solvent.abstraction.betting.raising_classes import is_raise, raising_class, raising_history_classes
from solvent.forms.public import DECISION, PublicGame, public_game
from solvent.games.catalogue import load_game
from solvent.games.public_rules import Betting


def histories(game: PublicGame) -> dict[int, tuple[int, int, tuple[tuple[bool, bool], ...], tuple[str, ...]]]:
    """By id of a betting node: round, player, streets raised and actions, walking the rules' own tree."""
    found = {}

    def walk(node: Betting, streets: list[list[bool]]) -> None:
        if node.deals:
            walk(node.children[0], [*streets, [False, False]])
            return
        if node.actions:
            raised = tuple((first, second) for first, second in streets)
            found[id(node)] = (len(streets) - 1, node.player, raised, node.actions)
        for action, child in zip(node.actions, node.children, strict=True):
            after = [street.copy() for street in streets]
            after[-1][node.player] |= is_raise(action)
            walk(child, after)

    walk(game.rules.betting, [[False, False]])
    return found


def test_streets_are_two_bits_each() -> None:
    assert raising_class([]) == 0
    streets = [(False, False), (True, False), (False, True), (True, True)]
    assert [raising_class([street]) for street in streets] == [0, 1, 2, 3]
    numbers = {raising_class(history) for history in product(streets, repeat=3)}
    assert numbers == set(range(64))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc5", "flop_holdem(suits=2,ranks=4)"])
def test_nodes_share_a_class_where_their_histories_agree(name: str) -> None:
    game = public_game(load_game(name))
    found, expected = raising_history_classes(game), histories(game)
    by_class: dict[int, set] = {}
    for node, betting in enumerate(game.betting):
        assert (found.node_class[node] >= 0) == (game.nodes.symbol[node] == DECISION)
        if found.node_class[node] >= 0:
            by_class.setdefault(int(found.node_class[node]), set()).add(expected[id(betting)])
    assert sorted(by_class) == list(range(len(found.classes)))
    assert all(len(alike) == 1 for alike in by_class.values())
    assert len({history for alike in by_class.values() for history in alike}) == len(by_class)
    for number, ((level, player, raised, actions),) in by_class.items():
        history = found.classes[number]
        assert (history.round, history.player, history.raised) == (level, player, raising_class(raised))
        assert history.actions == actions


def test_leduc_has_fewer_classes_than_nodes() -> None:
    game = public_game(load_game("leduc"))
    found = raising_history_classes(game)
    decisions = int((game.nodes.symbol == DECISION).sum())
    assert len(found.classes) < decisions
    assert [history.round for history in found.classes] == sorted(history.round for history in found.classes)


@pytest.mark.parametrize(
    ("action", "raises"),
    [("fold", False), ("check", False), ("Call", False), ("bet 2", True), ("raise", True), ("all-in", True)],
)
def test_what_is_a_raise(action: str, raises: bool) -> None:
    assert is_raise(action) == raises
