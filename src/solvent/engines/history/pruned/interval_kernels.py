"""Compiled steps of interval pruning: when it begins, and how what was skipped is made up for."""

from __future__ import annotations

import numpy as np

from solvent.engines.history.pruned.kernels import (
    count_live,
    is_short,
    match,
    match_from,
    near_best,
    respond,
    seen_of,
    skip_pruned,
    slack_of,
)
from solvent.foundation.kernels.compiling import internal, kernel


@kernel
def begin(payments, forest, step, held, seen, kept, base, allowed, won, play):  # type: ignore[no-untyped-def]
    """Prune actions of regret below 0, from the first moves on.

    What was seen of the other player behind them is kept, and branches that were pruned there are settled
    first. Returns how many histories that touched.
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
            if is_short(payments, cell, seen, step, regret, held.value[at]):
                continue
            inner, end = forest.first[forest.behind[cell, 0]], forest.first[forest.behind[cell, 1]]
            for nested in range(inner, end):
                if held.pruned[nested]:
                    touched += settle_cell(
                        payments, forest, step, held, seen, kept, base, allowed, nested, won, play
                    )
            for entry in range(payments.first[cell], payments.first[cell + 1]):
                kept[entry] = seen_of(seen, np.uintp(payments.other[entry]))
            for entry in range(payments.first[inner], payments.first[end]):
                kept[entry] = seen_of(seen, np.uintp(payments.other[entry]))
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
def settle_cell(payments, forest, step, held, seen, kept, base, allowed, cell, won, play):  # type: ignore[no-untyped-def]
    """End a cell's pruning: the CBR against what was skipped counts as played on every skipped iteration."""
    touched = respond(payments, forest, cell, seen, kept, allowed, won)
    since = held.since[cell]
    # Averages count iteration t of CFR+ t times, its regrets once.
    scale = 2.0 / (since + 1 + step.iteration) if step.jumps else 1.0
    held.pruned[cell] = 0
    at = held.value_slot[forest.base + forest.infoset[cell]]
    held.regret[held.slot[cell]] = base[cell] + scale * won[cell] - held.value[at]
    for k in range(forest.behind[cell, 0], forest.behind[cell, 1]):
        start, stop = forest.first[k], forest.first[k + 1]
        value = near_best(won, start, stop, allowed[k])
        at = held.value_slot[forest.base + k]
        held.value[at] += scale * value
        for inner in range(start, stop):
            slot = held.slot[inner]
            held.regret[slot] += scale * (won[inner] - value)
        match(start, stop, held, play.sigma)
    match_from(forest, forest.infoset[cell], held, play)
    return touched


@kernel
def settle(payments, forest, step, held, seen, kept, base, allowed, failed, won, play):  # type: ignore[no-untyped-def]
    """End the pruning of all cells in `failed`; returns how many histories that touched."""
    touched = 0
    for n in range(len(failed)):
        touched += settle_cell(payments, forest, step, held, seen, kept, base, allowed, failed[n], won, play)
    return touched
