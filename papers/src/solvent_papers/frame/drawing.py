"""Panels and axes as the pictures of several experiments draw them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import Any

from solvent.foundation.extras import pyplot


@contextmanager
def panels(path: Path, shape: tuple[int, int], size: tuple[float, float]) -> Iterator[Any]:
    """Give a grid of axes of this shape, each of this size in inches, and save it when they are drawn."""
    plt = pyplot()
    figsize = (size[0] * shape[1], size[1] * shape[0])
    figure, grid = plt.subplots(*shape, figsize=figsize, layout="constrained", squeeze=False)
    yield grid
    figure.savefig(path, dpi=120)
    plt.close(figure)


def dress(axes: Any, x: str, y: str, title: str = "") -> None:
    """Name the axes of a panel, and show where their values are."""
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x, fontsize=8)
    axes.set_ylabel(y, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(which="both", alpha=0.25)


def plain_ticks(axis: Any, places: Sequence[float]) -> None:
    """Label a logarithmic axis at these places with plain numbers, leaving out those that would stand too close."""
    low, high = axis.get_view_interval()
    shown: list[float] = []
    for place in (place for place in places if low <= place <= high):
        if not shown or log(place / shown[-1]) > 0.06 * log(high / low):
            shown.append(place)
    axis.set_ticks(shown, [f"{place:g}" for place in shown])
    axis.set_ticks([], minor=True)
