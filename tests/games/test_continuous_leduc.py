"""Continuous Leduc: pots, stakes, names and refusals."""

from __future__ import annotations

import math

import pytest

from solvent.games.catalogue import load_game
from solvent.games.continuous_leduc import BRANCH_SIZES, ContinuousLeduc
from solvent.games.game import GameError


def follow(node, *actions):
    for action in actions:
        node = node.children[0] if node.deals else node.children[node.actions.index(action)]
    return node


def test_raise_is_a_fraction_of_the_pot_after_calling():
    root = ContinuousLeduc("50%,100%").betting
    bet = follow(root, "bet 50%")
    assert bet.pot == 4.0  # antes of 2, a bet of 1 and its call
    assert follow(bet, "fold").stake == 1.0
    raised = follow(bet, "raise 100%")
    assert raised.pot == 12.0
    assert follow(raised, "fold").stake == -2.0  # the bettor's ante and bet
    last = follow(raised, "call", "deal")
    assert last.player == 0
    assert last.pot == 12.0
    assert follow(last, "check", "check").stake == 6.0
    assert all(math.isnan(size) for size in raised.fractions)
    assert len(raised.actions) == 2  # two bets a round


def test_whatever_follows_a_call_scales_with_the_bet():
    rules = ContinuousLeduc()
    small, large = (rules.after_bet(rules.betting, theta) for theta in (0.2, 0.7))

    def stakes(node):
        if not node.children:
            return [node.stake]
        return [stake for child in node.children for stake in stakes(child)]

    assert small.children[0].stake == large.children[0].stake == 1.0
    for one, other in zip(small.children[1:], large.children[1:], strict=True):
        assert [s / 1.4 for s in stakes(one)] == pytest.approx([s / 2.4 for s in stakes(other)])


@pytest.mark.parametrize(("branch", "nodes"), [(2, 546), (3, 1950), (5, 11346)])
def test_branches_return_from_their_names(branch, nodes):
    rules = ContinuousLeduc(BRANCH_SIZES[branch])
    assert rules.betting_nodes() == nodes
    again = load_game(str(rules))
    assert str(again) == str(rules)
    assert again.fractions == rules.fractions  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("0.5%", "from 1% to 100%"),
        ("150%", "from 1% to 100%"),
        ("half", "33%, 1/3 or 0.33"),
        ("1/0", "33%, 1/3 or 0.33"),
        ("50%,1/2", "twice"),
        ("50%,1%", "small to large"),
    ],
)
def test_bad_sizes_are_refused(sizes, sentence):
    with pytest.raises(GameError, match=sentence):
        ContinuousLeduc(sizes)
