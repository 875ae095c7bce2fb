"""Shards: a blueprint's table in parts that can be trained apart, one for the head and one for each cluster."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import Blueprint

HEAD, FROZEN, CLUSTER = "head", "frozen", "cluster_{:04}"
"""Names of shards in a checkpoint. `FROZEN` is an older head, which the next turn of a training reads."""


def split_table(blueprint: Blueprint) -> dict[str, NDArray[np.float32]]:
    """A blueprint's table as shards, which are views of it: the head, then the clusters in order."""
    head, arenas = np.split(blueprint.table, [blueprint.layout.head])
    shards = np.split(arenas, blueprint.layout.clusters)
    return {HEAD: head} | {CLUSTER.format(n): shard for n, shard in enumerate(shards)}


def join_shards(blueprint: Blueprint, tables: Mapping[str, NDArray[np.float32]]) -> None:
    """Write shards into a blueprint's table."""
    places = split_table(blueprint)
    if tables.keys() - {FROZEN} != places.keys():
        raise InputError(
            f"these shards are of another training: this one has a head and {len(places) - 1} clusters"
        )
    for name, place in places.items():
        if tables[name].shape != place.shape or tables[name].dtype != np.float32:
            raise InputError(f"the shard {name!r} is not one of {place.size:,} float32 numbers")
        place[:] = tables[name]
