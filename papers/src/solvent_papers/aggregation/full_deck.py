"""Flop hold'em with all 52 cards, which the paper's GPU could not hold, down to a thousandth of a blind a hand."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from typing import Any

from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.holdem.limit_holdem import BLINDS
from solvent_papers.aggregation.timing import (
    Variant,
    bandwidth,
    compile_kernels,
    efficiency,
    public_rules,
)
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, option
from solvent_papers.frame.machine import reset_peak, status
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of, timed

FULL_DECK, SMALL_DECK = "flop_holdem(suits=4,ranks=13)", "flop_holdem(suits=2,ranks=4)"
MILESTONES = (10.0, 1.0)
"""mbb/hand."""
CHECK_EVERY = 25
"""Iterations between checks at first; later a tenth of those done."""


@dataclass(frozen=True)
class DeckSetup(Setup):
    """A deck, and when its solve ends."""

    minutes: float = option(20.0, "Stop after this many minutes, checks included.")
    threads: int = option(2, "Threads.", 1, 1024)
    rule: str = option("dcfr", "cfr, cfr+, lcfr, dcfr, dcfr(a,b,g) or pcfr+.")
    target: float = option(0.9, "Stop below this exploitability, in mbb/hand.")
    game: str = option(FULL_DECK, "The deck.")


def solve(setup: DeckSetup, kept: KeptRuns, say: Say) -> Found:
    """Solve flop hold'em, boards up to isomorphism, until the target is reached or the time is over.

    The minutes include the checks, and begin when the game and the kernels are compiled.
    """
    if not 0 <= setup.minutes < inf:
        raise InputError(f"minutes must be a finite number, at least 0, not {setup.minutes:g}")
    rules = public_rules(SMALL_DECK if setup.small else setup.game)
    say("measuring the memory's bandwidth")
    rate = bandwidth(setup.threads)
    say(f"{rules}: compiling the game")
    form = public_game(rules)
    say(f"{rules}: compiling kernels (once per machine)")
    compile_kernels((form,), [Variant("aggregated", "swept", True, setup.threads)], "float32", setup.rule)
    before = status("VmRSS") if reset_peak() else None
    solver = PublicSolver(form, setup.rule, threads=setup.threads, dtype="float32")
    say(f"{rules}: {size(solver.arena.bytes)} of tables")
    start, spent, checking = time.perf_counter(), 0.0, 0.0
    checks: list[dict[str, Any]] = []
    while not checks or checks[-1]["mbb_per_hand"] > setup.target:
        count = max(CHECK_EVERY, ceil(solver.iterations / 10))
        if solver.iterations:
            left = 60 * setup.minutes - (time.perf_counter() - start) - checking
            count = min(count, int(left / (spent / solver.iterations)))
        if count < 1:
            break
        spent += seconds_of(solver.run, count)
        check, checking = timed(_check, solver, spent, before, rate)
        checks.append(check | {"wall_seconds": time.perf_counter() - start})
        said = f"{checks[-1]['wall_seconds']:.0f} s, {check['mbb_per_hand']:.3f} mbb/hand"
        say(f"{rules}: {solver.iterations:,} iterations, {said}")
    return {"checks": checks}


def _check(solver: PublicSolver, seconds: float, before: int | None, rate: float) -> dict[str, Any]:
    """Return where a solve stands after seconds of iterations.

    Exploitability is NashConv / 2 and the value that of player 0, both in chips. The peak is the memory that the
    solver has added to the process, its tables included; resident memory is that of the whole process.
    """
    found, peak = solver.evaluate(), status("VmHWM")
    return {
        "game": solver.game.name,
        "rule": str(solver.rule),
        "dtype": solver.dtype,
        "threads": solver.threads,
        "iterations": solver.iterations,
        "seconds": seconds,
        "wall_seconds": 0.0,
        "exploitability": found.exploitability,
        "mbb_per_hand": 1000 * found.exploitability / BLINDS[1],
        "value": found.value[0],
        "table_bytes": solver.arena.bytes,
        "peak_memory_bytes": None if before is None or peak is None else max(0, peak - before),
        "resident_bytes": status("VmRSS"),
        "peak_resident_bytes": peak,
        "infoset_actions": solver.cells,
        "bandwidth": rate,
        "efficiency": efficiency(solver, seconds / solver.iterations, rate),
    }


def draw(found: Findings, page: Path) -> None:
    """Draw mbb/hand over seconds, log-log, with and without the checks."""
    checks = found["solve"]["checks"]
    line = [check for check in checks if check["mbb_per_hand"] > 0]
    won, first = [check["mbb_per_hand"] for check in line], checks[0]
    with panels(page.with_suffix(".png"), (1, 1), (7, 4.5)) as ((axes,),):
        axes.loglog([check["seconds"] for check in line], won, marker=".", label="iterations alone")
        axes.loglog([check["wall_seconds"] for check in line], won, linestyle="--", label="with the checks")
        for milestone in MILESTONES:
            axes.axhline(milestone, color="0.6", linewidth=0.8)
        title = f"{first['game']}: {first['rule']}, {first['threads']} threads"
        dress(axes, "seconds", "exploitability, mbb/hand", title)
        axes.tick_params(which="both", labelsize=7)
        axes.legend(fontsize=7)


EXPERIMENT = Experiment(
    "full-deck",
    "Flop hold'em with the full deck",
    DeckSetup,
    (Part("solve", solve),),
    lambda found: {"milestones": MILESTONES, "big_blind": BLINDS[1]},
    tables=lambda found: {"full-deck.csv": found["solve"]["checks"]},
    pictures=draw,
)
