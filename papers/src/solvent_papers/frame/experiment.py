"""Declarations: an experiment, its parts, and the options of its command.

An experiment is one results page. Its parts measure; each returns its findings as data for JSON, from which figures
are computed. The prose of the page is the template `templates/NAME.md`, our own bars are in `bars/NAME.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from solvent_papers.frame.running import KeptRuns

Found = dict[str, Any]
"""Findings of a part, ready for JSON."""
Say = Callable[[str], None]
"""Called with the step of an experiment that begins."""
Findings = Mapping[str, Found]
"""Findings of the parts that have been run, by their names."""


def by_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows of one kind by columns, which is how findings keep many of them.

    >>> by_columns([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    listed = list(rows)
    return {name: [row[name] for row in listed] for name in (listed[0] if listed else ())}


def by_rows(kept: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows that are kept by columns."""
    return [dict(zip(kept, values, strict=True)) for values in zip(*kept.values(), strict=True)]


def option(
    default: Any,
    help: str,
    least: float | None = None,
    most: float | None = None,
    metavar: str | None = None,
) -> Any:
    """Declare a field of a `Setup`: an option of the command. A tuple is an option that may be given repeatedly.

    An option with a `metavar` is of one machine alone: pages show the word instead of what was given.
    """
    return field(default=default, metadata={"help": help, "min": least, "max": most, "metavar": metavar})


@dataclass(frozen=True)
class Setup:
    """Options that every experiment has; experiments add fields of their own, each declared by `option`."""

    work: Path
    """Folder of the findings of parts, and of other files that an experiment keeps."""
    small: bool
    """Run for seconds instead of minutes, to see that it works."""

    @property
    def scale(self) -> dict[str, Any]:
        """All that must agree for findings to be comparable: every option but folders and those of one machine."""
        return {
            each.name: value
            for each in fields(self)
            if not each.metadata.get("metavar") and not isinstance(value := getattr(self, each.name), Path)
        }


S = TypeVar("S", bound=Setup)


def nothing(found: Findings) -> Mapping[str, Any]:
    """Return nothing, for parts without figures, experiments without tables, and templates that need no more."""
    return {}


class Part(NamedTuple, Generic[S]):
    """One part of an experiment, which is run and kept by itself."""

    name: str
    run: Callable[[S, KeptRuns, Say], Found]
    """Measure. `KeptRuns` has the measurements from before the part was stopped; new ones are added to it."""
    figures: Callable[[Found], Mapping[str, float]] = nothing
    """The part's figures for claims, bars and the template, by names that no other part has."""
    made_of: tuple[str, ...] = ()
    """Names of earlier parts whose findings this one uses."""


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """An experiment: its parts, and the functions that make its page of their findings."""

    name: str
    """Name of its command, its page, its template and its bars."""
    title: str
    setup: type[S]
    parts: tuple[Part[S], ...]
    view: Callable[[Findings], Mapping[str, Any]] = nothing
    """Variables of the template that it cannot compute simply."""
    tables: Callable[[Findings], Mapping[str, Sequence[Mapping[str, Any]]]] = nothing
    """Rows of the CSV files beside the page, by the names of the files; a table without rows is not written."""
    pictures: Callable[[Findings, Path], None] | None = None
    """Draw the pictures of a page, whose path is given, beside it."""
    verb: str = "reproduce"
    """`bench`: measured anew each time, printed, and written to a page only if one is named."""
