"""Single changed bits in any file of a run, a training and a card abstraction.

Each is either refused with a sentence or has no effect on the result; nothing crashes. A seed decides which
bits are changed: every file has the same number of them, its first bytes (headers) among them.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards
from oracles.trainings import train_command
from solvent.foundation.storage.run import Run
from survival.forking import Ended, Forker

pytestmark = pytest.mark.slow

SMALL = 1 << 20
HANDS = ("--oop", "AA,KQs", "--ip", "KK,JTs", "--pot", 20, "--stack", 60)
HEADER = 128
"""The first bytes of a file, in which every second changed bit lies."""


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker()
    yield made
    made.close()


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand-in cards of full size, whose buckets are random or all the same."""
    folder = tmp_path_factory.mktemp("cards") / "cards"
    random_cards().save(folder)
    return folder


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def bits(files: Sequence[Path], count: int, seed: int) -> Iterator[tuple[Path, int, int]]:
    """Files, bytes in them and bits in those: as many in each file, half of them in its first bytes."""
    draw = random.Random(seed)
    for number in range(count):
        path = files[number % len(files)]
        size = path.stat().st_size
        limit = min(size, HEADER) if number // len(files) % 2 == 0 else size
        yield path, draw.randrange(limit), draw.randrange(8)


def flip(path: Path, byte: int, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(byte)
        changed = file.read(1)[0] ^ (1 << bit)
        file.seek(byte)
        file.write(bytes([changed]))


@contextmanager
def flipped(path: Path, byte: int, bit: int) -> Iterator[None]:
    """Change one bit while the block runs; small files, which a command may rewrite, are put back whole."""
    kept = path.read_bytes() if path.stat().st_size < SMALL else None
    flip(path, byte, bit)
    yield
    if kept is None:
        flip(path, byte, bit)
    else:
        path.write_bytes(kept)


def assert_refused_or_same(ended: Ended, same: Callable[[Ended], bool], where: str) -> None:
    assert "Traceback" not in ended.err, f"{where}: {ended.err}"
    assert ended.code in (0, 2), f"{where}: exit code {ended.code}: {ended.err}"
    if ended.code == 2:
        assert ended.err.strip(), where
        assert len(ended.err.strip().splitlines()) <= 3, f"{where}: {ended.err}"
    else:
        assert same(ended), f"{where} was not noticed, and changed the result"


def tables_of(folder: Path) -> dict[str, np.ndarray]:
    return Run.open(folder).load_checkpoint()[0]


def same_tables(folder: Path, wanted: dict[str, np.ndarray]) -> bool:
    found = tables_of(folder)
    return found.keys() == wanted.keys() and all(
        np.array_equal(found[name], table, equal_nan=True) for name, table in wanted.items()
    )


def damage_copies(
    forker: Forker,
    folder: Path,
    work: Path,
    count: int,
    resume: Callable[[Path], tuple[object, ...]],
    same: Callable[[Path, Path], bool] | None = None,
) -> None:
    """Change one bit in a copy of a run, resume the copy, and compare with what the run itself leads to.

    same: compares two folders; by default the tables of their newest checkpoints
    """
    whole, copy = work / "whole", work / "copy"
    shutil.copytree(folder, whole)
    forker.run(*resume(whole), here=True)
    wanted = {} if same else tables_of(whole)
    compare = same or (lambda copy, whole: same_tables(copy, wanted))
    for path, byte, bit in bits(files_of(folder), count, seed=count):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        name = path.relative_to(folder)
        flip(copy / name, byte, bit)
        ended = forker.run(*resume(copy))
        where = f"{name}, byte {byte}, bit {bit}"
        assert_refused_or_same(ended, lambda _: compare(copy, whole), where)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("leduc",), 100),
        (("leduc", "--pruning", "total", "--rule", "cfr"), 60),
        (("leduc", "--sampling", "external"), 40),
    ],
    ids=["plain", "pruned", "sampled"],
)
def test_a_changed_bit_in_a_solve(
    arguments: tuple[str, ...], count: int, forker: Forker, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    made = forker.run("solve", *arguments, "--iterations", 400, "--threads", 1, "--json", "--out", run)
    assert made.code == 0, made.err
    damage_copies(
        forker, run, tmp_path, count, lambda copy: ("solve", "--resume", copy, "--iterations", 500, "--json")
    )


@pytest.mark.parametrize("sizes", [("--bets", "50%,a"), ("--sizes", "auto,steps=4")], ids=["given", "auto"])
def test_a_changed_bit_in_a_spot(sizes: tuple[str, ...], forker: Forker, tmp_path: Path) -> None:
    run = tmp_path / "run"
    begin = ("spot", "--board", "Td9d6hQc2s", *HANDS, *sizes, "--iterations", 20, "--threads", 1, "--json")
    made = forker.run(*begin, "--out", run)
    assert made.code == 0, made.err
    damage_copies(
        forker, run, tmp_path, 80, lambda copy: ("spot", "--resume", copy, "--iterations", 40, "--json")
    )


def test_a_changed_bit_in_a_report(forker: Forker, tmp_path: Path) -> None:
    """A flop whose row is damaged is solved again."""
    run, flops = tmp_path / "run", tmp_path / "flops.txt"
    flops.write_text("Td9d6h\nAhKhQh\n")
    begin = ("spot", "report", "--flops", flops, *HANDS, "--bets", "a", "--iterations", 3, "--threads", 1)
    made = forker.run(*begin, "--json", "--out", run)
    assert made.code == 0, made.err

    def same(copy: Path, whole: Path) -> bool:
        found, wanted = (
            {row["flop"]: row["ev"] for row in Run.open(each).metrics()} for each in (copy, whole)
        )
        return found == wanted

    resume = ("spot", "report", "--json", "--resume")
    damage_copies(forker, run, tmp_path, 60, lambda copy: (*resume, copy), same)


def test_a_changed_bit_in_a_training(forker: Forker, cards: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    made = forker.run(*train_command(cards), "--iterations", 2_000, "--out", run)
    assert made.code == 0, made.err
    damage_copies(
        forker, run, tmp_path, 100, lambda copy: ("train", "--resume", copy, "--iterations", 3_000, "--json")
    )


def test_a_changed_bit_in_an_agent_that_plays(forker: Forker, cards: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    made = forker.run(*train_command(cards), "--iterations", 2_000, "--out", run)
    assert made.code == 0, made.err
    match = ("match", run, "random", "--hands", 200, "--threads", 1, "--json")
    wanted = won(forker.run(*match, here=True))
    for path, byte, bit in bits(files_of(run), 80, seed=2):
        with flipped(path, byte, bit):
            ended = forker.run(*match)
        where = f"{path.relative_to(run)}, byte {byte}, bit {bit}"
        assert_refused_or_same(ended, lambda ended: won(ended) == wanted, where)
    assert won(forker.run(*match)) == wanted


def won(ended: Ended) -> list[object]:
    assert ended.code == 0, ended.err
    return [(match["hands"], match["mbb_per_hand"]) for match in json.loads(ended.out)["matches"]]


def test_a_changed_bit_in_cards(forker: Forker, cards: Path, tmp_path: Path) -> None:
    def train(folder: Path) -> tuple[object, ...]:
        options = ("--betting", BETTING, "--threads", 1, "--json", "--iterations", 1_000)
        return ("train", "--cards", cards, *options, "--out", folder)

    made = forker.run(*train(tmp_path / "whole"), here=True)
    assert made.code == 0, made.err
    wanted, numbers = tables_of(tmp_path / "whole"), iter(range(1_000))
    for path, byte, bit in bits(files_of(cards), 120, seed=3):
        folder = tmp_path / f"run-{next(numbers)}"
        with flipped(path, byte, bit):
            ended = forker.run(*train(folder))
        where = f"{path.relative_to(cards)}, byte {byte}, bit {bit}"
        assert_refused_or_same(ended, lambda _, folder=folder: same_tables(folder, wanted), where)
        shutil.rmtree(folder, ignore_errors=True)
