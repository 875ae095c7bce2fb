"""Compiled passes over the shapes of a betting tree: a shape's lanes are one long row of numbers.

Where `solvent.engines.public.kernels` takes a node's hands as a vector, this takes all nodes of one shape with
all their hands, a part of the row at a time. The steps are the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.schedule import AVERAGE, FLOOR, NEGATIVE, POSITIVE, PREDICTION
from solvent.engines.vectors import elementwise as _elementwise
from solvent.engines.vectors import matching as _matching
from solvent.foundation.kernels.compiling import compiled, internal_compiled

Array = Any

vectors: Any = _elementwise
matching: Any = _matching
"""Intrinsics, whose types only the compiler knows."""


class Shapes(NamedTuple):
    """Decision nodes by shape, each shape before those below it. Its nodes' hands are one row, node by node."""

    player: Array
    """int64[shapes]: who acts."""
    size: Array
    """int64[shapes]: nodes x hands, the length of every row of the shape."""
    cell: Array
    """int64[shapes]: where its rows of the tables begin, one for each action."""
    first: Array
    """int64[shapes + 1]: its first action."""
    other: Array
    """int64[shapes]: the row with the other's reach, ..."""
    own: Array
    """int64[shapes]: ... the traverser's own, ..."""
    value: Array
    """int64[shapes]: ... and the traverser's values."""
    child: Array
    """int64[actions]: the shape behind an action; -1 where the game ends."""
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
    """Where passing rows of `part` numbers begin."""


class Learned(NamedTuple):
    """Tables by shape: row a of a shape begins at `cell + a size`. See `solvent.engines.public.kernels.Tables`."""

    regret: Array
    average: Array
    last: Array
    value: Array
    """Sums of v(I), weighted like the average, in each shape's first row; empty where none are kept."""
    seen: Array
    seen_last: Array


@internal_compiled
def match(learned, actions, at, size, prediction, count, work, total, uniform):  # type: ignore[no-untyped-def]
    """Rows with which sigma(a) = max(0, expected regret) / total + uniform."""
    work[total : total + count] = 0
    for a in range(actions):
        if prediction == 0.0:
            matching.add_positive(count, work, total, learned.seen, at + a * size)
        else:
            matching.add_expected(
                count, work, total, learned.seen, learned.seen_last, at + a * size, prediction
            )
    matching.settle_total(count, work, total, uniform, 1.0 / actions)


@internal_compiled
def play(learned, at, prediction, count, work, total, uniform, sigma):  # type: ignore[no-untyped-def]
    """The probability of one action."""
    if prediction == 0.0:
        matching.share(count, work, sigma, learned.seen, at, total, uniform)
    else:
        matching.share_expected(
            count, work, sigma, learned.seen, learned.seen_last, at, total, uniform, prediction
        )


@internal_compiled
def descend(shapes, learned, weights, player, work):  # type: ignore[no-untyped-def]
    """Reach from the root to every shape and every end; the traverser's average grows on the way."""
    part = shapes.part
    total, uniform, sigma, passing = [shapes.scratch + k * part for k in range(4)]
    growth, prediction = weights[AVERAGE], weights[PREDICTION]
    for shape in range(len(shapes.player)):
        first, actions = shapes.first[shape], shapes.first[shape + 1] - shapes.first[shape]
        size, mine = shapes.size[shape], shapes.player[shape] == player
        for begin in range(0, size, part):
            count = min(part, size - begin)
            at = shapes.cell[shape] + begin
            other, own = shapes.other[shape] + begin, shapes.own[shape] + begin
            match(learned, actions, at, size, prediction, count, work, total, uniform)
            for a in range(actions):
                below = shapes.child[first + a]
                to_other = to_own = shapes.segment[first + a] + begin
                if below >= 0:
                    to_other, to_own = to_other + shapes.other[below], to_own + shapes.own[below]
                elif mine:
                    to_own = passing
                play(learned, at + a * size, prediction, count, work, total, uniform, sigma)
                if mine:
                    vectors.multiply(count, work, to_own, own, sigma)
                    vectors.add_scaled(count, learned.average, at + a * size, work, to_own, growth)
                    work[to_other : to_other + count] = work[other : other + count]
                else:
                    vectors.multiply(count, work, to_other, other, sigma)
                    if below >= 0:
                        work[to_own : to_own + count] = work[own : own + count]


@internal_compiled
def ascend(shapes, learned, weights, player, work):  # type: ignore[no-untyped-def]
    """Values from the ends back to the root; the traverser's regrets are updated."""
    part = shapes.part
    total, uniform, sigma, gain, ends = [shapes.scratch + k * part for k in range(5)]
    positive, negative, floor = weights[POSITIVE], weights[NEGATIVE], weights[FLOOR]
    prediction = weights[PREDICTION]
    hands = shapes.hands
    for shape in range(len(shapes.player) - 1, -1, -1):
        first, actions = shapes.first[shape], shapes.first[shape + 1] - shapes.first[shape]
        size, mine = shapes.size[shape], shapes.player[shape] == player
        for begin in range(0, size, part):
            count = min(part, size - begin)
            at = shapes.cell[shape] + begin
            value = shapes.value[shape] + begin
            for a in range(actions):
                if shapes.child[first + a] < 0:
                    reach = shapes.segment[first + a] + begin
                    won = work[ends + a * part : ends + a * part + count].reshape(-1, hands)
                    matrix = shapes.matrix[player, shapes.matrix_of[first + a]]
                    np.dot(work[reach : reach + count].reshape(-1, hands), matrix, won)
            origin = row_of(shapes, first, begin, ends)
            if not mine:
                if actions == 1:
                    work[value : value + count] = work[origin : origin + count]
                for a in range(1, actions):
                    so_far = origin if a == 1 else value
                    vectors.add2(
                        count, work, value, so_far, row_of(shapes, first + a, begin, ends + a * part)
                    )
                continue
            match(learned, actions, at, size, prediction, count, work, total, uniform)
            work[gain : gain + count] = 0
            for a in range(1, actions):
                play(learned, at + a * size, prediction, count, work, total, uniform, sigma)
                below = row_of(shapes, first + a, begin, ends + a * part)
                matching.add_gain(count, work, gain, sigma, below, origin)
            vectors.add2(count, work, value, origin, gain)
            if len(learned.value) > 0:
                vectors.add_scaled(count, learned.value, at, work, value, weights[AVERAGE])
            for a in range(actions):
                below = row_of(shapes, first + a, begin, ends + a * part)
                matching.regret_of(count, work, sigma, below, origin, gain)
                matching.update(count, learned.regret, at + a * size, work, sigma, positive, negative, floor)
                if prediction != 0.0:
                    learned.last[at + a * size : at + a * size + count] = work[sigma : sigma + count]


@internal_compiled
def row_of(shapes, action, begin, end):  # type: ignore[no-untyped-def]
    """Where the values behind an action are: in its shape's row, or in a passing row where the game ends."""
    below = shapes.child[action]
    return end if below < 0 else shapes.value[below] + shapes.segment[action] + begin


@compiled
def iterate(shapes, learned, schedule, alternating, work):  # type: ignore[no-untyped-def]
    """One iteration for each row of the rule's weights."""
    for t in range(len(schedule)):
        if not alternating:
            learned.seen[:] = learned.regret
            learned.seen_last[:] = learned.last
        for player in range(2):
            descend(shapes, learned, schedule[t], player, work)
            ascend(shapes, learned, schedule[t], player, work)
