"""Compiled passes over the public form: down with reach, across the terminals, back up with values.

One pass of player i over one subtree on one board works on vectors with an entry for each seat:

    descend    reach of the other player (and of i himself) at every node, from regret matching on the way
    terminals  what i's hands win against that reach, all terminals of the subtree together
    ascend     values to the root; at i's own nodes his regrets are updated, or the best action taken

Terminals where hands are sorted: with P the sum of reach over seats passed so far and P_c that of seats
holding card c, D(h) = P - P_a - P_b is the reach of the hands so far that share no card with h = (a, b). Taken
before h's tie (D-), after it (D+) and at the end (D*), a showdown is worth D- + D+ - D* and a fold D* plus h's
own reach, which D* took away twice.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvent.forms.public import CARDS, DECISION, FOLDED, MATRIX, RANKED
from solvent.response.lanes import LANES, add_difference, add_to_three, difference, settle

Array = Any

UPDATE, RESPOND, EVALUATE = 0, 1, 2
"""What happens at the traverser's own nodes: regrets change, the best action is taken, the strategy is played."""

SWEPT, SWEEP, GEMM = 0, 1, 2
"""How terminals are evaluated: 16 at a time as lanes of one sweep, one at a time, or by matrix product."""


class Tree(NamedTuple):
    """The betting tree and what does not depend on boards. A leading axis of 2 is the traverser."""

    symbol: Array
    player: Array
    first_edge: Array
    child: Array
    stake: Array
    """float64[2, nodes]: what the traverser wins where the symbol says 1, times the chance of deal and board."""
    other_row: Array
    """int32[2, nodes]: the row of the workspace that holds the other's reach of each node."""
    own_row: Array
    """int32[2, nodes]: the row that holds the traverser's own reach."""
    value_row: Array
    """int32[nodes]: the row that holds the traverser's values."""
    root_reach: Array
    """float[2, hands]: the other's reach before anything is played, his range."""
    own_range: Array
    """float[2, hands], or float[2, 0] where the ranges are 1 or part of the matrices."""
    matrix: Array
    """float[2, matrices, hands, hands]: the other's hands in rows, the traverser's in columns."""
    matrix_of: Array
    """int32[symbols, boards]"""
    orbit: Array
    """int32[hands], empty without isomorphism: hands of one orbit have one value before any board."""


class Boards(NamedTuple):
    """One round's boards (see `solvent.forms.public.Round`) and subtrees."""

    card: Array
    tie: Array
    hand: Array
    parent: Array
    parent_seat: Array
    multiplicity: Array
    subtree: Array
    """int64[subtrees, 4]: first node, one past the last, the deal node above, the subtree that one is in."""


class Space(NamedTuple):
    """The vectors of one round: float[subtrees, boards, rows, seats]. The last round keeps none."""

    other: Array
    own: Array
    value: Array


class Tables(NamedTuple):
    """The tables by block: numbers of edge e on board b begin at `offset[e] + b * seats`; -1 means absent.

    Strategies come from `seen` and `seen_last`. With alternating updates they are `regret` and `last`
    themselves, with simultaneous ones copies from before the iteration, and where an average strategy is
    measured they are its table.
    """

    offset: Array
    regret: Array
    average: Array
    last: Array
    seen: Array
    seen_last: Array


class Rule(NamedTuple):
    """What happens at own nodes, and the regret rule's weights for this iteration."""

    mode: int
    positive: float
    negative: float
    floor: float
    average: float
    prediction: float


@njit(cache=True, nogil=True)
def match(tables, first, stop, base, prediction, inverse, uniform):  # type: ignore[no-untyped-def]
    """sigma(a) = max(0, R_a) * inverse + uniform for the actions first..stop-1, one entry a seat."""
    seats = len(inverse)
    one = inverse.dtype.type(1.0)
    zero = inverse.dtype.type(0.0)
    inverse[:] = zero
    stored = 0
    for edge in range(first, stop):
        start = tables.offset[edge]
        if start < 0:
            continue
        stored += 1
        seen = tables.seen[start + base : start + base + seats]
        if prediction == zero:
            for k in range(seats):
                inverse[k] += max(seen[k], zero)
        else:
            seen_last = tables.seen_last[start + base : start + base + seats]
            for k in range(seats):
                inverse[k] += max(seen[k] + prediction * seen_last[k], zero)
    alike = inverse.dtype.type(1.0 / stored)
    for k in range(seats):
        total = inverse[k]
        uniform[k] = zero if total > zero else alike
        inverse[k] = (one if total > zero else zero) / (total if total > zero else one)


@njit(cache=True, nogil=True)
def play(tables, start, base, prediction, inverse, uniform, sigma):  # type: ignore[no-untyped-def]
    """The probability of one action for every seat."""
    seats = len(inverse)
    zero = inverse.dtype.type(0.0)
    if start < 0:
        sigma[:] = zero
        return
    seen = tables.seen[start + base : start + base + seats]
    if prediction == zero:
        for k in range(seats):
            sigma[k] = max(seen[k], zero) * inverse[k] + uniform[k]
    else:
        seen_last = tables.seen_last[start + base : start + base + seats]
        for k in range(seats):
            sigma[k] = max(seen[k] + prediction * seen_last[k], zero) * inverse[k] + uniform[k]


@njit(cache=True, nogil=True)
def descend(tree, tables, rule, player, start, stop, base, other, own, vectors):  # type: ignore[no-untyped-def]
    """Reach from the subtree's root to all its nodes; in UPDATE the traverser's average grows on the way."""
    inverse, uniform, sigma = vectors[0], vectors[1], vectors[2]
    seats = len(inverse)
    prediction = inverse.dtype.type(rule.prediction)
    weight = inverse.dtype.type(rule.average)
    for node in range(start, stop):
        if tree.symbol[node] != DECISION:
            continue
        mine = tree.player[node] == player
        if mine and rule.mode != UPDATE:
            continue
        first = tree.first_edge[node]
        last = tree.first_edge[node + 1]
        match(tables, first, last, base, prediction, inverse, uniform)
        source = own[tree.own_row[player, node]] if mine else other[tree.other_row[player, node]]
        for edge in range(first, last):
            child = tree.child[edge]
            target = own[tree.own_row[player, child]] if mine else other[tree.other_row[player, child]]
            offset = tables.offset[edge]
            play(tables, offset, base, prediction, inverse, uniform, sigma)
            for k in range(seats):
                target[k] = source[k] * sigma[k]
            if mine and offset >= 0:
                average = tables.average[offset + base : offset + base + seats]
                for k in range(seats):
                    average[k] += weight * target[k]


@njit(cache=True, nogil=True)
def ascend(tree, tables, rule, player, start, stop, base, value, vectors):  # type: ignore[no-untyped-def]
    """Values from terminals and deals back to the root; the traverser's own nodes as `rule.mode` says."""
    inverse, uniform, sigma, gain = vectors[0], vectors[1], vectors[2], vectors[3]
    seats = len(inverse)
    kind = inverse.dtype.type
    prediction = kind(rule.prediction)
    positive = kind(rule.positive)
    negative = kind(rule.negative)
    floor = kind(rule.floor)
    zero = kind(0.0)
    for node in range(stop - 1, start - 1, -1):
        if tree.symbol[node] != DECISION:
            continue
        first = tree.first_edge[node]
        last = tree.first_edge[node + 1]
        result = value[tree.value_row[node]]
        origin = value[tree.value_row[tree.child[first]]]
        if tree.player[node] != player:
            result[:] = origin
            for edge in range(first + 1, last):
                below = value[tree.value_row[tree.child[edge]]]
                for k in range(seats):
                    result[k] += below[k]
            continue
        if rule.mode == RESPOND:
            result[:] = origin
            for edge in range(first + 1, last):
                below = value[tree.value_row[tree.child[edge]]]
                for k in range(seats):
                    result[k] = max(result[k], below[k])
            continue
        match(tables, first, last, base, prediction, inverse, uniform)
        # Values are measured from the first action, so that actions of equal value have regret 0.
        gain[:] = zero
        for edge in range(first + 1, last):
            play(tables, tables.offset[edge], base, prediction, inverse, uniform, sigma)
            below = value[tree.value_row[tree.child[edge]]]
            for k in range(seats):
                gain[k] += sigma[k] * (below[k] - origin[k])
        for k in range(seats):
            result[k] = origin[k] + gain[k]
        if rule.mode == EVALUATE:
            continue
        for edge in range(first, last):
            offset = tables.offset[edge]
            if offset < 0:
                continue
            below = value[tree.value_row[tree.child[edge]]]
            regret = tables.regret[offset + base : offset + base + seats]
            for k in range(seats):
                sigma[k] = (below[k] - origin[k]) - gain[k]
            for k in range(seats):
                total = regret[k] + sigma[k]
                total *= positive if total > zero else negative
                regret[k] = max(total, floor)
            if rule.prediction != 0.0:
                tables.last[offset + base : offset + base + seats] = sigma


@njit(cache=True, nogil=True)
def quantum(total):  # type: ignore[no-untyped-def]
    """A number whose addition and subtraction rounds reach so that every sum of it is exact.

    Sweeps take sums apart again (P - P_a - P_b). Were the sums rounded, what should cancel to nothing would
    leave a trace, and regret matching would play it. Rounded to multiples of a power of two that is a little
    less than the last place of the total, reach adds up without error in any order.
    """
    _, exponent = math.frexp(total)
    return 1.5 * math.ldexp(1.0, exponent + 1)


@njit(cache=True, nogil=True)
def swept(card, tie, reach, won, ranked, folded, total, by_card):  # type: ignore[no-untyped-def]
    """All lanes of `reach`, float[seats, LANES], in one sweep over the sorted seats."""
    seats = len(tie)
    total[:] = 0
    by_card[:] = 0
    begin = 0
    while begin < seats:
        end = tie[begin]
        for k in range(begin, end):
            difference(won[k], total, by_card[card[k, 0]], by_card[card[k, 1]])
        for k in range(begin, end):
            add_to_three(total, by_card[card[k, 0]], by_card[card[k, 1]], reach[k])
        for k in range(begin, end):
            add_difference(won[k], total, by_card[card[k, 0]], by_card[card[k, 1]])
        begin = end
    for k in range(seats):
        settle(won[k], total, by_card[card[k, 0]], by_card[card[k, 1]], reach[k], ranked, folded)


@njit(cache=True, nogil=True)
def terminals_swept(tree, player, boards, board, start, stop, other, value, lanes):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals, LANES of them at a time."""
    reach, won, ranked, folded, total, by_card, node_of = lanes
    seats = reach.shape[0]
    card = boards.card[board]
    tie = boards.tie[board]
    node = start
    while node < stop:
        filled = 0
        while node < stop and filled < LANES:
            symbol = tree.symbol[node]
            if symbol >= 0:
                node_of[filled] = node
                stake = tree.stake[player, node]
                ranked[filled] = stake if symbol == RANKED else 0.0
                folded[filled] = stake if symbol == FOLDED else 0.0
                filled += 1
            node += 1
        if filled == 0:
            return
        for lane in range(filled):
            source = other[tree.other_row[player, node_of[lane]]]
            total[lane] = 0
            for k in range(seats):
                total[lane] += source[k]
            grid = total.dtype.type(quantum(total[lane]))
            for k in range(seats):
                reach[k, lane] = (source[k] + grid) - grid
        swept(card, tie, reach, won, ranked, folded, total, by_card)
        for lane in range(filled):
            target = value[tree.value_row[node_of[lane]]]
            for k in range(seats):
                target[k] = won[k, lane]


@njit(cache=True, nogil=True)
def terminals_sweep(tree, player, boards, board, start, stop, other, value, by_card, reach):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals one after another, each by a sweep of its own."""
    card = boards.card[board]
    tie = boards.tie[board]
    seats = len(tie)
    for node in range(start, stop):
        symbol = tree.symbol[node]
        if symbol < 0:
            continue
        source = other[tree.other_row[player, node]]
        won = value[tree.value_row[node]]
        stake = won.dtype.type(tree.stake[player, node])
        total = won.dtype.type(0.0)
        for k in range(seats):
            total += source[k]
        grid = won.dtype.type(quantum(total))
        for k in range(seats):
            reach[k] = (source[k] + grid) - grid
        total = won.dtype.type(0.0)
        by_card[:] = 0
        begin = 0
        while begin < seats:
            end = tie[begin]
            for k in range(begin, end):
                won[k] = total - by_card[card[k, 0]] - by_card[card[k, 1]]
            for k in range(begin, end):
                total += reach[k]
                by_card[card[k, 0]] += reach[k]
                by_card[card[k, 1]] += reach[k]
            for k in range(begin, end):
                won[k] += total - by_card[card[k, 0]] - by_card[card[k, 1]]
            begin = end
        for k in range(seats):
            all_of_them = total - by_card[card[k, 0]] - by_card[card[k, 1]]
            won[k] = stake * (won[k] - all_of_them if symbol == RANKED else all_of_them + reach[k])


@njit(cache=True, nogil=True)
def terminals_gemm(tree, player, boards, board, start, stop, other, value, sign, left, right):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals by two matrix products, as the paper does: showdowns, then folds."""
    card = boards.card[board]
    tie = boards.tie[board]
    seats = len(tie)
    for symbol in (RANKED, FOLDED):
        count = 0
        for node in range(start, stop):
            if tree.symbol[node] == symbol:
                stake = left.dtype.type(tree.stake[player, node])
                source = other[tree.other_row[player, node]]
                for k in range(seats):
                    left[count, k] = stake * source[k]
                count += 1
        if count == 0:
            continue
        begin = 0
        for row in range(seats):
            if row == tie[begin]:
                begin = row
            a, b = card[row, 0], card[row, 1]
            for k in range(seats):
                blocked = card[k, 0] == a or card[k, 0] == b or card[k, 1] == a or card[k, 1] == b
                wins = 1.0 if symbol == FOLDED or k >= tie[row] else (-1.0 if k < begin else 0.0)
                sign[row, k] = 0.0 if blocked else wins
        np.dot(left[:count], sign, right[:count])
        count = 0
        for node in range(start, stop):
            if tree.symbol[node] == symbol:
                value[tree.value_row[node]][:] = right[count]
                count += 1


@njit(cache=True, nogil=True)
def terminals_matrix(tree, player, board, start, stop, other, value):  # type: ignore[no-untyped-def]
    """Evaluate a subtree's terminals by the matrix of each one's symbol on this board."""
    for node in range(start, stop):
        symbol = tree.symbol[node]
        if symbol < MATRIX:
            continue
        matrix = tree.matrix[player, tree.matrix_of[symbol, board]]
        reach = other[tree.other_row[player, node]]
        won = value[tree.value_row[node]]
        stake = won.dtype.type(tree.stake[player, node])
        won[:] = 0
        for row in range(len(reach)):
            weight = stake * reach[row]
            for k in range(len(won)):
                won[k] += weight * matrix[row, k]


@njit(cache=True, nogil=True)
def terminals(tree, player, boards, board, start, stop, evaluator, other, value, scratch):  # type: ignore[no-untyped-def]
    """What the traverser's hands win at every terminal of a subtree."""
    lanes, by_card, rounded, sign, left, right = scratch
    if boards.card.shape[1] == 0:
        terminals_matrix(tree, player, board, start, stop, other, value)
    elif evaluator == SWEPT:
        terminals_swept(tree, player, boards, board, start, stop, other, value, lanes)
    elif evaluator == SWEEP:
        terminals_sweep(tree, player, boards, board, start, stop, other, value, by_card, rounded)
    else:
        terminals_gemm(tree, player, boards, board, start, stop, other, value, sign, left, right)
    ranges = tree.own_range[player]
    if len(ranges):
        for node in range(start, stop):
            if tree.symbol[node] >= 0:
                won = value[tree.value_row[node]]
                for k in range(len(won)):
                    won[k] *= ranges[boards.hand[board, k]]


@njit(cache=True, nogil=True)
def scratch_space(empty, seats, evaluator, sorted_hands, rows):  # type: ignore[no-untyped-def]
    """What the evaluators need beside the vectors; `empty` tells the number type."""
    lanes_seats = seats if sorted_hands and evaluator == SWEPT else 0
    square = seats if sorted_hands and evaluator == GEMM else 0
    kind = empty.dtype
    lanes = (
        np.zeros((lanes_seats, LANES), dtype=kind),
        np.zeros((lanes_seats, LANES), dtype=kind),
        np.zeros(LANES, dtype=kind),
        np.zeros(LANES, dtype=kind),
        np.zeros(LANES, dtype=kind),
        np.zeros((CARDS, LANES), dtype=kind),
        np.zeros(LANES, dtype=np.int64),
    )
    return (
        lanes,
        np.zeros(CARDS, dtype=kind),
        np.zeros(seats, dtype=kind),
        np.zeros((square, square), dtype=kind),
        np.zeros((rows if square else 0, square), dtype=kind),
        np.zeros((rows if square else 0, square), dtype=kind),
    )


@njit(cache=True, nogil=True)
def average_over_orbits(orbit, vector):  # type: ignore[no-untyped-def]
    """Give hands that differ only in the names of suits the mean of their values."""
    sums = np.zeros(len(orbit))
    counts = np.zeros(len(orbit))
    for k in range(len(orbit)):
        sums[orbit[k]] += vector[k]
        counts[orbit[k]] += 1.0
    for k in range(len(orbit)):
        vector[k] = sums[orbit[k]] / counts[orbit[k]]


@njit(cache=True, nogil=True)
def pass_down(tree, rounds, spaces, tables, rule, player, above):  # type: ignore[no-untyped-def]
    """Reach from the start of the game to the deal nodes above the last round.

    `above`, float[2, subtrees of the last round, boards before it, seats there], receives what the last round
    starts from: the other's reach, and the traverser's own.
    """
    last = len(rounds) - 1
    if last == 0:
        above[0, 0, 0] = tree.root_reach[player]
        above[1, 0, 0] = 1.0
    for r in range(last):
        boards, space = rounds[r], spaces[r]
        seats = boards.hand.shape[1]
        vectors = np.empty((4, seats), dtype=above.dtype)
        for s in range(len(boards.subtree)):
            start, stop = boards.subtree[s, 0], boards.subtree[s, 1]
            for board in range(len(boards.hand)):
                other, own = space.other[s, board], space.own[s, board]
                if r == 0:
                    other[0] = tree.root_reach[player]
                    own[0] = 1.0
                else:
                    deal, within = boards.subtree[s, 2], boards.subtree[s, 3]
                    before = spaces[r - 1]
                    reached = before.other[within, boards.parent[board], tree.other_row[player, deal]]
                    reached_own = before.own[within, boards.parent[board], tree.own_row[player, deal]]
                    for k in range(seats):
                        other[0, k] = reached[boards.parent_seat[board, k]]
                        own[0, k] = reached_own[boards.parent_seat[board, k]]
                descend(tree, tables, rule, player, start, stop, board * seats, other, own, vectors)
    if last > 0:
        subtree, space = rounds[last].subtree, spaces[last - 1]
        for s in range(len(subtree)):
            deal, within = subtree[s, 2], subtree[s, 3]
            for board in range(above.shape[2]):
                above[0, s, board] = space.other[within, board, tree.other_row[player, deal]]
                above[1, s, board] = space.own[within, board, tree.own_row[player, deal]]


@njit(cache=True, nogil=True)
def pass_last(tree, rounds, tables, rule, player, evaluator, above, first, stop, out):  # type: ignore[no-untyped-def]
    """Down, across and up over boards first..stop-1 of the last round, subtree by subtree.

    `out`, float[subtrees, boards, seats], receives the values at the roots.
    """
    boards = rounds[len(rounds) - 1]
    subtree = boards.subtree
    seats = out.shape[2]
    nodes = 1
    for s in range(len(subtree)):
        nodes = max(nodes, subtree[s, 1] - subtree[s, 0])
    other = np.empty((nodes + 1, seats), dtype=out.dtype)
    own = np.empty((nodes + 1, seats), dtype=out.dtype)
    value = np.empty((nodes, seats), dtype=out.dtype)
    vectors = np.empty((4, seats), dtype=out.dtype)
    scratch = scratch_space(vectors, seats, evaluator, boards.card.shape[1] > 0, nodes)
    for board in range(first, stop):
        base = board * seats
        for s in range(len(subtree)):
            start, end = subtree[s, 0], subtree[s, 1]
            reached = above[0, s, boards.parent[board]]
            reached_own = above[1, s, boards.parent[board]]
            for k in range(seats):
                other[0, k] = reached[boards.parent_seat[board, k]]
                own[0, k] = reached_own[boards.parent_seat[board, k]]
            descend(tree, tables, rule, player, start, end, base, other, own, vectors)
            terminals(tree, player, boards, board, start, end, evaluator, other, value, scratch)
            ascend(tree, tables, rule, player, start, end, base, value, vectors)
            out[s, board] = value[0]


@njit(cache=True, nogil=True)
def add_up(boards, orbit, below, above):  # type: ignore[no-untyped-def]
    """One subtree's values on all boards, float[boards, seats], added up for the boards before, in order."""
    total = np.zeros(above.shape)
    for board in range(len(below)):
        target = total[boards.parent[board]]
        count = boards.multiplicity[board]
        for k in range(below.shape[1]):
            target[boards.parent_seat[board, k]] += count * below[board, k]
    for board in range(len(total)):
        if len(orbit):
            average_over_orbits(orbit, total[board])
        for k in range(total.shape[1]):
            above[board, k] = total[board, k]


@njit(cache=True, nogil=True)
def pass_up(tree, rounds, spaces, tables, rule, player, evaluator, out):  # type: ignore[no-untyped-def]
    """Values from the roots of the last round's subtrees back to the start of the game, float[hands]."""
    last = len(rounds) - 1
    for r in range(last - 1, -1, -1):
        boards, space, below = rounds[r], spaces[r], rounds[r + 1]
        seats = boards.hand.shape[1]
        for s in range(len(below.subtree)):
            deal, within = below.subtree[s, 2], below.subtree[s, 3]
            values = out[s] if r + 1 == last else spaces[r + 1].value[s, :, 0]
            add_up(below, tree.orbit, values, space.value[within, :, tree.value_row[deal]])
        vectors = np.empty((4, seats), dtype=out.dtype)
        scratch = scratch_space(vectors, seats, evaluator, boards.card.shape[1] > 0, space.other.shape[2])
        for s in range(len(boards.subtree)):
            start, stop = boards.subtree[s, 0], boards.subtree[s, 1]
            for board in range(len(boards.hand)):
                other, value = space.other[s, board], space.value[s, board]
                terminals(tree, player, boards, board, start, stop, evaluator, other, value, scratch)
                if len(tree.orbit):
                    for node in range(start, stop):
                        if tree.symbol[node] >= 0:
                            average_over_orbits(tree.orbit, value[tree.value_row[node]])
                ascend(tree, tables, rule, player, start, stop, board * seats, value, vectors)
    return out[0, 0] if last == 0 else spaces[0].value[0, 0, 0]


@njit(cache=True, nogil=True)
def whole_pass(tree, rounds, spaces, tables, rule, player, evaluator, above, out):  # type: ignore[no-untyped-def]
    """One player's pass over the whole game on one thread."""
    pass_down(tree, rounds, spaces, tables, rule, player, above)
    pass_last(tree, rounds, tables, rule, player, evaluator, above, 0, out.shape[1], out)
    return pass_up(tree, rounds, spaces, tables, rule, player, evaluator, out)


@njit(cache=True, nogil=True)
def iterate(tree, rounds, spaces, tables, schedule, alternating, evaluator, above, out):  # type: ignore[no-untyped-def]
    """One iteration for each row of the rule's weights, on one thread."""
    for t in range(len(schedule)):
        w = schedule[t]
        rule = Rule(UPDATE, w[0], w[1], w[2], w[3], w[4])
        if not alternating:
            tables.seen[:] = tables.regret
            tables.seen_last[:] = tables.last
        for player in range(2):
            whole_pass(tree, rounds, spaces, tables, rule, player, evaluator, above, out)
