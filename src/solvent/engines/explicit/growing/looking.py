"""Looks for bets to add: all decisions, all sizes, and Proposition 1 (section 5 of the paper).

A look finds the best new bet of every decision in closed form (`look_kernels`). The past worth of a bet is
estimated in one of two ways:

- `transfer`: by repeating both players' play behind the neighbouring sizes (section 3.1);
- `response`: T times the counterfactual value of a best response to the opponent's average strategy there, an upper
  bound on the regret of any strategy.

In the faithful version a new bet's regret is measured against sum_t v(I), as in the paper. An existing bet with
positive regret then makes every bet close to it look worth adding. The repaired version measures against the best
action that the infoset has, sum_t v(I) + R(I), so that a bet counts for its gain beyond the present ones.

The subgame behind a bet that a recovery game adds has the base game's sizes in the faithful version. A bet of the
first round then brings a second round that is as coarse as the base game, however fine it has become behind the
other bets: it is exploitable, and filling it up costs one discount after another. In the repaired version a copy of
the subgame behind the nearest size takes its place, as with regret transfer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import GrowingGame, RegretSums
from solvent.engines.explicit.growing.growth_settings import GrowthSettings
from solvent.engines.explicit.growing.look_kernels import (
    BestBets,
    LookInput,
    best_sizes,
    make_scratch,
    past_reach,
    past_worth,
    sum_subtrees,
)
from solvent.engines.explicit.growing.proposition import Candidate, gain, pays
from solvent.engines.explicit.growing.pruning.pruner import Pruner
from solvent.engines.explicit.growing.recovery import Added, add_by_recovery, recover
from solvent.engines.explicit.growing.tables import AVERAGE
from solvent.engines.explicit.growing.transfer import add_by_transfer, scaling_rules
from solvent.engines.explicit.kernels import NO_TABLE, RESPOND, Weights, ascend, descend
from solvent.forms.explicit.tree import DECISION
from solvent.games.continuous_leduc import SizedBetting, rounded_size
from solvent.games.public_rules import Betting

APART = 1e-3
"""The least distance of new bets from those that a decision has, as a fraction of 1 + theta."""


class Possible(NamedTuple):
    """A bet that a decision lacks."""

    node: int
    theta: float
    regret: float
    """Its estimated regret summed over hands, in chips times iterations."""
    nodes: int
    """The number of nodes that it would add."""
    table_bytes: int
    """Bytes of its tables under a memory budget; 0 without one."""
    source: int
    """The edge of the nearest size that the decision has."""
    gain: float
    """The margin by which Proposition 1's inequality holds."""


class Counts(NamedTuple):
    """Sizes of a betting subtree on all boards."""

    nodes: int
    edges: int
    """Actions of players."""
    first: int
    """Those of player 0."""
    decisions: int


def count_betting(betting: Betting, boards: int) -> Counts:
    """Count a betting subtree on every board that is dealt in it."""
    below = [count_betting(child, boards) for child in betting.children]
    nodes, edges, first, decisions = (
        (sum(column) for column in zip(*below, strict=True)) if below else [0] * 4
    )
    times, acts = boards if betting.deals else 1, len(betting.actions)
    return Counts(
        1 + times * nodes,
        acts + times * edges,
        (acts if betting.player == 0 else 0) + times * first,
        (acts > 0) + times * decisions,
    )


class Looker:
    """Looks over a growing game, one after another."""

    def __init__(
        self,
        game: GrowingGame,
        settings: GrowthSettings,
        most_nodes: int | None = None,
        pruner: Pruner | None = None,
    ) -> None:
        self.game, self.settings = game, settings
        self.rules = scaling_rules(game)
        self.most_nodes = most_nodes
        """The most nodes that the tree may grow to; None: any number."""
        self.pruner = pruner
        """Makes room for additions under a memory budget; None: there is no such budget."""
        self._scratch = make_scratch(game.hands)
        self._by_kind: dict[tuple[int, int, int], Counts] = {}
        self._new_nodes: list[int] = []
        """By node, the number of nodes that the rules put behind a new bet there; 0 where no bet is possible."""

    def look(self, sums: RegretSums) -> list[Possible]:
        """The bets that Proposition 1 says pay now, best first. The nodes that the look visits are counted.

        A memory budget does not change the order. With the largest gain for a byte first, small bets late in the
        game take every byte that becomes free, and the large subgames behind bets of the first round, whose regret
        is the largest, wait for ever.

        `sums` are those of all regrets.
        """
        game, tree = self.game, self.game.tree
        looked = estimates(game, self.settings)
        found = BestBets(np.zeros(tree.nodes), np.zeros(tree.nodes), np.zeros(tree.nodes, np.int64))
        game.nodes_touched += game.hands * best_sizes(tree.arrays, looked, self._scratch, found, APART)
        if self.pruner is not None:
            found.regret[~self.pruner.open_nodes()] = 0.0
        nodes = np.flatnonzero(found.regret > 0.0)
        regret, size = found.regret[nodes], self._sizes(found)[nodes]
        have = sums.largest[tree.player[nodes]]
        better = gain(have, tree.nodes, Candidate(regret, size), game.tables.total, self.settings.factor)
        paying = np.flatnonzero(better > 0.0)
        best = paying[np.lexsort((nodes[paying], -better[paying]))]
        at, taken = nodes[best], self._table_bytes(found)
        thetas = [rounded_size(theta) for theta in found.theta[at].tolist()]
        columns = (regret[best], size[best], taken[at], found.source[at], better[best])
        rows = zip(at.tolist(), thetas, *(column.tolist() for column in columns), strict=True)
        return [Possible(*row) for row in rows]

    def grow(self) -> int:
        """Look once and add the bets that pay; returns how many.

        Every addition discounts the estimates of the others and makes the game larger, so that Proposition 1 is
        asked again before each.
        """
        game, factor = self.game, self.settings.factor
        added, left = 0, 1.0
        sums = game.regret_sums()
        for each in self.look(sums):
            candidate = Candidate(left * each.regret, each.nodes)
            inside = float(sums.largest[game.tree.player[each.node]])
            if not pays(inside, game.tree.nodes, candidate, game.tables.total, factor):
                continue
            if not self._fits(each):
                continue
            done = self.add(each.node, each.theta, each.source, sums)
            if self.pruner is not None:
                self.pruner.after_addition()
            left *= done.addition.discount
            sums = done.sums
            added += 1
        return added

    def _fits(self, each: Possible) -> bool:
        """Whether there is memory for a bet, which the pruner may have to make."""
        if self.pruner is not None and not self.pruner.make_room(each.table_bytes, adds=True):
            self.pruner.budget.refused_additions += 1
            return False
        return self.most_nodes is None or self.game.tree.nodes + each.nodes <= self.most_nodes

    def _table_bytes(self, found: BestBets) -> NDArray[np.int64]:
        """Bytes of the tables of the best new bet of each node under a memory budget."""
        game, tree = self.game, self.game.tree
        if self.pruner is None:
            return np.zeros(tree.nodes, dtype=np.int64)
        alternating, mover = game.updates == "alternating", tree.edge_player
        if self.settings.additions.version == "repaired":
            rows = 2 * (mover >= 0) + (tree.kind == DECISION) + (alternating & (mover == 0))
            rows = rows.astype(np.int64)
            sum_subtrees(tree.parent, rows)
            return np.where(found.source >= 0, 8 * game.hands * rows[found.source], 0)
        taken = np.zeros(tree.nodes, dtype=np.int64)
        for node in np.flatnonzero(found.source >= 0).tolist():
            head = tree.betting[node]
            assert isinstance(head, SizedBetting)
            below = self._behind_bet(head)
            numbers = 2 * (below.edges + 1) + below.decisions
            if alternating:
                numbers += below.first + (head.player == 0)
            taken[node] = 8 * game.hands * numbers
        return taken

    def _behind_bet(self, head: SizedBetting) -> Counts:
        """Count the subtree that the rules put behind a new bet at a decision."""
        kind = (head.stage, head.bets, head.player)
        if kind not in self._by_kind:
            below = self.rules.after_bet(head, self.rules.fractions[0])
            self._by_kind[kind] = count_betting(below, len(self.game.tree.boards) - 1)
        return self._by_kind[kind]

    def add(self, node: int, theta: float, source: int, sums: RegretSums | None = None) -> Added:
        """Add one bet by the method of the settings; `source` is the edge of the nearest size of the decision.

        `sums` are those of all regrets, should they be known already.
        """
        game, settings = self.game, self.settings.additions
        if self.settings.method == "transfer":
            return add_by_transfer(game, source, theta, settings, before=sums)
        head = game.tree.betting[node]
        assert isinstance(head, SizedBetting)
        name, sums = self.rules.bet_name(head, theta), sums or game.regret_sums()
        if settings.version == "repaired":
            edge = game.tree.nodes
            game.tree.copy_bet(source, name, self.rules.history_after(head, theta), theta)
            return recover(game, edge, sums, settings, source)
        return add_by_recovery(game, node, name, self.rules.after_bet(head, theta), theta, settings, sums)

    def _sizes(self, found: BestBets) -> NDArray[np.int64]:
        """The number of nodes that the best new bet of each node would add."""
        tree = self.game.tree
        if self.settings.method == "transfer" or self.settings.additions.version == "repaired":
            whole = np.ones(tree.nodes, dtype=np.int64)
            sum_subtrees(tree.parent, whole)
            return np.where(found.source >= 0, whole[found.source], 0)
        for head in tree.betting[len(self._new_nodes) :]:
            count = 0
            if isinstance(head, SizedBetting) and head.bets < self.rules.max_bets:
                count = self._behind_bet(head).nodes
            self._new_nodes.append(count)
        return np.array(self._new_nodes)


def estimates(game: GrowingGame, settings: GrowthSettings) -> LookInput:
    """The worth of each edge's action, the worth that a new action has to beat, and the players' reaches."""
    tree, tables = game.tree, game.tables
    arrays = tree.arrays
    looked = LookInput(tree.theta, *(np.zeros((tree.nodes, game.hands)) for _ in range(3)))
    beyond = settings.additions.version == "repaired"
    past_worth(arrays, tables.stored_tables(), looked, beyond)
    if settings.estimate == "response":
        _respond(game, looked)
        return looked
    for player in (0, 1):
        name, scale = tables.seen(player)
        past_reach(arrays, tables.flat(name), player, scale, looked)
    return looked


def _respond(game: GrowingGame, looked: LookInput) -> None:
    """Fill in T times the value of a best response behind each edge, and T times the average strategy's reaches."""
    tree, tables, work = game.tree, game.tables, game.work
    arrays, average = tree.arrays, tables.flat(AVERAGE)
    work.reach[:, 0] = tables.total
    visited = descend(arrays, average, NO_TABLE, work, 0, False)
    for player in (0, 1):
        ascend(arrays, average, NO_TABLE, work, player, Weights(RESPOND, 1.0, 1.0, 1.0), 0)
        mine = tree.edge_player == player
        looked.worth[mine] = work.value[: tree.nodes][mine]
        looked.reach[mine] = work.reach[player, : tree.nodes][mine]
    game.nodes_touched += 2 * visited * game.hands
