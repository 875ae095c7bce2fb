"""Runs as one file."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Progress, Stop
from solvent.foundation.storage.bundle import read_bundle, write_bundle
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


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "run.toml"])
def test_names_stay_inside_the_folder(packed: Path, tmp_path: Path, name: str):
    with tarfile.open(packed, "a") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        tar.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(InputError, match="is damaged"):
        unpack(packed, tmp_path / "new" / "run")
    assert not (tmp_path / "new" / "escaped").exists()


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
