"""Children in this process: for tests, for one machine, and as the meaning of every other engine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.storage.bundle import write_array
from solvent.strategy.agents.blueprint import CLUSTER
from solvent.training.distributed.batches import Batch, Children, Discount, Reply, Shard, ShardFile
from solvent.training.distributed.child import Child


class LocalChildren(Children):
    """Children in this process, shared among threads: no two of them have a table in common."""

    def __init__(self, children: Sequence[Child], threads: int = 1) -> None:
        self.children = list(children)
        self._threads = [None] * threads
        self._batch: Batch | None = None

    @property
    def clusters(self) -> int:
        return len(self.children)

    def start(self, batch: Batch) -> None:
        self._batch = batch

    def values(self) -> list[Reply]:
        batch = self._batch
        if batch is None:
            raise InputError("start a batch before asking for its values")

        def value(start: int, stop: int, room: None) -> Reply:
            return self.children[start].values(batch)

        return in_pieces(value, len(self.children), 1, self._threads)

    def discount(self, factors: Discount) -> None:
        def scale(start: int, stop: int, room: None) -> None:
            self.children[start].discount(factors)

        in_pieces(scale, len(self.children), 1, self._threads)

    def shards(self) -> dict[int, NDArray[np.float32]]:
        return {child.cluster: child.table for child in self.children}

    def save(self, folder: Path) -> dict[str, dict[str, Any]]:
        tables = {CLUSTER.format(child.cluster): child.table for child in self.children}
        return {name: write_array(folder / f"{name}.npy", table) for name, table in tables.items()}

    def load(self, shards: Mapping[int, Shard], turns: int) -> None:
        check_shards(shards, self.clusters)
        if missing := self.load_found(shards, turns):
            raise InputError(f"the shard of cluster {missing[0]} is missing or damaged")

    def load_found(self, shards: Mapping[int, Shard], turns: int) -> list[int]:
        """Load the children's shards; returns the clusters whose files cannot be read: then nothing is loaded."""
        found = {child.cluster: read_shard(shards[child.cluster]) for child in self.children}
        tables = {cluster: table for cluster, table in found.items() if table is not None}
        if len(tables) == len(found):
            for child in self.children:
                child.load(tables[child.cluster], turns)
        return [cluster for cluster in found if cluster not in tables]


def read_shard(shard: Shard) -> NDArray[np.float32] | None:
    """Read the numbers of a shard; None if its file cannot be read here or has another content."""
    if not isinstance(shard, ShardFile):
        return shard
    try:
        with open(shard.path, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != shard.sha256:
                return None
        table: NDArray[np.float32] = np.load(shard.path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    return table


def check_shards(shards: Mapping[int, Shard], clusters: int) -> None:
    """Refuse shards that are not one for each cluster."""
    if sorted(shards) != list(range(clusters)):
        raise InputError(
            f"there are {clusters} clusters, and shards of {len(shards)}: one is needed for each"
        )
