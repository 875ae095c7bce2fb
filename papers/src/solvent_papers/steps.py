"""Progress of an experiment: a sentence for each step that begins."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from solvent.foundation.progress import Progress, Watch

SAID_PERCENT = 5
"""A long step says how far it is each time that this much more of it is done."""
Say = Callable[[str], None]
"""Told what the experiment does next."""


def saying(watch: Watch | None) -> Say:
    """Return a function that reports each step it is told of as a `Progress`, numbered from 1."""
    if watch is None:
        return lambda step: None
    number = count(1)
    return lambda step: watch(Progress(step, next(number)))


def within(say: Say, step: str) -> Watch:
    """Say that a step begins, and return a `Watch` of its work that says how many percent of it are done."""
    say(step)
    said = 0

    def watch(now: Progress) -> None:
        nonlocal said
        percent = int(100 / SAID_PERCENT * now.done / now.total) * SAID_PERCENT if now.total else 0
        if percent > said:
            said = percent
            say(f"{step}, {percent} % done")

    return watch
