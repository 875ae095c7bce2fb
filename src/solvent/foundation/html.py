"""Small pieces of HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

TABLE = '<table style="text-align: left">'
"""Notebooks align to the right what stands in a table, unless told otherwise."""


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
