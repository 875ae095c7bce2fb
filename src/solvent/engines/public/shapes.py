"""The aggregated plan where hands are few and nodes many: betting nodes of one shape as lanes.

In Bluff every bid after the same last bid has the same future: the same actions, the same ends. Such nodes have one
shape, and all of them are worked on together, as one row of nodes x hands. Rows of a shape are put together from
those of the shapes above it, so that reach and values pass between them in whole segments.

The steps are those of `kernels`, on a part of a row at a time instead of one node's hands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.public.kernels import Tables, match, matching, play, vectors
from solvent.engines.schedule import AVERAGE, FLOOR, NEGATIVE, POSITIVE, PREDICTION
from solvent.forms.public.game import DECISION, MATRIX, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled, internal_compiled

Array = Any

END = -1
PART = 1000
"""Numbers that are worked on together: they fit in the first cache, and their matrix products need one thread."""


class Shapes(NamedTuple):
    """Decision nodes by shape, each shape before those below it. Its nodes' hands are one row, node by node.

    Tables have a row of the shape for each of its actions, which begins at the action's `Tables.offset`.
    """

    player: Array
    """int64[shapes]: who acts."""
    size: Array
    """int64[shapes]: nodes x hands, the length of every row of the shape."""
    first: Array
    """int64[shapes + 1]: its first action."""
    other: Array
    """int64[shapes]: the row with the other's reach."""
    own: Array
    """int64[shapes]: the row with the traverser's own reach."""
    value: Array
    """int64[shapes]: the row with the traverser's values."""
    child: Array
    """int64[actions]: the shape behind an action; `END` where the game ends."""
    segment: Array
    """int64[actions]: where in that shape's rows the nodes behind it begin; of an end, its row of reach."""
    matrix: Array
    """float[2, matrices, hands, hands]: for each traverser, what the traverser's hands (columns) win at an end."""
    matrix_of: Array
    """int64[actions]: the matrix of an end."""
    hands: int
    part: int
    """Numbers of a row that are worked on together, those of whole nodes."""
    scratch: int
    """The first of the passing rows, of `part` numbers each."""


class ShapePass:
    """Iterations on a public game of one round with a matrix at each terminal."""

    threads = 1

    def __init__(self, game: PublicGame, dtype: np.dtype[Any]) -> None:
        if game.sorted_hands or len(game.rounds) > 1:
            raise InputError(f"plan shapes is for games of one round without cards, which {game.name} is not")
        shapes = find_shapes(game)
        hands = len(game.hands)
        part = max(1, PART // hands) * hands
        size = np.array([len(shape.nodes) * hands for shape in shapes], dtype=np.int64)
        actions = np.array([len(shape.children) for shape in shapes], dtype=np.int64)
        row = np.cumsum(size) - size
        rows = int(size.sum())
        child = np.concatenate([shape.children for shape in shapes])
        segment = np.concatenate([shape.segments for shape in shapes]) * hands
        ends = np.flatnonzero(child == END)
        cells = np.repeat(size, actions)
        segment[ends] = 3 * rows + np.cumsum(cells[ends]) - cells[ends]
        scratch = 3 * rows + int(cells[ends].sum())
        matrix, matrix_of = _matrices(game, np.concatenate([shape.ends for shape in shapes]), dtype)
        self.shapes = Shapes(
            player=np.array([shape.player for shape in shapes], dtype=np.int64),
            size=size,
            first=np.concatenate([[0], np.cumsum(actions)]),
            other=row,
            own=rows + row,
            value=2 * rows + row,
            child=child,
            segment=segment,
            matrix=matrix,
            matrix_of=matrix_of,
            hands=hands,
            part=part,
            scratch=scratch,
        )
        self.offset = np.cumsum(cells) - cells
        self.work = np.zeros(scratch + (4 + int(actions.max())) * part, dtype=dtype)
        self.work[: 2 * rows] = 1.0  # the root's reach stays: ranges are part of the matrices
        first = game.nodes.first_edge
        self.edge = np.concatenate(
            [first[shape.nodes] + a for shape in shapes for a in range(len(shape.children))]
        )
        """The edge of each node and action in the order of the shapes' rows."""
        self.hand = np.arange(hands)

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        place = (tables.offset[self.edge][:, None] + self.hand).ravel()
        kept = (tables.regret, tables.average, tables.last, tables.value)
        regret, average, last, value = (table[place] if len(table) else table for table in kept)
        seen = (regret, last) if alternating else (regret.copy(), last.copy())
        by_shape = Tables(self.offset, regret, average, last, value, *seen)
        iterate(self.shapes, by_shape, schedule, alternating, self.work)
        for table, learned in zip(kept, (regret, average, last, value), strict=True):
            if len(table):
                table[place] = learned


class Shape(NamedTuple):
    """Decision nodes with the same future."""

    player: int
    nodes: NDArray[np.int64]
    children: list[int]
    """The shape behind each action, END where the game ends."""
    segments: list[int]
    """The first of the child's nodes that is behind this action."""
    ends: list[int]
    """A terminal node behind each action, -1 where there is none."""


def find_shapes(game: PublicGame) -> list[Shape]:
    """Find the shapes of a game of one round, each before those below it, with their nodes in order."""
    nodes = game.nodes
    kinds: dict[tuple[Any, ...], int] = {}
    kind = np.zeros(len(nodes.symbol), dtype=np.int64)
    height: list[int] = []
    sample: list[int] = []
    for node in range(len(nodes.symbol) - 1, -1, -1):
        below = nodes.child[nodes.first_edge[node] : nodes.first_edge[node + 1]]
        if nodes.symbol[node] == DECISION:
            key: tuple[Any, ...] = (int(nodes.player[node]), *kind[below].tolist())
        else:
            key = ("end", int(nodes.symbol[node]), float(nodes.stake[node]))
        if key not in kinds:
            kinds[key] = len(kinds)
            height.append(1 + max((height[k] for k in kind[below].tolist()), default=-1))
            sample.append(node)
        kind[node] = kinds[key]
    order = [k for k in np.argsort(-np.array(height), kind="stable").tolist() if height[k] > 0]
    number = {k: place for place, k in enumerate(order)}
    found: list[list[NDArray[np.int64]]] = [[] for _ in order]
    found[number[int(kind[0])]].append(np.zeros(1, dtype=np.int64))
    shapes = []
    for k in order:
        here = np.concatenate(found[number[k]])
        first, stop = nodes.first_edge[sample[k]], nodes.first_edge[sample[k] + 1]
        shape = Shape(int(nodes.player[sample[k]]), here, [], [], [])
        for a, behind in enumerate(kind[nodes.child[first:stop]].tolist()):
            below = nodes.child[nodes.first_edge[here] + a]
            lanes = found[number[behind]] if behind in number else None
            shape.children.append(number.get(behind, END))
            shape.segments.append(0 if lanes is None else sum(map(len, lanes)))
            shape.ends.append(int(below[0]) if lanes is None else -1)
            if lanes is not None:
                lanes.append(below.astype(np.int64))
        shapes.append(shape)
    return shapes


def _matrices(
    game: PublicGame, ends: NDArray[np.int64], dtype: np.dtype[Any]
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Make each traverser's winnings at an end, stakes and chances included: float[2, matrices, hands, hands]."""
    nodes, scale = game.nodes, game.rounds[0].probability * game.deal_scale
    matrices: list[NDArray[np.float64]] = []
    place: dict[tuple[int, float], int] = {}
    matrix_of = np.full(len(ends), -1, dtype=np.int64)
    for action in np.flatnonzero(ends >= 0).tolist():
        symbol, stake = int(nodes.symbol[ends[action]]), float(nodes.stake[ends[action]])
        assert symbol >= MATRIX
        if (symbol, stake) not in place:
            place[symbol, stake] = len(matrices)
            matrices.append(stake * scale * game.matrix[game.matrix_of[symbol, 0]])
        matrix_of[action] = place[symbol, stake]
    stacked = np.stack(matrices)
    both = np.stack([stacked.transpose(0, 2, 1), -stacked])
    return np.ascontiguousarray(both, dtype=dtype), matrix_of


@internal_compiled
def descend(shapes, tables, weights, player, work):  # type: ignore[no-untyped-def]
    """Carry reach from the root to every shape and every end; the traverser's average grows on the way."""
    total, sigma, passing = [shapes.scratch + k * shapes.part for k in (0, 2, 3)]
    growth, prediction = weights[AVERAGE], weights[PREDICTION]
    for shape in range(len(shapes.player)):
        first, stop = shapes.first[shape], shapes.first[shape + 1]
        size, mine = shapes.size[shape], shapes.player[shape] == player
        for begin in range(0, size, shapes.part):
            count = min(shapes.part, size - begin)
            other, own = shapes.other[shape] + begin, shapes.own[shape] + begin
            match(tables, first, stop, begin, prediction, count, work, total)
            for action in range(first, stop):
                below = shapes.child[action]
                to_other = to_own = shapes.segment[action] + begin
                if below >= 0:
                    to_other, to_own = to_other + shapes.other[below], to_own + shapes.own[below]
                elif mine:
                    to_own = passing
                play(tables, tables.offset[action] + begin, prediction, count, work, total, sigma)
                if mine:
                    vectors.multiply(count, work, to_own, own, sigma)
                    at = tables.offset[action] + begin
                    vectors.add_scaled(count, tables.average, at, work, to_own, growth)
                    work[to_other : to_other + count] = work[other : other + count]
                else:
                    vectors.multiply(count, work, to_other, other, sigma)
                    if below >= 0:
                        work[to_own : to_own + count] = work[own : own + count]


@internal_compiled
def ascend(shapes, tables, weights, player, work):  # type: ignore[no-untyped-def]
    """Carry values from the ends back to the root; the traverser's regrets are updated."""
    part, hands = shapes.part, shapes.hands
    total, sigma, gain, ends = [shapes.scratch + k * part for k in (0, 2, 3, 4)]
    positive, negative, floor = weights[POSITIVE], weights[NEGATIVE], weights[FLOOR]
    prediction = weights[PREDICTION]
    for shape in range(len(shapes.player) - 1, -1, -1):
        first, stop = shapes.first[shape], shapes.first[shape + 1]
        size, mine = shapes.size[shape], shapes.player[shape] == player
        for begin in range(0, size, part):
            count = min(part, size - begin)
            value = shapes.value[shape] + begin
            for action in range(first, stop):
                if shapes.child[action] < 0:
                    reach = shapes.segment[action] + begin
                    won = row_of(shapes, action, first, begin, ends)
                    matrix = shapes.matrix[player, shapes.matrix_of[action]]
                    np.dot(
                        work[reach : reach + count].reshape(-1, hands),
                        matrix,
                        work[won : won + count].reshape(-1, hands),
                    )
            origin = row_of(shapes, first, first, begin, ends)
            if not mine:
                if stop - first == 1:
                    work[value : value + count] = work[origin : origin + count]
                for action in range(first + 1, stop):
                    so_far = origin if action == first + 1 else value
                    vectors.add2(count, work, value, so_far, row_of(shapes, action, first, begin, ends))
                continue
            match(tables, first, stop, begin, prediction, count, work, total)
            work[gain : gain + count] = 0
            for action in range(first + 1, stop):
                play(tables, tables.offset[action] + begin, prediction, count, work, total, sigma)
                below = row_of(shapes, action, first, begin, ends)
                matching.add_gain(count, work, gain, sigma, below, origin)
            vectors.add2(count, work, value, origin, gain)
            if len(tables.value) > 0:
                at = tables.offset[first] + begin
                vectors.add_scaled(count, tables.value, at, work, value, weights[AVERAGE])
            for action in range(first, stop):
                at, below = tables.offset[action] + begin, row_of(shapes, action, first, begin, ends)
                matching.regret_of(count, work, sigma, below, origin, gain)
                matching.update(count, tables.regret, at, work, sigma, positive, negative, floor)
                if prediction != 0.0:
                    tables.last[at : at + count] = work[sigma : sigma + count]


@internal_compiled
def row_of(shapes, action, first, begin, ends):  # type: ignore[no-untyped-def]
    """The row of the values behind an action: in its shape's row, or a passing row where the game ends."""
    below = shapes.child[action]
    if below < 0:
        return ends + (action - first) * shapes.part
    return shapes.value[below] + shapes.segment[action] + begin


@compiled
def iterate(shapes, tables, schedule, alternating, work):  # type: ignore[no-untyped-def]
    """Run one iteration for each row of the rule's weights."""
    for t in range(len(schedule)):
        if not alternating:
            tables.seen[:] = tables.regret
            tables.seen_last[:] = tables.last
        for player in range(2):
            descend(shapes, tables, schedule[t], player, work)
            ascend(shapes, tables, schedule[t], player, work)
