"""Curves of convergence: exploitability, or an agent's regret, over iterations or seconds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra, pyplot
from solvent.foundation.storage.files import write_picture
from solvent.foundation.storage.run import KINDS, Run

OVER = ("iterations", "seconds")
MEASURES = {
    "solve": ("exploitability", "exploitability (chips, NashConv/2)"),
    "spot": ("exploitability", "exploitability (chips, half of what both would gain)"),
    "training": ("regret", "regret of the first decision (mbb)"),
}
"""Measurement of runs of each kind: the key in their metrics, and the label of an axis."""
FORMATS = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Curve:
    """The measurements of one run."""

    label: str
    game: str
    kind: str
    rows: Sequence[Mapping[str, Any]]

    @staticmethod
    def of_run(folder: Path) -> Curve:
        """Read the curve that a run's folder keeps."""
        run = Run.open(folder)
        if run.kind not in MEASURES:
            raise InputError(
                f"{folder} holds {KINDS[run.kind]}, which has no curve; name solves or trainings"
            )
        asked = run.configuration
        rule = ", ".join(f"{asked[key]}" for key in ("rule", "updates") if asked.get(key))
        game = asked.get("game") or f"no-limit hold'em, {asked.get('betting')}"
        if run.kind == "spot":  # ranges may be long
            game = re.sub(r",(oop|ip)=('[^']*'|[^,)]*)", "", str(game))
        return Curve(f"{folder}: {rule}", str(game), run.kind, run.metrics())

    def points(self, over: str) -> tuple[list[float], list[float]]:
        """Select the points for logarithmic axes: places and measurements above 0."""
        measure = MEASURES[self.kind][0]
        pairs = [(row[over], row[measure]) for row in self.rows if row[over] > 0 and row[measure] > 0]
        return [place for place, _ in pairs], [value for _, value in pairs]


def draw(
    curves: Sequence[Curve], over: str = "iterations", title: str | None = None, axes: Any = None
) -> Any:
    """Draw curves of one kind on logarithmic axes, new ones unless `axes` are given; returns the axes."""
    if over not in OVER:
        raise InputError(f"curves are drawn over iterations or seconds, not {over!r}")
    kinds = {curve.kind for curve in curves}
    if len(kinds) != 1:
        raise InputError(
            "solves, spots and trainings are measured in different units; draw them in different pictures"
        )
    if axes is None:
        extra("matplotlib", "pictures")
        from matplotlib import pyplot as plt

        _, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    games = {curve.game for curve in curves}
    for curve in curves:
        label = curve.label if len(games) == 1 else f"{curve.label}, {curve.game}"
        axes.loglog(*curve.points(over), marker=".", label=label)
    measure = MEASURES[kinds.pop()][1]
    axes.set_xlabel(over if over == "iterations" else "seconds of computing")
    axes.set_ylabel(measure)
    axes.set_title(title or (games.pop() if len(games) == 1 else measure.partition(" (")[0]))
    axes.grid(which="both", alpha=0.25)
    if len(curves) > 1:
        axes.legend(fontsize="small")
    return axes


def save(curves: Sequence[Curve], path: Path, over: str = "iterations", title: str | None = None) -> None:
    """Draw curves into a file, in the format that its name ends with."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"pictures are written as {', '.join(FORMATS)}, not {path.suffix or path.name!r}")
    plt = pyplot()
    axes = draw(curves, over, title)
    try:
        write_picture(path, axes.figure, dpi=120)
    finally:
        plt.close(axes.figure)
