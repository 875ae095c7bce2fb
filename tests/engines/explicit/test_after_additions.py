"""After an addition a run is about where the run is that had the action from the start, and falls alike."""

from __future__ import annotations

import pytest
from test_recovery import find, heads, without

from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.recovery import add_by_recovery
from solvent.engines.explicit.growing.transfer import add_by_transfer
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.leduc import Leduc

BEFORE = 200
CHECKS = (50, 100, 200, 400, 800)


def assert_alike(grown, full):
    """At equal iterations after the addition, at most 1.5 times the exploitability; and both keep falling."""
    last = {}
    for check in CHECKS:
        grown.run(check - (grown.iterations - BEFORE))
        full.run(check - full.iterations)
        mine, theirs = grown.evaluate().exploitability, full.evaluate().exploitability
        assert mine <= 1.5 * theirs
        last[check] = mine
    assert last[800] < 0.5 * last[100]


def games(tree, other, rule, updates="alternating"):
    grown, full = (GrowingGame(each, load_rule(rule), updates) for each in (tree, other))
    grown.run(BEFORE)
    return grown, full


@pytest.mark.parametrize("rule", ["cfr", "lcfr", "dcfr"])
@pytest.mark.parametrize(
    ("rules", "history", "action"),
    [
        (Leduc(bets1=(1, 4)), "", "bet 4"),
        (Leduc(bets2=(2, 6)), "kk/", "bet 6"),
        (Leduc(ranks=4, bets1=(2, 5)), "k", "bet 5"),
    ],
)
def test_leduc(rules, history, action, rule):
    smaller = without(rules.betting, history, action)
    grown, full = games(explicit_tree(rules, smaller), explicit_tree(rules), rule)
    node = find(rules.betting, history)
    for head in heads(grown.tree, history):
        add_by_recovery(grown, head, action, node.children[node.actions.index(action)])
    assert_alike(grown, full)


@pytest.mark.parametrize(
    ("rule", "method"),
    [
        ("cfr", "recovery"),
        ("cfr", "transfer"),
        ("lcfr", "recovery"),
        ("lcfr", "transfer"),
        ("dcfr", "recovery"),
    ],
)
@pytest.mark.parametrize(("history", "theta"), [("", 0.4), ("kk/", 0.5), ("kb100%", 0.3)])
def test_continuous_leduc(history, theta, rule, method):
    rules = ContinuousLeduc()
    grown, full = games(explicit_tree(rules), explicit_tree(rules), rule)
    for game in (grown, full):
        for head in heads(game.tree, history):
            betting = game.tree.betting[head]
            bets = [child for child in game.tree.children(head) if game.tree.theta[child] > 0]
            if method == "transfer":
                add_by_transfer(game, bets[-1], theta)
            else:
                name, below = rules.bet_name(betting, theta), rules.after_bet(betting, theta)
                add_by_recovery(game, head, name, below, theta)
    assert_alike(grown, full)
