"""The base class of interval and total pruning by block: sums of values, and best responses behind a block."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.passes.public_kernels import Rule
from solvent.solvers.pruned.public import kernels
from solvent.solvers.pruned.public import response_kernels as responses
from solvent.solvers.pruned.public.block_layout import BlockLayout, Blocks
from solvent.solvers.pruned.public.response_kernels import Into, Seen
from solvent.solvers.pruned.public.solver import PrunedPublicSolver
from solvent.strategy.arena import Arena

SLACK = {"float64": 1e-9, "float32": 1e-5}
"""How far below 0, as a part of sum |v(I)| + 1, regrets must be for rounding not to have brought them there."""


class SkippingPublicBase(PrunedPublicSolver):
    """A solver that leaves blocks out for some iterations and makes up for them by best responses."""

    def _make_tables(self) -> None:
        super()._make_tables()
        number = np.dtype(self.dtype)
        self.values = Arena.full(self._layout.node_sizes, ("value",), number)
        """sum v(I) by node."""
        self._initial = _uniform_plan(self._layout)
        """Own reach of blocks at first; with alternating updates player 1 never saw that of player 0."""
        rounds = self.game.rounds
        self._won = np.zeros((max(len(r.boards) for r in rounds), max(r.slots for r in rounds)), dtype=number)

    @property
    def _arenas(self) -> dict[str, Arena]:
        return super()._arenas | {"value": self.values}

    def _play(self, player: int, rule: Rule) -> None:
        super()._play(player, rule)
        if self.linear:
            regret, sizes = self.live.table("regret"), self.game.block_sizes
            kernels.fade_cut(
                self._tree, self._owns[player], self._offset, sizes, regret, player, rule.positive
            )

    # Weights

    def _weight(self, t: int) -> float:
        """The weight of the first t iterations in the average."""
        return t * (t + 1) / 2 if self.linear or self.floored else float(t)

    @property
    def _floor(self) -> float:
        return 0.0 if self.floored else -math.inf

    @property
    def _unit(self) -> float:
        """By how much sums outweigh regrets: those of LCFR have faded as the next iteration will count."""
        return float(self.iterations + 1) if self.linear else 1.0

    @property
    def _gaps(self) -> NDArray[np.floating]:
        """The regrets that may be below 0."""
        return self.live.table("gap" if "gap" in self.live.names else "regret")

    # Best responses

    def _seen(self, edge: int, behind: bool = True, kept: tuple[Blocks, int] | None = None) -> Seen:
        """What a block's player has seen of the other on the way to it and, if asked for, behind it.

        `kept` leaves out what was seen up to an iteration: where in the table of `_kept` that lies, and which
        iteration it was.
        """
        t, layout = self.iterations, self._layout
        player = int(layout.owner[edge])
        total, now, early, scale = self._weight(t), 0.0, 0.0, 1.0
        if self.updates == "alternating" and player == 0:
            # Player 1's average does not have this iteration yet.
            now = total - self._weight(t - 1)
        elif self.updates == "alternating":
            # Player 1 has seen player 0 from the second strategy to the one after this iteration's. Where
            # iterations are weighted that is another weight for each; the sum is brought to the same total.
            now, early = self._weight(t + 1) - total, 1.0
            scale = total / (total + now - early)
        nowhere = np.full(len(self.pruned), -1, dtype=np.int64)
        plan_offset, plan = nowhere, np.zeros(0)
        if now:
            plan_offset, plan = self._plan(edge, behind)
        kept_offset, since = kept or (nowhere, 0)
        return Seen(
            self.live.offset,
            self.live.table("average"),
            self.frozen.offset,
            self.frozen.table("average"),
            plan_offset,
            plan,
            self._initial,
            kept_offset,
            self._kept,
            total - self._weight(since),
            now,
            early,
            scale,
        )

    @property
    def _kept(self) -> NDArray[np.floating]:
        """What was seen when blocks were pruned."""
        return self.live.table("average")[:0]

    def _plan(self, edge: int, behind: bool) -> tuple[Blocks, NDArray[np.float64]]:
        """The other player's own reach, by current play, of that player's blocks before a block and behind it."""
        layout = self._layout
        other = 1 - int(layout.owner[edge])
        blocks = np.array(layout.blocks_before(int(self.game.edge_node[edge]), other), dtype=np.int64)
        if behind:
            blocks = np.concatenate([blocks, layout.blocks_behind(edge, other)])
        ends = np.cumsum(self.game.block_sizes[blocks])
        offset = np.full(len(self.pruned), -1, dtype=np.int64)
        offset[blocks] = ends - self.game.block_sizes[blocks]
        plan = np.zeros(int(ends[-1]) if len(ends) else 0)
        responses.current_plan(
            self._pass.tree, self._pass.rounds, layout.behind, self._offset, self.live.table("regret"),
            other, blocks, offset, plan,
        )  # fmt: skip
        return offset, plan

    def _respond(self, edge: int, seen: Seen, into: Into | None = None) -> NDArray[np.float64]:
        """sum psi behind a block by board and slot. With `into` the regrets behind it change accordingly."""
        layout = self._layout
        where = into or Into(self.live.offset, self.live.table("regret"), 0.0, 1.0, 0.0, 0.0, 1.0)
        self.response_nodes += responses.respond(
            self._pass.tree, self._pass.rounds, layout.behind, seen, int(layout.owner[edge]),
            int(self.game.nodes.child[edge]), into is not None, self._sums(), where, self._won,
        )  # fmt: skip
        boards, slots = layout.shape(int(self.game.edge_node[edge]))
        return self._won[:boards, :slots].astype(np.float64)

    def _slack(self, player: int) -> NDArray[np.float64]:
        """How far below 0 the numbers of a player's blocks must be: float64[edges]."""
        level = np.zeros(len(self.game.nodes.symbol))
        kernels.largest(self._owns[player], self._sums(), self._layout.node_sizes, player, level)
        return np.asarray(SLACK[self.dtype] * (1 + level[self.game.edge_node]))

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return super().saved_tables() | {"initial": self._initial}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        super().load_tables(tables)
        self._initial[:] = tables["initial"]


def _uniform_plan(layout: BlockLayout) -> NDArray[np.float64]:
    """A player's own reach of each block while all actions are played alike: float64[edges]."""
    game = layout.game
    actions = np.diff(game.nodes.first_edge)
    plan = np.zeros(len(layout.owner))
    for node in np.flatnonzero(actions).tolist():  # parents before children
        before = layout.last_before(node, int(game.nodes.player[node]))
        plan[list(layout.edges(node))] = (plan[before] if before >= 0 else 1.0) / actions[node]
    return plan
