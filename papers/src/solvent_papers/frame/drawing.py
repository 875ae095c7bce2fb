"""Axes as the pictures of several experiments draw them."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any


def plain_ticks(axis: Any, places: Sequence[float]) -> None:
    """Label a logarithmic axis at these places with plain numbers, leaving out those that would stand too close."""
    low, high = axis.get_view_interval()
    shown: list[float] = []
    for place in (place for place in places if low <= place <= high):
        if not shown or log(place / shown[-1]) > 0.06 * log(high / low):
            shown.append(place)
    axis.set_ticks(shown, [f"{place:g}" for place in shown])
    axis.set_ticks([], minor=True)
