"""Signals are the program's own: Ctrl-C raises KeyboardInterrupt with what was done, others go to their handler."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import solvent
from solvent.evaluate.evaluation import evaluate
from solvent.foundation.progress import SIGNALS, Interrupted, Progress, Watch
from solvent.foundation.storage.run import Run
from solvent.solving.solve import solve
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings

SWEEP = """
import os, signal, sys
import solvent
signal.signal(signal.SIGTERM, lambda number, frame: print("their handler", flush=True))

def tell(progress):
    if progress.stage == "solving" and progress.done >= 1 and not told:
        told.append(True)
        print("solving", flush=True)

try:
    for seed in range(3):
        told = []
        print("solve", seed, flush=True)
        solvent.solve("leduc", iterations=10**9, out=f"{sys.argv[1]}/{seed}", watch=tell)
except KeyboardInterrupt as stopped:
    result = stopped.result
    print(type(stopped).__name__, result.stopped_by, result.iterations > 0, result.exploitability > 0, flush=True)
"""


def test_a_sweep_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Its SIGTERM handler is called while a kernel runs; Ctrl-C ends the sweep, after the run was saved."""
    with subprocess.Popen(
        [sys.executable, "-c", SWEEP, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline().strip() for _ in range(2)] == ["solve 0", "solving"]
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline().strip() == "their handler"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().strip() == "Interrupted interrupt True True"
    assert process.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["0"]
    assert Run.open(tmp_path / "0", "solve").checkpoints()[-1] > 0


class SignalAt:
    """A watch that sends this process a signal once, while the work goes on."""

    def __init__(self, number: int = signal.SIGINT, after: float = 1) -> None:
        self.number, self.after, self.sent = number, after, False

    def __call__(self, progress: Progress) -> None:
        if progress.done >= self.after and not self.sent:
            self.sent = True
            threading.Timer(0.03, os.kill, (os.getpid(), self.number)).start()


def test_handlers_stay_as_they_are() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    seen = []
    solve("kuhn", iterations=20, watch=lambda _: seen.append([signal.getsignal(each) for each in SIGNALS]))
    assert seen
    assert all(each == before for each in seen)


def test_what_a_handler_raises_comes_after_the_checkpoint(tmp_path: Path) -> None:
    def leave(number: int, frame: object) -> None:
        sys.exit(7)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        with pytest.raises(SystemExit) as left:
            solve("leduc", iterations=10**9, out=tmp_path / "run", watch=SignalAt(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert left.value.code == 7
    run = Run.open(tmp_path / "run", "solve")
    assert run.checkpoints()[-1] > 0


def test_an_interrupted_solve_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    with pytest.raises(Interrupted) as stopped:
        solve("leduc", iterations=10**9, out=tmp_path / "run", watch=SignalAt())
    done = stopped.value.result
    resumed = solve(resume=tmp_path / "run", iterations=done.iterations + 10)
    whole = solve("leduc", iterations=done.iterations + 10)
    assert resumed.exploitability == whole.exploitability


SPOT = {"board": "Td9d6hQc2s", "oop": "AA,KK,QJs", "ip": "QQ,JJ,T9s", "pot": 20, "stack": 40, "bets": "50%,a"}


def test_spots_carry_their_result() -> None:
    with pytest.raises(Interrupted) as stopped:
        solve_spot(SPOT, SpotSettings(iterations=10**9), watch=SignalAt())
    assert stopped.value.result.iterations > 0
    solution = solvent.Spot(**SPOT).solve(iterations=10)
    with pytest.raises(Interrupted) as again:
        solution.solve(iterations=10**9, watch=SignalAt())
    assert again.value.result is solution
    assert solution.iterations > 10


def test_matches_carry_what_was_played() -> None:
    class Caller:
        name = "caller"

        def act(self, view: solvent.View) -> int:
            return solvent.CALL

    match = solvent.Match(Caller(), Caller(), solvent.HoldemRules(), 10**7)
    with pytest.raises(Interrupted) as stopped:
        match.run(watch=SignalAt())
    result = stopped.value.result
    assert 0 < result.winnings.pairs < 5 * 10**6
    assert not result.complete


def test_a_match_of_compiled_agents_too() -> None:
    first, second = (solvent.AgentLoader().load(name) for name in ("always-call", "random"))
    with pytest.raises(Interrupted) as stopped:
        solvent.Match(first, second, solvent.HoldemRules(), 10**8).run(2, watch=SignalAt())
    assert not stopped.value.result.complete


class TwoParts:
    """Something to evaluate, whose second part is interrupted."""

    folder, facts, parts, usual = None, {"agent": "nobody"}, ("first", "second"), ("first", "second")

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: solvent.Stop) -> bool:
        if part == "second":
            signal.raise_signal(signal.SIGINT)
        found[part] = 1.0
        return True


def test_evaluations_carry_the_parts_that_are_done() -> None:
    with pytest.raises(Interrupted) as stopped:
        evaluate(TwoParts())
    assert stopped.value.result == {
        "agent": "nobody",
        "first": 1.0,
        "parts": {"first": True, "second": False},
        "complete": False,
    }
