"""The section of a training's report on its children: how long they waited, latency and bytes, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from solvent.app.views.charts.line_chart import Line, line_chart

SHOWN_CHILDREN = 4
"""Workers that have a line of their own; of more, the least and the most idle are shown."""


def cluster_section(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Charts of what was measured of workers; nothing where a training had none."""
    rows = [row for row in metrics if row.get("idle") and row["iterations"]]
    if not rows:
        return ""
    charts = (
        ("Idle time of each child", _idle_lines(rows), "% of the time"),
        ("Latency of a batch", _one_line(rows, "latency", 1e3), "ms"),
        ("Bytes between the head and its children", _one_line(rows, "bytes_rate", 1e-6), "MB/s"),
    )
    figures = "".join(
        f"<figure><figcaption>{title}</figcaption>{line_chart(lines, 'iterations', unit)}</figure>"
        for title, lines, unit in charts
    )
    return (
        "<h2>Head and children</h2><p>A head had the first street, and children the rest, each for public clusters "
        "of its own. A child is idle while it waits for the head or for slower children. The latency of a batch is "
        "the time between its sending and its answer in which the child did not work on it."
        f"{_replaced(rows)}</p>"
        f"<div class='charts'>{figures}</div>"
    )


def _replaced(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many workers were lost; nothing if none was."""
    count = sum(int(row.get("replaced", 0)) for row in rows)
    if not count:
        return ""
    workers = "1 worker was lost and replaced" if count == 1 else f"{count} workers were lost and replaced"
    return f" {workers}; the tables are those of a run in which none was."


def _idle_lines(rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    most = max(len(row["idle"]) for row in rows)
    if most > SHOWN_CHILDREN:
        picked = {"least idle": min, "most idle": max}
        return [
            Line(name, [(float(row["iterations"]), max(0.1, 100 * float(pick(row["idle"])))) for row in rows])
            for name, pick in picked.items()
        ]
    return [
        Line(
            f"child {number + 1}",
            [
                (float(row["iterations"]), max(0.1, 100 * float(row["idle"][number])))
                for row in rows
                if number < len(row["idle"])
            ],
        )
        for number in range(most)
    ]


def _one_line(rows: Sequence[Mapping[str, Any]], name: str, scale: float) -> list[Line]:
    return [Line("", [(float(row["iterations"]), max(1e-6, scale * float(row[name]))) for row in rows])]
