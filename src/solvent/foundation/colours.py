"""One colour for each kind of action, wherever a strategy is drawn: in terminals, notebooks, reports and charts.

Folding is blue, checking light green, calling green and all-in violet. Bets go from pale yellow to pink as they
grow, by their size relative to the pot after calling: a bet of half the pot has the same colour everywhere.
Near-black text is readable on all of them (a contrast of 4.5 or more, which WCAG 2.1 asks for).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

FOLD_COLOUR, CHECK_COLOUR, CALL_COLOUR, ALL_IN_COLOUR = "#84b6eb", "#c8e6b4", "#6fbf73", "#c3a0f0"
PLAIN_COLOURS = {"fold": FOLD_COLOUR, "check": CHECK_COLOUR, "call": CALL_COLOUR}
BET_COLOURS = ("#fff3a6", "#ffe066", "#ffbf47", "#fb9a4b", "#f47b67", "#ec6f9d")
"""Bets of 25, 50, 100, 200, 400 and 800 % of the pot; sizes in between have colours in between."""
SMALLEST = -2.0
"""The logarithm to base 2 of the first of these sizes, in pots."""
TEXT_COLOUR = "#111111"
EMPTY_COLOUR = "#eeeeee"
"""Colour of a cell without hands."""


def action_colour(action: str, all_in: bool, pots: float) -> str:
    """Return the colour of an action by its word; `all_in` and `pots` are of a bet or raise.

    >>> action_colour("fold", False, 0), action_colour("bet 100", False, 1), action_colour("bet 900", True, 9)
    ('#84b6eb', '#ffbf47', '#c3a0f0')
    """
    return PLAIN_COLOURS.get(action) or (ALL_IN_COLOUR if all_in else bet_colour(pots))


def bet_colour(pots: float) -> str:
    """Return the colour of a bet of this many pots.

    >>> bet_colour(0.25), bet_colour(1), bet_colour(100), bet_colour(0.5)
    ('#fff3a6', '#ffbf47', '#ec6f9d', '#ffe066')
    """
    last = len(BET_COLOURS) - 1
    place = min(max(math.log2(max(pots, 1e-9)) - SMALLEST, 0.0), float(last))
    below = min(int(place), last - 1)
    return _hex(
        round(one + (place - below) * (other - one))
        for one, other in zip(_rgb(BET_COLOURS[below]), _rgb(BET_COLOURS[below + 1]), strict=True)
    )


def paler(colour: str, part: float) -> str:
    """A colour mixed with `EMPTY_COLOUR`: `part` of it, from 0 to 1.

    >>> paler("#fff3a6", 1), paler("#fff3a6", 0), paler("#fff3a6", 0.5)
    ('#fff3a6', '#eeeeee', '#f6f0ca')
    """
    return _hex(
        round(none + part * (full - none))
        for full, none in zip(_rgb(colour), _rgb(EMPTY_COLOUR), strict=True)
    )


def _hex(parts: Iterable[int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in parts)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
