"""The folder of a run: what it survives, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.storage import bundle
from solvent.foundation.storage import run as module
from solvent.foundation.storage.run import CREATING, Retention, Run

FIXED = {"game": "leduc", "seed": 7, "rule": "dcfr(1.5,0,2)", "exploration": (0.1, 0.0), "plan": None}
ADJUSTABLE = {"iterations": 100, "until": 1e-5, "quiet": False, "path": 'a "b" \\ \x7f é'}


def tables(value: float = 1.0) -> dict[str, np.ndarray]:
    return {"regret": np.full(5, value), "average": np.arange(5)}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run", "solve", FIXED, ADJUSTABLE, tables=tables(), facts={"seconds": 0})


def test_what_is_written_is_read_back(run: Run):
    opened = Run.open(run.folder, "solve")
    assert opened.fixed == {
        "game": "leduc",
        "seed": 7,
        "rule": "dcfr(1.5,0,2)",
        "exploration": [0.1, 0.0],
    }
    assert opened.adjustable == ADJUSTABLE
    assert (opened.kind, opened.made) == ("solve", run.made)
    assert opened.digest == run.digest
    found, facts = opened.load_checkpoint()
    np.testing.assert_array_equal(found["regret"], tables()["regret"])
    assert facts["seconds"] == facts["iterations"] == 0


def test_only_what_is_adjustable_changes(run: Run):
    with run.locked():
        run.configure({"iterations": 200, "until": None, "seed": 7, "threads": 2})
    assert Run.open(run.folder).adjustable == {
        **{key: ADJUSTABLE[key] for key in ("quiet", "path")},
        "iterations": 200,
        "threads": 2,
    }
    with pytest.raises(InputError, match="began with seed 7; it cannot go on with 8"):
        run.configure({"seed": 8})


def test_every_changed_bit_of_the_configuration_is_refused_or_without_effect(run: Run):
    path = run.folder / module.CONFIGURATION
    written = path.read_bytes()
    random = np.random.default_rng(1)
    refused = 0
    for place in random.choice(8 * len(written), 400, replace=False):
        changed = bytearray(written)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            opened = Run.open(run.folder)
        except InputError:
            refused += 1
        else:
            assert (opened.fixed, opened.adjustable) == (run.fixed, run.adjustable)
    assert refused > 300


def test_a_checkpoint_of_another_configuration_is_refused(run: Run, tmp_path: Path):
    other = Run.create(tmp_path / "other", "solve", {**FIXED, "rule": "cfr+"}, tables=tables())
    shutil.rmtree(run.checkpoint(0))
    shutil.copytree(other.checkpoint(0), run.checkpoint(0))
    with pytest.raises(InputError, match="was computed with another configuration"):
        run.load_checkpoint()
    shutil.move(run.checkpoint(0), run.checkpoint(3))
    with pytest.raises(InputError, match="it holds iteration 0"):
        run.load_checkpoint()


def test_the_newest_checkpoints_are_kept_and_the_older_intact_one_is_named(run: Run):
    with run.locked():
        for iterations in (10, 20, 30):
            run.save_checkpoint(iterations, tables(iterations), {})
    assert run.checkpoints() == [20, 30]
    assert run.facts()["iterations"] == 30
    assert run.load_checkpoint(20)[0]["regret"][0] == 20
    with pytest.raises(InputError, match="no checkpoint of iteration 10; it has 20, 30"):
        run.load_checkpoint(10)
    newest = run.checkpoint(30) / "regret.npy"
    newest.write_bytes(newest.read_bytes()[:-1] + b"x")
    for mapped in (False, True):
        with pytest.raises(InputError, match="iteration 20 is intact: to use it, remove the folder"):
            run.load_checkpoint(mapped=mapped)
    shutil.rmtree(run.checkpoint(30))
    assert run.load_checkpoint()[1]["iterations"] == 20


def test_copied_and_foreign_folders_do_not_matter(run: Run):
    for name in ("000000000000000.bak", "123", "٣", "notes", "1e3"):
        shutil.copytree(run.checkpoint(0), run.checkpoint(0).with_name(name))
    run.checkpoint(77).write_text("a file")
    assert Run.open(run.folder).checkpoints() == [0]
    with run.locked():
        run.save_checkpoint(5, tables(), {})
    assert run.load_checkpoint()[1]["iterations"] == 5


def test_a_training_keeps_checkpoints_of_earlier_spans():
    kept: list[int] = []
    retention = Retention(older=2)
    for iterations in range(10, 2_000, 10):
        kept.append(iterations)
        for old in retention.superseded(kept):
            kept.remove(old)
        assert kept[-1] == iterations
        assert len(kept) <= 4
    assert kept == [250, 1020, 1980, 1990]


def test_a_cut_metrics_line_is_mended_and_a_damaged_one_left_out(run: Run):
    for iterations in (1, 2, 3):
        run.add_metric({"iterations": iterations, "exploitability": 1 / iterations})
    path = run.folder / module.METRICS
    path.write_bytes(path.read_bytes()[:-20])
    run.add_metric({"iterations": 4, "exploitability": None})
    assert [row["iterations"] for row in run.metrics()] == [1, 2, 4]
    assert run.metrics()[0] == {"iterations": 1, "exploitability": 1.0}
    written = path.read_bytes()
    for place in range(len(written)):
        path.write_bytes(written[:place] + bytes([written[place] ^ 1]) + written[place + 1 :])
        rows = run.metrics()
        assert len(rows) >= 1
        assert all(row["exploitability"] in (1.0, 0.5, None) for row in rows)
    path.write_bytes(b"[]\n1\nnull\n{}\n\xff\n" + written)
    run.forget_metrics_after(2)
    assert [row["iterations"] for row in run.metrics()] == [1, 2]
    assert len(path.read_bytes().splitlines()) == 2


def test_a_folder_that_holds_a_run_or_something_else_is_refused(run: Run, tmp_path: Path):
    with pytest.raises(InputError, match="already holds a run; resume it by --resume"):
        Run.create(run.folder, "solve", FIXED)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds files that are not a run's"):
        Run.create(tmp_path / "mine", "solve", FIXED)
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"
    with pytest.raises(InputError, match="is a file"):
        Run.create(tmp_path / "mine" / "notes.txt", "solve", FIXED)
    with pytest.raises(InputError, match="is not a folder to write in"):
        Run.create(tmp_path / "mine" / "notes.txt" / "below", "solve", FIXED)


def test_what_holds_nothing_is_taken_over(tmp_path: Path):
    folder = tmp_path / "left"
    (folder / "checkpoints" / ".000000000000000.writing").mkdir(parents=True)
    (folder / ".lock").touch()
    (folder / ".run.toml.writing").write_text("form")
    with pytest.raises(InputError, match="is not a run"):
        Run.open(folder)
    Run.create(folder, "training", FIXED)
    assert Run.open(folder, "training").checkpoints() == []
    assert not (folder / ".run.toml.writing").exists()


@pytest.mark.parametrize("failing", range(4))
def test_a_beginning_that_fails_leaves_nothing_in_the_way(tmp_path: Path, monkeypatch, failing: int):
    """Refused or killed at each of the four files that a run begins with."""
    folder, real, calls = tmp_path / "run", module.write_bundle, []
    made = {"fixed": FIXED, "parts": {"infosets": tables()}, "tables": tables()}

    def limited(write):
        def writing(*given):
            calls.append(given)
            if len(calls) == failing + 1:
                raise error
            return write(*given)

        return writing

    for error, leaves in ((InputError("no room"), False), (KeyboardInterrupt(), False)):
        calls.clear()
        with monkeypatch.context() as patched:
            patched.setattr(module, "write_bundle", limited(real))
            patched.setattr(module, "write_text", limited(bundle.write_text))
            with pytest.raises(type(error)):
                Run.create(folder, "solve", **made)
        assert folder.exists() == leaves
    # A kill removes nothing.
    with monkeypatch.context() as patched:
        calls.clear()
        patched.setattr(module, "write_bundle", limited(real))
        patched.setattr(module, "write_text", limited(bundle.write_text))
        patched.setattr(module, "_empty", lambda folder: None)
        patched.setattr(module.shutil, "rmtree", lambda *given, **options: None)
        with pytest.raises(KeyboardInterrupt):
            Run.create(folder, "solve", **made)
    assert (folder / CREATING).exists() == (failing > 0)
    with pytest.raises(InputError, match="start it again by --out" if failing else "is not a run"):
        Run.open(folder)
    run = Run.create(folder, "solve", **made)
    assert not (folder / CREATING).exists()
    assert Run.open(folder).load_checkpoint()[1]["configuration"] == run.digest


def test_two_processes_do_not_write_one_run(run: Run):
    with run.locked(), pytest.raises(InputError, match="is in use by another process"), run.locked():
        pass


def test_other_kinds_and_older_formats_are_named(run: Run, tmp_path: Path):
    with pytest.raises(InputError, match="holds a solve, not a training"):
        Run.open(run.folder, "training")
    for name, content, message in (
        ("run.toml", 'game = "kuhn"\nfingerprint = "abc"\n', "older version of solvent; solve the game anew"),
        ("train.json", "{}", "training of an older version of solvent; train it anew"),
        ("run.toml", "format = 2\n", "has been changed"),
        ("run.toml", "= =", "is damaged"),
    ):
        folder = tmp_path / f"old{message[:3]}{name}"
        folder.mkdir()
        (folder / name).write_text(content)
        with pytest.raises(InputError, match=message):
            Run.open(folder)
    with pytest.raises(InputError, match="there is no folder"):
        Run.open(tmp_path / "none")


def test_a_replaced_checkpoint_survives_a_kill_between_two_renames(run: Run, monkeypatch):
    real = os.replace

    def killed(source, target):
        if str(source).endswith(bundle.WRITING):
            raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(bundle.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        run.save_checkpoint(0, tables(2.0), {})
    monkeypatch.undo()
    assert run.checkpoints() == []
    with run.locked():
        assert run.load_checkpoint()[0]["regret"][0] == 1.0
    assert json.loads((run.checkpoint(0) / "manifest.json").read_text())["facts"]["iterations"] == 0
