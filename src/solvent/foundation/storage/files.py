"""Files that are written whole or not at all, folders that one process holds, and room on the disk."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from solvent.foundation.errors import InputError
from solvent.foundation.units import size

WRITING = ".writing"
REPLACED = ".replaced"
"""Endings of hidden names: of what is being written, and of what it takes the place of."""
LOCK = ".lock"
DISK_RESERVE = 16 << 20
"""Bytes that are left free on the disk whatever happens."""


@contextmanager
def replacing(path: Path, aside: str = WRITING) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when the block has ended and all of it is on the disk.

    Whatever fails before leaves what was there. `aside` ends the name under which the file is written.
    """
    written = path.with_name(f".{path.name}{aside}")
    try:
        with open(written, "wb", opener=_open_own) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, path)
        sync(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # a read-only file system refuses even to remove what is not there
            written.unlink(missing_ok=True)


def _open_own(path: str, flags: int) -> int:
    """Open a file to write in a folder that somebody else may have made: links to other files are refused.

    A pipe that nobody reads is refused, too, instead of waited for. A lock keeps its content.
    """
    flags &= ~os.O_TRUNC if Path(path).name == LOCK else ~0
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


@contextmanager
def replacing_text(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A text file that takes the place of `path`, like `replacing`; line ends stay as they are written."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
        try:
            yield text
        finally:
            text.detach()


def write_whole(path: Path, content: bytes, aside: str = WRITING) -> None:
    """Write a small file whole or not at all. `aside` ends the name under which it is written first."""
    with replacing(path, aside) as file:
        file.write(content)


def write_text(path: Path, text: str, aside: str = WRITING) -> None:
    """Write a small text file whole or not at all. `aside` ends the name under which it is written first."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    write_whole(path, content, aside)


def write_picture(path: Path, figure: Any, dpi: int, format: str | None = None) -> None:
    """Write a figure of matplotlib whole or not at all, by default in the format that the name ends with."""
    with replacing(path) as file:
        try:
            figure.savefig(file, format=format or path.suffix[1:] or "png", dpi=dpi)
        except ValueError as error:
            raise InputError(f"cannot write the picture {path}: {error}") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def existing_folder(path: Path) -> Path:
    """The path itself, or the nearest one above it that exists."""
    return next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())


def can_write_in(folder: Path) -> bool:
    """Whether files can be made in an existing folder: not on a read-only file system, nor in somebody else's."""
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def check_room(folder: Path, needed: int) -> None:
    """Refuse to begin what the disk of a folder, which need not exist yet, has no room for."""
    free = shutil.disk_usage(existing_folder(folder)).free
    if needed + DISK_RESERVE > free:
        raise InputError(
            f"no room in {folder}: {size(needed + DISK_RESERVE)} are needed and {size(free)} are free"
        )


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder for writing; a second process that tries is refused."""
    try:
        file = open(folder / LOCK, "w", opener=_open_own)  # noqa: SIM115
    except OSError as error:
        raise InputError(f"cannot write in {folder}: {error.strerror or error}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{folder} is in use by another process") from error
        except OSError as error:
            raise InputError(f"cannot lock {folder}: {error.strerror or error}") from error
        yield


def is_half_written(path: Path) -> bool:
    """Whether this is the name of something that was being written."""
    return path.name.startswith(".") and path.name.endswith(WRITING)


def remove_half_written(folder: Path) -> None:
    """Remove what a killed process was writing in `folder`; only for a process that holds the folder.

    What was being replaced at that moment is put back in its place.
    """
    for path in folder.glob(f".*{REPLACED}"):
        place = folder / path.name[1 : -len(REPLACED)]
        if place.exists():
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.replace(path, place)
    for path in folder.glob(f".*{WRITING}"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
