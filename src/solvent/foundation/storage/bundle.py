"""Bundles: a folder of arrays with a manifest, written whole or not at all, and checked whenever it is opened.

A bundle is written aside and renamed into place, the disk space checked first. Its manifest holds the size and the
checksum of every file. Opening a bundle compares all of them, however large they are, so that a damaged bundle is
refused with a sentence that says what is wrong. Reading gigabytes takes seconds, so a note beside the files
remembers what was found: a file that has not been touched since is not read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import REPLACED, WRITING, check_room, sync, write_bytes, write_text

MANIFEST = "manifest.json"
FORMAT = 1
NUMBERS = "biuf"
"""Kinds of arrays that bundles hold: truth values, whole numbers and floats."""
NOTE = ".verified"
"""File that remembers which files match their checksums."""
REMEMBERED_FROM = 1 << 20
"""Bytes of a bundle from which on the note is worth its file."""
SETTLED_NS = 2_000_000_000
"""Nanoseconds since its last change after which a file is remembered: two changes may share one time stamp."""


WriteOthers = Callable[[Path], Mapping[str, dict[str, Any]]]
"""Writes further files of a bundle into a folder, and says of each by its name what `write_array` says."""


def write_bundle(
    folder: Path,
    arrays: Mapping[str, NDArray[Any]],
    facts: Mapping[str, Any],
    others: WriteOthers | None = None,
) -> None:
    """Write arrays and facts as one bundle, replacing what `folder` held only once all is on the disk."""
    aside = folder.with_name(f".{folder.name}{WRITING}")
    replaced = folder.with_name(f".{folder.name}{REPLACED}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        check_room(folder.parent, sum(array.nbytes for array in arrays.values()))
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        files = {name: write_array(aside / f"{name}.npy", array) for name, array in arrays.items()}
        if others is not None:
            files |= others(aside)
        manifest = {"format": FORMAT, "facts": dict(facts), "files": files}
        manifest["digest"] = digest_of(manifest)
        write_bytes(aside / MANIFEST, json.dumps(manifest, indent=1).encode())
        if folder.exists():
            shutil.rmtree(replaced, ignore_errors=True)
            os.replace(folder, replaced)
        os.replace(aside, folder)
        sync(folder.parent)
        shutil.rmtree(replaced, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error


def write_array(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    """Write a file of a bundle; its size and its checksum, as the manifest has them."""
    with path.open("wb") as file:
        put_array(file, array)
        os.fsync(file.fileno())
    return {"bytes": path.stat().st_size, "sha256": _sha256(path)}


def put_array(file: IO[bytes], array: NDArray[Any]) -> None:
    """Write an array as `np.save` does, which may lose the end of it on a full disk and say nothing."""
    array = np.asarray(array, order="C")
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    file.write(array.reshape(-1).view(np.uint8).data)
    file.flush()


def read_bundle(
    folder: Path, mapped: bool = False, below: Mapping[str, int] | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and facts of a bundle, compared with their checksums.

    mapped: open the arrays memory-mapped and read-only
    below: arrays of whole numbers, by name, that must hold numbers from 0 up to, but not including, the given one.
        A kernel that indexes by them then stays inside its own arrays.
    """
    manifest = _read_manifest(folder)
    _check_files(folder, manifest["files"], below or {})
    arrays = {}
    for name in manifest["files"]:
        path = folder / f"{name}.npy"
        with _reading(path):
            arrays[name] = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
        if not isinstance(arrays[name], np.ndarray) or arrays[name].dtype.kind not in NUMBERS:
            raise InputError(f"{path} is damaged: it is no array of numbers")
    return arrays, manifest["facts"]


def read_facts(folder: Path) -> dict[str, Any]:
    """The facts of a bundle alone."""
    return dict(_read_manifest(folder)["facts"])


def bundle_checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 checksums of a bundle's files, by the names of their arrays."""
    return {name: file["sha256"] for name, file in _read_manifest(folder)["files"].items()}


def bundle_files(folder: Path) -> list[Path]:
    """The files of a bundle, as a copy of it needs them."""
    return [folder / MANIFEST, *(folder / f"{name}.npy" for name in _read_manifest(folder)["files"])]


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may have no end
            raise ValueError("it is not a file")
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        digest = manifest.pop("digest")
        version, intact = manifest["format"], digest == digest_of(manifest)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"{folder} is not complete: it has no {MANIFEST}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it is not a manifest") from error
    if not intact:
        raise InputError(f"{path} is damaged: it has been changed since it was written")
    if version != FORMAT:
        raise InputError(f"{path} has format {version}; this version of solvent reads format {FORMAT}")
    if not _is_well_formed(manifest):
        raise InputError(f"{path} is damaged: it does not say which files and facts belong to it")
    return manifest


def _is_well_formed(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest, whose digest anybody can compute, has facts and names files of its own folder alone."""
    files, facts = manifest.get("files"), manifest.get("facts")
    return (
        isinstance(facts, dict)
        and isinstance(files, dict)
        and not any({"/", "\\", "\0"} & set(name) for name in files)
        and all(isinstance(one, dict) and {"bytes", "sha256"} <= one.keys() for one in files.values())
        and all(isinstance(one["bytes"], int) and isinstance(one["sha256"], str) for one in files.values())
    )


def _check_files(folder: Path, files: Mapping[str, Any], below: Mapping[str, int]) -> None:
    """Compare every file with the manifest, or with the note that this was done since it was last touched."""
    remembered = _read_note(folder)
    settled, noted = time.time_ns() - SETTLED_NS, {}
    for name, expected in files.items():
        path = folder / f"{name}.npy"
        with _reading(path):
            found = path.stat()
        if found.st_size != expected["bytes"]:
            raise InputError(
                f"{path} is damaged: it has {found.st_size:,} bytes and should have {expected['bytes']:,}"
            )
        # Restoring a time of change still changes st_ctime_ns; a copy has another inode.
        touched = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
        seal = [*touched, expected["sha256"], below.get(name)]
        if remembered.get(name) != seal:
            _check_file(path, expected["sha256"], below.get(name))
        if max(found.st_mtime_ns, found.st_ctime_ns) < settled:
            noted[name] = seal
    large = sum(expected["bytes"] for expected in files.values()) >= REMEMBERED_FROM
    if large and noted != remembered:
        with suppress(InputError):  # a folder that cannot be written in is checked each time
            write_text(folder / NOTE, json.dumps(noted), aside=f".{os.getpid()}{WRITING}")


def _wrong_file(path: Path, sha256: str) -> str:
    """The sentence for a file with another content: one of this folder's or of a neighbour's, or a damaged one."""
    for manifest in (path.parent / MANIFEST, *sorted(path.parent.parent.glob(f"*/{MANIFEST}"))):
        with suppress(InputError):
            for name, sum_of_other in bundle_checksums(manifest.parent).items():
                if sum_of_other == sha256:
                    return (
                        f"{path} is not the file that belongs there, but that of {manifest.parent / name}.npy"
                    )
    return f"{path} is damaged: its checksum does not match the manifest"


def _check_file(path: Path, sha256: str, below: int | None) -> None:
    with _reading(path):
        if (found := _sha256(path)) != sha256:
            raise InputError(_wrong_file(path, found))
        if below is None:
            return
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.dtype.kind not in "iu" or (array.size and (array.min() < 0 or array.max() >= below)):
        raise InputError(f"{path} is damaged: it must hold whole numbers from 0 to {below - 1:,}")


def _read_note(folder: Path) -> dict[str, Any]:
    try:
        note = json.loads((folder / NOTE).read_bytes()) if (folder / NOTE).is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Refuse an array that is missing or damaged, or that the system refuses to read, which is no damage."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing") from error
    except OSError as error:  # lack of memory or of permission
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error


def digest_of(document: Mapping[str, Any]) -> str:
    """A digest of a document that JSON can write."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
