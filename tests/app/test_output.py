"""Checks before commands work: their files can be written, and bounds are refused with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.app.command_line import run
from solvent.app.output import written


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["reproduce", "full-deck", "--out", "{file}/results"], "is a file"),
        (["reproduce", "aggregation", "--out", "/dev/null/results"], "is a file"),
        (["bench", "openspiel", "--page", "{file}/page.md"], "is a file"),
        (["bench", "openspiel", "--page", "{folder}"], "is a folder"),
        (["bench", "openspiel", "--threads", "1000000000000"], "--threads"),
        (["bench", "openspiel", "--repeats", "1000000000000"], "--repeats"),
        (["reproduce", "abstraction", "--threads", "1000000000000"], "--threads"),
        (["cards", "equity", "AA", "KK", "--threads", "1000000000000"], "--threads"),
        (["show", "nowhere", "--limit", "1000000000000"], "--limit"),
        (["export", "kuhn", "--format", "efg", "--out", "{file}/kuhn.efg"], "is a file"),
        (["export", "kuhn", "--format", "efg", "--out", "{folder}"], "is a folder"),
        (["export", "flop_holdem", "--format", "efg"], "at most 20,000,000"),
        (["abstract", "clusters", "nowhere", "--plot", "{folder}"], "is a folder"),
    ],
)
def test_refused_before_any_work(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("as it was")
    assert run([text.format(file=file, folder=tmp_path) for text in arguments]) == 2
    said = capsys.readouterr().err
    assert sentence in " ".join(said.split())
    assert len(said.splitlines()) == 1
    assert file.read_text() == "as it was"


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with written(target) as file:
        file.write("half")
        assert not target.exists()
    assert target.read_text() == "half"
    with pytest.raises(ValueError, match="closed"), written(target) as file:  # noqa: PT012
        file.close()
        file.write("other")
    assert target.read_text() == "half"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
