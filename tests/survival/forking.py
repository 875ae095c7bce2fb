"""Commands in processes of their own that start at once, so that hundreds of them can be killed in minutes.

A `Forker` is a Python process that has imported the package. For each command it forks: the child has everything
imported and compiled, runs the command line, and may be killed after a given time or whenever a test wants. Run as
a script it is that process: it reads one JSON request per line and answers with one JSON line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
SILENCE = 600.0
"""Seconds after which a command that was not to be killed counts as hung."""


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    code: int
    """Exit code; the negative number of the signal that ended it."""
    seconds: float
    out: str
    err: str
    failed: int = 0
    """Calls that were made to fail."""

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Forker:
    """The process that forks commands, seen from a test."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "survival.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        )

    def run(
        self,
        *arguments: object,
        kill_after: float | None = None,
        here: bool = False,
        faults: Mapping[str, object] | None = None,
        said: str = "",
    ) -> Ended:
        """Run a command; with `here` in the forking process itself, so that later commands find it compiled.

        faults: fields of `faults.Faults` by name, which the command has to live with
        said: what stands on its standard input
        """
        request = {"arguments": [str(each) for each in arguments], "kill_after": kill_after, "here": here}
        return Ended(**self.ask({**request, "faults": faults and dict(faults), "said": said}))

    def read(self, code: str, here: bool = False, faults: Mapping[str, object] | None = None) -> Ended:
        """Run Python code in a fork, whose errors end as those of commands do."""
        return Ended(
            **self.ask({"code": code, "kill_after": None, "here": here, "faults": faults and dict(faults)})
        )

    def begin(self, *arguments: object) -> Begun:
        """Begin a command, and return while it runs."""
        return Begun(self, {"arguments": [str(each) for each in arguments]})

    def begin_code(self, code: str) -> Begun:
        """Begin Python code, and return while it runs."""
        return Begun(self, {"code": code})

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the forking process ended with {self.process.wait()}"
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


class Begun:
    """A command that runs in a fork, with the methods of `subprocess.Popen` that tests call."""

    def __init__(self, forker: Forker, request: dict[str, Any]) -> None:
        self._forker, self._folder = forker, tempfile.TemporaryDirectory()
        self.returncode: int | None = None
        self.pid: int = forker.ask({**request, "begin": self._folder.name})["pid"]

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._forker.ask({"ended": self.pid})["code"]
        return self.returncode

    def wait(self, timeout: float = SILENCE) -> int:
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            assert time.monotonic() < deadline, f"the command still runs after {timeout:.0f} s"
            time.sleep(0.002)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = SILENCE) -> tuple[str, str]:
        self.wait(timeout)
        said, complained = (
            Path(self._folder.name, name).read_text(errors="replace") for name in ("out", "err")
        )
        return said, complained


@cache
def shared() -> Forker:
    """The forking process of all tests of a process, which has loaded the compiler too."""
    forker = Forker()
    forker.run("solve", "kuhn", "--iterations", 1, "--threads", 1, here=True)
    return forker


# The forking process


def serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Nothing else may write where answers go.
    begun: set[int] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if "begin" in request:
            child = forked(request, Path(request["begin"]))
            begun.add(child)
            answer: dict[str, Any] = {"pid": child}
        elif "ended" in request:
            ended, status = os.waitpid(request["ended"], os.WNOHANG)
            begun.discard(ended)
            answer = {"code": os.waitstatus_to_exitcode(status) if ended else None}
        else:
            with tempfile.TemporaryDirectory() as folder:
                answer = perform(request, Path(folder))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    for child in begun:  # of a test that failed
        os.kill(child, signal.SIGKILL)


def perform(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    out, err, start = folder / "out", folder / "err", time.monotonic()
    if request["here"]:
        with redirected(out, err):
            code = execute(request)
    else:
        code = awaited(forked(request, folder), start, request["kill_after"])
    seconds, failed = time.monotonic() - start, folder / "failed"
    return {
        "code": code,
        "seconds": seconds,
        "out": out.read_text(errors="replace"),
        "err": err.read_text(errors="replace"),
        "failed": int(failed.read_text()) if failed.exists() else 0,
    }


def forked(request: dict[str, Any], folder: Path) -> int:
    """The id of a new process that does what is asked for; the folder has its output and its faults."""
    out, err = folder / "out", folder / "err"
    for path in (out, err):
        path.touch()  # A child may be killed before it opens them.
    (folder / "in").write_text(request.get("said") or "")
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        redirected(out, err).__enter__()
        os.dup2(os.open(folder / "in", os.O_RDONLY), 0)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        with faults_of(request) as faults:
            code = execute(request)
        (folder / "failed").write_text(str(faults.failed if faults else 0))
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def faults_of(request: dict[str, Any]) -> Any:
    """The faults that a command has to live with, installed; None without any."""
    if not request.get("faults"):
        return nullcontext()
    from survival.faults import Faults, installed

    given = request["faults"]
    return installed(Faults(**{**given, "folder": Path(given["folder"])}))


def execute(request: dict[str, Any]) -> int:
    if "code" in request:
        from solvent.app.outcomes import exit_code

        try:
            exec(compile(request["code"], "<request>", "exec"), {})
        except SystemExit as left:
            return int(left.code or 0)
        except BaseException as error:
            code = exit_code(error)
            if code is None:
                raise
            return code
        return 0
    from solvent.app.command_line import run

    sys.argv = ["solvent", *request["arguments"]]
    return int(run())


def awaited(child: int, start: float, kill_after: float | None) -> int:
    """Wait for a child, kill it when its time is over, and return how it ended."""
    deadline = start + (SILENCE if kill_after is None else kill_after)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        time.sleep(min(left, 0.002))


class redirected:  # noqa: N801
    """Standard output and error in files, also those that C writes."""

    def __init__(self, out: Path, err: Path) -> None:
        self.paths = (out, err)

    def __enter__(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.kept = [os.dup(1), os.dup(2)]
        for number, path in enumerate(self.paths, start=1):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(opened, number)
            os.close(opened)

    def __exit__(self, *error: object) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, kept in enumerate(self.kept, start=1):
            os.dup2(kept, number)
            os.close(kept)


if __name__ == "__main__":
    serve()
