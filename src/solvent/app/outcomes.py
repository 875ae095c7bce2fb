"""Endings of commands: the exit code of every error that a user can cause or mend, with one sentence.

| exit code | meaning |
|---|---|
| 0 | done |
| 2 | refused: the line on standard error says what is wrong |
| 130 | interrupted by Ctrl-C; long commands have saved what they had |
| 141 | the reader of the output stopped reading |
| 143 | ended by SIGTERM; long commands have saved what they had |

Anything else is a mistake in solvent, and shows a traceback.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import typer

from solvent.foundation.errors import Notice, damaged_cache, explain, shortened, without_controls
from solvent.foundation.progress import INTERRUPTED, Interrupted, raising_signals

Made = TypeVar("Made")
REFUSED = 2
BROKEN_PIPE = 128 + signal.SIGPIPE
EXIT_CODES = (
    "Exit codes: 0 done; 2 refused, with one line that says why; 130 interrupted by Ctrl-C "
    "and 143 ended by SIGTERM, after saving what there was."
)

# typer carries its own copy of click; this is that copy's root of all usage errors.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def stopped_by_signals(work: Callable[[], Made]) -> tuple[Made, int]:
    """Run work: its result and exit code 0 or, where a signal ends it, the result so far and the signal's code."""
    try:
        with raising_signals():
            return work(), 0
    except Interrupted as stopped:
        if stopped.result is None:
            raise
        return stopped.result, stopped.exit_code


@contextmanager
def keeping_runs(kept: Path) -> Iterator[Path]:
    """Keep an experiment's finished runs in a file or folder; a user who stops it is told how to resume it."""
    try:
        with raising_signals():
            yield kept
    except KeyboardInterrupt:
        if kept.exists():
            say(f"stopped; the same command goes on from the finished runs in {kept}")
        raise


def exit_code(error: BaseException) -> int | None:
    """Say on standard error why a command failed; its exit code, or None where the error is solvent's own."""
    if isinstance(error, BrokenPipeError | SystemExit):
        # Nothing reads our output any more (click raises SystemExit then), so nothing more may be written to it.
        _silence_stdout()
        return BROKEN_PIPE
    if isinstance(error, typer.Abort) and isinstance(error.__cause__, EOFError):
        # The end of what is typed ends a command; that of an empty file in a cache is an error.
        error = error.__cause__ if damaged_cache(error.__cause__.__traceback__) else error
    if isinstance(error, typer.Abort | KeyboardInterrupt):
        cause = error.__cause__ if isinstance(error, typer.Abort) else error
        return cause.exit_code if isinstance(cause, Interrupted) else INTERRUPTED
    sentence = error.format_message() if isinstance(error, _UsageError) else explain(error)
    if sentence is None:
        return None
    say(sentence)
    return REFUSED


@contextmanager
def printing_notices() -> Iterator[None]:
    """Print every `Notice` of the library in one line while the block runs."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def say_notice(message: Warning | str, category: type[Warning], *where: Any, **at: Any) -> None:
            if issubclass(category, Notice):
                say(str(message))
            else:
                show(message, category, *where, **at)

        warnings.showwarning = say_notice
        yield


def say(sentence: str) -> None:
    """One line on standard error."""
    line = shortened(without_controls(" ".join(sentence.split())))
    if line:  # without arguments the help has said it
        sys.stderr.write(f"solvent: {line}\n")


def _silence_stdout() -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stream without a file
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
