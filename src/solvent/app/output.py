"""Files that commands write: complete or not at all, and refused before the work that fills them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import WRITING


@contextmanager
def written(out: Path | None) -> Iterator[TextIO]:
    """A text stream to a file, which appears under its name once it is complete; standard output for None."""
    if out is None:
        yield sys.stdout
        return
    check_writable(out)
    aside = out.with_name(f".{out.name}{WRITING}")
    try:
        with aside.open("w", newline="", encoding="utf-8") as file:
            yield file
        os.replace(aside, out)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        aside.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file")
    check_writable_folder(path.absolute().parent)


def check_writable_folder(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, whether it exists or would have to be made."""
    above = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not above.is_dir():
        raise InputError(f"cannot write in {folder}: {above} is a file")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"cannot write in {folder}: {above} is not yours to write in")
