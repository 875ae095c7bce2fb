"""How a command ends: the exit code of every error that a user can cause or mend, with one sentence.

| exit code | meaning |
|---|---|
| 0 | done |
| 2 | refused: the line on standard error says what is wrong |
| 130 | interrupted by Ctrl-C; long commands have saved what they had |
| 141 | whatever read the output stopped reading |
| 143 | ended by SIGTERM; long commands have saved what they had |

Anything else is a mistake in solvent, and shows a traceback.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import typer

from solvent.foundation.errors import InputError, Notice, shortened, without_controls
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

OUT_OF_MEMORY = (
    "out of memory; take a smaller game, abstraction or number of threads, or close other programs"
)


def stopped_by_signals(work: Callable[[], Made]) -> tuple[Made, int]:
    """The result of work and the exit code 0; where a signal ends it, the result so far and the signal's code."""
    try:
        with raising_signals():
            return work(), 0
    except Interrupted as stopped:
        if stopped.result is None:
            raise
        return stopped.result, stopped.exit_code


def exit_code(error: BaseException) -> int | None:
    """Say on standard error what went wrong, and return the exit code; None where the error is solvent's own."""
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
    sentence = explain(error)
    if sentence is None:
        return None
    say(sentence)
    return REFUSED


def explain(error: BaseException) -> str | None:
    """One sentence for the person who can mend it; None where the error is a mistake in solvent.

    >>> explain(OSError(errno.ENOSPC, "No space left on device", "runs/a"))
    'runs/a: No space left on device'
    """
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, _UsageError):
        message: str = error.format_message()
        return message
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return OUT_OF_MEMORY
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror or error}"
    if isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        return f"the text {text!a} cannot be written as {error.encoding}"
    if isinstance(error, UnicodeDecodeError):
        return f"what was read is not {error.encoding} text: {error.reason}"
    damaged = damaged_cache(error.__traceback__)
    if damaged is None:
        return None
    return f"the compiled kernels in {damaged} are damaged; delete that folder, and they are compiled again"


def damaged_cache(traceback: TracebackType | None) -> Path | None:
    """The folder of Numba's cache that could not be read, if that is what a traceback is about."""
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        if Path(frame.f_code.co_filename).parts[-3:] == ("numba", "core", "caching.py"):
            cache = frame.f_locals.get("self")
            folder = getattr(cache, "_cache_path", None)
            found = Path(folder) if isinstance(folder, str) else found
        traceback = traceback.tb_next
    return found


@contextmanager
def notices_said() -> Iterator[None]:
    """Say every `Notice` of the library's in one line while the block runs."""
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
