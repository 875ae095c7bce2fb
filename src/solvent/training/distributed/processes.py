"""Children in worker processes of one machine, which share nothing: each has the clusters it was given."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from solvent.foundation.kernels.threads import unbroken
from solvent.foundation.progress import SIGNALS
from solvent.training.distributed.recovering import WorkerChildren
from solvent.training.distributed.workers import (
    LostWorkerError,
    MakeChildren,
    Request,
    serve,
    share_out,
)

CLOSING_SECONDS = 10.0
"""Seconds that a worker may take to end before it is killed."""


class ProcessWorkers:
    """`Workers` that are processes, asked through pipes."""

    def __init__(self, make: MakeChildren, clusters: int, workers: int) -> None:
        self.owned = share_out(clusters, workers)
        self._make, self._closed = make, False
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        try:
            for owned in self.owned:
                pipe, process = self._begin(owned)
                self._pipes.append(pipe)
                self._processes.append(process)
            for worker in range(workers):
                self._check_ready(worker)
        except BaseException:
            self.close()
            raise

    @property
    def process_ids(self) -> list[int]:
        """The workers' process ids."""
        return [process.pid or 0 for process in self._processes]

    def ask(self, workers: Iterable[int], request: Request) -> None:
        message = pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL)
        for worker in workers:
            with suppress(OSError):  # a worker that has ended is found by `next_answer`
                self._pipes[worker].send_bytes(message)

    def next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        ready = wait([self._pipes[worker] for worker in waiting])
        worker = next(each for each in waiting if self._pipes[each] in ready)
        try:
            return worker, self._pipes[worker].recv()
        except (EOFError, OSError):
            names = ", ".join(map(str, self.owned[worker]))
            return worker, LostWorkerError(f"the worker process with public clusters {names} has ended")

    def replace(self, worker: int) -> None:
        self._pipes[worker].close()
        _end(self._processes[worker], seconds=0.0)
        self._pipes[worker], self._processes[worker] = self._begin(self.owned[worker])
        self._check_ready(worker)

    def check(self) -> None:
        """Nothing to find out: this machine runs the workers."""

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        unbroken(self._end_all)

    def _end_all(self) -> None:
        for pipe in self._pipes:
            pipe.close()  # a worker ends when nobody is left to ask it
        for process in self._processes:
            _end(process, CLOSING_SECONDS)

    def _begin(self, owned: Sequence[int]) -> tuple[Connection, Any]:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self._make, owned), daemon=True)
        with _no_signals():
            process.start()
        theirs.close()
        return ours, process

    def _check_ready(self, worker: int) -> None:
        answer = self.next_answer([worker])[1]
        if isinstance(answer, BaseException):
            raise answer


class ProcessChildren(WorkerChildren):
    """`Children` in worker processes. Cluster n belongs to worker n modulo their number."""

    def __init__(self, make: MakeChildren, clusters: int, workers: int) -> None:
        self.processes = ProcessWorkers(make, clusters, workers)
        super().__init__(self.processes)


def _end(process: Any, seconds: float) -> None:
    """Wait for a process to end, and kill it when that takes longer than `seconds`."""
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()


@contextmanager
def _no_signals() -> Iterator[None]:
    """Begin processes to which Ctrl-C and a closed terminal do nothing: they are for the head, which saves."""
    resource_tracker.ensure_running()  # beginning it would let the signals through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
