"""A trained blueprint: tables of a betting tree times buckets, as a strategy that can be asked.

`Blueprint` answers "which probabilities here?" at any decision of its betting tree: for a bucket, for a hand on a
board, for all 1,326 hands at once and for the 169 classes of hands. The average strategy is what was trained. The
layout of the table is described in `solvent.forms.sampled`; training itself is in `solvent.solvers.blueprint`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting import BettingTree
from solvent.forms.sampled import row_start, table_layout
from solvent.foundation.errors import InputError

TABLE_LAYOUT = 2
"""Version of the tables' layout; it changes whenever the same numbers would stand elsewhere."""


class Blueprint:
    """The tables of a betting tree and a card abstraction."""

    def __init__(
        self,
        tree: BettingTree,
        cards: CardAbstraction,
        table: NDArray[np.float32] | None = None,
        iterations: int = 0,
    ) -> None:
        """`table`, float32[numbers], is taken as it is, memory-mapped or not; None makes one of zeros.

        `iterations`: how many iterations the tables have been trained for.
        """
        self.tree, self.cards, self.iterations = tree, cards, iterations
        self.layout = table_layout(tree.bucket_floats, cards.sizes)
        numbers = self.layout.numbers
        self.table = np.zeros(numbers, dtype=np.float32) if table is None else table
        if self.table.shape != (numbers,):
            raise InputError(
                f"these tables have {self.table.size:,} numbers, and this blueprint has {numbers:,}"
            )

    def row(self, node: int, cluster: int, bucket: int) -> NDArray[np.float32]:
        """float32[2, actions]: the regrets and the strategy sums of a decision node for a bucket, as a view."""
        actions = int(self.tree.action_count[node])
        start = row_start(self.layout, int(self.tree.street[node]), cluster, bucket) + int(
            self.tree.row[node]
        )
        return self.table[start : start + 2 * actions].reshape(2, actions)

    def average(self, node: int, cluster: int, bucket: int) -> NDArray[np.float64]:
        """float64[actions]: the average strategy of a bucket; uniform where training never came."""
        return normalised(self.row(node, cluster, bucket)[1].astype(np.float64))


def normalised(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strategies from their sums, float64[..., actions]: each divided by its total, uniform where that is 0."""
    totals = sums.sum(axis=-1, keepdims=True)
    uniform = np.full_like(sums, 1.0 / sums.shape[-1])
    strategies: NDArray[np.float64] = np.divide(sums, totals, out=uniform, where=totals > 0)
    return strategies
