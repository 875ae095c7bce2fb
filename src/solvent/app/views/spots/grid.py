"""The strategy of a spot at a decision as a 13 x 13 grid of classes of hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.text import Text

from solvent.app.views.charts.class_chart import COLOURED_NOTE, MARKED_NOTE, MARKS, chart_lines
from solvent.spots.nodes.grid import class_frequencies

PLAIN = {"fold": "f", "check": "c", "call": "c"}
"""Marks of actions without an amount."""


def grid_text(
    hands: Sequence[str],
    weights: ArrayLike,
    strategy: ArrayLike,
    heights: Mapping[str, float],
    actions: Sequence[str],
    colour: bool,
    width: int,
    colours: Sequence[str],
) -> Text:
    """The grid: a cell for each class of hands, with what its hands play on average by weight, and a legend.

    hands: labels such as AhKh. weights: float[hands]; hands that hardly come (`not_negligible`) are left out.
    strategy: float[actions, hands]. heights: of classes (`node_heights`). actions: names such as check, bet 100.
    colour: whether cells are coloured, or say which action is the likeliest. width: columns of the terminal.
    colours: of the actions (`node_colours`).
    """
    weights, strategy = np.asarray(weights, dtype=np.float64), np.asarray(strategy, dtype=np.float64)
    marks = action_marks(actions)
    classes = class_frequencies(hands, weights, strategy)
    lines = chart_lines(classes, heights, colours, marks, colour, width)
    note = [Text(line) for line in wrap(COLOURED_NOTE if colour else MARKED_NOTE, width)]
    legend = _legend(weights, strategy, actions, colours, marks, colour)
    return Text("\n").join([*lines, Text(""), *note, *legend])


def action_marks(actions: Sequence[str]) -> list[str]:
    """A letter for each action: f, c, or the number of a bet or raise, from the smallest."""
    bets = iter(MARKS)
    return [PLAIN[action] if action in PLAIN else next(bets, "+") for action in actions]


def _legend(
    weights: NDArray[np.float64],
    strategy: NDArray[np.float64],
    actions: Sequence[str],
    colours: Sequence[str],
    marks: Sequence[str],
    colour: bool,
) -> list[Text]:
    """A line for each action: its colour or mark, its name, and how often it is taken, hands by their weights."""
    total = weights.sum()
    means = strategy @ weights / total if total > 0 else np.zeros(len(actions))
    wide = max((len(action) for action in actions), default=0)
    lines = []
    for action, mean, style, mark in zip(actions, means.tolist(), colours, marks, strict=True):
        key = Text("  ", style=f"on {style}") if colour else Text(f"{mark:<2}")
        lines.append(Text.assemble(key, f" {action:<{wide}} {100 * mean:6.2f} %"))
    return lines
