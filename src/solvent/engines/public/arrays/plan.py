"""The aggregated plan on arrays, for NumPy, PyTorch, CuPy and JAX: no loop over nodes, boards or hands.

This is the aggregation paper's plan: all private states of a public node in one vector (phase 1), and one matrix
product for all terminals of one symbol under a board (phase 2). An iteration of player i is

    learn       winnings of i's hands at every terminal, by one product of the other player's reach with the matrix
                of each symbol and board; values level by level back to the start; at i's groups regrets and
                averages grow
    strategy    regret matching on i's new regrets, and i's reach of the actions with it

Arrays are never written to: what changes is a new array, and sums over boards are gathered, not scattered, so they
do not depend on the order in which a device works. `layout` describes the arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import DTypeLike, NDArray

from solvent.engines.public.arrays.layout import Array, ArrayForm, Fixed, Layout, Rows
from solvent.engines.public.kernels import Tables
from solvent.engines.schedule import NEXT_PREDICTION, PREDICTION
from solvent.engines.vectors.matching import match_arrays, update_arrays
from solvent.forms.public.game import PublicGame

Grid = list[list[dict[int, Array]]]
"""An array for every round, part and group of a player: float[actions, nodes, boards, slots]."""


class Learned(NamedTuple):
    """A player's tables."""

    regret: Grid
    average: Grid
    last: Grid | None
    """The last instantaneous regrets, where the rule predicts."""
    value: Grid | None
    """Sums of v(I), weighted like the average, where they are kept: float[1, nodes, boards, slots]."""


class Strategy(NamedTuple):
    """A player's strategy, and the reach that it gives of the player's actions and of the roots of rounds."""

    sigma: Grid
    reach: Grid
    start: list[list[Array]]


class Effects(NamedTuple):
    """The effects of a rule's weights; those that they do not have cost no time."""

    fade: bool
    floor: bool
    predict: bool


class ArrayPass:
    """Iterations of a regret rule on a game in public form, by arrays on any device."""

    threads = 1
    """Array libraries decide that for themselves."""

    def __init__(
        self, game: PublicGame, device: str = "numpy", dtype: DTypeLike = "float64", parts: int | None = None
    ) -> None:
        """Prepare a pass; `parts`: those of a round's boards, None for as many as cache and memory ask for."""
        self.form = form = ArrayForm(game, device, dtype, parts)
        self.game, self.dtype, self.namespace, self.kind = game, form.dtype, form.namespace, form.kind
        self.layouts, self.bounds, self.fixed = form.layouts, form.bounds, form.fixed
        self._play = self.namespace.compile(self._strategy, (1,))
        self._update = self.namespace.compile(self._learn, (1, 6))

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        fade, floor = bool((schedule[:, :2] != 1).any()), bool((schedule[:, 2] > -math.inf).any())
        with self.namespace.settings():
            learned = [self._read(tables, player) for player in (0, 1)]
            play: list[Strategy] = []
            for weights in schedule.tolist():
                if not play:
                    play = [self._play(self.fixed, who, learned[who], weights[PREDICTION]) for who in (0, 1)]
                for player in (0, 1):
                    learned[player] = self._update(
                        self.fixed, player, learned[player], play[player], play[1 - player], weights,
                        Effects(fade, floor, weights[PREDICTION] != 0),
                    )  # fmt: skip
                    if alternating:
                        play[player] = self._play(
                            self.fixed, player, learned[player], weights[NEXT_PREDICTION]
                        )
                if not alternating:
                    play = []
            for player in (0, 1):
                self._write(tables, player, learned[player])

    # One player's iteration: functions of arrays to arrays

    def _strategy(self, fixed: Fixed, player: int, learned: Learned, prediction: float) -> Strategy:
        """Match regrets everywhere, and carry the reach of the strategy down."""
        sigma: Grid = []
        reach: Grid = []
        starts: list[list[Array]] = []
        for r, layout in enumerate(self.layouts):
            start = self._dealt(fixed, r, player, starts[-1], reach[-1]) if r else fixed.start
            matched = [
                {
                    g: match_arrays(
                        self.namespace.xp,
                        regret if learned.last is None else regret + prediction * learned.last[r][k][g],
                    )
                    for g, regret in part.items()
                }
                for k, part in enumerate(learned.regret[r])
            ]
            sigma.append(matched)
            reach.append([self._reach(layout, player, *pair) for pair in zip(matched, start, strict=True)])
            starts.append(start)
        return Strategy(sigma, reach, starts)

    def _reach(self, layout: Layout, player: int, sigma: dict[int, Array], start: Array) -> dict[int, Array]:
        """A player's reach of the player's own actions in one round."""
        reach: dict[int, Array] = {}
        for level in layout.levels:
            own = [g for g in level.groups if layout.groups[g].player == player]
            if not own:
                continue
            here = self._pick(level.reach[player], start, reach)
            stop = 0
            for g in own:
                first, stop = stop, stop + len(layout.groups[g].node)
                reach[g] = here[first:stop, ...] * sigma[g]
        return reach

    def _dealt(
        self, fixed: Fixed, r: int, player: int, start: list[Array], reach: list[dict[int, Array]]
    ) -> list[Array]:
        """A player's reach of a round's roots on each part of its boards, from the round before."""
        rows = self.layouts[r - 1].deals[player]
        before = self._joined([self._pick(rows, *pair) for pair in zip(start, reach, strict=True)], 1)
        reshape = self.namespace.xp.reshape
        before = reshape(before, (before.shape[0], -1))
        shape = (before.shape[0], -1, self.game.rounds[r].slots)
        return [reshape(self.namespace.take(before, part.carry, 1), shape) for part in fixed.parts[r]]

    def _learn(
        self,
        fixed: Fixed,
        player: int,
        learned: Learned,
        own: Strategy,
        other: Strategy,
        weights: Sequence[float],
        does: Effects,
    ) -> Learned:
        """Return the player's tables after an iteration with these weights (see `engines.rules`)."""
        regrets: Grid = [[] for _ in self.layouts]
        averages: Grid = [[] for _ in self.layouts]
        lasts: Grid = [[] for _ in self.layouts]
        values: Grid = [[] for _ in self.layouts]
        below: Array = None
        for r in reversed(range(len(self.layouts))):
            roots = []
            for k, (first, stop) in enumerate(self.bounds[r]):
                won = self._won(fixed, r, k, player, other)
                dealt = below[:, first:stop, ...] if below is not None else None
                root, gained, valued = self._ascend(self.layouts[r], player, own.sigma[r][k], won, dealt)
                roots.append(root)
                regret, average, reached = learned.regret[r][k], learned.average[r][k], own.reach[r][k]
                regrets[r].append({g: self._updated(regret[g], gained[g], weights, does) for g in regret})
                averages[r].append({g: average[g] + weights[3] * reached[g] for g in average})
                if does.predict:
                    lasts[r].append(gained)
                if learned.value is not None:
                    sums = learned.value[r][k]
                    values[r].append({g: sums[g] + weights[3] * valued[g][None, ...] for g in sums})
            if r:
                below = self._collected(fixed, r, self._joined(roots, 1))
        kept_last = lasts if does.predict else learned.last
        return Learned(regrets, averages, kept_last, None if learned.value is None else values)

    def _updated(self, regret: Array, gained: Array, weights: Sequence[float], does: Effects) -> Array:
        """Update regrets after an iteration in which `gained` was regretted."""
        factors, floor = (weights[0], weights[1]), weights[2]
        return update_arrays(
            self.namespace.xp, regret, gained, factors if does.fade else None, floor if does.floor else None
        )

    def _won(self, fixed: Fixed, r: int, k: int, player: int, other: Strategy) -> list[Array]:
        """Compute the winnings of the player's hands by symbol: float[terminals, boards, slots]."""
        layout, part = self.layouts[r], fixed.parts[r][k]
        if not layout.symbols:
            return []
        reach = self._pick(layout.ends[1 - player], other.start[r][k], other.reach[r][k])
        if part.ranges:
            reach = reach * part.ranges[1 - player]
        if self.game.sorted_hands:
            # Multiples of the last place of three times their sum add up without error in any order: what
            # should cancel leaves no trace that regret matching would play.
            grid = 3.0 * self.namespace.xp.sum(reach, axis=-1, keepdims=True)
            reach = (reach + grid) - grid
        won, swap = [], self.namespace.swapaxes
        for z, matrix in enumerate(
            part.matrix or self.form.sorted_matrices(layout.symbols, part.card, part.tie)
        ):
            here = slice(layout.cuts[z], layout.cuts[z + 1])
            against = swap(matrix, 1, 2) if player == 0 else matrix
            value = swap(self.namespace.xp.matmul(swap(reach[here, ...], 0, 1), against), 0, 1)
            value = value * layout.stake[player][here, ...]
            if part.ranges:
                value = value * part.ranges[player]
            # Before the last round a board stands for its class; the last round's are averaged when collected.
            won.append(self._over_orbits(fixed, value) if r < len(self.layouts) - 1 else value)
        return won

    def _ascend(
        self, layout: Layout, player: int, sigma: dict[int, Array], won: list[Array], dealt: Array
    ) -> tuple[Array, dict[int, Array], dict[int, Array]]:
        """Carry values from terminals and deals to the roots of a round; also r(I, a) and v(I) by group."""
        take, xp = self.namespace.take, self.namespace.xp
        gained: dict[int, Array] = {}
        valued: dict[int, Array] = {}
        values: Array = None
        for level in reversed(layout.levels):
            here = []
            behind = values if level.child is None else take(values, level.child, 0)
            stop = 0
            for g in level.groups:
                group = layout.groups[g]
                first, stop = stop, stop + group.edge.size
                value = xp.reshape(behind[first:stop, ...], (*group.edge.shape, *behind.shape[1:]))
                if group.player != player:
                    here.append(xp.sum(value, axis=0))
                    continue
                above = value - value[0, ...]
                gain = xp.sum(sigma[g] * above, axis=0)
                gained[g] = above - gain
                valued[g] = value[0, ...] + gain
                here.append(valued[g])
            here.extend(won[z][first:stop, ...] for z, first, stop in level.ends)
            if level.deals is not None:
                here.append(take(dealt, level.deals, 0))
            values = self._joined(here, 0)
        return (values if layout.root is None else take(values, layout.root, 0)), gained, valued

    def _collected(self, fixed: Fixed, r: int, roots: Array) -> Array:
        """Add up the values of a round's subtrees over its boards, for the deals before."""
        index, weight = fixed.collections[r - 1]
        xp, subtrees = self.namespace.xp, roots.shape[0]
        listed = self.namespace.take(xp.reshape(roots, (subtrees, -1)), xp.reshape(index, (-1,)), 1)
        listed = xp.reshape(listed, (subtrees, *index.shape)) * weight
        total = xp.sum(listed, axis=-1, dtype=xp.float64)
        return self._over_orbits(fixed, xp.reshape(total, (subtrees, *self.game.rounds[r - 1].hand.shape)))

    def _over_orbits(self, fixed: Fixed, values: Array) -> Array:
        """Give hands that differ only in the names of suits the mean of their values, with isomorphism."""
        cast, xp = self.namespace.cast, self.namespace.xp
        if fixed.orbit is not None:
            values = xp.matmul(cast(values, xp.float64), fixed.orbit)
        return cast(values, self.kind)

    def _pick(self, rows: Rows, start: Array, reach: dict[int, Array]) -> Array:
        """A player's reach of some nodes: float[nodes, boards, slots]."""
        xp, shape = self.namespace.xp, (-1, *start.shape[1:])
        found = self._joined([start if g < 0 else xp.reshape(reach[g], shape) for g in rows.pieces], 0)
        return found if rows.index is None else self.namespace.take(found, rows.index, 0)

    def _joined(self, arrays: list[Array], axis: int) -> Array:
        return arrays[0] if len(arrays) == 1 else self.namespace.concatenate(arrays, axis)

    # Between tables, by block, and arrays, by group

    def _blocks(self, player: int, actions: int | None) -> Iterator[tuple[int, int, NDArray[np.int64], int]]:
        """Iterate over a player's groups: round, number, edges one after another, and numbers of a block.

        The edges are those of all actions (None), or of the first few.
        """
        for r, layout in enumerate(self.layouts):
            for g, group in enumerate(layout.groups):
                if group.player == player:
                    yield r, g, group.edge[:actions].ravel(), self.game.rounds[r].hand.size

    def _read(self, tables: Tables, player: int) -> Learned:
        """Copy a player's tables to the device."""

        def read(table: NDArray[Any], actions: int | None = None) -> Grid:
            grid: Grid = [[{} for _ in bounds] for bounds in self.bounds]
            for r, g, edge, size in self._blocks(player, actions):
                rows = sliding_window_view(table, size)[tables.offset[edge]]
                nodes = len(self.layouts[r].groups[g].node)
                shape = (len(edge) // nodes, nodes, *self.game.rounds[r].hand.shape)
                for k, (first, stop) in enumerate(self.bounds[r]):
                    part = np.ascontiguousarray(rows.reshape(shape)[:, :, first:stop])
                    grid[r][k][g] = self.namespace.asarray(part)
            return grid

        last = read(tables.last) if len(tables.last) else None
        value = read(tables.value, 1) if len(tables.value) else None
        return Learned(read(tables.regret), read(tables.average), last, value)

    def _write(self, tables: Tables, player: int, learned: Learned) -> None:
        """Copy the device's arrays back to a player's blocks."""
        kept: list[tuple[NDArray[Any], Grid | None, int | None]] = [
            (tables.regret, learned.regret, None),
            (tables.average, learned.average, None),
            (tables.last, learned.last, None),
            (tables.value, learned.value, 1),
        ]
        for table, grid, actions in kept:
            if grid is None:
                continue
            for r, g, edge, size in self._blocks(player, actions):
                rows = np.concatenate([self.namespace.to_numpy(part[g]) for part in grid[r]], axis=2)
                blocks = sliding_window_view(table, size, writeable=True)
                blocks[tables.offset[edge]] = rows.reshape((len(edge), size))
