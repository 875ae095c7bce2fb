"""Figure 1 of Brown and Sandholm (2015): exploitability in continuous Leduc, and size, of eight ways to solve it.

Three abstractions are fixed (Branch-2, -3, -5); five begin as Branch-2 and grow: by recovery games under
Proposition 1 with the factors 1.0, 1.01, 1.1 and 2.0, and by regret transfer with 1.01. All run vanilla CFR; those
that grow look for bets to add every 5 iterations. Every run ends by its own seconds, one after another. A ninth
run, which the figure does not have, discounts by the cap (8).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import log
from pathlib import Path
from typing import Any

from solvent.engines.explicit.continuous.exploitability import informed, uninformed
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.growing.additions import Addition
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings, GrowthSettings
from solvent.engines.explicit.growing.looking import Looker
from solvent.engines.explicit.growing.proposition import FACTORS
from solvent.engines.rules import CFR
from solvent.forms.explicit.build import explicit_tree
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Watch
from solvent.games.continuous_leduc import BRANCH_SIZES, ContinuousLeduc
from solvent_papers.kept import KeptRuns
from solvent_papers.saef.budget import PARTS, BudgetRun, run_under_budget
from solvent_papers.steps import saying

UPDATES = "alternating"
EVERY = 5
"""Iterations between two looks for bets to add, and between two looks at the clock."""
MAIN_FACTOR = 1.01
FIXED = tuple(f"branch-{count}" for count in BRANCH_SIZES)
RECOVERY = tuple(f"recovery-{factor}" for factor in FACTORS)
MAIN, TRANSFER, FINEST, COARSEST = f"recovery-{MAIN_FACTOR}", "transfer", FIXED[-1], FIXED[0]
CAPPED = "cap"
"""The main run with the discount (8) in place of (22): not in the figure, but in the paper's text."""
NAMES = (*FIXED, *RECOVERY, TRANSFER, CAPPED)
TIMED = (FINEST, MAIN)
"""The runs that are compared in seconds."""
CHECK_STEP = 10**0.1
"""The factor between the nodes touched at two checks."""
UNINFORMED_EVERY = 5
"""At every so many checks, and at the last, exploiters who do not see the mapping are measured too."""
UNINFORMED_PRECISION = 1e-4
"""Chips: how far their bounds may be apart."""


@dataclass(frozen=True)
class Scale:
    """How long runs are."""

    seconds: float = 600.0
    """How long each run that is compared in seconds takes; looks and additions count, checks do not."""
    other_seconds: float = 150.0
    """How long every other run takes."""
    budget_iterations: int = 3000
    """Iterations of the runs under a memory budget; 0: there are none."""

    def of(self, name: str) -> float:
        """The seconds of a run."""
        return self.seconds if name in TIMED else self.other_seconds


FULL, QUICK = Scale(), Scale(seconds=2.0, other_seconds=0.5, budget_iterations=0)


@dataclass(frozen=True)
class Point:
    """Where a run stood at a check."""

    name: str
    iterations: int
    total: float
    """T: the sum of the iterations' weights, discounts included."""
    nodes_touched: int
    """Public nodes times hands that iterations, recovery games, looks and best responses of growing visited."""
    seconds: float
    """Everything but the checks."""
    growing_seconds: float
    """Looks for bets to add, and additions."""
    nodes: int
    """Public nodes of the abstraction."""
    additions: int
    informed: float
    """Exploitability in the continuous game, in chips: exploiters bet any size and see what it is taken for."""
    within: float
    """Exploitability among the actions of the abstraction."""
    uninformed_low: float | None = None
    """Exploiters bet any size and do not see what it is taken for: at least, ..."""
    uninformed_high: float | None = None
    """... and at most."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Trace:
    """One run: its checks and what was added."""

    points: tuple[Point, ...]
    discounts: tuple[float, ...]
    """w of each addition."""
    in_last_round: int
    """Additions in the second round of betting, which are the smallest."""
    at_leaves: int
    """Additions that can only be folded to or called."""

    @property
    def last(self) -> Point:
        return self.points[-1]

    @property
    def name(self) -> str:
        return self.last.name

    @cached_property
    def discounting(self) -> float:
        """What an addition discounts on average: -log w."""
        return sum(log(1 / w) for w in self.discounts) / len(self.discounts) if self.discounts else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "points": [point.as_dict() for point in self.points]}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Trace:
        points = tuple(Point(**point) for point in found["points"])
        return cls(points, tuple(found["discounts"]), found["in_last_round"], found["at_leaves"])


@dataclass(frozen=True)
class Result:
    """Every run by name."""

    traces: dict[str, Trace]
    scale: Scale
    budgets: tuple[BudgetRun, ...] = ()
    """The run without a memory budget, and those with one."""

    @property
    def points(self) -> list[Point]:
        return [point for trace in self.traces.values() for point in trace.points]


def saef(
    names: Sequence[str] = NAMES, scale: Scale = FULL, watch: Watch | None = None, kept: Path | None = None
) -> Result:
    """Run Figure 1. `kept`: a file to go on from; each run that is finished is added to it."""
    say = saying(watch)
    if min(scale.seconds, scale.other_seconds) <= 0:
        raise InputError(f"runs must have more than 0 seconds, not {scale.seconds:g}")
    say("compiling kernels (once per machine)")
    compile_kernels()
    before, traces = KeptRuns(kept, asdict(scale)), dict[str, Trace]()
    for name in names:
        say(f"{name}: {scale.of(name):g} seconds")
        found = before.find({"name": name})
        if found is None:
            found = Run(name, scale).trace().as_dict()
            before.add({"name": name}, found)
        traces[name] = Trace.from_dict(found)
        last = traces[name].last
        say(
            f"{name}: {last.iterations:,} iterations, exploitability {last.informed:.4f}, {last.nodes:,} nodes"
        )
    return Result(traces, scale, _budgets(scale, before) if MAIN in names and scale.budget_iterations else ())


def _budgets(scale: Scale, before: KeptRuns) -> tuple[BudgetRun, ...]:
    """Run under each memory budget."""
    runs: list[BudgetRun] = []
    for part in (1.0, *PARTS):
        key = {"name": f"budget {part:g}"}
        found = before.find(key)
        if found is None:
            whole = runs[0].budget if runs else 0
            found = run_under_budget(part, whole, scale.budget_iterations, UPDATES).as_dict()
            before.add(key, found)
        runs.append(BudgetRun(**found))
    return tuple(runs)


def compile_kernels() -> None:
    """Have every kernel compiled, so that no run's seconds have that in them."""
    for name in (COARSEST, MAIN, TRANSFER):
        run = Run(name, QUICK)
        for _ in range(3):
            run.step()
        run.check(uninformed_too=True)


def growth(name: str) -> GrowthSettings | None:
    """How a run of Figure 1 grows; None for the fixed abstractions."""
    if name in FIXED:
        return None
    if name == TRANSFER:
        return GrowthSettings("transfer", MAIN_FACTOR, EVERY)
    if name == CAPPED:
        return GrowthSettings("recovery", MAIN_FACTOR, EVERY, additions=AdditionSettings(discount="cap"))
    return GrowthSettings("recovery", float(name.partition("-")[2]), EVERY)


class Run:
    """One line of the figure."""

    def __init__(self, name: str, scale: Scale) -> None:
        if name not in NAMES:
            raise InputError(f"there is no run {name!r} of SAEF; there are {', '.join(NAMES)}")
        self.name, self.scale = name, scale
        sizes = BRANCH_SIZES[int(name.partition("-")[2])] if name in FIXED else BRANCH_SIZES[2]
        self.game = GrowingGame(explicit_tree(ContinuousLeduc(sizes)), CFR(), UPDATES, skip=True)
        settings = growth(name)
        self.looker = None if settings is None else Looker(self.game, settings)
        self.seconds = self.growing_seconds = 0.0
        self.points: list[Point] = []

    def trace(self) -> Trace:
        """Run until the seconds are over; check the first step, then at equal factors of nodes, and the end."""
        wanted, mark = self.scale.of(self.name), 0.0
        while self.seconds < wanted:
            self.step()
            if self.game.nodes_touched >= mark:
                self.check(len(self.points) % UNINFORMED_EVERY == 0)
                mark = max(CHECK_STEP * mark, self.game.nodes_touched)
        self.check(uninformed_too=True)
        log_of = list(self.game.log)
        return Trace(
            tuple(self.points),
            tuple(addition.discount for addition in log_of),
            sum(map(self._is_in_last_round, log_of)),
            sum(map(self._is_at_leaves, log_of)),
        )

    def step(self) -> None:
        """Let the abstraction grow, once there is something to learn from, and run a few iterations."""
        begun = time.perf_counter()
        if self.looker is not None and self.game.iterations:
            self.looker.grow()
            self.growing_seconds += time.perf_counter() - begun
        self.game.run(EVERY)
        self.seconds += time.perf_counter() - begun

    def check(self, uninformed_too: bool) -> None:
        """Measure the average strategy, which takes no part in the run's nodes and seconds."""
        game = self.game
        sizes, strategy = size_tree(game.tree), game.average_strategy()
        bounds = uninformed(sizes, strategy, UNINFORMED_PRECISION) if uninformed_too else None
        self.points.append(
            Point(
                self.name,
                game.iterations,
                game.tables.total,
                game.nodes_touched,
                self.seconds,
                self.growing_seconds,
                game.tree.nodes,
                len(game.log),
                informed(sizes, strategy).exploitability,
                game.evaluate().exploitability,
                None if bounds is None else bounds.low,
                None if bounds is None else bounds.high,
            )
        )

    def _is_in_last_round(self, addition: Addition) -> bool:
        return "/" in self.game.tree.betting[addition.node].history

    def _is_at_leaves(self, addition: Addition) -> bool:
        """Whether the bet is a raise in the last round, which is only folded to or called."""
        return self._is_in_last_round(addition) and bool(self.game.tree.theta[addition.node] > 0)
