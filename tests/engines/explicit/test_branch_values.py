"""The values of the paper's fixed abstractions of continuous Leduc, by two ways."""

from __future__ import annotations

import pytest

from solvent import solve
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.games.continuous_leduc import BRANCH_SIZES, ContinuousLeduc

VALUES = {2: -0.138095, 3: -0.141040, 5: -0.145845}
"""What player 0 wins, in chips a game, to six digits."""


@pytest.mark.parametrize("branch", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_value_by_the_linear_program(branch):
    result = solve(ContinuousLeduc(BRANCH_SIZES[branch]), rule="lp")
    assert result.value == pytest.approx(VALUES[branch], abs=6e-7)


@pytest.mark.parametrize("branch", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_value_by_cfr_on_the_explicit_tree(branch):
    """The value of an average strategy is at most twice its exploitability from the game's."""
    game = GrowingGame(explicit_tree(ContinuousLeduc(BRANCH_SIZES[branch])), load_rule("dcfr"), "alternating")
    game.run(2000)
    found = game.evaluate()
    assert found.exploitability < 0.002
    assert abs(found.value[0] - VALUES[branch]) < 2 * found.exploitability
