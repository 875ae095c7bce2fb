"""Where and when to add bets: looks over all decisions and all sizes, and Proposition 1 (section 5 of the paper).

A look finds the best new bet of every decision in closed form (`size_kernels`). What a bet would have been worth is
estimated in one of two ways:

- `transfer`: by repeating what both players did behind the neighbouring sizes (section 3.1);
- `response`: T times the counterfactual value of a best response to the opponent's average strategy there, an upper
  bound on the regret of any strategy.

In the faithful version a new bet's regret is measured against sum_t v(I), as in the paper. An existing bet with
positive regret then makes every bet close to it look worth adding. The repaired version measures against the best
action that the infoset has, sum_t v(I) + R(I), so that a bet counts for what it brings beyond the present ones.

What follows a bet that a recovery game adds has the base game's sizes in the faithful version. A bet of the first
round then brings a second round that is as coarse as the base game, however fine it has become behind the other
bets: it is exploitable, and filling it up costs one discount after another. In the repaired version a copy of what
follows the nearest size takes its place, as with regret transfer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import GrowingGame, RegretSums
from solvent.engines.explicit.growing.growth_settings import GrowthSettings
from solvent.engines.explicit.growing.proposition import Candidate, gain, pays
from solvent.engines.explicit.growing.pruning.budget import addition_bytes
from solvent.engines.explicit.growing.pruning.pruner import Pruner
from solvent.engines.explicit.growing.recovery import Added, add_by_recovery, recover
from solvent.engines.explicit.growing.size_kernels import (
    Found,
    Looked,
    best_sizes,
    make_scratch,
    sum_subtrees,
)
from solvent.engines.explicit.growing.sum_kernels import past_reach, past_worth
from solvent.engines.explicit.growing.tables import AVERAGE, SEEN
from solvent.engines.explicit.growing.transfer import add_by_transfer, scaling_rules
from solvent.engines.explicit.kernels import NO_SUMS, RESPOND, Weights, ascend, descend
from solvent.forms.explicit.tree import DECISION
from solvent.games.continuous_leduc import SizedBetting, rounded_size
from solvent.games.public_rules import Betting

APART = 1e-3
"""How far new bets stay from those that a decision has, as a part of 1 + theta."""


class Possible(NamedTuple):
    """A bet that a decision lacks."""

    node: int
    theta: float
    regret: float
    """Its estimated regret summed over hands, in chips times iterations."""
    nodes: int
    """How many nodes it would add."""
    table_bytes: int
    """What its tables would take under a memory budget; 0 without one."""
    source: int
    """The edge of the nearest size that the decision has."""
    gain: float
    """By how much Proposition 1's inequality holds."""


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
        """What makes room for additions under a memory budget; None: there is no such budget."""
        self._scratch = make_scratch(game.hands)
        self._bytes_by_kind: dict[tuple[int, int, int], int] = {}
        self._by_kind: dict[tuple[int, int], int] = {}
        self._new_nodes: list[int] = []
        """By node, how many nodes a bet there would add by a recovery game; 0 where no bet is possible."""

    def look(self, sums: RegretSums) -> list[Possible]:
        """The bets that Proposition 1 says pay now, best first. The nodes that the look visits are counted.

        A memory budget does not change the order. With the largest gain for a byte first, small bets late in the
        game take every byte that becomes free, and the large subgames behind bets of the first round, whose regret
        is the largest, wait for ever.

        `sums` are those of all regrets.
        """
        game, tree = self.game, self.game.tree
        looked = estimates(game, self.settings)
        found = Found(np.zeros(tree.nodes), np.zeros(tree.nodes), np.zeros(tree.nodes, np.int64))
        game.nodes_touched += game.hands * best_sizes(tree.arrays, looked, self._scratch, found, APART)
        if self.pruner is not None:
            found.regret[~self.pruner.open_nodes()] = 0.0
        nodes = np.flatnonzero(found.regret > 0.0)
        regret, size = found.regret[nodes], self._sizes(found)[nodes]
        have = sums.largest[tree.player[nodes]]
        better = gain(have, tree.nodes, Candidate(regret, size), game.tables.total, self.settings.factor)
        paying = np.flatnonzero(better > 0.0)
        taken = self._table_bytes(found)[nodes[paying]]
        order = np.lexsort((nodes[paying], -better[paying]))
        return [
            Possible(
                int(nodes[k]),
                rounded_size(float(found.theta[nodes[k]])),
                float(regret[k]),
                int(size[k]),
                int(size_in_tables),
                int(found.source[nodes[k]]),
                float(better[k]),
            )
            for k, size_in_tables in zip(paying[order], taken[order], strict=True)
        ]

    def grow(self) -> int:
        """Look once and add what pays; returns how many bets were added.

        Every addition discounts what is known of the others and makes the game larger, so that Proposition 1 is
        asked again before each.
        """
        game, factor = self.game, self.settings.factor
        added, left = 0, 1.0
        sums = game.regret_sums()
        for each in self.look(sums):
            candidate = Candidate(left * each.regret, each.nodes)
            inside = float(sums.largest[game.tree.player[each.node]])
            if not pays(inside, game.tree.nodes, candidate, game.tables.total, factor) or not self._fits(
                each
            ):
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

    def _table_bytes(self, found: Found) -> NDArray[np.int64]:
        """What the tables of the best new bet of each node would take under a memory budget."""
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
            kind = (head.stage, head.bets, head.player)
            if kind not in self._bytes_by_kind:
                below = self.rules.after_bet(head, self.rules.fractions[0])
                self._bytes_by_kind[kind] = addition_bytes(below, tree, head.player, alternating)
            taken[node] = self._bytes_by_kind[kind]
        return taken

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

    def _sizes(self, found: Found) -> NDArray[np.int64]:
        """How many nodes the best new bet of each node would add."""
        tree = self.game.tree
        if self.settings.method == "transfer" or self.settings.additions.version == "repaired":
            whole = np.ones(tree.nodes, dtype=np.int64)
            sum_subtrees(tree.parent, whole)
            return np.where(found.source >= 0, whole[found.source], 0)
        for head in tree.betting[len(self._new_nodes) :]:
            count = 0
            if isinstance(head, SizedBetting) and head.bets < self.rules.max_bets:
                kind = (head.stage, head.bets)
                if kind not in self._by_kind:
                    below = self.rules.after_bet(head, self.rules.fractions[0])
                    self._by_kind[kind] = _nodes_of(below, len(tree.boards) - 1)
                count = self._by_kind[kind]
            self._new_nodes.append(count)
        return np.array(self._new_nodes)


def estimates(game: GrowingGame, settings: GrowthSettings) -> Looked:
    """What each edge's action was worth, what a new action has to beat, and the players' reaches."""
    tree, tables = game.tree, game.tables
    arrays = tree.arrays
    looked = Looked(tree.theta, *(np.zeros((tree.nodes, game.hands)) for _ in range(3)))
    beyond = settings.additions.version == "repaired"
    past_worth(arrays, game.held_rows(), looked, beyond)
    if settings.estimate == "response":
        _respond(game, looked)
        return looked
    for player in (0, 1):
        name = SEEN if player == 0 and SEEN in tables.names else AVERAGE
        scale = tables.average_scale if name == AVERAGE else 1.0
        past_reach(arrays, tables.offset[name], tables.table(name), player, scale, looked)
    return looked


def _respond(game: GrowingGame, looked: Looked) -> None:
    """Fill in T times the value of a best response behind each edge, and T times the average strategy's reaches."""
    tree, tables, work = game.tree, game.tables, game.work
    arrays, average = tree.arrays, tables.table(AVERAGE)
    work.reach[:, 0] = tables.total
    visited = descend(arrays, tables.offset[AVERAGE], average, NO_SUMS, work, 0, tree.nodes, False)
    for player in (0, 1):
        weights = Weights(RESPOND, 1.0, 1.0, 1.0)
        ascend(arrays, tables.offset[AVERAGE], average, NO_SUMS, work, player, weights, 0, tree.nodes)
        mine = tree.edge_player == player
        looked.worth[mine] = work.value[: tree.nodes][mine]
        looked.reach[mine] = work.reach[player, : tree.nodes][mine]
    game.nodes_touched += 2 * visited * game.hands


def _nodes_of(betting: Betting, boards: int) -> int:
    """The nodes of a betting subtree on every board that is dealt in it."""
    below = sum(_nodes_of(child, boards) for child in betting.children)
    return 1 + (boards * below if betting.deals else below)
