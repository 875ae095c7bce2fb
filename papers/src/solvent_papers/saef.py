"""Figure 1 of Brown and Sandholm (2015): exploitability in continuous Leduc, and size, of eight ways to solve it.

Three abstractions are fixed (Branch-2, -3, -5); five begin as Branch-2 and grow: by recovery games under
Proposition 1 with the factors 1.0, 1.01, 1.1 and 2.0, and by regret transfer with 1.01. All run vanilla CFR; those
that grow look for bets to add every 5 iterations. Every run ends by its own seconds, one after another. A ninth
run, which the figure does not have, discounts by the cap (8).

Under a memory budget an abstraction grows with total pruning, beside one that grows without pruning in as much
memory as it takes. Each budget is a share of the bytes that those tables have in the end; all runs take the same
number of iterations.

Exploitability in figures is that of informed exploiters in the continuous game. `recovery-1.1 by recovery-1.01`
compares two runs at the last nodes touched that both reached; with `seconds.` before it, at the last second. `last
by half` compares the end of a run to half of its nodes. `worst` and `lowest share` are over the checks at which a
fixed abstraction had touched as many nodes. `discounting` is the mean of -log w over a run's additions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from solvent.engines.explicit.continuous.measure import informed, uninformed
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.growing.additions import Addition
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings, GrowthSettings
from solvent.engines.explicit.growing.looking import Looker
from solvent.engines.explicit.growing.proposition import FACTORS
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import CFR, load_rule
from solvent.forms.explicit.tree import explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import BRANCH_SIZES, ContinuousLeduc
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import (
    Experiment,
    Findings,
    Found,
    Part,
    Say,
    by_columns,
    by_rows,
    option,
)
from solvent_papers.frame.experiment import Setup as CommonSetup
from solvent_papers.frame.running import KeptRuns

UPDATES = "alternating"
EVERY = 5
"""Iterations between two looks for bets to add, and between two looks at the clock."""
MAIN_FACTOR = 1.01
FIXED = tuple(f"branch-{count}" for count in BRANCH_SIZES)
RECOVERY = tuple(f"recovery-{factor}" for factor in FACTORS)
MAIN, TRANSFER, FINEST, COARSEST = f"recovery-{MAIN_FACTOR}", "transfer", FIXED[-1], FIXED[0]
CAPPED = "cap"
"""The main run with the discount (8) in place of (22): not in the figure, but in the paper's text."""
GROWING = (*RECOVERY, TRANSFER, CAPPED)
NAMES = (*FIXED, *GROWING)
TIMED = (FINEST, MAIN)
"""The runs that are compared in seconds."""
FULL_SECONDS, SMALL_SECONDS = 600.0, 2.0
CHECK_STEP = 10**0.1
"""The factor between the nodes touched at two checks."""
UNINFORMED_EVERY = 5
"""At every fifth check, and at the last, exploiters who do not see the mapping are measured too."""
UNINFORMED_PRECISION = 1e-4
"""Chips: how far their bounds may be apart."""
SHARES = (0.75, 0.5)
"""Memory budgets, as shares of the unlimited run's tables."""
BUDGET_ITERATIONS, SMALL_BUDGET_ITERATIONS = 3000, 500
NODES, SECONDS = "nodes_touched", "seconds"
"""Quantities over which curves are drawn and compared, log-log between checks."""
EARLY_WITHIN = 1.1
"""Early is until the coarsest abstraction stays within this factor of where it ends."""
SHOWN = (("informed", "exploitability, chips"), ("nodes", "public nodes of the abstraction"))
OVER = ((NODES, "nodes touched"), (SECONDS, "seconds"))


@dataclass(frozen=True)
class Setup(CommonSetup):
    """The length of runs."""

    seconds: float | None = option(
        None,
        "Seconds of the two runs that are compared in seconds; the others have a quarter.  [default: 600]",
    )

    def seconds_of(self, name: str) -> float:
        """Return the seconds of a run; looks and additions count, checks do not."""
        usual = SMALL_SECONDS if self.small else FULL_SECONDS
        longest = usual if self.seconds is None else self.seconds
        return longest if name in TIMED else longest / 4


class Point(NamedTuple):
    """A check of a run."""

    iterations: int
    total: float
    """T: the sum of the iterations' weights, discounts included."""
    nodes_touched: int
    """Public nodes times hands that iterations, recovery games, looks and best responses of growing visited."""
    seconds: float
    """Seconds without those of checks."""
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
    """Lower bound where exploiters bet any size and do not see what it is taken for."""
    uninformed_high: float | None = None
    """Upper bound for the same exploiters."""


Curve = Sequence[Point]


def run_figure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run every line of the figure."""
    longest, other = setup.seconds_of(MAIN), setup.seconds_of(TRANSFER)
    if not longest > 0:
        raise InputError(f"runs must have more than 0 seconds, not {longest:g}")
    say("compiling kernels (once per machine)")
    compile_kernels()
    runs: dict[str, Found] = {}
    for name in NAMES:
        seconds = setup.seconds_of(name)
        say(f"{name}: {seconds:g} seconds")
        runs[name] = kept.once({"name": name}, measure, name, seconds)
        last = {key: values[-1] for key, values in runs[name]["points"].items()}
        say(
            f"{name}: {last['iterations']:,} iterations, exploitability {last['informed']:.4f}, "
            f"{last['nodes']:,} nodes"
        )
    return {"seconds": longest, "other_seconds": other, "runs": runs}


def measure(name: str, seconds: float) -> Found:
    """Run one line of the figure for these seconds."""
    return Run(name).run(seconds)


def compile_kernels() -> None:
    """Have every kernel compiled, so that no run's seconds have that in them."""
    for name in (COARSEST, MAIN, TRANSFER):
        run = Run(name)
        for _ in range(3):
            run.step()
        run.check(uninformed_too=True)


def growth(name: str) -> GrowthSettings | None:
    """Return how a run of Figure 1 grows; None for the fixed abstractions."""
    if name in FIXED:
        return None
    if name == TRANSFER:
        return GrowthSettings("transfer", MAIN_FACTOR, EVERY)
    if name == CAPPED:
        return GrowthSettings("recovery", MAIN_FACTOR, EVERY, additions=AdditionSettings(discount="cap"))
    return GrowthSettings("recovery", float(name.partition("-")[2]), EVERY)


class Run:
    """One line of the figure."""

    def __init__(self, name: str) -> None:
        sizes = BRANCH_SIZES[int(name.partition("-")[2])] if name in FIXED else BRANCH_SIZES[2]
        self.game = GrowingGame(explicit_tree(ContinuousLeduc(sizes)), CFR(), UPDATES, skip=True)
        settings = growth(name)
        self.looker = None if settings is None else Looker(self.game, settings)
        self.seconds = self.growing_seconds = 0.0
        self.points: list[Point] = []

    def run(self, seconds: float) -> Found:
        """Run for these seconds; check the first step, then at equal factors of nodes, and the end."""
        mark = 0.0
        while self.seconds < seconds:
            self.step()
            if self.game.nodes_touched >= mark:
                self.check(len(self.points) % UNINFORMED_EVERY == 0)
                mark = max(CHECK_STEP * mark, self.game.nodes_touched)
        self.check(uninformed_too=True)
        discounts = [addition.discount for addition in self.game.log]
        return {
            "points": by_columns(point._asdict() for point in self.points),
            "additions": len(discounts),
            "discounting": sum(log(1 / w) for w in discounts) / max(1, len(discounts)),
            "lowest_discount": min(discounts, default=1.0),
            "in_last_round": sum(map(self._is_in_last_round, self.game.log)),
            "at_leaves": sum(map(self._is_at_leaves, self.game.log)),
        }

    def step(self) -> None:
        """Let the abstraction grow, once there is something to learn from, and run a few iterations."""
        begun = time.perf_counter()
        if self.looker is not None and self.game.iterations:
            self.looker.grow()
            self.growing_seconds += time.perf_counter() - begun
        self.game.run(EVERY)
        self.seconds += time.perf_counter() - begun

    def check(self, uninformed_too: bool) -> None:
        """Measure the average strategy, outside of the run's nodes and seconds."""
        game = self.game
        sizes, strategy = size_tree(game.tree), game.average_strategy()
        bounds = uninformed(sizes, strategy, UNINFORMED_PRECISION) if uninformed_too else None
        self.points.append(
            Point(
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
        """Return whether the bet is a raise in the last round, which is only folded to or called."""
        return self._is_in_last_round(addition) and bool(self.game.tree.theta[addition.node] > 0)


# Under a memory budget


def run_budgets(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run without a memory budget, then under each."""
    iterations = SMALL_BUDGET_ITERATIONS if setup.small else BUDGET_ITERATIONS
    runs: list[Found] = []
    for share in (1.0, *SHARES):
        say(f"{share:.0%} of the tables: {iterations:,} iterations")
        whole = runs[0]["budget"] if runs else 0
        run = kept.once({"share": share}, run_under_budget, share, whole, iterations)
        runs.append(run | {"by_unlimited": run["informed"] / runs[0]["informed"] if runs else 1.0})
    return {"runs": runs}


def run_under_budget(share: float, whole: int, iterations: int) -> Found:
    """Run CFR under a share of `whole` bytes of tables; without pruning and budget where the share is 1."""
    pruning = Pruning("total") if share < 1 else NO_PRUNING
    memory = int(share * whole) if share < 1 else None
    solver = GrowingSolver(ContinuousLeduc(), load_rule("cfr"), UPDATES, memory=memory, pruning=pruning)
    solver.run(iterations)
    stored = 8 * solver.game.tables.stored
    budget = solver.pruner.budget if solver.pruner is not None else None
    return {
        "share": share,
        "budget": stored if budget is None else budget.limit,
        "peak": stored if budget is None else budget.peak,
        "nodes": solver.tree.nodes,
        "additions": len(solver.log),
        "refused": 0 if budget is None else budget.refused_additions + budget.refused_returns,
        "informed": informed(size_tree(solver.tree), solver.game.average_strategy()).exploitability,
    }


def budget_figures(found: Found) -> dict[str, float]:
    """Return the peak by the budget, and exploitability by that of the unlimited run."""
    figures = {}
    for run in found["runs"][1:]:
        figures[f"budget {run['share']:g}.peak by budget"] = run["peak"] / run["budget"]
        figures[f"budget {run['share']:g}.by unlimited"] = run["by_unlimited"]
    return figures


# Figures


def curves(found: Found) -> dict[str, Curve]:
    """Return the checks of every run."""
    return {name: [Point(**row) for row in by_rows(run["points"])] for name, run in found["runs"].items()}


def figures(found: Found) -> dict[str, float]:
    """Return all that the ledger and the page compare."""
    runs = curves(found)
    result = {
        f"{name}.{number}": value
        for name, points in runs.items()
        for number, value in _of_run(points, found["runs"][name]).items()
    }
    main, ratios = runs[MAIN], [ratio for _, ratio in _by_best_fixed(runs)]
    known: dict[str, float | None] = {
        f"{one} by {other}": ratio_at_end(runs[one], runs[other])
        for one, other in (*((name, MAIN) for name in GROWING if name != MAIN), (MAIN, FINEST))
    }
    for before, number in (("seconds.", "informed"), ("seconds.within.", "within")):
        known[f"{before}{MAIN} by {FINEST}"] = ratio_at_end(main, runs[FINEST], SECONDS, number)
    result |= {name: value for name, value in known.items() if value is not None}
    result |= {
        f"bump.{TRANSFER} by {MAIN}": bump(runs[TRANSFER]) / bump(main),
        f"{MAIN} by best fixed.worst": max(ratios),
        f"{MAIN} by best fixed.lowest share": sum(ratio <= 1 for ratio in ratios) / len(ratios),
        f"{MAIN} by best fixed.last": ratios[-1],
    }
    until = levels_at(runs[COARSEST], EARLY_WITHIN).nodes_touched
    if logs := [log(ratio) for where, ratio in ratios_to_best(main, [runs[COARSEST]]) if where <= until]:
        result[f"early.{MAIN} by {COARSEST}"] = exp(sum(logs) / len(logs))
    for name in GROWING:
        for when, point in (("first", runs[name][0]), ("last", runs[name][-1])):
            result[f"{name}.size.{when} by {COARSEST}"] = point.nodes / runs[COARSEST][-1].nodes
    return result


def _of_run(points: Curve, run: Found) -> dict[str, float]:
    last = points[-1]
    half = value_at(points, last.nodes_touched / 2)
    assert last.uninformed_low is not None
    assert last.uninformed_high is not None
    found = {
        "last": last.informed,
        "within": last.within,
        "iterations": float(last.iterations),
        "nodes touched": float(last.nodes_touched),
        "size": float(last.nodes),
        "bump": bump(points),
        "uninformed": (last.uninformed_low + last.uninformed_high) / 2,
    }
    if half is not None:
        found["last by half"] = last.informed / half
    if run["additions"]:
        found |= {
            "additions": float(run["additions"]),
            "discounting": run["discounting"],
            "discount.lowest": run["lowest_discount"],
            "growing share": last.growing_seconds / last.seconds,
            "in last round": run["in_last_round"] / run["additions"],
            "at leaves": run["at_leaves"] / run["additions"],
        }
    return found


def _by_best_fixed(runs: Mapping[str, Curve]) -> list[tuple[float, float]]:
    """Return (nodes, the main run's exploitability by that of the best fixed abstraction there)."""
    return ratios_to_best(runs[MAIN], [runs[name] for name in FIXED])


# Curves compared


def value_at(points: Curve, where: float, over: str = NODES, number: str = "informed") -> float | None:
    """Return a number of a run at this many nodes touched, or seconds; None outside of the run."""
    places = [getattr(point, over) for point in points]
    if not places or not places[0] <= where <= places[-1]:
        return None
    after = next(k for k, place in enumerate(places) if place >= where)
    low, high = points[max(0, after - 1)], points[after]
    (x0, y0), (x1, y1) = ((getattr(point, over), getattr(point, number)) for point in (low, high))
    if x0 == x1 or min(x0, x1, y0, y1) <= 0:
        return float(y1)
    way = log(where / x0) / log(x1 / x0)
    return exp(log(y0) + way * log(y1 / y0))


def ratio_at_end(one: Curve, other: Curve, over: str = NODES, number: str = "informed") -> float | None:
    """Return a number of one run by that of another, at the last place that both reached."""
    where = min(float(getattr(points[-1], over)) for points in (one, other))
    first, second = (value_at(points, where, over, number) for points in (one, other))
    return first / second if first is not None and second else None


def ratios_to_best(one: Curve, others: Sequence[Curve], over: str = NODES) -> list[tuple[float, float]]:
    """Return (place, exploitability by the lowest of the others) at every check whose place another run reached."""
    found = []
    for point in one:
        where = getattr(point, over)
        values = [value_at(points, where, over) for points in others]
        if known := [value for value in values if value is not None]:
            found.append((where, point.informed / min(known)))
    return found


def levels_at(points: Curve, within: float) -> Point:
    """Return the first check from which on a run stays within a factor of its last exploitability."""
    last = points[-1]
    settled = last
    for point in reversed(points):
        if point.informed > within * last.informed:
            break
        settled = point
    return settled


def bump(points: Curve) -> float:
    """Return the largest exploitability of a check by the lowest before it."""
    worst, lowest = 1.0, points[0].informed
    for point in points[1:]:
        worst = max(worst, point.informed / lowest)
        lowest = min(lowest, point.informed)
    return worst


# The page


def view(found: Findings) -> dict[str, Any]:
    """Return the last checks by run, and ratios to the best fixed abstraction by power of ten of nodes touched."""
    if "figure" not in found:
        return {"ends": {}, "ratios": {}}
    runs, ratios = curves(found["figure"]), dict[int, list[float]]()
    for where, ratio in _by_best_fixed(runs):
        ratios.setdefault(len(str(int(where))) - 1, []).append(ratio)
    return {"ends": {name: points[-1] for name, points in runs.items()}, "ratios": ratios}


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return every check of every run."""
    runs = found.get("figure", {"runs": {}})["runs"]
    return {
        "saef.csv": [{"name": name} | row for name, run in runs.items() for row in by_rows(run["points"])]
    }


def draw(found: Findings, page: Path) -> None:
    """Draw exploitability above size; fixed abstractions are dashed, dots are uninformed exploiters."""
    if "figure" not in found:
        return
    runs = curves(found["figure"])
    with panels(page.with_suffix(".png"), (2, 2), (5.0, 3.5)) as grid:
        for row, (number, y) in zip(grid, SHOWN, strict=True):
            for axes, (over, x) in zip(row, OVER, strict=True):
                for color, name in enumerate(name for name in runs if name != CAPPED):
                    _draw(axes, name, runs[name], over, number, f"C{color}")
                dress(axes, x, y)
        grid[0][0].legend(fontsize=7)


def _draw(axes: Any, name: str, points: Curve, over: str, number: str, color: str) -> None:
    places, values = ([getattr(point, of) for point in points] for of in (over, number))
    style, width = "--" if name in FIXED else "-", 2.0 if name == MAIN else 1.0
    axes.loglog(places, values, style, color=color, linewidth=width, label=name)
    if number == "informed":
        known = [p for p in points if p.uninformed_high is not None]
        axes.loglog([getattr(p, over) for p in known], [p.uninformed_high for p in known], ".", color=color)


EXPERIMENT = Experiment(
    "saef",
    "Growing an abstraction while it is solved",
    Setup,
    (Part("figure", run_figure, figures), Part("budget", run_budgets, budget_figures)),
    view,
    tables,
    draw,
)
