"""CFR with total pruning on the public form, block by block: resident memory falls, not just the count of cells.

The test is that of Brown and Sandholm 2017, T psi(I, a) <= sum v(I); they prove that what is stored falls.

A block is pruned when no hand on any board would have been better off with it, even with best responses
behind.

solver = TotalPublicSolver(public_game(Leduc(ranks=13)), "cfr")
solver.run(1000)
solver.table_bytes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.solvers.pruned.public import kernels
from solvent.solvers.pruned.public import total_kernels as total_public_kernels
from solvent.solvers.pruned.public.kernels import Sums
from solvent.solvers.pruned.public.response_kernels import Into
from solvent.solvers.pruned.public.skipping_base import SLACK, SkippingPublicBase
from solvent.strategy.arena import Arena

ROOM = 1.1
"""Tables are compacted when their room is so much more than what is stored."""
WAIT = 1.1
"""A block that has returned is not pruned again before so many times the iterations."""


class TotalPublicSolver(SkippingPublicBase):
    """CFR, CFR+ or LCFR with total pruning by block.

    What is stored for a player behind the player's own pruned block goes; averages there wait in an arena of
    their own until they are too small to matter.
    """

    mode = "total"

    def _make_tables(self) -> None:
        super()._make_tables()
        nodes = len(self.game.nodes.symbol)
        self.bounds = Arena(self._layout.node_sizes, ("bound",), np.dtype(self.dtype))
        """The largest gap among an infoset's pruned actions, or more."""
        self._most, self._failed = np.zeros(nodes), np.zeros(nodes, dtype=np.uint8)

    @property
    def _arenas(self) -> dict[str, Arena]:
        return super()._arenas | {"bound": self.bounds}

    def _prune(self, player: int) -> None:
        failed = np.flatnonzero(self._failed & (self.game.nodes.player == player))
        if len(failed):
            self._failed[failed] = 0
            self._settle(failed.tolist())
        if self._looks:
            self._begin(player)

    def _tidy(self) -> None:
        if not self._looks:
            return
        self._forget()
        for arena in self._arenas.values():
            if arena.capacity > ROOM * arena.stored:
                arena.compact()

    def _settle(self, nodes: list[int]) -> None:
        """Measure the pruned blocks of nodes whose bounds have come above 0."""
        layout = self._layout
        for node in nodes:
            if self.bounds.offset[node] < 0:
                continue
            shape = layout.shape(node)
            possible = layout.possible[self.game.nodes.round[node]][self.game.nodes.player[node]]
            value = self.values.block("value", node).reshape(shape)
            bound = np.full(shape, -np.inf)
            for edge in layout.edges(node):
                if not self.pruned[edge]:
                    continue
                gap = self._respond(edge, self._seen(edge)) - value
                slack = SLACK[self.dtype] * (1 + np.abs(value))
                if ((gap < -slack) | ~possible).all():
                    bound = np.maximum(bound, np.where(possible, gap, -1.0))
                else:
                    self._release(edge, gap)
            if self.pruned[list(layout.edges(node))].any():
                self.bounds.block("bound", node)[:] = bound.ravel()
                self._note_most(node)
            else:
                self.bounds.free([node])

    def _release(self, edge: int, gap: NDArray[np.float64]) -> None:
        """Store a block and all of its player behind it again, with the regrets that the CBR would have had."""
        behind = self._layout.own_behind(edge)
        blocks = np.append(behind[self.live.offset[behind] < 0], edge)
        self.pruned[blocks] = 0
        self.since[edge] = self.iterations
        self.live.grow(blocks)
        self.values.grow(np.unique(self.game.edge_node[blocks]))
        for block in blocks[self.frozen.offset[blocks] >= 0]:
            self.live.block("average", block)[:] = self.frozen.block("average", block)
        self.frozen.free(blocks)
        self.bounds.free(np.unique(self.game.edge_node[behind]))
        regret = gap.ravel() / self._mean
        self.live.block("regret", edge)[:] = np.maximum(regret, self._floor)
        if "gap" in self.live.names:
            self.live.block("gap", edge)[:] = gap.ravel()
        into = Into(self.live.offset, self.live.table("regret"), 0.0, self._mean, self._floor, 0.0, 1.0)
        self._respond(edge, self._seen(edge), into)
        self._mark()

    def _begin(self, player: int) -> None:
        """Prune what its CBR could not have made worth playing, from the first actions on."""
        edge_node, layout = self.game.edge_node, self._layout
        worst, chosen = np.zeros(len(self.pruned)), np.zeros(len(self.pruned), dtype=np.uint8)
        self._add_up(player, worst, chosen)
        low = (worst < -self._slack(player)) & (worst > -np.inf) & (self.iterations >= WAIT * self.since)
        pruned = self._own_pruned(player)
        begun = np.flatnonzero(kernels.outermost(self._owns[player], layout.parent, pruned, low))
        if not len(begun):
            return
        chosen[begun] = 1
        owners = np.unique(edge_node[begun])
        fresh = owners[self.bounds.offset[owners] < 0]
        self.bounds.grow(fresh)
        for node in fresh:
            self.bounds.block("bound", node)[:] = -np.inf
        self._add_up(player, worst, chosen)
        behind = np.unique(np.concatenate([layout.own_behind(edge) for edge in begun.tolist()]))
        self.pruned[behind] = 0
        self.pruned[begun] = 1
        self.since[begun] = self.iterations
        blocks = np.append(behind, begun)
        stored = blocks[self.live.offset[blocks] >= 0]
        self.frozen.grow(stored)
        for block in stored:
            self.frozen.block("average", block)[:] = self.live.block("average", block)
        self.live.free(stored)
        gone = np.unique(edge_node[behind])
        self.values.free(gone)
        self.bounds.free(gone)
        for node in owners.tolist():
            self._note_most(node)
        self._mark()

    def _add_up(self, player: int, worst: NDArray[np.float64], chosen: NDArray[np.uint8]) -> None:
        total_public_kernels.add_up_regrets(
            self._owns[player], self._pass.rounds, self._layout.possible,
            total_public_kernels.Gaps(self.live.offset, self._gaps, self._unit),
            player, worst, chosen, self._sums(), self._pass.out,
        )  # fmt: skip

    def _forget(self) -> None:
        """Let go of averages behind blocks that have been pruned for long and were hardly played before."""
        limit = self.pruning.average / math.sqrt(self.iterations) * self._weight(self.iterations)
        settled = self.pruned & (self.since <= self.pruning.settled * self.iterations)
        for edge in np.flatnonzero(settled).tolist():
            if self.frozen.offset[edge] >= 0 and self.frozen.block("average", edge).max() <= limit:
                gone = np.append(self._layout.own_behind(edge), edge)
                self.frozen.free(gone)
                self._initial[gone] = 0

    def _note_most(self, node: int) -> None:
        highest = self._layout.highest
        self._most[node] = max(highest[edge] for edge in self._layout.edges(node) if self.pruned[edge])

    # What the kernels take

    @property
    def _gain(self) -> float:
        """Sums weigh iterations as the average does."""
        return float(self.iterations) if self.linear or self.floored else 1.0

    @property
    def _mean(self) -> float:
        """By how much gaps outweigh regrets."""
        return (self.iterations + 1) / 2 if self.floored else self._unit

    def _sums(self) -> Sums:
        return Sums(
            self.values.offset,
            self.values.table("value"),
            False,
            self.bounds.offset,
            self.bounds.table("bound"),
            self._most,
            self._failed,
            self.live.offset,
            self._gaps if "gap" in self.live.names else self._gaps[:0],
            False,
            self._gain,
        )

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        super().load_tables(tables)
        for node in np.flatnonzero(self.bounds.offset >= 0).tolist():
            if self.pruned[list(self._layout.edges(node))].any():
                self._note_most(node)
