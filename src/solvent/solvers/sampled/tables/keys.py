"""The keys of every draw of external sampling on hold'em's tables, for one machine and for many.

A draw depends on its key alone, so that the head of Algorithm 4 (`solvers/distributed`) can repeat its walk, and
the walk below a continuation can be done in another process. With one public cluster all keys are those of plain
sampling. A *continuation* is the first node below the head: a decision on the flop, or an all-in showdown. All keys
are made from an iteration's, `iteration_key(seed, iteration)`.
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal
from solvent.foundation.kernels.randomness import numbered_key

HANDS, HEAD, ROUNDING, BOARD, BELOW = 0, 1, 3, 5, 6
"""The numbers of an iteration's streams. `HEAD`, `ROUNDING` and `BELOW` have one for each player."""
SAMPLE_SHIFT = 32
"""Bits of a number that are the cluster or the node; a sample's number stands above them."""


@internal
def hands_key(iteration):  # type: ignore[no-untyped-def]
    """Both hands, then the draw that says whether the iteration leaves out actions below the regret floor."""
    return numbered_key(iteration, HANDS)


@internal
def head_key(iteration, player):  # type: ignore[no-untyped-def]
    """The actions that are drawn in the head."""
    return numbered_key(iteration, HEAD + player)


@internal
def rounding_key(iteration, player):  # type: ignore[no-untyped-def]
    """The rounding of sums in the head. It is apart from the actions: the first of two passes adds nothing up."""
    return numbered_key(iteration, ROUNDING + player)


@internal
def board_key(iteration, cluster, sample):  # type: ignore[no-untyped-def]
    """The board that a public cluster draws. Plain sampling deals that of cluster 0, sample 0."""
    return numbered_key(numbered_key(iteration, BOARD), _number(cluster, sample))


@internal
def below_key(iteration, player, node, sample):  # type: ignore[no-untyped-def]
    """What is drawn below a continuation, at `node` of the walk."""
    return numbered_key(numbered_key(iteration, BELOW + player), _number(node, sample))


@internal
def _number(place, sample):  # type: ignore[no-untyped-def]
    return np.int64(place) | np.int64(sample) << SAMPLE_SHIFT
