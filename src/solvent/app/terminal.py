"""Where the command line prints: what users name is shown as it is, square brackets and colons included."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def terminal(stderr: bool = False) -> Console:
    """Standard output or standard error."""
    return _Terminal(stderr=stderr, markup=False, emoji=False, highlight=False)


def table(*headers: str, title: str | None = None) -> Table:
    """A table that folds what is too long for its column, so that nothing is lost."""
    made = Table(title=title, title_justify="left", show_header=any(headers))
    for header in headers:
        made.add_column(header, overflow="fold")
    return made


def bar(console: Console) -> Progress:
    """A bar with what is under way, how far it is and the time left; nothing where there is no terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=1) + "\n")
