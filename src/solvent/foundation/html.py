"""Small pieces of HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate

from solvent.foundation.colours import EMPTY_COLOUR

TABLE = '<table style="text-align: left">'
"""Notebooks align to the right what stands in a table, unless told otherwise."""


def shares_background(shares: Sequence[float], colours: Sequence[str], height: float) -> str:
    """CSS of a cell: each colour as wide as its share, from the bottom up to a height from 0 to 1.

    >>> shares_background([0.25, 0, 0.75], ["red", "green", "blue"], 0.5)
    'background:linear-gradient(90deg,red 0% 25%,blue 25% 100%) 0 100%/100% 50% no-repeat #eeeeee'
    """
    ends = [round(100 * end) for end in accumulate(shares)]
    parts = ",".join(
        f"{colour} {start}% {end}%"
        for colour, start, end in zip(colours, [0, *ends], ends, strict=False)
        if end > start
    )
    return (
        f"background:linear-gradient(90deg,{parts}) 0 100%/100% {100 * height:.3g}% no-repeat {EMPTY_COLOUR}"
    )


def facts_html(title: str, rows: Mapping[str, str]) -> str:
    """Names and values under a title.

    >>> facts_html("a < b", {"rule": "cfr"}).removeprefix(TABLE)
    '<caption>a &lt; b</caption><tr><th>rule</th><td>cfr</td></tr></table>'
    """
    body = "".join(
        f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>" for key, value in rows.items()
    )
    return f"{TABLE}<caption>{escape(title)}</caption>{body}</table>"


def table_html(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """A table under a title, with a note below it.

    >>> table_html("t", ["a"], [["1"]], "one of two").removeprefix(TABLE)
    '<caption>t</caption><tr><th>a</th></tr><tr><td>1</td></tr></table><p>one of two</p>'
    """
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"{TABLE}<caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{below}"
