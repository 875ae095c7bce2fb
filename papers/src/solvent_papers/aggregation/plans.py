"""Aggregation: the same CFR iteration on every plan, timed side by side (Table 1), and exploitability by seconds.

The paper runs its serial plan on one core and the others on a GPU; here all run on this machine's cores, with
one compiler and one set of flags. Plans of one game take turns, so that whatever else the machine does falls on
all of them, and medians are reported.

The paper's own aggregated plan is called *as printed*: one matrix product for all terminals of a board, and in
Bluff vectors over hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from solvent.engines.public.public_pass import EVALUATORS, PublicPass
from solvent.engines.public.solver import PublicSolver
from solvent.engines.solver import Solver
from solvent.forms.public.game import PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size
from solvent.games.public_rules import PublicRules
from solvent_papers.aggregation.timing import (
    Forms,
    Variant,
    bandwidth,
    both_forms,
    compile_kernels,
    efficiency,
    net_seconds,
    public_rules,
    solver_of,
)
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import (
    Experiment,
    Findings,
    Found,
    Part,
    Say,
    Setup,
    by_columns,
    by_rows,
    option,
)
from solvent_papers.frame.machine import with_peak_memory
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of

BATCH_SECONDS = 0.05
"""The least duration that is timed, however many iterations it takes."""
SLOW_SECONDS = 1.0
"""A plan whose first iteration takes at least this long is timed one iteration at a time."""
PLAN_SECONDS, SMALL_SECONDS = 120.0, 2.0
"""A plan is not repeated for longer on one game, and refused where one iteration would take ten times as long."""
CHECK_GROWTH = 1.3
"""Exploitability is computed each time the iterations have grown by this factor."""
LEAST_SECONDS = 1e-8
"""Shorter times were lost in the cost of a call, and are not drawn."""
SMALL_CURVE_SECONDS = 1.0
NS_PER_HISTORY = 8.0
"""Rough cost of the serial plan, by which plans that would take too long are refused beforehand."""
BRANCHES = 2
"""Threads of the branched plan, and of the rows that show what a second thread adds."""
AGGREGATED = ("aggregated", "shapes", "sequences", "vectors")
"""The plans that work on vectors over hands."""
PAPER = {
    "bluff(dice=2,faces=2)": "2 dices 2 numbers",
    "bluff(dice=2,faces=3)": "2 dices 3 numbers",
    "bluff(dice=2,faces=4)": "2 dices 4 numbers",
    "flop_holdem(suits=4,ranks=3)": "4 suits 3 cards",
    "flop_holdem(suits=4,ranks=4)": "4 suits 4 cards",
    "flop_holdem(suits=4,ranks=5)": "4 suits 5 cards",
}
"""The games of the paper's Table 1, and their names there."""
SMALL_GAMES = ("bluff(dice=2,faces=2)", "bluff(dice=2,faces=3)", "flop_holdem(suits=3,ranks=3)")


@dataclass(frozen=True)
class PlansSetup(Setup):
    """Games, and the limits of the plans that are tried on them."""

    game: tuple[str, ...] = option((), "Games with a public form.  [default: the paper's six]")
    repeats: int = option(7, "Turns of each plan; medians are shown.", 1, 100_000)
    threads: int = option(1, "Threads for the aggregated plan.", 1, 1024)
    dtype: str = option("float32", "float32, float64 or auto.")
    memory: str = option("8G", "The most that a plan may take, such as 8G.")

    @property
    def games(self) -> tuple[str, ...]:
        return self.game or (SMALL_GAMES if self.small else tuple(PAPER))

    @property
    def plan_seconds(self) -> float:
        return SMALL_SECONDS if self.small else PLAN_SECONDS


@dataclass
class _Trial:
    """A solver that waits for its turns."""

    solver: Solver
    peak: int | None
    batch: int
    """Iterations a turn."""
    turns: int
    seconds: list[float] = field(default_factory=list)
    """Seconds per iteration, for each turn."""


def measure(setup: PlansSetup, kept: KeptRuns, say: Say) -> Found:
    """Time every game on every plan: vanilla CFR, alternating updates."""
    rules = [public_rules(name) for name in setup.games]
    ranked = [each for each in rules if each.hole_cards(each.hands()[0]) is not None]
    largest = max(ranked, key=lambda each: each.histories(), default=None)
    say("measuring the memory's bandwidth")
    threads = sorted({1, setup.threads, BRANCHES})
    rates = dict(kept.once({"threads": threads}, lambda: [[count, bandwidth(count)] for count in threads]))
    measured = []
    for each in rules:
        second_thread = each is largest and setup.threads == 1
        asked = each, second_thread, setup, rates, say
        measured.append(kept.once({"game": str(each)}, _measure_game, *asked))
    return {
        "games": [found["game"] for found in measured],
        "rows": [row for found in measured for row in found["rows"]],
    }


def variants(game: PublicGame, threads: int = 1, second_thread: bool = False) -> list[Variant]:
    """Return everything that is tried on a game, the serial plan first."""
    tried = [Variant("serial"), Variant("branched", threads=max(BRANCHES, threads)), Variant("flattened")]
    if game.sorted_hands:
        for isomorphism in (False, True):
            tried += [Variant("aggregated", each, isomorphism, threads) for each in EVALUATORS]
            if second_thread:
                tried.append(Variant("aggregated", "swept", isomorphism, BRANCHES))
    else:
        tried += [Variant("vectors", threads=threads), Variant("sequences")]
        tried += [Variant("shapes")] if len(game.rounds) == 1 else []
    return [*tried, Variant("auto", threads=threads)]


def _measure_game(
    rules: PublicRules, second_thread: bool, setup: PlansSetup, rates: Mapping[int, float], say: Say
) -> dict[str, Any]:
    """Return the size of a game and the rows of its plans, which take turns."""
    forms = both_forms(rules)
    tried = variants(forms[0], setup.threads, second_thread)
    say(f"{rules}: compiling kernels (once per machine)")
    compile_kernels(forms, tried, setup.dtype)
    trials: dict[Variant, _Trial | str] = {}
    for variant in tried:
        say(f"{rules}: {variant}")
        try:
            _check_patience(rules, variant, 10 * setup.plan_seconds)
            trials[variant] = _prepare(forms, variant, setup)
        except InputError as reason:
            trials[variant] = str(reason)
    for repeat in range(setup.repeats):
        for variant, trial in trials.items():
            if not isinstance(trial, str) and repeat < trial.turns:
                say(f"{rules}: repeat {repeat + 1} of {setup.repeats}, {variant}")
                trial.seconds.append(net_seconds(trial.solver, trial.batch) / trial.batch)
    serial = trials[tried[0]]
    baseline = None if isinstance(serial, str) else median(serial.seconds)
    rows = [_row(forms[0], variant, trials[variant], baseline, setup.dtype, rates) for variant in tried]
    return {"game": _sizes(forms), "rows": rows}


def _check_patience(rules: PublicRules, variant: Variant, most: float) -> None:
    """Refuse to walk histories one by one where that would take more than `most` seconds."""
    seconds = 2e-9 * NS_PER_HISTORY * rules.histories() / variant.threads
    if variant.plan in ("serial", "branched") and seconds > most:
        raise InputError(f"takes too long: about {seconds / 3600:,.1f} hours an iteration")


def _prepare(forms: Forms, variant: Variant, setup: PlansSetup) -> _Trial:
    """Build a solver, see what memory it takes, and find out how much makes a turn."""
    first = 0.0

    def build() -> Solver:
        nonlocal first
        solver = solver_of(forms, variant, "cfr", setup.dtype, parse_size(setup.memory))
        first = seconds_of(solver.run, 1)
        return solver

    solver, peak = with_peak_memory(build)
    batch, seconds = 1, first
    if first < SLOW_SECONDS:
        seconds = net_seconds(solver, batch)
        while seconds < BATCH_SECONDS:
            batch = ceil(batch * min(10.0, 1.3 * BATCH_SECONDS / max(seconds, 1e-9)))
            seconds = net_seconds(solver, batch)
    repeats = min(setup.repeats, 3) if setup.small else setup.repeats
    return _Trial(solver, peak, batch, max(1, min(repeats, int(setup.plan_seconds / seconds))))


def _row(
    game: PublicGame,
    variant: Variant,
    trial: _Trial | str,
    baseline: float | None,
    dtype: str,
    rates: Mapping[int, float],
) -> dict[str, Any]:
    """Return the row of a plan, with seconds of one iteration that updates both players; None where it was refused.

    With isomorphism, too, each history counts once for each player's pass. `peak_memory_bytes` is the memory that
    building the solver and its first iteration added to the process; None where the system does not tell. The
    flattened plan's tree is in it; the public form, which the other plans share, is not.
    """
    histories = game.rules.histories()
    row = {
        "game": game.name,
        "plan": variant.plan,
        "runs_as": variant.plan,
        "evaluator": variant.evaluator,
        "isomorphism": variant.isomorphism,
        "dtype": dtype,
        "threads": variant.threads,
        **dict.fromkeys(("seconds_per_iteration", "ns_per_history")),
        "histories": histories,
        "infoset_actions": game.cells,
        **dict.fromkeys(("table_bytes", "peak_memory_bytes", "speedup", "efficiency")),
        "bandwidth": rates[variant.threads],
        "repeats": 0,
        "refused": None,
    }
    if isinstance(trial, str):
        return row | {"refused": trial}
    solver, seconds = trial.solver, median(trial.seconds)
    public = solver if isinstance(solver, PublicSolver) else None
    return row | {
        "runs_as": solver.plan_name if public is None or public.game.sorted_hands else public.variant,
        "evaluator": None if public is None or not isinstance(public.plan, PublicPass) else public.evaluator,
        "isomorphism": public is not None and public.game.isomorphism,
        "dtype": solver.dtype,
        "threads": solver.threads,
        "seconds_per_iteration": seconds,
        "ns_per_history": seconds / (2 * histories) * 1e9,
        "infoset_actions": solver.cells,
        "table_bytes": solver.table_bytes,
        "peak_memory_bytes": trial.peak,
        "speedup": None if baseline is None else baseline / seconds,
        "efficiency": efficiency(solver, seconds, rates[solver.threads]),
        "bandwidth": rates[solver.threads],
        "repeats": len(trial.seconds),
    }


def _sizes(forms: Forms) -> dict[str, Any]:
    """Return how a game was read: its name here and in the paper, and its sizes."""
    game, isomorphic = forms
    per_round = np.bincount(game.nodes.round, minlength=len(game.rounds)).tolist()
    return {
        "name": game.name,
        "paper": PAPER.get(game.name),
        "hands": len(game.hands),
        "boards": len(game.rounds[-1].boards),
        "isomorphic": len(isomorphic.rounds[-1].boards),
        "betting_nodes": len(game.nodes.symbol),
        "public_nodes": sum(n * len(here.boards) for n, here in zip(per_round, game.rounds, strict=True)),
        "histories": game.rules.histories(),
        "infosets": game.infosets,
        "infoset_actions": game.cells,
    }


def figures(found: Found) -> dict[str, float]:
    """Return seconds, speed-ups over serial and memory by game, such as `4 suits 5 cards.speedup.auto`."""
    result: dict[str, float] = {}
    for game, paper in PAPER.items():
        here = [row for row in found["rows"] if row["game"] == game]
        if here:
            result |= {
                f"{paper}.{name}": value for name, value in _of_game(here).items() if value is not None
            }
    return result


def _of_game(rows: Sequence[Found]) -> dict[str, float | None]:
    """Return the figures of a game; those of plans that were refused are None."""
    seconds, peak = "seconds_per_iteration", "peak_memory_bytes"
    first = {row["plan"]: row for row in reversed(rows)}  # with isomorphism and a second thread come later
    vectors = [row for row in reversed(rows) if row["plan"] in AGGREGATED and not row["isomorphism"]]
    vectors = list({(row["plan"], row["evaluator"]): row for row in vectors}.values())
    printed = next(row for row in vectors if row["evaluator"] == "gemm" or row["plan"] == "vectors")
    quickest = min(vectors, key=lambda row: row[seconds] or float("inf"))
    chosen, flat = first | {"as printed": printed, "quickest": quickest}, first["flattened"]
    found: dict[str, float | None] = {"flattened.fits": float(flat[seconds] is not None)}
    for name in ("branched", "flattened", "as printed", "quickest", "auto"):
        found[f"speedup.{name}"] = chosen[name]["speedup"]
    for name in ("serial", "flattened", "as printed", "quickest"):
        found[f"seconds.{name}"] = chosen[name][seconds]
    for plan, row in (("aggregated", printed), ("branched", first["branched"]), ("flattened", flat)):
        found[f"{plan} by serial memory"] = _ratio(row[peak], first["serial"][peak])
    return found | {"flattened by aggregated": _ratio(flat[seconds], printed[seconds])}


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one and other else None


# Figure 3


@dataclass(frozen=True)
class CurvesSetup(PlansSetup):
    """The set-up of the plans, and the seconds of Figure 3."""

    seconds: float = option(
        30.0, "Seconds of each plan in Figure 3; the serial and the flattened plan have twice as many.", 0
    )


def measure_curves(setup: CurvesSetup, kept: KeptRuns, say: Say) -> Found:
    """Follow exploitability over the seconds of iterations on one thread, plan by plan.

    A plan that takes longer than its seconds for one iteration does that one. Seconds of checks and of the calls
    themselves are not counted; exploitability is NashConv / 2 in chips.
    """
    curves = []
    for name in setup.games:
        curves += kept.once({"game": name}, _curves, name, setup, say)
    return {"curves": curves}


def _curves(name: str, setup: CurvesSetup, say: Say) -> list[Found]:
    """Return the curves of all plans of a game."""
    rules = public_rules(name)
    forms = both_forms(rules)
    seconds = min(setup.seconds, SMALL_CURVE_SECONDS) if setup.small else setup.seconds
    budgets = {"serial": 2 * seconds, "flattened": 2 * seconds, "aggregated": seconds}
    budgets |= {"auto": seconds} if forms[0].sorted_hands else {}
    say(f"{name}: compiling kernels (once per machine)")
    compile_kernels(forms, [Variant(plan) for plan in budgets], "auto")
    curves = []
    for plan, budget in budgets.items():
        try:
            solver = solver_of(forms, Variant(plan), "cfr", "auto", parse_size(setup.memory))
        except InputError as reason:
            say(f"{name}, {plan}: {reason}")
            continue
        points = []
        for point in _curve(solver, budget):
            points.append(point)
            done = f"{point['iterations']:,} iterations, {point['seconds']:.1f} s"
            say(f"{name}, {plan}: {done}, exploitability {point['exploitability']:.6f}")
        facts = {"game": str(rules), "plan": plan, "rule": str(solver.rule)}
        curves.append(facts | {"points": by_columns(points)})
    return curves


def _curve(solver: Solver, budget: float) -> Iterator[dict[str, float]]:
    """Yield iterations, seconds and exploitability until the seconds are spent."""
    spent = 0.0
    while True:
        done = solver.iterations
        count = max(1, ceil(done * CHECK_GROWTH) - done)
        if done:
            count = min(count, int((budget - spent) / (spent / done)))
        if count < 1:
            return
        spent += net_seconds(solver, count)
        found = solver.evaluate().exploitability
        yield {"iterations": solver.iterations, "seconds": spent, "exploitability": found}


def curve_figures(found: Found) -> dict[str, float]:
    """Return the serial plan's seconds to one exploitability over those of other plans, by game and plan."""
    curves = {(curve["game"], curve["plan"]): curve for curve in found["curves"]}
    return {
        f"{paper}.figure 3.{plan}": _seconds_ratio(curves[game, "serial"], curves[game, plan])
        for game, paper in PAPER.items()
        for plan in ("flattened", "aggregated")
        if (game, "serial") in curves and (game, plan) in curves
    }


def _seconds_ratio(serial: Found, other: Found) -> float:
    """Return the ratio at the lowest exploitability that both plans reached."""
    level = max(min(curve["points"]["exploitability"]) for curve in (serial, other))
    first, second = (
        next(row["seconds"] for row in by_rows(curve["points"]) if row["exploitability"] <= level)
        for curve in (serial, other)
    )
    return float(first / second)


def draw(found: Findings, page: Path) -> None:
    """Draw Figure 3: a panel for each game, exploitability over seconds, log-log."""
    if "curves" not in found or not (curves := found["curves"]["curves"]):
        return
    games, tried = (list(dict.fromkeys(curve[key] for curve in curves)) for key in ("game", "plan"))
    across = min(3, len(games))
    with panels(page.with_suffix(".png"), (ceil(len(games) / across), across), (4, 3.3)) as grid:
        for axes in grid.flat[len(games) :]:
            axes.set_axis_off()
        panel = dict(zip(games, grid.flat, strict=False))
        for curve in curves:
            points = [
                (row["seconds"], row["exploitability"])
                for row in by_rows(curve["points"])
                if row["exploitability"] > 0 and row["seconds"] > LEAST_SECONDS
            ]
            color = f"C{tried.index(curve['plan'])}"
            style = {"marker": ".", "markersize": 4, "linewidth": 1, "color": color, "label": curve["plan"]}
            panel[curve["game"]].loglog(*zip(*points, strict=True), **style)
        for game, axes in panel.items():
            dress(axes, "seconds of iterations", "exploitability, chips", game)
        max(panel.values(), key=lambda axes: len(axes.lines)).legend(fontsize=7)


def tables(found: Findings) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the rows of the plans and the points of the curves."""
    points = [
        {name: curve[name] for name in ("game", "plan", "rule")} | row
        for curve in found.get("curves", {"curves": ()})["curves"]
        for row in by_rows(curve["points"])
    ]
    rows = found["plans"]["rows"] if "plans" in found else []
    return {"aggregation.csv": rows, "aggregation-curves.csv": points}


AGGREGATION = Experiment(
    "aggregation",
    "Aggregation: one CFR iteration on every plan",
    CurvesSetup,
    (Part("plans", measure, figures), Part("curves", measure_curves, curve_figures)),
    lambda found: {"batch_seconds": BATCH_SECONDS},
    tables,
    draw,
)


EXPERIMENT = Experiment(
    "plans",
    "One CFR iteration on every plan",
    PlansSetup,
    (Part("plans", measure, figures),),
    lambda found: {"batch_seconds": BATCH_SECONDS},
    tables=lambda found: {"plans.csv": found["plans"]["rows"]},
    verb="bench",
)
