"""Results pages: what a command printed, with the command, the date, the commit and the machine.

Beside each page lies a JSON file of the same name: where the page comes from, its figures by name, which the ledger
of the papers' claims reads, and the bars that we had set ourselves.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.machine import commit, describe_machine, describe_software
from solvent.foundation.storage.files import write_text
from solvent.foundation.units import size

Record = Any
"""A dataclass with `as_dict`."""


class Summary(NamedTuple):
    """What a command prints of an experiment: a table, and the records behind it for --json."""

    title: str
    header: list[str]
    rows: list[list[str]]
    records: Sequence[Record]


class Reading(NamedTuple):
    """The three lines at the head of a results page, for readers who read nothing else."""

    claimed: str
    found: str
    so_what: str

    def __str__(self) -> str:
        lines = zip(("Claimed", "Found", "So what"), self, strict=True)
        return "".join(f"- **{name}.** {text}\n" for name, text in lines)


class Bar(NamedTuple):
    """A figure that we set ourselves before measuring, and what was seen."""

    name: str
    wanted: str
    seen: str
    met: bool


def provenance(command: str, in_parts: bool = False) -> str:
    """Return the lines at the head of every results page; a table says where each of its parts was run, if any."""
    today = datetime.now(UTC).date()
    where = "written from parts that were run as the table below says" if in_parts else describe_machine()
    return f"```sh\n{command}\n```\n\n{today}; {where}; {describe_software()}.\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def write_page(
    path: Path,
    title: str,
    command: str,
    reading: Reading,
    body: str,
    figures: Mapping[str, float] | None = None,
    bars: Sequence[Bar] = (),
    parts: Mapping[str, Any] | None = None,
) -> None:
    """Write a results page: a title, its three lines, where it comes from, the body, and our own bars.

    `figures` are what was measured, by name; they go into the JSON file beside the page, and so do the records of
    `parts`, by name, if the experiment has any.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    origin = provenance(command, parts is not None)
    texts = [f"# {title}", str(reading), origin, _bars_sentence(bars), body, _bars_section(bars)]
    write_text(path, "\n\n".join(text.rstrip() for text in texts if text) + "\n")
    record = {
        "command": command,
        "date": str(datetime.now(UTC).date()),
        "commit": commit(),
        "figures": dict(figures or {}),
        "bars": [bar._asdict() for bar in bars],
        **({} if parts is None else {"parts": dict(parts)}),
    }
    write_text(figures_file(path), json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def figures_file(page: Path) -> Path:
    """Return where a page's figures are."""
    return page.with_suffix(".json")


def _bars_sentence(bars: Sequence[Bar]) -> str:
    if not bars:
        return ""
    missed = [bar.name for bar in bars if not bar.met]
    said = f"missed: {'; '.join(missed)}" if missed else "all of them met"
    return f"[Bars that we had set ourselves](#our-own-bars): {len(bars)}, {said}."


def _bars_section(bars: Sequence[Bar]) -> str:
    """Return the section of a page that says which of our own bars were met and which were missed."""
    if not bars:
        return ""
    rows = [[bar.name, bar.wanted, bar.seen, "met" if bar.met else "**missed**"] for bar in bars]
    return f"## Our own bars\n\n{markdown_table(['bar', 'wanted', 'seen', ''], rows)}"


def write_csv(records: Sequence[Record], path: Path) -> None:
    """Write records of one kind, a column for each field; None is left empty."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(records[0])], lineterminator="\n")
        writer.writeheader()
        writer.writerows(record.as_dict() for record in records)


def plain_ticks(axis: Any, places: Sequence[float]) -> None:
    """Label an axis at these places with plain numbers, leaving out those that would stand too close."""
    from math import log

    low, high = axis.get_view_interval()
    shown: list[float] = []
    for place in (place for place in places if low <= place <= high):
        if not shown or log(place / shown[-1]) > 0.06 * log(high / low):
            shown.append(place)
    axis.set_ticks(shown, [f"{place:g}" for place in shown])
    axis.set_ticks([], minor=True)


def threads_text(count: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if count == 1 else f"{count} threads"


def seconds_text(seconds: float | None) -> str:
    """Return seconds to three digits, or - for None."""
    return "-" if seconds is None else f"{seconds:.3g}" if seconds >= 1e-4 else f"{seconds:.2e}"


def factor_text(factor: float | None) -> str:
    """Return a speed-up to three digits, or whole from 100; - for None."""
    return "-" if factor is None else f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"


def bytes_text(count: int | None) -> str:
    """Return bytes in a unit that suits them, or - for None."""
    return "-" if count is None else size(count)
