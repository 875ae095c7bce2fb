"""Tables of what `bench` and `reproduce` measured."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from solvent.app.terminal import table
from solvent.foundation.units import size
from solvent_papers.aggregation.full_deck import Check
from solvent_papers.aggregation.plans import Row


def plans_view(rows: Sequence[Row]) -> RenderableType:
    """A table for each game, and why plans were refused."""
    parts: list[RenderableType] = []
    for game in dict.fromkeys(row.game for row in rows):
        shown = table("plan", "iteration", "ns per history", "peak", "speed-up", "efficiency", title=game)
        for row in rows:
            if row.game == game:
                shown.add_row(_label(row), *_numbers(row))
        parts.append(shown)
        for row in rows:
            if row.game == game and row.refused is not None:
                parts.append(f"{row.plan}: {row.refused}")
    return Group(*parts)


def _label(row: Row) -> str:
    plan = row.plan if row.plan == row.runs_as else f"{row.plan} ({row.runs_as})"
    parts = [plan, row.evaluator, "iso" if row.isomorphism else None]
    return " ".join(filter(None, [*parts, f"x{row.threads}" if row.threads > 1 else None]))


def _numbers(row: Row) -> list[str]:
    if row.seconds_per_iteration is None:
        return ["-"] * 5
    return [
        f"{row.seconds_per_iteration * 1e3:.4g} ms",
        f"{row.ns_per_history:.3g}",
        "-" if row.peak_memory_bytes is None else size(row.peak_memory_bytes),
        "-" if row.speedup is None else f"{row.speedup:,.1f}x",
        f"{row.efficiency:.2f}",
    ]


def checks_table(checks: Sequence[Check]) -> Table:
    """Exploitability over the time of a solve."""
    shown = table("iterations", "seconds", "with checks", "exploitability, chips", "mbb/hand", "resident")
    for check in checks:
        shown.add_row(
            f"{check.iterations:,}",
            f"{check.seconds:.1f}",
            f"{check.wall_seconds:.1f}",
            f"{check.exploitability:.6f}",
            f"{check.mbb_per_hand:.3f}",
            "-" if check.resident_bytes is None else size(check.resident_bytes),
        )
    return shown
