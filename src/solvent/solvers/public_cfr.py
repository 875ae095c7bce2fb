"""Counterfactual regret minimisation on the public form: the aggregated plan.

solver = PublicSolver(public_game(FlopHoldem(suits=4, ranks=5)), "dcfr")
solver.run(100)
solver.evaluate().exploitability
"""

from __future__ import annotations

import numpy as np

from solvent.errors import InputError
from solvent.forms.public import PublicGame
from solvent.response.exploitability import Evaluation
from solvent.response.public_kernels import Tables
from solvent.response.public_pass import PublicPass
from solvent.response.public_response import evaluate_public
from solvent.solvers.cfr import DTYPES, FLOAT32_FROM, UPDATES
from solvent.solvers.public_serial import HistoryWalk
from solvent.solvers.rules import RegretRule, load_rule
from solvent.strategy.arena import Arena

PLANS = ("aggregated", "serial", "branched")


class PublicSolver:
    """CFR on a game in public form, with vectors over hands and all terminals of a board together."""

    def __init__(
        self,
        game: PublicGame,
        rule: str | RegretRule = "dcfr",
        updates: str = "alternating",
        plan: str = "aggregated",
        evaluator: str = "swept",
        threads: int = 1,
        dtype: str = "auto",
    ) -> None:
        if updates not in UPDATES:
            raise InputError(f"there is no update mode {updates!r}; the modes are {', '.join(UPDATES)}")
        if threads < 1:
            raise InputError(f"threads must be at least 1, not {threads}")
        if dtype not in DTYPES:
            raise InputError(f"there is no dtype {dtype!r}; the dtypes are {', '.join(DTYPES)}")
        if dtype == "auto":
            dtype = "float64" if game.cells < FLOAT32_FROM else "float32"
        self.game, self.updates, self.dtype, self.evaluator = game, updates, dtype, evaluator
        self.rule = load_rule(rule)
        self.threads = threads
        self.iterations = 0
        names = ("regret", "average", "last") if self.rule.predictive else ("regret", "average")
        self.arena = Arena.full(game.block_sizes, names, np.dtype(dtype))
        self._pass = PublicPass(game, np.dtype(dtype), evaluator, threads)
        if plan not in PLANS:
            raise InputError(f"there is no plan {plan!r} for the public form; choose from {', '.join(PLANS)}")
        self.plan: PublicPass | HistoryWalk = self._pass
        if plan != "aggregated":
            self.plan = HistoryWalk(game, threads if plan == "branched" else 1)
        simultaneous = updates == "simultaneous"
        size = self.arena.used if simultaneous else 0
        self._seen = np.zeros(size, dtype=dtype)
        self._seen_last = np.zeros(size if self.rule.predictive else 0, dtype=dtype)

    @property
    def tables(self) -> Tables:
        """The arena's tables as the kernels take them."""
        regret, average = self.arena.table("regret"), self.arena.table("average")
        last = self.arena.table("last") if self.rule.predictive else regret[:0]
        if self.updates == "simultaneous":
            return Tables(self.arena.offset, regret, average, last, self._seen, self._seen_last)
        return Tables(self.arena.offset, regret, average, last, regret, last)

    def run(self, iterations: int) -> None:
        """Run so many more iterations."""
        schedule = self.rule.schedule(self.iterations + 1, iterations)
        self.plan.iterate(self.tables, schedule, self.updates == "alternating")
        self.iterations += iterations

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        return evaluate_public(self._pass, self.arena.offset, self.arena.table("average"))
