"""Children in actors of a Ray cluster, on one machine or many. Ray must have been started (`ray.init`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from solvent.foundation.extras import extra
from solvent.solvers.distributed.recovering import WorkerChildren
from solvent.solvers.distributed.workers import (
    LostWorkerError,
    MakeChildren,
    OwnedChildren,
    Request,
    share_out,
)


class RayWorkers:
    """`Workers` that are actors."""

    def __init__(self, make: MakeChildren, clusters: int, actors: int, **options: Any) -> None:
        """options: those of every actor, such as `num_cpus` and `memory`, as Ray takes them."""
        self._ray = extra("ray", "clusters of machines")
        self.owned = share_out(clusters, actors)
        kind = self._ray.remote(OwnedChildren)
        self._kind = kind.options(**options) if options else kind
        self._make = make
        self._actors = [self._kind.remote(make, owned) for owned in self.owned]
        self._asked: dict[int, Any] = {}

    def ask(self, workers: Iterable[int], request: Request) -> None:
        shared = self._ray.put(request)
        for worker in workers:
            self._asked[worker] = self._actors[worker].answer.remote(shared)

    def next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        asked = {self._asked[worker]: worker for worker in waiting}
        ready, _ = self._ray.wait(list(asked), num_returns=1)
        worker = asked[ready[0]]
        try:
            return worker, self._ray.get(ready[0])
        except self._ray.exceptions.RayActorError:
            names = ", ".join(map(str, self.owned[worker]))
            return worker, LostWorkerError(f"the actor with public clusters {names} has ended")
        except self._ray.exceptions.RayTaskError as error:
            return worker, error.cause if isinstance(error.cause, (ValueError, OSError)) else error

    def replace(self, worker: int) -> None:
        self._ray.kill(self._actors[worker])
        self._actors[worker] = self._kind.remote(self._make, self.owned[worker])

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []


class RayChildren(WorkerChildren):
    """`Children` in actors. Cluster n belongs to actor n modulo their number."""

    def __init__(self, make: MakeChildren, clusters: int, actors: int, **options: Any) -> None:
        super().__init__(RayWorkers(make, clusters, actors, **options))
