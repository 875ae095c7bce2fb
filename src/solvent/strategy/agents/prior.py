"""The prior: a strategy from a hand's win rate alone, before anything has been learned.

| hands that win | facing a bet: fold, call, raise | with none: check, bet |
|---|---|---|
| below 20 % | .80, .15, .05 | .90, .10 |
| below 50 % | .25, .60, .15 | .75, .25 |
| below 80 % | .05, .60, .35 | .40, .60 |
| more | .01, .24, .75 | .15, .85 |

All raises share their part; where there is no raise, calling has it. Lin (2024) starts with such weights instead of
uniform play, and says only that below 20 % folding and checking are by far the most likely; the numbers are ours.
As small initial regrets it is a prior that learning can overcome, and CFR's guarantees stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.public_equity import equities
from solvent.forms.public.game import PublicGame
from solvent.foundation.kernels.compiling import kernel

STEPS = (0.2, 0.5, 0.8)
"""Win rates at which the prior changes."""
FACING_FOLD, FACING_RAISE = (0.80, 0.25, 0.05, 0.01), (0.05, 0.15, 0.35, 0.75)
OPEN_RAISE = (0.10, 0.25, 0.60, 0.85)
WITHIN = (0.1, 0.3, 0.6, 0.9)
"""A win rate between each two steps."""
UNVISITED = 1e-20
"""The strategy sums of a row of the prior that no visit has added to.

A visit adds far more: with external sampling 1 or more, with public sampling a hand's part of a board times the
chance that its player comes there.
"""
FOLD, CALL, RAISE = range(3)
KINDS = {"fold": FOLD, "check": CALL, "call": CALL}
"""Kinds of actions by their first word; all others bet or raise."""


def prior_strategy(rate: float, folds: bool, raises: int) -> NDArray[np.float64]:
    """float64[actions]: fold (where `folds`), call, then every raise, of a hand that wins `rate` of showdowns.

    >>> prior_strategy(0.15, True, 2).round(3).tolist(), prior_strategy(0.15, False, 0).tolist()
    ([0.8, 0.15, 0.025, 0.025], [1.0])
    """
    probabilities = np.zeros(folds + 1 + raises)
    prior(probabilities, folds, raises, rate)
    return probabilities


@kernel
def prior(probabilities, folds, raises, rate):  # type: ignore[no-untyped-def]
    """`prior_strategy` into the first places of `probabilities`: float[]."""
    row = 0
    while row < len(STEPS) and rate >= STEPS[row]:
        row += 1
    call, place = 1.0, 0
    if folds:
        probabilities[0] = FACING_FOLD[row]
        call -= FACING_FOLD[row]
        place = 1
    if raises > 0:
        share = FACING_RAISE[row] if folds else OPEN_RAISE[row]
        call -= share
        for bet in range(raises):
            probabilities[place + 1 + bet] = share / raises
    probabilities[place] = call


def win_rate_prior(game: PublicGame) -> NDArray[np.float64]:
    """The prior of a public game with folds, calls, bets and one kind of showdown: float64[cells], by block.

    A hand's win rate is its equity against a random hand and all boards to come: what simulated games come to.

    game = public_game(load_game("leduc"), isomorphism=False)
    tree, place = unroll(game)
    solver = SamplingSolver(tree)
    solver.warm_start(win_rate_prior(game)[place])
    """
    steps = [np.digitize(np.nan_to_num(each), STEPS) for each in equities(game)]
    parts = []
    for node in np.unique(game.edge_node):
        kinds = [KINDS.get(action.split()[0], RAISE) for action in game.betting[node].actions]
        folds, raises = FOLD in kinds, kinds.count(RAISE)
        shares = np.zeros((len(WITHIN), len(kinds)))
        shares[:, np.argsort(kinds, kind="stable")] = [prior_strategy(rate, folds, raises) for rate in WITHIN]
        step = steps[game.nodes.round[node]].ravel()
        parts += [shares[step, action] for action in range(len(kinds))]
    return np.concatenate(parts)
