"""The cache of compiled kernels: it never returns other code than that at hand, and never fails."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kernel_uses import SOURCE, uses
from numba.core import event
from numba.core.errors import TypingError

from solvent.foundation.errors import Notice
from solvent.foundation.kernels import caching

HELPERS = """
from solvent.foundation.kernels.compiling import inlined, kernel

@inlined
def half(x):
    return x / 2.0

@kernel
def twice(x):
    return x * 2.0
"""
KERNELS = """
from helpers import half, twice
from solvent.foundation.kernels.compiling import kernel

@kernel
def less(x):
    return half(x) - 1.0

@kernel
def applied(function, x):
    return function(x)
"""


class Compiled(event.Listener):  # type: ignore[misc]
    """The names of the functions that were compiled."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: Any) -> None:
        self.names.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        """Nothing: it has been noted."""

    def take(self) -> list[str]:
        names, self.names = self.names, []
        return names


@pytest.fixture
def compiled() -> Iterator[Compiled]:
    listener = Compiled()
    event.register("numba:compile", listener)
    yield listener
    event.unregister("numba:compile", listener)


@cache
def _never(folder: Path) -> bool:
    return False


@cache
def _always(folder: Path) -> bool:
    folder.mkdir(exist_ok=True)
    return True


Fresh = Callable[..., ModuleType]


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fresh]:
    """The module of kernels as a new process would import it, with the text of its helpers."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits in one second look alike to Python
    monkeypatch.setattr(caching.config, "CACHE_DIR", "")

    def forget() -> None:
        for name in ("kernels", "helpers"):
            sys.modules.pop(name, None)
        for remembered in (caching._writable, caching._temporary, caching._warn_unkept):
            remembered.cache_clear()

    def load(helpers: str = HELPERS) -> ModuleType:
        forget()
        (tmp_path / "helpers.py").write_text(helpers)
        (tmp_path / "kernels.py").write_text(KERNELS)
        return import_module("kernels")

    yield load
    forget()


def files(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("kernels.less.*"))


def test_an_edited_helper_is_compiled_and_nothing_else(fresh: Fresh, compiled: Compiled) -> None:
    assert fresh().less(4.0) == 1.0
    assert compiled.take() == ["less"]
    assert fresh().less(4.0) == 1.0
    assert fresh(HELPERS.replace("x * 2.0", "x * 3.0")).less(4.0) == 1.0
    assert fresh("# A line more.\n" + HELPERS).less(4.0) == 1.0
    assert compiled.take() == []
    assert fresh(HELPERS.replace("x / 2.0", "x / 4.0")).less(4.0) == 0.0
    assert compiled.take() == ["less"]


def test_a_few_states_of_the_code_are_kept(fresh: Fresh, compiled: Compiled, tmp_path: Path) -> None:
    for number, divisor in enumerate((2.0, 4.0, 8.0, 16.0)):
        assert fresh(HELPERS.replace("2.0", str(divisor))).less(16.0) == 16.0 / divisor - 1.0
        newest = max(files(tmp_path), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (number, number))
    assert len(files(tmp_path)) == caching.KEPT
    assert compiled.take() == ["less"] * 4
    assert fresh(HELPERS.replace("2.0", "4.0")).less(16.0) == 3.0  # back to a state before
    assert compiled.take() == []


def test_clones_that_share_a_folder_share_kernels(
    compiled: Compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same package in two places, and in a third with another helper."""
    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path / "shared"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    counts = []
    for clone, helpers in (
        ("one", HELPERS),
        ("two", HELPERS),
        ("three", HELPERS.replace("x / 2.0", "x / 4.0")),
    ):
        package = tmp_path / clone / "package_of_clones"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "helpers.py").write_text(helpers)
        (package / "kernels.py").write_text(KERNELS.replace("from helpers", "from package_of_clones.helpers"))
        monkeypatch.syspath_prepend(package.parent)
        for name in [name for name in sys.modules if name.startswith("package_of_clones")]:
            monkeypatch.delitem(sys.modules, name)
        import_module("package_of_clones.kernels").less(4.0)
        counts.append(compiled.take())
    assert counts == [["less"], [], ["less"]]


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "changed", "other"])
def test_a_damaged_file_is_compiled_again(
    fresh: Fresh, compiled: Compiled, tmp_path: Path, damage: str
) -> None:
    assert fresh().less(4.0) == 1.0
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    if damage == "other":  # whole, but of another kernel
        assert fresh(HELPERS.replace("x / 2.0", "x / 4.0")).less(4.0) == 0.0
        (foreign,) = set(files(tmp_path)) - {path}
        path.write_bytes(foreign.read_bytes())
    else:
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        path.write_bytes(
            {"empty": b"", "cut": whole[:-20], "garbage": b"\x80" * 999, "changed": changed}[damage]
        )
    compiled.take()
    assert fresh().less(4.0) == 1.0
    assert compiled.take() == ["less"]
    assert fresh().less(4.0) == 1.0
    assert compiled.take() == []


def test_functions_that_are_passed_in_count(fresh: Fresh, compiled: Compiled) -> None:
    def apply(helpers: str = HELPERS) -> float:
        module = fresh(helpers)
        value: float = module.applied(module.twice, 4.0)
        return value

    assert apply() == 8.0
    assert compiled.take() == ["applied", "twice"]
    assert apply() == 8.0
    assert compiled.take() == []
    assert apply(HELPERS.replace("x * 2.0", "x * 3.0")) == 12.0
    assert compiled.take() == ["applied", "twice"]


def test_what_cannot_be_written_is_said_once(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    module = fresh()
    with pytest.warns(Notice, match=r"compiled again next time.*: No space left") as said:
        assert module.less(4.0) == module.less(4) == 1.0
    assert len(said) == 1
    assert files(tmp_path) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_while_code_is_handed_over_is_heard(fresh: Fresh, tmp_path: Path) -> None:
    """LLVM hands machine code to a callback, where Python prints exceptions and goes on."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    module = fresh()
    engine = module.less.targetctx.codegen()._engine._ee
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "_object_cache_notify", interrupted)
        with pytest.raises(KeyboardInterrupt):
            module.less(4.0)
    assert files(tmp_path) == []
    assert fresh().less(4.0) == 1.0


def test_an_interrupted_write_leaves_nothing(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    module = fresh()
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            module.less(4.0)
    assert files(tmp_path) == []
    killed = tmp_path / "__pycache__" / f".{fresh().less._cache._begins}0-0.nbc.1.writing"
    killed.write_bytes(b"half")
    os.utime(killed, (0, 0))
    assert fresh().less(4.0) == 1.0
    assert not killed.exists()


class TestTurns:
    """Another process has the turn at compiling a kernel."""

    @pytest.fixture
    def taken(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
        """Another process that has every turn; `meanwhile` is called while it is waited for."""

        def take(meanwhile: Callable[[], None]) -> None:
            def locked(file: int, how: int, *range: int) -> None:
                if how != fcntl.LOCK_UN:
                    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

            monkeypatch.setattr(caching.fcntl, "lockf", locked)
            monkeypatch.setattr(caching.time, "sleep", lambda seconds: meanwhile())

        return take

    def test_what_another_process_compiles_is_waited_for(
        self, fresh: Fresh, compiled: Compiled, tmp_path: Path, taken: Callable[..., None]
    ) -> None:
        assert fresh().less(4.0) == 1.0
        (path,) = files(tmp_path)
        aside = path.rename(tmp_path / "aside")
        compiled.take()
        taken(lambda: shutil.move(aside, path))
        assert fresh().less(4.0) == 1.0
        assert compiled.take() == []

    def test_a_wait_without_end_is_ended(
        self, fresh: Fresh, compiled: Compiled, monkeypatch: pytest.MonkeyPatch, taken: Callable[..., None]
    ) -> None:
        now = [0.0]
        monkeypatch.setattr(caching.time, "monotonic", lambda: now[0])
        taken(lambda: now.append(now.pop() + 30.0))
        assert fresh().less(4.0) == 1.0
        assert compiled.take() == ["less"]
        assert now[0] > caching.PATIENCE

    def test_turns_are_given_back(self, fresh: Fresh, tmp_path: Path) -> None:
        """After kernels that were compiled, and after one that cannot be."""

        def free() -> bool:
            """Whether another process, as a forked one is, can lock the whole file."""
            if (child := os.fork()) == 0:
                try:
                    with (tmp_path / "__pycache__" / caching.TURNS).open("r+b") as file:
                        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BaseException:
                    os._exit(1)
                os._exit(0)
            return os.waitpid(child, 0)[1] == 0

        module = fresh()
        held = caching.Turn(tmp_path / "__pycache__", b"\0" * 7)
        held.take(lambda: False)
        assert not free()
        held.give_back()
        assert module.less(4.0) == 1.0
        assert free()
        with pytest.raises(TypingError):
            module.less("four")
        assert free()

    def test_without_locks_kernels_are_compiled_at_once(
        self, fresh: Fresh, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unable(*arguments: object) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(caching.fcntl, "lockf", unable)
        assert fresh().less(4.0) == 1.0
        assert compiled.take() == ["less"]


class TestReadOnly:
    """Neither the package's folder nor a home can be written."""

    @pytest.fixture(autouse=True)
    def nowhere(self, fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "tmp").mkdir()
        monkeypatch.setattr(caching.tempfile, "tempdir", str(tmp_path / "tmp"))
        monkeypatch.setattr(caching, "_writable", _never)

    def test_kernels_are_kept_in_a_private_temporary_folder(
        self, fresh: Fresh, compiled: Compiled, tmp_path: Path
    ) -> None:
        with pytest.warns(Notice, match="NUMBA_CACHE_DIR") as said:
            assert fresh().less(4.0) == 1.0
        folder = tmp_path / "tmp" / f"solvent-kernels-{os.getuid()}"
        assert len(said) == 1
        assert str(folder) in str(said[0].message)
        assert folder.stat().st_mode & 0o777 == 0o700
        compiled.take()
        with pytest.warns(Notice):
            assert fresh().less(4.0) == 1.0
        assert compiled.take() == []

    @pytest.mark.parametrize("made", ["open", "linked", "foreign"])
    def test_a_folder_that_somebody_else_may_have_made_is_not_used(
        self, fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
    ) -> None:
        folder = tmp_path / "tmp" / f"solvent-kernels-{os.getuid()}"
        if made == "linked":
            (tmp_path / "elsewhere").mkdir(mode=0o700)
            folder.symlink_to(tmp_path / "elsewhere")
        else:
            folder.mkdir()
            folder.chmod(0o777 if made == "open" else 0o700)
        if made == "foreign":
            own = os.geteuid()
            monkeypatch.setattr(caching.os, "geteuid", lambda: own + 1)
        with pytest.warns(Notice, match="until this process ends"):
            assert fresh().less(4.0) == 1.0
        assert list(folder.iterdir()) == []

    def test_kernels_that_are_there_are_read_without_a_word(
        self, fresh: Fresh, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(caching, "_writable", _always)
            assert fresh().less(4.0) == 1.0
        compiled.take()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fresh().less(4.0) == 1.0
        assert compiled.take() == []


SOLVE = """
import sys
from numba.core import event
from numba.core.errors import TypingError
from solvent.app.command_line import run

class Listener(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("solvent"):  # Numba compiles some of its own
            print(f"{function.__module__}.{function.__qualname__}", file=sys.stderr)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
sys.exit(run(["solve", "leduc", "--iterations", "10", "--json"]))
"""


@pytest.mark.slow
def test_an_edit_of_the_package_gives_the_new_numbers(tmp_path: Path) -> None:
    """A copy of the package with its kernels, in which regret matching is made uniform play."""
    shutil.copytree(SOURCE, tmp_path / "solvent", ignore=shutil.ignore_patterns("*.pyc", "*.nbi"))

    def solve(cache: str = "") -> tuple[float, list[str]]:
        here = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", SOLVE], env=here, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)["exploitability"], done.stderr.splitlines()

    before, _ = solve()
    assert solve() == (before, [])
    matching = tmp_path / "solvent" / "engines" / "vectors" / "matching.py"
    text = matching.read_text()
    matching.write_text(text.replace("return positive / total if total > NOTHING else alike", "return alike"))
    assert matching.read_text() != text
    after, compiled = solve()
    assert after == solve(str(tmp_path / "empty"))[0] != before
    assert 0 < len(set(compiled)) < 10
    assert set(compiled) <= uses()["solvent.engines.vectors.matching.share_of"]
    assert solve() == (after, [])
