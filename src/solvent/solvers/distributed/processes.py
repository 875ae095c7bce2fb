"""Children in worker processes of one machine, which share nothing: each has the clusters it was given."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.solvers.distributed.batches import Batch, Reply
from solvent.solvers.distributed.child import Child
from solvent.solvers.distributed.engines import LocalChildren, check_shards

MakeChildren = Callable[[Sequence[int]], Sequence[Child]]
"""Makes the children of some clusters inside a worker. It must be possible to pickle it."""
CLOSING_SECONDS = 10.0
"""How long a worker may take to end before it is killed."""


class LostWorkerError(RuntimeError):
    """A worker process has ended. Its clusters go on from their last shards, in a new engine."""


class ProcessChildren:
    """`Children` in worker processes. Cluster n belongs to worker n modulo their number."""

    def __init__(self, make: MakeChildren, clusters: int, workers: int) -> None:
        if not 1 <= workers <= clusters:
            raise InputError(f"{clusters} public clusters take 1 to {clusters} workers, not {workers}")
        self._clusters, self._closed = clusters, False
        self._owned = [list(range(worker, clusters, workers)) for worker in range(workers)]
        context = get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes = []
        try:
            for owned in self._owned:
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, make, owned), daemon=True)
                process.start()
                theirs.close()
                self._pipes.append(ours)
                self._processes.append(process)
            self._gather("ready")
        except BaseException:
            self.close()
            raise

    @property
    def clusters(self) -> int:
        return self._clusters

    @property
    def process_ids(self) -> list[int]:
        """The workers' process ids."""
        return [process.pid or 0 for process in self._processes]

    def start(self, batch: Batch) -> None:
        for worker in range(len(self._pipes)):
            self._send(worker, ("values", batch))

    def values(self) -> list[Reply]:
        replies = [reply for of_worker in self._gather("values") for reply in of_worker]
        return sorted(replies, key=lambda reply: reply.cluster)

    def shards(self) -> dict[int, NDArray[np.float32]]:
        for worker in range(len(self._pipes)):
            self._send(worker, ("shards", None))
        return {n: shard for of_worker in self._gather("shards") for n, shard in of_worker.items()}

    def load(self, shards: Mapping[int, NDArray[Any]], turns: int) -> None:
        check_shards(shards, self._clusters)
        for worker, owned in enumerate(self._owned):
            self._send(worker, ("load", ({n: np.asarray(shards[n]) for n in owned}, turns)))
        self._gather("load")

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for pipe in self._pipes:
            pipe.close()  # a worker ends when nobody is left to ask it
        for process in self._processes:
            process.join(CLOSING_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _send(self, worker: int, message: tuple[str, Any]) -> None:
        try:
            self._pipes[worker].send(message)
        except OSError as error:
            raise self._lost(worker) from error

    def _gather(self, kind: str) -> list[Any]:
        """One answer of each worker, by worker, in whatever order they come. The first error is raised last."""
        answers: dict[int, Any] = {}
        errors: list[BaseException] = []
        waiting = {id(pipe): worker for worker, pipe in enumerate(self._pipes)}
        while waiting:
            for pipe in wait([self._pipes[worker] for worker in waiting.values()]):
                worker = waiting.pop(id(pipe))
                try:
                    told, answer = self._pipes[worker].recv()
                except (EOFError, OSError):
                    errors.append(self._lost(worker))
                    continue
                if told == "error":
                    errors.append(answer)
                elif told != kind:
                    errors.append(RuntimeError(f"worker {worker} answered {told!r} to {kind!r}"))
                answers[worker] = answer
        if errors:
            raise errors[0]
        return [answers[worker] for worker in range(len(self._pipes))]

    def _lost(self, worker: int) -> LostWorkerError:
        names = ", ".join(map(str, self._owned[worker]))
        return LostWorkerError(f"the worker process with public clusters {names} has ended")


def _work(pipe: Connection, make: MakeChildren, clusters: Sequence[int]) -> None:
    """What a worker process does until its pipe is closed. Interrupts are for the head, which saves and closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        children = LocalChildren(make(clusters))
        pipe.send(("ready", None))
        while True:
            kind, given = pipe.recv()
            try:
                pipe.send((kind, _answer(children, kind, given)))
            except (InputError, RuntimeError) as error:
                pipe.send(("error", error))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        pipe.send(("error", RuntimeError(f"a worker process failed: {type(error).__name__}: {error}")))


def _answer(children: LocalChildren, kind: str, given: Any) -> Any:
    if kind == "values":
        children.start(given)
        return children.values()
    if kind == "shards":
        return children.shards()
    for child in children.children:
        child.load(given[0][child.cluster], given[1])
    return None
