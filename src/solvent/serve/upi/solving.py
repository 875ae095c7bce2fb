"""Solving as a job, while commands are still answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf

from solvent.engines.holdem.response import HoldemEvaluation
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.solving.job import Job
from solvent.solving.session import Limits, Session
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.work import EVERY, SpotWork

SAY_SECONDS, SAY_SHARE = 1.0, 0.1
"""The least time between two reports of a solve, and the fraction of the time that measuring for them may take."""
NEVER = 1 << 60
"""Iterations between measurements of a solve that no exploitability ends."""
REASONS = {
    "iterations": "required number of steps reached",
    "time": "time limit reached",
    "until": "required accuracy reached",
    "interrupt": "requested",
}
"""UPI's phrase for each reason for which a session ends."""


@dataclass(frozen=True)
class Goal:
    """Limits at which a solve stops by itself, at whichever comes first."""

    steps: int | None = None
    """Iterations from now on."""
    seconds: float | None = None
    exploitability: float | None = None
    """In chips."""


class Solving:
    """A tree and the job that solves it. `say` takes messages and whether the end string follows them."""

    def __init__(self, solution: SpotSolution, say: Callable[[Sequence[str], bool], None]) -> None:
        self.solution, self.solver, self.say = solution, solution.solver, say
        self.goal = Goal()
        self._job: Job[None] | None = None

    @property
    def running(self) -> bool:
        """Whether a solve has begun and not ended."""
        return self._job is not None and self._job.running

    def go(self, goal: Goal) -> None:
        """Begin to solve."""
        self.wait()
        self.goal = goal
        self._job = Job(self._run, "solving").start()

    def stop(self) -> None:
        """Have the solve stop, and wait until it has."""
        if self._job is not None:
            self._job.stop()
            self._job.wait()

    def wait(self) -> None:
        """Wait until the solve has stopped."""
        if self._job is not None:
            self._job.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let no iteration run meanwhile."""
        if self._job is None:
            yield
            return
        with self._job.paused():
            yield

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

    def _run(self, watch: Watch, stop: Stop) -> None:
        reason = "failed"
        try:
            self.say(["SOLVER: started"], False)
            if not self.solver.iterations:
                self.solver.warm_up()  # compiling counts as no part of the time
            reason = REASONS[self._solve(watch, stop)]
        except InputError as refusal:  # the numbers cannot carry this tree
            with suppress(OSError):
                self.say([f"ERROR: {refusal}"], False)
        except OSError:
            reason = "nobody listens"
        finally:
            with suppress(OSError):  # whoever answers the next command meets the closed pipe too
                self.say([f"SOLVER: stopped ({reason})"], False)

    def _solve(self, watch: Watch, stop: Stop) -> str:
        """Iterate until the goal is reached or a stop is requested; returns the session's reason to end."""
        goal, solver = self.goal, self.solver
        steps = None if goal.steps is None else solver.iterations + goal.steps
        every = NEVER if goal.exploitability is None else EVERY
        limits = Limits(steps, goal.exploitability, goal.seconds, every)
        work = SpotWork(solver, self.solution.spot.pot, limits)
        began = said = time.perf_counter()
        pause = SAY_SECONDS

        def report(progress: Progress | None) -> None:
            nonlocal said, pause
            start = time.perf_counter()
            if progress is not None:
                watch(progress)
                if start - said < pause:
                    return
            results = self.results(work.evaluate())
            said = time.perf_counter()
            pause = max(SAY_SECONDS, (said - start) / SAY_SHARE)
            self.say(["SOLVER:", f"running time: {said - began:.3f}", *results], True)

        session = Session("solving", work, limits, None, inf, report, stop)
        reason = session.loop()
        if reason == "until":
            report(None)
        return reason
