"""Children in actors of a Ray cluster, on one machine or many. Ray must have been started (`ray.init`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra
from solvent.solvers.distributed.batches import Batch, Reply
from solvent.solvers.distributed.engines import LocalChildren, check_shards
from solvent.solvers.distributed.processes import LostWorkerError, MakeChildren


class OwnedChildren:
    """What an actor is: the children of the clusters that it owns."""

    def __init__(self, make: MakeChildren, owned: Sequence[int]) -> None:
        self._children = LocalChildren(make(owned))

    def ready(self) -> None:
        """Answer once the children are made."""

    def values(self, batch: Batch) -> list[Reply]:
        """The replies of these children. Ray's arrays are read-only, which kernels take for another type."""
        self._children.start(batch._replace(ends=np.array(batch.ends), node=np.array(batch.node)))
        return self._children.values()

    def shards(self) -> dict[int, NDArray[np.float32]]:
        """The tables of these children."""
        return self._children.shards()

    def load(self, shards: Mapping[int, NDArray[Any]], turns: int) -> None:
        """Set the tables of these children."""
        for child in self._children.children:
            child.load(shards[child.cluster], turns)


class RayChildren:
    """`Children` in actors. Cluster n belongs to actor n modulo their number."""

    def __init__(self, make: MakeChildren, clusters: int, actors: int, **options: Any) -> None:
        """options: those of every actor, such as `num_cpus` and `memory`, as Ray takes them."""
        self._ray = extra("ray", "clusters of machines")
        if not 1 <= actors <= clusters:
            raise InputError(f"{clusters} public clusters take 1 to {clusters} children, not {actors}")
        self._clusters = clusters
        self._owned = [list(range(actor, clusters, actors)) for actor in range(actors)]
        kind = self._ray.remote(OwnedChildren)
        kind = kind.options(**options) if options else kind
        self._actors = [kind.remote(make, owned) for owned in self._owned]
        self._asked: list[Any] = []
        self._wait([actor.ready.remote() for actor in self._actors])

    @property
    def clusters(self) -> int:
        return self._clusters

    def start(self, batch: Batch) -> None:
        shared = self._ray.put(batch)
        self._asked = [actor.values.remote(shared) for actor in self._actors]

    def values(self) -> list[Reply]:
        replies = [reply for of_actor in self._wait(self._asked) for reply in of_actor]
        return sorted(replies, key=lambda reply: reply.cluster)

    def shards(self) -> dict[int, NDArray[np.float32]]:
        found = self._wait([actor.shards.remote() for actor in self._actors])
        return {n: shard for of_actor in found for n, shard in of_actor.items()}

    def load(self, shards: Mapping[int, NDArray[Any]], turns: int) -> None:
        check_shards(shards, self._clusters)
        self._wait(
            [
                actor.load.remote({n: np.asarray(shards[n]) for n in owned}, turns)
                for actor, owned in zip(self._actors, self._owned, strict=True)
            ]
        )

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []

    def _wait(self, asked: Sequence[Any]) -> list[Any]:
        """One answer of each actor, by actor, in whatever order they come."""
        answers = []
        for owned, each in zip(self._owned, asked, strict=True):
            try:
                answers.append(self._ray.get(each))
            except self._ray.exceptions.RayActorError as error:
                names = ", ".join(map(str, owned))
                raise LostWorkerError(f"the actor with public clusters {names} has ended") from error
            except self._ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, InputError):
                    raise error.cause from error
                raise
        return answers
