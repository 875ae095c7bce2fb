"""The aggregated plan where hands are few and nodes many: betting nodes of one shape as lanes.

In Bluff every bid after the same last bid has the same future: the same actions, the same ends. Such nodes have one
shape, and all of them are worked on together, as one row of nodes x hands. Rows of a shape are put together from
those of the shapes above it, so that reach and values pass between them in whole segments.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.public import shape_kernels as kernels
from solvent.engines.public.kernels import Tables
from solvent.engines.public.shape_kernels import Learned, Shapes
from solvent.forms.public.game import DECISION, MATRIX, PublicGame
from solvent.foundation.errors import InputError

END = -1
PART = 1000
"""Numbers that are worked on together: they fit in the first cache, and their matrix products need one thread."""


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
        end_size = np.repeat(size, actions)[ends]
        segment[ends] = 3 * rows + np.cumsum(end_size) - end_size
        scratch = 3 * rows + int(end_size.sum())
        matrix, matrix_of = _matrices(game, np.concatenate([shape.ends for shape in shapes]), dtype)
        self.shapes = Shapes(
            player=np.array([shape.player for shape in shapes], dtype=np.int64),
            size=size,
            cell=np.cumsum(size * actions) - size * actions,
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
        regret, average = tables.regret[place], tables.average[place]
        last = tables.last[place] if len(tables.last) else tables.last
        copies = (regret, last) if alternating else (regret.copy(), last.copy())
        value = tables.value[place] if len(tables.value) else tables.value
        learned = Learned(regret, average, last, value, *copies)
        kernels.iterate(self.shapes, learned, schedule, alternating, self.work)
        tables.regret[place], tables.average[place] = regret, average
        if len(tables.last):
            tables.last[place] = last
        if len(tables.value):
            tables.value[place] = value


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
    """The shapes of a game of one round, each before those below it, with their nodes in order."""
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
    """What each traverser wins at an end, stakes and chances included: float[2, matrices, hands, hands]."""
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
