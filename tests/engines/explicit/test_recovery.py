"""Theorem 1 is an equality: replaying all pairs of recorded strategies gives what a recovery game installs."""

from __future__ import annotations

import numpy as np
import pytest
from replay import paired, record, replayed

from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings
from solvent.engines.explicit.growing.recovery import (
    EPSILON,
    RecoveryGame,
    add_by_recovery,
)
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.leduc import Leduc
from solvent.games.public_rules import Betting

RULES = Leduc(bets1=(2, 3), bets2=(4,), max_bets=1)


def without(node: Betting, history: str, action: str) -> Betting:
    """A betting tree without one action at one decision."""
    kept = [
        (name, without(child, history, action))
        for name, child in zip(node.actions or ("",) * len(node.children), node.children, strict=True)
        if not (node.history == history and name == action and node.actions)
    ]
    actions = tuple(name for name, _ in kept) if node.actions else ()
    return Betting(
        node.player,
        actions,
        tuple(child for _, child in kept),
        node.history,
        node.deals,
        node.symbol,
        node.stake,
        node.rake,
    )


def find(node, history):
    if node.actions and node.history == history:
        return node
    for child in node.children:
        if (found := find(child, history)) is not None:
            return found
    return None


def heads(tree, history):
    return [n for n in range(tree.nodes) if tree.kind[n] == 0 and tree.betting[n].history == history]


def start(rule, updates, *removed):
    """A game without some actions (history, action)."""
    root = RULES.betting
    for history, action in removed:
        root = without(root, history, action)
    return GrowingGame(explicit_tree(RULES, root), load_rule(rule), updates)


def subgame(history, action):
    node = find(RULES.betting, history)
    return node.children[node.actions.index(action)]


def install(game, head, history, action, count, version="faithful"):
    """Add an action by a recovery game whose strategies are recorded; nothing is discounted."""
    edge = game.tree.graft(head, action, subgame(history, action))
    game.extend()
    recovery = RecoveryGame(game, edge)
    count = count or recovery.iterations_wanted(AdditionSettings(least_iterations=1))
    played = []
    for k in range(1, count + 1):
        recovery.play(1)
        played.append((float(k) if recovery.linear else 1.0, game.work.sigma[: game.tree.nodes].copy()))
    recovery.install(version)
    return edge, played


def assert_tables(game, profiles):
    names = ("regret", "average", "value")
    for name, expected in zip(names, replayed(game.tree, profiles), strict=True):
        np.testing.assert_allclose(game.tables.rows(name), expected, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
@pytest.mark.parametrize(
    ("history", "action", "count"),
    [("", "bet 3", None), ("k", "bet 3", 3), ("kk/k", "bet 4", None), ("b2c/", "bet 4", 7)],
)
def test_theorem_1(rule, updates, history, action, count):
    game = start(rule, updates, (history, action))
    before = record(game, 9)
    assert_tables(game, before)
    head = heads(game.tree, history)[-1]
    edge, played = install(game, head, history, action, count)
    profiles = paired(game.tree, edge, before, played)
    assert_tables(game, profiles)
    opponents = game.tree.edge_player[edge + 1 :] == 1 - game.tree.player[head]
    assert np.all(game.tables.rows("regret")[edge + 1 :][opponents] == 0)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
def test_theorem_1_holds_for_additions_one_after_another(rule, updates):
    """Also for an addition inside of what was added before, and with iterations and discounts in between."""
    game = start(rule, updates, ("", "bet 3"), ("b3c/", "bet 4"))
    profiles = record(game, 4)
    edge = game.tree.graft(0, "bet 3", without(subgame("", "bet 3"), "b3c/", "bet 4"))
    game.extend()
    recovery = RecoveryGame(game, edge)
    played = []
    for k in (1, 2, 3):
        recovery.play(1)
        played.append((float(k) if recovery.linear else 1.0, game.work.sigma[: game.tree.nodes].copy()))
    recovery.install("faithful")
    profiles = paired(game.tree, edge, profiles, played)
    game.discount(0.75)
    for profile in profiles:
        profile.weight *= 0.75
    profiles += record(game, 3)
    assert_tables(game, profiles)
    head = heads(game.tree, "b3c/")[0]
    edge, played = install(game, head, "b3c/", "bet 4", 5)
    assert_tables(game, paired(game.tree, edge, profiles, played))


def test_everything_outside_stays_to_the_bit_and_the_versions_differ_in_the_opponents_regrets():
    tables = {}
    for version in ("faithful", "repaired"):
        game = start("cfr", "alternating", ("k", "bet 3"))
        game.run(20)
        old = {name: game.tables.rows(name) for name in game.tables.names}
        edge, _ = install(game, heads(game.tree, "k")[0], "k", "bet 3", None, version)
        for name, before in old.items():
            np.testing.assert_array_equal(game.tables.rows(name)[: len(before)], before)
        tables[version] = game.tables.rows("regret")
        np.testing.assert_array_equal(game.tables.rows("average")[edge], 0.0)
    theirs = game.tree.edge_player[edge + 1 :] == 0
    faithful, repaired = (tables[name][edge + 1 :] for name in ("faithful", "repaired"))
    np.testing.assert_array_equal(faithful[~theirs], repaired[~theirs])
    assert np.all(faithful[theirs] == 0)
    assert 0 < np.abs(repaired[theirs]).max() < 1e4 * EPSILON


@pytest.mark.parametrize("discount", ["recommended", "cap"])
@pytest.mark.parametrize("rule", ["cfr", "lcfr", "dcfr"])
def test_discounts_apply_to_every_table(rule, discount):
    game = start(rule, "alternating", ("", "bet 2"), ("", "bet 3"))
    game.run(40)
    before = {name: game.tables.rows(name) for name in game.tables.names}
    total = game.tables.total
    settings = AdditionSettings(discount=discount, least_iterations=1)
    addition, sums = add_by_recovery(game, 0, "bet 2", subgame("", "bet 2"), settings=settings)
    for mine, counted in zip(sums, game.regret_sums(), strict=True):
        np.testing.assert_allclose(mine, counted, rtol=1e-12)
    assert 0 < addition.discount <= 1
    assert game.tables.total == pytest.approx(addition.discount * total)
    for name, rows in before.items():
        power = 3 if rule == "dcfr" and name == "average" else 1
        expected = addition.discount**power * rows
        np.testing.assert_allclose(game.tables.rows(name)[: len(rows)], expected, rtol=1e-12)
    if rule != "cfr":
        assert 0 < game.tables.clock <= 40
        assert (game.tables.clock < 40) == (addition.discount < 1)
    assert list(game.log) == [addition] or np.isnan(addition.size)
    game.run(10)


def test_action_that_pays_less_than_every_alternative_gives_a_discount_of_one():
    """The new action throws chips away: whatever the opponent does, it costs more than the game is about."""
    game = start("cfr", "alternating", ("", "bet 3"))
    game.run(50)
    losses = tuple(Betting(symbol="fold", stake=stake) for stake in (-9.0, -20.0))
    bad = Betting(1, ("fold", "call"), losses, "b3")
    addition, _ = add_by_recovery(game, 0, "throw", bad)
    assert addition.discount == 1.0
    assert addition.worth == 0.0
    assert np.all(game.tables.row("regret", game.tree.children(0)[-1]) < 0)


def test_action_that_nobody_comes_to_changes_nothing():
    game = start("cfr", "simultaneous", ("k", "bet 3"))
    addition, _ = add_by_recovery(game, heads(game.tree, "k")[0], "bet 3", subgame("k", "bet 3"))
    assert addition.discount == 1.0
    assert not game.tables.rows("regret").any()


def test_settings_are_checked():
    with pytest.raises(InputError, match="version"):
        AdditionSettings(version="other")
    with pytest.raises(InputError, match="at least one iteration"):
        AdditionSettings(least_iterations=0)
