"""Growing under a memory budget, with total pruning, beside growing with as much memory as it takes.

The unlimited run grows without pruning. Each budget is a part of the bytes that its tables have in the end; runs
under it take the same number of iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from solvent.engines.explicit.continuous.exploitability import informed
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import load_rule
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent_papers.page import Bar, markdown_table

PARTS = (0.75, 0.5)
"""Budgets, as parts of the unlimited run's tables."""
MOST_RATIO = 1.2
"""The most exploitability that a budget was to leave, by that of the unlimited run."""


@dataclass(frozen=True)
class BudgetRun:
    """One run; bytes are of tables."""

    part: float
    """The budget by the unlimited run's tables; 1 for that run itself."""
    budget: int
    peak: int
    nodes: int
    additions: int
    refused: int
    """Additions and returns that there was no memory for."""
    informed: float
    """Exploitability in the continuous game, in chips."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def run_under_budget(part: float, whole: int, iterations: int, updates: str) -> BudgetRun:
    """Run CFR under a part of `whole` bytes; without pruning and budget where the part is 1."""
    pruning = Pruning("total") if part < 1 else NO_PRUNING
    memory = int(part * whole) if part < 1 else None
    solver = GrowingSolver(ContinuousLeduc(), load_rule("cfr"), updates, memory=memory, pruning=pruning)
    solver.run(iterations)
    stored = 8 * solver.game.tables.stored
    budget = solver.pruner.budget if solver.pruner is not None else None
    return BudgetRun(
        part,
        stored if budget is None else budget.limit,
        stored if budget is None else budget.peak,
        solver.tree.nodes,
        len(solver.log),
        0 if budget is None else budget.refused_additions + budget.refused_returns,
        informed(size_tree(solver.tree), solver.game.average_strategy()).exploitability,
    )


def budget_figures(runs: Sequence[BudgetRun]) -> dict[str, float]:
    """The figures by name: peak by budget, and exploitability by the unlimited run's."""
    found = {}
    for run in runs[1:]:
        found[f"budget {run.part:g}.peak by budget"] = run.peak / run.budget
        found[f"budget {run.part:g}.by unlimited"] = run.informed / runs[0].informed
    return found


def budget_bars(figures: Mapping[str, float]) -> list[Bar]:
    """What we had asked of runs under a budget."""
    found = []
    for part in PARTS:
        peak, ratio = (figures.get(f"budget {part:g}.{name}") for name in ("peak by budget", "by unlimited"))
        if peak is not None and ratio is not None:
            name = f"under {part:.0%} of the unlimited run's tables"
            found.append(Bar(f"{name}: peak by budget", "at most 1", f"{peak:.2f}", peak <= 1))
            met = ratio <= MOST_RATIO
            found.append(Bar(f"{name}: exploitability", f"at most {MOST_RATIO:g}", f"{ratio:.2f}", met))
    return found


def budget_section(runs: Sequence[BudgetRun]) -> list[str]:
    """A section of the page."""
    rows = [
        [
            f"{run.part:.0%}",
            *(f"{number:,}" for number in (run.budget, run.peak, run.nodes, run.additions, run.refused)),
            f"{run.informed:.4f}",
        ]
        for run in runs
    ]
    names = ["tables", "budget, bytes", "peak, bytes", "nodes", "additions", "refused", "informed"]
    return [
        "## Under a memory budget",
        "Growing by recovery games with total pruning, at equal iterations; the first run has neither pruning nor "
        "budget. The budget is for tables; the tree takes memory beside it.",
        markdown_table(names, rows),
    ]
