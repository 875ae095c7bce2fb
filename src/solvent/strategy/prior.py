"""A strategy to begin with: what each hand's win rate suggests, before anything has been learned.

Lin (2024) starts with such weights instead of uniform play: below a win rate of 20 % mostly folds and checks. The
paper gives no other number; the table here is ours. As small initial regrets (`SamplingSolver.warm_start`) it is a
prior that learning can overcome, and CFR's guarantees stay:

game = public_game(load_game("leduc"), isomorphism=False)
tree, place = unroll(game)
solver = SamplingSolver(tree)
solver.warm_start(win_rate_prior(game)[place])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.public_equity import equities
from solvent.forms.public import PublicGame

STEPS = (0.2, 0.5, 0.8)
"""Win rates at which the prior changes."""
FACING = ((0.80, 0.15, 0.05), (0.25, 0.60, 0.15), (0.05, 0.60, 0.35), (0.01, 0.24, 0.75))
"""Fold, call, raise where there is a bet to call, by win rate from low to high; all raises share their part."""
OPEN = ((0.0, 0.90, 0.10), (0.0, 0.75, 0.25), (0.0, 0.40, 0.60), (0.0, 0.15, 0.85))
"""Fold, check, bet where there is none."""
KINDS = {"fold": 0, "check": 1, "call": 1}
"""Which of the three an action is by its first word; all others bet or raise."""


def win_rate_prior(game: PublicGame) -> NDArray[np.float64]:
    """The prior of a game of folds, calls, bets and one kind of showdown: a table by block, float64[cells].

    A hand's win rate is its equity against a random hand and all boards to come: what simulated games come to.
    """
    steps = [np.digitize(np.nan_to_num(each), STEPS) for each in equities(game)]
    tables = {True: np.array(FACING), False: np.array(OPEN)}
    parts = []
    for node in np.unique(game.edge_node):
        actions = game.betting[node].actions
        kinds = np.array([KINDS.get(action.split()[0], 2) for action in actions])
        shares = tables["fold" in actions][:, kinds] / np.bincount(kinds)[kinds]
        shares /= shares.sum(axis=1, keepdims=True)
        step = steps[game.nodes.round[node]].ravel()
        parts += [shares[step, action] for action in range(len(actions))]
    return np.concatenate(parts)
