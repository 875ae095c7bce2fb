"""What a solve of a spot reached: tables, and the strategy of the first decision as a grid."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from solvent.app.terminal import facts_table, table
from solvent.app.views.spots.grid import grid_text
from solvent.cards.deck import cards_label
from solvent.foundation.units import size, span
from solvent.games.holdem.spot import NAMES
from solvent.spots.growing_work import SizesFound
from solvent.spots.nodes.grid import node_colours, node_heights
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.run import SpotResult


def spot_views(result: SpotResult, width: int, coloured: bool) -> list[RenderableType]:
    """How it was solved, what each player gets, and what the player to act does at the root."""
    shown: list[RenderableType] = [facts_table(_title(result), _facts(result)), _players(result)]
    if result.sizes_found is not None:
        shown += sizes_found_views(result.sizes_found)
    root = SpotSolution(result.solver).root
    return shown if root.player is None else [*shown, node_title(root), node_grid(root, width, coloured)]


def sizes_found_views(found: SizesFound) -> list[RenderableType]:
    """The sizes that were added, in that order, and how exploitable the result is with all candidates."""
    part = 100 * found.nodes / found.candidate_nodes
    facts = {
        "sizes": found.sizes,
        "exploitability": f"{found.exploitability_percent:.4f} % of the pot in the spot with all candidates",
        "nodes": f"{found.nodes:,} x hands, {part:.1f} % of the tree with all candidates",
        "seconds": f"{span(found.look_seconds)} of looks, {span(found.adding_seconds)} of additions",
    }
    added = table(
        "iteration", "street", "player", "line", "added", "of the pot", "worth, % of pot", numbers=True
    )
    for one in found.added:
        size_of_pot = f"{one.percent_of_pot:.0f} %"
        worth = f"with {one.behind}" if one.behind else f"{one.worth_percent:.3f}"
        line = one.line or "first"
        added.add_row(f"{one.iteration:,}", one.street, one.player, line, one.action, size_of_pot, worth)
    return [facts_table(f"{len(found.added):,} sizes found", facts), added]


def node_title(node: SpotNode) -> Text:
    """Who decides where."""
    assert node.player is not None
    return Text(
        f"{NAMES[node.player]} {f'after {node.line}' if node.line else 'first'}, {node.board}, pot {node.pot:,}"
    )


def node_grid(node: SpotNode, width: int, coloured: bool) -> Text:
    """The strategy at a decision as a grid; hands that cannot be there are left out."""
    assert node.player is not None
    who, actions = node.player, node.actions
    return grid_text(
        node.hands[who],
        node.matchups[who],
        node.strategy,
        node_heights(node),
        actions,
        coloured,
        width,
        node_colours(node),
    )


def _title(result: SpotResult) -> str:
    spot = result.spot
    return f"{cards_label(spot.root_board)}, pot {spot.pot:,}, stack {spot.stack:,}"


def _facts(result: SpotResult) -> dict[str, str]:
    settings = result.settings
    run = {} if result.run is None else {"run": str(result.run)}
    notes = {"note": "\n".join(result.notes)} if result.notes else {}
    return {
        "exploitability": f"{result.exploitability_percent:.4f} % of the pot, {result.exploitability:.4g} chips",
        "stopped by": result.stopped_by,
        "iterations": f"{result.iterations:,} in {span(result.seconds)}, {span(result.seconds_per_iteration)} each",
        "build": f"{span(result.build_seconds)}, and {span(result.compile_seconds)} for kernels",
        "rule": f"{settings.rule}, {settings.dtype}, {result.threads} thread{'s' * (result.threads > 1)}",
        "memory": f"{size(result.table_bytes)} of tables, {size(result.peak_memory_bytes)} at most in all",
        **run,
        **notes,
    }


def _players(result: SpotResult) -> Table:
    shown = table("", "EV", "equity", "gain by best response", "hands", numbers=True)
    for player, name in enumerate(NAMES):
        shown.add_row(
            name,
            f"{result.ev[player]:.3f}",
            f"{100 * result.equity[player]:.2f} %",
            f"{result.evaluation.gains[player]:.4g}",
            f"{result.size.hands[player]:,}",
        )
    return shown
