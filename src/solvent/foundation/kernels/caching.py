"""Compiled kernels on the disk: a file for each kernel, state of its code, and types of arguments.

Numba's own cache notices edits of the file in which a kernel stands, and of no other. Here the name of a file has
the stamp of the kernel's code in it (`stamps`). Whatever was edited, pulled or installed over what was there, a
file is either what the code at hand compiles to, or not looked at. A file is written aside and renamed into place,
and begins with a checksum, so that one which was cut off or damaged is compiled again. One process at a time
compiles a kernel (`Turn`).

Files lie where NUMBA_CACHE_DIR says, or beside the package, or in the user's folder for caches: in the first of
these that can be written. In a folder for several packages they lie by the name of their module's package and not
by where it is installed: clones that share a folder share kernels, and stamps keep apart what differs. Where none
can be written, they lie in a temporary folder, and a warning says so.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha1, sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError, Notice
from solvent.foundation.kernels.stamps import Stamps, UnstampedError
from solvent.foundation.storage.files import WRITING, is_half_written, write_whole

appdirs: Any = import_module("numba.misc.appdirs")
compiler: Any = import_module("numba.core.compiler")
config: Any = import_module("numba.core.config")
event: Any = import_module("numba.core.event")
serialize: Any = import_module("numba.core.serialize")
sigutils: Any = import_module("numba.core.sigutils")

DIGITS = 16
"""Hexadecimal digits of digests in the names of files. The files begin with whole ones."""
DIGEST = sha256().digest_size
KEPT = 3
"""States of its code of which a kernel's files are kept, so that going back to a branch compiles nothing."""
ABANDONED = 3600.0
"""Seconds after which a file that is still being written has no writer any more."""
VERSIONS = tuple(import_module(name).__version__ for name in ("numba", "llvmlite", "numpy"))
SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE")
"""Settings of Numba's that change what code compiles to."""
TURNS = ".turns"
"""File in a folder of kernels on which turns are taken."""
WAITING = "solvent:turn"
"""Event of Numba's kind that lasts while a process waits for another one's kernel."""
PATIENCE, PAUSE = 120.0, 0.02
"""Seconds after which a process no longer waits, more than any kernel takes, and between two looks."""

_stamps = Stamps()


class Turn:
    """The turn to compile one kernel: other processes that want it at that time load what this one writes.

    A turn is a lock on one byte, chosen by the kernel's digest, of a file in `folder`. The system gives it back
    when a process ends, in whichever way, and forked children do not inherit it. A process that has waited for
    `PATIENCE` seconds, or cannot lock, compiles without a turn; the kernel is then compiled twice, which only costs
    time.
    """

    def __init__(self, folder: Path, digest: bytes) -> None:
        self._file, self._byte = _turns_in(folder), int.from_bytes(digest[:7], "big")

    def take(self, is_written: Callable[[], bool]) -> None:
        """Wait until nobody else has the turn, or until the kernel is written."""
        if self._locked():
            return
        with event.trigger_event(WAITING):
            until = time.monotonic() + PATIENCE
            while not (is_written() or self._locked() or time.monotonic() > until):
                time.sleep(PAUSE)

    def give_back(self) -> None:
        with suppress(OSError):
            self._lock(fcntl.LOCK_UN)

    def _locked(self) -> bool:
        """Lock the byte unless another process has it. Where nothing can be locked, every turn is free."""
        try:
            self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def _lock(self, how: int) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, how, 1, self._byte)


@cache
def _turns_in(folder: Path) -> int | None:
    """The file of turns in a folder, open as long as the process lives: closing it would give back every turn."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / TURNS, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    return None


class KernelCache:
    """The files of one compiled function. Numba's dispatchers call these methods, holding the compiler's lock."""

    def __init__(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        source = os.path.abspath(function.__code__.co_filename)
        name = f"{Path(source).stem}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._dispatcher, self._source, self._module = dispatcher, source, function.__module__
        self._begins = f"{name}.{sys.implementation.cache_tag}-"
        self._turns: list[Turn] = []

    @property
    def cache_path(self) -> str:
        *_, place = places(self._source, self._module)
        return str(place)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The function compiled for a signature; None where there is no file of it that is whole.

        Another process that compiles it now is waited for. After None this one is to compile it, and has the turn.
        """
        target.refresh()
        try:
            name, key = self._key(_stamps, signature, target.codegen())
        except UnstampedError:
            return None
        if (found := self._load(name, key, target)) is not None:
            return found
        place = Path(self.cache_path)
        turn = Turn(place, key)
        self._turns.append(turn)
        turn.take((place / name).exists)
        return self._load(name, key, target)

    def give_back_turns(self) -> None:
        """Wake the processes that wait for what this one has compiled."""
        while self._turns:
            self._turns.pop().give_back()

    def _load(self, name: str, key: bytes, target: Any) -> Any:
        for place in places(self._source, self._module):
            try:
                content = (place / name).read_bytes()
            except OSError:
                continue
            payload = memoryview(content)[2 * DIGEST :]
            if content[: 2 * DIGEST] == key + sha256(payload).digest():
                try:
                    return compiler.CompileResult._rebuild(target, *pickle.loads(payload))
                except Exception:  # of any kind; it can still be compiled
                    continue
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write what was just compiled; where it cannot be written, say so."""
        if compiled.library.has_dynamic_globals or not all(loop.can_cache for loop in compiled.lifted):
            return
        try:
            # The compiler has just read every constant; what `_stamps` knows of arrays may be older.
            name, key = self._key(Stamps(), signature, compiled.codegen)
        except UnstampedError:
            return
        payload = serialize.dumps(_reduced(compiled))
        path = Path(self.cache_path, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may write the same file, each under a name of its own first.
            write_whole(path, key + sha256(payload).digest() + payload, f".{uuid.uuid4().hex}{WRITING}")
            self._remove_old(path.parent)
        except (InputError, OSError) as error:
            _warn_unkept(getattr(error.__cause__ or error, "strerror", None))

    def _key(self, stamps: Stamps, signature: Any, codegen: Any) -> tuple[str, bytes]:
        """The name of a signature's file, and the digest of all that its content depends on."""
        arguments, _ = sigutils.normalize_signature(signature)
        stamp = stamps.of(self._dispatcher)
        settings = [str(getattr(config, name, None)) for name in SETTINGS]
        machine = repr((VERSIONS, settings, codegen.magic_tuple())).encode()
        variant = sha256(stamps.of(*arguments) + machine).digest()
        name = f"{self._begins}{stamp.hex()[:DIGITS]}-{variant.hex()[:DIGITS]}.nbc"
        return name, sha256(stamp + variant).digest()

    def _remove_old(self, place: Path) -> None:
        """Remove the files of all but the newest states of the code, and what nobody writes any more."""
        written: dict[Path, float] = {}
        own = self._begins, f".{self._begins}"
        for path in [path for path in place.iterdir() if path.name.startswith(own)]:
            with suppress(FileNotFoundError):  # another process has just written or removed it
                written[path] = path.stat().st_mtime
        states: dict[str, float] = {}
        for path, when in written.items():
            if not is_half_written(path):
                states[self._state(path)] = max(states.get(self._state(path), 0.0), when)
        kept = sorted(states, key=lambda state: states[state])[-KEPT:]
        for path, when in written.items():
            abandoned = is_half_written(path) and when < time.time() - ABANDONED
            if abandoned or (not is_half_written(path) and self._state(path) not in kept):
                path.unlink(missing_ok=True)

    def _state(self, path: Path) -> str:
        return path.name.removeprefix(self._begins)[:DIGITS]


def keep_on_disk(dispatcher: Any) -> None:
    """Give a compiled function its files, and let one process at a time compile it for a signature."""
    files, compile_for = KernelCache(dispatcher), dispatcher.compile

    def compile_in_turn(signature: Any) -> Any:
        try:
            return compile_for(signature)
        finally:
            files.give_back_turns()

    dispatcher._cache, dispatcher.compile = files, compile_in_turn


def places(source: str, module: str) -> Iterator[Path]:
    """The folders that may have the kernels of a source file. The last one is where they are written."""
    folder, (package, _, _) = os.path.dirname(source), module.rpartition(".")
    own = package or f"{os.path.basename(folder)}_{sha1(folder.encode()).hexdigest()}"
    if config.CACHE_DIR:
        yield (place := Path(config.CACHE_DIR, own))
        if _writable(place):
            return
    if os.path.isfile(source):
        yield (place := Path(folder, "__pycache__"))
        if _writable(place):
            return
    yield (place := Path(appdirs.AppDirs(appname="numba", appauthor=False).user_cache_dir, own))
    if not _writable(place) and (temporary := _temporary()) is not None:
        yield temporary / own


@cache
def _writable(folder: Path) -> bool:
    """Whether files can be written in a folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


@cache
def _temporary() -> Path | None:
    """A folder for temporary files that nobody else can write in: kept for this user, or of this process alone.

    Kernels are code. Where somebody else has made the folder that would be kept, it is not used.
    """
    kept = f"solvent-kernels-{os.getuid()}"
    try:
        folder = Path(tempfile.gettempdir(), kept)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _private(folder):
            folder = Path(tempfile.mkdtemp(prefix=f"{kept}-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
    except OSError:
        return None
    until = "" if folder.name == kept else " until this process ends"
    warnings.warn(
        f"neither the package's folder nor a home can be written, so compiled kernels are kept in {folder}{until}; "
        "set NUMBA_CACHE_DIR to a folder for them",
        Notice,
        stacklevel=2,
    )
    return folder


def _reduced(compiled: Any) -> Any:
    """Return what is kept of a compiled function.

    LLVM hands machine code over in a callback, in which Python swallows every exception. The code is missing only
    if a signal raised one there, which is nearly always Ctrl-C; it is raised again here.
    """
    try:
        return compiled._reduce()
    except RuntimeError as error:
        if "no compiled object" not in str(error):
            raise
        raise KeyboardInterrupt from error


def _private(folder: Path) -> bool:
    """Whether this is a folder of this user's, no link, in which nobody else may do anything."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


@cache
def _warn_unkept(why: str | None) -> None:
    sentence = f"compiled kernels are compiled again next time, as they cannot be written: {why}"
    warnings.warn(sentence, Notice, stacklevel=3)
