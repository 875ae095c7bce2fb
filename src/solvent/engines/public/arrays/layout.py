"""A public game laid out for arrays: rounds by levels, groups of nodes, boards and hands on the device.

The betting nodes of one level (one round, depth, player and number of actions) are a *group*, and a group on all
boards is one array, float[actions, nodes, boards, slots]. Only the player's own actions change a reach, so it is
kept at those: a level or a terminal picks the row of the last one. Boards may be dealt with in parts, to stay in a
processor's cache or where matrices do not fit in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.engines.public.arrays.devices import array_namespace
from solvent.forms.public.game import DECISION, FOLDED, PublicGame, Round

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
    """The places of a player's reach of some nodes: rows of these arrays, laid one after another."""

    pieces: tuple[int, ...]
    """The groups of the player; -1 is the start of the round."""
    index: Array
    """None where it would be 0, 1, 2, ..."""


class Level(NamedTuple):
    """The nodes at one depth of a round. Their values are laid out as groups, then terminals, then deals."""

    groups: tuple[int, ...]
    reach: tuple[Rows, Rows]
    """For each player the rows of the player's reach at the nodes of the player's groups here."""
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
    """For each player the rows of the player's reach at the terminals."""
    stake: tuple[Array, Array]
    """float[terminals, 1, 1] for each player: what the player wins where the matrix has 1 for player 0."""
    deals: tuple[Rows, Rows]
    """For each player the rows of the player's reach at the deals, in the order of the next round's subtrees."""
    root: Array
    """The roots of the subtrees, as the first level lays them out; None where it would be 0, 1, 2, ..."""


# On the device


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
    """The sums of values on a round's boards for those before: float and int[boards x slots before, most].

    Where there are fewer than most slots to add, the weight is 0; else it is their board's multiplicity.
    """

    index: Array
    weight: Array


class Fixed(NamedTuple):
    """The arrays that do not change while iterating."""

    parts: list[list[Part]]
    """By round."""
    collections: list[Collection]
    """By round, from the second."""
    orbit: Array
    """float64[hands, hands]: the mean over hands of one orbit; None without isomorphism."""
    start: list[Array]
    """float[1, boards, slots] for each part of the first round: a reach of 1."""


class ArrayForm:
    """A game in public form on a device."""

    def __init__(
        self, game: PublicGame, device: str = "numpy", dtype: DTypeLike = "float64", parts: int | None = None
    ) -> None:
        """Lay a game out; `parts`: those of a round's boards, None for as many as cache and memory ask for."""
        self.game, self.device, self.dtype = game, device, np.dtype(dtype)
        self.namespace = array_namespace(device)
        self.kind = getattr(self.namespace.xp, self.dtype.name)
        with self.namespace.settings():
            self.layouts = [self._layout(r) for r in range(len(game.rounds))]
            self.bounds = [self._bounds(r, parts) for r in range(len(game.rounds))]
            self.fixed = self._fixed()

    def sorted_matrices(self, symbols: Sequence[int], card: Array, tie: Array) -> tuple[Array, ...]:
        """Make the matrices of sorted hands, 0 where they cannot meet: float[boards, slots, slots] by symbol."""
        where = self.namespace.xp.where
        one, zero = (self.namespace.asarray(np.full((), x, dtype=self.dtype)) for x in (1, 0))
        low, high = card[:, :, 0], card[:, :, 1]
        apart = low[:, :, None] != low[:, None, :]
        for a, b in ((low, high), (high, low), (high, high)):
            apart = apart & (a[:, :, None] != b[:, None, :])
        wins = apart & (tie[:, :, None] > tie[:, None, :])
        sign = where(wins, one, zero) - where(self.namespace.swapaxes(wins, 1, 2), one, zero)
        return tuple(where(apart, one, zero) if symbol == FOLDED else sign for symbol in symbols)

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
                matrix, card, tie = self.sorted_matrices(symbols, card, tie), None, None
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
    """Estimate the memory of an `ArrayPass` on its device, beside the tables it is given."""
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
    """Compute the memory of a round's matrices, one for each board and symbol."""
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
