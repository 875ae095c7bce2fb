"""How every command shows its progress, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from rich.console import Console

from solvent.app.outcomes import say
from solvent.app.terminal import terminal
from solvent.foundation.progress import Watch, raising_signals
from solvent.foundation.showing import showing


def watching(quiet: bool = False, console: Console | None = None) -> AbstractContextManager[Watch]:
    """A `Watch` that shows progress on standard error while the block runs.

    `quiet`: nothing off a terminal, as with --json.
    """
    return showing(console or terminal(stderr=True), quiet)


@contextmanager
def keeping_runs(kept: Path) -> Iterator[Path]:
    """The file or folder of an experiment's finished runs; whoever stops it is told that it goes on from there."""
    try:
        with raising_signals():
            yield kept
    except KeyboardInterrupt:
        if kept.exists():
            say(f"stopped; the same command goes on from the finished runs in {kept}")
        raise


def said(as_json: bool) -> bool:
    """Whether a command should speak on standard error: always, except with --json off a terminal."""
    return not as_json or sys.stderr.isatty()
