"""The pictures of the pruning experiment: space, convergence and the cost of an iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from solvent.foundation.extras import pyplot
from solvent_papers.total_rbp.pruning import (
    AVERAGES,
    MAIN_AVERAGES,
    OURS,
    PAPER,
    VARIANTS,
    Result,
    Setting,
    costs,
    nodes_an_iteration,
    none_cost,
    serial,
)


def plot_space(result: Result, path: Path) -> None:
    """A panel for each game and variant: what is stored over iterations, a colour for each C."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for number, average in enumerate(AVERAGES):
            points = result.traces[Setting(game, *variant, "total", average)]
            iterations = [p.iterations for p in points]
            color = f"C{number}"
            axes.semilogx(iterations, [p.stored for p in points], color=color, label=f"C = {average:g}")
            axes.semilogx(iterations, [p.regrets for p in points], color=color, linestyle=":", linewidth=1)
            ours = result.traces[Setting(game, *variant, "total", average, gates=OURS)]
            iterations = [p.iterations for p in ours]
            axes.semilogx(iterations, [p.stored for p in ours], color=color, linestyle="--", linewidth=1)
        axes.set_ylim(0, 1.05)
        _dress(
            axes,
            f"{game}, {variant[0].upper()}, {variant[1]}",
            "iterations",
            "stored (dotted: regrets; dashed: our gates)",
        )

    _panels(result.games, VARIANTS, draw, path)


def plot_convergence(result: Result, path: Path) -> None:
    """A panel for each game and rule: exploitability over nodes, log-log; the lowest so far with CFR+."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for setting, points in serial(result, game, *variant).items():
            shown = [
                (p.nodes_touched, p.lowest if setting.rule == "cfr+" else p.exploitability) for p in points
            ]
            axes.loglog(*zip(*(pair for pair in shown if pair[1] > 0), strict=True), label=setting.label)
        _dress(axes, f"{game}, {variant[0].upper()}", "nodes touched", "exploitability, chips")

    _panels(result.games, [v for v in VARIANTS if v[1] == "alternating"], draw, path)


def plot_cost(result: Result, path: Path) -> None:
    """Nodes an iteration over iterations on the last game, log-log."""

    def draw(axes: Any, game: str, variant: tuple[str, str]) -> None:
        for label, (setting, points) in costs(result).items():
            spent = [nodes_an_iteration(points, point) for point in points]
            iterations = [p.iterations for p in points]
            (line,) = axes.loglog(iterations, [sum(cost) for cost in spent], label=label)
            if (
                (setting.rule, setting.updates) == variant
                and setting.pruning == "total"
                and setting.gates == PAPER
            ):
                responses = [cost[1] or None for cost in spent]
                axes.loglog(
                    iterations, responses, color=line.get_color(), linestyle=":", label="its best responses"
                )
        none = none_cost(result)
        axes.loglog(iterations, [none / n for n in iterations], color="0.6", linewidth=0.8, label="none / T")
        axes.set_ylim(bottom=1)
        _dress(axes, f"{game}, C = {MAIN_AVERAGES[0]:g}", "iterations", "nodes an iteration")

    _panels(result.games[-1:], VARIANTS[:1], draw, path, size=(7.0, 4.5))


def _panels(
    games: Sequence[str],
    variants: Sequence[tuple[str, str]],
    draw: Callable[[Any, str, tuple[str, str]], None],
    path: Path,
    size: tuple[float, float] = (4.0, 3.3),
) -> None:
    """A row of panels for each game, a column for each variant."""
    plt = pyplot()
    figure, grid = plt.subplots(
        len(games),
        len(variants),
        figsize=(size[0] * len(variants), size[1] * len(games)),
        layout="constrained",
        squeeze=False,
    )
    for row, game in zip(grid, games, strict=True):
        for axes, variant in zip(row, variants, strict=True):
            draw(axes, game, variant)
    grid.flat[0].legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _dress(axes: Any, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x, fontsize=8)
    axes.set_ylabel(y, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(which="both", alpha=0.25)
