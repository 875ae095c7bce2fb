"""Packing a run into one file, to be moved or shared, and unpacking it.

A pack is a plain tar file. It holds the run's small files, the bundles that it began with, one checkpoint and,
for a run that needs them, further bundles such as card tables. Nothing is compressed: tables of numbers hardly
shrink. Everything in it has a checksum of its own, which unpacking compares.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.bundle import MANIFEST, bundle_files, read_bundle
from solvent.foundation.storage.files import LOCK, WRITING, check_room, replacing, sync
from solvent.foundation.storage.run import CHECKPOINTS, CONFIGURATION, Run

FIRST = PurePosixPath(CONFIGURATION)
"""The first file of a pack, by which it is recognised."""


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
                tarfile.open(fileobj=whole, mode="w", format=tarfile.PAX_FORMAT) as tar,
            ):
                done = 0
                for name, source in members.items():
                    if stop is not None:
                        stop.check()
                    with source.open("rb") as file:
                        entry = tarfile.TarInfo(name)
                        entry.size = source.stat().st_size
                        tar.addfile(entry, file)
                    done += entry.size
                    if watch is not None:
                        watch(Progress("packing", done, total))
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def is_packed(path: Path) -> bool:
    """Whether a file is a packed run."""
    try:
        with tarfile.open(path, "r:") as tar:
            first = tar.next()
            return first is not None and PurePosixPath(first.name) == FIRST
    except (OSError, tarfile.TarError):
        return False


def unpack(path: Path, folder: Path, watch: Watch | None = None, stop: Stop | None = None) -> Run:
    """Make a packed run a folder again, and open it. What is damaged is refused, and leaves nothing."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if not is_packed(path):
        raise InputError(f"{path} is not a packed run; `solvent pack` makes one")
    Run.check_new(folder)
    aside = folder.with_name(f".{folder.name}{WRITING}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        check_room(folder.parent, path.stat().st_size)
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
    total = path.stat().st_size
    try:
        with tarfile.open(path, "r:") as tar:
            for entry in tar:
                if stop is not None:
                    stop.check()
                name = PurePosixPath(entry.name)
                content = tar.extractfile(entry) if entry.isreg() else None
                if content is None or name.is_absolute() or ".." in name.parts or "\\" in entry.name:
                    raise damaged
                target = folder.joinpath(*name.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    shutil.copyfileobj(content, file)
                if target.stat().st_size != entry.size:
                    raise damaged
                if watch is not None:
                    watch(Progress("unpacking", tar.offset, total))
    except (tarfile.TarError, EOFError, FileExistsError, UnicodeError) as error:
        raise damaged from error


def _check(folder: Path) -> None:
    """Compare everything that was unpacked with its checksums."""
    Run.open(folder).load_checkpoint(mapped=True)
    for manifest in sorted(folder.rglob(MANIFEST)):
        read_bundle(manifest.parent, mapped=True)
