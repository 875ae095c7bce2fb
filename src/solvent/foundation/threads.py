"""Work in pieces on several threads: kernels release the interpreter's lock, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
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
    starts: SimpleQueue[int] = SimpleQueue()
    for start in range(0, count, piece):
        starts.put(start)
    pieces, ended = starts.qsize(), Event()
    finished: SimpleQueue[BaseException | None] = SimpleQueue()

    def take_pieces(room: Room) -> None:
        while not ended.is_set():
            try:
                start = starts.get_nowait()
            except Empty:
                return
            try:
                work(start, min(start + piece, count), room)
                finished.put(None)
            except BaseException as error:
                finished.put(error)
                return

    threads: list[Thread] = []
    try:
        for room in rooms[:pieces]:
            thread = Thread(target=take_pieces, args=(room,))
            thread.start()
            threads.append(thread)
        for done in range(pieces):
            # An interrupt gets through here, where an executor's own locks might be left in disorder.
            error = finished.get()
            if error is not None:
                raise error
            if progress is not None:
                progress(min((done + 1) * piece, count), count)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
