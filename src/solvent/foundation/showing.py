"""Showing progress: one bar on a terminal, one changing line in a notebook, a line now and then elsewhere.

Compiling is said too: that it has begun, and how long it took when it is over. Rates and times left leave it out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from solvent.foundation.kernels.compilations import Compilations
from solvent.foundation.progress import SIZED, TOLD, Progress, Watch
from solvent.foundation.units import duration

if TYPE_CHECKING:
    from rich.console import Console

FIRST_SECONDS, LINE_SECONDS = 10.0, 30.0
"""Seconds before a stage's first line where there is no terminal, and between two of its lines."""
NOTEBOOK_SECONDS = 0.3
"""Seconds between two changes of a notebook's line."""
TOLD_SECONDS = 1.0
"""Compiling that took less is not told."""
BAR = 24
"""Width of a bar, in characters."""
COMPILING = "compiling kernels"
"""Beginning of the names of stages in which kernels are compiled, or loaded from the cache."""


@contextmanager
def showing(console: Console | None = None, quiet: bool = False) -> Iterator[Watch]:
    """A `Watch` that shows progress on a console, standard error unless it is given, while the block runs.

    On a terminal it is a bar with the stage, how far it is, what it says of itself and the time left. Elsewhere
    it is a line after 10 seconds without one, and then, while the stage stays the same, every 30 seconds.
    `quiet`: nothing off a terminal.
    """
    from rich.console import Console

    console = console or Console(stderr=True, markup=False, emoji=False, highlight=False)
    if quiet and not console.is_terminal:
        yield lambda progress: None
        return
    compilations = Compilations(lambda: display.compiling())
    kind = _Notebook if console.is_jupyter else _Bar if console.is_terminal else _Lines
    display: _Lines | _Bar = kind(console, Pace(compilations.clock))

    def tell_compiled() -> None:
        count = compilations.kernels
        if count and compilations.seconds >= TOLD_SECONDS:
            display.say(f"compiled {count} kernel{'s' * (count > 1)} in {compilations.seconds:.0f} s")
            compilations.kernels, compilations.seconds = 0, 0.0

    def show(progress: Progress) -> None:
        compilations.listen()
        if not progress.stage.startswith(COMPILING):
            tell_compiled()
        if progress.stage in (SIZED, TOLD):
            display.say(progress.detail)
        else:
            display.show(progress)

    try:
        compilations.listen()
        yield show
    finally:
        compilations.close()
        display.close()
        tell_compiled()


def both(first: Watch, second: Watch | None) -> Watch:
    """A watch that tells two others."""

    def tell(progress: Progress) -> None:
        first(progress)
        if second is not None:
            second(progress)

    return tell


class Pace:
    """Speed of a stage, measured since its first report, without the time of compiling.

    A stage that counts something else, or from the beginning again, is measured anew.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        """Seconds; it stands still while kernels are compiled."""
        self.stage: tuple[str, str] | None = None
        """The stage under way, and the unit in which it is counted."""
        self.began, self.first, self.last = 0.0, 0.0, 0.0
        self.rate = 0.0
        """Units a second; 0 where it is not known."""

    def note(self, progress: Progress) -> bool:
        """Take up a report; whether it is a new stage's first."""
        now, last, self.last = self.clock(), self.last, progress.done
        if (progress.stage, progress.unit) != self.stage or progress.done < last:
            self.stage = progress.stage, progress.unit
            self.began, self.first, self.rate = now, progress.done, 0.0
            return True
        if progress.unit == SECONDS:
            self.rate = 1.0
        elif now > self.began:
            self.rate = (progress.done - self.first) / (now - self.began)
        return False


class _Lines:
    """Progress where nothing can be drawn over."""

    def __init__(self, console: Console, pace: Pace) -> None:
        self.console, self.pace = console, pace
        self.last_line = time.monotonic()
        self.spacing = FIRST_SECONDS
        self.said = False

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if self.pace.note(progress):
            self.spacing = FIRST_SECONDS
        if now >= self.last_line + self.spacing and not progress.stage.startswith(COMPILING):
            self.last_line, self.spacing = now, LINE_SECONDS
            self.say(line(progress, self.pace.rate))

    def say(self, sentence: str) -> None:
        self.console.print(sentence, soft_wrap=True)

    def compiling(self) -> None:
        if not self.said:
            self.said = True
            self.say(f"{COMPILING}, once in each environment")

    def close(self) -> None:
        """Do nothing: a line needs no end."""


class _Notebook(_Lines):
    """Progress in a notebook: one line that changes."""

    def __init__(self, console: Console, pace: Pace) -> None:
        super().__init__(console, pace)
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        self.shown: Any = display({"text/plain": "starting"}, raw=True, display_id=True)

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if self.pace.note(progress) or now >= self.last_line + NOTEBOOK_SECONDS:
            self.last_line = now
            self.say(line(progress, self.pace.rate))

    def say(self, sentence: str) -> None:
        self.shown.update({"text/plain": sentence}, raw=True)

    def compiling(self) -> None:
        self.say(f"{COMPILING}, once in each environment")


class _Bar:
    """Progress on a terminal."""

    def __init__(self, console: Console, pace: Pace) -> None:
        import rich.progress as columns

        self.console, self.pace = console, pace
        self.bar = columns.Progress(
            columns.SpinnerColumn(),
            columns.TextColumn("{task.description}", markup=False),
            columns.BarColumn(BAR),
            columns.TaskProgressColumn(),
            columns.TextColumn("{task.fields[detail]}", markup=False),
            columns.TimeElapsedColumn(),
            columns.TextColumn("{task.fields[left]}", markup=False),
            console=console,
            transient=True,
        )
        self.task = self.bar.add_task("starting", total=None, detail="", left="")
        self.bar.start()

    def show(self, progress: Progress) -> None:
        if self.pace.note(progress):
            self.bar.reset(self.task, description=progress.stage)
        counted = amount(progress) if progress.total and progress.unit != SECONDS else ""
        detail = ", ".join(text for text in (counted, progress.detail) if text)
        left = time_left(progress, self.pace.rate)
        self.bar.update(self.task, completed=progress.done, total=progress.total, detail=detail, left=left)

    def say(self, sentence: str) -> None:
        self.console.print(sentence)

    def compiling(self) -> None:
        self.bar.update(self.task, detail=f"{COMPILING}, once in each environment")

    def close(self) -> None:
        self.bar.stop()


SECONDS = "s"
"""The unit of work that is limited by time."""


def amount(progress: Progress) -> str:
    """Return the amount of a stage that is done, in its unit.

    >>> amount(Progress("solving", 300, 1000, unit="iterations"))
    '300 of 1,000 iterations'
    >>> amount(Progress("training", 90.4, 7200, unit="s"))
    '90 s of 2 h'
    """
    total = progress.total or 0
    if progress.unit == SECONDS:
        return f"{duration(progress.done)} of {duration(total)}"
    return f"{progress.done:,.0f} of {total:,.0f} {progress.unit}".rstrip()


def time_left(progress: Progress, rate: float) -> str:
    """The time that a stage still takes at a rate, in words; nothing where it is not known.

    >>> time_left(Progress("solving", 300, 1000), 20), time_left(Progress("solving", 300, 1000), 0)
    ('35 s left', '')
    """
    if not progress.total or progress.done >= progress.total or rate <= 0:
        return ""
    return f"{duration((progress.total - progress.done) / rate)} left"


def line(progress: Progress, rate: float = 0.0) -> str:
    """A progress in one line; `rate` is in units a second, 0 where it is not known.

    >>> line(Progress("solving", 300, 1000, "exploitability 0.02 chips", "iterations"), 20)
    'solving: 300 of 1,000 iterations (30 %), exploitability 0.02 chips, 20/s, 35 s left'
    >>> line(Progress("training", 60, 240, unit="s"), 1), line(Progress("building", 0))
    ('training: 60 s of 4 min (25 %), 3 min left', 'building')
    """
    parts = []
    if progress.total and progress.done:
        parts.append(f"{amount(progress)} ({100 * progress.done / progress.total:.0f} %)")
    parts += [progress.detail] if progress.detail else []
    if rate > 0:
        if progress.unit != SECONDS and "/s" not in progress.detail and progress.total:
            parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s")
        parts += [left] if (left := time_left(progress, rate)) else []
    return f"{progress.stage}: {', '.join(parts)}" if parts else progress.stage
