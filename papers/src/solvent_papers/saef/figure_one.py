"""Figure 1 of Brown and Sandholm (2015): exploitability in continuous Leduc, and size, of eight ways to solve it.

Three abstractions are fixed (Branch-2, -3, -5); five begin as Branch-2 and grow: by recovery games under
Proposition 1 with the factors 1.0, 1.01, 1.1 and 2.0, and by regret transfer with 1.01. All run vanilla CFR; those
that grow look for bets to add every 5 iterations. Every run ends by its own seconds, one after another. A ninth
run, which the figure does not have, discounts by the cap (8).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from math import log
from typing import NamedTuple

from solvent.engines.explicit.continuous.measure import informed, uninformed
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.growing.additions import Addition
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings, GrowthSettings
from solvent.engines.explicit.growing.looking import Looker
from solvent.engines.explicit.growing.proposition import FACTORS
from solvent.engines.rules import CFR
from solvent.forms.explicit.build import explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import BRANCH_SIZES, ContinuousLeduc
from solvent_papers.frame.experiment import Found, Say, by_columns, option
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
SECONDS, SMALL_SECONDS = 600.0, 2.0
CHECK_STEP = 10**0.1
"""The factor between the nodes touched at two checks."""
UNINFORMED_EVERY = 5
"""At every fifth check, and at the last, exploiters who do not see the mapping are measured too."""
UNINFORMED_PRECISION = 1e-4
"""Chips: how far their bounds may be apart."""


@dataclass(frozen=True)
class Setup(CommonSetup):
    """How long runs are."""

    seconds: float | None = option(
        None,
        "Seconds of the two runs that are compared in seconds; the others have a quarter.  [default: 600]",
    )

    def seconds_of(self, name: str) -> float:
        """Return the seconds of a run; looks and additions count, checks do not."""
        usual = SMALL_SECONDS if self.small else SECONDS
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
    """Lower bound where exploiters bet any size and do not see what it is taken for."""
    uninformed_high: float | None = None
    """Upper bound for the same exploiters."""


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
        runs[name] = kept.once({"name": name}, partial(measure, name, seconds))
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
        """Whether the bet is a raise in the last round, which is only folded to or called."""
        return self._is_in_last_round(addition) and bool(self.game.tree.theta[addition.node] > 0)
