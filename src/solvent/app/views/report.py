"""A training's report: one HTML page with the preflop charts, what was measured, regret over time and sizes."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvent.app.views.action_colours import action_colours
from solvent.app.views.evaluation_section import evaluation_section
from solvent.cards.isomorphism import Indexer
from solvent.foundation.extras import pyplot
from solvent.foundation.files import write_text
from solvent.foundation.units import size
from solvent.games.betting.rules import FOLD
from solvent.solvers.blueprint.training import training_cost
from solvent.solvers.settings import TrainingSettings
from solvent.strategy.betting_line import action_label
from solvent.strategy.trained import class_label

if TYPE_CHECKING:
    from pathlib import Path

    from solvent.strategy.blueprint import Blueprint
    from solvent.strategy.training_run import TrainingRun

CHARTS = 3
FINE = 60
"""Columns of pixels that a hand's actions share."""


def write_report(training: TrainingRun, path: Path) -> None:
    """Write the page."""
    blueprint, facts = training.blueprint(), training.run.facts()
    cost, settings = training_cost(training.tree, training.cards), _settings(training)
    rows = {
        "cards": f"{training.cards.design.label}, fingerprint {training.cards.fingerprint}",
        "betting": f"{settings.betting}: " + "; ".join(training.tree.abstraction.describe()),
        "betting nodes": f"{cost.nodes:,}",
        "rows, infoset-actions": f"{cost.rows:,}, {cost.infoset_actions:,}",
        "tables": size(cost.table_bytes),
        "iterations": f"{blueprint.iterations:,} in {facts['seconds']:,.0f} s",
        "rows touched": f"{facts['touched']:,}",
        "learning": _learning(settings),
        "seed": str(settings.seed),
    }
    lines = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
    charts = "".join(
        f"<figure><img src='data:image/png;base64,{_chart(blueprint, node)}'>"
        f"<figcaption>{html.escape(title)}</figcaption></figure>"
        for node, title in _preflop_decisions(blueprint)
    )
    write_text(
        path,
        "<!doctype html><meta charset='utf-8'><title>solvent: blueprint</title><style>body{font:15px sans-serif;"
        "max-width:64em;margin:2em auto}th{text-align:left;padding-right:2em;font-weight:normal;color:#555}"
        "figure{display:inline-block;margin:0 1em 1em 0}figcaption{color:#555}.measured{margin:0 0 1.5em;"
        "font-variant-numeric:tabular-nums}.measured td{padding-right:2em;vertical-align:top}</style>"
        f"<h1>Heads-up no-limit hold'em blueprint</h1><table>{lines}</table><h2>Before the flop</h2>{charts}"
        f"{evaluation_section(training.folder, blueprint.iterations)}"
        f"{_progress(training)}\n",
    )


def _settings(training: TrainingRun) -> TrainingSettings:
    """What the training was begun with."""
    return TrainingSettings.resumed(training.run.configuration, {}, str(training.folder))


def _learning(settings: TrainingSettings) -> str:
    """How the training weighs and explores, in a line."""
    parts = [f"rule {settings.rule}", f"reward {settings.reward}"]
    if settings.exploration_decay:
        parts.append("exploration decay")
    if settings.regret_floor:
        parts.append(f"regret floor {settings.regret_floor:g} BB")
    if settings.initial_weights:
        parts.append("initial weights")
    return ", ".join(parts)


def _preflop_decisions(blueprint: Blueprint) -> list[tuple[int, str]]:
    """The first decision, and what follows a call and the smallest raise."""
    tree = blueprint.tree
    wanted = [(0, "the button's first action")]
    for action, child in zip(tree.actions(0), tree.children(0), strict=True):
        if action != FOLD and tree.actions(child):
            wanted.append((child, "the big blind after " + action_label(tree, 0, action)))
    return wanted[:CHARTS]


def preflop_chart(blueprint: Blueprint, node: int) -> NDArray[np.float64]:
    """float64[13, 13, actions]: the average strategy, aces first, suited hands above the diagonal."""
    index = Indexer([2])
    made = np.zeros((13, 13, len(blueprint.tree.actions(node))))
    for row in range(13):
        for column in range(13):
            high, low = 12 - min(row, column), 12 - max(row, column)
            hole = (4 * high, 4 * low + (0 if column > row else 1))
            made[row, column] = blueprint.average(node, 0, index.index(hole))
    return made


def _chart(blueprint: Blueprint, node: int) -> str:
    tree, colours = blueprint.tree, action_colours(blueprint.tree, node)
    chart = preflop_chart(blueprint, node)
    figure, axes, plt = _figure((5.4, 5.6))
    axes.imshow(_bars(chart, colours), extent=(0, 13, 13, 0), aspect="auto", interpolation="nearest")
    for row in range(13):
        for column in range(13):
            names = class_label(row, column)
            axes.text(column + 0.5, row + 0.5, names, ha="center", va="center", fontsize=6.5, color="white")
    axes.set_xlim(0, 13)
    axes.set_ylim(13, 0)
    axes.axis("off")
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=colours[which], label=action_label(tree, node, action))
        for which, action in enumerate(tree.actions(node))
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=7, frameon=False)
    return _png(figure, plt)


def _bars(chart: NDArray[np.float64], colours: Sequence[str]) -> NDArray[np.float64]:
    """A picture, float64[13, 13 x FINE, 3]: each hand's actions side by side, as wide as they are likely."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(colour) for colour in colours])
    ends = np.cumsum(chart, axis=2)[:, :, None, :-1]
    places = (np.arange(FINE) + 0.5)[:, None] / FINE
    which = (places >= ends).sum(axis=3)
    picture: NDArray[np.float64] = palette[which].reshape(13, 13 * FINE, 3)
    return picture


def _progress(training: TrainingRun) -> str:
    rows = training.run.metrics()
    if not rows:
        return ""
    figure, axes, plt = _figure((8, 3.2))
    axes.loglog([row["iterations"] for row in rows], [max(row["regret"], 1e-3) for row in rows], marker=".")
    axes.set_xlabel("iterations")
    axes.set_ylabel("regret of the first decision (mbb)")
    axes.grid(which="both", alpha=0.25)
    return f"<h2>Training</h2><img src='data:image/png;base64,{_png(figure, plt)}'>"


def _figure(inches: tuple[float, float]) -> tuple[Any, Any, Any]:
    plt = pyplot()
    figure, axes = plt.subplots(figsize=inches, layout="constrained")
    return figure, axes, plt


def _png(figure: Any, plt: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=100, format="png")
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
