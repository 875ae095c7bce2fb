"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.storage import files
from solvent.foundation.storage.files import LOCK, WRITING, held, write_text, write_whole


def test_a_failed_write_spares_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "policy.pkl"
    write_whole(path, b"first")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*policy\.pkl: No space left on device"):
        write_whole(path, b"second")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("policy.pkl", b"first")]


def test_text_that_has_no_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*name\.txt: .*surrogates not allowed"):
        write_text(tmp_path / "name.txt", "\udc80")
    assert list(tmp_path.iterdir()) == []


def test_links_and_pipes_in_a_folder_of_others_are_not_written_to(tmp_path: Path) -> None:
    """A folder that was shared as a tar may have links where locks and unfinished files belong."""
    other, folder = tmp_path / "other", tmp_path / "run"
    folder.mkdir()
    other.write_text("precious")
    for name in (LOCK, f".run.toml{WRITING}"):
        (folder / name).symlink_to(other)
    with pytest.raises(InputError, match="cannot write in"), held(folder):
        pass
    with pytest.raises(InputError, match="cannot write"):
        write_text(folder / "run.toml", "new")
    assert other.read_text() == "precious"
    (folder / LOCK).unlink()
    os.mkfifo(folder / LOCK)
    with pytest.raises(InputError, match="cannot write in"), held(folder):
        pass
    (folder / LOCK).unlink()
    os.link(other, folder / LOCK)
    with held(folder):
        assert other.read_text() == "precious"
