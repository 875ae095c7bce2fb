"""Total regret-based pruning: what it stores, what it touches, how fast it converges. The paper's figures.

Every setting runs once on the history form, one thread, and is asked now and then what it stores, how many
histories it has touched and how exploitable its average is. How long it takes to a given exploitability is
timed afterwards, when that takes a known number of iterations: the settings take turns, nothing is asked
meanwhile, and the kernels are compiled beforehand. Interval and total pruning run by the papers' tests alone, and
by our gates beside. What has been run is kept beside the page, so that an experiment that was stopped goes on.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import GATES, Pruning
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Watch
from solvent.games.catalogue import load_game
from solvent_papers.kept import KeptRuns
from solvent_papers.steps import Say, saying

Solver = HistorySolver | PrunedSolver

GAMES = ("leduc", "leduc5")
VARIANTS = (("cfr", "alternating"), ("cfr", "simultaneous"), ("cfr+", "alternating"))
"""(rule, updates)."""
AVERAGES = (0.0, 0.01, 0.03, 0.1)
"""C. With 0 nothing is forgotten of the average strategy but what was never played."""
MAIN_AVERAGES = (Pruning().average, 0.1)
"""Those that are set beside the other ways to prune and run for long: the default, and the paper's where it saves
most."""
PAPER = "paper"
"""The gates of the papers' own tests, ..."""
OURS = "lasting"
"""... and ours."""
CHECKS = 40
FINE = 10
"""Iterations between checks near the target."""
NEAR = 1.5
"""Near means an exploitability below this multiple of the target."""
SMALL = 10_000
"""Histories up to which a game runs for long in every setting."""
WARM_GAME, WARM_ITERATIONS = "leduc", 200
"""On this kernels are compiled: enough for actions to be pruned and to return."""


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    short: int = 2_000
    """Iterations of most settings on games that are not small, and after which space is averaged."""
    long: int = 20_000
    """Iterations on small games, and of total pruning with the main values of C."""
    target: float = 0.05
    """Exploitability, in chips, that is timed."""
    repeats: int = 3


FULL, QUICK = Scale(), Scale(short=100, long=200, target=0.2, repeats=1)


@dataclass(frozen=True)
class Setting:
    """One way to solve one game."""

    game: str
    rule: str
    updates: str
    pruning: str
    average: float | None = None
    """C, of total pruning."""
    plan: str = "serial"
    gates: str = PAPER
    """The gates of interval and total pruning; the other ways to prune have none."""

    @property
    def label(self) -> str:
        """The way to prune, in words."""
        ours = "" if self.gates == PAPER else f", {self.gates}"
        if self.average is not None:
            return f"{self.pruning}, C = {self.average:g}{ours}"
        if ours:
            return f"{self.pruning}{ours}"
        return self.pruning if self.plan == "serial" else f"{self.pruning} ({self.plan} plan)"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Point(Setting):
    """Where a setting stood after some iterations. What is stored is a part of all infoset-actions."""

    iterations: int
    nodes_touched: int
    """Histories, those of best responses included."""
    response_nodes: int
    """Those of best responses."""
    exploitability: float
    """NashConv / 2 in chips."""
    lowest: float
    """The lowest exploitability so far."""
    regrets: float
    bounds: float
    """Infosets that keep a number for their pruned actions."""
    averages: float
    averages_pruned: float
    """Averages held of pruned actions, ..."""
    averages_behind: float
    """... and behind pruned actions: those whose reach is above C / sqrt(T)."""
    table_bytes: int

    @property
    def stored(self) -> float:
        """Regrets and averages together."""
        return (self.regrets + self.averages) / 2


@dataclass(frozen=True, kw_only=True)
class Timing(Setting):
    """Seconds to the target, None where it was not reached."""

    target: float
    iterations: int | None
    nodes_touched: int | None
    response_nodes: int | None
    seconds: float | None
    """The median seconds of iterations."""
    repeats: int


@dataclass(frozen=True)
class Result:
    """Everything measured: all settings' points, and the timings on the last game."""

    traces: dict[Setting, list[Point]]
    timings: list[Timing]
    scale: Scale

    @property
    def games(self) -> list[str]:
        return list(dict.fromkeys(setting.game for setting in self.traces))

    @property
    def points(self) -> list[Point]:
        return [point for points in self.traces.values() for point in points]


def total_rbp(
    games: Sequence[str] = GAMES, scale: Scale = FULL, watch: Watch | None = None, kept: Path | None = None
) -> Result:
    """Run every setting on every game, then time those with CFR and alternating updates on the last game.

    `kept`: a file to go on from; each setting that has been run is added to it.
    """
    say = saying(watch)
    if not scale.target > 0:
        raise InputError(f"the target must be an exploitability above 0, not {scale.target:g}")
    trees = [compile_tree(load_game(game)) for game in games]
    say("compiling kernels (once per machine)")
    compile_kernels()
    before, traces = KeptRuns(kept, asdict(scale)), dict[Setting, list[Point]]()
    for tree in trees:
        for setting in settings(tree.name):
            name = f"{setting.game}, {setting.rule}, {setting.updates}, {setting.label}"
            say(f"{name}: running")
            rows = before.find(setting.as_dict())
            if rows is None:
                rows = [point.as_dict() for point in trace(tree, setting, scale)]
                before.add(setting.as_dict(), rows)
            traces[setting] = [Point(**row) for row in rows]
            last = traces[setting][-1]
            reached = f"exploitability {last.exploitability:.6f}, {last.stored:.3f} stored"
            say(f"{name}: {last.iterations:,} iterations, {reached}")
    timed = {setting: traces[setting] for setting in compared(trees[-1].name, *VARIANTS[0])}
    return Result(traces, time_to_target(trees[-1], timed, scale, say), scale)


def settings(game: str) -> list[Setting]:
    """Everything that is run on a game."""
    found = []
    for rule, updates in VARIANTS:
        found += [Setting(game, rule, updates, pruning) for pruning in ("none", "partial")]
        for gates in GATES:
            found.append(Setting(game, rule, updates, "interval", gates=gates))
            found += [Setting(game, rule, updates, "total", average, gates=gates) for average in AVERAGES]
    return [*found, Setting(game, *VARIANTS[0], "none", plan="sequence")]


def compared(game: str, rule: str, updates: str) -> list[Setting]:
    """The ways to prune that are set side by side, and for CFR the fastest plan without pruning."""
    here = [s for s in settings(game) if (s.rule, s.updates) == (rule, updates)]
    return [s for s in here if s.average is None or s.average in MAIN_AVERAGES]


def of_gates(found: Iterable[Setting], gates: str) -> list[Setting]:
    """Those that have these gates or none at all."""
    return [s for s in found if s.gates == gates or s.pruning in ("none", "partial")]


def make_solver(tree: GameTree, setting: Setting) -> Solver:
    if setting.pruning in ("none", "partial"):
        return HistorySolver(
            tree, setting.rule, setting.updates, setting.plan, pruning=Pruning(setting.pruning)
        )
    pruning = Pruning(setting.pruning, gates=setting.gates)
    if setting.average is not None:
        pruning = replace(pruning, average=setting.average)
    return PrunedSolver(tree, setting.rule, setting.updates, pruning)


def compile_kernels() -> None:
    """Have every kernel compiled, on a small game."""
    tree = compile_tree(load_game(WARM_GAME))
    for setting in settings(tree.name):
        solver = make_solver(tree, setting)
        solver.run(WARM_ITERATIONS)
        solver.evaluate()


# Where a setting stands


def trace(tree: GameTree, setting: Setting, scale: Scale) -> list[Point]:
    """Run a setting; check it at log-spaced iterations, and often where space is averaged and near the target."""
    solver, points, lowest = make_solver(tree, setting), list[Point](), float("inf")
    for_long = tree.histories <= SMALL or setting.average in MAIN_AVERAGES
    planned = checks(scale, scale.long if for_long else scale.short)
    while solver.iterations < planned[-1]:
        done = solver.iterations
        aim = planned[bisect_right(planned, done)]
        if scale.target < lowest < NEAR * scale.target:
            aim = min(aim, done - done % FINE + FINE)
        solver.run(aim - done)
        found = solver.evaluate().exploitability
        lowest = min(lowest, found)
        points.append(_point(setting, solver, found, lowest))
    return points


def checks(scale: Scale, iterations: int) -> list[int]:
    """Log-spaced iterations, powers of ten and their halves, and the last tenths."""
    wanted = set(np.geomspace(1, iterations, CHECKS).round().astype(int).tolist())
    wanted |= {n for power in range(10) for n in (10**power, 5 * 10**power)}
    wanted |= {*moments(scale), scale.long // 2, *last_tenth(scale.short), *last_tenth(scale.long)}
    return sorted(n for n in wanted if n <= iterations)


def moments(scale: Scale) -> tuple[int, int]:
    """When exploitabilities are compared at equal iterations."""
    return scale.short // 5, scale.short


def last_tenth(iterations: int) -> range:
    """About twenty checks over the last tenth of the iterations."""
    return range(iterations - iterations // 10, iterations + 1, max(1, iterations // 200))


def _point(setting: Setting, solver: Solver, exploitability: float, lowest: float) -> Point:
    pruned = behind = 0.0
    if isinstance(solver, PrunedSolver):
        responses, tables = solver.response_nodes, solver.table_bytes
        averages, actions = solver.averages.offset >= 0, solver.pruned > 0
        if setting.pruning == "total":
            pruned = (averages & actions).sum() / solver.cells
            behind = (averages & ~actions & (solver.regrets.offset < 0)).sum() / solver.cells
        stored = (solver.stored_regrets, solver.stored_bounds, solver.stored_averages)
    else:
        responses, tables, stored = 0, solver.arena.bytes, (1.0, 0.0, 1.0)
    return Point(
        **setting.as_dict(),
        iterations=solver.iterations,
        nodes_touched=solver.nodes_touched,
        response_nodes=responses,
        exploitability=exploitability,
        lowest=lowest,
        regrets=stored[0],
        bounds=stored[1],
        averages=stored[2],
        averages_pruned=float(pruned),
        averages_behind=float(behind),
        table_bytes=tables,
    )


# Seconds


def time_to_target(
    tree: GameTree, traces: dict[Setting, list[Point]], scale: Scale, say: Say
) -> list[Timing]:
    """Time the iterations that each setting needed to the target, the settings taking turns."""
    reached = {setting: crossing(points, scale.target) for setting, points in traces.items()}
    seconds: dict[Setting, list[float]] = {setting: [] for setting in traces}
    for repeat in range(scale.repeats):
        for setting, point in reached.items():
            if point is not None:
                say(f"{tree.name}: timing, repeat {repeat + 1} of {scale.repeats}, {setting.label}")
                solver = make_solver(tree, setting)
                start = time.perf_counter()
                solver.run(point.iterations)
                seconds[setting].append(time.perf_counter() - start)
    return [
        Timing(
            **setting.as_dict(),
            target=scale.target,
            iterations=None if point is None else point.iterations,
            nodes_touched=None if point is None else point.nodes_touched,
            response_nodes=None if point is None else point.response_nodes,
            seconds=median(seconds[setting]) if seconds[setting] else None,
            repeats=len(seconds[setting]),
        )
        for setting, point in reached.items()
    ]


# What follows from the points


def crossing(points: Iterable[Point], target: float) -> Point | None:
    """The first check at which an exploitability was reached."""
    return next((point for point in points if point.lowest <= target), None)


def nodes_to(points: Sequence[Point], level: float) -> float | None:
    """Histories touched when the lowest exploitability fell to a level, log-log between checks."""
    after = crossing(points, level)
    if after is None:
        return None
    before = points[max(0, points.index(after) - 1)]
    if not 0 < after.lowest < before.lowest:
        return after.nodes_touched
    part = log(before.lowest / level) / log(before.lowest / after.lowest)
    return before.nodes_touched * exp(part * log(after.nodes_touched / before.nodes_touched))


def common_level(traces: Iterable[Sequence[Point]]) -> float:
    """The lowest exploitability that every trace reached."""
    return max(points[-1].lowest for points in traces)


def first_stored(points: Iterable[Point], part: float) -> Point | None:
    """The first check with no more than this part of everything stored."""
    return next((point for point in points if point.stored <= part), None)


def over_last_tenth(points: Iterable[Point], iterations: int, number: str) -> float:
    """The mean of a number over the last tenth of the iterations."""
    found = [getattr(point, number) for point in points if point.iterations in last_tenth(iterations)]
    return float(mean(found))


def nodes_an_iteration(points: Sequence[Point], point: Point) -> tuple[float, float]:
    """(walked, of best responses) an iteration, over about the second half of the iterations up to a point."""
    earlier = [other for other in points if other.iterations <= point.iterations / 2]
    if not earlier:
        n = point.iterations
        return (point.nodes_touched - point.response_nodes) / n, point.response_nodes / n
    since, n = earlier[-1], point.iterations - earlier[-1].iterations
    responses = point.response_nodes - since.response_nodes
    return (point.nodes_touched - since.nodes_touched - responses) / n, responses / n


# Choices among the traces


def serial(
    result: Result, game: str, rule: str, updates: str = "alternating", gates: str | None = None
) -> dict[Setting, list[Point]]:
    """The ways to prune that are compared, without the other plan; with `gates`, those with them or with none."""
    found = [s for s in compared(game, rule, updates) if s.plan == "serial"]
    return {s: result.traces[s] for s in (found if gates is None else of_gates(found, gates))}


def costs(result: Result) -> dict[str, tuple[Setting, list[Point]]]:
    """Without pruning, and total pruning with the main C for each variant and its gates, on the last game."""
    game = result.games[-1]
    none = Setting(game, *VARIANTS[0], "none")
    totals = [
        Setting(game, *variant, "total", MAIN_AVERAGES[0], gates=gates)
        for gates in GATES
        for variant in VARIANTS
    ]
    found = {"none": (none, result.traces[none])}
    return found | {f"total, {s.rule.upper()}, {s.updates}, {s.gates}": (s, result.traces[s]) for s in totals}


def none_cost(result: Result) -> float:
    """Nodes an iteration without pruning: the same in all."""
    _, points = costs(result)["none"]
    return points[-1].nodes_touched / points[-1].iterations
