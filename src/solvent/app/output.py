"""Files that commands write: complete or not at all, and refused before the work that fills them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import can_write_in, existing_folder, replacing_text


@contextmanager
def written(out: Path | None) -> Iterator[TextIO]:
    """A text stream to a file, which appears under its name once it is complete; standard output for None."""
    if out is None:
        yield sys.stdout
        return
    check_writable(out)
    with replacing_text(out) as file:
        yield file


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file")
    check_writable_folder(path.absolute().parent)


def check_writable_folder(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, whether it exists or would have to be made."""
    above = existing_folder(folder)
    if not above.is_dir():
        raise InputError(f"cannot write in {folder}: {above} is a file")
    if not can_write_in(above):
        raise InputError(f"cannot write in {folder}: nothing can be written in {above}")
