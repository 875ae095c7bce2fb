"""The passes of the head over a turn, the mean of the children's values, and a child's walks of a batch."""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.solvers.blueprint.kernels import iteration_terms
from solvent.solvers.sampled.tables.head_walk import walk_head
from solvent.solvers.sampled.tables.kernels import traverse
from solvent.solvers.sampled.tables.keys import walk_key


@kernel
def head_passes(mode, first, turn, seed, options, deals, tables, room, met, ends):  # type: ignore[no-untyped-def]
    """The head's passes of a turn from number `first` on; returns the number of passes whose continuations fit.

    mode: `RECORD` writes ends, int64[passes], the continuations up to the end of each pass; `REPLAY` takes their
    values from `met`. deals: `HeadDeals`. tables: `HeadTables`.
    """
    for number in range(first, len(ends)):
        which = number // turn.players
        iteration, player = turn.start + which, turn.player + number % turn.players
        terms = iteration_terms(iteration, options, deals.drawn[which])
        key = walk_key(iteration_key(seed, iteration), player, 0)
        walk_head(mode, 0, 0, player, key, terms, deals.base[which], tables, room, met)
        ends[number] = room.counted[0]
        if ends[number] > len(met.node):
            return number
    return len(ends)


@kernel
def mean_values(turn, ends, choices, values, means):  # type: ignore[no-untyped-def]
    """sum_n |F_{n,h}| v_n / sum_n |F_{n,h}| of each continuation, in the order of clusters (Algorithm 4).

    choices: int32[iterations, clusters]. values: float32[clusters, continuations]. means: float32[continuations].
    With one cluster the mean is its value exactly: products and quotient are exact in float64.
    """
    start = 0
    for number in range(len(ends)):
        weights = choices[number // turn.players]
        for place in range(start, ends[number]):
            total, weight = 0.0, 0.0
            for n in range(len(values)):
                if weights[n] > 0:
                    total += np.float64(weights[n]) * np.float64(values[n, place])
                    weight += np.float64(weights[n])
            means[place] = np.float32(total / weight)
        start = ends[number]


@internal
def child_scale(choices, mean):  # type: ignore[no-untyped-def]
    """What a child's increments count for hands that leave it so many public samples: |F_{n,h}| / mean over h.

    A child draws its public sample from its own alone, which plain sampling would reach with a chance proportional
    to |F_{n,h}|. mean: numerator and denominator, whole numbers; with one cluster the scale is 1 exactly.
    """
    return np.float64(choices) * np.float64(mean[1]) / np.float64(mean[0])


@kernel
def child_walks(turn, seed, options, deals, tables, frames, batch, mean, samples, sums):  # type: ignore[no-untyped-def]
    """Walk a batch's continuations on a child's table, for samples[0] to samples[1] of its boards.

    deals: `ChildDeals`. tables: `HeadTables`, of which the walk and `table` are used. batch: (ends, node).
    mean: as `child_scale` takes it; a denominator of 0 leaves increments as they are. sums: float64[continuations],
    to which the values of all samples are added.
    """
    ends, node = batch
    start = 0
    for number in range(len(ends)):
        which = number // turn.players
        iteration, player = turn.start + which, turn.player + number % turn.players
        if deals.choices[which] > 0:
            key = iteration_key(seed, iteration)
            weight, least, floor = iteration_terms(iteration, options, deals.drawn[which])
            scale = child_scale(deals.choices[which], mean) if mean[1] > 0 else 1.0
            weight *= np.float32(scale / deals.outcome.shape[1])
            for place in range(start, ends[number]):
                for sample in range(samples[0], samples[1]):
                    frames.random[0] = walk_key(key, player, sample)
                    sums[place] += traverse(
                        node[place], player, weight, tables.walk, tables.pays, deals.base[which, sample],
                        deals.outcome[which, sample], tables.table, frames, least, floor, None,
                    )  # fmt: skip
        start = ends[number]
