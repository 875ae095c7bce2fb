"""The explicit public tree: its shape, its growth and CFR on it against the other forms."""

from __future__ import annotations

import numpy as np
import pytest

from solvent.forms.explicit.tree import DEAL, DECISION, FOLDED, SHOWN, explicit_tree
from solvent.games.catalogue import load_game
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.game import GameError
from solvent.games.leduc import Leduc


@pytest.mark.parametrize("name", ["kuhn", "leduc", "continuous_leduc", "leduc(distinct=true)"])
def test_tree_has_every_betting_history_on_every_board(name):
    rules = load_game(name)
    tree = explicit_tree(rules)
    boards = len(tree.boards) - 1 or 1
    rounds = [sum(1 for b in tree.betting if b.actions and ("/" in b.history) == late) for late in (0, 1)]
    assert rounds[1] % boards == 0
    assert np.all(tree.parent[1:] < np.arange(1, tree.nodes))
    for node in range(tree.nodes):
        children = tree.children(node)
        assert np.all(tree.parent[children] == node)
        if tree.kind[node] == DECISION:
            assert [tree.labels[c] for c in children] == list(tree.betting[node].actions)
        elif tree.kind[node] == DEAL:
            assert len(children) == boards
        else:
            assert tree.kind[node] in (FOLDED, SHOWN)
            assert not children
    assert tree.chances[0].sum() == pytest.approx(1)


def test_last_edges_are_the_players_own():
    tree = explicit_tree(Leduc())
    for node in range(1, tree.nodes):
        way, above = [[], []], node
        while above:
            if tree.edge_player[above] >= 0:
                way[tree.edge_player[above]].append(above)
            above = tree.parent[above]
        for player in (0, 1):
            assert tree.last_edge[node, player] == (way[player][0] if way[player] else -1)


def test_graft_keeps_every_number_and_appends_a_block():
    rules = ContinuousLeduc()
    tree = explicit_tree(rules)
    before = {name: tree.column(name).copy() for name in ("kind", "parent", "stake", "theta", "board")}
    head = next(n for n in range(tree.nodes) if tree.board[n] == 2 and tree.kind[n] == DECISION)
    count = tree.nodes
    edge = tree.graft(head, "bet 1/3", rules.after_bet(tree.betting[head], 1 / 3), 1 / 3)
    assert edge == count
    assert tree.theta[edge] == 1 / 3
    assert list(tree.subtree(edge)) == list(range(count, tree.nodes))
    assert np.all(tree.board[count:] == 2)
    assert tree.children(head)[-1] == edge
    for name, column in before.items():
        np.testing.assert_array_equal(tree.column(name)[:count], column)
    with pytest.raises(ValueError, match="no decision"):
        tree.graft(int(np.flatnonzero(tree.kind == SHOWN)[0]), "bet", rules.betting)


def test_games_with_hole_cards_are_refused():
    with pytest.raises(GameError, match="few hands"):
        explicit_tree(load_game("flop_holdem(suits=4,ranks=3)"))
