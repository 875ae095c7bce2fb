"""Lines over iterations as SVG, with logarithmic axes; what a page needs and no more."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 12, 46
"""Margins around the lines, in the units of the picture."""
COLOURS = ("#1f5fbf", "#c2571a", "#1b7a2f", "#7a3fa8")


@dataclass(frozen=True)
class Line:
    """Points of one thing over iterations."""

    name: str
    points: Sequence[tuple[float, float]]
    """Above zero both."""
    intervals: Sequence[float] = ()
    """Half the width of each point's interval, if there are any."""


def line_chart(lines: Sequence[Line], x_label: str, y_label: str) -> str:
    """An SVG picture that fills its column; empty where there are no points."""
    points = [point for line in lines for point in line.points]
    if not points:
        return ""
    xs, ys = _Axis([x for x, _ in points]), _Axis(_ends(lines))
    plot = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP)
    made = [
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{html.escape(f'{y_label} over {x_label}')}'>"
    ]
    for tick in xs.ticks(5):
        x = xs.place(tick, plot[0], plot[1])
        made.append(f"<path class='grid' d='M{x:.1f} {plot[2]}V{plot[3]}'/>")
        made.append(f"<text x='{x:.1f}' y='{plot[2] + 16}' text-anchor='middle'>{short(tick)}</text>")
    for tick in ys.ticks(6):
        y = ys.place(tick, plot[2], plot[3])
        made.append(f"<path class='grid' d='M{plot[0]} {y:.1f}H{plot[1]}'/>")
        made.append(f"<text x='{plot[0] - 6}' y='{y + 4:.1f}' text-anchor='end'>{short(tick)}</text>")
    for line, colour in zip(lines, COLOURS * len(lines), strict=False):
        made += _drawn(line, colour, xs, ys, plot)
    made.append(
        f"<text x='{(plot[0] + plot[1]) / 2}' y='{HEIGHT - 8}' text-anchor='middle'>{html.escape(x_label)}</text>"
    )
    middle = (plot[2] + plot[3]) / 2
    made.append(
        f"<text transform='translate(14 {middle}) rotate(-90)' text-anchor='middle'>{html.escape(y_label)}</text>"
        "</svg>"
    )
    if any(line.name for line in lines):
        names = "".join(
            f"<li><i style='background:{colour}'></i>{html.escape(line.name)}</li>"
            for line, colour in zip(lines, COLOURS * len(lines), strict=False)
        )
        made.append(f"<ul class='key'>{names}</ul>")
    return "".join(made)


def short(number: float) -> str:
    """A number in few characters.

    >>> short(1_000), short(200_000), short(3e6), short(0.05), short(70)
    ('1 k', '200 k', '3 M', '0.05', '70')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def _ends(lines: Sequence[Line]) -> list[float]:
    """Numbers that the upright axis must show: all points, and the ends of their intervals above zero."""
    ends = []
    for line in lines:
        for place, (_, y) in enumerate(line.points):
            half = line.intervals[place] if line.intervals else 0.0
            ends += [y, y + half] + ([y - half] if y > half else [])
    return ends


def _drawn(line: Line, colour: str, xs: _Axis, ys: _Axis, plot: tuple[int, int, int, int]) -> list[str]:
    places = [(xs.place(x, plot[0], plot[1]), ys.place(y, plot[2], plot[3])) for x, y in line.points]
    made = [f"<polyline points='{' '.join(f'{x:.1f},{y:.1f}' for x, y in places)}' stroke='{colour}'/>"]
    for k, (x, y) in enumerate(places):
        if line.intervals:
            value, half = line.points[k][1], line.intervals[k]
            low = ys.place(max(value - half, ys.low), plot[2], plot[3])
            high = ys.place(value + half, plot[2], plot[3])
            made.append(f"<path d='M{x:.1f} {low:.1f}V{high:.1f}' stroke='{colour}'/>")
        if len(places) <= 30:
            made.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>")
    return made


class _Axis:
    """A logarithmic axis that holds some numbers."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.low, self.high = min(numbers), max(numbers)
        if self.high < 2 * self.low:
            middle = math.sqrt(self.low * self.high)
            self.low, self.high = middle / 1.5, middle * 1.5

    def place(self, number: float, start: float, end: float) -> float:
        share = math.log(number / self.low) / math.log(self.high / self.low)
        return start + share * (end - start)

    def ticks(self, most: int) -> list[float]:
        """Round numbers within the axis: powers of ten, with 2 and 5 times them where there is room."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
            found = [step * 10.0**power for power in powers for step in steps]
            found = [tick for tick in found if self.low <= tick * 1.0001 and tick <= self.high * 1.0001]
            if len(found) <= most:
                return found
        return found[:: math.ceil(len(found) / most)]
