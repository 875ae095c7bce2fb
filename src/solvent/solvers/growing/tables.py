"""The tables of a growing game: regrets, averages and sums of values, in blocks that come, go and return.

Every edge of a player is a block with a number for each hand (`strategy.arena`); edges that chance deals have none,
and so has the root. Block numbers are edge numbers, which never change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import DECISION, ExplicitTree
from solvent.strategy.arena import Arena

REGRET, AVERAGE, VALUE, SEEN = "regret", "average", "value", "seen"
"""The tables: R(I, a); the cumulative strategy; sums of v(I), at the infoset's first edge; and, with alternating
updates, the cumulative strategy of player 0 as player 1's regrets saw it, which is one iteration ahead."""


class GrowingTables:
    """The tables of one tree, and the sums of weights of the iterations that are in them."""

    def __init__(self, tree: ExplicitTree, alternating: bool) -> None:
        self.hands = len(tree.hands)
        names = [REGRET, AVERAGE, VALUE, *([SEEN] if alternating else [])]
        self.arena = Arena(np.zeros(0, dtype=np.int64), names, np.float64)
        self.total = 0.0
        """T: the sum of the weights that regrets and values have."""
        self.average_total = 0.0
        """The sum of the weights that the averages have; equal to `total` under cfr and lcfr."""
        self.clock = 0.0
        """The rule's clock: iterations so far, fewer after discounts (`iterations.discount`)."""
        self.squares = 0.0
        """The sum of the squared weights of the regrets; equal to `total` under cfr."""
        self.extend(tree)

    def extend(self, tree: ExplicitTree) -> None:
        """Make blocks of zeros for the nodes that the tree has gained."""
        first = len(self.arena.sizes)
        owned = np.zeros(tree.nodes, dtype=np.bool_)
        owned[1:] = tree.kind[tree.parent[1:]] == DECISION
        self.arena.add(np.where(owned[first:], self.hands, 0))
        self.offset = np.where(owned & (self.arena.offset >= 0), self.arena.offset, -1)

    def table(self, name: str) -> NDArray[Any]:
        """A flat table; it is out of date after `extend`."""
        return self.arena.table(name)

    def row(self, name: str, edge: int) -> NDArray[Any]:
        """A view of the numbers of one edge, float64[hands]."""
        start = int(self.offset[edge])
        if start < 0:
            raise KeyError(f"edge {edge} has no block")
        return self.arena.table(name)[start : start + self.hands]

    def rows(self, name: str) -> NDArray[Any]:
        """A table with a row for each edge, float64[nodes, hands]; 0 where an edge has no block."""
        found = np.zeros((len(self.offset), self.hands))
        present = np.flatnonzero(self.offset >= 0)
        places = self.offset[present][:, None] + np.arange(self.hands)
        found[present] = self.arena.table(name)[places]
        return found

    @property
    def average_scale(self) -> float:
        """What a cumulative strategy is multiplied by to have the regrets' weights; 1 under cfr and lcfr."""
        return self.total / self.average_total if self.average_total else 0.0

    def seen_row(self, edge: int, player: int) -> NDArray[Any]:
        """The cumulative strategy at a player's edge as the opponent's regrets saw it, in the regrets' weights."""
        if player == 0 and SEEN in self.arena.names:
            return self.row(SEEN, edge)
        return self.average_scale * self.row(AVERAGE, edge)

    def scale(self, weight: float) -> None:
        """Let every iteration so far count for `weight` of what it did: all tables and sums of weights."""
        for name in self.arena.names:
            self.arena.table(name)[:] *= weight
        self.total *= weight
        self.average_total *= weight
        self.squares *= weight
