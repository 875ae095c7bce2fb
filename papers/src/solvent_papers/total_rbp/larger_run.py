"""One solve of the larger game, in a process of its own, so that its memory is its own.

Kernels are compiled and loaded on a small Leduc before anything is measured. *Memory* is what is resident beyond
the memory resident then, before the game was built: the game, the solver, its tables, the passes' vectors and the
checks of exploitability are in it, and with a start from a coarser game that game and its solve. *Seconds* are of
solving on one thread, with the coarse solve and the start from it, without building games and without checks.

python -m solvent_papers.total_rbp.larger_run '{"name": "none", "game": "leduc", "iterations": 20}'

prints a line of JSON for each step and one with the findings.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned.coarse_start import start_from_coarse
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.public_pass import PublicPass
from solvent.engines.public.response import evaluate_public
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.sequences import MOST_PAIRED
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import give_back_memory
from solvent.games.catalogue import load_game
from solvent.games.leduc import Leduc
from solvent.games.public_rules import PublicRules
from solvent_papers.frame.experiment import Found, Say, by_columns
from solvent_papers.frame.machine import reset_peak, status
from solvent_papers.interleaved import seconds_of

Solver = PrunedPublicSolver | PublicSolver

RULE, UPDATES, DTYPE = "lcfr", "alternating", "float64"
"""The settings of every run, those of the coarse game too."""
NEVER = 10**9
"""Iterations between looks when nothing is to be pruned."""
WARM_ITERATIONS = 40
"""Iterations of a small Leduc after which every kernel has run."""
WARM_GAME, WARM_COARSE = Leduc(bets1=(1, 2, 4), bets2=(2, 4, 8)), Leduc(bets1=(1, 4), bets2=(2, 8))
"""The coarse one lacks a size between two that it has."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Run(NamedTuple):
    """One way to solve a game."""

    name: str
    game: str
    iterations: int
    """Iterations of the game itself; those of a coarser game come before."""
    pruning: str = "none"
    gates: str = "paper"
    average: float = 0.01
    """C, of total pruning."""
    every: int = 10
    """Iterations between looks for actions to prune."""
    quickest: bool = False
    """Without pruning by the quickest plan, instead of the walk that pruning cuts short."""
    coarse: str | None = None
    """The game that is solved first and started from."""
    coarse_iterations: int = 0
    limit: float = 600.0
    """Seconds after which the run ends with the last check that it reached, building and checks included."""


class Point(NamedTuple):
    """A check of one run."""

    iterations: int
    """Those of the coarse game included."""
    seconds: float
    exploitability: float
    """NashConv / 2 in chips."""
    nodes_touched: int
    """Public nodes x hands, best responses included; those of the full game alone."""
    response_nodes: int
    stored_regrets: float
    stored_averages: float
    table_bytes: int
    memory: int | None
    """Bytes resident now beyond what was before the game was built; None where the system does not tell."""
    peak: int | None
    """The most of it so far."""


# The process that asks


def run_apart(run: Run, say: Say) -> Found:
    """Solve in a new process, after another one has had the kernels compiled.

    Compiling leaves freed memory behind, which a game built in the same process would take up uncounted.
    """
    say(f"{run.name}: kernels")
    _ask(run, say, "--warm")
    say(f"{run.name}: building {run.game}")
    found = _ask(run, say)
    if found is None:
        raise InputError(f"the process of run {run.name!r} ended without a result")
    return found


def _ask(run: Run, say: Say, *options: str) -> Found | None:
    command = [sys.executable, "-m", __spec__.name, json.dumps(run._asdict()), *options]
    found: Found | None = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD) as child:
        try:
            assert child.stdout is not None
            for line in child.stdout:
                told = json.loads(line)
                found = told.get("found", found)
                if "said" in told:
                    say(told["said"])
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        raise InputError(f"the process of run {run.name!r} ended with code {child.returncode}")
    return found


# The process that solves


def main(arguments: list[str]) -> None:
    """Serve the other process, which alone answers Ctrl-C and ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = Run(**json.loads(arguments[0]))
    load_rules(run.game)  # refuses what is no such game before anything is compiled
    warm(run)
    if "--warm" not in arguments:
        _tell(found=measure(run, lambda said: _tell(said=said)))


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def warm(run: Run) -> None:
    """Have every kernel of a run compiled and loaded."""
    game, coarse = (public_game(rules, isomorphism=False) for rules in (WARM_GAME, WARM_COARSE))
    if run.quickest and load_rules(run.game).histories() > MOST_PAIRED:
        # Small games go by sequences, and the run's game will go by vectors.
        vectors = PublicSolver(game, RULE, UPDATES, "vectors", dtype=DTYPE)
        vectors.run(1)
        evaluate_public(PublicPass(game, np.dtype(DTYPE)), vectors.arena.table("average"))
        return
    solver, _, _ = begin(run, game, coarse, 1)
    solver.run(WARM_ITERATIONS)
    solver.evaluate()


def load_rules(game: str) -> PublicRules:
    """Return a game's rules; raise an `InputError` if it has no public form."""
    rules = load_game(game)
    if not isinstance(rules, PublicRules):
        raise InputError(f"{game} has no public form")
    return rules


def begin(
    run: Run, game: PublicGame, coarse: PublicGame | None, coarse_iterations: int
) -> tuple[Solver, float, dict[str, float]]:
    """Return a run's solver before its first iteration, the seconds spent before that, and facts of the start."""
    if run.quickest:
        return PublicSolver(game, RULE, UPDATES, dtype=DTYPE), 0.0, {}
    pruning = Pruning(run.pruning, average=run.average, every=run.every, gates=run.gates)
    if run.coarse is None or coarse is None:
        return PrunedPublicSolver(game, RULE, UPDATES, pruning, DTYPE), 0.0, {}
    unpruned = Pruning("total", average=run.average, every=NEVER, gates=run.gates)
    first = PrunedPublicSolver(coarse, RULE, UPDATES, unpruned, DTYPE)
    begun = time.perf_counter()
    first.run(coarse_iterations)
    solved = time.perf_counter()
    solver = PrunedPublicSolver(game, RULE, UPDATES, pruning, DTYPE, filled=False)
    started = start_from_coarse(solver, first)
    ended = time.perf_counter()
    facts = {
        "coarse cells": first.cells,
        "coarse seconds": solved - begun,
        "start seconds": ended - solved,
        "lacking": started.lacking,
        "returned": started.returned,
        "potential": started.potential,
    }
    return solver, ended - begun, facts


def measure(run: Run, say: Say) -> Found:
    """Solve and check now and then. Kernels have been loaded before."""
    gc.collect()
    give_back_memory()
    before, begun = status("VmRSS") if reset_peak() else None, time.perf_counter()
    coarse = None if run.coarse is None else public_game(load_rules(run.coarse), isomorphism=False)
    game = public_game(load_rules(run.game), isomorphism=False)
    solver, seconds, start = begin(run, game, coarse, run.coarse_iterations)
    facts = {
        "run": run._asdict(),
        "cells": game.cells,
        "infoset_actions": game.infoset_actions,
        "start": start,
    }
    points: list[Point] = []
    for check in ([0] if start else []) + checks(run.iterations):
        while solver.iterations < run.coarse_iterations + check:
            seconds += seconds_of(solver.run, 1)
            if points and time.perf_counter() - begun > run.limit:
                say(f"{run.name}: the time is up after iteration {points[-1].iterations:,}")
                return facts | {"points": by_columns(map(Point._asdict, points))}
        points.append(_point(solver, seconds, before))
        last = points[-1]
        say(
            f"{run.name}: iteration {last.iterations:,}, {seconds:.1f} s, exploitability "
            f"{last.exploitability:.3g}, {(last.peak or 0) / 2**20:,.0f} MiB at most"
        )
    return facts | {"points": by_columns(map(Point._asdict, points))}


def _point(solver: Solver, seconds: float, before: int | None) -> Point:
    def beyond(key: str) -> int | None:
        found = status(key)
        return None if before is None or found is None else max(0, found - before)

    memory = beyond("VmRSS")
    return Point(
        iterations=solver.iterations,
        seconds=seconds,
        exploitability=solver.evaluate().exploitability,
        nodes_touched=solver.nodes_touched,
        response_nodes=solver.response_nodes,
        stored_regrets=solver.stored_regrets,
        stored_averages=solver.stored_averages,
        table_bytes=solver.table_bytes,
        memory=memory,
        peak=beyond("VmHWM"),
    )


def checks(iterations: int) -> list[int]:
    """Return 1, 2, 5, 10, ... and the last."""
    steps = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    return [step for step in steps if step < iterations] + [iterations]


if __name__ == "__main__":
    main(sys.argv[1:])
