"""A blueprint: tables of a betting tree x buckets, and the iterations of Monte Carlo CFR that fill them.

Tables are one array of float32 numbers. First comes the head, the preflop rows of every class of hands; then one
arena for each public cluster, with the flop's, the turn's and the river's rows. Within a street the rows of one
bucket lie together, those of a node's children side by side. So a traversal, which has one bucket a street, stays
in a few stretches of memory, and a cluster can be moved elsewhere whole.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.cards.evaluator import evaluator
from solvent.forms.betting import SHOWDOWN, BettingTree
from solvent.forms.sampled import SHOWN, SampledTree, lay_out
from solvent.foundation.errors import InputError
from solvent.foundation.threads import on_each
from solvent.solvers.blueprint.deals import holdem_iterations
from solvent.solvers.blueprint.row_locks import locked_iterations, new_locks
from solvent.solvers.rewards import reward as reward_of
from solvent.solvers.sampled.tables.kernels import frames

STREETS = 4
LOCKS = ("none", "rows", "inside")
"""How threads keep out of each other's way."""


def sampled_tree(tree: BettingTree) -> SampledTree:
    """The betting tree of an abstraction, for sampling."""
    return lay_out(
        tree.first_edge,
        tree.behind,
        np.where(tree.kind == SHOWDOWN, SHOWN, tree.player),
        tree.street,
        tree.paid.min(axis=1),
        STREETS,
    )


class Blueprint:
    """Tables under training."""

    def __init__(
        self, tree: BettingTree, cards: CardAbstraction, table: NDArray[np.float32] | None = None
    ) -> None:
        self.tree, self.cards, self.sampled = tree, cards, sampled_tree(tree)
        self.layout = table_layout(self.sampled, cards)
        size = table_floats(self.layout, cards)
        self.table = np.zeros(size, dtype=np.float32) if table is None else table
        if self.table.shape != (size,):
            raise InputError(
                f"these tables have {self.table.size:,} numbers, and this blueprint has {size:,}"
            )
        self.iterations = 0
        self.touched = 0
        self._payoffs: tuple[str, tuple[NDArray[np.int32], NDArray[np.float32]]] | None = None

    def run(
        self,
        iterations: int,
        *,
        threads: int = 1,
        seed: int = 0,
        linear: bool = True,
        exploration: tuple[float, float] = (0.0, 0.0),
        floor: float = 0.0,
        reward: str = "y1",
        locks: str = "none",
    ) -> None:
        """More iterations, shared among threads that write to the same tables.

        Without locks an addition that two threads make to one number at the same moment may count once. `rows` has
        a lock for each row; `inside` also makes threads inside a traversal, as many as it takes: see `locked`.
        `floor`, chips: actions whose regret an iteration is below it are left out of most iterations; 0: none.
        """
        check_locks(locks, floor)
        if locks == "inside":

            def inside(_: int) -> None:
                locked_iterations(
                    self, iterations, seed=seed, linear=linear, exploration=exploration, reward=reward
                )

            on_each(inside, 1)
            return
        start, stop = self.iterations, self.iterations + iterations
        bounds = np.linspace(start, stop, threads + 1).astype(np.int64)
        rooms, row_locks = [frames() for _ in range(threads)], new_locks() if locks == "rows" else None
        walk, pays = self.payoffs(reward)
        lookup, tables = self.cards.lookup, evaluator()

        def work(which: int) -> None:
            holdem_iterations(
                bounds[which], bounds[which + 1], seed, np.float32(linear), walk, pays, self.layout,
                self.table, lookup, tables, rooms[which], np.zeros(52, dtype=np.int64),
                np.zeros((2, STREETS), dtype=np.int64), exploration, np.float32(floor),
                row_locks,
            )  # fmt: skip

        try:
            on_each(work, threads)
        finally:  # an interrupt comes when all threads are done
            self.iterations = stop
            self.touched += sum(int(room.touched[0]) for room in rooms)

    def payoffs(self, reward: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The tree with payoffs as a reward makes them feel; kept for the next call."""
        if self._payoffs is None or self._payoffs[0] != reward:
            big_blind = self.tree.abstraction.rules.blinds[1]
            self._payoffs = (reward, self.sampled.transformed(partial(reward_of, reward, unit=big_blind)))
        return self._payoffs[1]

    def row(self, node: int, cluster: int, bucket: int) -> NDArray[np.float32]:
        """float32[2, actions]: regrets and sums of a decision node for a bucket."""
        tree, layout = self.tree, self.layout
        street, actions = int(tree.street[node]), int(tree.first_edge[node + 1] - tree.first_edge[node])
        arena = 0 if street == 0 else layout[0, 1] + cluster * layout[0, 2] + layout[2, street]
        start = int(arena + bucket * layout[1, street] + self.sampled.row[node])
        return self.table[start : start + 2 * actions].reshape(2, actions)

    def average(self, node: int, cluster: int, bucket: int) -> NDArray[np.float64]:
        """float64[actions]: the average strategy; all actions alike where there is none yet."""
        sums = self.row(node, cluster, bucket)[1].astype(np.float64)
        total = sums.sum()
        return sums / total if total > 0 else np.full(len(sums), 1.0 / len(sums))


def table_layout(sampled: SampledTree, cards: CardAbstraction) -> NDArray[np.int64]:
    """int64[3, 4]: sizes of head and arena, floats of a bucket, and where streets begin in an arena."""
    floats, buckets = sampled.bucket_floats, np.array([size for _, size in cards.sizes])
    starts = np.concatenate([[0, 0], np.cumsum(floats[1:3] * buckets[1:3])])
    arena = int((floats[1:] * buckets[1:]).sum())
    return np.stack([[0, int(floats[0]) * 169, arena, 0], floats, starts]).astype(np.int64)


def table_floats(layout: NDArray[np.int64], cards: CardAbstraction) -> int:
    """Numbers in all tables."""
    return int(layout[0, 1] + cards.design.clusters * layout[0, 2])


def check_locks(locks: str, floor: float) -> None:
    """Refuse locks that there are not, and what they do not go with."""
    if locks not in LOCKS:
        raise InputError(f"locks are {', '.join(LOCKS)}, not {locks!r}")
    if locks == "inside" and floor < 0:
        raise InputError("locks inside a traversal go with no regret floor")
