"""Compiled steps of pruning on the history form: its beginning, its end, and the averages that are forgotten.

Interval pruning keeps the other player's summed reach when it began, and counts the best response against the
skipped iterations as played. Total pruning stores nothing behind a pruned cell.
"""

from __future__ import annotations

import numpy as np

from solvent.engines.history.pruned.kernels import (
    best_of,
    count_live,
    is_short,
    match,
    match_from,
    reach_of,
    respond,
    skip_pruned,
    slack_of,
)
from solvent.foundation.kernels.compiling import inlined, internal, kernel

FORGOTTEN = -1.0
"""The average of a cell that has just been forgotten and is still to be freed."""


# Interval pruning


@kernel
def begin_interval(payments, forest, step, held, view, kept, base, won, play):  # type: ignore[no-untyped-def]
    """Prune actions of regret below 0, from the first moves on.

    The other player's reach behind them is kept, and branches that were pruned there are settled first. Returns
    how many histories that touched.
    """
    touched = 0
    last = len(forest.before)
    k = skip_pruned(forest, held, 0, last)
    while k < last:
        start, stop = forest.first[k], forest.first[k + 1]
        at = held.value_slot[forest.base + k]
        slack = slack_of(held.value[at])
        live = count_live(start, stop, held)
        changed = False
        for cell in range(start, stop):
            regret = held.regret[held.slot[cell]]
            if held.pruned[cell] or live == 1 or not regret < -slack:
                continue
            if is_short(payments, cell, view, step, regret, held.value[at]):
                continue
            inner, end = forest.first[forest.behind[cell, 0]], forest.first[forest.behind[cell, 1]]
            for nested in range(inner, end):
                if held.pruned[nested]:
                    touched += settle_cell(payments, forest, step, held, view, kept, base, nested, won, play)
            for entry in range(payments.first[cell], payments.first[cell + 1]):
                kept[entry] = reach_of(view, np.uintp(payments.other[entry]))
            for entry in range(payments.first[inner], payments.first[end]):
                kept[entry] = reach_of(view, np.uintp(payments.other[entry]))
            touched += payments.histories[cell]
            for dropped in range(inner, end):
                play.plan[dropped] = 0.0
            base[cell] = regret + held.value[at]
            held.since[cell] = step.iteration
            held.pruned[cell] = 1
            live -= 1
            changed = True
        if changed:
            match_from(forest, k, held, play)
        k = skip_pruned(forest, held, k + 1, last)
    return touched


@internal
def settle_cell(payments, forest, step, held, view, kept, base, cell, won, play):  # type: ignore[no-untyped-def]
    """End a cell's pruning: the CBR against the skipped iterations counts as played on each of them."""
    touched = respond(payments, forest, cell, view, kept, won)
    since = held.since[cell]
    # Averages count iteration t of CFR+ t times, its regrets once.
    scale = 2.0 / (since + 1 + step.iteration) if step.jumps else 1.0
    held.pruned[cell] = 0
    at = held.value_slot[forest.base + forest.infoset[cell]]
    held.regret[held.slot[cell]] = base[cell] + scale * won[cell] - held.value[at]
    for k in range(forest.behind[cell, 0], forest.behind[cell, 1]):
        start, stop = forest.first[k], forest.first[k + 1]
        value = best_of(won, start, stop)
        at = held.value_slot[forest.base + k]
        held.value[at] += scale * value
        for inner in range(start, stop):
            slot = held.slot[inner]
            held.regret[slot] += scale * (won[inner] - value)
        match(start, stop, held, play.sigma)
    match_from(forest, forest.infoset[cell], held, play)
    return touched


@kernel
def settle_interval(payments, forest, step, held, view, kept, base, failed, won, play):  # type: ignore[no-untyped-def]
    """End the pruning of all cells in `failed`; returns how many histories that touched."""
    touched = 0
    for n in range(len(failed)):
        touched += settle_cell(payments, forest, step, held, view, kept, base, failed[n], won, play)
    return touched


# Total pruning


@kernel
def add_up_regrets(forest, held, behind):  # type: ignore[no-untyped-def]
    """`behind[c]` becomes R(I, a) + sum Q of each cell that is stored: T psi(I, a) - sum v(I)."""
    for k in range(len(forest.before)):
        for cell in range(forest.first[k], forest.first[k + 1]):
            behind[cell] = 0.0
    for k in range(len(forest.before) - 1, -1, -1):
        at = held.value_slot[forest.base + k]
        if at < 0:
            continue
        start, stop = forest.first[k], forest.first[k + 1]
        for cell in range(start, stop):
            behind[cell] += held.bound[at] if held.pruned[cell] else held.gap[held.slot[cell]]
        if forest.before[k] >= 0:
            behind[forest.before[k]] += best_of(behind, start, stop)


@kernel
def begin(payments, forest, step, held, view, behind, play, begun, emptied):  # type: ignore[no-untyped-def]
    """Prune, from the first moves on, the actions that their CBR could not have made worth playing.

    Lists the cells in `begun`, and in `emptied` the infosets behind them that were stored; returns how many.
    """
    cells = 0
    infosets = 0
    last = len(forest.before)
    k = skip_pruned(forest, held, 0, last)
    while k < last:
        start, stop = forest.first[k], forest.first[k + 1]
        at = held.value_slot[forest.base + k]
        slack = slack_of(held.value[at])
        live = count_live(start, stop, held)
        if live == stop - start:
            held.bound[at] = -np.inf
        changed = False
        for cell in range(start, stop):
            if held.pruned[cell] or live == 1:
                continue
            slot = held.slot[cell]
            gap = behind[cell]
            if not gap < -slack or held.regret[slot] > 0.0 or not held.gap[slot] < 0.0:
                continue
            if is_short(payments, cell, view, step, gap, held.value[at]):
                continue
            held.bound[at] = max(held.bound[at], gap)
            held.pruned[cell] = 1
            held.since[cell] = step.iteration
            live -= 1
            changed = True
            begun[cells] = cell
            cells += 1
            for inner in range(forest.behind[cell, 0], forest.behind[cell, 1]):
                if held.value_slot[forest.base + inner] >= 0:
                    emptied[infosets] = inner
                    infosets += 1
                for dropped in range(forest.first[inner], forest.first[inner + 1]):
                    play.plan[dropped] = 0.0
                    held.pruned[dropped] = 0
        if changed:
            match_from(forest, k, held, play)
        k = skip_pruned(forest, held, k + 1, last)
    return cells, infosets


@kernel
def settle(payments, forest, step, held, view, failed, won, released):  # type: ignore[no-untyped-def]
    """Measure the pruned actions of infosets whose bounds have come above 0.

    Actions that cannot pay yet stay pruned. The others are listed in `released`, with all values behind them in
    `won`. Returns how many they are, and how many histories were touched.
    """
    none = won[:0]
    count = 0
    touched = 0
    for n in range(len(failed)):
        k = failed[n]
        at = held.value_slot[forest.base + k]
        slack = slack_of(held.value[at])
        held.bound[at] = -np.inf
        for cell in range(forest.first[k], forest.first[k + 1]):
            if not held.pruned[cell]:
                continue
            touched += respond(payments, forest, cell, view, none, won)
            gap = won[cell] - held.value[at]
            if gap < -slack and not is_short(payments, cell, view, step, gap, held.value[at]):
                held.bound[at] = max(held.bound[at], gap)
            else:
                released[count] = cell
                count += 1
    return count, touched


@kernel
def choose_behind(forest, step, held, best_only, released, won, wanted, live):  # type: ignore[no-untyped-def]
    """Choose the infosets behind the released cells that must be stored: all, or those that the CBR plays to.

    With `best_only` the actions that the CBR does not play are pruned at once. Lists the infosets in `wanted` and
    the cells that are stored for them, the released ones first, in `live`; returns how many of each.
    """
    infosets = 0
    cells = len(released)
    for n in range(len(released)):
        cell = released[n]
        live[n] = cell
        held.pruned[cell] = 0
        last = forest.behind[cell, 1]
        k = skip_pruned(forest, held, forest.behind[cell, 0], last)
        while k < last:
            wanted[infosets] = k
            infosets += 1
            start, stop = forest.first[k], forest.first[k + 1]
            if best_only:
                value = best_of(won, start, stop)
                slack = slack_of(value)
                for inner in range(start, stop):
                    held.pruned[inner] = won[inner] - value < -slack
                    held.since[inner] = step.iteration
            for inner in range(start, stop):
                live[cells] = inner
                cells += not held.pruned[inner]
            k = skip_pruned(forest, held, k + 1, last)
    return infosets, cells


@inlined
def set_regret(held, step, mean, cell, gap):  # type: ignore[no-untyped-def]
    slot = held.slot[cell]
    held.gap[slot] = gap
    if step.apart:
        held.regret[slot] = max(gap / mean, step.floor)


@kernel
def reset(forest, step, held, released, won, play):  # type: ignore[no-untyped-def]
    """Set the regrets of released cells and of all behind them as if the CBR had been played all along."""
    mean = 0.5 * (step.iteration + 1)  # how much gaps, where they are apart, outweigh regrets
    for n in range(len(released)):
        cell = released[n]
        at = held.value_slot[forest.base + forest.infoset[cell]]
        set_regret(held, step, mean, cell, won[cell] - held.value[at])
        last = forest.behind[cell, 1]
        k = skip_pruned(forest, held, forest.behind[cell, 0], last)
        while k < last:
            start, stop = forest.first[k], forest.first[k + 1]
            value = best_of(won, start, stop)
            at = held.value_slot[forest.base + k]
            held.value[at] = value
            held.bound[at] = -np.inf
            for inner in range(start, stop):
                gap = won[inner] - value
                if held.pruned[inner]:
                    held.bound[at] = max(held.bound[at], gap)
                else:
                    set_regret(held, step, mean, inner, gap)
            match(start, stop, held, play.sigma)
            k = skip_pruned(forest, held, k + 1, last)
    for n in range(len(released)):
        match_from(forest, forest.infoset[released[n]], held, play)


@kernel
def forget_averages(forest, held, limit, since, initial, emptied):  # type: ignore[no-untyped-def]
    """Take actions out of the average that are at most `limit` of it and have been idle since `since`.

    An action is idle while it is pruned or lies behind one that is. The infoset's other actions take its place,
    and all behind those with them (Brown and Sandholm 2017, section 4: sigma(I, a) is set to 0 and sigma(I) is
    renormalised); where no other has been played the most played stays. Lists the cells whose averages need no
    longer be stored; returns how many.
    """
    count = 0
    last = len(forest.before)
    outer, outer_since = 0, 0  # up to this infoset all lies behind an action that was pruned then
    k = 0
    while k < last:
        before = forest.before[k]
        if before >= 0:
            at = held.average_slot[before]
            if at < 0 or held.average[at] == FORGOTTEN:
                k = forest.behind[before, 1]  # nothing is stored behind a cell that is not
                continue
            if held.pruned[before]:
                outer, outer_since = forest.behind[before, 1], held.since[before]
        start, stop = forest.first[k], forest.first[k + 1]
        inside = k < outer and outer_since <= since
        k += 1
        total = 0.0
        kept = 0.0
        spared = -1
        for cell in range(start, stop):
            share = average_of(held, cell)
            total += share
            if not is_small(held, cell, inside, since, limit):
                kept += share
            elif spared < 0 or share > average_of(held, spared):
                spared = cell
        if spared < 0:
            continue
        if total > 0.0 and not kept > 0.0:
            kept = average_of(held, spared)
        else:
            spared = -1
        for cell in range(start, stop):
            if cell == spared or held.average_slot[cell] < 0:
                continue
            if is_small(held, cell, inside, since, limit):
                count = forget(forest, held, cell, initial, emptied, count)
        if not kept < total:
            continue
        for cell in range(start, stop):
            scale_average(held, cell, total / kept)
            inner, end = forest.behind[cell]
            for scaled in range(forest.first[inner], forest.first[end]):
                scale_average(held, scaled, total / kept)
    for n in range(count):
        held.average[held.average_slot[emptied[n]]] = 0.0
    return count


@inlined
def average_of(held, cell):  # type: ignore[no-untyped-def]
    """A cell's average, 0 where none is stored."""
    at = held.average_slot[cell]
    return held.average[at] if at >= 0 else 0.0


@inlined
def is_small(held, cell, inside, since, limit):  # type: ignore[no-untyped-def]
    """Whether a cell has been idle since `since` and its average is at most `limit`."""
    idle = inside or (held.pruned[cell] and held.since[cell] <= since)
    return idle and average_of(held, cell) <= limit


@internal
def forget(forest, held, cell, initial, emptied, count):  # type: ignore[no-untyped-def]
    """List a cell and all behind it in `emptied`, and mark their averages; returns how many are listed now."""
    emptied[count] = cell
    count += 1
    held.average[held.average_slot[cell]] = FORGOTTEN
    initial[cell] = 0.0
    inner, end = forest.behind[cell]
    for forgotten in range(forest.first[inner], forest.first[end]):
        initial[forgotten] = 0.0
        if held.average_slot[forgotten] >= 0 and held.average[held.average_slot[forgotten]] != FORGOTTEN:
            held.average[held.average_slot[forgotten]] = FORGOTTEN
            emptied[count] = forgotten
            count += 1
    return count


@inlined
def scale_average(held, cell, factor):  # type: ignore[no-untyped-def]
    if held.average_slot[cell] >= 0 and held.average[held.average_slot[cell]] != FORGOTTEN:
        held.average[held.average_slot[cell]] *= factor
