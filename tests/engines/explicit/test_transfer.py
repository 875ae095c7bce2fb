"""Regret transfer equals replaying the strategies behind one bet behind another."""

from __future__ import annotations

import numpy as np
import pytest
from replay import Profile, record, replayed, widened

from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings
from solvent.engines.explicit.growing.transfer import add_by_transfer, transferred_regret
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.leduc import Leduc

FAITHFUL = AdditionSettings(version="faithful", discount="cap")


def start(rule="cfr", updates="alternating", sizes="100%"):
    return GrowingGame(explicit_tree(ContinuousLeduc(sizes)), load_rule(rule), updates)


def head_of(game, history, board=0):
    return next(
        n
        for n in range(game.tree.nodes)
        if game.tree.kind[n] == 0
        and game.tree.betting[n].history == history
        and (not board or game.tree.board[n] == board)
    )


def repeated(tree, copied, edge, profiles, weight):
    """Profiles in the enlarged game: behind the new bet, which is never made, the old one's strategies."""

    def widen(sigma):
        wide = widened(sigma, tree.nodes)
        wide[edge + 1 : edge + len(copied)] = sigma[copied[1:]]
        return wide

    return [Profile(weight * p.weight, (widen(p.saw[0]), widen(p.saw[1])), widen(p.played)) for p in profiles]


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
@pytest.mark.parametrize(("history", "board", "theta"), [("", 0, 0.37), ("k", 0, 1.0), ("kb100%c/", 2, 0.01)])
def test_transfer_is_a_replay(rule, updates, history, board, theta):
    game = start(rule, updates)
    profiles = record(game, 7)
    head = head_of(game, history, board)
    source = game.tree.children(head)[-1]
    copied, edge = game.tree.subtree(source), game.tree.nodes
    addition, _ = add_by_transfer(game, source, theta, FAITHFUL)
    assert 0 < addition.discount <= 1
    assert addition.source == source
    expected = replayed(game.tree, repeated(game.tree, copied, edge, profiles, addition.discount))
    for name, numbers in zip(("regret", "average", "value"), expected, strict=True):
        np.testing.assert_allclose(game.tables.rows(name), numbers, atol=1e-9, err_msg=name)


def test_copy_at_the_same_size_has_the_originals_regret():
    game = start(sizes="1%,100%")
    game.run(30)
    for source in (e for e in range(1, game.tree.nodes) if game.tree.theta[e] > 0):
        same = transferred_regret(game, source, float(game.tree.theta[source]))
        np.testing.assert_array_equal(same, game.tables.row("regret", source))


def test_copied_subtree_is_what_the_rules_say_follows_the_bet():
    game, rules = start(sizes="1%,100%"), ContinuousLeduc()
    source = game.tree.children(0)[-1]
    edge = game.tree.nodes
    add_by_transfer(game, source, 0.3)
    fresh = explicit_tree(rules)
    other = fresh.graft(0, rules.bet_name(fresh.betting[0], 0.3), rules.after_bet(fresh.betting[0], 0.3), 0.3)
    assert other == edge
    assert fresh.nodes == game.tree.nodes
    assert fresh.labels == game.tree.labels
    for name in ("kind", "player", "parent", "theta", "board", "matrix_of", "last_edge"):
        np.testing.assert_array_equal(fresh.column(name), game.tree.column(name), err_msg=name)
    np.testing.assert_allclose(fresh.stake, game.tree.stake, rtol=1e-14)
    for mine, theirs in zip(game.tree.betting[edge:], fresh.betting[edge:], strict=True):
        assert mine.history == theirs.history
        if mine.actions:
            assert mine.pot == pytest.approx(theirs.pot)  # type: ignore[attr-defined]


def test_further_actions_are_added_recursively_and_fewer_are_refused():
    game = start()
    game.run(10)
    source = game.tree.children(0)[-1]
    edge = game.tree.nodes
    add_by_transfer(game, source, 0.5, sizes=(0.2, 1.0))
    inside = game.tree.subtree(edge)
    for node in inside:
        sizes = sorted(game.tree.theta[c] for c in game.tree.children(node) if game.tree.theta[c] > 0)
        assert sizes in ([], [0.2, 1.0])
    bigger = explicit_tree(ContinuousLeduc("20%,100%"))
    root_bet = next(c for c in bigger.children(0) if bigger.theta[c] == 1.0)
    assert len(inside) == len(bigger.subtree(root_bet))
    game.run(5)
    with pytest.raises(InputError, match="fewer actions"):
        add_by_transfer(game, edge, 0.6, sizes=(1.0,))


def test_games_whose_payoffs_do_not_scale_are_refused():
    game = GrowingGame(explicit_tree(Leduc()), load_rule("cfr"), "alternating")
    with pytest.raises(InputError, match="scale with the bet"):
        add_by_transfer(game, 2, 0.5)
