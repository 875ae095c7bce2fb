"""Growing under a memory budget, with total pruning, beside growing with as much memory as it takes.

The unlimited run grows without pruning. Each budget is a share of the bytes that its tables have in the end; runs
under it take the same number of iterations.
"""

from __future__ import annotations

from functools import partial

from solvent.engines.explicit.continuous.measure import informed
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import load_rule
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent_papers.frame.experiment import Found, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.saef.figure_one import UPDATES, Setup

SHARES = (0.75, 0.5)
"""Budgets, as shares of the unlimited run's tables."""
ITERATIONS, SMALL_ITERATIONS = 3000, 500


def run_budgets(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run without a memory budget, then under each."""
    iterations = SMALL_ITERATIONS if setup.small else ITERATIONS
    runs: list[Found] = []
    for share in (1.0, *SHARES):
        say(f"{share:.0%} of the tables: {iterations:,} iterations")
        whole = runs[0]["budget"] if runs else 0
        run = kept.once({"share": share}, partial(run_under_budget, share, whole, iterations))
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
