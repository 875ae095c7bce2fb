"""Compiled sweeps over the sequence form: pay-offs and best responses."""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import compiled


@compiled
def sequence_values(pair_own, pair_other, pays, other_plan, sequences):  # type: ignore[no-untyped-def]
    """What the terminals right behind each own sequence pay against the other's plan: A y."""
    value = np.zeros(sequences)
    for k in range(len(pays)):
        value[pair_own[k]] += pays[k] * other_plan[pair_other[k]]
    return value


@compiled
def maximise(first, before, value, choice):  # type: ignore[no-untyped-def]
    """Best response by backward induction; `value` becomes the value behind each sequence, `choice` the play."""
    for situation in range(len(before) - 1, -1, -1):
        best = first[situation]
        for sequence in range(best + 1, first[situation + 1]):
            if value[sequence] > value[best]:
                best = sequence
        choice[situation] = best
        value[before[situation]] += value[best]
    return value[0]


@compiled
def maximise_around_locks(first, before, cell, locked, probabilities, value, choice):  # type: ignore[no-untyped-def]
    """Best response that plays `probabilities` at locked infosets, by backward induction (see `maximise`).

    `locked` and `probabilities` are by cell, and `cell` is that of each sequence. A locked situation has choice -1.
    """
    for situation in range(len(before) - 1, -1, -1):
        start, stop = first[situation], first[situation + 1]
        if locked[cell[start]]:
            choice[situation] = -1
            for sequence in range(start, stop):
                value[before[situation]] += probabilities[cell[sequence]] * value[sequence]
            continue
        best = start
        for sequence in range(start + 1, stop):
            if value[sequence] > value[best]:
                best = sequence
        choice[situation] = best
        value[before[situation]] += value[best]
    return value[0]
