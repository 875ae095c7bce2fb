"""Seconds per CFR iteration against OpenSpiel's C++ `CFRSolver`: same games, same process, interleaved.

Both run vanilla CFR with alternating updates on the same tree. Each repeat times one iteration of OpenSpiel's
and a batch of ours that takes about as long, one after the other; medians are reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from solvent.errors import InputError
from solvent.forms.history import compile_tree
from solvent.games.openspiel import OpenSpielGame, load_openspiel
from solvent.solvers.cfr import HistorySolver
from solvent.solvers.solve import compile_kernels

GAMES = ("leduc_poker", "liars_dice")
PLANS = ("serial", "auto")
REPEATS = 9


@dataclass(frozen=True)
class Row:
    """One game on one plan; seconds are of one iteration, both players updated."""

    game: str
    plan: str
    runs_as: str
    """The plan that `auto` picked."""
    threads: int
    openspiel_seconds: float
    seconds: float
    ratio: float
    compile_seconds: float
    histories: int
    nanoseconds_per_history: float
    repeats: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    games: Sequence[str] = GAMES,
    plans: Sequence[str] = PLANS,
    threads: int = 1,
    repeats: int = REPEATS,
    progress: Callable[[str], None] | None = None,
) -> list[Row]:
    """Time every game on every plan."""
    say = progress or (lambda text: None)
    say("compiling kernels (once per machine)")
    compile_seconds = compile_kernels()
    rows = []
    for name in games:
        say(f"{name}: compiling the game")
        game = load_openspiel(name)
        if not isinstance(game, OpenSpielGame):
            raise InputError(f"{name} is not a game of OpenSpiel's")
        tree = compile_tree(game)
        theirs = _their_solver(game)
        solvers = {plan: HistorySolver(tree, "cfr", plan=plan, threads=threads) for plan in plans}
        batches = {plan: _batch(solver, theirs) for plan, solver in solvers.items()}
        their_times: list[float] = []
        our_times: dict[str, list[float]] = {plan: [] for plan in plans}
        for repeat in range(repeats):
            say(f"{name}: repeat {repeat + 1} of {repeats}")
            their_times.append(_time(theirs.evaluate_and_update_policy))
            for plan, solver in solvers.items():
                our_times[plan].append(_time(lambda s=solver, n=batches[plan]: s.run(n)) / batches[plan])  # type: ignore[misc]
        for plan, solver in solvers.items():
            seconds, openspiel = median(our_times[plan]), median(their_times)
            rows.append(
                Row(
                    name,
                    plan,
                    solver.plan.name,
                    solver.threads,
                    openspiel,
                    seconds,
                    openspiel / seconds,
                    compile_seconds,
                    tree.histories,
                    seconds / (2 * tree.histories) * 1e9,
                    repeats,
                )
            )
    return rows


def _their_solver(game: OpenSpielGame) -> Any:
    import pyspiel

    solver = pyspiel.CFRSolver(game.game)
    solver.evaluate_and_update_policy()  # the first iteration builds their tables
    return solver


def _batch(solver: HistorySolver, theirs: Any) -> int:
    """How many of our iterations take about as long as one of theirs."""
    solver.run(1)
    return max(1, round(_time(theirs.evaluate_and_update_policy) / max(_time(lambda: solver.run(1)), 1e-9)))


def _time(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
