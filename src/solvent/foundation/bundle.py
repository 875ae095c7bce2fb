"""Bundles: a folder of arrays with a manifest, written whole or not at all.

A bundle is written aside and renamed into place, the disk space checked first. Its manifest holds the size
and checksum of every array, so that a damaged bundle is refused with a sentence that says what is wrong.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.units import size

MANIFEST = "manifest.json"
WRITING = ".writing"
REPLACED = ".replaced"
"""Endings of hidden names: of what is being written, and of what it takes the place of."""
LOCK = ".lock"
FORMAT = 1
DISK_RESERVE = 16 << 20
"""Bytes that are left free on the disk whatever happens."""


def write_bundle(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays and facts as one bundle, replacing what `folder` held only once all is on the disk."""
    aside = folder.with_name(f".{folder.name}{WRITING}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        check_room(folder.parent, sum(array.nbytes for array in arrays.values()))
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        files = {name: _write_array(aside / f"{name}.npy", array) for name, array in arrays.items()}
        manifest = {"format": FORMAT, "facts": dict(facts), "files": files}
        manifest["digest"] = _digest_of(manifest)
        _write_bytes(aside / MANIFEST, json.dumps(manifest, indent=1).encode())
        replaced = folder.with_name(f".{folder.name}{REPLACED}")
        if folder.exists():
            shutil.rmtree(replaced, ignore_errors=True)
            os.replace(folder, replaced)
        os.replace(aside, folder)
        _sync(folder.parent)
        shutil.rmtree(replaced, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder for writing; a second process that tries is refused."""
    try:
        file = (folder / LOCK).open("w")
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


def read_bundle(
    folder: Path, verify: bool = True, mapped: bool = False
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and facts of a bundle. `mapped` opens arrays memory-mapped, `verify` reads them all first."""
    manifest = _read_manifest(folder)
    arrays = {}
    for name, expected in manifest["files"].items():
        path = folder / f"{name}.npy"
        _check_array(path, expected, verify)
        try:
            arrays[name] = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
        except (ValueError, OSError) as error:
            raise InputError(f"{path} is damaged: {error}") from error
    return arrays, manifest["facts"]


def read_facts(folder: Path) -> dict[str, Any]:
    """The facts of a bundle alone."""
    facts: dict[str, Any] = _read_manifest(folder)["facts"]
    return facts


def _write_array(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": path.stat().st_size, "sha256": _sha256(path)}


def _write_bytes(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """Write a small file whole or not at all."""
    aside = path.with_name(f".{path.name}{WRITING}")
    try:
        _write_bytes(aside, text.encode())
        os.replace(aside, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def check_room(folder: Path, needed: int) -> None:
    """Refuse to begin what the disk has no room for."""
    free = shutil.disk_usage(folder).free
    if needed + DISK_RESERVE > free:
        raise InputError(
            f"no room in {folder}: {size(needed + DISK_RESERVE)} are needed and {size(free)} are free"
        )


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        digest = manifest.pop("digest")
        version, intact = manifest["format"], digest == _digest_of(manifest)
    except FileNotFoundError as error:
        raise InputError(f"{folder} is not complete: it has no {MANIFEST}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is damaged: it is not a manifest") from error
    if not intact:
        raise InputError(f"{path} is damaged: it has been changed since it was written")
    if version != FORMAT:
        raise InputError(f"{path} has format {version}; this version of solvent reads format {FORMAT}")
    return manifest


def _check_array(path: Path, expected: dict[str, Any], verify: bool) -> None:
    if not path.is_file():
        raise InputError(f"{path} is missing")
    found = path.stat().st_size
    if found != expected["bytes"]:
        raise InputError(f"{path} is damaged: it has {found:,} bytes and should have {expected['bytes']:,}")
    if verify and _sha256(path) != expected["sha256"]:
        raise InputError(f"{path} is damaged: its checksum does not match the manifest")


def _digest_of(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
