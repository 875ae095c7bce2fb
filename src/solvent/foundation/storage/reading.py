"""Text from outside, read with a bound: files of settings and commands, TOML, and lines of a stream.

A pipe or a device is read like a file, up to the bound: it may have no end. A named pipe that nobody writes to is
refused after a moment.
"""

from __future__ import annotations

import os
import re
import select
import stat
import tomllib
from pathlib import Path
from typing import IO, Any, AnyStr

from solvent.foundation.errors import InputError
from solvent.foundation.units import size

MOST_BYTES = 10 << 20
"""Bytes of the largest file that is read; settings, ranges and commands take far fewer."""
MOST_KEY_PARTS = 100
"""Parts of a dotted key of TOML, far more than one has: reading it takes time that grows with their square."""
PATIENCE = 1.0
"""Seconds until somebody must have begun to write to a named pipe."""


def read_text(path: str | os.PathLike[str], most: int = MOST_BYTES) -> str:
    """The UTF-8 text of a file or pipe of at most `most` bytes; anything else is refused with a sentence."""
    try:
        # Not blocking: a pipe that nobody writes to opens at once, instead of waiting for somebody.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except (OSError, ValueError) as error:  # a ValueError: the name has a null in it
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        kind = os.fstat(handle).st_mode
        if stat.S_ISDIR(kind):
            raise InputError(f"cannot read {path}: it is a folder, not a file")
        content = _begin(handle) if stat.S_ISFIFO(kind) else b""
        os.set_blocking(handle, True)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content += file.read(most + 1)
    except EOFError as error:
        raise InputError(f"cannot read {path}: it is a pipe that nobody writes to") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    finally:
        os.close(handle)
    if len(content) > most:
        raise InputError(f"{path} is too large: at most {size(most)} are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: it is no text in UTF-8") from error


def _begin(pipe: int) -> bytes:
    """Return the first letter of a pipe that does not block, or nothing if none comes within a moment.

    A pipe to which nothing was written and that nobody has open to write raises an `EOFError`.
    """
    select.select([pipe], [], [], PATIENCE)
    try:
        if first := os.read(pipe, 1):
            return first
    except BlockingIOError:  # somebody may write later
        return b""
    raise EOFError


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a TOML file."""
    return parse_toml(read_text(path), str(path))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The settings in TOML text; `where` names it in refusals."""
    # A key ends in = or ], and no key goes beyond one of the others, unless in quotes.
    pieces = re.split(r"([=\],{\n])", text)
    keys = [key for key, end in zip(pieces[:-1:2], pieces[1::2], strict=True) if end in "=]"]
    if any(key.count(".") >= MOST_KEY_PARTS for key in keys):
        raise InputError(f"{where} is not TOML: it has a key of more than {MOST_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # thousands of digits, or lists in lists in lists
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{where} is not TOML: {why}") from error


def read_line(stream: IO[AnyStr], most: int) -> AnyStr:
    """The next line of a stream, empty at its end; of one longer than `most`, the first `most` + 1 letters."""
    line = rest = stream.readline(most + 1)
    while len(rest) > most and rest[-1:] not in ("\n", b"\n"):
        rest = stream.readline(most + 1)
    return line
