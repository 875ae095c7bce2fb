"""The ends of commands: exit codes, closed streams, narrow encodings, interrupts, damaged caches."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
import typer
from rich.console import Console

from solvent.app import command_line, outcomes, terminal
from solvent.app.command_line import run
from solvent.app.terminal import watching
from solvent.foundation import showing
from solvent.foundation.errors import InputError, Notice
from solvent.foundation.progress import TERMINATED, Interrupted, Progress


def solvent(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "solvent", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("no game"), "no game"),
        (MemoryError(), "out of memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out of memory"),
        (PermissionError(errno.EACCES, "Permission denied", "runs/a"), "runs/a: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device", "x"), "x: No space left on device"),
        (UnicodeEncodeError("ascii", "aé", 1, 2, "ordinal"), r"'\xe9' cannot be written as ascii"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "not utf-8 text"),
    ],
)
def test_errors_are_one_sentence(
    error: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(command_line, "app", fail)
    assert run([]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert sentence in lines[0]


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(command_line, "app", fail)
    with pytest.raises(ZeroDivisionError):
        run([])


def test_interrupts_have_one_exit_code_each() -> None:
    assert outcomes.exit_code(KeyboardInterrupt()) == 130
    assert outcomes.exit_code(typer.Abort()) == 130
    assert outcomes.exit_code(Interrupted(TERMINATED)) == 143


def test_help_names_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    said = capsys.readouterr().out
    assert "130" in said
    assert "143" in said


def test_a_damaged_cache_of_own_kernels_is_named(tmp_path: Path) -> None:
    """Numba's index is a pickle. Cut off, it raises errors of many kinds; empty, that of the end of the input."""
    kernel = "from numba import njit\n@njit(cache=True)\ndef double(x):\n    return 2 * x\n"
    (tmp_path / "kernel.py").write_text(kernel)
    call = (
        "import kernel, sys, typer\nfrom solvent.app import command_line\ncommand_line.app = typer.Typer()\n"
    )
    call += "command_line.app.command()(lambda: print(kernel.double(2)))\nsys.exit(command_line.run([]))\n"
    here = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    here["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    for left in (None, -20, 0):
        for index in (tmp_path / "cache").rglob("*.nbi") if left is not None else ():
            index.write_bytes(index.read_bytes()[:left])
        done = subprocess.run(
            [sys.executable, "-c", call], env=here, capture_output=True, text=True, check=False
        )
        assert done.returncode == (0 if left is None else 2), done.stderr
        assert "Traceback" not in done.stderr
        assert left is None or f"{tmp_path / 'cache'}" in done.stderr
        assert left is None or "delete that folder" in done.stderr


def test_notices_of_the_library_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        command_line, "app", lambda *_, **__: warnings.warn("kept elsewhere", Notice, stacklevel=1)
    )
    assert run([]) == 0
    assert capsys.readouterr().err == "solvent: kept elsewhere\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_narrow_encodings_break_nothing(encoding: str) -> None:
    done = solvent("games", env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        terminal.tolerate_narrow_encodings()
        terminal.terminal().print("█ ± ♠ é \u2603")
        stream.flush()
    written = stream.buffer.getvalue().decode(encoding)
    assert written.startswith("# " if encoding == "ascii" else "# ±")
    assert "\\u2603" in written


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_break_nothing(closed: str) -> None:
    command = f"{sys.executable} -m solvent games {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_whoever_reads_our_output_may_stop() -> None:
    command = f"{sys.executable} -m solvent games --json | head -c 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


def test_progress_on_a_terminal_that_is_gone_fails_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stderr", Gone())
        terminal.terminal(stderr=True).print("half way")


def test_an_interrupt_while_importing_is_not_lost(tmp_path: Path) -> None:
    """A library may swallow the KeyboardInterrupt; the process ends all the same."""
    swallowing = "import time\nfor _ in range(100):\n    try:\n        time.sleep(0.1)\n"
    swallowing += "    except BaseException:\n        pass\n"
    (tmp_path / "swallowing.py").write_text(swallowing)
    script = "from solvent.app.main import exit_on_interrupted_imports as prepare\nprepare()\n"
    script += "print('go', flush=True)\nimport swallowing\n"
    here = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    process = subprocess.Popen([sys.executable, "-c", script], env=here, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == 130
    process.stdout.close()


def test_json_has_no_numbers_that_json_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_json({"a": [float("nan"), 1.5], "b": float("inf")})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5], "b": None}


def test_progress_off_a_terminal_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0
    monkeypatch.setattr(showing.time, "monotonic", lambda: now)
    with watching() as watch:
        for done in range(10):
            now += 6
            watch(Progress("dealing [0]", 100 * done, 1000, unit="hands"))
        now += 6
        watch(Progress("solving", 1, 2, "exploitability 1 chip"))
    assert capsys.readouterr().err.splitlines() == [
        "dealing [0]: 100 of 1,000 hands (10 %), 17/s, 54 s left",
        "dealing [0]: 600 of 1,000 hands (60 %), 17/s, 24 s left",
        "solving: 1 of 2 (50 %), exploitability 1 chip",
    ]
    with watching(quiet=True) as watch:
        watch(Progress("dealing", 1, 3))
    assert capsys.readouterr().err == ""


def test_compiling_is_said_off_a_terminal_and_loading_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba.core import event

    monkeypatch.setattr(showing, "TOLD_SECONDS", 0.0)
    with watching() as watch:
        watch(Progress("compiling kernels", 0))
        assert capsys.readouterr().err == ""
        for _ in range(2):
            with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
                pass
        watch(Progress("solving", 0))
        assert capsys.readouterr().err.splitlines() == [
            "compiling kernels, once in each environment",
            "compiled 4 kernels in 0 s",
        ]
    screen = Console(file=io.StringIO(), force_terminal=True, width=120, highlight=False)
    with watching(console=screen), event.trigger_event("numba:compile"):
        pass
    assert "compiled 1 kernel in 0 s" in screen.file.getvalue()  # type: ignore[attr-defined]


def test_progress_on_a_terminal_is_a_bar() -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=120)
    with watching(console=screen) as watch:
        watch(Progress("dealing", 1, 3, "[b]as it is"))
        watch(Progress("solving", 1, None))
    assert "[b]as it is" in screen.file.getvalue()  # type: ignore[attr-defined]
