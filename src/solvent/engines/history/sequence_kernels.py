"""Compiled passes of CFR over the sequence form: pay-offs, regrets and realisation plans.

All run over *lanes*: things of one shape lie side by side, so that the innermost loops have stride 1 and no
branches. Situations of one depth and one number of actions are the lanes of a group, pay-off matrices of
one shape the lanes of a batch. Whatever becomes an index is unsigned, which spares the test for negative
ones; Numba makes a float of signed + unsigned, so the two are never mixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.schedule import NEXT_PREDICTION
from solvent.engines.vectors.matching import expected_regret, instantaneous, share_of, updated
from solvent.foundation.kernels.compiling import internal, kernel

Array = Any


class Groups(NamedTuple):
    """One player's situations, in the order in which they can arise, in groups of one number of actions.

    Action a of lane i in group g is the sequence `first[g] + a * width[g] + i`; sequence 0 is the empty one.
    """

    actions: Array
    """int64[groups]"""
    width: Array
    """uint64[groups]: how many situations"""
    first: Array
    """uint64[groups]: the first sequence"""
    start: Array
    """uint64[groups]: the first situation"""
    before: Array
    """uint32[situations]: the sequence through which each situation is reached."""


class Payoffs(NamedTuple):
    """The payoffs of one player's sequences, as small dense matrices in batches of one shape.

    Batch b holds `width[b]` matrices of `rows[b]` own sequences by `columns[b]` of the other's. The lane is
    the last index: row[r, lane], column[c, lane], pays[r, c, lane], one batch after the other. Where all
    matrices of a batch are the same, as those of one symbol are, they are stored once: pays[r, c].
    """

    rows: Array
    """int64[batches]"""
    columns: Array
    """uint64[batches]"""
    width: Array
    """uint64[batches]"""
    row: Array
    """uint32: own sequences, every one once"""
    column: Array
    """uint32: sequences of the other"""
    pays: Array
    """float64, in chips times chance"""
    shared: Array
    """bool[batches]: whether the matrices of a batch are one"""
    gathered: Array
    """Scratch: the other's plan in one batch's columns."""


class Half(NamedTuple):
    """One player's numbers, by sequence."""

    regret: Array
    average: Array
    last: Array
    """The last instantaneous regrets; empty where the rule predicts nothing."""
    sums: Array
    """Sums of v(I) at each situation's first sequence; empty where none are kept."""
    strategy: Array
    plan: Array
    """The probability that the player's own actions give each sequence."""
    value: Array
    """Counterfactual value of each sequence."""
    scratch: Array
    """float64[2, lanes]"""


@kernel
def multiply(payoffs, plan, half):  # type: ignore[no-untyped-def]
    """v = A y: the pay of the terminals right behind each own sequence against the other's plan."""
    row, column, pays, gathered = payoffs.row, payoffs.column, payoffs.pays, payoffs.gathered
    total, value = half.scratch[0], half.value
    row_at, column_at, at = np.uint64(0), np.uint64(0), np.uint64(0)
    for batch in range(len(payoffs.rows)):
        width, columns = payoffs.width[batch], payoffs.columns[batch]
        size = columns * width
        for k in range(size):
            gathered[k] = plan[column[column_at + k]]
        column_at += size
        for _ in range(payoffs.rows[batch]):
            for lane in range(width):
                total[lane] = 0.0
            start = np.uint64(0)
            if payoffs.shared[batch]:
                for _ in range(columns):
                    pay = pays[at]
                    for lane in range(width):
                        total[lane] += pay * gathered[start + lane]
                    at += np.uint64(1)
                    start += width
            else:
                for _ in range(columns):
                    for lane in range(width):
                        total[lane] += pays[at + lane] * gathered[start + lane]
                    at += width
                    start += width
            for lane in range(width):
                value[row[row_at + lane]] = total[lane]
            row_at += width


@internal
def match_group(half, first, actions, width, prediction):  # type: ignore[no-untyped-def]
    """Regret matching at the situations of one group, whose sequences begin at `first`."""
    regret, last, strategy, total = half.regret, half.last, half.strategy, half.scratch[1]
    for lane in range(width):
        total[lane] = 0.0
    at = first
    for _ in range(actions):
        for lane in range(width):
            expected = expected_regret(regret, last, at + lane, prediction)
            strategy[at + lane] = expected if expected > 0.0 else 0.0
            total[lane] += strategy[at + lane]
        at += width
    at = first
    for _ in range(actions):
        for lane in range(width):
            strategy[at + lane] = share_of(strategy[at + lane], total[lane], 1.0 / actions)
        at += width


@internal
def match(groups, prediction, half):  # type: ignore[no-untyped-def]
    """Regret matching at all of a player's situations."""
    for group in range(len(groups.width)):
        match_group(half, groups.first[group], groups.actions[group], groups.width[group], prediction)


@internal
def ascend(groups, weights, half):  # type: ignore[no-untyped-def]
    """From the last situation to the first: v(I), the regrets, then the next sigma."""
    positive, negative, floor = weights[0], weights[1], weights[2]
    regret, last, strategy, value, gain = half.regret, half.last, half.strategy, half.value, half.scratch[0]
    for group in range(len(groups.width) - 1, -1, -1):
        actions, width, first = groups.actions[group], groups.width[group], groups.first[group]
        for lane in range(width):
            gain[lane] = 0.0
        at = first
        for _ in range(actions - 1):
            at += width
            for lane in range(width):
                gain[lane] += strategy[at + lane] * (value[at + lane] - value[first + lane])
        at = first
        for _ in range(actions):
            for lane in range(width):
                gained = instantaneous(value[at + lane], value[first + lane], gain[lane])
                regret[at + lane] = updated(regret[at + lane], gained, positive, negative, floor)
            if weights[4] != 0.0:
                for lane in range(width):
                    last[at + lane] = instantaneous(value[at + lane], value[first + lane], gain[lane])
            at += width
        match_group(half, first, actions, width, weights[NEXT_PREDICTION])
        start = groups.start[group]
        for lane in range(width):
            value[groups.before[start + lane]] += value[first + lane] + gain[lane]
        if len(half.sums) > 0:
            for lane in range(width):
                half.sums[first + lane] += weights[3] * (value[first + lane] + gain[lane])


@internal
def descend(groups, weight, half):  # type: ignore[no-untyped-def]
    """From the first situation to the last: the realisation plan, and S += weight x plan."""
    average, strategy, plan, reach = half.average, half.strategy, half.plan, half.scratch[0]
    plan[0] = 1.0
    for group in range(len(groups.width)):
        width, start, at = groups.width[group], groups.start[group], groups.first[group]
        for lane in range(width):
            reach[lane] = plan[groups.before[start + lane]]
        for _ in range(groups.actions[group]):
            for lane in range(width):
                plan[at + lane] = reach[lane] * strategy[at + lane]
            for lane in range(width):
                average[at + lane] += weight * plan[at + lane]
            at += width


@kernel
def iterate(groups, payoffs, halves, schedule, alternating):  # type: ignore[no-untyped-def]
    """Run an iteration for each row of `schedule`, from the tables alone: cutting a run into calls changes nothing.

    An iteration's play enters the average as soon as its plan is known, which is at the end of the iteration
    before. The plan that the last iteration prepares is left for the next call to count.
    """
    groups0, groups1 = groups
    payoffs0, payoffs1 = payoffs
    half0, half1 = halves
    match(groups0, schedule[0, 4], half0)
    match(groups1, schedule[0, 4], half1)
    descend(groups0, schedule[0, 3], half0)
    descend(groups1, schedule[0, 3], half1)
    for t in range(len(schedule)):
        weights = schedule[t]
        next_weight = schedule[t + 1, 3] if t + 1 < len(schedule) else 0.0
        multiply(payoffs0, half1.plan, half0)
        if not alternating:
            multiply(payoffs1, half0.plan, half1)
        ascend(groups0, weights, half0)
        descend(groups0, next_weight, half0)
        if alternating:
            multiply(payoffs1, half0.plan, half1)
        ascend(groups1, weights, half1)
        descend(groups1, next_weight, half1)
