"""Buckets by rule as the tables of a card abstraction, so that training, play and evaluation look them up as any.

There is one public cluster: what the board is like is part of a rule bucket (`rule_buckets`). A river code is a
river bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.rule_buckets import RuleBuckets
from solvent.cards.isomorphism import Indexer
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch

PIECE = 1 << 18
"""Classes of hands that a thread looks at at once."""


def rule_tables(
    threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> dict[str, NDArray[Any]]:
    """The tables that a look-up reads: the rule bucket of every class of hands on every street."""
    return {
        "cluster_of_flop": np.zeros(Indexer([3]).size, dtype=np.int16),
        "flop": class_buckets([2, 3], threads, watch, stop),
        "turn": class_buckets([2, 3, 1], threads, watch, stop),
        "river_code": class_buckets([2, 5], threads, watch, stop),
        "river": np.arange(RuleBuckets(5).size, dtype=np.uint16)[None],
    }


def class_buckets(
    pattern: list[int], threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> NDArray[np.uint16]:
    """uint16[classes]: the rule bucket of each class of hole cards and a board dealt in this pattern."""
    size, boards = Indexer(pattern).size, sum(pattern) - 2
    buckets = np.empty(size, dtype=np.uint16)

    def work(start: int, end: int, _: None) -> None:
        buckets[start:end] = buckets_of(pattern, start, end)

    in_pieces(work, size, PIECE, [None] * threads, watch=watch, stage=f"boards of {boards} cards", stop=stop)
    return buckets


def buckets_of(pattern: list[int], start: int, end: int) -> NDArray[np.int32]:
    """int32[end - start]: the rule buckets of some classes, from one number to another."""
    return RuleBuckets(sum(pattern) - 2).buckets(Indexer(pattern).hands(np.arange(start, end)))
