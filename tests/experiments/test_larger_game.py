"""The larger game's experiment, on small ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from solvent.experiments.total_rbp.larger_game import Larger, Point, larger_game, write_larger_game
from solvent.foundation.errors import InputError

pytestmark = pytest.mark.slow  # compiles what few other tests use


def test_what_is_freed_is_told_and_written(tmp_path: Path) -> None:
    said: list[str] = []
    result = larger_game("leduc(ranks=4)", 40, said.append)
    total, none = result.of("total"), result.of("none")
    assert [point.iterations for point in total] == [1, 2, 5, 10, 20, 40]
    assert total[-1].stored_regrets < 1
    assert none[-1].stored_regrets == 1
    assert total[-1].nodes_touched < none[-1].nodes_touched
    assert total[-1].table_bytes < total[0].table_bytes
    assert total[-1].exploitability < 1.3 * none[-1].exploitability
    page = tmp_path / "larger-game.md"
    write_larger_game(result, page, "solvent reproduce larger-game")
    assert {path.name for path in tmp_path.iterdir()} == {
        f"larger-game.{e}" for e in ("md", "json", "csv", "png")
    }
    assert "infoset-actions" in page.read_text()
    assert said


def test_memory_is_counted_from_where_the_process_is_largest() -> None:
    """Of a small game the process's own ups and downs decide where that is: so with given numbers."""
    sizes = [(100, 1000), (100, 1300), (90, 1350), (40, 1305)]
    points = tuple(
        Point("total", k, 0.0, 1.0, 0, 0, 1.0, 1.0, table, resident)
        for k, (table, resident) in enumerate(sizes)
    )
    result = Larger("leduc", 0, 0, points)
    assert result.largest.iterations == 2
    assert result.freed == 50
    assert result.given_back == 45
    unknown = Larger("leduc", 0, 0, tuple(replace(point, resident_bytes=None) for point in points))
    assert unknown.freed == 60
    assert unknown.given_back is None


def test_a_game_without_a_public_form_is_refused() -> None:
    with pytest.raises(InputError):
        larger_game("openspiel:tic_tac_toe", 2)
