"""A head: the table of its streets, and its two passes over a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.training.discounting import Discounter
from solvent.training.distributed.batches import Batch, Discount, DistributedSettings, Reply
from solvent.training.distributed.deals import Dealer, HeadDeals
from solvent.training.distributed.kernels import (
    RECORD,
    REPLAY,
    Continuations,
    HeadTables,
    continuations,
    head_passes,
    head_room,
    mean_values,
)

FIRST_ROOM = 64
"""Continuations of a pass for which there is room at first."""


@dataclass(frozen=True)
class Recorded:
    """A turn after its first pass."""

    batch: Batch
    deals: HeadDeals
    frozen: NDArray[np.float32]
    """The head's table as the pass saw it: a copy, or the table itself where nothing changes it meanwhile."""


class Head:
    """Passes over turns for the table of the first street."""

    def __init__(
        self,
        walk: tuple[NDArray[np.int32], NDArray[np.float32]],
        table: NDArray[np.float32],
        dealer: Dealer,
        settings: DistributedSettings,
        discounter: Discounter | None = None,
    ) -> None:
        """walk: as `SampledWalk.transformed` gives it. table: float32[head's numbers], written to.

        discounter: scales such a table; None where nothing is discounted.
        """
        self._discounter = discounter
        self.table, self.dealer, self.settings = table, dealer, settings
        self.walk, self._room = walk, head_room()
        self._width = FIRST_ROOM

    @property
    def touched(self) -> int:
        """Rows touched so far."""
        return self._room.touched

    @property
    def copies(self) -> bool:
        """Whether a turn needs strategies that the head's table no longer has at its second pass."""
        return self.settings.batch > 1 or self.settings.ahead > 0

    def discount(self, factors: Discount) -> None:
        """Multiply the numbers of the table."""
        if self._discounter is None:
            raise InputError("a head without a betting tree cannot discount its table")
        self._discounter(self.table, *factors)

    def warm_up(self) -> None:
        """Have the kernels compiled, by a first pass and a discount that change nothing."""
        recorded = self.record(0)
        nothing = np.zeros(0, dtype=np.int64)
        values = np.zeros((self.dealer.clusters, 0), dtype=np.float32)
        mean_values(self.settings.turn(0), nothing, recorded.deals.choices, values, values[0])
        if self._discounter is not None:
            self._discounter(self.table, 1.0, 1.0, 1.0)

    def record(self, number: int, frozen: NDArray[np.float32] | None = None) -> Recorded:
        """The first pass of a turn: find its continuations and write nothing.

        frozen: the table to read strategies from; None is this head's as it is now.
        """
        settings, turn = self.settings, self.settings.turn(number)
        if frozen is None:
            frozen = self.table.copy() if self.copies else self.table
        deals = self.dealer.deal_head(turn.start, turn.end)
        tables = HeadTables(*self.walk, frozen, self.table)
        ends, done = np.zeros(turn.passes, dtype=np.int64), 0
        met = continuations(self._width * len(ends))
        while True:
            self._room.counted[0] = ends[done - 1] if done else 0
            done = head_passes(
                RECORD, done, turn, settings.seed, settings.options, deals, tables, self._room, met, ends
            )
            if done == len(ends):
                break
            grown = continuations(2 * int(ends[done]) + FIRST_ROOM)
            grown.node[: len(met.node)] = met.node
            met = grown
        found = int(ends[-1])
        self._width = max(self._width, -(-len(met.node) // len(ends)))
        return Recorded(Batch(number, ends, met.node[:found].copy()), deals, frozen)

    def replay(self, recorded: Recorded, replies: Sequence[Reply]) -> None:
        """The second pass of a turn: repeat the first with the children's values, and add everything up once."""
        batch, settings, turn = recorded.batch, self.settings, self.settings.turn(recorded.batch.number)
        _check_replies(batch, replies, self.dealer.clusters)
        values = np.stack([reply.values for reply in replies])
        means = np.zeros(len(batch.node), dtype=np.float32)
        mean_values(turn, batch.ends, recorded.deals.choices, values, means)
        tables, met = HeadTables(*self.walk, recorded.frozen, self.table), Continuations(batch.node, means)
        ends = np.zeros_like(batch.ends)
        self._room.counted[0] = 0
        head_passes(
            REPLAY, 0, turn, settings.seed, settings.options, recorded.deals, tables, self._room, met, ends
        )
        if not np.array_equal(ends, batch.ends):
            raise RuntimeError(f"the second pass of turn {batch.number} is not the first")


def _check_replies(batch: Batch, replies: Sequence[Reply], clusters: int) -> None:
    """Refuse replies to another turn, or in another order than that of clusters."""
    if [reply.cluster for reply in replies] != list(range(clusters)):
        raise InputError(f"replies come from {clusters} clusters in order")
    for reply in replies:
        if reply.number != batch.number or reply.values.shape != batch.node.shape:
            raise InputError(
                f"cluster {reply.cluster} answered turn {reply.number} with {reply.values.size:,} values, and turn "
                f"{batch.number} has {batch.node.size:,} continuations"
            )
