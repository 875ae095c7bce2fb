"""The larger game's experiment, on small ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvent.errors import InputError
from solvent.experiments.larger_game import larger_game, write_larger_game


def test_what_is_freed_is_told_and_written(tmp_path: Path) -> None:
    said: list[str] = []
    result = larger_game("leduc(ranks=4)", 40, said.append)
    total, none = result.of("total"), result.of("none")
    assert [point.iterations for point in total] == [1, 2, 5, 10, 20, 40]
    assert total[-1].stored_regrets < 1
    assert none[-1].stored_regrets == 1
    assert total[-1].nodes_touched < none[-1].nodes_touched
    assert result.freed >= 0
    assert total[-1].exploitability < 1.3 * none[-1].exploitability
    page = tmp_path / "larger-game.md"
    write_larger_game(result, page, "solvent reproduce larger-game")
    assert {path.name for path in tmp_path.iterdir()} == {f"larger-game.{e}" for e in ("md", "csv", "png")}
    assert "infoset-actions" in page.read_text()
    assert said


def test_a_game_without_a_public_form_is_refused() -> None:
    with pytest.raises(InputError):
        larger_game("openspiel:tic_tac_toe", 2)
