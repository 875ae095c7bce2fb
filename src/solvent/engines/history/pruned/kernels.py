"""Compiled passes of regret-based pruning over the history form (Brown and Sandholm 2015, 2017).

A *pruned* cell (I, a) is not walked. Its player plays it with probability 0, so the other player's pass does not
reach the cells behind it either. The cell may stay pruned while its *gap*, the regret that it would have had with
the best play behind it, cannot be above 0. Each pass adds to the gap the most that the cell could have been worth:

    total     T psi(I, a) + sum pi_{-i}(I) U(I, a)   <=  sum v(I)      gaps start with a best response behind
    interval  sum v(I, a) + sum pi_{-i}(I) U(I, a)   <=  sum v(I)      gaps start with the regret itself

The first line is the pruning condition of Brown and Sandholm 2017 (total RBP), the second that of Brown and
Sandholm 2015 (regret-based pruning).

Total pruning stores nothing for a pruned cell or for the cells behind it; an infoset keeps one bound for the gaps
of all its pruned actions.

Counterfactual best responses (CBR) need no walk where regrets are stored. Behind (I, a) the sum of the CBR's
winnings beyond those of the strategies that were played is Q, and

    T psi(I, a) = sum v(I, a) + sum_{I' next} Q(I')        Q(I') = max_a' (R(I', a') + sum_{I'' next} Q(I''))

as both sides add up the same terminals. So the gap of total pruning is R(I, a) + sum Q.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.vectors.matching import added, instantaneous, share_of
from solvent.foundation.kernels.compiling import inlined, internal, kernel

Array = Any

PRUNED = -1.0
"""The probability that stands for a pruned action."""
LEFT = -1.0
"""The plan of a cell that was played until now, while all behind it is brought to 0."""
SLACK = 1e-9
"""The distance below 0, as a fraction of sum |v(I)| + 1, that a gap has not come by rounding."""


class Play(NamedTuple):
    """The arrays of an iteration, by edge: cells of player 0, cells of player 1, chance."""

    sigma: Array
    """The current strategies, PRUNED where an action is pruned, and chance's probabilities."""
    value: Array
    """Counterfactual values of cells; 0 between passes."""
    plan: Array
    """Each player's own reach of cells under the current strategies."""
    reach: Array
    """At the first cell of an infoset: the reach of all but its player in a pass; 0 between passes."""


class StoredTables(NamedTuple):
    """The tables. A cell's numbers lie at its slot; -1 means that nothing is stored for it."""

    slot: Array
    regret: Array
    gap: Array
    """The regrets that gaps are derived from: `regret` itself, unless the rule sets a floor to it."""
    average_slot: Array
    average: Array
    value_slot: Array
    """By infoset."""
    value: Array
    """sum v(I), weighted as the gaps are."""
    bound: Array
    """The largest gap among the pruned actions of an infoset, or more."""
    pruned: Array
    """uint8[cells]"""
    since: Array
    """int32[cells]: the iteration after which each was pruned."""


class Step(NamedTuple):
    """One iteration of a rule, as pruning needs it.

    Sums are plain: where a rule lets the past fade, each iteration counts the more instead, which scales all
    regrets by the same factor.
    """

    iteration: int
    gain: float
    """Weight of the iteration in regrets."""
    average: float
    """Its weight in the average, in gaps and in sums of values."""
    floor: float
    """Regrets do not fall below this."""
    apart: bool
    """Whether gaps have a table of their own, as regrets have a floor."""
    jumps: bool
    """Whether a regret below 0 counts as 0 as soon as it rises."""
    least: float
    """The fraction of the possible winnings that gaps must be for pruning to be worth its end."""


@kernel
def walk_live(nodes, player, play, reach, value, path, met):  # type: ignore[no-untyped-def]
    """Depth-first over the histories that are reached; returns how many were touched.

    Adds to the values of the player's cells and to the reach of the infosets. Lists in `met` the first cells of
    those that were reached, and returns their number too. By depth, `reach`, `value` and `path` keep what the walk
    needs when it comes back to a node: its reach and value so far, and in `path` the branch after the one that
    was taken, the last branch, that branch's cell and whether the node is the player's.
    """
    node, leads, pays = nodes.node, nodes.leads, nodes.pays[player]
    sigma, cell_value = play.sigma, play.value
    touched = 1
    infosets = 0
    if len(node) == 0:
        return touched, infosets
    one = np.uintp(1)  # numbers without a sign spare Numba's test for indices that count from the end
    depth = np.uintp(0)
    below = np.int32(0)
    arrived = 1.0
    while True:
        here = np.uintp(below)
        branch, cell = np.uintp(node[here, 0]), np.uintp(node[here, 2])
        last = branch + np.uintp(node[here, 1] >> 2)
        mine = node[here, 1] & 3 == player
        arrives = arrived
        total = 0.0
        if mine:
            if play.reach[cell] == 0.0:
                met[infosets] = cell
                infosets += 1
            play.reach[cell] += arrives
        while True:
            below = np.int32(-1)
            while branch < last and below < 0:
                probability = sigma[cell]
                if probability > 0.0 or (mine and probability == 0.0):
                    touched += 1
                    below = leads[branch]
                    arrived = arrives if mine else arrives * probability
                    if below < 0:
                        arrived *= pays[np.uintp(-1 - below)]
                        if mine:
                            cell_value[cell] += arrived
                            arrived *= probability
                        total += arrived
                branch += one
                cell += one
            if below >= 0:
                break
            if depth == 0:
                return touched, infosets
            depth -= one
            branch, last = path[depth, 0], path[depth, 1]
            cell = path[depth, 2]
            mine = path[depth, 3] == one
            arrived = total
            arrives = reach[depth]
            total = value[depth]
            if mine:
                cell_value[cell - one] += arrived
                arrived *= sigma[cell - one]
            total += arrived
        path[depth, 0], path[depth, 1] = branch, last
        path[depth, 2] = cell
        path[depth, 3] = one if mine else np.uintp(0)
        reach[depth] = arrives
        value[depth] = total
        depth += one


@inlined
def match(start, stop, held, sigma):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R) over the actions that are not pruned, uniform where nothing is positive."""
    total = 0.0
    live = 0
    for cell in range(start, stop):
        sigma[cell] = PRUNED
        if not held.pruned[cell]:
            live += 1
            positive = max(float(held.regret[held.slot[cell]]), 0.0)
            sigma[cell] = positive
            total += positive
    for cell in range(start, stop):
        if not held.pruned[cell]:
            sigma[cell] = share_of(sigma[cell], total, 1.0 / live)


@inlined
def skip_pruned(forest, held, k, last):  # type: ignore[no-untyped-def]
    """The first infoset from k on that is not behind its player's own pruned actions; `last` or more if none is."""
    while k < last and forest.before[k] >= 0 and held.pruned[forest.before[k]]:
        k = forest.behind[forest.before[k], 1]
    return k


@inlined
def count_live(start, stop, held):  # type: ignore[no-untyped-def]
    """The number of an infoset's actions that are not pruned."""
    live = 0
    for cell in range(start, stop):
        live += not held.pruned[cell]
    return live


@inlined
def slack_of(value):  # type: ignore[no-untyped-def]
    """The distance below 0 that a gap beside this sum of values has not come by rounding."""
    return SLACK * (1.0 + abs(value))


@internal
def match_from(forest, k, held, play):  # type: ignore[no-untyped-def]
    """Match one infoset whose regrets have changed, and carry its player's reach on to all behind it."""
    start, stop = forest.first[k], forest.first[k + 1]
    match(start, stop, held, play.sigma)
    last = k + 1
    for cell in range(start, stop):
        last = max(last, forest.behind[cell, 1])
    spread(forest, k, last, held, play)


@internal
def spread(forest, first, last, held, play):  # type: ignore[no-untyped-def]
    """Own reach of the cells of the infosets first..last-1 under the current strategy."""
    k = skip_pruned(forest, held, first, last)
    while k < last:
        before = forest.before[k]
        reach = play.plan[before] if before >= 0 else 1.0
        for cell in range(forest.first[k], forest.first[k + 1]):
            play.plan[cell] = reach * max(play.sigma[cell], 0.0)
        k = skip_pruned(forest, held, k + 1, last)


@kernel
def match_all(forest, held, play):  # type: ignore[no-untyped-def]
    """Derive all strategies and reaches from the tables."""
    for k in range(len(forest.before)):
        start, stop = forest.first[k], forest.first[k + 1]
        for cell in range(start, stop):
            play.plan[cell] = 0.0
        if held.value_slot[forest.base + k] >= 0:
            match(start, stop, held, play.sigma)
    spread(forest, 0, len(forest.before), held, play)


@internal
def accumulate_average(forest, step, held, play, left):  # type: ignore[no-untyped-def]
    """S += weight x plan, where the plan is not 0; then the plan becomes that of the current strategy.

    Where it was 0 and stays 0 nothing behind changes. `left` has room for the cells that are no longer played.
    """
    plan, sigma = play.plan, play.sigma
    cells = 0
    k = 0
    while k < len(forest.before):
        before = forest.before[k]
        reach = plan[before] if before >= 0 else 1.0
        if reach == 0.0:
            k = forest.behind[before, 1]
            continue
        for cell in range(np.uintp(forest.first[k]), np.uintp(forest.first[k + 1])):
            played = plan[cell]
            if played > 0.0:
                at = held.average_slot[cell]
                if at >= 0:
                    held.average[at] += step.average * played
            plan[cell] = max(reach, 0.0) * max(sigma[cell], 0.0)
            if played > 0.0 and plan[cell] == 0.0:
                plan[cell] = LEFT
                left[cells] = cell
                cells += 1
        k += 1
    for n in range(cells):
        plan[left[n]] = 0.0


@kernel
def learn(forest, step, total, held, play, met, most_paid, failed, left):  # type: ignore[no-untyped-def]
    """Learn from one player's walk: regrets, bounds and the next strategy at the infosets that were met.

    Where the other player did not come nothing of these changes. Then the plan that was played is added to the
    average and becomes that of the next strategy; `left` is scratch space for that. Returns how many may not stay
    pruned, as their bounds have come above 0; `failed` lists them: infosets in total pruning, cells in interval
    pruning. most_paid: float64[cells], U(I, a).
    """
    failures = 0
    sigma = play.sigma
    for n in range(len(met)):
        start = np.uintp(met[n])
        reach = play.reach[start]
        play.reach[start] = 0.0
        k = np.uintp(forest.infoset[start])
        stop = np.uintp(forest.first[k + np.uintp(1)])
        origin = play.value[start]  # 0 where the first action is pruned
        value = 0.0
        for cell in range(start, stop):
            value += max(sigma[cell], 0.0) * (play.value[cell] - origin)
        most = -np.inf
        positive = 0.0
        live = 0
        for cell in range(start, stop):
            if sigma[cell] >= 0.0:
                gained = instantaneous(play.value[cell], origin, value)
                play.value[cell] = 0.0
                slot = np.uintp(held.slot[cell])
                if step.apart:
                    held.gap[slot] += step.average * gained
                regret = held.regret[slot]
                if step.jumps and regret < 0.0 and gained > 0.0:
                    regret *= 0.0
                held.regret[slot] = added(regret, step.gain * gained, step.floor)
                sigma[cell] = max(float(held.regret[slot]), 0.0)
                positive += sigma[cell]
                live += 1
                continue
            gained = instantaneous(reach * most_paid[cell], origin, value)
            if total:
                most = max(most, gained)
                continue
            slot = np.uintp(held.slot[cell])
            held.regret[slot] += step.gain * gained
            if held.regret[slot] > 0.0:
                failed[failures] = cell
                failures += 1
        for cell in range(start, stop):
            if sigma[cell] >= 0.0:
                sigma[cell] = share_of(sigma[cell], positive, 1.0 / live)
        at = np.uintp(held.value_slot[np.uintp(forest.base) + k])
        held.value[at] += (step.average if total else step.gain) * (origin + value)
        if most > -np.inf:
            held.bound[at] += step.average * most
            if held.bound[at] > 0.0:
                failed[failures] = k
                failures += 1
    accumulate_average(forest, step, held, play, left)
    return failures


class OpponentView(NamedTuple):
    """Sums by cell of the other player's strategies, against which a player's regrets were computed.

    S + now x current - early x initial: with alternating updates S is an iteration behind or ahead.
    """

    average_slot: Array
    average: Array
    plan: Array
    initial: Array
    everything: float
    """The weight of all iterations in S."""
    now: float
    early: float
    scale: float


@inlined
def reach_of(view, cell):  # type: ignore[no-untyped-def]
    """The other player's summed reach of a cell; one past the last stands for no move yet."""
    if cell == np.uintp(len(view.average_slot)):
        total = view.everything + view.now - view.early
    else:
        at = view.average_slot[cell]
        if at < 0:  # the play there is forgotten, the first iteration's too, and nothing is played there now
            return 0.0
        total = view.now * view.plan[cell] + view.average[at]
        if view.early > 0.0:
            total -= view.early * view.initial[cell]
    return max(0.0, total * view.scale)


@inlined
def best_of(values, start, stop):  # type: ignore[no-untyped-def]
    """The largest of an infoset's values: the winnings of a best response."""
    best = values[start]
    for cell in range(start + 1, stop):
        best = max(best, values[cell])
    return best


@inlined
def is_short(payments, cell, view, step, gap, value):  # type: ignore[no-untyped-def]
    """Whether pruning would soon be over, as iterations so far could have paid; never without gates."""
    if step.least == 0.0:
        return False
    reach = 0.0
    for k in range(payments.root_first[cell], payments.root_first[cell + 1]):
        reach += reach_of(view, np.uintp(payments.root_other[k])) * payments.root_chance[k]
    most = reach * payments.most[cell]  # that the cell could have been worth in all iterations together
    weight = 2.0 / (step.iteration + 1) if step.jumps else 1.0  # averages of CFR+ weigh more than its regrets
    return -gap < step.least * (weight * most - value)


@internal
def respond(payments, forest, cell, view, kept, won):  # type: ignore[no-untyped-def]
    """`won[c]` becomes sum psi(I', a') against the opponent's strategies, for a cell and all behind it.

    With `kept`, iterations before the cell was pruned do not count. Returns the histories that a walk would touch.
    """
    first, last = forest.behind[cell, 0], forest.behind[cell, 1]
    windowed = len(kept) > 0
    inner, end = np.uintp(forest.first[first]), np.uintp(forest.first[last])
    here = np.uintp(cell)
    while True:
        total = 0.0
        for k in range(np.uintp(payments.first[here]), np.uintp(payments.first[here + np.uintp(1)])):
            reach = reach_of(view, np.uintp(payments.other[k]))
            if windowed:
                reach -= kept[k]
            total += reach * payments.pays[k]
        won[here] = total
        if inner >= end:
            break
        here = inner
        inner += np.uintp(1)
    for k in range(last - 1, first - 1, -1):
        won[forest.before[k]] += best_of(won, forest.first[k], forest.first[k + 1])
    return payments.histories[cell]
