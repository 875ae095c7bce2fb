"""Total regret-based pruning: space, nodes touched and convergence. The paper's figures.

Every setting runs once on the history form, one thread, and is checked now and then: numbers stored, histories
touched and the exploitability of its average. The seconds to a given exploitability are measured afterwards, when
it is known how many iterations that takes: the settings take turns, nothing is checked meanwhile, and the kernels
are compiled beforehand. Interval and total pruning run by the papers' tests alone and, beside them, by our gates.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

import numpy as np

from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.history.solver import HistorySolver
from solvent.engines.pruning import GATES, Pruning
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent_papers.frame.experiment import Found, Say, by_columns, by_rows, option
from solvent_papers.frame.experiment import Setup as CommonSetup
from solvent_papers.frame.running import KeptRuns, found_by
from solvent_papers.interleaved import seconds_of

Solver = HistorySolver | PrunedSolver
VARIANTS = (("cfr", "alternating"), ("cfr", "simultaneous"), ("cfr+", "alternating"))
"""(rule, updates)."""
AVERAGES = (0.0, 0.01, 0.03, 0.1)
"""C. With 0 nothing is forgotten of the average strategy but what was never played."""
MAIN_AVERAGES = (Pruning().average, 0.1)
"""The default, and the paper's where it saves most: compared with other ways to prune, and run for long."""
MAIN = MAIN_AVERAGES[0]
"""The C at which nodes and seconds are compared."""
PAPER = "paper"
"""The gates of the papers' own tests."""
GAMES = ("leduc", "leduc5")
TARGET, SMALL_TARGET = 0.05, 0.2
COUNTS = ("iterations", "nodes_touched", "response_nodes")
"""Counts of the iterations that are timed."""
CHECKS = 40
FINE = 10
"""Iterations between checks near the target."""
NEAR = 1.5
"""Near means an exploitability below this multiple of the target."""
SMALL_GAME = 10_000
"""Histories up to which a game runs for long in every setting."""
WARM_GAME, WARM_ITERATIONS = "leduc", 200
"""The game on which kernels are compiled: enough for actions to be pruned and to return."""


class Setting(NamedTuple):
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
        return f"{self.pruning}{ours}" if self.plan == "serial" else f"{self.pruning} ({self.plan} plan)"


class Point(NamedTuple):
    """A check of a setting. What is stored is a share of all infoset-actions."""

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
    """Averages held of pruned actions."""
    averages_behind: float
    """Averages held of actions behind pruned ones: those whose reach is above C / sqrt(T)."""
    table_bytes: int

    @property
    def stored(self) -> float:
        """Regrets and averages together."""
        return (self.regrets + self.averages) / 2


Trace = Sequence[Point]
Traces = Mapping[Setting, Trace]


def read(found: Found) -> dict[Setting, Trace]:
    """Return the checks that were kept, by their settings."""
    return {
        Setting(**each["setting"]): [Point(**row) for row in by_rows(each["points"])]
        for each in found["traces"]
    }


def games_of(traces: Traces) -> list[str]:
    """Return the games in the order in which they were run."""
    return list(dict.fromkeys(setting.game for setting in traces))


def compared(
    traces: Traces, game: str, rule: str, updates: str = "alternating", plans: Sequence[str] = ("serial",)
) -> dict[Setting, Trace]:
    """Return the ways to prune that are set side by side."""
    return {
        s: points
        for s, points in traces.items()
        if (s.game, s.rule, s.updates) == (game, rule, updates)
        and s.plan in plans
        and s.average in (None, *MAIN_AVERAGES)
    }


@dataclass(frozen=True)
class Setup(CommonSetup):
    """The games, and how long they are run."""

    game: tuple[str, ...] = option((), "Games; the last is timed.  [default: leduc and leduc5]")
    target: float | None = option(None, "The exploitability to be timed, in chips.  [default: 0.05]")

    @property
    def games(self) -> tuple[str, ...]:
        return self.game or GAMES[: 1 if self.small else None]

    @property
    def level(self) -> float:
        """The exploitability that is timed."""
        usual = SMALL_TARGET if self.small else TARGET
        return usual if self.target is None else self.target

    @property
    def short(self) -> int:
        """Iterations of most settings on games that are not small, and after which space is averaged."""
        return 100 if self.small else 2_000

    @property
    def long(self) -> int:
        """Iterations on small games, and of total pruning with the main values of C."""
        return 200 if self.small else 20_000


def run_traces(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run every setting on every game."""
    if not setup.level > 0:
        raise InputError(f"the target must be an exploitability above 0, not {setup.level:g}")
    trees = [compile_tree(load_game(game)) for game in setup.games]
    say("compiling kernels (once per machine)")
    compile_kernels()
    traces = []
    for tree in trees:
        for setting in settings(tree.name):
            name = f"{setting.game}, {setting.rule}, {setting.updates}, {setting.label}"
            say(f"{name}: running")
            points = kept.once(setting._asdict(), measure, tree, setting, setup)
            traces.append({"setting": setting._asdict(), "points": points})
            say(f"{name}: {points['iterations'][-1]:,} iterations, exploitability {points['lowest'][-1]:.6f}")
    return {"short": setup.short, "target": setup.level, "traces": traces}


def measure(tree: GameTree, setting: Setting, setup: Setup) -> Found:
    """Return the checks of a setting by columns."""
    return by_columns(point._asdict() for point in trace(tree, setting, setup))


def settings(game: str) -> list[Setting]:
    """Return everything that is run on a game."""
    found = []
    for rule, updates in VARIANTS:
        found += [Setting(game, rule, updates, pruning) for pruning in ("none", "partial")]
        for gates in GATES:
            found.append(Setting(game, rule, updates, "interval", gates=gates))
            found += [Setting(game, rule, updates, "total", average, gates=gates) for average in AVERAGES]
    return [*found, Setting(game, *VARIANTS[0], "none", plan="sequence")]


def make_solver(tree: GameTree, setting: Setting) -> Solver:
    """Return a solver that prunes as a setting says."""
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


# Checks


def trace(tree: GameTree, setting: Setting, setup: Setup) -> Trace:
    """Run a setting; check it at log-spaced iterations, and often where space is averaged and near the target."""
    solver, points, lowest = make_solver(tree, setting), list[Point](), float("inf")
    for_long = tree.histories <= SMALL_GAME or setting.average in MAIN_AVERAGES
    planned = checks(setup.short, setup.long, setup.long if for_long else setup.short)
    while solver.iterations < planned[-1]:
        done = solver.iterations
        aim = planned[bisect_right(planned, done)]
        if setup.level < lowest < NEAR * setup.level:
            aim = min(aim, done - done % FINE + FINE)
        solver.run(aim - done)
        found = solver.evaluate().exploitability
        lowest = min(lowest, found)
        points.append(_point(setting, solver, found, lowest))
    return points


def checks(short: int, long: int, iterations: int) -> list[int]:
    """Return log-spaced iterations, powers of ten and their halves, and the last tenths."""
    wanted = set(np.geomspace(1, iterations, CHECKS).round().astype(int).tolist())
    wanted |= {n for power in range(10) for n in (10**power, 5 * 10**power)}
    wanted |= {*moments(short), long // 2, *last_tenth(short), *last_tenth(long)}
    return sorted(n for n in wanted if n <= iterations)


def moments(short: int) -> tuple[int, int]:
    """Return when exploitabilities are compared at equal iterations."""
    return short // 5, short


def last_tenth(iterations: int) -> range:
    """Return about twenty checks over the last tenth of the iterations."""
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


def crossing(points: Trace, target: float) -> Point | None:
    """Return the first check at which an exploitability was reached."""
    return next((point for point in points if point.lowest <= target), None)


def run_seconds(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Time the iterations that each way to prune needed to the target on the last game, taking turns."""
    traces = read(found_by(setup, "traces"))
    tree = compile_tree(load_game(setup.games[-1]))
    reached = {
        setting: crossing(traces[setting], setup.level)
        for setting in compared(traces, games_of(traces)[-1], *VARIANTS[0], plans=("serial", "sequence"))
    }
    say("compiling kernels (once per machine)")
    compile_kernels()
    seconds: dict[Setting, list[float]] = {setting: [] for setting in reached}
    repeats = 1 if setup.small else 3
    for repeat in range(repeats):
        for setting, point in reached.items():
            if point is not None:
                say(f"{tree.name}: timing, repeat {repeat + 1} of {repeats}, {setting.label}")
                solver = make_solver(tree, setting)
                seconds[setting].append(seconds_of(solver.run, point.iterations))
    rows = [
        setting._asdict()
        | {
            "target": setup.level,
            **{count: None if point is None else getattr(point, count) for count in COUNTS},
            "seconds": median(seconds[setting]) if seconds[setting] else None,
            "repeats": len(seconds[setting]),
        }
        for setting, point in reached.items()
    ]
    return {"rows": rows}
