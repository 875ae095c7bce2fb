"""Workers that are Ray actors: each has the public clusters that it was given, and shares nothing.

Ray restarts no actor by itself, because a new one knows nothing: `recovering` asks for another in its place, sets
its tables and lets it catch up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from solvent.foundation.errors import InputError
from solvent.solvers.distributed.ray_engine.connecting import RayCluster
from solvent.solvers.distributed.ray_engine.placing import place
from solvent.solvers.distributed.recovering import WorkerChildren
from solvent.solvers.distributed.workers import (
    VALUES,
    LostWorkerError,
    MakeChildren,
    OwnedChildren,
    Request,
    share_out,
)

INLINE_BYTES = 90_000
"""A batch up to this size goes to each actor in the call itself; a larger one once to each node."""
STARTING_SECONDS = 120.0
"""How long a process for an actor may take to start on its node."""
ROOM_SECONDS = 60.0
"""How long to wait for room for an actor that takes another's place."""
PASSED_ON = ("NUMBA_CACHE_DIR",)
"""Variables of this process's environment that hold in actors too."""


class ChildrenActor:
    """What an actor is. It is made without children, so that a node that does not answer is noticed soon."""

    def __init__(self) -> None:
        self._owned: OwnedChildren | None = None

    def ready(self) -> int:
        """The process id, once the process runs."""
        return os.getpid()

    def begin(self, make: MakeChildren, owned: Sequence[int]) -> None:
        """Make the children, which may take long: cards are read, and kernels compiled."""
        self._owned = OwnedChildren(make, owned)

    def answer(self, request: Request) -> Any:
        """Do what a request asks for."""
        assert self._owned is not None
        return self._owned.answer(request)


@dataclass
class Actor:
    """An actor from the head's side."""

    handle: Any
    node: str
    """Ray's id of the node that it was placed on."""
    process: int = 0
    """The process id on its node."""


class RayWorkers:
    """`Workers` that are actors."""

    def __init__(
        self,
        cluster: RayCluster,
        make: MakeChildren,
        clusters: int,
        actors: int,
        needs: Callable[[Sequence[int]], int] = lambda owned: 0,
        cores: int = 1,
    ) -> None:
        """needs: bytes that an actor with some clusters takes. cores: threads of a child.

        The cluster is closed with the workers.
        """
        self.owned = share_out(clusters, actors)
        self._cluster, self._ray, self._make = cluster, cluster.ray, make
        self._needs, self._cores = needs, cores
        self.actors: list[Actor] = []
        self._asked: dict[int, Any] = {}
        try:
            self.actors = self._begin(self.owned, patience=0.0)
        except BaseException:
            self.close()
            raise

    def ask(self, workers: Iterable[int], request: Request) -> None:
        given = request if _small(request) else self._ray.put(request)
        for worker in workers:
            self._asked[worker] = self.actors[worker].handle.answer.remote(given)

    def next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        asked = {self._asked[worker]: worker for worker in waiting}
        ready, _ = self._ray.wait(list(asked), num_returns=1)
        worker = asked[ready[0]]
        del self._asked[worker]
        try:
            return worker, self._ray.get(ready[0])
        except self._ray.exceptions.RayActorError as error:
            return worker, self._lost(self.owned[worker], error)
        except self._ray.exceptions.RayTaskError as error:
            return worker, error.cause if isinstance(error.cause, Exception) else error

    def replace(self, worker: int) -> None:
        self._end(self.actors[worker])
        self.actors[worker] = self._begin([self.owned[worker]], ROOM_SECONDS)[0]

    def close(self) -> None:
        for actor in self.actors:
            self._end(actor)
        self.actors, self._asked = [], {}
        self._cluster.close()

    def _begin(self, owned: Sequence[Sequence[int]], patience: float) -> list[Actor]:
        """New actors with their children, where there is room within so many seconds."""
        needs = [self._needs(each) for each in owned]
        actors = [self._start(*each) for each in zip(self._places(needs, patience), needs, strict=True)]
        try:
            asked = [actor.handle.ready.remote() for actor in actors]
            for actor, process in zip(actors, self._all(asked, owned, STARTING_SECONDS), strict=True):
                actor.process = process
            make = self._ray.put(self._make)
            asked = [actor.handle.begin.remote(make, each) for actor, each in zip(actors, owned, strict=True)]
            self._all(asked, owned, None)
        except BaseException:
            for actor in actors:
                self._end(actor)
            raise
        return actors

    def _places(self, needs: Sequence[int], patience: float) -> list[str]:
        until = time.monotonic() + patience
        while True:
            try:
                return place(needs, self._cluster.nodes(), self._cores)
            except InputError:
                if time.monotonic() >= until:
                    raise
            time.sleep(1.0)

    def _start(self, node: str, need: int) -> Actor:
        """An actor on a node. It reserves memory there, and no processor, which actors may share."""
        strategies = self._ray.util.scheduling_strategies
        options: dict[str, Any] = {"num_cpus": 0, "memory": need, "max_restarts": 0}
        options["scheduling_strategy"] = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        variables = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        if variables:
            options["runtime_env"] = {"env_vars": variables}
        return Actor(self._ray.remote(ChildrenActor).options(**options).remote(), node)

    def _all(self, asked: Sequence[Any], owned: Sequence[Sequence[int]], seconds: float | None) -> list[Any]:
        """What new actors answer, within so many seconds."""
        errors, answers = self._ray.exceptions, []
        until = None if seconds is None else time.monotonic() + seconds
        for question, each in zip(asked, owned, strict=True):
            try:
                left = None if until is None else max(0.0, until - time.monotonic())
                answers.append(self._ray.get(question, timeout=left))
            except errors.GetTimeoutError as error:
                raise LostWorkerError(f"{_name(each)} has not started within {seconds:.0f} s") from error
            except (errors.RayActorError, errors.ActorUnschedulableError) as error:
                raise self._lost(each, error) from error
            except errors.RayTaskError as error:
                raise (error.cause if isinstance(error.cause, Exception) else error) from None
        return answers

    def _lost(self, owned: Sequence[int], error: Exception) -> LostWorkerError:
        node = " with its node" if "node" in str(error).lower() and "died" in str(error).lower() else ""
        return LostWorkerError(f"{_name(owned)} has ended{node}")

    def _end(self, actor: Actor) -> None:
        if self._ray.is_initialized():
            self._ray.kill(actor.handle)


class RayChildren(WorkerChildren):
    """`Children` in actors. Cluster n belongs to actor n modulo their number."""

    workers: RayWorkers

    def __init__(
        self,
        address: str,
        make: MakeChildren,
        clusters: int,
        actors: int,
        needs: Callable[[Sequence[int]], int] = lambda owned: 0,
        cores: int = 1,
    ) -> None:
        """address: as `RayCluster` takes it. needs: bytes that an actor takes. cores: threads of a child."""
        share_out(clusters, actors)  # what cannot be is refused before a cluster is started
        super().__init__(RayWorkers(RayCluster(address), make, clusters, actors, needs, cores))


def _name(owned: Sequence[int]) -> str:
    return f"the actor with public clusters {', '.join(map(str, owned))}"


def _small(request: Request) -> bool:
    """Whether a request is better sent to each actor than put where all of them find it."""
    if request.kind == VALUES:
        return bool(request.given.node.nbytes + request.given.ends.nbytes <= INLINE_BYTES)
    return request.given is None or isinstance(request.given, str)
