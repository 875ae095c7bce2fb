"""Monte Carlo CFR against OpenSpiel's C++ solver, threads against one, and sampling against full width.

Speed: external sampling on the same game, in the same process, interleaved, in processor time; an iteration is a
pass for each player in both. Threads: exploitability after the same iterations on one thread and on several that
share one table. Convergence: exploitability after more and more iterations, beside the game's value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.history.solver import HistorySolver
from solvent.forms.history import compile_tree
from solvent.foundation.progress import Watch
from solvent.games.catalogue import load_game
from solvent.games.openspiel import load_openspiel
from solvent_papers.aggregation.openspiel_speed import OPENSPIEL
from solvent_papers.interleaved import BATCH_SECONDS, repeated, time_in_turn
from solvent_papers.page import Reading, markdown_table, write_page
from solvent_papers.steps import saying

GAMES = ("leduc_poker", "liars_dice")
SAMPLINGS = ("external", "chance", "outcome")
REPEATS = 9
APPROACHED = ("kuhn", "leduc", "bluff(dice=1,faces=3)", "flop_holdem(suits=2,ranks=4,raises=1)")
ITERATIONS = (10_000, 100_000, 1_000_000)
FULL_WIDTH = 2_000
"""Iterations of the full-width solves whose value is approached."""
WARM = 1_000
"""Iterations before anything is timed: OpenSpiel's tables grow with the infosets it meets."""


@dataclass(frozen=True)
class Row:
    """One game; processor seconds are of one iteration, a pass for each player, on one thread."""

    game: str
    sampling: str
    openspiel_seconds: float | None
    """Seconds of OpenSpiel's external sampling; None where it has no such solver in C++."""
    seconds: float
    ratio: float | None
    histories_touched: float
    """Histories touched per iteration, on average."""
    nanoseconds_per_history: float
    repeats: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Threads:
    """One game after the same iterations on one thread and on several, over the same seeds."""

    game: str
    iterations: int
    threads: int
    seeds: int
    exploitability: float
    """The mean on one thread."""
    shared_exploitability: float
    """The mean on several threads."""
    ratio: float
    spread: float
    """The standard deviation of one thread's exploitability over seeds."""
    seconds: float
    shared_seconds: float
    speed_up: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Approach:
    """How one kind of sampling approaches the solution of a game."""

    game: str
    sampling: str
    exploitability: tuple[float, ...]
    """After 10,000, 100,000 and a million iterations, in chips."""
    value: float
    """The value of the last average strategy for player 0, in chips."""
    full_width: float
    """That value after full-width iterations of dcfr."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    games: Sequence[str] = GAMES,
    samplings: Sequence[str] = SAMPLINGS,
    repeats: int = REPEATS,
    watch: Watch | None = None,
) -> list[Row]:
    """Time every game and every kind of sampling beside OpenSpiel's external sampling."""
    import pyspiel

    say = saying(watch)
    rows = []
    for name in games:
        say(f"{name}: compiling")
        game = load_openspiel(name)
        tree = compile_tree(game)
        theirs = pyspiel.ExternalSamplingMCCFRSolver(game.game, seed=1)
        solvers = {mode: SamplingSolver(tree, "cfr", mode) for mode in samplings}
        for solver in solvers.values():
            solver.warm_up()
        touched = {mode: solver.nodes_touched for mode, solver in solvers.items()}
        before = {mode: solver.iterations for mode, solver in solvers.items()}
        run: dict[str, Callable[[int], None]] = {mode: solver.run for mode, solver in solvers.items()}
        run[OPENSPIEL] = repeated(theirs.run_iteration)
        times = time_in_turn(run, repeats, time.process_time, WARM, f"{name}: ", say)
        for mode, solver in solvers.items():
            seconds, openspiel = median(times[mode]), median(times[OPENSPIEL])
            visits = (solver.nodes_touched - touched[mode]) / (solver.iterations - before[mode])
            same = mode == "external"
            rows.append(
                Row(
                    name,
                    mode,
                    openspiel if same else None,
                    seconds,
                    openspiel / seconds if same else None,
                    visits,
                    seconds / visits * 1e9,
                    repeats,
                )
            )
    return rows


def compare_threads(
    game: str = "leduc",
    iterations: int = 1_000_000,
    threads: int = 2,
    seeds: int = 10,
    rule: str = "lcfr",
    watch: Watch | None = None,
) -> Threads:
    """External sampling on one thread and on several without locks: what is reached, and how soon."""
    say = saying(watch)
    tree = compile_tree(load_game(game))
    reached: dict[int, list[float]] = {1: [], threads: []}
    seconds: dict[int, list[float]] = {1: [], threads: []}
    for seed in range(seeds):
        for count in reached:
            say(f"{game}: seed {seed + 1} of {seeds}, {count} threads")
            solver = SamplingSolver(tree, rule, "external", seed, count)
            solver.warm_up()
            start = time.perf_counter()
            solver.run(iterations)
            seconds[count].append(time.perf_counter() - start)
            reached[count].append(solver.evaluate().exploitability)
    alone, shared = fmean(reached[1]), fmean(reached[threads])
    took, took_shared = median(seconds[1]), median(seconds[threads])
    return Threads(
        game,
        iterations,
        threads,
        seeds,
        alone,
        shared,
        shared / alone,
        stdev(reached[1]) if seeds > 1 else 0.0,
        took,
        took_shared,
        took / took_shared,
    )


def approach(
    games: Sequence[str] = APPROACHED,
    samplings: Sequence[str] = SAMPLINGS,
    watch: Watch | None = None,
) -> list[Approach]:
    """Run every kind of sampling, rule lcfr, and measure exploitability on the way."""
    say = saying(watch)
    found = []
    for name in games:
        tree = compile_tree(load_game(name))
        full = HistorySolver(tree, "dcfr")
        full.run(FULL_WIDTH)
        value = full.evaluate().value[0]
        for mode in samplings:
            solver = SamplingSolver(tree, sampling=mode)
            reached = []
            for iterations in ITERATIONS:
                say(f"{name}: {mode} sampling, {iterations:,} iterations")
                solver.run(iterations - solver.iterations)
                reached.append(solver.evaluate())
            exploitability = tuple(evaluation.exploitability for evaluation in reached)
            found.append(Approach(name, mode, exploitability, reached[-1].value[0], value))
    return found


def write_results(
    rows: Sequence[Row], threads: Threads | None, approached: Sequence[Approach], page: Path
) -> None:
    """The results page."""
    table = markdown_table(
        [
            "game",
            "sampling",
            "OpenSpiel, iterations/s",
            "solvent, iterations/s",
            "ratio",
            "histories an iteration",
            "ns per history",
        ],
        [
            [
                row.game,
                row.sampling,
                "-" if row.openspiel_seconds is None else f"{1 / row.openspiel_seconds:,.0f}",
                f"{1 / row.seconds:,.0f}",
                "-" if row.ratio is None else f"{row.ratio:.0f}",
                f"{row.histories_touched:.1f}",
                f"{row.nanoseconds_per_history:.1f}",
            ]
            for row in rows
        ],
    )
    about = (
        "Monte Carlo CFR, rule cfr, float64, one thread, the same game, seconds of processor time. OpenSpiel's is "
        "its C++ `ExternalSamplingMCCFRSolver`, beside our external sampling; its `run_iteration` is a pass for "
        f"each player, as our iteration is. Interleaved batches of {BATCH_SECONDS} s, median of "
        f"{rows[0].repeats}. A history counts once for each visit.\n\n"
    )
    more = "" if threads is None else f"\n## Threads\n\n{_threads_text(threads)}\n"
    if approached:
        more += f"\n## Convergence\n\n{_approach_text(approached)}"
    command = "solvent bench sampling" + ("" if threads is None else f" --threads {threads.threads}")
    command += " --convergence" if approached else ""
    title = "Monte Carlo CFR iterations against OpenSpiel's"
    write_page(page, title, command, _reading(rows, threads), about + table + more)


def _reading(rows: Sequence[Row], threads: Threads | None) -> Reading:
    ratios = [row.ratio for row in rows if row.ratio is not None]
    shared = (
        ""
        if threads is None
        else f" Sharing one table between {threads.threads} threads without locks leaves {threads.ratio:.3g} "
        "times the "
        "exploitability of one thread after as many iterations."
    )
    return Reading(
        "Compiled external sampling is much quicker than OpenSpiel's, and threads need no locks.",
        f"{min(ratios):.0f} to {max(ratios):.0f} times the iterations a second of OpenSpiel's C++ solver.{shared}",
        "Threads may share a table without locks. Sampling is for games that are too large for full iterations.",
    )


def _threads_text(found: Threads) -> str:
    return (
        f"{found.game}, external sampling, rule lcfr, {found.iterations:,} iterations, {found.seeds} seeds: mean "
        f"exploitability {found.exploitability:.5f} chips on one thread (standard deviation {found.spread:.5f}), "
        f"{found.shared_exploitability:.5f} on {found.threads} threads that share the table without locks, "
        f"{found.ratio:.3f} of it; {found.seconds:.2f} s and {found.shared_seconds:.2f} s, medians."
    )


def _approach_text(found: Sequence[Approach]) -> str:
    table = markdown_table(
        ["game", "sampling", *(f"{count:,}" for count in ITERATIONS), "value", "value at full width"],
        [
            [
                row.game,
                row.sampling,
                *(f"{reached:.5f}" for reached in row.exploitability),
                f"{row.value:.5f}",
                f"{row.full_width:.5f}",
            ]
            for row in found
        ],
    )
    return (
        "Exploitability (NashConv/2 in chips, exact) of the average strategy after so many iterations of rule "
        "lcfr, one thread, seed 0; the value for player 0 at the end, and that of "
        f"{FULL_WIDTH:,} full-width iterations of dcfr.\n\n{table}"
    )
