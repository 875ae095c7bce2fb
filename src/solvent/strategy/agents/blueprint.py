"""A trained blueprint: tables of a betting tree times buckets, as a strategy that can be asked.

`Blueprint` gives the average strategy, which is what was trained, of a bucket at a decision of its betting
tree; `solvent.strategy.agents.trained` asks it by betting line, hand and class of hands. The layout of the
table is described in `solvent.forms.sampled`; training itself is in `solvent.training`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import BettingTree
from solvent.forms.sampled import row_start, table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.strategy.strategy import normalise_block

TABLE_LAYOUT = 2
"""Version of the tables' layout; it changes whenever the same numbers would stand elsewhere."""
HEAD, FROZEN, CLUSTER = "head", "frozen", "cluster_{:04}"
"""Names of shards in a checkpoint. `FROZEN` is an older head, which the next turn of a training reads."""


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
        self.table = new_table(numbers, np.float32) if table is None else table
        if self.table.shape != (numbers,):
            raise InputError(
                f"these tables have {self.table.size:,} numbers, and this blueprint has {numbers:,}"
            )

    def row(self, node: int, cluster: int, bucket: int) -> NDArray[np.float32]:
        """float32[2, actions]: the regrets and the strategy sums of a decision node for a bucket, as a view."""
        actions = int(self.tree.action_count[node])
        street = int(self.tree.street[node])
        start = row_start(self.layout, street, cluster, bucket) + int(self.tree.row[node])
        return self.table[start : start + 2 * actions].reshape(2, actions)

    def average(self, node: int, cluster: int, bucket: int) -> NDArray[np.float64]:
        """float64[actions]: the average strategy of a bucket; where training never came, what it began with."""
        return normalise_block(self.row(node, cluster, bucket)[1][:, None])[:, 0]


# Shards: the parts of a table that are trained apart, one for the head and one for each cluster


def split_table(blueprint: Blueprint) -> dict[str, NDArray[np.float32]]:
    """A blueprint's table as shards, which are views of it: the head, then the clusters in order."""
    head, arenas = np.split(blueprint.table, [blueprint.layout.head])
    shards = np.split(arenas, blueprint.layout.clusters)
    return {HEAD: head} | {CLUSTER.format(n): shard for n, shard in enumerate(shards)}


def join_shards(blueprint: Blueprint, tables: Mapping[str, NDArray[np.float32]]) -> None:
    """Write shards into a blueprint's table."""
    places = split_table(blueprint)
    if tables.keys() - {FROZEN} != places.keys():
        raise InputError(
            f"these shards are of another training: this one has a head and {len(places) - 1} clusters"
        )
    for name, place in places.items():
        if tables[name].shape != place.shape or tables[name].dtype != np.float32:
            raise InputError(f"the shard {name!r} is not one of {place.size:,} float32 numbers")
        place[:] = tables[name]
