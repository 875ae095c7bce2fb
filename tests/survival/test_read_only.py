"""Runs on read-only file systems: they open, and what would be written is refused with a sentence."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracles.trainings import save_training, small_cards_everywhere
from solvent import solve
from solvent.app.command_line import run
from solvent.foundation.storage import bundle
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from survival.faults import installed, read_only

SPOT = {"board": "2c2d2h2s3d", "oop": "AA", "ip": "KK", "pot": 2, "stack": 2, "bets": "a"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a solve, a spot, a training and a pack, every one of which would leave a note when opened."""
    shelf = tmp_path_factory.mktemp("shelf")
    with pytest.MonkeyPatch.context() as patch, small_cards_everywhere():
        patch.setattr(bundle, "REMEMBERED_FROM", 1)
        patch.setattr(bundle, "SETTLED_NS", 0)
        solve("kuhn", iterations=20, out=shelf / "kuhn")
        solve_spot(SPOT, SpotSettings(iterations=5), out=shelf / "spot")
        save_training(shelf / "agent", "preflop=a; postflop=a; cap=1; stack=5", (100,))
        assert run(["pack", str(shelf / "kuhn"), "--out", str(shelf / "kuhn.solvent"), "--json"]) == 0
        for note in shelf.rglob(bundle.NOTE):
            note.unlink()
        yield shelf


READING = [
    ("runs", "{shelf}"),
    ("show", "{shelf}/kuhn"),
    ("show", "{shelf}/spot"),
    ("show", "{shelf}/agent"),
    ("export", "{shelf}/kuhn", "--out", "{free}/kuhn.csv"),
    ("export", "{shelf}/spot", "--out", "{free}/spot.csv"),
    ("compare", "{shelf}/kuhn", "{shelf}/kuhn"),
    pytest.param(("evaluate", "{shelf}/kuhn"), marks=pytest.mark.slow),
    ("evaluate", "{shelf}/agent", "--parts", "styles", "--hands", "200", "--threads", "1"),
    ("match", "{shelf}/agent", "random", "--hands", "20", "--threads", "1"),
    ("pack", "{shelf}/kuhn", "--out", "{free}/kuhn.solvent"),
    ("unpack", "{shelf}/kuhn.solvent", "--out", "{free}/kuhn"),
]
WRITING = [
    ("solve", "kuhn", "--iterations", "5", "--out", "{shelf}/new"),
    ("solve", "--resume", "{shelf}/kuhn", "--iterations", "30"),
    ("spot", "--resume", "{shelf}/spot", "--iterations", "6"),
    ("train", "--resume", "{shelf}/agent", "--iterations", "200"),
    ("export", "{shelf}/kuhn", "--out", "{shelf}/kuhn.csv"),
    ("unpack", "{shelf}/kuhn.solvent", "--out", "{shelf}/new"),
]


def ended(
    command: tuple[str, ...], shelf: Path, free: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Run a command while nothing can be written on the shelf: its exit code and standard error."""
    with installed(read_only(shelf)):
        code = run([part.format(shelf=shelf, free=free) for part in command])
    return code, capsys.readouterr().err


@pytest.mark.parametrize("command", READING, ids=lambda command: f"{command[0]} {Path(command[1]).name}")
def test_what_reads_works(
    command: tuple[str, ...], shelf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(shelf.rglob("*"))
    code, said = ended(command, shelf, tmp_path, capsys)
    assert code == 0, said
    if command[0] == "evaluate":
        assert "what is measured is printed, and not kept" in said
    assert sorted(shelf.rglob("*")) == before


@pytest.mark.parametrize("command", WRITING, ids=lambda command: " ".join(command[:2]))
def test_what_writes_is_refused_in_a_sentence(
    command: tuple[str, ...], shelf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(shelf.rglob("*"))
    code, said = ended(command, shelf, tmp_path, capsys)
    assert code == 2, said
    assert "cannot" in said.splitlines()[-1]
    assert sorted(shelf.rglob("*")) == before


@pytest.mark.slow
def test_a_large_run_opens_on_a_read_only_mount(tmp_path: Path) -> None:
    """The real thing, where the system lets us mount."""
    made = tmp_path / "runs"
    solve("leduc5", iterations=2, out=made / "large")
    for note in made.rglob(bundle.NOTE):
        note.unlink()
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    mounted = f"mount --bind {made} {made} && mount -o remount,bind,ro {made} || exit 77; "
    solvent = f"{sys.executable} -m solvent"
    for command in ("show", "export", "evaluate"):
        script = f"{mounted} {solvent} {command} {made / 'large'} > {tmp_path / 'out'}"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
        )
        if done.returncode == 77 or "unshare failed" in done.stderr:
            pytest.skip("nothing can be mounted here")
        assert done.returncode == 0, done.stderr
