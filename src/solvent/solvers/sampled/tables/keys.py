"""The keys of every draw of external sampling on hold'em's tables, for one machine and for many.

A draw depends on its key alone, so that the head of Algorithm 4 (`solvers/distributed`) can repeat its walk, and
the walk below a continuation can be done in another process. With one public cluster all keys are those of plain
sampling. A *continuation* is the first node below the head: a decision on the flop, or an all-in showdown.
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal
from solvent.foundation.kernels.randomness import STEP, mix, stream

HANDS, HEAD, ROUNDING, BOARD, BELOW = 0, 1, 3, 5, 6
"""The turns of an iteration's streams. `HEAD`, `ROUNDING` and `BELOW` have one for each player."""
SAMPLE_SHIFT = 32
"""Bits of a key's number that are the cluster or the node; a sample's number stands above them."""


@internal
def hands_key(seed, iteration):  # type: ignore[no-untyped-def]
    """Both hands, then the draw that says whether the iteration leaves out actions below the regret floor."""
    return stream(seed, iteration, HANDS)


@internal
def head_key(seed, iteration, player):  # type: ignore[no-untyped-def]
    """The actions that are drawn in the head."""
    return stream(seed, iteration, HEAD + player)


@internal
def rounding_key(seed, iteration, player):  # type: ignore[no-untyped-def]
    """The rounding of sums in the head. It is apart from the actions: the first of two passes adds nothing up."""
    return stream(seed, iteration, ROUNDING + player)


@internal
def board_key(seed, iteration, cluster, sample):  # type: ignore[no-untyped-def]
    """The board that a public cluster draws. Plain sampling deals that of cluster 0, sample 0."""
    return _numbered(stream(seed, iteration, BOARD), cluster, sample)


@internal
def below_key(seed, iteration, player, node, sample):  # type: ignore[no-untyped-def]
    """What is drawn below a continuation, at `node` of the walk."""
    return _numbered(stream(seed, iteration, BELOW + player), node, sample)


@internal
def _numbered(key, number, sample):  # type: ignore[no-untyped-def]
    return mix(key + STEP * (np.uint64(sample) << np.uint64(SAMPLE_SHIFT) | np.uint64(number + 1)))
