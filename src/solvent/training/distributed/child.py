"""A child: the table of one public cluster, and what it does with a batch of continuations."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from solvent.engines.sampled.kernels import frames
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import on_each
from solvent.training.discounting import Discounter
from solvent.training.distributed.batches import Batch, Discount, DistributedSettings, Reply
from solvent.training.distributed.deals import Dealer
from solvent.training.distributed.kernels import HeadTables, child_walks


class Child:
    """Values batches for one public cluster and trains its table on the way."""

    def __init__(
        self,
        cluster: int,
        walk: tuple[NDArray[np.int32], NDArray[np.float32]],
        table: NDArray[np.float32],
        dealer: Dealer,
        settings: DistributedSettings,
        discounter: Discounter | None = None,
    ) -> None:
        """walk: as `SampledWalk.transformed` gives it. table: float32[an arena's numbers], written to.

        discounter: scales such a table; None where nothing is discounted.
        """
        self.cluster, self.table = cluster, table
        self.turns = 0
        """Turns that the table has had."""
        self._last: Reply | None = None
        self.dealer, self.settings = dealer, settings
        self._discounter = discounter
        self._tables = HeadTables(*walk, table, table)
        self._frames = [frames() for _ in range(settings.cores)]

    def discount(self, factors: Discount) -> None:
        if self._discounter is None:
            raise InputError("a child without a betting tree cannot discount its table")
        self._discounter(self.table, *factors, threads=self.settings.cores)

    def load(self, table: NDArray[np.float32], turns: int) -> None:
        """Take over the numbers of a table that has had `turns` turns."""
        if table.shape != self.table.shape or table.dtype != self.table.dtype:
            raise InputError(
                f"the table of cluster {self.cluster} has {self.table.size:,} float32 numbers, and {table.size:,} "
                f"{table.dtype} were given"
            )
        self.table[:] = table
        self.turns, self._last = turns, None

    def values(self, batch: Batch) -> Reply:
        """Value the continuations of the next turn. Asked about the last turn again, answer as before."""
        if self._last is not None and batch.number == self._last.number:
            return self._last
        if batch.number != self.turns:
            raise InputError(
                f"cluster {self.cluster} has had {self.turns} turns and cannot take turn {batch.number}"
            )
        begun = time.perf_counter()
        values, touched = self._take_turn(batch)
        self._last = Reply(self.cluster, batch.number, values, touched, time.perf_counter() - begun)
        self.turns += 1
        return self._last

    def _take_turn(self, batch: Batch) -> tuple[NDArray[np.float32], int]:
        """The values of a batch's continuations, and the number of rows touched for them."""
        before = self._touched()
        settings, turn = self.settings, self.settings.turn(batch.number)
        samples, cores = settings.samples, settings.cores
        deals = self.dealer.deal_child(self.cluster, turn.start, turn.end, samples)
        mean = (0, 0) if settings.literal else self.dealer.mean_choices(self.cluster)
        sums = np.zeros((cores, len(batch.node)))

        def work(core: int) -> None:
            share = samples * core // cores, samples * (core + 1) // cores
            child_walks(
                turn, settings.seed, settings.options, deals, self._tables, self._frames[core],
                (batch.ends, batch.node), mean, share, sums[core],
            )  # fmt: skip

        if cores == 1:
            work(0)  # handing a short turn to another thread takes longer than the turn
        else:
            on_each(work, cores)
        return (sums.sum(axis=0) / samples).astype(np.float32), self._touched() - before

    def _touched(self) -> int:
        return sum(int(room.touched[0]) for room in self._frames)
