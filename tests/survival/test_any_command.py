"""Commands end with an exit code and never with a traceback, whatever is typed, and sessions of UPI answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from survival.any_command import GENERAL, NEWER, command_places, run_commands, run_upi

SAMPLE, ALL = 20, 500
LINES, ALL_LINES = 150, 3_000


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    with command_places(tmp_path_factory.mktemp("mutated")) as found:
        yield found


@pytest.mark.parametrize("valid", [GENERAL, NEWER], ids=["general", "newer"])
@pytest.mark.parametrize(
    "numbers",
    [range(SAMPLE), pytest.param(range(SAMPLE, ALL), marks=pytest.mark.slow)],
    ids=["sample", "all"],
)
def test_mutated_commands_end_with_a_code(
    numbers: range, valid: list[str], places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["folder"] / "work")
    found = run_commands(numbers, valid, places)
    assert not found.wrong, "\n\n".join([str(found), *found.wrong[:20]])


@pytest.mark.parametrize("count", [LINES, pytest.param(ALL_LINES, marks=pytest.mark.slow)])
def test_any_lines_of_upi_are_answered(count: int, tmp_path: Path) -> None:
    found = run_upi(count, tmp_path, seed=count)
    assert not found.wrong, "\n\n".join([str(found), *found.wrong[:20]])
