"""Work on several threads, in three ways; nothing else in the library starts a thread.

`in_pieces` cuts work into pieces that threads take as they become free. `on_each` makes one call for each worker.
`unbroken` makes one call that no signal breaks off.
Kernels release the interpreter's lock while they run, so threads are enough. Threads are kept for the next call:
starting one takes longer than one pass over a small game.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Lock, Thread, current_thread, main_thread
from typing import Any, Generic, TypeVar

from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.units import check_whole

Room = TypeVar("Room")
Made = TypeVar("Made")

MOST_THREADS = 1024
"""A number above the cores of every machine that this package runs on."""
KEPT = 64
"""Idle threads that are kept at most."""


def in_pieces(
    work: Callable[[int, int, Room], Made],
    count: int,
    piece: int,
    rooms: Sequence[Room],
    *,
    watch: Watch | None = None,
    stage: str = "",
    stop: Stop | None = None,
    cut: Callable[[], None] = lambda: None,
) -> list[Made]:
    """Call work(start, end, room) for pieces that cover 0 to `count`; the results that are not None, in order.

    There is one thread for each room. A room is one thread's own memory: no two calls have it at the same time. A
    single room is worked in on the caller's thread. An error, an interrupt or a requested stop ends the work once
    the pieces under way are done, and `cut` is called to tell them so. After a stop the pieces that were done cover
    0 to `Interrupted.done`.
    """
    pieces, workers = -(-count // piece), min(len(rooms), -(-count // piece))
    taken, finished, told, ended, lock = 0, 0, 0, False, Lock()
    made: dict[int, Made] = {}

    def take_pieces(worker: int) -> None:
        nonlocal taken, finished
        try:
            while True:
                with lock:
                    if ended or taken == pieces or (stop is not None and stop.requested):
                        return
                    at, taken = taken, taken + 1
                found = work(at * piece, min((at + 1) * piece, count), rooms[worker])
                with lock:
                    finished += 1
                    if found is not None:
                        made[at] = found
                if watch is not None:
                    tell() if calls is None else calls.told.put(None)
        except BaseException:
            end()
            raise

    def tell() -> None:
        nonlocal told
        if watch is not None and finished > told:
            told = finished
            watch(Progress(stage, min(told * piece, count), count))

    def end() -> None:
        nonlocal ended
        ended = True
        cut()

    calls = _Calls(take_pieces, workers) if workers > 1 else None
    if calls is not None:
        calls.run(tell, end)
    elif workers == 1:
        take_pieces(0)
    if stop is not None and finished < pieces:
        stop.check(min(finished * piece, count))
    return [made[at] for at in sorted(made)]


def on_each(work: Callable[[int], Made], workers: int) -> list[Made]:
    """Call work(0), work(1), ... side by side, each on a thread of its own; their results in order.

    All calls are finished when this returns or raises: an interrupt waits for them, and the first error of any is
    raised.
    """
    calls = _Calls(work, workers)
    calls.run()
    return [calls.results[which] for which in range(workers)]


def unbroken(call: Callable[[], Made]) -> Made:
    """Make a call that no signal breaks off half-way, and return what it returns.

    Python runs the handlers of signals on the main thread, so there the call is made by another thread. Handlers
    run at once; what they raise is raised when the call is done.
    """
    return on_each(lambda worker: call(), 1)[0] if current_thread() is main_thread() else call()


def check_threads(threads: int) -> None:
    """Refuse a number of threads that no machine has."""
    check_whole("threads", threads, 1, MOST_THREADS)


class _Calls(Generic[Made]):
    """One call for each worker, on threads.

    An interrupt may arrive between any two lines of the caller, so the caller counts nothing: a thread takes its
    number from `todo`, and notes in `ended` that its call is done before it wakes the caller by `told`.
    """

    def __init__(self, work: Callable[[int], Made], workers: int) -> None:
        self.work, self.workers, self.handed = work, workers, 0
        self.todo, self.ended = deque(range(workers)), deque[int]()
        self.results: dict[int, Made] = {}
        self.errors: dict[int, BaseException] = {}
        self.told: SimpleQueue[None] = SimpleQueue()

    def run(self, tell: Callable[[], None] = lambda: None, end: Callable[[], None] = lambda: None) -> None:
        """Make all calls and return when they are done; then raise an interrupt or the first error of any.

        `tell` is called whenever a thread has something to tell. `end` is called when an interrupt arrives.
        """
        raised: BaseException | None = None
        while True:
            try:
                self._hand_out()
                while len(self.ended) < self.workers:
                    self.told.get()
                    if raised is None:
                        tell()
                break
            except BaseException as error:  # an interrupt, or what `tell` has raised
                raised = raised or error
                end()
        if raised is not None:
            raise raised
        if self.errors:
            raise self.errors[min(self.errors)]

    def _hand_out(self) -> None:
        while self.handed < self.workers:
            try:
                thread = _idle.pop()
            except IndexError:
                thread = _Worker()
                thread.start()
            thread.tasks.put(self)
            self.handed += 1

    def call(self) -> int | None:
        """Make one of the calls; its number, or None if an interrupt had it handed out twice."""
        try:
            which = self.todo.popleft()
        except IndexError:
            return None
        try:
            self.results[which] = self.work(which)
        except BaseException as error:
            self.errors[which] = error
        return which


class _Worker(Thread):
    """A thread that makes calls until it is no longer needed."""

    def __init__(self) -> None:
        super().__init__(name="solvent", daemon=True)
        self.tasks: SimpleQueue[_Calls[Any]] = SimpleQueue()

    def run(self) -> None:
        staying = True
        while staying:
            calls = self.tasks.get()
            which = calls.call()
            staying = len(_idle) < KEPT
            if staying:  # before the caller wakes: its next call finds this thread
                _idle.append(self)
            if which is not None:
                calls.ended.append(which)
            calls.told.put(None)
            del calls  # an idle thread must keep no tables alive


_idle: deque[_Worker] = deque()
os.register_at_fork(after_in_child=_idle.clear)
