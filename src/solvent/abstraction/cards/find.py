"""Finding the card abstraction that a run was made with, wherever the run and the abstraction have been moved.

A run notes the fingerprint of its cards and two paths to them. An abstraction with that fingerprint is looked for

1. in the folder that the user gives (`--cards`), and then nowhere else;
2. in the run's own folder `cards`, where an unpacked run has it;
3. at the noted path relative to the run, then at the noted absolute path;
4. in `abstractions/` beside the run, one or two folders above it, and in the working directory;
5. in the folders beside the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from solvent.abstraction.cards.buckets import KIND, TABLES, CardAbstraction
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import read_facts
from solvent.foundation.storage.run import Run

INSIDE = "cards"
"""The folder of a run in which its cards travel with it."""
ABSTRACTIONS = "abstractions"
"""The folder in which abstractions are kept by custom."""


def noted_paths(cards: Path, run: Path) -> list[str]:
    """Return a run's notes of where its cards are: the path relative to the run, and the absolute path."""
    return [os.path.relpath(cards.absolute(), run.absolute()), str(cards.absolute())]


def find_cards(run: Run, given: str | Path | None = None) -> CardAbstraction:
    """Open the cards of a run; `given` is where the user says they are."""
    return CardAbstraction.load(cards_folder(run, given))


def cards_folder(run: Run, given: str | Path | None = None) -> Path:
    """The folder of the card abstraction that a run was made with."""
    fingerprint = run.fixed.get("cards_fingerprint")
    if given is not None:
        found = fingerprint_of(Path(given))
        if found is None:
            raise InputError(f"{given} holds no card abstraction; `solvent abstract` makes one")
        if found != fingerprint:
            raise InputError(
                f"{given} is not the card abstraction of {run.folder}: "
                f"its fingerprint is {found}, not {fingerprint}"
            )
        return Path(given)
    noted = run.adjustable.get("cards")
    paths = [path for path in noted if isinstance(path, str)] if isinstance(noted, list) else []
    for folder in _places(run.folder, paths):
        if fingerprint_of(folder) == fingerprint:
            return folder
    where = f"in {paths[-1]}, " if paths else ""
    raise InputError(
        f"the card abstraction of {run.folder}, fingerprint {fingerprint}, is not {where}in {ABSTRACTIONS}/ or "
        "near the run; give its folder by --cards"
    )


def _places(run: Path, noted: Sequence[str]) -> Iterator[Path]:
    """Folders that may hold the cards of a run, likely ones first."""
    run = run.absolute()
    yield run / INSIDE
    yield from (run / path for path in noted)  # an absolute path stands for itself
    for above in (run.parent, run.parent.parent, Path.cwd()):
        yield from _folders(above / ABSTRACTIONS)
    yield from _folders(run.parent)


def _folders(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.is_dir())
    return []


def fingerprint_of(folder: Path) -> str | None:
    """The fingerprint of the abstraction in a folder, if there is one."""
    try:
        facts = read_facts(folder / TABLES)
    except InputError:
        return None
    fingerprint = facts.get("fingerprint")
    return fingerprint if facts.get("kind") == KIND and isinstance(fingerprint, str) else None
