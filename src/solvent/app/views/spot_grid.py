"""The strategy of a spot at a decision as a 13 x 13 grid of classes of hands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.text import Text

from solvent.app.views.action_colours import (
    ALL_IN_COLOUR,
    BET_COLOURS,
    CALL_COLOUR,
    CHECK_COLOUR,
    FOLD_COLOUR,
    bet_colour,
)
from solvent.app.views.class_chart import MARKS, chart_lines
from solvent.cards.deck import RANKS

PLAIN = {"fold": (FOLD_COLOUR, "f"), "check": (CHECK_COLOUR, "c"), "call": (CALL_COLOUR, "c")}
"""Colours and marks of actions without an amount."""


def grid_text(
    hands: Sequence[str],
    weights: ArrayLike,
    strategy: ArrayLike,
    actions: Sequence[str],
    colour: bool,
    width: int = 80,
    colours: Sequence[str] | None = None,
) -> Text:
    """The grid: a cell for each class of hands, with what its hands play on average by weight, and a legend.

    hands: labels such as AhKh. weights: float[hands]; hands of weight 0 are left out. strategy: float[actions,
    hands]. actions: names such as check, bet 100. colour: whether cells are coloured, or say which action is the
    likeliest. width: columns of the terminal. colours: of the actions (`spot_colours`), or by their order.
    """
    weights, strategy = np.asarray(weights, dtype=np.float64), np.asarray(strategy, dtype=np.float64)
    colours, marks = colours or spot_colours(actions), action_marks(actions)
    lines = chart_lines(class_frequencies(hands, weights, strategy), colours, marks, colour, width)
    return Text("\n").join([*lines, Text(""), *_legend(weights, strategy, actions, colours, marks, colour)])


def class_frequencies(
    hands: Sequence[str], weights: NDArray[np.float64], strategy: NDArray[np.float64]
) -> dict[str, list[float]]:
    """What the hands of each class play on average, each by its weight; classes without weight are left out."""
    sums: dict[str, NDArray[np.float64]] = {}
    totals: dict[str, float] = {}
    for hand, weight, played in zip(hands, weights.tolist(), strategy.T, strict=True):
        if weight > 0:
            label = hand_class(hand)
            sums[label] = sums.get(label, 0.0) + weight * played
            totals[label] = totals.get(label, 0.0) + weight
    return {label: (found / totals[label]).tolist() for label, found in sums.items()}


def hand_class(hand: str) -> str:
    """The class of a hand.

    >>> hand_class("AhKh"), hand_class("Kc9d"), hand_class("9c9d")
    ('AKs', 'K9o', '99')
    """
    high, low = sorted((hand[0], hand[2]), key=RANKS.index, reverse=True)
    return high + low + ("" if high == low else "s" if hand[1] == hand[3] else "o")


def spot_colours(actions: Sequence[str], pot: float | None = None, all_in: str | None = None) -> list[str]:
    """The colour of each action of a spot, as #rrggbb.

    pot: chips in the pot at the decision; bets are then coloured by their part of it, else by their order.
    all_in: the name of the action that is all-in, if there is one.
    """
    bets = [action for action in actions if action not in PLAIN]
    found = []
    for action in actions:
        if action in PLAIN:
            found.append(PLAIN[action][0])
        elif action == all_in:
            found.append(ALL_IN_COLOUR)
        elif pot:
            found.append(bet_colour(float(action.split()[-1]) / pot))
        else:
            found.append(BET_COLOURS[min(1 + bets.index(action), len(BET_COLOURS) - 1)])
    return found


def action_marks(actions: Sequence[str]) -> list[str]:
    """A letter for each action: f, c, or the number of a bet or raise, from the smallest."""
    bets = iter(MARKS)
    return [PLAIN[action][1] if action in PLAIN else next(bets, "+") for action in actions]


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
