"""The result of a solve of a spot as tables, and the strategy at a decision as a 13 x 13 grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from solvent.app.terminal import facts_table, table
from solvent.app.views.charts.class_chart import COLOURED_NOTE, MARKED_NOTE, MARKS, chart_lines
from solvent.cards.deck import cards_label
from solvent.foundation.units import size, span
from solvent.games.holdem.spot import NAMES
from solvent.spots.growing_work import SizesFound
from solvent.spots.nodes.grid import class_frequencies, node_colours, node_heights
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.run import SpotResult

PLAIN = {"fold": "f", "check": "c", "call": "c"}
"""Marks of actions without an amount."""


def spot_view(result: SpotResult, width: int, coloured: bool) -> Group:
    """The solve in figures, both players' results, and the strategy of the first decision."""
    spot = result.spot
    title = f"{cards_label(spot.root_board)}, pot {spot.pot:,}, stack {spot.stack:,}"
    shown: list[RenderableType] = [facts_table(title, _facts(result)), _players(result)]
    if result.sizes_found is not None:
        shown += _sizes_found(result.sizes_found)
    root = SpotSolution(result.solver).root
    if root.player is not None:
        who = f"{NAMES[root.player]} {f'after {root.line}' if root.line else 'first'}"
        shown += [Text(f"{who}, {root.board}, pot {root.pot:,}"), node_grid(root, width, coloured)]
    return Group(*shown)


def _sizes_found(found: SizesFound) -> list[Table]:
    """The sizes that were added, in that order, and how exploitable the result is with all candidates."""
    part = 100 * found.nodes / found.candidate_nodes
    facts = {
        "sizes": found.sizes,
        "exploitability": f"{found.exploitability_percent:.4f} % of the pot in the spot with all candidates",
        "nodes": f"{found.nodes:,} x hands, {part:.1f} % of the tree with all candidates",
        "seconds": f"{span(found.look_seconds)} of looks, {span(found.adding_seconds)} of additions",
    }
    headers = ("iteration", "street", "player", "line", "added", "of the pot", "worth, % of pot")
    added = table(*headers, numbers=True)
    for one in found.added:
        size_of_pot = f"{one.percent_of_pot:.0f} %"
        worth = f"with {one.behind}" if one.behind else f"{one.worth_percent:.3f}"
        line = one.line or "first"
        added.add_row(f"{one.iteration:,}", one.street, one.player, line, one.action, size_of_pot, worth)
    return [facts_table(f"{len(found.added):,} sizes found", facts), added]


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


def grid_text(
    hands: Sequence[str],
    weights: ArrayLike,
    strategy: ArrayLike,
    heights: Mapping[str, float],
    actions: Sequence[str],
    colour: bool,
    width: int,
    colours: Sequence[str],
) -> Text:
    """The grid: a cell for each class of hands with their mean strategy by weight, and a legend of actions.

    hands: labels such as AhKh. weights: float[hands]; hands that hardly come (`not_negligible`) are left out.
    strategy: float[actions, hands]. heights: of classes (`node_heights`). actions: names such as check, bet 100.
    colour: whether cells are coloured, or say which action is the likeliest. width: columns of the terminal.
    colours: of the actions (`node_colours`).
    """
    weights, strategy = np.asarray(weights, dtype=np.float64), np.asarray(strategy, dtype=np.float64)
    bets = iter(MARKS)
    marks = [PLAIN[action] if action in PLAIN else next(bets, "+") for action in actions]
    classes = class_frequencies(hands, weights, strategy)
    lines = chart_lines(classes, heights, colours, marks, colour, width)
    note = [Text(line) for line in wrap(COLOURED_NOTE if colour else MARKED_NOTE, width)]
    lines += [Text(""), *note]
    total = weights.sum()
    means = strategy @ weights / total if total > 0 else np.zeros(len(actions))
    wide = max((len(action) for action in actions), default=0)
    for action, mean, style, mark in zip(actions, means.tolist(), colours, marks, strict=True):
        key = Text("  ", style=f"on {style}") if colour else Text(f"{mark:<2}")
        lines.append(Text.assemble(key, f" {action:<{wide}} {100 * mean:6.2f} %"))
    return Text("\n").join(lines)


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
    columns = zip(NAMES, result.ev, result.equity, result.evaluation.gains, result.size.hands, strict=True)
    rows = (
        (name, f"{ev:.3f}", f"{100 * equity:.2f} %", f"{gain:.4g}", f"{hands:,}")
        for name, ev, equity, gain, hands in columns
    )
    return table("", "EV", "equity", "gain by best response", "hands", numbers=True, rows=rows)
