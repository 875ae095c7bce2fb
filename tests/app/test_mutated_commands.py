"""Mutated command lines: whatever is typed, a command ends with an exit code and never with a traceback.

Valid command lines of every command are changed at random, from a seed: options dropped, doubled, swapped; values
of other types, huge, empty, of odd characters; files that are missing. They run in this process, each with a limit
of time after which it is interrupted as by Ctrl-C.
"""

from __future__ import annotations

import io
import random
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from oracles.table_agent import small_cards
from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run

BETTING = "preflop=3x,a; cap=1; stack=10"
SECONDS = 5
"""After which a command is interrupted."""
CODES = {0, 2, 130}
SAMPLE, ALL = 40, 500

VALID = [
    "solve kuhn --iterations 5 --plan serial --threads 1 --json",
    "solve kuhn --iterations 5 --plan serial --rule cfr+ --updates simultaneous --check-every 2 --out {new}",
    "solve kuhn --iterations 5 --plan serial --memory 1G --seed 3 --time 2s --dtype float64",
    "solve --resume {kuhn} --iterations 30",
    "show {kuhn} K||b --player 1 --limit 3 --json",
    "show {kuhn} K* --limit 5",
    "show {agent} r300 --hand AsKs --json",
    "show {agent} r300c --board Kd7d2c",
    "show {agent}#20 c",
    "export {kuhn} --format csv --out {new}",
    "export {kuhn} --format json",
    "export kuhn --format efg --out {new}",
    "export {agent} --format csv --out {new}",
    "compare {kuhn} {kuhn} --json",
    "runs {folder} --json",
    "pack {kuhn} --out {new}",
    "unpack {pack} --out {new}",
    "games --json",
    "cards equity AsAh KsKh --board 2c3d7h9sTc --threads 1 --json",
    "train --cards {cards} --betting fcpa --iterations 5 --threads 1 --out {taken} --json",
    "train --resume {taken} --iterations 5",
    "abstract show {cards} --street flop --cluster 0 --bucket 1 --examples 3",
    "abstract clusters {cards} --examples 2",
    "abstract tiny --out {taken} --seed 1 --threads 1",
    "match {agent} always-fold --hands 20 --seed 1 --threads 1 --json",
    "evaluate {kuhn} --json",
    "bench openspiel --repeats 1 --page {taken}",
    "reproduce full-deck --minutes 0.01 --out {taken}",
]
VALUES = [
    "", " ", "0", "-1", "1e309", "nan", "inf", "-inf", "99999999999999999999", "1000000000000", "0x10", "1.5",
    "true", "None", "☃", "ü\u0301", "\u202e", "\udcff", "a" * 5000, "(", "kuhn(", "leduc(ranks=-1)", "[bold]x",
    "{missing}", "{missing}/below", "{file}", "/", ".", "..", "/dev/null", "%s", "--", "-", "*", "'", '"', "\\",
    ";", "r300", "AsAs", "AsKs", "@purify", "#", "##1", ":tight", "+", "=", "runs/a#x",
]  # fmt: skip
OPTIONS = [
    "--json", "--out", "--seed", "--threads", "--limit", "--format", "--iterations", "--rule", "--plan", "--help",
    "--nonsense", "-x", "--cards", "--resume", "--board", "--hand", "--memory", "--time", "--hands", "--post",
]  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """What the placeholders of command lines stand for."""
    folder = tmp_path_factory.mktemp("mutated")
    (folder / "taken").mkdir()
    for name in ("file", "taken/file"):
        (folder / name).write_bytes(b"\xff not a run")
    with small_cards_everywhere():
        small_cards()
        save_training(folder / "agent", BETTING, (20,))
        kuhn = ["solve", "kuhn", "--iterations", "20", "--plan", "serial", "--out", str(folder / "kuhn")]
        with quiet():
            assert run(kuhn) == 0
            assert run(["pack", str(folder / "kuhn"), "--out", str(folder / "pack")]) == 0
        names = ("kuhn", "agent", "pack", "missing", "file", "taken", "cards")
        yield {**{name: folder / name for name in names}, "folder": folder}


def mutated(draw: random.Random) -> list[str]:
    """A command line with one to three changes."""
    words = draw.choice(VALID).split()
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(1, len(words)) if len(words) > 1 else 0
        change = draw.randrange(7)
        if change == 0:
            del words[place]
        elif change == 1:
            words.insert(place, words[place])
        elif change == 2:
            other = draw.randrange(len(words))
            words[place], words[other] = words[other], words[place]
        elif change == 3:
            words.insert(place, draw.choice(OPTIONS))
        elif change == 4:
            words[place : place + 1] = [words[place], draw.choice(VALUES)]
        else:
            words[place] = draw.choice(VALUES)
        if not words:
            return []
    return words


@contextmanager
def quiet() -> Iterator[io.StringIO]:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        yield said


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C after a while, again and again until it is heard."""

    def interrupt(number: int, frame: object) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(words: list[str]) -> str | None:
    """What is wrong with how a command line ended; None if nothing is."""
    with quiet() as said:
        try:
            with interrupted_after(SECONDS):
                code = run(words)
        except KeyboardInterrupt:
            return None  # a second interrupt, which ends a command at once
        except BaseException:
            return f"{words}\n{traceback.format_exc()}"
    if code not in CODES or "Traceback" in said.getvalue():
        return f"{words}: exit code {code}\n{said.getvalue()[-2000:]}"
    if code == 2 and not said.getvalue().strip():
        return f"{words}: refused without a word"
    return None


def fill(words: list[str], places: dict[str, Path], number: int) -> list[str]:
    named = {**places, "new": places["folder"] / f"new{number}"}
    filled = []
    for word in words:
        for name, path in named.items():
            word = word.replace(f"{{{name}}}", str(path))
        filled.append(word)
    return filled


@pytest.mark.parametrize(
    "numbers",
    [range(SAMPLE), pytest.param(range(SAMPLE, ALL), marks=pytest.mark.slow)],
    ids=["sample", "all"],
)
def test_mutated_commands_end_with_a_code(
    numbers: range, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (places["folder"] / "work").mkdir(exist_ok=True)
    monkeypatch.chdir(places["folder"] / "work")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    wrong = []
    for number in numbers:
        found = outcome(fill(mutated(random.Random(number)), places, number))
        if found is not None:
            wrong.append(found)
    assert not wrong, "\n\n".join(wrong[:20])
