"""Monte Carlo CFR against OpenSpiel's C++ solver, threads against one, and sampling against full width.

Speed: external sampling on the same game, in the same process, interleaved, in processor time; an iteration is a
pass for each player in both. Threads: exploitability after the same iterations on one thread and on several that
share one table. Convergence: exploitability after more and more iterations, beside the game's value.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median, stdev

from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.history.solver import HistorySolver
from solvent.forms.history import compile_tree
from solvent.games.catalogue import load_game
from solvent.games.openspiel import load_openspiel
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import BATCH_SECONDS, InterleavedSetup, repeated, seconds_of, time_in_turn

SAMPLINGS = ("external", "chance", "outcome")
OPENSPIEL = "openspiel"
SHARED_GAME = "leduc"
"""The game on which threads share a table."""
APPROACHED = ("kuhn", "leduc", "bluff(dice=1,faces=3)", "flop_holdem(suits=2,ranks=4,raises=1)")
ITERATIONS, SMALL_ITERATIONS = (10_000, 100_000, 1_000_000), (100, 1_000)
FULL_WIDTH = 2_000
"""Iterations of the full-width solves whose value is approached."""
WARM = 1_000
"""Iterations before anything is timed: OpenSpiel's tables grow with the infosets it meets."""


@dataclass(frozen=True)
class SpeedSetup(InterleavedSetup):
    """Games and repeats of the comparison of speed, and the comparison of threads."""

    threads: int = option(2, "Threads without locks that are compared with one.", 2, 1024)
    seeds: int = option(10, "Seeds of that comparison.", 2)
    iterations: int = option(1_000_000, "Iterations of that comparison.", 1)


def measure(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Time every game and every kind of sampling beside OpenSpiel's external sampling, in processor time.

    OpenSpiel has no other sampling in C++. The histories of a row are those that an iteration touches on average.
    """
    import pyspiel

    rows = []
    for name in setup.games:
        say(f"{name}: compiling")
        game = load_openspiel(name)
        tree = compile_tree(game)
        theirs = pyspiel.ExternalSamplingMCCFRSolver(game.game, seed=1)
        solvers = {mode: SamplingSolver(tree, "cfr", mode) for mode in SAMPLINGS}
        for solver in solvers.values():
            solver.warm_up()
        before = {mode: (solver.nodes_touched, solver.iterations) for mode, solver in solvers.items()}
        run: dict[str, Callable[[int], None]] = {mode: solver.run for mode, solver in solvers.items()}
        run[OPENSPIEL] = repeated(theirs.run_iteration)
        times = time_in_turn(run, setup.repeats, time.process_time, WARM, f"{name}: ", say)
        openspiel = median(times[OPENSPIEL])
        for mode, solver in solvers.items():
            seconds, (touched, iterations) = median(times[mode]), before[mode]
            visits = (solver.nodes_touched - touched) / (solver.iterations - iterations)
            row = {
                "game": name,
                "sampling": mode,
                "openspiel_seconds": openspiel if mode == "external" else None,
                "seconds": seconds,
                "ratio": openspiel / seconds if mode == "external" else None,
                "histories": visits,
                "nanoseconds_per_history": seconds / visits * 1e9,
            }
            rows.append(row)
    return {"rows": rows}


def compare_threads(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Run external sampling on one thread and on several without locks: what is reached, and how soon."""
    tree = compile_tree(load_game(SHARED_GAME))
    reached: dict[int, list[float]] = {1: [], setup.threads: []}
    seconds: dict[int, list[float]] = {1: [], setup.threads: []}
    for seed in range(setup.seeds):
        for count in reached:
            say(f"{SHARED_GAME}: seed {seed + 1} of {setup.seeds}, {count} threads")
            solver = SamplingSolver(tree, "lcfr", "external", seed, count)
            solver.warm_up()
            seconds[count].append(seconds_of(solver.run, setup.iterations))
            reached[count].append(solver.evaluate().exploitability)
    alone, shared = fmean(reached[1]), fmean(reached[setup.threads])
    return {
        "game": SHARED_GAME,
        "iterations": setup.iterations,
        "threads": setup.threads,
        "seeds": setup.seeds,
        "exploitability": alone,
        "shared_exploitability": shared,
        "ratio": shared / alone,
        "deviation": stdev(reached[1]),
        "seconds": median(seconds[1]),
        "shared_seconds": median(seconds[setup.threads]),
    }


def approach(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Run every kind of sampling, rule lcfr, and measure exploitability on the way, in chips."""
    checks, rows = SMALL_ITERATIONS if setup.small else ITERATIONS, []
    for name in APPROACHED[:1] if setup.small else APPROACHED:
        tree = compile_tree(load_game(name))
        full = HistorySolver(tree, "dcfr")
        full.run(FULL_WIDTH)
        value = full.evaluate().value[0]
        for mode in SAMPLINGS:
            solver, reached = SamplingSolver(tree, sampling=mode), []
            for iterations in checks:
                say(f"{name}: {mode} sampling, {iterations:,} iterations")
                solver.run(iterations - solver.iterations)
                reached.append(solver.evaluate())
            row = {
                "game": name,
                "sampling": mode,
                "exploitability": [each.exploitability for each in reached],
                "value": reached[-1].value[0],
                "full_width_value": value,
            }
            rows.append(row)
    return {"iterations": list(checks), "full_width": FULL_WIDTH, "rows": rows}


EXPERIMENT = Experiment(
    "sampling",
    "Monte Carlo CFR iterations against OpenSpiel's",
    SpeedSetup,
    (Part("iterations", measure), Part("threads", compare_threads), Part("convergence", approach)),
    lambda found: {"batch_seconds": BATCH_SECONDS},
    verb="bench",
)
