"""What the command line shows: progress while it works, tables when it is done."""

from __future__ import annotations

import os

from rich.table import Table

from solvent.app.terminal import facts_table
from solvent.foundation.units import size
from solvent.solvers.solve import Result

BAR = 24


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def result_table(result: Result) -> Table:
    settings = result.settings
    plan = result.plan if settings.sampling == "none" else f"{settings.sampling} sampling"
    rows = {
        "rule": f"{settings.rule}, {settings.updates} updates",
        "plan": f"{plan} on the {result.form} form, {result.threads} thread"
        + ("s" if result.threads > 1 else ""),
        "iterations": f"{result.iterations:,} (stopped by {result.stopped_by})",
        "exploitability": f"{result.exploitability:.6g} chips (NashConv/2, exact)",
        "value for player 0": f"{result.value:.6f} chips",
        "infosets": f"{result.infosets:,} in {result.histories:,} histories",
        "time": f"{result.seconds:.2f} s, {result.seconds_per_iteration * 1e6:,.1f} us an iteration"
        + f" (and {result.compile_seconds:.1f} s for kernels)",
        "peak memory": size(result.peak_memory_bytes),
    }
    if settings.pruning != "none":
        rows["pruning"] = f"{settings.pruning}: {result.pruned_actions:,} actions pruned"
        rows["stored"] = (
            f"{result.stored_regrets:.1%} of the regrets, {result.stored_averages:.1%} of the averages, "
            f"{size(result.table_bytes)} of tables"
        )
        rows["touched"] = (
            f"{result.nodes_touched:,} {result.touched_unit}, "
            f"{result.response_nodes / max(1, result.nodes_touched):.0%} of them by best responses"
        )
    if result.run is not None:
        rows["run"] = str(result.run)
        rows["picture"] = str(result.run / "convergence.png")
    return facts_table(result.game, rows)
