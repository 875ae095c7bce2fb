"""Children in workers that may be lost: a lost worker is replaced, and its tables become what they were.

Tables are a function of the last checkpoint and of what the children have been told since, because every draw is
keyed. So the head keeps a log of the batches and discounts since the last whole checkpoint. A worker that takes the
place of a lost one loads the shards of that checkpoint, is told everything in the log, and has the same
tables bit for bit, whatever the engine.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import write_array
from solvent.strategy.agents.blueprint import CLUSTER
from solvent.training.distributed.batches import Batch, Children, Discount, Reply, Shard, ShardFile, Traffic
from solvent.training.distributed.engines import check_shards, read_shard
from solvent.training.distributed.workers import (
    DISCOUNT,
    LOAD,
    SAVE,
    SHARDS,
    VALUES,
    LostWorkerError,
    Request,
    Workers,
)

ATTEMPTS = 3
"""Replacements of a worker for one request before the training gives up."""
ENTRY_BYTES = 500
"""Bytes of an entry of the log beside its arrays, about."""


class WorkerChildren(Children):
    """Children in workers of any engine, which are replaced when they are lost."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self._owned = [list(owned) for owned in workers.owned]
        self._all = range(len(self._owned))
        self._base: tuple[Mapping[int, Shard], int] | None = None
        self._log: list[Request] = []
        self._under_way: deque[tuple[Request, float]] = deque()
        """Batches whose values have not been asked for, oldest first, and when they were sent."""
        self._early: list[deque[Any]] = [deque() for _ in self._all]
        """By worker: answers to batches under way that came while a lost worker was replaced."""
        self._heard = [0.0 for _ in self._all]
        """The time of each worker's last answer."""
        self._traffic = [Traffic(tuple(owned), 0, 0.0, 0.0, 0) for owned in self._owned]

    @property
    def clusters(self) -> int:
        return sum(map(len, self._owned))

    def start(self, batch: Batch) -> None:
        if any(request.given.number == batch.number for request, _ in self._under_way):
            return
        last = self._log[-1] if self._log else None
        if last is None or last.kind != VALUES or last.given.number != batch.number:
            self._note_down(Request(VALUES, batch), _batch_bytes(batch))
        self._under_way.append((self._log[-1], time.perf_counter()))
        self.workers.ask(self._all, self._log[-1])

    def prepare(self, batch: Batch) -> None:
        self.start(batch)

    def values(self) -> list[Reply]:
        if not self._under_way:
            raise InputError("start a batch before asking for its values")
        request, sent = self._under_way[0]
        try:
            answers = self._gather(request, sent)
        finally:
            self._under_way.popleft()
        return sorted(
            (reply for of_worker in answers for reply in of_worker), key=lambda reply: reply.cluster
        )

    def discount(self, factors: Discount) -> None:
        self._note_down(Request(DISCOUNT, factors), 0)
        self._ask(self._log[-1])

    def shards(self) -> dict[int, NDArray[np.float32]]:
        return {n: shard for of_worker in self._ask(Request(SHARDS)) for n, shard in of_worker.items()}

    def save(self, folder: Path) -> dict[str, dict[str, Any]]:
        """Write every table to a file: by its worker where that sees the folder, else by this process."""
        files: dict[str, dict[str, Any]] = {}
        for answer in self._ask(Request(SAVE, str(folder.absolute()))):
            for key, found in answer.items():
                if isinstance(key, str):
                    files[key] = found
                else:
                    name = CLUSTER.format(key)
                    files[name] = write_array(folder / f"{name}.npy", found)
        return files

    def saved(self, shards: Mapping[int, ShardFile], turns: int) -> None:
        self._base, self._log, self.log_bytes = (dict(shards), turns), [], 0

    def load(self, shards: Mapping[int, Shard], turns: int) -> None:
        check_shards(shards, self.clusters)
        self._base, self._log, self.log_bytes = (dict(shards), turns), [], 0
        self._ask(Request(LOAD))  # of each worker only what is its own

    def check(self) -> None:
        self.workers.check()

    def traffic(self) -> list[Traffic]:
        return list(self._traffic)

    def close(self) -> None:
        self.workers.close()

    def _note_down(self, request: Request, size: int) -> None:
        """Keep a request that changes tables, for workers that take another's place."""
        self._log.append(request)
        self.log_bytes += size + ENTRY_BYTES

    # Asking, and what happens when a worker does not answer

    def _ask(self, request: Request) -> list[Any]:
        """Ask all workers; returns their answers in order. The values of all batches must have been asked for."""
        if self._under_way:
            number = self._under_way[0][0].given.number
            raise InputError(f"the values of turn {number} are still to come: ask for them first")
        if request.kind != LOAD:
            self.workers.ask(self._all, request)
        else:
            for worker in self._all:
                self.workers.ask([worker], self._load_request(worker))
        return self._gather(request, time.perf_counter())

    def _gather(self, request: Request, sent: float) -> list[Any]:
        """One answer of each worker, by worker, in whatever order they come. The first error is raised last."""
        answers: dict[int, Any] = {}
        errors: list[BaseException] = []
        waiting = set(self._all)
        while waiting:
            worker, answer = self._next_answer(waiting)
            waiting.remove(worker)
            if isinstance(answer, LostWorkerError):
                answer = self._replace(worker, request, answer)
            elif request.kind == LOAD and answer:
                answer = self._send_tables(worker)
            if isinstance(answer, BaseException):
                errors.append(answer)
                continue
            answers[worker] = answer
            self._note(worker, request, answer, sent)
        if errors:
            raise errors[0]
        return [answers[worker] for worker in self._all]

    def _next_answer(self, waiting: Collection[int]) -> tuple[int, Any]:
        for worker in waiting:
            if self._early[worker]:
                return worker, self._early[worker].popleft()
        return self.workers.next_answer(waiting)

    def _replace(self, worker: int, request: Request, lost: LostWorkerError) -> Any:
        """Put a new worker in the place of one that was lost, and tell it all that the lost one was told.

        Returns its answer to the request. What it answers to batches that were sent after it is kept for later.
        """
        logged = request.kind in (VALUES, DISCOUNT, LOAD)
        again = self._log if logged else [*self._log, request]
        later = [each for each, _ in self._under_way if each is not request]
        for _ in range(ATTEMPTS):
            self.replaced += 1
            answer: Any = None
            try:
                self.workers.replace(worker)
            except LostWorkerError as error:
                lost = error
                continue
            if self._base is not None:
                answer = self._tell(worker, self._load_request(worker))
                if isinstance(answer, list) and answer:
                    answer = self._send_tables(worker)
            wanted, kept = answer, []
            for each in again:
                if isinstance(answer, BaseException):
                    break
                answer = self._tell(worker, each)
                if any(each is one for one in later):
                    kept.append(answer)
                else:
                    wanted = answer
            if not isinstance(answer, LostWorkerError):
                self._early[worker].extend(kept)
                return wanted
            lost = answer
        return LostWorkerError(f"{lost}, as did {ATTEMPTS} others in its place")

    def _tell(self, worker: int, request: Request) -> Any:
        """Ask one worker and wait for its answer."""
        self.workers.ask([worker], request)
        return self.workers.next_answer({worker})[1]

    def _load_request(self, worker: int) -> Request:
        assert self._base is not None
        shards, turns = self._base
        return Request(LOAD, ({n: shards[n] for n in self._owned[worker]}, turns))

    def _send_tables(self, worker: int) -> Any:
        """Have a worker that does not see the files of its shards load their numbers."""
        assert self._base is not None
        shards, turns = self._base
        tables = {n: read_shard(shards[n]) for n in self._owned[worker]}
        missing = [n for n, table in tables.items() if table is None]
        if missing:
            return InputError(f"the shard of cluster {missing[0]} is missing or damaged")
        return self._tell(worker, Request(LOAD, ({n: np.asarray(t) for n, t in tables.items()}, turns)))

    def _note(self, worker: int, request: Request, answer: Any, sent: float) -> None:
        """Count the work and the bytes of an answer to a batch that was sent at some time."""
        if request.kind != VALUES:
            return
        now = time.perf_counter()
        so_far, took = self._traffic[worker], now - max(sent, self._heard[worker])
        self._heard[worker] = now
        work = sum(reply.seconds for reply in answer)
        passed = _batch_bytes(request.given) + sum(reply.values.nbytes for reply in answer)
        self._traffic[worker] = Traffic(
            so_far.clusters,
            so_far.turns + 1,
            so_far.work + work,
            so_far.latency + max(0.0, took - work),
            so_far.bytes + passed,
        )


def _batch_bytes(batch: Batch) -> int:
    return int(batch.ends.nbytes + batch.node.nbytes)
