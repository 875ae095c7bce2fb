"""Packing a run into one file, to be moved or shared, and unpacking it.

A pack is a zip file. It holds the run's small files, the bundles that it began with, one checkpoint and, for a run
that needs them, further bundles such as card tables. Everything in it has a checksum of its own, which unpacking
compares.

A pack may come from anybody. A zip file says the size of each of its files before one is read, so unpacking knows
what it will take: no more than `MOST_RATIO` times the pack, the most that this compression can hide, and no more
than the disk has room for. Only contents are unpacked, as ordinary files in folders of the run; links, permissions
and whatever else a zip file may say of a file are never made.
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.bundle import MANIFEST, bundle_files, read_bundle
from solvent.foundation.storage.files import LOCK, WRITING, check_room, replacing, sync
from solvent.foundation.storage.run import CHECKPOINTS, CONFIGURATION, Run
from solvent.foundation.units import size

FIRST = PurePosixPath(CONFIGURATION)
"""The first file of a pack, by which it is recognised."""
LEVEL = 1
"""The quickest of zlib's nine. Zeros shrink to a 200th; numbers hardly less than by slower ones."""
MOST_RATIO = 1032
"""Most bytes that one byte of a deflated file can stand for."""
MOST_FILES, DEEPEST = 100_000, 4
"""Files of a pack, and folders inside folders; runs have far fewer."""
PIECE = 1 << 20
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)
"""Exceptions that reading a damaged zip file raises."""


def pack(
    run: Run,
    path: Path,
    bundles: Mapping[str, Path] | None = None,
    *,
    iterations: int | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> None:
    """Write a run with one checkpoint, the newest unless `iterations` names another, into one file.

    `bundles`, by the folders that they get in the unpacked run, are bundles from elsewhere.
    """
    if path.exists():
        raise InputError(f"{path} exists already; choose another name")
    with run.unchanged():
        run.load_checkpoint(iterations, mapped=True)  # refuses what is damaged
        number = run.checkpoints()[-1] if iterations is None else iterations
        members = dict(_members(run, number, bundles or {}))
        total = sum(source.stat().st_size for source in members.values())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_room(path.parent, total)
            with (
                replacing(path) as whole,
                zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as packed,
            ):
                done = 0
                for name, source in members.items():
                    with source.open("rb") as file, packed.open(name, "w", force_zip64=True) as entry:
                        for piece in iter(lambda file=file: file.read(PIECE), b""):  # type: ignore[misc]
                            entry.write(piece)
                            done += len(piece)
                            _tell("packing", done, total, watch, stop)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def is_packed(path: Path) -> bool:
    """Whether a file is a packed run."""
    try:
        with zipfile.ZipFile(path) as packed:
            first = next(iter(packed.namelist()), None)
            return first is not None and PurePosixPath(first) == FIRST
    except (OSError, *BROKEN):
        return False


def unpack(path: Path, folder: Path, watch: Watch | None = None, stop: Stop | None = None) -> Run:
    """Make a packed run a folder again, and open it. What is damaged is refused, and leaves nothing."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if not is_packed(path):
        raise InputError(f"{path} is not a packed run, or it is cut off; `solvent pack` makes one")
    Run.check_new(folder)
    aside = folder.with_name(f".{folder.name}{WRITING}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        _extract(path, aside, watch, stop)
        _check(aside)
        if folder.is_dir():  # holds nothing
            shutil.rmtree(folder)
        os.replace(aside, folder)
        sync(folder.parent)
    except OSError as error:
        raise InputError(f"cannot unpack {path}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Run.open(folder)


def _members(run: Run, number: int, bundles: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Names in the pack and where their files are."""
    yield str(FIRST), run.folder / CONFIGURATION
    for path in sorted(run.folder.iterdir()):
        if path.is_file() and path.name not in (CONFIGURATION, LOCK) and not path.name.startswith("."):
            yield path.name, path
        elif (path / MANIFEST).is_file() and path.name not in bundles:
            yield from ((f"{path.name}/{file.name}", file) for file in bundle_files(path))
    own = {f"{CHECKPOINTS}/{run.checkpoint(number).name}": run.checkpoint(number)}
    for name, folder in {**own, **bundles}.items():
        read_bundle(folder, mapped=True)
        yield from ((f"{name}/{file.name}", file) for file in bundle_files(folder))


def _extract(path: Path, folder: Path, watch: Watch | None, stop: Stop | None) -> None:
    damaged = InputError(f"{path} is damaged: it is cut off or is not a packed run")
    try:
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
            total, done = sum(entry.file_size for entry in entries), 0
            if len(entries) > MOST_FILES or total > MOST_RATIO * path.stat().st_size:
                raise InputError(
                    f"{path} is damaged: it claims to hold {len(entries):,} files of {size(total)}"
                )
            if not all(map(_is_plain_file, entries)):
                raise damaged
            check_room(folder, total)
            for entry in entries:
                target = folder.joinpath(*PurePosixPath(entry.filename).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with packed.open(entry) as content, target.open("xb") as file:
                    for piece in iter(lambda content=content: content.read(PIECE), b""):  # type: ignore[misc]
                        file.write(piece)
                        done += len(piece)
                        _tell("unpacking", done, total, watch, stop)
                    file.flush()
                    os.fsync(file.fileno())
                if target.stat().st_size != entry.file_size:
                    raise damaged
    except (FileExistsError, *BROKEN) as error:
        if isinstance(error, InputError):
            raise
        raise damaged from error


def _is_plain_file(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is an ordinary file inside the run's folder, compressed as `pack` does it."""
    name, mode = PurePosixPath(entry.filename), entry.external_attr >> 16
    inside = not name.is_absolute() and not any(part.startswith(".") for part in name.parts)
    plain = not entry.is_dir() and stat.S_IFMT(mode) in (0, stat.S_IFREG) and "\\" not in entry.filename
    return inside and plain and 0 < len(name.parts) <= DEEPEST and entry.compress_type == zipfile.ZIP_DEFLATED


def _tell(stage: str, done: int, total: int, watch: Watch | None, stop: Stop | None) -> None:
    if stop is not None:
        stop.check()
    if watch is not None:
        watch(Progress(stage, done, total))


def _check(folder: Path) -> None:
    """Compare everything that was unpacked with its checksums."""
    Run.open(folder).load_checkpoint(mapped=True)
    for manifest in sorted(folder.rglob(MANIFEST)):
        read_bundle(manifest.parent, mapped=True)
