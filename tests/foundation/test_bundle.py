"""Bundles: every changed bit is refused, what was checked is remembered, and what the system refuses is said."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.storage import bundle, files
from solvent.foundation.storage.bundle import (
    NOTE,
    bundle_files,
    read_bundle,
    read_facts,
    write_array,
    write_bundle,
)

ARRAYS = {"buckets": np.arange(200, dtype=np.uint16).reshape(20, 10) % 50, "sums": np.linspace(0, 1, 30)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "tables", ARRAYS, {"design": "tiny"})
    return tmp_path / "tables"


@pytest.fixture
def noted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle that is worth a note, last changed a while ago."""
    monkeypatch.setattr(bundle, "REMEMBERED_FROM", 1)
    monkeypatch.setattr(bundle, "SETTLED_NS", 0)
    read_bundle(folder)
    assert (folder / NOTE).is_file()
    return folder


def times_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose checksums are computed from here on."""
    read, real = [], bundle._sha256

    def sha256(path: Path) -> str:
        read.append(path.stem)
        return real(path)

    monkeypatch.setattr(bundle, "_sha256", sha256)
    return read


@pytest.mark.parametrize("mapped", [False, True])
def test_what_is_written_is_read(folder: Path, mapped: bool):
    arrays, facts = read_bundle(folder, mapped=mapped, below={"buckets": 50})
    assert facts == read_facts(folder) == {"design": "tiny"}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert isinstance(arrays[name], np.memmap) == mapped
    assert not (folder / NOTE).exists()  # small ones are read each time
    assert {path.name for path in bundle_files(folder)} == {"manifest.json", "buckets.npy", "sums.npy"}


def test_every_changed_bit_is_refused_or_without_effect(noted: Path):
    for path in [*bundle_files(noted), noted / NOTE]:
        written = path.read_bytes()
        stamps = path.stat().st_atime_ns, path.stat().st_mtime_ns
        for place in np.random.default_rng(len(written)).choice(8 * len(written), 150, replace=False):
            changed = bytearray(written)
            changed[place // 8] ^= 1 << place % 8
            path.write_bytes(changed)
            os.utime(path, ns=stamps)  # as some copying tools do
            try:
                arrays, facts = read_bundle(noted, mapped=True)
            except InputError:
                assert path.name != NOTE
                continue
            assert path.suffix != ".npy"
            assert facts == {"design": "tiny"}
            for name, array in ARRAYS.items():
                np.testing.assert_array_equal(arrays[name], array)
        path.write_bytes(written)


def test_a_file_is_read_again_only_when_it_was_touched(noted: Path, monkeypatch: pytest.MonkeyPatch):
    read = times_read(monkeypatch)
    read_bundle(noted)
    assert read == []
    (noted / "sums.npy").touch()
    read_bundle(noted)
    assert read == ["sums"]
    shutil.copytree(noted, noted.with_name("copy"))  # with the note and the times of change
    read_bundle(noted.with_name("copy"))
    assert sorted(read) == ["buckets", "sums", "sums"]
    (noted / NOTE).unlink()
    read_bundle(noted)
    assert sorted(read) == ["buckets", "buckets", "sums", "sums", "sums"]


def test_a_file_that_has_just_changed_is_not_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Two changes within one tick of the file system's clock would look alike."""
    monkeypatch.setattr(bundle, "REMEMBERED_FROM", 1)
    read = times_read(monkeypatch)
    for _ in range(2):
        read_bundle(folder)
    assert len(read) == 4
    monkeypatch.setattr(bundle, "SETTLED_NS", 10_000_000)
    time.sleep(0.03)
    for _ in range(2):
        read_bundle(folder)
    assert len(read) == 6


def test_numbers_out_of_bounds_are_refused_and_bounds_are_remembered(
    noted: Path, monkeypatch: pytest.MonkeyPatch
):
    read = times_read(monkeypatch)
    for _ in range(2):
        read_bundle(noted, below={"buckets": 50})
    assert read == ["buckets"]
    with pytest.raises(InputError, match=r"buckets.npy is damaged: it must hold whole numbers from 0 to 48"):
        read_bundle(noted, below={"buckets": 49})
    with pytest.raises(InputError, match=r"sums.npy is damaged: it must hold whole numbers"):
        read_bundle(noted, below={"sums": 2})
    write_bundle(noted, {"cluster": np.array([0, -1], np.int16)}, {})
    with pytest.raises(InputError, match="from 0 to 3"):
        read_bundle(noted, below={"cluster": 4})


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EACCES])
def test_what_the_system_refuses_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch, number: int):
    def refuse(*given, **options):
        raise OSError(number, os.strerror(number))

    for name in ("load",):
        with monkeypatch.context() as patched:
            patched.setattr(np, name, refuse)
            with pytest.raises(InputError, match=f"cannot read .*npy: {os.strerror(number)}"):
                read_bundle(folder)
    for path in bundle_files(folder):
        with monkeypatch.context() as patched:
            real = Path.open
            refused = path

            def opening(self, *given, refused=refused, real=real, **options):
                return refuse() if self == refused else real(self, *given, **options)

            patched.setattr(Path, "open", opening)
            patched.setattr(Path, "read_bytes", lambda self: self.open("rb").read())
            with pytest.raises(InputError, match=f"cannot read .*{path.name}: {os.strerror(number)}"):
                read_bundle(folder)


def test_a_folder_that_cannot_be_written_in_is_still_read(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundle, "REMEMBERED_FROM", 1)
    monkeypatch.setattr(bundle, "SETTLED_NS", 0)

    def refuse(*given: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files.os, "replace", refuse)
    read_bundle(folder)
    assert not (folder / NOTE).exists()


def test_no_room_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(1, 1, 1000))
    with pytest.raises(InputError, match=r"no room in .*16.0 MiB are needed and 1,000 B are free"):
        write_bundle(folder, ARRAYS, {"design": "other"})
    assert read_facts(folder) == {"design": "tiny"}
    assert [path.name for path in folder.parent.iterdir()] == ["tables"]


def test_missing_files_are_named(folder: Path):
    (folder / "sums.npy").unlink()
    with pytest.raises(InputError, match=r"sums.npy is missing"):
        read_bundle(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"is not complete: it has no manifest.json"):
        read_bundle(folder)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(6).reshape(2, 3)[:, ::2],
        np.array(2.5),
        np.zeros((0, 4)),
        np.array([True, False]),
        np.array(["fold", "call"]),
    ],
    ids=["table", "strided", "number", "empty", "flags", "words"],
)
def test_files_of_arrays_are_those_of_numpy(array: np.ndarray, tmp_path: Path):
    write_array(tmp_path / "ours.npy", array)
    np.save(tmp_path / "numpy.npy", np.asarray(array, order="C"))
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


def test_an_array_that_is_cut_off_is_not_written(tmp_path: Path):
    """A short array of which the disk takes only the beginning: its last bytes were lost in a buffer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(InputError, match=r"cannot write .*bundle: File too large"):
            write_bundle(tmp_path / "bundle", {"table": np.zeros(500, dtype=np.float32)}, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("content", [["a", "b"], [(1.0,)], None])
def test_what_is_no_array_of_numbers_is_refused(content: list[object] | None, mapped: bool, tmp_path: Path):
    folder = tmp_path / "bundle"
    write_bundle(folder, {"table": np.zeros(2)}, {})
    table, manifest = folder / "table.npy", folder / bundle.MANIFEST
    if content is None:
        with table.open("wb") as file:
            np.savez(file, table=np.zeros(2))
    else:
        np.save(table, np.array(content, [("a", "f8")] if isinstance(content[0], tuple) else None))
    written = json.loads(manifest.read_bytes())
    del written["digest"]
    written["files"]["table"] = {"bytes": table.stat().st_size, "sha256": bundle._sha256(table)}
    manifest.write_text(json.dumps({**written, "digest": bundle.digest_of(written)}))
    with pytest.raises(InputError, match=r"table\.npy is damaged: it is no array of numbers"):
        read_bundle(folder, mapped)


def test_a_manifest_that_is_a_pipe_is_not_waited_for(tmp_path: Path):
    write_bundle(tmp_path / "bundle", {"table": np.zeros(2)}, {})
    (tmp_path / "bundle" / bundle.MANIFEST).unlink()
    os.mkfifo(tmp_path / "bundle" / bundle.MANIFEST)
    with pytest.raises(InputError, match="it is not a manifest"):
        read_bundle(tmp_path / "bundle")
