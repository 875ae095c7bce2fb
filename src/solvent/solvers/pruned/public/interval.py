"""CFR with interval pruning on the public form, block by block.

A block is pruned from iteration t0 on while no hand on any board can have come to a regret above 0,

    sum_{t <= t0} v(I, a) + sum_{t0 < t <= t1} pi_{-i}(I) U(I, a)  <=  sum_{t <= t1} v(I)

and when that ends, the best response to what the other player did meanwhile counts as played.

It costs memory: for every pruned block a bound for each hand and board, and copies of all that the other
player's averages had behind it when it was pruned. Regrets and averages of pruned blocks stay where they are.

solver = IntervalPublicSolver(public_game(Leduc(ranks=13)), "cfr")
solver.run(1000)
solver.peak_stored
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.solvers.pruned.public import interval_kernels as interval_public_kernels
from solvent.solvers.pruned.public import kernels
from solvent.solvers.pruned.public import response_kernels as responses
from solvent.solvers.pruned.public.block_layout import Blocks
from solvent.solvers.pruned.public.kernels import Sums
from solvent.solvers.pruned.public.response_kernels import Into
from solvent.solvers.pruned.public.skipping_base import SkippingPublicBase
from solvent.strategy.arena import Arena

ROOM = 1.5
"""What is kept of pruned blocks comes and goes: it is compacted when its room is so much more than it needs."""


class IntervalPublicSolver(SkippingPublicBase):
    """CFR, CFR+ or LCFR with interval pruning by block.

    While a block is pruned, the place of its regret holds sum_{t <= t0} v(I, a); regrets of its player behind it
    wait as they are. A regret of CFR+ may be below 0, and counts as 0 as soon as it rises; it has a table of
    its own.
    """

    mode = "interval"

    def _make_tables(self) -> None:
        super()._make_tables()
        game = self.game
        sizes, edges = game.block_sizes, len(game.block_sizes)
        number = np.dtype(self.dtype)
        self.bounds = Arena(sizes, ("bound",), number)
        """The most that the regrets of a pruned block can have become."""
        nodes = game.edge_node.tolist()
        self._last = np.array(
            [self._layout.last_before(nodes[edge], 1 - self._layout.owner[edge]) for edge in range(edges)],
            dtype=np.int64,
        )
        """The other player's last action before a block, -1 for none."""
        above = np.where(self._last >= 0, sizes[self._last], 0) if edges else sizes
        self.kept = Arena(np.concatenate([sizes, above]), ("kept",), number)
        """What had been seen of the other player's blocks behind a pruned one, and of the last action before it.

        Block e of these is the other player's; block `edges` + e is what was before pruned block e, as several have
        one last action before them and may have been pruned one after another.
        """
        self._failed = np.zeros(edges, dtype=np.uint8)
        self._playable = self.live.offset.copy()

    @property
    def _arenas(self) -> dict[str, Arena]:
        return super()._arenas | {"bound": self.bounds, "kept": self.kept}

    def _prune(self, player: int) -> None:
        failed = np.flatnonzero(self._failed & (self._layout.owner == player))
        if len(failed):
            self._failed[failed] = 0
            for edge in failed.tolist():
                self._settle(edge)
            self._mark()
        if self._looks:
            self._begin(player)

    def _tidy(self) -> None:
        if self._looks:
            for arena in (self.bounds, self.kept):
                if arena.capacity > ROOM * arena.stored:
                    arena.compact()

    def _begin(self, player: int) -> None:
        """Prune blocks where every hand has regret below 0 and will have for a while, from the first actions on."""
        layout, owns = self._layout, self._owns[player]
        worst = np.zeros(len(self.pruned))
        interval_public_kernels.worst_regrets(
            owns, self._pass.rounds, layout.behind, layout.possible, self._offset, self._gaps, player, worst
        )
        low = (worst > -np.inf) & (worst * self._unit < -self._slack(player))
        for edge in np.flatnonzero(low).tolist():
            low[edge] = self._lasts(edge)
        begun = np.flatnonzero(kernels.outermost(owns, layout.parent, self._own_pruned(player), low)).tolist()
        for edge in begun:
            behind = layout.own_behind(edge)
            for nested in behind[self.pruned[behind] > 0].tolist():
                self._settle(nested)
            self._keep(edge)
        if begun:
            self._mark()
            self._note_peak()

    def _lasts(self, edge: int) -> bool:
        """Whether a block would stay pruned for as long as a best response is worth."""
        layout, t = self._layout, self.iterations
        node = int(self.game.edge_node[edge])
        work = np.zeros(2 * layout.shape(node)[1], dtype=self.dtype)
        weight = 2 / (t + 1) if self.floored else 1.0  # averages of CFR+ weigh more than its regrets
        block = interval_public_kernels.Candidate(
            edge,
            int(layout.owner[edge]),
            weight * float(layout.highest[edge]),
            max(self.pruning.least / t, self.pruning.lasting),
            self._regret(edge),
            self.values.block("value", node),
        )
        return bool(
            interval_public_kernels.lasts(
                self._pass.tree, self._pass.rounds, layout.behind, layout.chances, layout.possible,
                self._seen(edge, behind=False), block, work, np.zeros(64),
            )
        )  # fmt: skip

    def _keep(self, edge: int) -> None:
        """Prune a block, and keep what its end will need."""
        layout, sizes = self._layout, self.game.block_sizes
        node, player = int(self.game.edge_node[edge]), int(layout.owner[edge])
        regret = self._regret(edge)
        self.bounds.grow([edge])
        possible = layout.possible[self.game.nodes.round[node]][player].ravel()
        self.bounds.block("bound", edge)[:] = np.where(possible, regret, -1.0)
        self._block_of_gaps(edge)[:] = regret + self.values.block("value", node)
        others, places = self._kept_for(edge)
        self.kept.grow(places)
        responses.keep_seen(self._seen(edge), others, sizes, self.kept.offset[places], self._kept)
        self.response_nodes += int(sizes[others].sum())
        self.pruned[edge] = 1
        self.since[edge] = self.iterations

    def _settle(self, edge: int) -> None:
        """End a block's pruning: the CBR against what was skipped counts as played on every skipped iteration."""
        since, t = int(self.since[edge]), self.iterations
        others, places = self._kept_for(edge)
        offset = np.full(len(self.pruned), -1, dtype=np.int64)
        offset[others] = self.kept.offset[places]
        # Averages count iteration t of CFR+ t times, its regrets once.
        mean = (since + 1 + t) / 2 if self.floored else self._unit
        share = 1 / mean if self.floored else 1.0
        keep = (since + 1) / (t + 1) if self.linear else 1.0
        into = Into(self.live.offset, self.live.table("regret"), keep, mean, self._floor, 1.0, share)
        won = self._respond(edge, self._seen(edge, kept=(offset, since)), into).ravel()
        value = self.values.block("value", int(self.game.edge_node[edge]))
        regret = (self._block_of_gaps(edge) + share * won - value) / self._unit
        self._block_of_gaps(edge)[:] = regret
        self.live.block("regret", edge)[:] = np.maximum(regret, self._floor)
        self.bounds.free([edge])
        self.kept.free(places)
        self.pruned[edge] = 0
        self.since[edge] = t

    # What lies where

    def _regret(self, edge: int) -> NDArray[np.float64]:
        """A block's regrets in the units of sums."""
        return self._block_of_gaps(edge).astype(np.float64) * self._unit

    def _block_of_gaps(self, edge: int) -> NDArray[np.floating]:
        return self.live.block("gap" if "gap" in self.live.names else "regret", edge)

    def _kept_for(self, edge: int) -> tuple[Blocks, Blocks]:
        """The other player's blocks whose averages a pruned block's end needs, and where those are kept."""
        others = self._layout.blocks_behind(edge, 1 - int(self._layout.owner[edge]))
        if self._last[edge] < 0:
            return others, others
        return np.append(others, self._last[edge]), np.append(others, len(self.pruned) + edge)

    def _mark(self) -> None:
        super()._mark()
        self._playable = np.where(self.pruned, -1, self.live.offset)

    def _note_peak(self) -> None:
        stored = self.stored_regrets + self.stored_averages + self.kept.stored / max(1, self.cells)
        self.peak_stored = max(self.peak_stored, stored / 2)

    # What the kernels take

    @property
    def _offset(self) -> Blocks:
        """Pruned blocks have regrets that are not played."""
        return self._playable

    @property
    def _kept(self) -> NDArray[np.floating]:
        return self.kept.table("kept")

    @property
    def _gain(self) -> float:
        """Sums weigh iterations as regrets do."""
        return float(self.iterations) if self.linear else 1.0

    def _sums(self) -> Sums:
        return Sums(
            self.values.offset,
            self.values.table("value"),
            True,
            self.bounds.offset,
            self.bounds.table("bound"),
            self._layout.highest,
            self._failed,
            self._offset,
            self._gaps if "gap" in self.live.names else self._gaps[:0],
            self.floored,
            self._gain,
        )
