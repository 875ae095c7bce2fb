"""Workers: whatever has the children of some clusters and answers requests, one after another.

An engine is a class of `Workers`: it begins workers, carries requests and answers, and tells when a worker has
ended. `solvent.training.distributed.recovering` makes `Children` of it. Inside a worker is an `OwnedChildren`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol

import numpy as np

from solvent.foundation.errors import InputError
from solvent.training.distributed.batches import Batch
from solvent.training.distributed.child import Child
from solvent.training.distributed.engines import LocalChildren

MakeChildren = Callable[[Sequence[int]], Sequence[Child]]
"""Makes the children of some clusters inside a worker. It must be possible to pickle it."""
VALUES, DISCOUNT, SHARDS, SAVE, LOAD = "values", "discount", "shards", "save", "load"
"""Kinds of requests. The first two change tables: they are told again to a worker that takes another's place."""


class Request(NamedTuple):
    """A request to a worker."""

    kind: str
    given: Any = None
    """A `Batch`, a `Discount`, nothing, the name of a folder, or shards by cluster and the turns they have had."""


class LostWorkerError(InputError):
    """A worker has ended, by itself or with its machine."""


class LostClusterError(InputError):
    """The cluster of the workers has ended or lost too much for the training to continue there."""


class Workers(Protocol):
    """An engine of workers, which are numbered from 0; each begins with tables of zeros."""

    @property
    def owned(self) -> Sequence[Sequence[int]]:
        """The clusters of each worker."""
        ...

    def ask(self, workers: Iterable[int], request: Request) -> None:
        """Send a request to some workers and do not wait. That one of them is lost is told by `next_answer`.

        A worker that has not answered an earlier request answers that first.
        """
        ...

    def next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        """Wait for one of these workers, each of which has been asked; return it and its oldest answer.

        An exception that the worker raised is its answer, and a `LostWorkerError` is that of one that has ended.
        """
        ...

    def replace(self, worker: int) -> None:
        """Put a new worker with the same clusters in the place of one that was lost.

        A `LostClusterError` says that there is no place for one.
        """
        ...

    def check(self) -> None:
        """Raise a `LostClusterError` where what runs the workers has ended, even if they still answer."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


class OwnedChildren(LocalChildren):
    """The children of a worker's clusters."""

    def __init__(self, make: MakeChildren, owned: Sequence[int]) -> None:
        super().__init__(make(owned))

    def answer(self, request: Request) -> Any:
        """Do what a request asks for.

        `SAVE` answers with the tables themselves where the folder cannot be seen, on another machine for instance.
        `LOAD` answers with the clusters whose files cannot be seen; then it has loaded nothing.
        """
        kind, given = request
        if kind == VALUES:
            self.start(_writable(given))
            return self.values()
        if kind == DISCOUNT:
            return self.discount(given)
        if kind == SHARDS:
            return self.shards()
        if kind == SAVE:
            folder = Path(given)
            return self.save(folder) if folder.is_dir() else self.shards()
        if kind == LOAD:
            return self.load_found(*given)
        raise ValueError(f"a worker cannot {kind!r}")


def serve(pipe: Connection, make: MakeChildren, owned: Sequence[int]) -> None:
    """Run a worker until its pipe is closed: make children, say that they are there, answer requests.

    Requests are read while the children work, so that whoever asks never waits for a worker that waits to answer.
    """
    try:
        try:
            children = OwnedChildren(make, owned)
        except Exception as error:
            pipe.send(_told(error))
            return
        pipe.send(None)
        requests: SimpleQueue[bytes | None] = SimpleQueue()
        Thread(target=_read, args=(pipe, requests), daemon=True).start()
        while (message := requests.get()) is not None:
            try:
                answer = children.answer(pickle.loads(message))
            except Exception as error:
                answer = _told(error)
            pipe.send(answer)
    except (EOFError, OSError):
        return


def _read(pipe: Connection, requests: SimpleQueue[bytes | None]) -> None:
    """Pass on what comes through a pipe, and None at its end."""
    try:
        while True:
            requests.put(pipe.recv_bytes())
    except (EOFError, OSError):
        requests.put(None)


def _told(error: Exception) -> Exception:
    """Word an error for the head: one that users can mend unchanged, anything else by its name."""
    if isinstance(error, (ValueError, OSError)):
        return error
    if isinstance(error, MemoryError):
        return InputError("a worker finds no memory for its tables: give fewer children, or --memory")
    return RuntimeError(f"a worker failed: {type(error).__name__}: {error}")


def share_out(clusters: int, workers: int) -> list[list[int]]:
    """The clusters of each worker: cluster n goes to worker n modulo their number."""
    if not 1 <= workers <= clusters:
        many = "1 public cluster takes 1 child"
        if clusters > 1:
            many = f"{clusters} public clusters take 1 to {clusters} children"
        raise InputError(f"{many}, not {workers}")
    return [list(range(worker, clusters, workers)) for worker in range(workers)]


def _writable(batch: Batch) -> Batch:
    """A batch whose arrays may be written to: kernels take others for another type."""
    return batch._replace(
        ends=np.require(batch.ends, requirements="W"), node=np.require(batch.node, requirements="W")
    )
