"""The 13 x 13 chart of all classes of hands, coloured by action or with a mark for the likeliest one.

A class of which less comes to the decision than of others is paler or, without colours, has a sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from rich.text import Text

from solvent.cards.deck import RANKS
from solvent.foundation.colours import TEXT_COLOUR, paler
from solvent.strategy.agents.trained import class_label

WIDEST, LABELLED, MARKED = 6, 4, 5
"""Characters of a class with a gap of one to the next: at most; at least for a label; for a label and a mark."""
NARROWEST = 2
MARKS = "123456789"
"""Marks of bets where there are no colours, from the smallest; f, c and a stand for themselves."""

PURE, FEW = 0.9, 0.25
"""Without colours: the frequency below which the likeliest action is no whole answer, and the height of little."""
MIXED_SIGN, FEW_SIGN = "~", "'"
COLOURED_NOTE = "a colour is as wide as its action is frequent, and paler where less of the class comes here"
MARKED_NOTE = (
    f"marks are likeliest actions; {MIXED_SIGN} below {PURE:.0%}; {FEW_SIGN} less than a quarter of the class that "
    "comes most; . is a class that is not held here"
)
"""Legends of a chart, with colours and without."""

Frequencies = Mapping[str, Sequence[float]]
"""The probabilities of all actions by class of hands, `AKs`; classes that nobody holds are left out."""

Heights = Mapping[str, float]
"""Reach of each class at the decision, as a fraction of the largest one."""


def chart_lines(
    classes: Frequencies,
    heights: Heights,
    colours: Sequence[str],
    marks: Sequence[str],
    coloured: bool,
    width: int = 80,
) -> list[Text]:
    """A line for each row of classes: as wide in each action's colour as it is likely, or the likeliest's mark.

    Where `width` leaves no room for the names of classes, ranks stand before the lines and above them.
    """
    cell, ranks = min(WIDEST, width // 13), RANKS[::-1]
    small = cell < (LABELLED if coloured else MARKED)
    cell = NARROWEST if small else cell
    painted = cell if small else cell - 1
    lines = [Text("  " + " ".join(ranks), no_wrap=True)] if small else []
    for row in range(13):
        line = Text(f"{ranks[row]} " if small else "", no_wrap=True)
        for column in range(13):
            label = class_label(row, column)
            found = classes.get(label)
            if found is None:
                line.append(f"{'' if coloured else '.':<{cell}}")
            elif coloured:
                inside = "" if small else f" {label}" if cell == WIDEST else label
                for place, letter in enumerate(f"{inside:<{painted}}"):
                    style = _style(found, colours, heights[label], (place + 0.5) / painted)
                    line.append(letter, style=style)
                line.append(" " * (cell - painted))
            else:
                mark, sign = _mark(found, marks, heights[label])
                name = "" if small else label
                line.append(f"{name + sign + mark if cell == WIDEST else name + mark + sign:<{cell}}")
        lines.append(line)
    return lines


def _mark(found: Sequence[float], marks: Sequence[str], height: float) -> tuple[str, str]:
    """The mark of the likeliest action, and a sign where it says too little of the class."""
    sign = FEW_SIGN if height < FEW else MIXED_SIGN if max(found) < PURE else " "
    return marks[int(np.argmax(found))], sign


def _style(found: Sequence[float], colours: Sequence[str], height: float, place: float) -> str:
    """The colour at a place from 0 to 1 of a class, whose actions stand side by side in their order."""
    which = int((np.cumsum(found) <= place - 1e-12).sum())
    return f"{TEXT_COLOUR} on {paler(colours[min(which, len(colours) - 1)], height)}"
