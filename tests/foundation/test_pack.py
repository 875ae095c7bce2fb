"""Runs as one file."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import tarfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Progress, Stop
from solvent.foundation.storage.bundle import digest_of, read_bundle, write_bundle
from solvent.foundation.storage.pack import is_packed, pack, unpack
from solvent.foundation.storage.run import Run

TABLES = {"table": np.arange(1000, dtype=np.float32)}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run.create(
        tmp_path / "run", "training", {"seed": 1}, parts={"infosets": {"label": np.arange(5)}}, tables=TABLES
    )
    for iterations in (10, 20):
        run.save_checkpoint(iterations, {"table": TABLES["table"] + iterations}, {})
    run.add_metric({"iterations": 20, "regret": 0.5})
    (run.folder / "report.html").write_text("<p>")
    write_bundle(tmp_path / "abstraction" / "tables", {"flop": np.arange(7)}, {"fingerprint": "f"})
    return run


@pytest.fixture
def packed(run: Run, tmp_path: Path) -> Path:
    pack(run, tmp_path / "run.pack", {"cards/tables": tmp_path / "abstraction" / "tables"})
    return tmp_path / "run.pack"


def test_an_unpacked_run_is_the_run(run: Run, packed: Path, tmp_path: Path):
    said: list[Progress] = []
    again = unpack(packed, tmp_path / "elsewhere" / "run", watch=said.append)
    assert is_packed(packed)
    assert (again.digest, again.metrics()) == (run.digest, run.metrics())
    assert again.checkpoints() == [20]
    np.testing.assert_array_equal(again.load_checkpoint()[0]["table"], TABLES["table"] + 20)
    np.testing.assert_array_equal(read_bundle(again.folder / "infosets")[0]["label"], np.arange(5))
    np.testing.assert_array_equal(read_bundle(again.folder / "cards" / "tables")[0]["flop"], np.arange(7))
    assert (again.folder / "report.html").read_text() == "<p>"
    assert said[-1].stage == "unpacking"
    with again.locked():
        again.save_checkpoint(30, TABLES, {})
    pack(again, tmp_path / "older", iterations=20)
    unpack(tmp_path / "older", tmp_path / "third")
    assert not list(tmp_path.glob(".*"))


def test_nothing_is_overwritten(packed: Path, run: Run, tmp_path: Path):
    with pytest.raises(InputError, match="exists already"):
        pack(run, packed)
    with pytest.raises(InputError, match="already holds a run"):
        unpack(packed, run.folder)
    with pytest.raises(InputError, match="there is no file"):
        unpack(tmp_path / "none", tmp_path / "new")
    with pytest.raises(InputError, match="is not a packed run"):
        unpack(run.folder / "report.html", tmp_path / "new")


def test_every_changed_bit_of_a_pack_is_refused_or_without_effect(packed: Path, run: Run, tmp_path: Path):
    written = packed.read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for number, place in enumerate(random.choice(8 * len(written), 200, replace=False)):
        changed = bytearray(written)
        changed[place // 8] ^= 1 << place % 8
        packed.write_bytes(changed)
        folder = tmp_path / f"out{number}"
        try:
            again = unpack(packed, folder)
        except InputError:
            refused += 1
            assert not folder.exists()
            continue
        assert again.digest == run.digest
        np.testing.assert_array_equal(again.load_checkpoint()[0]["table"], TABLES["table"] + 20)
    assert refused > 50
    for length in (600, len(written) // 2, len(written) - 8000):
        packed.write_bytes(written[:length])
        with pytest.raises(InputError):
            unpack(packed, tmp_path / "cut")
    assert not (tmp_path / "cut").exists()


def add(
    packed: Path, name: str, content: bytes = b"x", mode: int = 0, kind: int = zipfile.ZIP_DEFLATED
) -> None:
    """Put one more file into a pack."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr, entry.compress_type = mode << 16, kind
    with zipfile.ZipFile(packed, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two files of one name
        archive.writestr(entry, content)


@pytest.mark.parametrize(
    "name",
    ["../escaped", "/tmp/escaped", "run.toml", "a\\b", "a/", ".creating", "a/b/c/d/e", "checkpoints/../.."],
)
def test_names_stay_inside_the_folder(packed: Path, tmp_path: Path, name: str):
    add(packed, name)
    with pytest.raises(InputError, match="is damaged"):
        unpack(packed, tmp_path / "new" / "run")
    assert not (tmp_path / "new" / "escaped").exists()
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR])
def test_nothing_but_ordinary_files_is_unpacked(packed: Path, tmp_path: Path, mode: int):
    add(packed, "link", b"/etc/passwd", mode)
    with pytest.raises(InputError, match="is damaged"):
        unpack(packed, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_which_hide_more_are_refused(packed: Path, tmp_path: Path, kind: int):
    add(packed, "zeros", bytes(1 << 20), kind=kind)
    with pytest.raises(InputError, match="is damaged"):
        unpack(packed, tmp_path / "new")


def test_tables_of_zeros_take_no_room_in_a_pack(tmp_path: Path):
    run = Run.create(tmp_path / "run", "training", {"seed": 1}, tables={"table": np.zeros(1 << 22)})
    pack(run, tmp_path / "pack")
    assert (tmp_path / "pack").stat().st_size < (1 << 25) / 200
    again = unpack(tmp_path / "pack", tmp_path / "again")
    assert not again.load_checkpoint(mapped=True)[0]["table"].any()


def claim(packed: Path, size: int) -> None:
    """Let the first file of a pack claim another size than its own."""
    written = bytearray(packed.read_bytes())
    at = written.index(b"PK\x01\x02") + 24
    written[at : at + 4] = size.to_bytes(4, "little")
    packed.write_bytes(written)


def test_what_a_pack_will_take_is_known_before_anything_is_written(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    honest = packed.read_bytes()
    claim(packed, (1 << 32) - 2)
    with pytest.raises(InputError, match=r"is damaged: it claims to hold \d+ files of 4.0 GiB"):
        unpack(packed, tmp_path / "new")
    packed.write_bytes(honest)
    claim(packed, 1 << 20)
    with pytest.raises(InputError, match="is damaged"):
        unpack(packed, tmp_path / "new")
    packed.write_bytes(honest)
    nothing_left = type(shutil.disk_usage("/"))(1 << 40, 1 << 40, 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: nothing_left)
    with pytest.raises(InputError, match="no room in"):
        unpack(packed, tmp_path / "new")
    assert not list(tmp_path.glob("*new*"))


def test_a_sparse_archive_fills_no_disk(tmp_path: Path):
    """A tar file of 30 kB can stand for terabytes of zeros; packs are no tar files."""
    with tarfile.open(tmp_path / "sparse", "w", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("run.toml"))
        hole = tarfile.TarInfo("checkpoints/000000000000001/table.npy")
        hole.type = tarfile.GNUTYPE_SPARSE
        tar.addfile(hole)
    assert not is_packed(tmp_path / "sparse")
    with pytest.raises(InputError, match="is not a packed run, or it is cut off"):
        unpack(tmp_path / "sparse", tmp_path / "new")


@pytest.mark.parametrize("name", ["../../../secret", "/tmp/secret", "a\\b"])
def test_a_manifest_names_files_of_its_own_folder_alone(run: Run, tmp_path: Path, name: str):
    """Or a run that somebody packs again would take files of theirs along."""
    np.save(tmp_path / "secret.npy", np.arange(3))
    manifest = run.checkpoint(20) / "manifest.json"
    written = json.loads(manifest.read_bytes())
    del written["digest"]
    content = (tmp_path / "secret.npy").read_bytes()
    written["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest.write_text(json.dumps({**written, "digest": digest_of(written)}))
    with pytest.raises(InputError, match="does not say which files"):
        read_bundle(run.checkpoint(20))


def test_a_stop_and_damage_leave_nothing(run: Run, packed: Path, tmp_path: Path):
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        pack(run, tmp_path / "stopped", stop=stop)
    with pytest.raises(Interrupted):
        unpack(packed, tmp_path / "stopped", stop=stop)
    assert not (tmp_path / "stopped").exists()
    path = run.checkpoint(20) / "table.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(InputError, match="iteration 10 is intact"):
        pack(run, tmp_path / "damaged")
    pack(run, tmp_path / "intact", iterations=10)
    assert not list(tmp_path.glob(".*"))
