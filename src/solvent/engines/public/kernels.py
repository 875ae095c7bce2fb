"""Compiled passes over the public form: down with reach, across the terminals, back up with values.

One pass of player i over one subtree on one board works on vectors with an entry for each slot:

    descend    reach of the other player (and i's own) at every node, from regret matching on the way
    terminals  what i's hands win against that reach, all terminals of the subtree together
    ascend     values to the root; at i's own nodes the regrets are updated, or the best action taken

`terminals` has the step across; `matching` has regret matching and the update of regrets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.public import swept, terminals
from solvent.engines.schedule import AVERAGE, FLOOR, NEGATIVE, POSITIVE, PREDICTION
from solvent.engines.vectors import elementwise as _elementwise
from solvent.engines.vectors import matching as _matching
from solvent.forms.public.game import DECISION
from solvent.foundation.kernels.compiling import compiled, internal, internal_compiled, joined

Array = Any

vectors: Any = _elementwise
matching: Any = _matching
"""Intrinsics, whose types only the compiler knows."""

UPDATE, RESPOND, EVALUATE, RESPOND_UNLOCKED = 0, 1, 2, 3
"""Modes of the traverser's own nodes: regrets change, the best action is taken, the strategy is played.

RESPOND_UNLOCKED takes the best action where `Tables.regret` is 0 and plays the strategy elsewhere.
"""
SPARE = 4
"""Rows of a workspace for passing use."""


class Tree(NamedTuple):
    """The betting tree and all else that does not depend on boards. A leading axis of 2 is the traverser."""

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
    first_own: int
    """The row of the traverser's own reach of a subtree's root; that of the other's is 0."""
    rows: int
    """Rows of a workspace, of one entry per slot each; the last `SPARE` are for passing use."""
    root_reach: Array
    """float[2, hands]: the other player's reach before anything is played, which is that player's range."""
    own_range: Array
    """float[2, hands], or float[2, 0] where the ranges are 1 or part of the matrices."""
    matrix: Array
    """float[2, matrices, hands, hands]: the other's hands in rows, the traverser's in columns."""
    matrix_of: Array
    """int32[symbols, boards]"""
    orbit: Array
    """int32[hands], empty without isomorphism: hands of one orbit have one value before any board."""
    groups: Any
    """`swept.Groups`; () where terminals are evaluated one by one."""
    rounds: int
    """Rounds that are played; tuples of rounds are padded, so that all games share compiled kernels."""


class Boards(NamedTuple):
    """One round's boards (see `solvent.forms.public.game.Round`) and subtrees."""

    card: Array
    tie: Array
    hand: Array
    parent: Array
    parent_slot: Array
    multiplicity: Array
    subtree: Array
    """int64[subtrees, 4]: first node, one past the last, the deal node above, the subtree that one is in."""


class Tables(NamedTuple):
    """The tables by block: numbers of edge e on board b begin at `offset[e] + b * slots`.

    Strategies come from `seen` and `seen_last`. With alternating updates they are `regret` and `last`
    themselves, with simultaneous ones copies from before the iteration, and where an average strategy is
    measured they are its table.
    """

    offset: Array
    regret: Array
    average: Array
    last: Array
    value: Array
    """Sums of v(I), weighted like the average, in the block of a node's first action; empty where none are kept."""
    seen: Array
    seen_last: Array


class Rule(NamedTuple):
    """The mode of own nodes, and the regret rule's weights for this iteration."""

    mode: int
    positive: float
    negative: float
    floor: float
    average: float
    prediction: float
    """The share of the last regrets that the strategies of this iteration expect again."""


@internal_compiled
def match(tables, first, stop, base, prediction, slots, work, total):  # type: ignore[no-untyped-def]
    """Make rows with which sigma(a) = max(0, expected regret) / total + uniform, for the actions first..stop-1."""
    uniform = total + slots
    work[total:uniform] = 0
    for edge in range(first, stop):
        at = tables.offset[edge] + base
        if prediction == 0.0:
            matching.add_positive(slots, work, total, tables.seen, at)
        else:
            matching.add_expected(slots, work, total, tables.seen, tables.seen_last, at, prediction)
    matching.settle_total(slots, work, total, uniform, 1.0 / (stop - first))


@internal_compiled
def play(tables, at, prediction, slots, work, total, sigma):  # type: ignore[no-untyped-def]
    """Compute the probability of one action, whose numbers begin at `at`, for every slot."""
    uniform = total + slots
    if prediction == 0.0:
        matching.share(slots, work, sigma, tables.seen, at, total, uniform)
    else:
        seen, last = tables.seen, tables.seen_last
        matching.share_expected(slots, work, sigma, seen, last, at, total, uniform, prediction)


@internal_compiled
def descend(tree, tables, rule, player, start, stop, base, slots, work):  # type: ignore[no-untyped-def]
    """Carry reach from the subtree's root to all its nodes; in UPDATE the traverser's average grows on the way."""
    total = (tree.rows - SPARE) * slots
    sigma = total + 2 * slots
    child, seen, average, offset = tree.child, tables.seen, tables.average, tables.offset
    for node in range(start, stop):
        if tree.symbol[node] != DECISION:
            continue
        mine = tree.player[node] == player
        if mine and rule.mode != UPDATE:
            continue
        first = tree.first_edge[node]
        last = tree.first_edge[node + 1]
        rows = tree.own_row[player] if mine else tree.other_row[player]
        source = rows[node] * slots
        if rule.prediction == 0.0 and 2 <= last - first <= 3:
            t0, t1 = rows[child[first]] * slots, rows[child[first + 1]] * slots
            r0, r1 = offset[first] + base, offset[first + 1] + base
            if last - first == 2:
                if mine:
                    matching.spread(slots, work, (t0, t1), source, seen, (r0, r1), average, rule.average)
                else:
                    matching.split(slots, work, (t0, t1), source, seen, (r0, r1))
            else:
                t2, r2 = rows[child[first + 2]] * slots, offset[first + 2] + base
                if mine:
                    matching.spread(
                        slots, work, (t0, t1, t2), source, seen, (r0, r1, r2), average, rule.average
                    )
                else:
                    matching.split(slots, work, (t0, t1, t2), source, seen, (r0, r1, r2))
            continue
        match(tables, first, last, base, rule.prediction, slots, work, total)
        for edge in range(first, last):
            target, at = rows[child[edge]] * slots, offset[edge] + base
            play(tables, at, rule.prediction, slots, work, total, sigma)
            vectors.multiply(slots, work, target, source, sigma)
            if mine:
                vectors.add_scaled(slots, average, at, work, target, rule.average)


@internal_compiled
def ascend(tree, tables, rule, player, start, stop, base, slots, work):  # type: ignore[no-untyped-def]
    """Carry values from terminals and deals back to the root; the traverser's own nodes as `rule.mode` says."""
    total = (tree.rows - SPARE) * slots
    sigma, gain = total + 2 * slots, total + 3 * slots
    child, seen, regret, offset, rows = tree.child, tables.seen, tables.regret, tables.offset, tree.value_row
    positive, negative, floor = rule.positive, rule.negative, rule.floor
    for node in range(stop - 1, start - 1, -1):
        if tree.symbol[node] != DECISION:
            continue
        first = tree.first_edge[node]
        last = tree.first_edge[node + 1]
        mine = tree.player[node] == player
        value = rows[node] * slots
        origin = rows[child[first]] * slots
        if not mine and last - first == 3:
            vectors.add3(
                slots, work, value, origin, rows[child[first + 1]] * slots, rows[child[first + 2]] * slots
            )
            continue
        if not mine or rule.mode == RESPOND:
            for edge in range(first + 1, last):
                so_far = origin if edge == first + 1 else value
                below = rows[child[edge]] * slots
                if mine:
                    vectors.larger2(slots, work, value, so_far, below)
                else:
                    vectors.add2(slots, work, value, so_far, below)
            if last - first == 1:
                work[value : value + slots] = work[origin : origin + slots]
            continue
        if rule.mode == UPDATE and rule.prediction == 0.0 and 2 <= last - first <= 3:
            v1 = rows[child[first + 1]] * slots
            r0, r1 = offset[first] + base, offset[first + 1] + base
            if last - first == 2:
                matching.learn(slots, work, value, (origin, v1), seen, regret, (r0, r1), rule)
            else:
                v2, r2 = rows[child[first + 2]] * slots, offset[first + 2] + base
                matching.learn(slots, work, value, (origin, v1, v2), seen, regret, (r0, r1, r2), rule)
            if len(tables.value) > 0:
                vectors.add_scaled(slots, tables.value, r0, work, value, rule.average)
            continue
        match(tables, first, last, base, rule.prediction, slots, work, total)
        work[gain : gain + slots] = 0
        for edge in range(first + 1, last):
            play(tables, offset[edge] + base, rule.prediction, slots, work, total, sigma)
            matching.add_gain(slots, work, gain, sigma, rows[child[edge]] * slots, origin)
        vectors.add2(slots, work, value, origin, gain)
        if rule.mode == RESPOND_UNLOCKED:
            for edge in range(first, last):
                below = rows[child[edge]] * slots
                for k in range(slots):
                    if regret[offset[first] + base + k] == 0.0:
                        best = work[below + k] if edge == first else max(work[value + k], work[below + k])
                        work[value + k] = best
            continue
        if rule.mode == EVALUATE:
            continue
        if len(tables.value) > 0:
            vectors.add_scaled(slots, tables.value, offset[first] + base, work, value, rule.average)
        for edge in range(first, last):
            at = offset[edge] + base
            matching.regret_of(slots, work, sigma, rows[child[edge]] * slots, origin, gain)
            matching.update(slots, regret, at, work, sigma, positive, negative, floor)
            if rule.prediction != 0.0:
                tables.last[at : at + slots] = work[sigma : sigma + slots]


@internal_compiled
def rows_ahead(edges):  # type: ignore[no-untyped-def]
    """Make room for the rows of a subtree of this many edges; it lists none yet."""
    return swept.Ahead(np.zeros(2 * edges, dtype=np.int64), np.zeros(1, dtype=np.int64))


@internal_compiled
def look_ahead(ahead, tree, tables, player, start, stop, base):  # type: ignore[no-untyped-def]
    """List the rows that a pass over this subtree reads on the board that begins at `base`."""
    seen, average = tables.seen.ctypes.data, tables.average.ctypes.data
    count = 0
    for node in range(start, stop):
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            byte = (tables.offset[edge] + base) * tables.seen.itemsize
            ahead.rows[count] = seen + byte
            count += 1
            if tree.player[node] == player:
                ahead.rows[count] = average + byte
                count += 1
    ahead.count[0] = count


@joined
def average_over_orbits(orbit, work, at, space):  # type: ignore[no-untyped-def]
    """Give hands that differ only in the names of suits the mean of their values; `space` has two vectors."""
    hands = len(orbit)
    for k in range(2 * hands):
        space[k] = 0.0
    for k in range(hands):
        space[orbit[k]] += work[at + k]
        space[hands + orbit[k]] += 1.0
    for k in range(hands):
        work[at + k] = space[orbit[k]] / space[hands + orbit[k]]


@internal
def gather(boards, board, slots, above, source, work, target):  # type: ignore[no-untyped-def]
    """Carry a vector at a deal node to the hands of one of the boards that follow."""
    for k in range(slots):
        work[target + k] = above[source + boards.parent_slot[board, k]]


@internal
def scatter(boards, board, slots, work, source, above, target):  # type: ignore[no-untyped-def]
    """Add the values of one board's hands to those of the deal node before it."""
    count = boards.multiplicity[board]
    for k in range(slots):
        above[target + boards.parent_slot[board, k]] += count * work[source + k]


@internal
def start_from(tree, boards, board, other_above, own_above, slots, work):  # type: ignore[no-untyped-def]
    """Carry the reaches at a deal node to the root of the subtree behind it, on one board."""
    gather(boards, board, slots, other_above, 0, work, 0)
    gather(boards, board, slots, own_above, 0, work, tree.first_own * slots)


@compiled
def pass_down(tree, rounds, spaces, tables, rule, player, above):  # type: ignore[no-untyped-def]
    """Carry reach from the start of the game to the deal nodes above the last round.

    `spaces`, float[subtrees, boards, rows x slots] of each round before the last, are workspaces. `above`, float[2,
    subtrees of the last round, boards before it, slots there], receives what the last round starts from: the
    other's reach, and the traverser's own.
    """
    last = tree.rounds - 1
    if last == 0:
        above[0, 0, 0] = tree.root_reach[player]
        above[1, 0, 0] = 1.0
    alone = np.ones(tree.root_reach.shape[1], dtype=above.dtype)
    for r in range(last):
        boards = rounds[r]
        slots = boards.hand.shape[1]
        for s in range(len(boards.subtree)):
            start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
            for board in range(len(boards.hand)):
                work = spaces[r][s, board]
                if r == 0:
                    start_from(tree, boards, board, tree.root_reach[player], alone, slots, work)
                else:
                    before = spaces[r - 1][boards.subtree[s, 3], boards.parent[board]]
                    width = rounds[r - 1].hand.shape[1]
                    other, own = tree.other_row[player, deal] * width, tree.own_row[player, deal] * width
                    start_from(tree, boards, board, before[other:], before[own:], slots, work)
                descend(tree, tables, rule, player, start, stop, board * slots, slots, work)
    if last > 0:
        subtree, slots = rounds[last].subtree, above.shape[3]
        for s in range(len(subtree)):
            other = tree.other_row[player, subtree[s, 2]] * slots
            own = tree.own_row[player, subtree[s, 2]] * slots
            for board in range(above.shape[2]):
                work = spaces[last - 1][subtree[s, 3], board]
                above[0, s, board] = work[other : other + slots]
                above[1, s, board] = work[own : own + slots]


@compiled
def pass_last(tree, rounds, tables, rule, player, evaluator, above, first, stop, out):  # type: ignore[no-untyped-def]
    """Pass down, across and up over boards first..stop-1 of the last round, subtree by subtree.

    `out`, float[subtrees, boards, slots], receives the values at the roots.
    """
    boards = rounds[tree.rounds - 1]
    subtree = boards.subtree
    slots = out.shape[2]
    work = np.empty(tree.rows * slots, dtype=out.dtype)
    scratch = terminals.scratch_space(work, slots, evaluator, boards.card.shape[1] > 0, tree.rows)
    ahead = rows_ahead(len(tree.child))
    for s in range(len(subtree)):
        start, end = subtree[s, 0], subtree[s, 1]
        for board in range(first, stop):
            parent = boards.parent[board]
            start_from(tree, boards, board, above[0, s, parent], above[1, s, parent], slots, work)
            descend(tree, tables, rule, player, start, end, board * slots, slots, work)
            look_ahead(ahead, tree, tables, player, start, end, (board + 1) * slots)
            terminals.evaluate(
                tree, player, boards, board, start, end, evaluator, slots, work, scratch, ahead
            )
            ascend(tree, tables, rule, player, start, end, board * slots, slots, work)
            value = tree.value_row[start] * slots
            out[s, board] = work[value : value + slots]


@compiled
def carry_up(tree, rounds, spaces, r, values, first, step):  # type: ignore[no-untyped-def]
    """Add up the values of every `step`-th subtree of round r + 1, at the deal nodes above in round r."""
    below, (boards, slots) = rounds[r + 1], rounds[r].hand.shape
    total, space = np.zeros((boards, slots)), np.zeros(2 * len(tree.orbit))
    for s in range(first, len(below.subtree), step):
        value = tree.value_row[below.subtree[s, 2]] * slots
        total[:] = 0.0
        for board in range(len(below.hand)):
            scatter(below, board, below.hand.shape[1], values[s, board], 0, total[below.parent[board]], 0)
        for board in range(boards):
            if len(tree.orbit):
                average_over_orbits(tree.orbit, total[board], 0, space)
            work = spaces[r][below.subtree[s, 3], board]
            for k in range(slots):
                work[value + k] = total[board, k]


@compiled
def pass_up(tree, rounds, spaces, tables, rule, player, evaluator, out):  # type: ignore[no-untyped-def]
    """Carry values from the deals above the last round back to the start of the game, float[hands].

    A game of one round has its values in `out` already.
    """
    last = tree.rounds - 1
    values, orbit, sums = out, tree.orbit, np.zeros(2 * len(tree.orbit))
    for r in range(last - 1, -1, -1):
        boards = rounds[r]
        slots = boards.hand.shape[1]
        if r < last - 1:
            carry_up(tree, rounds, spaces, r, values, np.int64(0), np.int64(1))
        values = np.zeros((len(boards.subtree), len(boards.hand), slots), dtype=out.dtype)
        ahead = rows_ahead(0)
        scratch = terminals.scratch_space(out, slots, evaluator, boards.card.shape[1] > 0, tree.rows)
        for s in range(len(boards.subtree)):
            start, stop = boards.subtree[s, 0], boards.subtree[s, 1]
            for board in range(len(boards.hand)):
                work = spaces[r][s, board]
                terminals.evaluate(
                    tree, player, boards, board, start, stop, evaluator, slots, work, scratch, ahead
                )
                for node in range(start, stop):
                    if len(orbit) and tree.symbol[node] >= 0:
                        average_over_orbits(orbit, work, tree.value_row[node] * slots, sums)
                ascend(tree, tables, rule, player, start, stop, board * slots, slots, work)
                value = tree.value_row[start] * slots
                values[s, board] = work[value : value + slots]
    return values[0, 0]


@compiled
def iterate(tree, rounds, spaces, tables, schedule, alternating, evaluator, above, out):  # type: ignore[no-untyped-def]
    """Run one iteration for each row of the rule's weights, on one thread.

    Numba compiles a kernel once more for each constant that it is called with; an `np.int64` is none to it.
    """
    zero, one = np.int64(0), np.int64(1)
    for t in range(len(schedule)):
        w = schedule[t]
        if not alternating:
            tables.seen[:] = tables.regret
            tables.seen_last[:] = tables.last
        rule = Rule(UPDATE, w[POSITIVE], w[NEGATIVE], w[FLOOR], w[AVERAGE], w[PREDICTION])
        for player in range(2):
            pass_down(tree, rounds, spaces, tables, rule, player, above)
            pass_last(tree, rounds, tables, rule, player, evaluator, above, zero, out.shape[1], out)
            if tree.rounds > 1:
                carry_up(tree, rounds, spaces, tree.rounds - 2, out, zero, one)
            pass_up(tree, rounds, spaces, tables, rule, player, evaluator, out)
