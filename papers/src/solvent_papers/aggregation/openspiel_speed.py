"""Seconds per CFR iteration against OpenSpiel's C++ `CFRSolver`: same games, same process, interleaved.

Both run vanilla CFR with alternating updates on the same tree. Each repeat times a batch of OpenSpiel's
iterations and a batch of ours, one after the other, each long enough that neither starts cold; medians are
reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from solvent.engines.history.solver import HistorySolver
from solvent.engines.solver import compile_seconds
from solvent.forms.history import compile_tree
from solvent.games.openspiel import load_openspiel
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import BATCH_SECONDS, InterleavedSetup, repeated, time_in_turn

PLANS = ("serial", "auto")
OPENSPIEL = "openspiel"


@dataclass(frozen=True)
class SpeedSetup(InterleavedSetup):
    """Games, repeats and threads."""

    threads: int = option(1, "Threads for plans that use them.", 1, 1024)


def measure(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Time every game on every plan, in seconds of one iteration that updates both players."""
    import pyspiel

    rows = []
    for name in setup.games:
        say(f"{name}: compiling the game")
        game = load_openspiel(name)
        tree = compile_tree(game)
        theirs = repeated(pyspiel.CFRSolver(game.game).evaluate_and_update_policy)
        theirs(1)  # the first iteration builds their tables
        solvers = {plan: HistorySolver(tree, "cfr", plan=plan, threads=setup.threads) for plan in PLANS}
        say("compiling kernels (once per machine)")
        compiling = {plan: compile_seconds(solver) for plan, solver in solvers.items()}
        run: dict[str, Callable[[int], None]] = {plan: solver.run for plan, solver in solvers.items()}
        run[OPENSPIEL] = theirs
        times = time_in_turn(run, setup.repeats, time.perf_counter, 1, f"{name}: ", say)
        for plan, solver in solvers.items():
            seconds, openspiel = median(times[plan]), median(times[OPENSPIEL])
            rows.append(
                {
                    "game": name,
                    "plan": plan,
                    "runs_as": solver.plan.name,
                    "threads": solver.threads,
                    "openspiel_seconds": openspiel,
                    "seconds": seconds,
                    "ratio": openspiel / seconds,
                    "compile_seconds": compiling[plan],
                    "histories": tree.histories,
                    "nanoseconds_per_history": seconds / (2 * tree.histories) * 1e9,
                }
            )
    return {"rows": rows}


EXPERIMENT = Experiment(
    "openspiel",
    "CFR iterations against OpenSpiel's",
    SpeedSetup,
    (Part("iterations", measure),),
    lambda found: {"batch_seconds": BATCH_SECONDS},
    verb="bench",
)
