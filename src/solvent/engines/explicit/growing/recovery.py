"""Adding an action by a recovery game (Brown and Sandholm 2015, section 3; Theorem 1).

The added subgame S is treated as if it had always been there and its player i had never entered it. What the
opponent did in S meanwhile is free to choose; it is chosen by playing K iterations of a *recovery game*. Chance
deals a history h* of the head with probability q(h*) / Z, where q(h*) = sum_t w_t pi_{-i}^t(h*) and Z is their
sum (5). Player i then either takes alt(I) = sum_t w_t v_i^t(I) / sum_t w_t pi_{-i}^t(I) or enters S.

Here the opponent's part of q, c(h) by hand, is the cumulative strategy at its last action before the head, and a
recovery iteration is played with counterfactual values c(h) times the game's own. So *means* over the recovery
game, by the weights of its iterations, are in the scale of the T iterations (the factor Z / K of the paper's
T_S = Z is in it), and K need not be known before. Means are installed:

- player i inside S: the recovery game's regrets and v(I), average 0;
- the opponent inside S: regrets 0, average (sum_t pi_j(head)) x mean of [pi_j(head to I) sigma(I)];
- the head's new action a*: R(I, a*) = mean over the recovery game of v(I, a*) - sum_t v(I), average 0.

Then all iterations so far are discounted (`discounts`). Two versions: `faithful` installs regrets of 0 for the
opponent, which then begins to play S uniformly; `repaired` installs the recovery game's regrets times EPSILON,
which regret matching plays like the regrets themselves and which count for nothing in the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.additions import Addition
from solvent.engines.explicit.growing.discounts import DiscountName, discount, recovery_iterations
from solvent.engines.explicit.growing.game import GrowingGame, RegretSums
from solvent.engines.explicit.growing.growth_settings import AdditionSettings
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET, SEEN, VALUE
from solvent.engines.explicit.kernels import UPDATE, Weights, accumulate, ascend, descend
from solvent.foundation.kernels.compiling import kernel
from solvent.games.public_rules import Betting

HEAVIER = 1.5
"""The power of w by which dcfr, a heuristic here, discounts. Its averages weigh late iterations most, so that they
forget too slowly that an action was never chosen; of the powers from 0.35 to 2 this one
serves recovery games (where 2 does still better) and regret transfer together."""
EPSILON = 1e-6
"""The fraction of the opponent's regrets of a recovery game that the repaired version keeps."""


class Head(NamedTuple):
    """The player's choice before the subgame; arrays are float64[hands]."""

    player: int
    alternative: NDArray[np.float64]
    """The counterfactual value of not entering in each iteration."""
    enter: NDArray[np.float64]
    """The regret of entering."""
    stay: NDArray[np.float64]
    """The regret of not entering."""
    entered: NDArray[np.float64]
    """The weighted sum of the counterfactual values of entering."""


@kernel
def play_recovery(tree, regret, sums, average, work, head, start, first, count, linear, alternating):  # type: ignore[no-untyped-def]
    """Play iterations `first`, `first` + 1, ... of a recovery game on the nodes from `start` on; returns visits.

    `average` gains the opponent's reach since the head times sigma, by edge. Iteration k counts 1, or k where
    `linear`. With alternating updates the opponent learns first, and its average has the strategies that the
    player's regrets then see.
    """
    player, other = head.player, 1 - head.player
    hands = len(head.enter)
    visited = 0
    for k in range(first, first + count):
        weight = float(k) if linear else 1.0
        weights = Weights(UPDATE, 1.0, 1.0, weight)
        for hand in range(hands):
            enter, stay = max(head.enter[hand], 0.0), max(head.stay[hand], 0.0)
            work.reach[player, start, hand] = enter / (enter + stay) if enter + stay > 0.0 else 0.5
            work.reach[other, start, hand] = 1.0
        visited += 2 * descend(tree, regret, average, work, start, False)
        if alternating:
            ascend(tree, regret, sums, work, other, weights, start)
            descend(tree, regret, average, work, start, False)
        accumulate(tree, average, work, other, weight, start)
        if not alternating:
            ascend(tree, regret, sums, work, other, weights, start)
        ascend(tree, regret, sums, work, player, weights, start)
        for hand in range(hands):
            value, alternative = work.value[start, hand], head.alternative[hand]
            gain = work.reach[player, start, hand] * (value - alternative)
            head.entered[hand] += weight * value
            head.enter[hand] += weight * ((value - alternative) - gain)
            head.stay[hand] -= weight * gain
    return visited


class RecoveryGame:
    """The recovery game of a subgame that has just been grafted: everything from `edge` on."""

    def __init__(self, game: GrowingGame, edge: int) -> None:
        tree, tables = game.tree, game.tables
        self.game, self.edge = game, edge
        self.head = int(tree.parent[edge])
        self.player = int(tree.player[self.head])
        self.opponent = 1 - self.player
        last, whole = int(tree.last_edge[self.head, self.opponent]), np.ones(game.hands)
        acted = last >= 0
        self.seen = tables.seen_row(last, self.opponent) if acted else tables.total * whole
        """c(h): the opponent's cumulative reach of the head as player i's regrets saw it, float64[hands]."""
        self.averaged = tables.row_or_zeros(AVERAGE, last).copy() if acted else tables.average_total * whole
        """The opponent's cumulative reach of the head in its average strategy, float64[hands]."""
        self.values = tables.row(VALUE, self.head).copy()
        """sum_t v(I) at the head, float64[hands]."""
        deals = tree.chances[tree.board[self.head]]
        self.total = float((deals @ self.seen if self.player == 0 else self.seen @ deals).sum())
        """Z."""
        self.linear = game.rule.linear or not game.rule.additive
        self.played = 0
        self.matrix = tree.ends.matrix * (self.seen if self.opponent == 1 else self.seen[:, None])
        self.choice = Head(self.player, self.values, *(np.zeros(game.hands) for _ in range(3)))

    def iterations_wanted(self, settings: AdditionSettings) -> int:
        """K: Z under cfr; under weights w_t, Z (sum w_t) / (sum w_t^2), which is Z in iterations of equal weight.

        The least number that the settings ask for is not more than the game itself has had, so that additions
        early in a run are as cheap as its iterations.
        """
        tables = self.game.tables
        equal = tables.total / tables.squares if tables.squares else 0.0
        least = min(settings.least_iterations, max(1, round(equal * tables.total)))
        return recovery_iterations(equal * self.total, least, settings.most_iterations)

    @property
    def weight(self) -> float:
        """W: the sum of the weights of the recovery iterations so far."""
        return self.played * (self.played + 1) / 2 if self.linear else float(self.played)

    def play(self, count: int) -> None:
        """Play more iterations."""
        game, tables = self.game, self.game.tables
        visited = play_recovery(
            game.tree.arrays._replace(matrix=self.matrix),
            tables.flat(REGRET),
            tables.flat(VALUE),
            tables.flat(AVERAGE),
            game.work,
            self.choice,
            self.edge,
            self.played + 1,
            count,
            self.linear,
            game.updates == "alternating",
        )
        self.played += count
        game.nodes_touched += visited * game.hands

    def install(self, version: str) -> None:
        """Turn the recovery game's numbers in the tables into those that Theorem 1 gives the enlarged game."""
        tables, tree = self.game.tables, self.game.tree
        tables.row(REGRET, self.edge)[:] = self.choice.entered / self.weight - self.values
        new = np.arange(self.edge, tree.nodes)
        mover, actor = tree.edge_player[new[1:]], tree.player[new]
        edges = {player: new[1:][mover == player] for player in (0, 1)}
        nodes = {player: new[actor == player] for player in (0, 1)}
        places = tables.places
        tables.table(REGRET)[places(REGRET, edges[self.player])] /= self.weight
        tables.table(VALUE)[places(VALUE, nodes[self.player])] /= self.weight
        theirs = edges[self.opponent]
        means = tables.table(AVERAGE)[places(AVERAGE, theirs)] / self.weight
        tables.table(AVERAGE)[places(AVERAGE, theirs)] = means * self.averaged
        if SEEN in tables.names and self.opponent == 0:
            tables.table(SEEN)[places(SEEN, theirs)] = means * self.seen
        tables.table(VALUE)[places(VALUE, nodes[self.opponent])] = 0.0
        kept = EPSILON / self.weight if version == "repaired" else 0.0
        tables.table(REGRET)[places(REGRET, theirs)] *= kept


def add_by_recovery(
    game: GrowingGame,
    head: int,
    label: str,
    betting: Betting,
    theta: float = np.nan,
    settings: AdditionSettings | None = None,
    before: RegretSums | None = None,
) -> Added:
    """Add an action, and the subgame behind it, at a decision.

    `before` are the sums of all regrets, should they be known already.
    """
    before = game.regret_sums() if before is None else before
    edge = game.tree.graft(head, label, betting, theta)
    return recover(game, edge, before, settings or AdditionSettings())


def recover(
    game: GrowingGame, edge: int, before: RegretSums, settings: AdditionSettings, source: int = -1
) -> Added:
    """Fill in the past of an edge that the tree has just gained, with all that follows it, by a recovery game.

    `source` is the edge behind which those nodes were copied; -1 where they come from the rules.
    """
    game.extend()
    recovery = RecoveryGame(game, edge)
    if recovery.total > 0.0:
        recovery.play(recovery.iterations_wanted(settings))
        recovery.install(settings.version)
    return finish_addition(game, edge, before, "recovery", settings.discount, source)


class Added(NamedTuple):
    """The result of an addition."""

    addition: Addition
    """Its entry in the log."""
    sums: RegretSums
    """The sums of all regrets after it, discounted."""


def finish_addition(
    game: GrowingGame, edge: int, before: RegretSums, method: str, name: DiscountName, source: int = -1
) -> Added:
    """Discount all iterations before an addition whose tables are installed, and write it into the log."""
    tree, tables = game.tree, game.tables
    head, total = int(tree.parent[edge]), tables.total
    inside = game.regret_sums(edge + 1)
    after = _sums_with(game, edge, before, inside)
    regret = float(np.maximum(tables.row(REGRET, edge), 0.0).sum())
    weight = 1.0
    if total > 0.0:
        players = [game.player_regrets(player, before, inside, after) for player in (0, 1)]
        weight = discount(players, tables.squares, name)
        if not game.rule.additive:
            weight **= HEAVIER
    if weight < 1.0:
        game.discount(weight)
    addition = Addition(
        place=tree.place(head),
        node=head,
        size=float(tree.theta[edge]),
        method=method,
        iteration=game.iterations,
        total=total,
        discount=weight,
        worth=regret / total if total else 0.0,
        source=source,
    )
    game.log.append(addition)
    return Added(addition, RegretSums(weight**2 * after.squares, weight * after.largest))


def _sums_with(game: GrowingGame, edge: int, before: RegretSums, inside: RegretSums) -> RegretSums:
    """The sums of all regrets with a new edge: those before, those inside the subgame, and the head's gain."""
    tree, tables = game.tree, game.tables
    head = int(tree.parent[edge])
    new = np.maximum(tables.row(REGRET, edge), 0.0)
    others = [
        tables.row(REGRET, child)
        for child in tree.children(head)
        if child != edge and tables.offset[REGRET][child] >= 0
    ]
    old = np.maximum(np.max(others, axis=0), 0.0)
    mine = np.arange(2) == tree.player[head]
    return RegretSums(
        before.squares + inside.squares + mine * float(new @ new),
        before.largest + inside.largest + mine * float(np.maximum(new - old, 0.0).sum()),
    )
