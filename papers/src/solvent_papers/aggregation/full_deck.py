"""Flop hold'em with all 52 cards, which the paper's GPU could not hold, down to a thousandth of a blind a hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np

from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.foundation.extras import pyplot
from solvent.foundation.kernels.memory import reset_peak, status
from solvent.foundation.progress import Watch
from solvent.foundation.units import size
from solvent.games.holdem.limit_holdem import BLINDS
from solvent_papers.aggregation.bandwidth import bandwidth
from solvent_papers.aggregation.plans import (
    NUMBERS_PER_CELL,
    Setup,
    compile_kernels,
    public_rules,
    time_of,
)
from solvent_papers.page import Reading, bytes_text, markdown_table, threads_text, write_csv, write_page
from solvent_papers.steps import saying

FULL_DECK = "flop_holdem(suits=4,ranks=13)"
TARGET = 0.9
"""mbb/hand at which the full deck counts as solved."""
MILESTONES = (10.0, 1.0)
"""mbb/hand."""
CHECK_EVERY = 25
"""Iterations between checks at first; later a tenth of those done."""


@dataclass(frozen=True)
class Check:
    """Where a long solve stood when its exploitability was asked."""

    game: str
    rule: str
    dtype: str
    threads: int
    iterations: int
    seconds: float
    """Seconds of iterations, without checks."""
    wall_seconds: float
    """Seconds with the checks."""
    exploitability: float
    """NashConv / 2 in chips."""
    mbb_per_hand: float
    value: float
    """What player 0 wins, in chips a game."""
    table_bytes: int
    peak_memory_bytes: int | None
    """What the solver has added to the process at most, its tables included."""
    resident_bytes: int | None
    """Resident memory of the whole process."""
    peak_resident_bytes: int | None
    infoset_actions: int
    bandwidth: float
    """What the machine can move with this number of threads, in bytes per second."""
    efficiency: float
    """Efficiency over all iterations so far, as in `plans.Row`."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def full_deck(
    minutes: float = 20.0,
    threads: int = 2,
    rule: str = "dcfr",
    target: float = TARGET,
    game: str = FULL_DECK,
    dtype: str = "float32",
    watch: Watch | None = None,
) -> list[Check]:
    """Solve flop hold'em, boards up to isomorphism, until `target` in mbb/hand is reached or the time is over.

    The minutes include the checks, and begin when the game and the kernels are compiled.
    """
    if not 0 <= minutes < inf:
        raise InputError(f"minutes must be a finite number, at least 0, not {minutes:g}")
    say = saying(watch)
    rules = public_rules(game)
    say("measuring the memory's bandwidth")
    rate = bandwidth(threads)
    say(f"{game}: compiling the game")
    form = public_game(rules)
    say(f"{game}: compiling kernels (once per machine)")
    compile_kernels((form,), [Setup("aggregated", "swept", True, threads)], dtype, rule)
    before = status("VmRSS") if reset_peak() else None
    solver = PublicSolver(form, rule, threads=threads, dtype=dtype)
    say(f"{game}: {size(solver.arena.bytes)} of tables")
    moved = NUMBERS_PER_CELL * np.dtype(solver.dtype).itemsize * solver.cells
    start, spent, checking = time.perf_counter(), 0.0, 0.0
    checks: list[Check] = []
    while not checks or checks[-1].mbb_per_hand > target:
        count = max(CHECK_EVERY, ceil(solver.iterations / 10))
        if solver.iterations:
            left = 60 * minutes - (time.perf_counter() - start) - checking
            count = min(count, int(left / (spent / solver.iterations)))
        if count < 1:
            break
        spent += time_of(solver, count)
        asked = time.perf_counter()
        found = solver.evaluate()
        checking = time.perf_counter() - asked
        peak = status("VmHWM")
        checks.append(
            Check(
                game=str(rules),
                rule=str(solver.rule),
                dtype=solver.dtype,
                threads=threads,
                iterations=solver.iterations,
                seconds=spent,
                wall_seconds=time.perf_counter() - start,
                exploitability=found.exploitability,
                mbb_per_hand=1000 * found.exploitability / BLINDS[1],
                value=found.value[0],
                table_bytes=solver.arena.bytes,
                peak_memory_bytes=None if before is None or peak is None else max(0, peak - before),
                resident_bytes=status("VmRSS"),
                peak_resident_bytes=peak,
                infoset_actions=solver.cells,
                bandwidth=rate,
                efficiency=moved * solver.iterations / (spent * rate),
            )
        )
        say(
            f"{game}: {solver.iterations:,} iterations, {checks[-1].wall_seconds:.0f} s, "
            f"{checks[-1].mbb_per_hand:.3f} mbb/hand"
        )
    return checks


def write_full_deck(
    checks: Sequence[Check], page: Path, command: str = "solvent reproduce full-deck"
) -> None:
    """The results page of a long solve, with its CSV and its picture beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(checks, page.with_suffix(".csv"))
    plot_checks(checks, page.with_suffix(".png"))
    last, shown = checks[-1], checks[:: max(1, len(checks) // 20)]
    table = markdown_table(
        ["iterations", "seconds", "with checks", "exploitability, chips", "mbb/hand", "resident"],
        [
            [
                f"{c.iterations:,}",
                f"{c.seconds:.1f}",
                f"{c.wall_seconds:.1f}",
                f"{c.exploitability:.6f}",
                f"{c.mbb_per_hand:.3f}",
                bytes_text(c.resident_bytes),
            ]
            for c in [*shown, *([] if shown[-1] is last else [last])]
        ],
    )
    about = (
        f"`{last.game}`, {last.rule}, alternating updates, {last.dtype}, {last.threads} threads, boards up to "
        f"isomorphism, every terminal of a board in one sweep. Exploitability is NashConv / 2 by exact best "
        f"responses; a big blind is {BLINDS[1]} chips.\n\n"
        f"{last.infoset_actions:,} infoset-actions, {size(last.table_bytes)} of tables; with everything else the "
        f"solver took {bytes_text(last.peak_memory_bytes)} and the process "
        f"{bytes_text(last.peak_resident_bytes)} at most. "
        f"{last.seconds / last.iterations:.3f} s an iteration at an efficiency of {last.efficiency:.2f}: "
        f"{NUMBERS_PER_CELL} numbers moved per infoset-action against the {last.bandwidth / 1e9:.1f} GB/s that "
        f"{threads_text(last.threads)} can read and write back.\n\n"
        f"{' '.join(map(_milestone(checks), MILESTONES))} After {last.wall_seconds:.3g} s and {last.iterations:,} "
        f"iterations: {last.mbb_per_hand:.3f} mbb/hand; the game is worth {1000 * last.value / BLINDS[1]:.1f} "
        f"mbb/hand to player 0.\n\n"
        f"![Exploitability over time]({page.stem}.png)\n\n{table}\nEvery check: [{page.stem}.csv]({page.stem}.csv)."
    )
    reading = Reading(
        "Flop hold'em with all 52 cards can be solved on an ordinary machine, without abstraction.",
        f"After {last.wall_seconds:.3g} s on {threads_text(last.threads)} the strategy is exploitable by "
        f"{last.mbb_per_hand:.3g} mbb/hand, in {bytes_text(last.peak_resident_bytes)} of memory.",
        "Games of this size need no buckets: solve them as they are.",
    )
    write_page(page, "Flop hold'em with the full deck", command, reading, about)


def plot_checks(checks: Sequence[Check], path: Path) -> None:
    """mbb/hand over seconds, log-log, with and without the checks."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    line = [c for c in checks if c.mbb_per_hand > 0]
    won = [c.mbb_per_hand for c in line]
    axes.loglog([c.seconds for c in line], won, marker=".", label="iterations alone")
    axes.loglog([c.wall_seconds for c in line], won, linestyle="--", label="with the checks")
    for milestone in MILESTONES:
        axes.axhline(milestone, color="0.6", linewidth=0.8)
    axes.set_xlabel("seconds")
    axes.set_ylabel("exploitability, mbb/hand")
    axes.set_title(f"{checks[0].game}: {checks[0].rule}, {checks[0].threads} threads", fontsize=10)
    axes.grid(which="both", alpha=0.25)
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _milestone(checks: Sequence[Check]) -> Callable[[float], str]:
    def sentence(mbb: float) -> str:
        below = next((c for c in checks if c.mbb_per_hand < mbb), None)
        if below is None:
            return f"{mbb:g} mbb/hand was not reached."
        return (
            f"Below {mbb:g} mbb/hand after {below.wall_seconds:.3g} s ({below.seconds:.3g} s of iterations)."
        )

    return sentence
