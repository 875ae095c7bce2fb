"""The terminal: tables, documents and progress. What users name is shown as it is, brackets and colons included."""

from __future__ import annotations

import codecs
import io
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import IO, Any, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from solvent.foundation.errors import without_controls
from solvent.foundation.progress import Watch
from solvent.foundation.showing import showing

PLAIN = {
    "█": "#",
    "±": "+/-",
    "–": "-",
    "—": "-",
    "…": "...",
    "×": "x",
    "µ": "u",
    "•": "*",
    "♠": "s",
    "♥": "h",
    "♦": "d",
    "♣": "c",
}
"""Substitutes for characters that the terminal's encoding does not have; others are written as escapes."""


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Printed text without control characters, except those of the console itself, such as colours."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(without_controls(segment.text), segment.style)


class _Lossy(io.TextIOBase):
    """Standard error as a stream on which nothing fails: its reader may be gone while the work continues."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError):
            return

    def isatty(self) -> bool:
        try:
            return self._stream.isatty()
        except ValueError:
            return False

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"


def terminal(stderr: bool = False) -> Console:
    """Standard output, or standard error, on which nothing that is printed can fail."""
    file = cast("IO[str]", _Lossy(sys.stderr)) if stderr else None
    return _Terminal(file=file, markup=False, emoji=False, highlight=False)


def has_colours(console: Console) -> bool:
    """Whether colours can be seen: not off a terminal, nor where NO_COLOR is set."""
    return console.color_system is not None and not console.no_color


def table(
    *headers: str,
    title: str | None = None,
    numbers: bool = False,
    rows: Iterable[Iterable[RenderableType]] = (),
) -> Table:
    """A table that folds what is too long for its column, so that nothing is lost.

    `numbers`: all columns but the first are flush right.
    """
    made = Table(title=title, title_justify="left", show_header=any(headers))
    for place, header in enumerate(headers):
        made.add_column(header, overflow="fold", justify="right" if numbers and place else "left")
    for row in rows:
        made.add_row(*row)
    return made


def without_frame(shown: Table, gap: int = 1) -> Table:
    """The table without lines, its columns set apart by `gap` blanks."""
    shown.box, shown.padding, shown.pad_edge = None, (0, gap, 0, 0), False
    return shown


def facts_table(title: str, rows: Mapping[str, str]) -> Table:
    """A table of names and values."""
    return table("", "", title=title, rows=rows.items())


def watching(quiet: bool = False, console: Console | None = None) -> AbstractContextManager[Watch]:
    """A `Watch` that shows progress on standard error while the block runs.

    `quiet`: nothing off a terminal, as with --json.
    """
    return showing(console or terminal(stderr=True), quiet)


def may_speak(as_json: bool) -> bool:
    """Whether a command should speak on standard error: always, except with --json off a terminal."""
    return not as_json or sys.stderr.isatty()


def print_found(as_json: bool, document: Any, view: Callable[[], RenderableType]) -> None:
    """Print what a command found: the document with --json, a view of it otherwise; lines of text stay whole."""
    if as_json:
        print_json(document)
    else:
        shown = view()
        terminal().print(shown, soft_wrap=isinstance(shown, str))


def print_json(document: Any) -> None:
    """One JSON document on standard output; numbers that JSON does not have (NaN, infinity) become null."""
    sys.stdout.write(json.dumps(_finite(document), indent=1, allow_nan=False) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def tolerate_narrow_encodings() -> None:
    """Let standard output and error write any text in any encoding, such as ASCII or Latin-1."""
    codecs.register_error("solvent_plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="solvent_plain")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    written = "".join(
        PLAIN.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in text
    )
    return written, error.end
