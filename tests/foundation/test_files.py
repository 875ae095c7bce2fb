"""Files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.storage import files
from solvent.foundation.storage.files import write_text, write_whole


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
