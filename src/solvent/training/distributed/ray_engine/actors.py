"""Workers that are Ray actors: each has the public clusters that it was given, and shares nothing.

Ray starts the actors on their nodes and notices when one ends. What head and children tell each other goes through
a socket of their own: an answer through Ray takes as long as several hundred iterations. Ray restarts no actor by
itself, because a new one knows nothing: `recovering` asks for another in its place, sets its tables and lets it
catch up.
"""

from __future__ import annotations

import os
import pickle
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Client, Connection, Listener, wait
from typing import Any

from solvent.foundation.errors import InputError
from solvent.training.distributed.ray_engine.connecting import LOOKING_SECONDS, RayCluster, uninterrupted
from solvent.training.distributed.ray_engine.placing import place
from solvent.training.distributed.recovering import WorkerChildren
from solvent.training.distributed.workers import (
    LostClusterError,
    LostWorkerError,
    MakeChildren,
    Request,
    serve,
    share_out,
)

STARTING_SECONDS = 120.0
"""Seconds that a process for an actor may take to start on its node."""
ROOM_SECONDS = 60.0
"""Seconds to wait for room for an actor that takes another's place."""
ENDED = object()
"""Stands for the answer of an actor that has ended."""
PASSED_ON = ("NUMBA_CACHE_DIR",)
"""Variables of this process's environment that hold in actors too."""


class ChildrenActor:
    """An actor, made without children, so that a node that does not answer is noticed soon."""

    def listen(self, host: str, key: bytes) -> tuple[int, int]:
        """Begin to listen for the head, which knows the key; return the process id and the port."""
        self._key, self._listener = key, Listener((host, 0), authkey=key)
        return os.getpid(), int(self._listener.address[1])

    def serve(self, make: MakeChildren, owned: Sequence[int]) -> None:
        """Make the children and answer the head until it closes the connection."""
        with self._listener, self._listener.accept() as pipe:
            send_at_once(pipe)
            serve(pipe, make, owned)


def send_at_once(pipe: Connection) -> None:
    """Have the end of a message sent without waiting for more to send."""
    with socket.socket(fileno=os.dup(pipe.fileno())) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@dataclass
class Actor:
    """An actor from the head's side."""

    handle: Any
    node: str
    """Ray's id of the node that it was placed on."""
    process: int = 0
    """The process id on its node."""
    pipe: Any = None
    """The connection to it."""
    serving: Any = None
    """Ray's reference to the call that lasts until the actor ends."""


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
        self._key = secrets.token_bytes(32)
        self.actors: list[Actor] = []
        try:
            self.actors = self._begin(self.owned, patience=0.0)
        except BaseException:
            self.close()
            raise

    def ask(self, workers: Iterable[int], request: Request) -> None:
        message = pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL)
        for worker in workers:
            with suppress(OSError):  # an actor that has ended is found by `next_answer`
                self.actors[worker].pipe.send_bytes(message)

    def next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        workers = list(waiting)
        which, answer = self._hear([self.actors[worker] for worker in workers])
        lost = LostWorkerError(f"{_name(self.owned[workers[which]])} has ended")
        return workers[which], lost if answer is ENDED else answer

    def _hear(self, actors: Sequence[Actor]) -> tuple[int, Any]:
        """Wait for an answer of one of these actors: which of them it is, and the answer, or that it has ended."""
        while True:
            ready = wait([actor.pipe for actor in actors], LOOKING_SECONDS)
            for which, actor in enumerate(actors):
                if actor.pipe in ready:
                    try:
                        return which, actor.pipe.recv()
                    except (EOFError, OSError):
                        return which, ENDED
            self._cluster.check_head()  # Ray could not say that an actor has ended
            ended, _ = self._ray.wait([actor.serving for actor in actors], timeout=0)
            for which, actor in enumerate(actors):
                if actor.serving in ended:  # with its machine, which closed no connection
                    return which, ENDED

    def replace(self, worker: int) -> None:
        self._end(self.actors[worker])
        try:
            self.actors[worker] = self._begin([self.owned[worker]], ROOM_SECONDS)[0]
        except LostWorkerError:
            raise
        except InputError as error:
            raise LostClusterError(str(error)) from error

    def check(self) -> None:
        self._cluster.check_head()

    def close(self) -> None:
        with uninterrupted():
            for actor in self.actors:
                self._end(actor)
            self.actors = []
            self._cluster.close()

    def _begin(self, owned: Sequence[Sequence[int]], patience: float) -> list[Actor]:
        """Begin actors with their children, where there is room within `patience` seconds."""
        needs = [self._needs(each) for each in owned]
        actors = [self._start(*each) for each in zip(self._places(needs, patience), needs, strict=True)]
        try:
            self._connect(actors, owned)
            for actor, each in zip(actors, owned, strict=True):
                answer = self._hear([actor])[1]
                if isinstance(answer, BaseException):
                    raise answer
                if answer is ENDED:
                    raise LostWorkerError(f"{_name(each)} has ended")
        except BaseException:
            for actor in actors:
                self._end(actor)
            raise
        return actors

    def _places(self, needs: Sequence[int], patience: float) -> list[str]:
        until = time.monotonic() + patience
        while True:
            self._cluster.check_head()
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

    def _connect(self, actors: Sequence[Actor], owned: Sequence[Sequence[int]]) -> None:
        """Connect to new actors, once their processes run, and let them make their children."""
        hosts = {node.name: node.address for node in self._cluster.nodes()}
        asked = [actor.handle.listen.remote(hosts.get(actor.node, ""), self._key) for actor in actors]
        make, until = self._ray.put(self._make), time.monotonic() + STARTING_SECONDS
        errors = self._ray.exceptions
        for actor, each, question in zip(actors, owned, asked, strict=True):
            try:
                while not self._ray.wait([question], timeout=LOOKING_SECONDS)[0]:
                    self._cluster.check_head()
                    if time.monotonic() >= until:
                        said = f"{_name(each)} has not started within {STARTING_SECONDS:.0f} s"
                        raise LostWorkerError(said)
                actor.process, port = self._ray.get(question)
                actor.serving = actor.handle.serve.remote(make, each)
                actor.pipe = Client((hosts[actor.node], port), authkey=self._key)
                send_at_once(actor.pipe)
            except (
                errors.RayActorError,
                errors.ActorUnschedulableError,
                EOFError,
                OSError,
                KeyError,
            ) as error:
                raise LostWorkerError(f"{_name(each)} has ended") from error

    def _end(self, actor: Actor) -> None:
        if actor.pipe is not None:
            actor.pipe.close()
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
