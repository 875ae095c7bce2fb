"""Strategies: a solved game's summary and infosets, and a trained agent's decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from solvent.app.terminal import facts_table, table
from solvent.app.views.charts.class_chart import COLOURED_NOTE, MARKED_NOTE, MARKS, chart_lines
from solvent.foundation.units import size, span
from solvent.strategy.strategy import Row, Strategy

BAR = 24
"""Characters of a bar that stands for probability 1."""
WIDTH = 80
"""Columns of a chart and of the sentence under it."""


def summary_table(strategy: Strategy) -> Table:
    """Facts about a strategy."""
    shown = {key: fact for key, value in strategy.facts.items() if (fact := _fact(key, value))}
    return facts_table(strategy.game, {_NAMES.get(key, key.replace("_", " ")): shown[key] for key in shown})


_NAMES = {"seconds": "time", "peak_memory_bytes": "peak memory"}


def _fact(key: str, value: Any) -> str:
    """A fact in words.

    >>> _fact("seconds", 0.0534), _fact("peak_memory_bytes", 1 << 20), _fact("exploitability", 0.166796817)
    ('53.4 ms', '1.0 MiB', '0.166797')
    """
    if value is None or isinstance(value, bool | str):
        return "" if value is None else f"{value}"
    if key == "seconds":
        return span(value)
    if key.endswith("_bytes"):
        return size(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def show_strategy(rows: Sequence[Row], matching: int) -> RenderableType:
    """A table of the rows, and how many more there are."""
    shown = table("player", "infoset", "action", "probability", "")
    for player, label, row in rows:
        for k, (action, probability) in enumerate(row.items()):
            bar = "█" * round(BAR * probability)
            first = (str(player), label) if k == 0 else ("", "")
            shown.add_row(*first, action, f"{probability:.4f}", bar, end_section=k == len(row) - 1)
    if matching > len(rows):
        return Group(shown, f"{len(rows)} of {matching:,} infosets; --limit shows more")
    return shown


def decision_view(document: Mapping[str, Any], coloured: bool) -> RenderableType:
    """A trained agent's decision: a table of one hand, or a 13 x 13 chart of all classes of hands."""
    line, board = document["line"] or "the first decision", document["board"]
    title = f"{line}: {document['decision']}" + (f", board {board}" if board else "")
    if "hand" in document:
        title += f"; {document['hand']}"
        if "hands" in document:
            title += f", mean of {document['hands']} hands"
        elif board:
            title += ", bucket {}.{}".format(*document["bucket"])
        title += f", of which {document['reach']:.2%} come here" if document["reach"] < 1 else ""
        return Group(Text(title), _hand_table(document))
    bets = iter(MARKS)
    marks = [_mark(action, bets) for action in document["actions"]]
    classes = {label: list(found.values()) for label, found in document["classes"].items()}
    most = max(document["reach"].values(), default=0.0)
    heights = {label: document["reach"][label] / most for label in classes}
    colours = [action["colour"] for action in document["actions"]]
    chart = chart_lines(classes, heights, colours, marks, coloured)
    note = wrap(COLOURED_NOTE if coloured else MARKED_NOTE, WIDTH)
    return Group(Text(title), *chart, "", *map(Text, note), _legend(document, marks, coloured))


def _hand_table(document: Mapping[str, Any]) -> RenderableType:
    shown = table("action", "", "probability", "", "what follows")
    for action in document["actions"]:
        probability = document["probabilities"][action["action"]]
        bar = Text("█" * round(BAR * probability), style=action["colour"])
        shown.add_row(action["label"], action["action"], f"{probability:.4f}", bar, action["line"])
    return shown


def _mark(action: Mapping[str, Any], bets: Iterator[str]) -> str:
    """A letter for an action: f, c, a, or the number of a bet."""
    if not action["action"].startswith("r"):
        return str(action["action"])
    return "a" if action["label"] == "all-in" else next(bets, "+")


def _legend(document: Mapping[str, Any], marks: Sequence[str], coloured: bool) -> RenderableType:
    shown = table("", "action", "", "of play", "what follows")
    for action, mark in zip(document["actions"], marks, strict=True):
        mean = document["frequencies"][action["action"]]
        key = Text("  ", style=f"on {action['colour']}") if coloured else Text(mark)
        shown.add_row(
            key, action["label"], action["action"], "-" if mean is None else f"{mean:.1%}", action["line"]
        )
    return shown
