"""The prior of win rates on a public game: `solvent.strategy.prior` for every hand, board and betting node.

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
from solvent.strategy.prior import STEPS, prior_strategy


def win_rate_prior(game: PublicGame) -> NDArray[np.float64]:
    """The prior of a game of folds, calls, bets and one kind of showdown: a table by block, float64[cells].

    A hand's win rate is its equity against a random hand and all boards to come: what simulated games come to.
    """
    rates = [np.digitize(np.nan_to_num(each), STEPS) for each in equities(game)]
    parts = []
    for node in np.unique(game.edge_node):
        actions = game.betting[node].actions
        folds = actions[0] == "fold"
        shares = np.stack(
            [prior_strategy(rate, folds, len(actions) - folds - 1) for rate in (0.0, *STEPS)], axis=1
        )
        rate = rates[game.nodes.round[node]].ravel()
        parts += [share[rate] for share in shares]
    return np.concatenate(parts)
