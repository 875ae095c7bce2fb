"""Progress of an experiment: a sentence for each step that begins."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from solvent.foundation.progress import Progress, Watch

Say = Callable[[str], None]
"""Told what the experiment does next."""


def saying(watch: Watch | None) -> Say:
    """Return a function that reports each step it is told of as a `Progress`, numbered from 1."""
    if watch is None:
        return lambda step: None
    number = count(1)
    return lambda step: watch(Progress(step, next(number)))
