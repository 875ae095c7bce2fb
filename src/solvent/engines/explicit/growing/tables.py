"""The tables of a growing game: regrets, averages and sums of values, in blocks that come, go and return.

Every edge of a player has a block with a number for each hand in the tables of regrets and averages, and every
decision has one in the table of sums of values. Block numbers are the numbers of edges and nodes, which never
change. Each table is an arena of its own (`strategy.arena`), so that regrets can go before averages do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.kernels import FlatTable
from solvent.forms.explicit.tree import DECISION, ExplicitTree
from solvent.strategy.arena import ABSENT, Arena

REGRET, AVERAGE, VALUE, SEEN, BOUND = "regret", "average", "value", "seen", "bound"
"""The tables: R(I, a); the cumulative strategy; sums of v(I) by decision; with alternating updates, the cumulative
strategy of player 0 as player 1's regrets saw it, which is one iteration ahead; and, by decisions that have pruned
actions, how much those may have gained on v(I) at most (`pruning.pruner`)."""
CUMULATIVE = "cumulative"
"""The name of the cumulative strategies in checkpoints, where `average` is the strategy by infoset."""
BY_NODE = (VALUE, BOUND)
"""Tables with a block for each decision rather than for each edge."""


class StoredTables(NamedTuple):
    """Regrets by edge, sums of v(I) and bounds by node."""

    regret: FlatTable
    values: FlatTable
    bound: FlatTable


class GrowingTables:
    """The tables of one tree, and the sums of weights of the iterations that are in them."""

    def __init__(self, tree: ExplicitTree, alternating: bool) -> None:
        self.hands = len(tree.hands)
        self.names = (REGRET, AVERAGE, VALUE, *((SEEN,) if alternating else ()))
        """The tables that every block has from the start; bounds come with pruning."""
        none = np.zeros(0, dtype=np.int64)
        self.arenas = {name: Arena(none, [name], np.float64) for name in (*self.names, BOUND)}
        self.offset: dict[str, NDArray[np.int64]] = {}
        """The first place of each edge's or node's block in each table; -1 where it has none."""
        self.total = 0.0
        """T: the sum of the weights that regrets and values have."""
        self.average_total = 0.0
        """The sum of the weights that the averages have; equal to `total` under cfr and lcfr."""
        self.clock = 0.0
        """The rule's clock: iterations so far, fewer after discounts (`GrowingGame.discount`)."""
        self.squares = 0.0
        """The sum of the squared weights of the regrets; equal to `total` under cfr."""
        self.extend(tree)

    def extend(self, tree: ExplicitTree, exactly: bool = False) -> None:
        """Make blocks of zeros for the nodes that the tree has gained; `exactly`: with no room to spare."""
        first = len(self.arenas[REGRET].sizes)
        decides, mover = tree.kind[first:] == DECISION, tree.edge_player[first:]
        for name, arena in self.arenas.items():
            here = decides if name in BY_NODE else mover == 0 if name == SEEN else mover >= 0
            sizes = np.where(here, self.hands, 0)
            if exactly and name != BOUND:
                arena.reserve(int(sizes.sum()))
            arena.add(sizes, present=name != BOUND)
            self._find(name)

    def _find(self, name: str) -> None:
        arena = self.arenas[name]
        self.offset[name] = np.where(arena.sizes > 0, arena.offset, ABSENT)

    def hold(self, name: str, blocks: NDArray[np.int64]) -> None:
        """Make absent blocks present, zero, with no room to spare."""
        arena = self.arenas[name]
        absent = blocks[(self.offset[name][blocks] == ABSENT) & (arena.sizes[blocks] > 0)]
        if not len(absent):
            return
        arena.reserve(int(arena.sizes[absent].sum()))
        arena.grow(absent)
        self._find(name)

    def let_go(self, name: str, blocks: NDArray[np.int64]) -> None:
        """Forget blocks and give their memory back."""
        arena = self.arenas[name]
        present = blocks[self.offset[name][blocks] != ABSENT]
        if not len(present):
            return
        arena.free(present)
        arena.compact()
        self._find(name)

    @property
    def bytes(self) -> int:
        """Memory that the tables take, room to spare included."""
        return sum(arena.bytes for arena in self.arenas.values())

    @property
    def stored(self) -> int:
        """The numbers in all tables together."""
        return sum(arena.stored for arena in self.arenas.values())

    def table(self, name: str) -> NDArray[Any]:
        """A flat table; it is out of date after `extend`, `hold` and `let_go`."""
        return self.arenas[name].table(name)

    def flat(self, name: str) -> FlatTable:
        """A flat table with its offsets, as kernels read it; out of date when `table` is."""
        return FlatTable(self.offset[name], self.table(name))

    def stored_tables(self) -> StoredTables:
        """The tables of regrets, sums of v(I) and bounds as kernels read them."""
        return StoredTables(self.flat(REGRET), self.flat(VALUE), self.flat(BOUND))

    def places(self, name: str, blocks: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """The places of the numbers of present blocks in a table: int64[blocks, hands]."""
        found: NDArray[np.int64] = self.offset[name][blocks][:, None] + np.arange(self.hands)
        return found

    def row(self, name: str, block: int) -> NDArray[Any]:
        """A view of the numbers of one edge or, in tables by decision, of one node: float64[hands]."""
        start = int(self.offset[name][block])
        if start < 0:
            raise KeyError(f"{name} has no block {block}")
        return self.table(name)[start : start + self.hands]

    def row_or_zeros(self, name: str, block: int) -> NDArray[Any]:
        """A row; 0 where its block was let go."""
        return self.row(name, block) if self.offset[name][block] >= 0 else np.zeros(self.hands)

    def rows(self, name: str) -> NDArray[Any]:
        """A table with a row for each edge or node, float64[nodes, hands]; 0 where there is no block."""
        offset = self.offset[name]
        found = np.zeros((len(offset), self.hands))
        present = np.flatnonzero(offset >= 0)
        found[present] = self.table(name)[self.places(name, present)]
        return found

    # Checkpoints

    def saved(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint: the tables, which of their blocks are present, and the weights."""
        kept: dict[str, NDArray[Any]] = {
            "weights": np.array([self.total, self.average_total, self.squares, self.clock])
        }
        for name, arena in self.arenas.items():
            label = CUMULATIVE if name == AVERAGE else name
            kept[label] = arena.table(name)[arena.places]
            kept[f"{label}_stored"] = arena.offset != ABSENT
        return kept

    def load(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Load the arrays of `saved` for a tree with as many nodes; a ValueError if the shapes differ."""
        for name, arena in self.arenas.items():
            label = CUMULATIVE if name == AVERAGE else name
            table, stored = kept[label], kept[f"{label}_stored"]
            if stored.shape != arena.sizes.shape or table.dtype != np.float64:
                raise ValueError(label)
            if table.shape != (int(arena.sizes[stored].sum()),):
                raise ValueError(label)
            self.let_go(name, np.flatnonzero(~stored))
            self.hold(name, np.flatnonzero(stored))
            arena.table(name)[arena.places] = table
        self.total, self.average_total, self.squares, self.clock = (
            float(weight) for weight in kept["weights"]
        )

    # The strategies that regrets were computed against

    @property
    def average_scale(self) -> float:
        """Factor that gives a cumulative strategy the regrets' weights; 1 under cfr and lcfr."""
        return self.total / self.average_total if self.average_total else 0.0

    def seen(self, player: int) -> tuple[str, float]:
        """The table of a player's strategy as the opponent's regrets saw it, and the factor to their weights."""
        return (SEEN, 1.0) if player == 0 and SEEN in self.names else (AVERAGE, self.average_scale)

    def seen_row(self, edge: int, player: int) -> NDArray[Any]:
        """The cumulative strategy at a player's edge as the opponent's regrets saw it, in the regrets' weights."""
        name, scale = self.seen(player)
        return scale * self.row_or_zeros(name, edge)

    def scale(self, weight: float) -> None:
        """Multiply all tables and sums of weights by `weight`."""
        for name in self.arenas:
            self.table(name)[:] *= weight
        self.total *= weight
        self.average_total *= weight
        self.squares *= weight
