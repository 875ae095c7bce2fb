"""How every command shows its progress: one bar on a terminal, one line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from solvent.app.terminal import terminal
from solvent.foundation.progress import Progress, Watch

LINE_SECONDS = 30.0
"""Seconds between two lines of one stage where there is no terminal."""
BAR = 24
"""Width of a bar, in characters."""


class _Detail(ProgressColumn):
    """What the work says beside how far it is, as it is written."""

    def render(self, task: Task) -> Text:
        return Text(task.fields.get("detail", ""))


@contextmanager
def watching(quiet: bool = False, console: Console | None = None) -> Iterator[Watch]:
    """A `Watch` that shows progress on standard error while the block runs.

    On a terminal it is a bar with the stage, how far it is, what it says of itself and the time left. Elsewhere
    it is a line when a stage begins and every 30 seconds. `quiet`: nothing off a terminal, as with --json.
    """
    console = console or terminal(stderr=True)
    if not console.is_terminal:
        yield (lambda progress: None) if quiet else _Lines(console).show
        return
    with Bar(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(BAR),
        TaskProgressColumn(),
        _Detail(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("starting", total=None)
        stage = "starting"

        def show(progress: Progress) -> None:
            nonlocal stage
            if progress.stage != stage:
                stage = progress.stage
                bar.reset(task, description=stage)
            bar.update(task, completed=progress.done, total=progress.total, detail=progress.detail)

        yield show


def said(as_json: bool) -> bool:
    """Whether a command should speak on standard error: always, except with --json off a terminal."""
    return not as_json or sys.stderr.isatty()


class _Lines:
    """Progress where nothing can be drawn over."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.stage, self.next_line = "", 0.0

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage == self.stage and now < self.next_line:
            return
        self.stage, self.next_line = progress.stage, now + LINE_SECONDS
        self.console.print(line(progress), soft_wrap=True)


def line(progress: Progress) -> str:
    """A progress in one line.

    >>> line(Progress("solving", 300, 1000, "exploitability 0.02 chips")), line(Progress("compiling", 0))
    ('solving: 30 %, exploitability 0.02 chips', 'compiling')
    """
    parts = (
        [f"{progress.done / progress.total:.0%}".replace("%", " %")]
        if progress.total and progress.done
        else []
    )
    parts += [progress.detail] if progress.detail else []
    return f"{progress.stage}: {', '.join(parts)}" if parts else progress.stage
