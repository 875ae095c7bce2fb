"""Evaluation of the terminals of a subtree on one board, for the traverser's hands against the other's reach.

This is the second phase of the aggregation paper: all terminals under one board share their symbols' matrices, so
that reach x stake of many terminals is one product with each. Where hands are sorted by strength the product is a
sweep in O(n) instead: with P the sum of reach over the slots passed so far and P_c that of slots holding card c,
D(h) = P - P_a - P_b is the reach of the hands so far that share no card with h = (a, b). Taken before h's tie (D-),
after it (D+) and at the end (D*), a showdown is worth D- + D+ - D*, and a fold D* plus h's own reach, which D* took
away twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public import swept
from solvent.engines.vectors.code import WIDTH
from solvent.forms.public.game import FOLDED, MATRIX, RANKED
from solvent.foundation.kernels.compiling import internal_compiled

Array = Any

SWEPT, GEMM = 0, 2
"""Evaluators of terminals: sweeps, 8 as lanes of one where hands are many enough; or matrix products."""


class Scratch(NamedTuple):
    """Memory of the evaluators beside the workspace."""

    lanes: swept.Lanes
    sign: Array
    left: Array
    right: Array


@internal_compiled
def scratch_space(empty, slots, evaluator, sorted_hands, nodes):  # type: ignore[no-untyped-def]
    """Make the scratch of one thread; `empty` tells the number type."""
    square = slots if sorted_hands and evaluator == GEMM else 0
    return Scratch(
        swept.lanes_for(empty, slots if sorted_hands else 0),
        np.zeros((square, square), dtype=empty.dtype),
        np.zeros((nodes if square else 0, square), dtype=empty.dtype),
        np.zeros((nodes if square else 0, square), dtype=empty.dtype),
    )


@internal_compiled
def by_sweep(tree, player, boards, board, start, stop, slots, work, scratch):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals one after another, each by a sweep of its own."""
    card = boards.card[board]
    tie = boards.tie[board]
    reach, by_card = scratch.lanes.reach, scratch.lanes.sums
    kind = work.dtype.type
    for node in range(start, stop):
        symbol = tree.symbol[node]
        if symbol < 0:
            continue
        source = tree.other_row[player, node] * slots
        won = tree.value_row[node] * slots
        stake = kind(tree.stake[player, node])
        total = kind(0.0)
        for k in range(slots):
            total += work[source + k]
        grid = kind(3) * total  # see `solvent.engines.public.swept`
        for k in range(slots):
            reach[k] = (work[source + k] + grid) - grid
        total = kind(0.0)
        by_card[:] = 0
        begin = 0
        while begin < slots:
            end = tie[begin]
            for k in range(begin, end):
                work[won + k] = total - by_card[card[k, 0]] - by_card[card[k, 1]]
            for k in range(begin, end):
                total += reach[k]
                by_card[card[k, 0]] += reach[k]
                by_card[card[k, 1]] += reach[k]
            for k in range(begin, end):
                work[won + k] += total - by_card[card[k, 0]] - by_card[card[k, 1]]
            begin = end
        for k in range(slots):
            everyone = total - by_card[card[k, 0]] - by_card[card[k, 1]]
            work[won + k] = stake * (work[won + k] - everyone if symbol == RANKED else everyone + reach[k])


@internal_compiled
def by_product(tree, player, boards, board, start, stop, slots, work, scratch):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals by two matrix products, as the paper does: showdowns, then folds."""
    card = boards.card[board]
    tie = boards.tie[board]
    sign, left, right = scratch.sign, scratch.left, scratch.right
    for symbol in (RANKED, FOLDED):
        count = 0
        for node in range(start, stop):
            if tree.symbol[node] == symbol:
                stake = work.dtype.type(tree.stake[player, node])
                source = tree.other_row[player, node] * slots
                for k in range(slots):
                    left[count, k] = stake * work[source + k]
                count += 1
        if count == 0:
            continue
        begin = 0
        for other in range(slots):
            if other == tie[begin]:
                begin = other
            a, b = card[other, 0], card[other, 1]
            for k in range(slots):
                blocked = card[k, 0] == a or card[k, 0] == b or card[k, 1] == a or card[k, 1] == b
                wins = 1.0 if symbol == FOLDED or k >= tie[other] else (-1.0 if k < begin else 0.0)
                sign[other, k] = 0.0 if blocked else wins
        np.dot(left[:count], sign, right[:count])
        count = 0
        for node in range(start, stop):
            if tree.symbol[node] == symbol:
                target = tree.value_row[node] * slots
                work[target : target + slots] = right[count]
                count += 1


@internal_compiled
def by_matrix(tree, player, board, start, stop, slots, work):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals by the matrix of each one's symbol on this board."""
    for node in range(start, stop):
        symbol = tree.symbol[node]
        if symbol < MATRIX:
            continue
        matrix = tree.matrix[player, tree.matrix_of[symbol, board]]
        source = tree.other_row[player, node] * slots
        won = tree.value_row[node] * slots
        stake = work.dtype.type(tree.stake[player, node])
        work[won : won + slots] = 0
        for other in range(slots):
            weight = stake * work[source + other]
            for k in range(slots):
                work[won + k] += weight * matrix[other, k]


@internal_compiled
def evaluate(tree, player, boards, board, start, stop, evaluator, slots, work, scratch, ahead):  # type: ignore[no-untyped-def]
    """Evaluate every terminal of a subtree."""
    if boards.card.shape[1] == 0:
        by_matrix(tree, player, board, start, stop, slots, work)
    elif evaluator == GEMM:
        by_product(tree, player, boards, board, start, stop, slots, work, scratch)
    elif slots >= WIDTH:
        swept.evaluate(tree.groups, player, start, boards, board, slots, work, scratch.lanes, ahead)
    else:
        by_sweep(tree, player, boards, board, start, stop, slots, work, scratch)
    ranges = tree.own_range[player]
    if len(ranges):
        for node in range(start, stop):
            if tree.symbol[node] >= 0:
                won = tree.value_row[node] * slots
                for k in range(slots):
                    work[won + k] *= ranges[boards.hand[board, k]]
