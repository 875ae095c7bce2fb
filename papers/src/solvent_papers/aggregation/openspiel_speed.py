"""Seconds per CFR iteration against OpenSpiel's C++ `CFRSolver`: same games, same process, interleaved.

Both run vanilla CFR with alternating updates on the same tree. Each repeat times a batch of OpenSpiel's
iterations and a batch of ours, one after the other, each long enough that neither starts cold; medians are
reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from solvent.engines.history.solver import HistorySolver
from solvent.engines.solver import compile_seconds as seconds_to_compile
from solvent.forms.history import compile_tree
from solvent.foundation.progress import Watch
from solvent.games.openspiel import OpenSpielGame, load_openspiel
from solvent_papers.interleaved import BATCH_SECONDS, repeated, time_in_turn
from solvent_papers.page import Reading, markdown_table, write_page
from solvent_papers.steps import saying

GAMES = ("leduc_poker", "liars_dice")
PLANS = ("serial", "auto")
REPEATS = 9
OPENSPIEL = "openspiel"


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
    watch: Watch | None = None,
) -> list[Row]:
    """Time every game on every plan."""
    say = saying(watch)
    rows = []
    for name in games:
        say(f"{name}: compiling the game")
        game = load_openspiel(name)
        tree = compile_tree(game)
        theirs = _their_solver(game)
        solvers = {plan: HistorySolver(tree, "cfr", plan=plan, threads=threads) for plan in plans}
        say("compiling kernels (once per machine)")
        compile_seconds = {plan: seconds_to_compile(solver) for plan, solver in solvers.items()}
        run: dict[str, Callable[[int], None]] = {plan: solver.run for plan, solver in solvers.items()}
        run[OPENSPIEL] = repeated(theirs.evaluate_and_update_policy)
        times = time_in_turn(run, repeats, time.perf_counter, 1, f"{name}: ", say)
        for plan, solver in solvers.items():
            seconds, openspiel = median(times[plan]), median(times[OPENSPIEL])
            rows.append(
                Row(
                    name,
                    plan,
                    solver.plan.name,
                    solver.threads,
                    openspiel,
                    seconds,
                    openspiel / seconds,
                    compile_seconds[plan],
                    tree.histories,
                    seconds / (2 * tree.histories) * 1e9,
                    repeats,
                )
            )
    return rows


def write_results(rows: Sequence[Row], page: Path) -> None:
    """The results page."""
    table = markdown_table(
        [
            "game",
            "plan",
            "threads",
            "OpenSpiel, s/iteration",
            "solvent, s/iteration",
            "ratio",
            "ns per history",
        ],
        [
            [
                row.game,
                row.plan if row.plan == row.runs_as else f"{row.plan} ({row.runs_as})",
                row.threads,
                f"{row.openspiel_seconds:.6f}",
                f"{row.seconds:.6f}",
                f"{row.ratio:.0f}",
                f"{row.nanoseconds_per_history:.1f}",
            ]
            for row in rows
        ],
    )
    about = (
        "Vanilla CFR, alternating updates, float64, the same tree. OpenSpiel's is its C++ `CFRSolver`. "
        f"Interleaved batches of {BATCH_SECONDS} s, median of {rows[0].repeats}. A history counts once for each "
        "player's pass.\n\n"
    )
    write_page(
        page, "CFR iterations against OpenSpiel's", "solvent bench openspiel", _reading(rows), about + table
    )


def _reading(rows: Sequence[Row]) -> Reading:
    slow, quick = (chosen(row.ratio for row in rows) for chosen in (min, max))
    return Reading(
        "A compiled iteration of CFR over flat arrays is much quicker than one over objects, in C++ or not.",
        f"An iteration is {slow:,.0f} to {quick:,.0f} times as quick as OpenSpiel's C++ solver on the same trees.",
        "Leduc and liar's dice are solved in seconds, so rules can be compared over many runs.",
    )


def _their_solver(game: OpenSpielGame) -> Any:
    import pyspiel

    solver = pyspiel.CFRSolver(game.game)
    solver.evaluate_and_update_policy()  # the first iteration builds their tables
    return solver
