"""What a solve's result says to people: a few facts, as text, as HTML and as a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvent.foundation.units import size, span
from solvent.solving.curves import Curve

if TYPE_CHECKING:
    from solvent.solving.solve import Result


def summary(result: Result) -> dict[str, str]:
    """The facts of a result, by their names."""
    settings = result.settings
    plan = result.plan if settings.sampling == "none" else f"{settings.sampling} sampling"
    rows = {
        "rule": f"{settings.rule}, {settings.updates} updates",
        "plan": f"{plan} on the {result.form} form, {result.threads} thread"
        + ("s" if result.threads > 1 else ""),
        "iterations": f"{result.iterations:,} (stopped by {result.stopped_by})",
        "exploitability": f"{result.exploitability:.6g} chips (NashConv/2, exact){_in_blinds(result)}",
        "value for player 0": f"{result.value:.6f} chips",
        "infosets": f"{result.infosets:,} in {result.histories:,} histories",
        "time": f"{span(result.seconds)}, {span(result.seconds_per_iteration)} an iteration"
        f" (and {span(result.compile_seconds)} for kernels)",
        "peak memory": size(result.peak_memory_bytes),
    }
    if settings.grow != "none":
        rows["growing"] = (
            f"{settings.grow}, factor {settings.grow_factor:g}: {len(result.additions):,} bets added; "
            f"{result.nodes_touched:,} {result.touched_unit} touched"
        )
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
    if "budget_bytes" in (last := result.convergence[-1] if result.convergence else {}):
        rows["memory budget"] = (
            f"{size(last['budget_bytes'])} for the tables, which took at most {size(last['peak_table_bytes'])}; "
            f"refused for memory: {last['refused_additions']:,} additions, {last['refused_returns']:,} returns"
        )
    if result.warnings:
        rows["note"] = "; ".join(result.warnings)
    if result.run is not None:
        rows["run"] = str(result.run)
    return rows


def _in_blinds(result: Result) -> str:
    """The exploitability in thousandths of a big blind, where the game has blinds."""
    blinds = getattr(result.strategy.source, "blinds", None)
    return "" if blinds is None else f", {1000 * result.exploitability / blinds[1]:.4g} mbb/hand"


def curve(result: Result) -> Curve:
    """The exploitability of a result over time."""
    label = f"{result.settings.rule}, {result.settings.updates} updates"
    return Curve(label, result.game, "solve", result.convergence)
