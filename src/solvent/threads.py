"""Work in pieces on several threads: kernels release the interpreter's lock, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Room = TypeVar("Room")

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


def in_pieces(
    work: Callable[[int, int, Room], None],
    count: int,
    piece: int,
    rooms: list[Room],
    progress: Progress | None = None,
) -> None:
    """Call work(start, end, room) for pieces that cover 0 to `count`, one thread a room.

    A room is one thread's own memory: no two calls have one at the same time. An interrupt or an error ends the
    work once the pieces under way are done.
    """
    free: SimpleQueue[Room] = SimpleQueue()
    for room in rooms:
        free.put(room)

    def one(start: int) -> None:
        room = free.get()
        try:
            work(start, min(start + piece, count), room)
        finally:
            free.put(room)

    futures: list[Future[None]] = []
    with ThreadPoolExecutor(len(rooms)) as pool:
        try:
            for start in range(0, count, piece):
                futures.append(pool.submit(one, start))
            for done, future in enumerate(futures):
                future.result()
                if progress is not None:
                    progress(min((done + 1) * piece, count), count)
        finally:
            for future in futures:
                future.cancel()
