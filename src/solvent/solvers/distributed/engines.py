"""Children in this process, one after another: for tests, and as the meaning of every other engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.solvers.distributed.batches import Batch, Reply
from solvent.solvers.distributed.child import Child


class LocalChildren:
    """`Children` in this process."""

    def __init__(self, children: Sequence[Child]) -> None:
        self.children = list(children)
        self._batch: Batch | None = None

    @property
    def clusters(self) -> int:
        return len(self.children)

    def start(self, batch: Batch) -> None:
        self._batch = batch

    def values(self) -> list[Reply]:
        if self._batch is None:
            raise InputError("start a batch before asking for its values")
        return [child.values(self._batch) for child in self.children]

    def shards(self) -> dict[int, NDArray[np.float32]]:
        return {child.cluster: child.table for child in self.children}

    def load(self, shards: Mapping[int, NDArray[Any]], turns: int) -> None:
        check_shards(shards, self.clusters)
        for child in self.children:
            child.load(shards[child.cluster], turns)

    def close(self) -> None:
        pass


def check_shards(shards: Mapping[int, NDArray[Any]], clusters: int) -> None:
    """Refuse shards that are not one for each cluster."""
    if sorted(shards) != list(range(clusters)):
        raise InputError(
            f"there are {clusters} clusters, and shards of {len(shards)}: one is needed for each"
        )
