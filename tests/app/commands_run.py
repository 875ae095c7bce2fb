"""Running commands in tests: in this process, in one of their own, and on copies of a small run."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from solvent.app.command_line import run as run_here
from solvent.foundation.storage.run import Run
from survival.forking import Begun, shared

JSON_KEYS = {
    "game",
    "form",
    "plan",
    "rule",
    "updates",
    "pruning",
    "threads",
    "dtype",
    "seed",
    "iterations",
    "exploitability",
    "value",
    "infosets",
    "histories",
    "seconds",
    "seconds_per_iteration",
    "peak_memory_bytes",
    "nodes_touched",
    "touched_unit",
}


def solvent(*arguments: str | Path, **options) -> subprocess.CompletedProcess[str]:
    """A command in this process, which has its kernels already; with options in one of its own."""
    command = [sys.executable, "-m", "solvent.app.main", *map(str, arguments)]
    if options:
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    said, complained = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(said), redirect_stderr(complained):
        patched.setattr(sys, "argv", ["solvent", *map(str, arguments)])
        code = run_here()
    return subprocess.CompletedProcess(command, code, said.getvalue(), complained.getvalue())


def solved(*arguments: str | Path) -> dict:
    done = solvent(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*arguments: str | Path) -> str:
    """The one line that a refusal prints."""
    done = solvent(*arguments)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("solvent: ")]
    assert len(lines) == 1, done.stderr
    assert done.stderr.splitlines()[-1] == lines[0]
    return lines[0]


def begin(*arguments: str | Path) -> Begun:
    """Begin a command in a fork of a process that has imported the package."""
    return shared().begin(*arguments)


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """Begin a command in a new Python."""
    command = [sys.executable, "-m", "solvent.app.main", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_checkpoint(run: Path, process: subprocess.Popen[str] | Begun, at_least: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if Run.is_run(run) and any(n >= at_least for n in Run.open(run).checkpoints()):
            return
        time.sleep(0.02)
    raise AssertionError(f"no checkpoint: {process.communicate()[1] if process.poll() is not None else ''}")


def copy(run: Path, to: Path) -> Path:
    import shutil

    shutil.copytree(run, to)
    return to


def newest_checkpoint(run: Path) -> Path:
    return max((run / "checkpoints").iterdir())
