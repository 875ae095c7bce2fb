"""A child that is itself a head: the table of one public cluster, in parts of its own and of clusters inside it.

Algorithm 4 of Brown, Ganzfried and Sandholm (2015) has two levels. Here the second may have children of its own,
public clusters of turns inside a cluster of flops for instance, and these too. The batch that a branch is asked to
value is where its walks begin: it passes once and records what its children must value, they answer, and it passes
again. Its board is drawn from its own public samples, and so are those of its children given the board; what an
increment counts is the product of what was left to choose from at every level, by its mean over all hands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.training.distributed.batches import AnyChild, Batch, Discount
from solvent.training.distributed.child import TableOwner
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.head import Head


class Branch(TableOwner):
    """Values batches for one public cluster as a child does, with a head and children of its own."""

    def __init__(
        self, cluster: int, table: NDArray[np.float32], head: Head, children: list[AnyChild]
    ) -> None:
        """table: float32, of which the tables of `head` and `children` are parts, so that it moves whole."""
        parts = [head.table, *(child.table for child in children)]
        if not all(np.may_share_memory(table, part) for part in parts):
            raise InputError("the tables of a branch's head and children are parts of its table")
        super().__init__(cluster, table)
        self.head, self.children = head, LocalChildren(children)

    def load(self, table: NDArray[np.float32], turns: int) -> None:
        super().load(table, turns)
        self.children.load(self.children.shards(), turns)

    def discount(self, factors: Discount) -> None:
        self.head.discount(factors)
        self.children.discount(factors)

    def _take_turn(self, batch: Batch) -> tuple[NDArray[np.float32], int]:
        before = self.head.touched
        recorded = self.head.record_below(batch)
        self.children.start(recorded.batch)
        replies = self.children.values()
        values = self.head.replay(recorded, replies)
        return values, self.head.touched - before + sum(reply.touched for reply in replies)
