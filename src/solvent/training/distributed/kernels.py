"""The passes of a head over a turn, the mean of the children's values, and a child's walks of a batch.

Continuations come in groups: one for each pass and, below a child that is a head, for each sample of its board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.sampled.head_walk import RECORD, walk_head
from solvent.engines.sampled.kernels import traverse
from solvent.engines.sampled.keys import walk_key
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.training.kernels import iteration_terms


class Roots(NamedTuple):
    """Where the walks of a head begin: the continuations of the head above, or the root of the tree."""

    ends: NDArray[np.int64]
    """int64[groups]: roots up to the end of each group"""
    node: NDArray[np.int32]
    """int32[roots]"""
    last: int
    """The last street of this head"""
    mean: tuple[int, int]
    """As `child_scale` takes it"""
    sums: NDArray[np.float64]
    """float64[roots]: to which `REPLAY` adds the values of all samples"""


def mean_of_samples(
    sums: NDArray[np.float64], ends: NDArray[np.int64], passes: int, samples: int
) -> NDArray[np.float32]:
    """The values of continuations from sums over samples; those of one sample's own group have one addend."""
    return (sums / samples if len(ends) == passes else sums).astype(np.float32)


@internal
def group_start(ends, group):  # type: ignore[no-untyped-def]
    """The first continuation of a group."""
    return ends[group - 1] if group > 0 else 0


@internal
def group_of(number, sample, groups, passes):  # type: ignore[no-untyped-def]
    """The group of a pass and a sample, where there are `groups` in all: one for each sample, or one for all."""
    return number if groups == passes else number * (groups // passes) + sample


@kernel
def head_passes(mode, first, turn, seed, options, deals, tables, room, met, ends, roots):  # type: ignore[no-untyped-def]
    """A head's passes of a turn from group `first` on; returns the number of groups whose continuations fit.

    mode: `RECORD` writes ends, int64[passes x samples], the continuations up to the end of each group; `REPLAY`
    takes their values from `met`. deals: `HeadDeals`. tables: `HeadTables`. roots: `Roots`.
    """
    samples = deals.base.shape[1]
    passes = len(ends) // samples
    for group in range(first, len(ends)):
        number, sample = group // samples, group % samples
        which = number // turn.players
        if deals.chosen[which, sample] > 0:
            iteration, player = turn.start + which, turn.player + number % turn.players
            weight, least, floor = iteration_terms(iteration, options, deals.drawn[which])
            weight *= np.float32(child_scale(deals.chosen[which, sample], roots.mean) / samples)
            key = walk_key(iteration_key(seed, iteration), player, sample)
            above = group_of(number, sample, len(roots.ends), passes)
            for place in range(group_start(roots.ends, above), roots.ends[above]):
                value = walk_head(
                    mode, roots.node[place], roots.last, player, key, (weight, least, floor),
                    deals.base[which, sample], tables, room, met,
                )  # fmt: skip
                if mode != RECORD:
                    roots.sums[place] += value
        ends[group] = room.counted[0]
        if ends[group] > len(met.node):
            return group
    return len(ends)


@kernel
def mean_values(turn, ends, choices, values, means):  # type: ignore[no-untyped-def]
    """sum_n |F_{n,h}| v_n / sum_n |F_{n,h}| of each continuation, in the order of clusters (Algorithm 4).

    choices: int32[iterations, samples, clusters]. values: float32[clusters, continuations]. means:
    float32[continuations]. With one cluster the mean is its value exactly: products and quotient are exact in
    float64.
    """
    samples = choices.shape[1]
    for group in range(len(ends)):
        weights = choices[group // samples // turn.players, group % samples]
        for place in range(group_start(ends, group), ends[group]):
            total, weight = 0.0, 0.0
            for n in range(len(values)):
                if weights[n] > 0:
                    total += np.float64(weights[n]) * np.float64(values[n, place])
                    weight += np.float64(weights[n])
            means[place] = np.float32(total / weight)


@internal
def child_scale(chosen, mean):  # type: ignore[no-untyped-def]
    """What a child's increments count for hands that leave it so many public samples: |F_{n,h}| / mean over h.

    A child draws its public sample from its own alone, which plain sampling would reach with a chance proportional
    to |F_{n,h}|. Below a child that is a head, `chosen` is the product at all levels: the chance is, too. mean:
    numerator and denominator, whole numbers; with one cluster the scale is 1 exactly. A denominator of 0: 1.
    """
    if mean[1] == 0:
        return 1.0
    return np.float64(chosen) * np.float64(mean[1]) / np.float64(mean[0])


@kernel
def child_walks(turn, seed, options, deals, tables, frames, batch, mean, samples, sums):  # type: ignore[no-untyped-def]
    """Walk a batch's continuations on a child's table, for samples[0] to samples[1] of its boards.

    deals: `ChildDeals`. tables: `HeadTables`, of which the walk and `table` are used. batch: (ends, node).
    mean: as `child_scale` takes it. sums: float64[continuations], to which the values of all samples are added.
    """
    ends, node = batch
    passes = len(deals.drawn) * turn.players
    for number in range(passes):
        which = number // turn.players
        iteration, player = turn.start + which, turn.player + number % turn.players
        key = iteration_key(seed, iteration)
        whole, least, floor = iteration_terms(iteration, options, deals.drawn[which])
        for sample in range(samples[0], samples[1]):
            if deals.chosen[which, sample] == 0:
                continue
            scale = child_scale(deals.chosen[which, sample], mean)
            weight = whole * np.float32(scale / deals.outcome.shape[1])
            group = group_of(number, sample, len(ends), passes)
            for place in range(group_start(ends, group), ends[group]):
                frames.random[0] = walk_key(key, player, sample)
                sums[place] += traverse(
                    node[place], player, weight, tables.walk, tables.pays, deals.base[which, sample],
                    deals.outcome[which, sample], tables.table, frames, least, floor, None,
                )  # fmt: skip
