"""A head: the table of its streets, and its two passes over a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.engines.sampled.head_walk import (
    RECORD,
    REPLAY,
    Continuations,
    HeadTables,
    continuations,
    head_room,
)
from solvent.foundation.errors import InputError
from solvent.training.discounting import Discounter
from solvent.training.distributed.batches import Batch, Discount, DistributedSettings, Reply
from solvent.training.distributed.deals import Dealer, HeadDeals
from solvent.training.distributed.kernels import Roots, head_passes, mean_of_samples, mean_values

FIRST_ROOM = 64
"""Continuations of a pass for which there is room at first."""


@dataclass(frozen=True)
class Recorded:
    """A turn after its first pass."""

    batch: Batch
    above: Batch
    """Where its walks begin."""
    deals: HeadDeals
    frozen: NDArray[np.float32]
    """The head's table as the pass saw it: a copy, or the table itself where nothing changes it meanwhile."""


class Head:
    """Passes over turns for a table of the first street or, inside a `Branch`, of later ones."""

    def __init__(
        self,
        walk: tuple[NDArray[np.int32], NDArray[np.float32]],
        table: NDArray[np.float32],
        dealer: Dealer,
        settings: DistributedSettings,
        discounter: Discounter | None = None,
        *,
        last: int = 0,
        samples: int = 1,
        mean: tuple[int, int] = (0, 0),
    ) -> None:
        """walk: as `SampledWalk.transformed` gives it. table: float32[head's numbers], written to.

        discounter: scales such a table; None where nothing is discounted. last: the head's last street. samples:
        boards of an iteration. mean: of the choices that these are drawn from, as `child_scale` takes it.
        """
        self._discounter = discounter
        self.table, self.dealer, self.settings = table, dealer, settings
        self._last_street, self._samples, self._mean = last, samples, mean
        self.walk, self._room = walk, head_room()
        self._width = FIRST_ROOM

    @property
    def touched(self) -> int:
        """Rows touched so far."""
        return self._room.touched

    @property
    def copies(self) -> bool:
        """Whether a turn needs strategies that the head's table no longer has at its second pass."""
        return self.settings.batch > 1 or self.settings.ahead > 0 or self._samples > 1

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
        """The first pass of a turn from the root: find its continuations and write nothing.

        frozen: the table to read strategies from; None is this head's as it is now.
        """
        passes = self.settings.turn(number).passes
        roots = Batch(number, np.arange(1, passes + 1), np.zeros(passes, dtype=np.int32))
        return self.record_below(roots, frozen)

    def record_below(self, above: Batch, frozen: NDArray[np.float32] | None = None) -> Recorded:
        """The first pass of a turn from the continuations of the head above."""
        settings, turn = self.settings, self.settings.turn(above.number)
        if frozen is None:
            frozen = self.table.copy() if self.copies else self.table
        deals = self.dealer.deal_head(turn.start, turn.end, self._samples)
        tables, roots = HeadTables(*self.walk, frozen, self.table), self._roots(above)
        ends, done = np.zeros(turn.passes * self._samples, dtype=np.int64), 0
        met = continuations(self._width * len(ends))
        while True:
            self._room.counted[0] = ends[done - 1] if done else 0
            done = head_passes(
                RECORD,
                done,
                turn,
                settings.seed,
                settings.options,
                deals,
                tables,
                self._room,
                met,
                ends,
                roots,
            )
            if done == len(ends):
                break
            grown = continuations(2 * int(ends[done]) + FIRST_ROOM)
            grown.node[: len(met.node)] = met.node
            met = grown
        found = int(ends[-1])
        self._width = max(self._width, -(-len(met.node) // len(ends)))
        return Recorded(Batch(above.number, ends, met.node[:found].copy()), above, deals, frozen)

    def replay(self, recorded: Recorded, replies: Sequence[Reply]) -> NDArray[np.float32]:
        """The second pass of a turn: repeat the first with the children's values, and add everything up once.

        Returns the values of the nodes that its walks began from.
        """
        batch, settings, turn = recorded.batch, self.settings, self.settings.turn(recorded.batch.number)
        _check_replies(batch, replies, self.dealer.clusters)
        values = np.stack([reply.values for reply in replies])
        means = np.zeros(len(batch.node), dtype=np.float32)
        mean_values(turn, batch.ends, recorded.deals.choices, values, means)
        tables, met = HeadTables(*self.walk, recorded.frozen, self.table), Continuations(batch.node, means)
        ends, roots = np.zeros_like(batch.ends), self._roots(recorded.above)
        self._room.counted[0] = 0
        head_passes(
            REPLAY,
            0,
            turn,
            settings.seed,
            settings.options,
            recorded.deals,
            tables,
            self._room,
            met,
            ends,
            roots,
        )
        if not np.array_equal(ends, batch.ends):
            raise RuntimeError(f"the second pass of turn {batch.number} is not the first")
        return mean_of_samples(roots.sums, roots.ends, turn.passes, self._samples)

    def _roots(self, above: Batch) -> Roots:
        mean = (0, 0) if self.settings.literal else self._mean
        return Roots(above.ends, above.node, self._last_street, mean, np.zeros(len(above.node)))


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
