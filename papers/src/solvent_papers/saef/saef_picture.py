"""The picture of the SAEF experiment: exploitability and size over nodes touched, as in Figure 1, and seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.foundation.extras import pyplot
from solvent_papers.saef.curves import NODES, SECONDS
from solvent_papers.saef.figure_one import CAPPED, FIXED, MAIN, Result

PANELS = (("informed", "exploitability, chips"), ("nodes", "public nodes of the abstraction"))
PLACES = ((NODES, "nodes touched"), (SECONDS, "seconds"))


def plot_saef(result: Result, path: Path) -> None:
    """Draw exploitability above size; fixed abstractions are dashed, dots are uninformed exploiters."""
    plt = pyplot()
    figure, grid = plt.subplots(2, 2, figsize=(10.0, 7.0), layout="constrained")
    for row, (number, y) in zip(grid, PANELS, strict=True):
        for axes, (over, x) in zip(row, PLACES, strict=True):
            for color, name in enumerate(name for name in result.traces if name != CAPPED):
                _draw(axes, result, name, over, number, f"C{color}")
            axes.set_xlabel(x, fontsize=8)
            axes.set_ylabel(y, fontsize=8)
            axes.tick_params(labelsize=7)
            axes.grid(which="both", alpha=0.25)
    grid[0][0].legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _draw(axes: Any, result: Result, name: str, over: str, number: str, color: str) -> None:
    points = result.traces[name].points
    places = [getattr(point, over) for point in points]
    style = "--" if name in FIXED else "-"
    width = 2.0 if name == MAIN else 1.0
    values = [getattr(point, number) for point in points]
    axes.loglog(places, values, style, color=color, linewidth=width, label=name)
    if number == "informed":
        known = [p for p in points if p.uninformed_high is not None]
        axes.loglog([getattr(p, over) for p in known], [p.uninformed_high for p in known], ".", color=color)
