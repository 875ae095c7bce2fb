"""The aggregated plan on arrays, for NumPy, PyTorch, CuPy and JAX: no loop over nodes, boards or hands.

The betting nodes of one level (one round, depth, player and number of actions) are a *group*, and a group on
all boards is one array, float[actions, nodes, boards, slots]. An iteration of player i is

    learn       what the other's reach leaves i's hands at every terminal, by one product for each symbol and
                board with the symbol's matrix (the paper's second phase); values level by level back to the
                start; at i's groups regrets and averages grow
    strategy    regret matching on his new regrets, and his reach of his actions with it

A player's reach changes by his own actions alone, so it is kept at those: a level or a terminal picks the row
of the last one. Arrays are never written to: what changes is a new array, and sums over boards are gathered,
not scattered, so they do not depend on the order in which a device works.

Boards may be dealt with in parts: to stay in a processor's cache, or where matrices do not fit in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import DTypeLike, NDArray

from solvent.forms.public import DECISION, FOLDED, PublicGame, Round
from solvent.passes.matching import match_arrays, update_arrays
from solvent.passes.public_kernels import Tables
from solvent.solvers.public.devices import array_namespace

Array = Any
"""An array of whatever library computes; int and float below say what is in it."""

PART_NUMBERS = 1 << 17
"""Numbers in a level's widest array on a processor, so that a few of them stay in its cache."""
MATRIX_BYTES = 1 << 30
"""Matrices of sorted hands up to this are kept; larger ones are made for some boards at a time, every time."""


# A round by levels


class Group(NamedTuple):
    """Decision nodes of one level with one number of actions."""

    player: int
    node: NDArray[np.int64]
    edge: NDArray[np.int64]
    """int64[actions, nodes]"""


class Rows(NamedTuple):
    """Where a player's reach of some nodes is found: rows of these arrays, laid one after another."""

    pieces: tuple[int, ...]
    """His groups; -1 is the start of the round."""
    index: Array
    """None where it would be 0, 1, 2, ..."""


class Level(NamedTuple):
    """The nodes at one depth of a round. Their values are laid out as groups, then terminals, then deals."""

    groups: tuple[int, ...]
    reach: tuple[Rows, Rows]
    """For each player the rows of his reach at the nodes of his groups here."""
    child: Array
    """The nodes behind the actions of the groups, as the level below lays them out."""
    ends: tuple[tuple[int, int, int], ...]
    """Terminals: which symbol, and which of its terminals (first, one past the last)."""
    deals: Array
    """Deals, as the next round numbers its subtrees; None where there are none."""


class Layout(NamedTuple):
    """One round by levels."""

    groups: tuple[Group, ...]
    levels: tuple[Level, ...]
    symbols: tuple[int, ...]
    cuts: tuple[int, ...]
    """Terminals are laid out by symbol and then by depth: where each symbol begins, and the end."""
    ends: tuple[Rows, Rows]
    """For each player the rows of his reach at the terminals."""
    stake: tuple[Array, Array]
    """float[terminals, 1, 1] for each player: what he wins where the matrix has 1 for player 0."""
    deals: tuple[Rows, Rows]
    """For each player the rows of his reach at the deals, in the order of the next round's subtrees."""
    root: Array
    """The roots of the subtrees, as the first level lays them out; None where it would be 0, 1, 2, ..."""


# What the device holds


class Part(NamedTuple):
    """Some of a round's boards."""

    carry: Array
    """int[boards x slots]: where each slot was on the boards before."""
    matrix: tuple[Array, ...]
    """float[boards, slots, slots] for each symbol, player 0's hands in rows; () where it is made when needed,"""
    card: Array
    """of the cards, int[boards, slots, 2],"""
    tie: Array
    """and the order of the hands, int[boards, slots] (see `Round.tie`)."""
    ranges: tuple[Array, ...]
    """float[boards, slots] for each player; () where the ranges are 1 or part of the matrices."""


class Collection(NamedTuple):
    """How values on a round's boards are added up for those before: float and int[boards x slots before, most].

    Where there are fewer than most slots to add, the weight is 0; else it is their board's multiplicity.
    """

    index: Array
    weight: Array


class Fixed(NamedTuple):
    """What does not change while iterating."""

    parts: list[list[Part]]
    """By round."""
    collections: list[Collection]
    """By round, from the second."""
    orbit: Array
    """float64[hands, hands]: the mean over hands of one orbit; None without isomorphism."""
    start: list[Array]
    """float[1, boards, slots] for each part of the first round: a reach of 1."""


Grid = list[list[dict[int, Array]]]
"""An array for every round, part and group of a player: float[actions, nodes, boards, slots]."""


class Learned(NamedTuple):
    """A player's tables."""

    regret: Grid
    average: Grid
    last: Grid | None
    """The last instantaneous regrets, where the rule predicts."""


class Strategy(NamedTuple):
    """A player's strategy, and his reach with it of his actions and of the roots of each round and part."""

    sigma: Grid
    reach: Grid
    start: list[list[Array]]


class Does(NamedTuple):
    """What a rule's weights do; what they do not costs no time."""

    fade: bool
    floor: bool
    predict: bool


Stored = list[dict[int, Array]] | None
"""By round and group 1 for actions with a block, else 0: float[actions, nodes, 1, 1]; None where all have one."""


class ArrayPass:
    """Iterations of a regret rule on a game in public form, by arrays on any device."""

    threads = 1
    """Array libraries decide that for themselves."""

    def __init__(
        self, game: PublicGame, device: str = "numpy", dtype: DTypeLike = "float64", parts: int | None = None
    ) -> None:
        """In how many `parts` the boards of a round are taken is decided by cache and memory if not given."""
        self.game, self.device, self.dtype = game, device, np.dtype(dtype)
        self.namespace = array_namespace(device)
        self.kind = getattr(self.namespace.xp, self.dtype.name)
        with self.namespace.settings():
            self.layouts = [self._layout(r) for r in range(len(game.rounds))]
            self.bounds = [self._bounds(r, parts) for r in range(len(game.rounds))]
            self.fixed = self._fixed()
        self._play = self.namespace.compile(self._strategy, (1,))
        self._update = self.namespace.compile(self._learn, (1, 6))

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """As many iterations of a regret rule as `schedule` has rows."""
        fade, floor = bool((schedule[:, :2] != 1).any()), bool((schedule[:, 2] > -math.inf).any())
        with self.namespace.settings():
            stored = self._stored(tables.offset)
            learned = [self._read(tables, player) for player in (0, 1)]
            play: list[Strategy | None] = [None, None]
            expected = math.nan
            for weights in schedule.tolist():
                if weights[4] != expected:
                    expected = weights[4]
                    play = [None, None]
                for player in (0, 1):
                    # With simultaneous updates the second player still meets the first one's old strategy.
                    both = [
                        known or self._play(self.fixed, who, learned[who], expected, stored)
                        for who, known in enumerate(play)
                    ]
                    learned[player] = self._update(
                        self.fixed, player, learned[player], both[player], both[1 - player], weights,
                        Does(fade, floor, expected != 0),
                    )  # fmt: skip
                    play = [None if alternating and who == player else both[who] for who in (0, 1)]
                if not alternating:
                    play = [None, None]
            for player in (0, 1):
                self._write(tables, player, learned[player])

    # One player's iteration: functions of arrays to arrays

    def _strategy(
        self, fixed: Fixed, player: int, learned: Learned, prediction: float, stored: Stored
    ) -> Strategy:
        """Regret matching everywhere, and the reach that comes of it."""
        sigma: Grid = []
        reach: Grid = []
        starts: list[list[Array]] = []
        for r, layout in enumerate(self.layouts):
            start = self._dealt(fixed, r, player, starts[-1], reach[-1]) if r else fixed.start
            matched = [
                {
                    g: self._match(
                        regret,
                        learned.last[r][k][g] if learned.last is not None else None,
                        prediction,
                        stored[r][g] if stored is not None else None,
                    )
                    for g, regret in part.items()
                }
                for k, part in enumerate(learned.regret[r])
            ]
            sigma.append(matched)
            reach.append([self._reach(layout, player, *pair) for pair in zip(matched, start, strict=True)])
            starts.append(start)
        return Strategy(sigma, reach, starts)

    def _match(self, regret: Array, last: Array, prediction: float, stored: Array) -> Array:
        """sigma: positive expected regrets in proportion, uniform where there are none, for stored actions."""
        return match_arrays(self.namespace.xp, regret if last is None else regret + prediction * last, stored)

    def _reach(self, layout: Layout, player: int, sigma: dict[int, Array], start: Array) -> dict[int, Array]:
        """A player's reach of his actions in one round."""
        reach: dict[int, Array] = {}
        for level in layout.levels:
            own = [g for g in level.groups if layout.groups[g].player == player]
            if not own:
                continue
            here = self._pick(level.reach[player], start, reach)
            stop = 0
            for g in own:
                first, stop = stop, stop + len(layout.groups[g].node)
                reach[g] = here[first:stop] * sigma[g]
        return reach

    def _dealt(
        self, fixed: Fixed, r: int, player: int, start: list[Array], reach: list[dict[int, Array]]
    ) -> list[Array]:
        """A player's reach of a round's roots on each part of its boards, from the round before."""
        rows = self.layouts[r - 1].deals[player]
        before = self._joined([self._pick(rows, *pair) for pair in zip(start, reach, strict=True)], 1)
        before = before.reshape((before.shape[0], -1))
        shape = (before.shape[0], -1, self.game.rounds[r].slots)
        return [self.namespace.take(before, part.carry, 1).reshape(shape) for part in fixed.parts[r]]

    def _learn(
        self,
        fixed: Fixed,
        player: int,
        learned: Learned,
        own: Strategy,
        other: Strategy,
        weights: Sequence[float],
        does: Does,
    ) -> Learned:
        """The player's tables after an iteration with these weights (see `solvers.rules`)."""
        regrets: Grid = [[] for _ in self.layouts]
        averages: Grid = [[] for _ in self.layouts]
        lasts: Grid = [[] for _ in self.layouts]
        below: Array = None
        for r in reversed(range(len(self.layouts))):
            roots = []
            for k, (first, stop) in enumerate(self.bounds[r]):
                won = self._won(fixed, r, k, player, other)
                dealt = below[:, first:stop] if below is not None else None
                root, gained = self._ascend(self.layouts[r], player, own.sigma[r][k], won, dealt)
                roots.append(root)
                regret, average, reached = learned.regret[r][k], learned.average[r][k], own.reach[r][k]
                regrets[r].append({g: self._updated(regret[g], gained[g], weights, does) for g in regret})
                averages[r].append({g: average[g] + weights[3] * reached[g] for g in average})
                if does.predict:
                    lasts[r].append(gained)
            if r:
                below = self._collected(fixed, r, self._joined(roots, 1))
        return Learned(regrets, averages, lasts if does.predict else learned.last)

    def _updated(self, regret: Array, gained: Array, weights: Sequence[float], does: Does) -> Array:
        """The regrets after an iteration in which `gained` was regretted."""
        positive, negative, floor = weights[:3]
        return update_arrays(
            self.namespace.xp,
            regret,
            gained,
            (positive, negative) if does.fade else None,
            floor if does.floor else None,
        )

    def _won(self, fixed: Fixed, r: int, k: int, player: int, other: Strategy) -> list[Array]:
        """What the player's hands win at the terminals of each symbol: float[terminals, boards, slots]."""
        layout, part = self.layouts[r], fixed.parts[r][k]
        if not layout.symbols:
            return []
        reach = self._pick(layout.ends[1 - player], other.start[r][k], other.reach[r][k])
        if part.ranges:
            reach = reach * part.ranges[1 - player]
        if self.game.sorted_hands:
            # Multiples of the last place of three times their sum add up without error in any order: what
            # should cancel leaves no trace that regret matching would play.
            grid = 3.0 * reach.sum(axis=-1, keepdims=True)
            reach = (reach + grid) - grid
        won = []
        for z, matrix in enumerate(part.matrix or self._sorted_matrices(layout.symbols, part.card, part.tie)):
            here = slice(layout.cuts[z], layout.cuts[z + 1])
            against = matrix.swapaxes(1, 2) if player == 0 else matrix
            value = self.namespace.xp.matmul(reach[here].swapaxes(0, 1), against).swapaxes(0, 1)
            value = value * layout.stake[player][here]
            if part.ranges:
                value = value * part.ranges[player]
            # Before the last round a board stands for its class; the last round's are averaged when collected.
            won.append(self._over_orbits(fixed, value) if r < len(self.layouts) - 1 else value)
        return won

    def _ascend(
        self, layout: Layout, player: int, sigma: dict[int, Array], won: list[Array], dealt: Array
    ) -> tuple[Array, dict[int, Array]]:
        """Values from terminals and deals to the roots of a round, and the player's instantaneous regrets."""
        take = self.namespace.take
        gained: dict[int, Array] = {}
        values: Array = None
        for level in reversed(layout.levels):
            here = []
            behind = values if level.child is None else take(values, level.child, 0)
            stop = 0
            for g in level.groups:
                group = layout.groups[g]
                first, stop = stop, stop + group.edge.size
                value = behind[first:stop].reshape((*group.edge.shape, *behind.shape[1:]))
                if group.player != player:
                    here.append(value.sum(axis=0))
                    continue
                # Values are measured from the first action, so that actions of equal value have regret 0.
                above = value - value[0]
                gain = (sigma[g] * above).sum(axis=0)
                gained[g] = above - gain
                here.append(value[0] + gain)
            here.extend(won[z][first:stop] for z, first, stop in level.ends)
            if level.deals is not None:
                here.append(take(dealt, level.deals, 0))
            values = self._joined(here, 0)
        return (values if layout.root is None else take(values, layout.root, 0)), gained

    def _collected(self, fixed: Fixed, r: int, roots: Array) -> Array:
        """The values of a round's subtrees, added up over its boards for the deals before."""
        index, weight = fixed.collections[r - 1]
        listed = self.namespace.take(roots.reshape((roots.shape[0], -1)), index.reshape((-1,)), 1)
        listed = listed.reshape((roots.shape[0], *index.shape)) * weight
        total = listed.sum(axis=-1, dtype=self.namespace.xp.float64)
        return self._over_orbits(fixed, total.reshape((roots.shape[0], *self.game.rounds[r - 1].hand.shape)))

    def _over_orbits(self, fixed: Fixed, values: Array) -> Array:
        """With isomorphism, hands that differ only in the names of suits get the mean of their values."""
        cast, xp = self.namespace.cast, self.namespace.xp
        if fixed.orbit is not None:
            values = xp.matmul(cast(values, xp.float64), fixed.orbit)
        return cast(values, self.kind)

    def _pick(self, rows: Rows, start: Array, reach: dict[int, Array]) -> Array:
        """A player's reach of some nodes: float[nodes, boards, slots]."""
        shape = (-1, *start.shape[1:])
        found = self._joined([start if g < 0 else reach[g].reshape(shape) for g in rows.pieces], 0)
        return found if rows.index is None else self.namespace.take(found, rows.index, 0)

    def _joined(self, arrays: list[Array], axis: int) -> Array:
        return arrays[0] if len(arrays) == 1 else self.namespace.xp.concatenate(arrays, axis)

    def _sorted_matrices(self, symbols: Sequence[int], card: Array, tie: Array) -> tuple[Array, ...]:
        """Which sorted hands can meet, and who wins: float[boards, slots, slots] for each symbol."""
        where = self.namespace.xp.where
        one, zero = (self.namespace.asarray(np.full((), x, dtype=self.dtype)) for x in (1, 0))
        low, high = card[:, :, 0], card[:, :, 1]
        apart = low[:, :, None] != low[:, None, :]
        for a, b in ((low, high), (high, low), (high, high)):
            apart = apart & (a[:, :, None] != b[:, None, :])
        wins = apart & (tie[:, :, None] > tie[:, None, :])
        sign = where(wins, one, zero) - where(wins.swapaxes(1, 2), one, zero)
        return tuple(where(apart, one, zero) if symbol == FOLDED else sign for symbol in symbols)

    # Between tables, by block, and arrays, by group

    def _stored(self, offset: NDArray[np.int64]) -> Stored:
        if (offset >= 0).all():
            return None
        present = (offset >= 0).astype(self.dtype)[:, None, None]
        return [
            {g: self.namespace.asarray(present[group.edge]) for g, group in enumerate(layout.groups)}
            for layout in self.layouts
        ]

    def _blocks(self, player: int) -> Iterator[tuple[int, int, NDArray[np.int64], int]]:
        """A player's groups: round, number, edges one after another, and how many numbers a block has."""
        for r, layout in enumerate(self.layouts):
            for g, group in enumerate(layout.groups):
                if group.player == player:
                    yield r, g, group.edge.ravel(), self.game.rounds[r].hand.size

    def _read(self, tables: Tables, player: int) -> Learned:
        """A player's tables to the device; absent blocks are zero."""

        def read(table: NDArray[Any]) -> Grid:
            grid: Grid = [[{} for _ in bounds] for bounds in self.bounds]
            for r, g, edge, size in self._blocks(player):
                rows = np.zeros((len(edge), size), dtype=self.dtype)
                there = tables.offset[edge] >= 0
                if there.any():
                    rows[there] = sliding_window_view(table, size)[tables.offset[edge[there]]]
                shape = (*self.layouts[r].groups[g].edge.shape, *self.game.rounds[r].hand.shape)
                for k, (first, stop) in enumerate(self.bounds[r]):
                    part = np.ascontiguousarray(rows.reshape(shape)[:, :, first:stop])
                    grid[r][k][g] = self.namespace.asarray(part)
            return grid

        last = read(tables.last) if len(tables.last) else None
        return Learned(read(tables.regret), read(tables.average), last)

    def _write(self, tables: Tables, player: int, learned: Learned) -> None:
        """The device's arrays back to a player's blocks."""
        pairs = [(tables.regret, learned.regret), (tables.average, learned.average)]
        if learned.last is not None:
            pairs.append((tables.last, learned.last))
        for table, grid in pairs:
            for r, g, edge, size in self._blocks(player):
                rows = np.concatenate([self.namespace.to_numpy(part[g]) for part in grid[r]], axis=2)
                there = tables.offset[edge] >= 0
                if there.any():
                    blocks = sliding_window_view(table, size, writeable=True)
                    blocks[tables.offset[edge[there]]] = rows.reshape((len(edge), size))[there]

    # Setting up

    def _layout(self, r: int) -> Layout:
        game, nodes, here = self.game, self.game.nodes, self.game.rounds[r]
        depth, last = _paths(game, here)
        groups, where = _groups(game, here, depth)
        terminals, symbols, cuts = _terminals(game, here, depth)
        after = game.rounds[r + 1].subtrees if r + 1 < len(game.rounds) else ()
        deals = np.array([subtree.deal for subtree in after], dtype=np.int64)
        none = deals[:0]

        def reach(player: int, of: NDArray[np.int64]) -> Rows:
            return self._rows(last[player, of], groups, where, len(here.subtrees))

        levels: list[Level] = []
        place = np.zeros(len(nodes.symbol), dtype=np.int64)
        width = 0
        for d in range(depth.max(), -1, -1):
            found = [g for g, group in enumerate(groups) if depth[group.node[0]] == d]
            own = [
                np.concatenate([none, *(groups[g].node for g in found if groups[g].player == player)])
                for player in (0, 1)
            ]
            edges = np.concatenate([none, *(groups[g].edge.ravel() for g in found)])
            ends = [
                (z, *np.searchsorted(depth[terminals[first:stop]], (d, d + 1)).tolist())
                for z, (first, stop) in enumerate(pairwise(cuts))
            ]
            ends = [(z, first, stop) for z, first, stop in ends if first < stop]
            dealt = np.flatnonzero(depth[deals] == d)
            level = Level(
                groups=tuple(found),
                reach=(reach(0, own[0]), reach(1, own[1])),
                child=self._index(place[nodes.child[edges]], width) if found else None,
                ends=tuple(ends),
                deals=self.namespace.asarray(dealt) if len(dealt) else None,
            )
            levels.insert(0, level)
            ended = (terminals[cuts[z] + first : cuts[z] + stop] for z, first, stop in ends)
            laid_out = np.concatenate([*(groups[g].node for g in found), *ended, deals[dealt]])
            width = len(laid_out)
            place[laid_out] = np.arange(width)
        scale = np.prod([x.probability for x in game.rounds[: r + 1]]) * game.deal_scale
        stake = (nodes.stake[terminals] * scale)[:, None, None].astype(self.dtype)
        return Layout(
            groups=groups,
            levels=tuple(levels),
            symbols=symbols,
            cuts=cuts,
            ends=(reach(0, terminals), reach(1, terminals)),
            stake=(self.namespace.asarray(stake), self.namespace.asarray(-stake)),
            deals=(reach(0, deals), reach(1, deals)),
            root=self._index(place[[subtree.start for subtree in here.subtrees]], width),
        )

    def _rows(
        self, codes: NDArray[np.int64], groups: Sequence[Group], where: NDArray[np.int64], roots: int
    ) -> Rows:
        """Rows for last actions as `_paths` writes them, which lie `where` (group, row) says."""
        started = codes < 0
        group = np.where(started, -1, where[0, codes])
        row = np.where(started, -1 - codes, where[1, codes])
        pieces = np.unique(group)
        sizes = [roots if g < 0 else groups[g].edge.size for g in pieces]
        begins = np.cumsum([0, *sizes])
        index = begins[np.searchsorted(pieces, group)] + row
        return Rows(tuple(pieces.tolist()), self._index(index, int(begins[-1])))

    def _index(self, index: NDArray[np.int64], width: int) -> Array:
        """Row numbers on the device, None where they name all rows in order."""
        in_order = len(index) == width and bool((index == np.arange(width)).all())
        return None if in_order else self.namespace.asarray(np.asarray(index, dtype=np.int64))

    def _bounds(self, r: int, parts: int | None) -> list[tuple[int, int]]:
        """The boards of each part: first, one past the last."""
        boards, slots = self.game.rounds[r].hand.shape
        if parts is None:
            most = boards
            if self.namespace.cached:
                rows = max(
                    sum(self.layouts[r].groups[g].edge.size for g in x.groups) for x in self.layouts[r].levels
                )
                most = PART_NUMBERS // max(1, rows * slots)
            if not _keeps_matrices(self.game, r, self.dtype):
                most = min(most, MATRIX_BYTES // (_matrix_bytes(self.game, r, self.dtype) // boards))
            parts = -(-boards // max(1, most))
        cuts = np.linspace(0, boards, min(parts, boards) + 1).astype(int).tolist()
        return list(pairwise(cuts))

    def _fixed(self) -> Fixed:
        game = self.game
        parts = [[self._part(r, *bounds) for bounds in self.bounds[r]] for r in range(len(game.rounds))]
        collections = [self._collection(r) for r in range(1, len(game.rounds))]
        orbit = None
        if game.isomorphism:
            alike = (game.orbit[:, None] == game.orbit[None, :]).astype(np.float64)
            orbit = self.namespace.asarray(alike / alike.sum(axis=0))
        slots = game.rounds[0].slots
        start = [np.ones((1, stop - first, slots), dtype=self.dtype) for first, stop in self.bounds[0]]
        return Fixed(parts, collections, orbit, [self.namespace.asarray(x) for x in start])

    def _part(self, r: int, first: int, stop: int) -> Part:
        game, asarray = self.game, self.namespace.asarray
        here, symbols = game.rounds[r], self.layouts[r].symbols
        carry = card = tie = None
        if r:
            before = here.parent[first:stop, None] * game.rounds[r - 1].slots + here.parent_slot[first:stop]
            carry = asarray(before.ravel().astype(np.int64))
        matrix: tuple[Array, ...] = ()
        ranges: tuple[Array, ...] = ()
        if game.sorted_hands:
            card, tie = asarray(here.card[first:stop]), asarray(here.tie[first:stop])
            if _keeps_matrices(game, r, self.dtype):
                matrix, card, tie = self._sorted_matrices(symbols, card, tie), None, None
            if not all((weight == 1).all() for weight in game.ranges):
                ranges = tuple(asarray(x[here.hand[first:stop]].astype(self.dtype)) for x in game.ranges)
        else:
            which = (game.matrix_of[symbol, first:stop] for symbol in symbols)
            matrix = tuple(asarray(game.matrix[w].astype(self.dtype)) for w in which)
        return Part(carry, matrix, card, tie, ranges)

    def _collection(self, r: int) -> Collection:
        here, before = self.game.rounds[r], self.game.rounds[r - 1]
        target = (here.parent[:, None].astype(np.int64) * before.slots + here.parent_slot).ravel()
        order = np.argsort(target, kind="stable")
        counts = np.bincount(target, minlength=before.hand.size)
        within = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        index = np.zeros((before.hand.size, counts.max()), dtype=np.int64)
        weight = np.zeros(index.shape, dtype=self.dtype)
        index[target[order], within] = order
        weight[target[order], within] = here.multiplicity[order // here.slots]
        return Collection(self.namespace.asarray(index), self.namespace.asarray(weight))


def array_bytes(game: PublicGame, dtype: DTypeLike = "float64") -> int:
    """About how much memory an `ArrayPass` takes beside the tables it is given, on its device."""
    itemsize = np.dtype(dtype).itemsize
    symbol = game.nodes.symbol
    total = 0
    for r, here in enumerate(game.rounds):
        terminals = int(((symbol >= 0) & (game.nodes.round == r)).sum())
        edges = int((game.nodes.round[game.edge_node] == r).sum())
        # Both players' regrets, averages, last regrets, strategies and reaches, and one's tables before and
        # after; then reach and values at the terminals.
        total += (8 * edges + 2 * terminals) * here.hand.size * itemsize
        total += min(_matrix_bytes(game, r, dtype), MATRIX_BYTES)
        if r:
            total += here.hand.size * (np.dtype(np.int64).itemsize + itemsize * (1 + 2 * len(here.subtrees)))
    return total


def _matrix_bytes(game: PublicGame, r: int, dtype: DTypeLike) -> int:
    """What a round's matrices take, one for each board and symbol."""
    here = game.rounds[r]
    symbols = game.nodes.symbol[game.nodes.round == r]
    return len(np.unique(symbols[symbols >= 0])) * here.hand.size * here.slots * np.dtype(dtype).itemsize


def _keeps_matrices(game: PublicGame, r: int, dtype: DTypeLike) -> bool:
    return not game.sorted_hands or _matrix_bytes(game, r, dtype) <= MATRIX_BYTES


def _paths(game: PublicGame, here: Round) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For the nodes of a round their depth, and each player's last action before: int64[nodes], int64[2, nodes].

    A last action is an edge, or -1 - s where the player has not acted in the round's subtree s.
    """
    nodes = game.nodes
    depth = np.zeros(len(nodes.symbol), dtype=np.int64)
    last = np.zeros((2, len(nodes.symbol)), dtype=np.int64)
    for s, subtree in enumerate(here.subtrees):
        last[:, subtree.start] = -1 - s
        for node in np.flatnonzero(nodes.symbol[subtree.start : subtree.stop] == DECISION) + subtree.start:
            edges = slice(nodes.first_edge[node], nodes.first_edge[node + 1])
            child = nodes.child[edges]
            depth[child] = depth[node] + 1
            last[:, child] = last[:, node, None]
            last[nodes.player[node], child] = np.arange(edges.start, edges.stop)
    return depth, last


def _terminals(
    game: PublicGame, here: Round, depth: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[int, ...], tuple[int, ...]]:
    """A round's terminals by symbol and depth, the symbols, and where each begins, with the end."""
    low, high = here.subtrees[0].start, here.subtrees[-1].stop
    symbol = game.nodes.symbol
    found = low + np.flatnonzero(symbol[low:high] >= 0)
    found = found[np.lexsort((depth[found], symbol[found]))]
    symbols, begins = np.unique(symbol[found], return_index=True)
    return found, tuple(symbols.tolist()), (*begins.tolist(), len(found))


def _groups(
    game: PublicGame, here: Round, depth: NDArray[np.int64]
) -> tuple[tuple[Group, ...], NDArray[np.int64]]:
    """A round's decision nodes by depth, player and actions; and group and row of each edge, int64[2, edges]."""
    nodes = game.nodes
    low, high = here.subtrees[0].start, here.subtrees[-1].stop
    decisions = low + np.flatnonzero(nodes.symbol[low:high] == DECISION)
    actions = np.diff(nodes.first_edge)
    keys = np.stack([depth[decisions], nodes.player[decisions], actions[decisions]])
    order = np.lexsort(keys[::-1])
    changes = np.flatnonzero((np.diff(keys[:, order], axis=1) != 0).any(axis=0)) + 1
    where = np.zeros((2, len(nodes.child) + 1), dtype=np.int64)
    groups: list[Group] = []
    for node in np.split(decisions[order], changes) if len(decisions) else ():
        edge = nodes.first_edge[node].astype(np.int64) + np.arange(actions[node[0]])[:, None]
        where[0, edge.ravel()] = len(groups)
        where[1, edge.ravel()] = np.arange(edge.size)
        groups.append(Group(int(nodes.player[node[0]]), node, edge))
    return tuple(groups), where
