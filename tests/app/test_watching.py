"""The sentence that ends a stopped experiment which keeps its finished runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.app.outcomes import keeping_runs


@pytest.mark.parametrize("begun", [True, False])
def test_whoever_stops_an_experiment_is_told_how_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], begun: bool
) -> None:
    kept = tmp_path / "page-unfinished.jsonl"
    if begun:
        kept.write_text("{}")
    with pytest.raises(KeyboardInterrupt), keeping_runs(kept):
        raise KeyboardInterrupt
    said = "goes on from the finished runs" in capsys.readouterr().err
    assert said is begun
