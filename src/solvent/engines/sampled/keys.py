"""The keys of every draw of external sampling on hold'em's tables, for one machine and for many.

A draw depends on its key alone, so that the head of Algorithm 4 (`training/distributed`) can repeat its walk, and
the walk below a continuation can be done in another process. With one public cluster at every level all keys are
those of plain sampling. All keys are made from an iteration's, `iteration_key(seed, iteration)`. A walk has one
key, and every node of it a stream of its own, numbered by the node.
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal
from solvent.foundation.kernels.randomness import numbered_key

HANDS, BOARD, WALKS = range(3)
"""The numbers of an iteration's streams; from `WALKS` on one for each sample and player."""
SAMPLE_SHIFT = 32
"""Bits of a board's number that are the cluster; the sample's number stands above them."""


@internal
def hands_key(iteration):  # type: ignore[no-untyped-def]
    """Both hands, then the draw that says whether the iteration leaves out actions below the regret floor."""
    return numbered_key(iteration, HANDS)


@internal
def board_key(iteration, cluster, sample):  # type: ignore[no-untyped-def]
    """The board that a public cluster draws. Plain sampling deals that of cluster 0, sample 0."""
    number = np.int64(cluster) | np.int64(sample) << SAMPLE_SHIFT
    return numbered_key(numbered_key(iteration, BOARD), number)


@internal
def walk_key(iteration, player, sample):  # type: ignore[no-untyped-def]
    """The actions of a walk, and the rounding of sums, at every level. The first head walks with sample 0."""
    return numbered_key(iteration, WALKS + 2 * sample + player)
