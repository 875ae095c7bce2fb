"""Command lines and lines of UPI that nobody meant, run in this process; as a script, as many as are asked for.

    PYTHONPATH=tests python -m survival.any_command --commands 500 --upi 3000

Valid command lines of every command, and valid lines of the protocol, are changed at random, from a seed: words
dropped, doubled, swapped; values of other types, huge, empty, of odd characters; files that are missing or endless.
A command that is still at work after a while is interrupted as by Ctrl-C.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from oracles.table_agent import small_cards
from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run
from solvent.foundation.errors import LONGEST
from solvent.serve.upi.session import UpiSession
from solvent.spots.settings import SpotSettings
from survival.any_text import LONG, PIECES

BETTING = "preflop=3x,a; cap=1; stack=10"
AT_WORK = 5
"""Seconds after which a command is interrupted."""
MOST = 2.0
"""Seconds of computing that a refusal, or an answer, may take."""
REFUSED, INTERRUPTED = 2, 130
CODES = {0, REFUSED, INTERRUPTED}

RIVER = "--oop AA,KQs,76s --ip JJ,T9s --pot 200 --stack 900"
GENERAL = [
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
"""Command lines of every command; placeholders stand for files and folders."""
NEWER = [
    f"spot --board Td9d6hQc2s {RIVER} --bets 50%,a --iterations 5 --threads 1 --json",
    f"spot --board Td9d6hQc2s {RIVER} --bets 50%,a --raises 3x|a --cap 2 --until 0.3% --time 1s --out {{new}}",
    f"spot --board Td9d6hQc2s {RIVER} --sizes auto,steps=4,nodes=50% --iterations 20 --threads 1",
    f"spot --board Td9d6hQc2s {RIVER} --bets 50% --lock :~random=check:1 --lock-file {{locks}} --iterations 5",
    f"spot --board Td9d6hQc2s {RIVER} --bets 50% --add check,bet~300 --merging 10% --rake 5% --rake-cap 3",
    "spot {spot} --iterations 5 --threads 1 --dtype float32 --every 2",
    "spot {texas} --iterations 5 --oop @{range} --memory 1G",
    "spot --from {river} --lock bet~100:JJ=fold:1 --iterations 5 --json",
    "spot --resume {river} --iterations 30",
    "spot init {new}",
    "spot exploit {river} --bets 25%,50%,a --limit 3 --small-bets check --threads 1 --json",
    "spot report --flops {flops} --oop AA --ip KK --pot 60 --stack 60 --bets a --iterations 2 --threads 1 --json",
    "spot report --flops 25 --oop AA --ip KK --pot 60 --stack 60 --bets a --until 1% --line check",
    "show {river} check,bet~100 --sort ev --only pair --limit 3",
    "show {river} check --table --player 1 --json",
    "show {river} --grid",
    "export {river} --format csv --line check --out {new} --force",
    "export {river} --format range --line check --part bet~100",
    "compare {river} {river} --json",
    "plot {kuhn} --out {new}.png --over seconds --title it",
    "pack {river} --out {new}",
    "unpack {pack} --out {new} --json",
    "runs {folder}",
    "upi --threads 1 --memory 1G --dtype float32",
    "train --cards {cards} --betting preflop=3x,a;cap=1 --sampling external --seed 3 --iterations 5 --out {new}",
    "train --cards {cards} --betting fcpa --stack 20 --time 1s --rule lcfr --reward y2 --check-every 5 --out {new}",
    "train --cards {cards} --betting fcpa --exploration-mix --regret-floor 5 --out {new}",
    "evaluate {agent} --parts lbr --lbr-hands 20 --lbr-actions fc,50%,a --lbr-streets flop --threads 1 --json",
    "evaluate {agent} --parts behaviour --post purify --hands 20 --behaviour-hands 20 --seed 1",
    "evaluate {kuhn} --parts best_response",
    "match {agent}@new(0.2) {agent}:tight --hands 20 --ensemble reach --stack 10,20 --blinds 1/2 --phh {new}",
    "abstract show {cards} --street turn --cluster 1 --bucket 2 --examples 1 --json",
    "abstract --config {spot} --out {new}",
    "play {agent} --hands 1 --seed 3 --stack 20 --phh {new} --json",
    "cards equity QQ+,AKs,76s:0.5 top~10% --board Ks7d2c --dead Ah --threads 1",
    "solve leduc(ranks=3,bets1=[1,2]) --rule dcfr(1.5,0,2) --iterations 2 --time 1s",
    "solve {efg} --iterations 5 --threads 1",
]
VALUES = [
    "", " ", "0", "-1", "1e309", "nan", "inf", "-inf", "99999999999999999999", "1000000000000", "0x10", "1.5",
    "true", "None", "☃", "ü\u0301", "\u202e", "\udcff", "a" * 5000, "(", "kuhn(", "leduc(ranks=-1)", "[bold]x",
    "{missing}", "{missing}/below", "{file}", "/", ".", "..", "/dev/null", "%s", "--", "-", "*", "'", '"', "\\",
    ";", "r300", "AsAs", "AsKs", "@purify", "#", "##1", ":tight", "+", "=", "runs/a#x", "/dev/zero", "@/dev/zero",
    "{pipe}", "@{pipe}", *PIECES, "a" * LONG, "9" * LONG, "AA," * (LONG // 3), "50%," * (LONG // 4),
]  # fmt: skip
OPTIONS = [
    "--json", "--out", "--seed", "--threads", "--limit", "--format", "--iterations", "--rule", "--plan", "--help",
    "--nonsense", "-x", "--cards", "--resume", "--board", "--hand", "--memory", "--time", "--hands", "--post",
    "--cap", "--sizes", "--bets", "--lock", "--from", "--flops", "--until", "--" + "a" * LONG,
]  # fmt: skip
TYPED = b"f\nx\n9\n\xff\n" + b"a" * LONG + b"\nset_pot 0 0 \xc2\xb2\nset_board AsKs\nnonsense\nq\n"
"""Standard input of `play` and `upi`."""

UPI = (
    "set_board QsJh2h8c3d", "set_board Qs Jh 2h", "set_range OOP AA,KQs:0.5", "set_range IP JJ", "set_pot 0 0 200",
    "set_eff_stack 900", "add_line 0 100 300 900", "remove_line 0 100", "clear_lines", "set_rake 0.05 3",
    "set_accuracy 1 chips", "set_accuracy 0.01 fraction", "set_threads 1", "set_isomorphism 1 0", "estimate_tree",
    "build_tree", "free_tree", "is_tree_present", "is_ready", "show_version", "set_end_string END",
    "reset_end_string", "show_hand_order", "show_memory", "load_script_silent {file}", "load_script_silent {zero}",
    "show_effective_stack", "show_all_lines", "show_tree_info", "go 2 steps", "go 0.01 seconds", "stop",
    "calc_results", "show_node r:0:b100", "show_children r:0", "show_strategy r:0", "show_range OOP r:0",
    "calc_ev OOP r:0:c", "calc_eq_node IP r:0", "calc_global_freq r:0:c", "set_strategy r:0 0 1", "lock_node r:0",
    "unlock_node r:0", "set_info_freq 1", "nonsense",
)  # fmt: skip
"""Lines of the protocol; `wait_for_solver` and `exit` apart, which end the harness's day."""


@dataclass
class Found:
    """Outcomes of many lines."""

    wrong: list[str] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    """Seconds of computing of refusals and answers, the most first."""

    def note(self, code: str, seconds: float, text: str) -> None:
        self.codes[code] += 1
        self.slowest = sorted([*self.slowest, (seconds, text[:150])], reverse=True)[:5]

    def __str__(self) -> str:
        slowest = "".join(f"\n  {seconds:.2f} s: {text!r}" for seconds, text in self.slowest)
        return f"{dict(self.codes)}, {len(self.wrong)} wrong; the slowest:{slowest}"


# Commands


@contextmanager
def command_places(folder: Path) -> Iterator[dict[str, Path]]:
    """Make the files that the placeholders of command lines stand for."""
    for name in ("taken", "work"):
        (folder / name).mkdir()
    for name in ("file", "taken/file"):
        (folder / name).write_bytes(b"\xff not a run")
    river = f"spot --board Td9d6hQc2s {RIVER}".split()
    texts = {
        "spot": 'board = "Td9d6hQc2s"\noop = "AA,76s"\nip = "JJ"\npot = 200\nstack = 900\n[sizes]\nbets = "50%"\n',
        "texas": "set_pot 50\nset_effective_stack 200\nset_board QsJh2h3c9d\n"
        "set_range_ip AA\nset_range_oop QQ\nset_bet_sizes oop,river,bet,50",
        "locks": ": AA = check:1\n",
        "flops": "Ks7d2c\n",
        "range": "AA,KK\n",
        "efg": 'EFG 2 R "t" { "A" "B" }\np "" 1 1 "" { "u" "d" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { 2, -2 }\n',
    }
    for name, text in texts.items():
        (folder / f"{name}{ENDINGS.get(name, '')}").write_text(text)
    os.mkfifo(folder / "pipe")
    with small_cards_everywhere():
        small_cards()
        save_training(folder / "agent", BETTING, (20,))
        kuhn = ["solve", "kuhn", "--iterations", "20", "--plan", "serial", "--out", str(folder / "kuhn")]
        with _quiet():
            assert run(kuhn) == 0
            assert run(["pack", str(folder / "kuhn"), "--out", str(folder / "pack")]) == 0
            solved = [
                "--bets",
                "50%,a",
                "--iterations",
                "20",
                "--out",
                str(folder / "river"),
                "--threads",
                "1",
            ]
            assert run([*river, *solved]) == 0
        names = ("kuhn", "agent", "river", "pack", "missing", "file", "taken", "cards", "pipe", *texts)
        yield {**{name: folder / f"{name}{ENDINGS.get(name, '')}" for name in names}, "folder": folder}


ENDINGS = {"spot": ".toml", "efg": ".efg"}


def mutated(draw: random.Random, valid: list[str]) -> list[str]:
    """A command line with up to three changes; `~` in a value stands for a space."""
    words = [word.replace("~", " ") for word in draw.choice(valid).split()]
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        place = draw.randrange(1, len(words)) if len(words) > 1 else 0
        change = draw.randrange(9)
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
        elif change < 7:
            at = draw.randint(0, len(words[place]))
            words[place] = words[place][:at] + draw.choice(PIECES) + words[place][at:]
        else:
            words[place] = draw.choice(VALUES)
        if not words:
            return []
    return words


@contextmanager
def _quiet() -> Iterator[io.StringIO]:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        yield said


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
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


def run_command(words: list[str], found: Found) -> None:
    """Run a command line and note what came of it, and what is wrong with it."""
    shown = str([word if len(word) < 100 else f"{word[:100]}..." for word in words])
    begun = time.process_time()
    with _quiet() as said, patch("sys.stdin", io.TextIOWrapper(io.BytesIO(TYPED), errors="surrogateescape")):
        try:
            with _interrupted_after(AT_WORK):
                code = run(words)
        except KeyboardInterrupt:  # a second interrupt, which ends a command at once
            found.note("interrupted twice", 0.0, shown)
            return
        except BaseException:
            found.wrong.append(f"{shown}\n{traceback.format_exc()[-3_000:]}")
            return
    seconds, text = time.process_time() - begun, said.getvalue()
    found.note(str(code), seconds if code == REFUSED else 0.0, shown)
    if code not in CODES or "Traceback" in text:
        found.wrong.append(f"{shown}: exit code {code}\n{text[-2000:]}")
    elif code == REFUSED and not text.strip():
        found.wrong.append(f"{shown}: refused without a word")
    elif code == REFUSED and max(map(len, text.splitlines())) > LONGEST + 100:
        found.wrong.append(f"{shown}: refused in {len(text):,} letters")
    elif code == REFUSED and seconds > MOST:
        found.wrong.append(f"{shown}: refused after {seconds:.1f} s")


def fill(words: list[str], places: dict[str, Path], number: str) -> list[str]:
    named = {**places, "new": places["folder"] / f"new{number}"}
    filled = []
    for word in words:
        for name, path in named.items():
            word = word.replace(f"{{{name}}}", str(path))
        filled.append(word)
    return filled


def run_commands(numbers: range, valid: list[str], places: dict[str, Path]) -> Found:
    """Run the mutated command lines of these numbers."""
    found = Found()
    for number in numbers:
        run_command(fill(mutated(random.Random(number), valid), places, f"{len(valid)}-{number}"), found)
    return found


# UPI


def upi_line(draw: random.Random, folder: Path) -> str:
    """A line of the protocol, most of them with a change or two."""
    words = draw.choice(UPI).replace("{file}", f"{folder}/script").replace("{zero}", "/dev/zero").split()
    for _ in range(draw.choice((0, 1, 1, 2))):
        place, change = draw.randrange(len(words)), draw.randrange(5)
        if change == 0 and len(words) > 1:
            del words[place]
        elif change == 1:
            words.insert(place, draw.choice(PIECES))
        elif change == 2:
            words[place] = draw.choice((*PIECES, "a" * LONG, "0 " * LONG, "r:0" + ":c" * LONG, "AA," * LONG))
        elif change == 3:
            at = draw.randint(0, len(words[place]))
            words[place] = words[place][:at] + draw.choice(PIECES) + words[place][at:]
        else:
            words.append(" ".join(draw.choice(UPI).split()[1:]))
    line = " ".join(words).replace("\n", " ")
    return "is_ready" if line.split()[:1] in (["exit"], ["wait_for_solver"]) else line


def run_upi(count: int, folder: Path, seed: int = 0) -> Found:
    """Give a session `count` lines."""
    (folder / "script").write_text("set_pot 0 0 200\nset_board nonsense\n")
    found, said, draw = Found(), list[str](), random.Random(seed)
    session = UpiSession(said.extend, SpotSettings.of({"threads": 1, "memory": "200M"}))
    try:
        for line in (*UPI[:1], *UPI[2:6], "build_tree", *(upi_line(draw, folder) for _ in range(count))):
            begun = time.thread_time()
            try:
                session.take(line)
            except Exception:
                found.wrong.append(f"{line[:200]!r}\n{traceback.format_exc()[-3_000:]}")
            seconds = time.thread_time() - begun
            answers = [one for one in said if not one.startswith("SOLVER: ")]
            found.note("ERROR" if answers and answers[0].startswith("ERROR") else "answered", seconds, line)
            if seconds > MOST:
                found.wrong.append(f"{line[:200]!r} took {seconds:.1f} s")
            if any(one.startswith("ERROR") and len(one) > LONGEST + 100 for one in answers):
                found.wrong.append(f"{line[:200]!r}: refused in many letters")
            said.clear()
            if draw.random() < 0.2:
                session.take("stop")
                said.clear()
    finally:
        session.close()
    return found


def main() -> int:
    """Run random command lines and a random session of UPI, and print their outcomes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--commands", type=int, default=500)
    parser.add_argument("--upi", type=int, default=3_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first command line")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, command_places(Path(place)) as places:
        os.chdir(Path(place) / "work")
        commands = run_commands(range(asked.first, asked.first + asked.commands), NEWER, places)
        print(f"{asked.commands} command lines: {commands}")
        lines = run_upi(asked.upi, Path(place), asked.first)
        print(f"{asked.upi} lines of UPI: {lines}")
        os.chdir("/")
    print("\n\n".join([*commands.wrong, *lines.wrong][:40]))
    return 1 if commands.wrong or lines.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
