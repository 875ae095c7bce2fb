"""What a solve of a spot reached, as tables."""

from __future__ import annotations

from rich.table import Table

from solvent.app.terminal import facts_table, table
from solvent.cards.deck import cards_label
from solvent.foundation.units import size, span
from solvent.games.spot import NAMES
from solvent.solvers.holdem.spot_run import SpotResult


def spot_tables(result: SpotResult) -> list[Table]:
    """How it was solved, what each player gets, and how often OOP takes each action at the root."""
    shown = [facts_table(_title(result), _facts(result)), _players(result)]
    return [*shown, _actions(result)] if result.root_actions else shown


def _title(result: SpotResult) -> str:
    spot = result.spot
    return f"{cards_label(spot.root_board)}, pot {spot.pot:,}, stack {spot.stack:,}"


def _facts(result: SpotResult) -> dict[str, str]:
    settings = result.settings
    return {
        "exploitability": f"{result.exploitability_percent:.4f} % of the pot, {result.exploitability:.4g} chips",
        "stopped by": result.stopped_by,
        "iterations": f"{result.iterations:,} in {span(result.seconds)}, {span(result.seconds_per_iteration)} each",
        "build": f"{span(result.build_seconds)}, and {span(result.compile_seconds)} for kernels",
        "rule": f"{settings.rule}, {settings.dtype}, {result.threads} thread{'s' * (result.threads > 1)}",
        "memory": f"{size(result.table_bytes)} of tables, {size(result.peak_memory_bytes)} at most in all",
    }


def _players(result: SpotResult) -> Table:
    shown = table("", "EV", "equity", "gain by best response", "hands")
    for player, name in enumerate(NAMES):
        shown.add_row(
            name,
            f"{result.ev[player]:.3f}",
            f"{100 * result.equity[player]:.2f} %",
            f"{result.evaluation.gains[player]:.4g}",
            f"{result.size.hands[player]:,}",
        )
    return shown


def _actions(result: SpotResult) -> Table:
    shown = table(f"{NAMES[0]} first", "frequency")
    for action, frequency in result.root_actions.items():
        shown.add_row(action, f"{100 * frequency:.2f} %")
    return shown
