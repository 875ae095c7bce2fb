"""Solving on a thread of its own, while commands are still answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from solvent.engines.holdem.response import HoldemEvaluation
from solvent.foundation.errors import InputError
from solvent.spots.nodes.solution import SpotSolution

CHUNK_SECONDS = 0.2
"""The longest that `stop` and questions wait for iterations that have begun, about."""
EVERY = 10
"""Iterations between measurements where a solve stops at an exploitability."""
SAY_SECONDS, SAY_SHARE = 1.0, 0.1
"""The least time between two reports of a solve, and the fraction of the time that measuring for them may take."""


@dataclass(frozen=True)
class Goal:
    """Limits at which a solve stops by itself, at whichever comes first."""

    steps: int | None = None
    """Iterations from now on."""
    seconds: float | None = None
    exploitability: float | None = None
    """In chips."""


class Solving:
    """A solution and the thread that solves it. `say` takes messages and whether the end string follows them."""

    def __init__(self, solution: SpotSolution, say: Callable[[Sequence[str], bool], None]) -> None:
        self.solution, self.solver, self.say = solution, solution.solver, say
        self.goal = Goal()
        self._stop = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._turn = threading.Lock()
        self._free = threading.Event()
        self._free.set()

    @property
    def running(self) -> bool:
        return not self._idle.is_set()

    def go(self, goal: Goal) -> None:
        """Begin to solve."""
        self.wait()
        self.goal = goal
        self._stop.clear()
        self._idle.clear()
        threading.Thread(target=self._run, name="solving").start()

    def stop(self) -> None:
        """Have the solve stop, and wait until it has."""
        self._stop.set()
        self.wait()

    def wait(self) -> None:
        """Wait until the solve has stopped."""
        self._idle.wait()  # an interrupt would make `Thread.join` take the thread for ended

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let no iteration run meanwhile."""
        self._free.clear()
        try:
            with self._turn:
                yield
        finally:
            self._free.set()

    def results(self, evaluation: HoldemEvaluation) -> list[str]:
        """Winnings of both players, the most that they could win, and the exploitability, in chips."""
        half = self.solution.spot.pot / 2
        ev, best = ([value + half for value in pair] for pair in (evaluation.value, evaluation.best_response))
        return [
            f"EV OOP: {ev[0]:.3f}",
            f"EV IP: {ev[1]:.3f}",
            f"OOP's MES: {best[0]:.3f}",
            f"IP's MES: {best[1]:.3f}",
            f"Exploitable for: {evaluation.exploitability:.3f}",
        ]

    def _run(self) -> None:
        reason = "failed"
        try:
            self.say(["SOLVER: started"], False)
            if not self.solver.iterations:
                self.solver.warm_up()  # compiling counts as no part of the time
            reason = self._iterate()
        except InputError as refusal:  # the numbers cannot carry this tree
            with suppress(OSError):
                self.say([f"ERROR: {refusal}"], False)
        except OSError:
            reason = "nobody listens"
        finally:
            with suppress(OSError):  # whoever answers the next command meets the closed pipe too
                self.say([f"SOLVER: stopped ({reason})"], False)
            self._idle.set()

    def _iterate(self) -> str:
        """Run until the goal is reached or a stop is requested; why it ended."""
        goal, solver = self.goal, self.solver
        began = said = time.perf_counter()
        done, chunk, check, pause = 0, 1, EVERY, SAY_SECONDS
        while not self._stop.is_set():
            if goal.steps is not None and done >= goal.steps:
                return "required number of steps reached"
            if goal.seconds is not None and time.perf_counter() - began >= goal.seconds:
                return "time limit reached"
            if goal.exploitability is not None:
                chunk = min(chunk, check - done)
            if goal.steps is not None:
                chunk = min(chunk, goal.steps - done)
            self._free.wait()
            with self._turn:
                start = time.perf_counter()
                solver.run(chunk)
                done += chunk
                chunk = max(1, int(CHUNK_SECONDS * chunk / max(time.perf_counter() - start, 1e-9)))
                report = time.perf_counter() - said >= pause
                if not (report or (goal.exploitability is not None and done >= check)):
                    continue
                check, start = done + EVERY, time.perf_counter()
                evaluation = solver.evaluate()
                pause = max(SAY_SECONDS, (time.perf_counter() - start) / SAY_SHARE)
            reached = goal.exploitability is not None and evaluation.exploitability <= goal.exploitability
            if report or reached:
                said = time.perf_counter()
                running = f"running time: {said - began:.3f}"
                self.say(["SOLVER:", running, *self.results(evaluation)], True)
            if reached:
                return "required accuracy reached"
        return "requested"
