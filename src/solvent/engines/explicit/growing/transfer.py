"""Adding a bet by regret transfer (Brown and Sandholm 2015, section 3.1).

Let S1 follow a bet of theta1 at the head and S2 the bet of theta2 that is added there. In a game without stacks a
fold to the bet wins half the pot whatever its size is, and everything else behind it scales with 1 + 2 theta. So
had S1's strategies been repeated in S2, then, with s = (1 + 2 theta2) / (1 + 2 theta1),

    sum_t v(I, theta2) = F + s (sum_t v(I, theta1) - F),      R(I, theta2) = sum_t v(I, theta2) - sum_t v(I),

where F is the worth of folds to the bet: half the pot times the opponent's cumulative reach of the fold.
All of this is in the tables, so no regret is stored as a function of theta. Player i's regrets and sums of v(I)
inside S2 are s times those inside S1, and the opponent's averages are S1's. The opponent's regrets and player i's
averages are 0, as player i has never entered S2.

S2 has every action that S1 has. Actions that it is to have beyond these are then added inside of it in the same
way. It cannot have fewer: the strategies that are repeated would take actions that do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import GrowingGame, RegretSums
from solvent.engines.explicit.growing.growth_settings import AdditionSettings
from solvent.engines.explicit.growing.recovery import EPSILON, Added, finish_addition
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET, SEEN, VALUE
from solvent.forms.explicit.tree import DECISION, FOLDED
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc, SizedBetting


def scaling_rules(game: GrowingGame) -> ContinuousLeduc:
    """The game's rules if payoffs behind a bet scale with it; refused otherwise."""
    rules = game.tree.rules
    if not isinstance(rules, ContinuousLeduc):
        raise InputError(
            f"regret transfer needs payoffs that scale with the bet, which those of {rules} do not; "
            f"add actions by recovery games"
        )
    return rules


def fold_values(game: GrowingGame, edge: int) -> NDArray[np.float64]:
    """F by hand: the summed worth of folds to a bet for the bettor, as counterfactual values."""
    tree = game.tree
    player = int(tree.player[tree.parent[edge]])
    fold = next(child for child in tree.children(edge) if tree.kind[child] == FOLDED)
    reach = game.tables.seen_row(fold, 1 - player)
    matrix, stake = tree.ends.matrix[tree.column("matrix_of")[fold]], float(tree.stake[fold])
    found: NDArray[np.float64] = stake * matrix @ reach if player == 0 else -stake * reach @ matrix
    return found


def transferred_regret(game: GrowingGame, source: int, theta: float) -> NDArray[np.float64]:
    """R(I, theta) by hand, had the strategies behind the bet `source` been repeated behind a bet of theta."""
    tree, tables = game.tree, game.tables
    scale = (1 + 2 * theta) / (1 + 2 * float(tree.theta[source]))
    values = tables.row(VALUE, int(tree.parent[source]))
    folded, regret = fold_values(game, source), tables.row(REGRET, source)
    # F + s (R + V - F) - V, arranged so that s = 1 gives R exactly.
    found: NDArray[np.float64] = regret + (scale - 1) * ((regret + values) - folded)
    return found


def add_by_transfer(
    game: GrowingGame,
    source: int,
    theta: float,
    settings: AdditionSettings | None = None,
    sizes: Sequence[float] | None = None,
    before: RegretSums | None = None,
) -> Added:
    """Add a bet of theta beside the bet `source`, whose subgame it copies.

    `sizes` are the bets that every decision behind the new bet shall have; None: those behind the bet `source`.
    `before` are the sums of all regrets, should they be known already.
    """
    settings = settings or AdditionSettings()
    rules, tree = scaling_rules(game), game.tree
    if not tree.theta[source] > 0:
        raise InputError(f"edge {source} is no bet, so no bet can be transferred from it")
    if sizes is not None:
        _refuse_fewer(game, source, sizes)
    before = game.regret_sums() if before is None else before
    regret = transferred_regret(game, source, theta)
    head = tree.betting[tree.parent[source]]
    assert isinstance(head, SizedBetting)
    edge = tree.nodes
    copied = tree.copy_bet(source, rules.bet_name(head, theta), rules.history_after(head, theta), theta)
    game.extend()
    _install(game, copied, edge, regret, settings.version)
    added = finish_addition(game, edge, before, "transfer", settings.discount, source)
    if sizes is not None:
        _add_missing(game, edge, sizes, settings)
        added = added._replace(sums=game.regret_sums())
    return added


def _install(
    game: GrowingGame, copied: NDArray[np.int64], edge: int, regret: NDArray[np.float64], version: str
) -> None:
    """Fill the tables of the copy, whose first node is `edge`."""
    tree, tables = game.tree, game.tables
    player = int(tree.player[tree.parent[edge]])
    scale = (1 + 2 * float(tree.theta[edge])) / (1 + 2 * float(tree.theta[copied[0]]))
    tables.row(REGRET, edge)[:] = regret
    new = np.arange(edge, edge + len(copied))[1:]
    owner, actor = tree.edge_player[new], tree.player[new]
    mine, theirs = (np.flatnonzero(owner == who) for who in (player, 1 - player))
    decisions = np.flatnonzero(actor == player)

    def copy(name: str, which: NDArray[np.int64], factor: float) -> None:
        table = tables.table(name)
        table[tables.places(name, new[which])] = factor * table[tables.places(name, copied[1:][which])]

    copy(REGRET, mine, scale)
    copy(VALUE, decisions, scale)
    copy(AVERAGE, theirs, 1.0)
    if SEEN in tables.names and player == 1:
        copy(SEEN, theirs, 1.0)
    if version == "repaired":
        copy(REGRET, theirs, EPSILON)


def _sizes_at(game: GrowingGame, node: int) -> dict[float, int]:
    """The bets at a decision: the edge of each size."""
    theta = game.tree.theta
    return {float(theta[child]): child for child in game.tree.children(node) if theta[child] > 0}


def _refuse_fewer(game: GrowingGame, source: int, sizes: Sequence[float]) -> None:
    tree = game.tree
    for node in tree.subtree(source).tolist():
        if missing := [size for size in _sizes_at(game, node) if size not in sizes]:
            raise InputError(
                f"a bet cannot be transferred into a subgame with fewer actions: behind edge {source} there are "
                f"bets of {100 * missing[0]:g}%, which the new subgame would lack"
            )


def _add_missing(game: GrowingGame, edge: int, sizes: Sequence[float], settings: AdditionSettings) -> None:
    """Transfer the sizes that decisions behind an edge lack, from the nearest size that each of them has."""
    tree = game.tree
    for node in tree.subtree(edge).tolist():
        present = _sizes_at(game, node) if tree.kind[node] == DECISION else {}
        for size in sizes if present else ():
            if size not in present:
                near = min(present, key=lambda other: abs(other - size))
                add_by_transfer(game, present[near], size, settings, sizes)
