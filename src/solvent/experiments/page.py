"""Results pages: what a command printed, with the command, the date, the commit and the machine."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.machine import describe_machine, describe_software
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


def provenance(command: str) -> str:
    """Return the lines at the head of every results page."""
    today = datetime.now(UTC).date()
    return f"```sh\n{command}\n```\n\n{today}; {describe_machine()}; {describe_software()}.\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def write_page(path: Path, title: str, command: str, reading: Reading, body: str) -> None:
    """Write a results page: a title, its three lines, where it comes from, and the body."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {title}\n\n{reading}\n{provenance(command)}\n{body.rstrip()}\n")


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
