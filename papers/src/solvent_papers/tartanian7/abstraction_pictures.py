"""Pictures of how well buckets of hands fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from solvent.abstraction.cards.feature_kernels import BINS
from solvent.cards.deck import cards_label
from solvent.foundation.extras import pyplot
from solvent_papers.tartanian7.abstraction_quality import Example, Result

METHODS = {
    "emd": "k-medians, EMD",
    "percentiles": "percentiles, EHS",
    "intervals": "intervals, EHS",
    "potential": "potential-aware",
    "free": "free k-means",
}
STREETS = ("flop", "turn")


def plot_sizes(result: Result, path: Path) -> None:
    """Both measures of flop, turn and river by the number of buckets."""
    plt = pyplot()
    figure, grid = plt.subplots(3, 2, figsize=(10, 10.5), layout="constrained")
    for row, street in zip(grid, STREETS, strict=False):
        for axes, what in zip(row, ("emd", "spread"), strict=True):
            for method in ("emd", "percentiles", "intervals"):
                rows = [each for each in result.of("buckets", street) if each.method == method]
                if method == "emd":
                    rows += [each for each in result.of("hierarchy", street) if each.method == "free"]
                points = sorted({(each.total, getattr(each, what)) for each in rows})
                _line(axes, [size for size, _ in points], [value for _, value in points], METHODS[method])
            rows = [each for each in result.of("hierarchy", street) if each.method == "hierarchical"]
            axes.plot([each.total for each in rows], [1e3 * getattr(each, what) for each in rows], "ks",
                      fillstyle="none", label="hierarchical, EMD")  # fmt: skip
            for each in rows:
                place = (each.total, 1e3 * getattr(each, what))
                label = f"{each.clusters} x {each.buckets}"
                axes.annotate(label, place, (0, 6), textcoords="offset points", fontsize=7, ha="center")
            axes.set_xscale("log")
            axes.margins(x=0.12, y=0.14)  # room for the labels at the edges
            _dress(axes, f"{street}: {'EMD' if what == 'emd' else 'spread'}", "equity x 1,000")
    for axes, what in zip(grid[2], ("ochs", "spread"), strict=True):
        for method in dict.fromkeys(row.method for row in result.of("river")):
            rows = [
                row
                for row in result.of("river")
                if row.method == method and row.buckets in result.scale.river_sizes
            ]
            _line(axes, [each.total for each in rows], [getattr(each, what) for each in rows],
                  METHODS.get(method, method))  # fmt: skip
        title = "squared OCHS distance" if what == "ochs" else "spread"
        _dress(axes, f"river: {title}", "x 1,000" if what == "ochs" else "equity x 1,000")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_examples(examples: Sequence[Example], path: Path) -> None:
    """The mean histograms of buckets by percentiles, and of those that k-medians put their hands in."""
    plt = pyplot()
    figure, grid = plt.subplots(
        1, len(examples), figsize=(4.6 * len(examples), 3.6), layout="constrained", squeeze=False
    )
    middles = (np.arange(BINS) + 0.5) / BINS
    for axes, each in zip(grid[0], examples, strict=True):
        axes.bar(middles, each.whole, width=1 / BINS, color="0.8", label="one bucket, percentiles of EHS")
        for part, cards, what in zip(each.parts, each.cards, ("steady", "draw"), strict=True):
            shown = f"{cards_label(cards[:2])} on {cards_label(cards[2:])}"
            axes.step(middles, part, where="mid", label=f"bucket by EMD, {what}: {shown}")
        _dress(axes, f"flop hands of mean equity {each.equity:.2f}", "share of run-outs")
        axes.set_xlabel("equity on the river", fontsize=8)
        axes.set_ylim(top=1.35 * axes.get_ylim()[1])  # room for the legend
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _line(axes: Any, sizes: Sequence[int], values: Sequence[float], label: str) -> None:
    axes.plot(sizes, [1e3 * value for value in values], "o-", label=label)


def _dress(axes: Any, title: str, y: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("buckets", fontsize=8)
    axes.set_ylabel(y, fontsize=8)
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7)
    axes.grid(alpha=0.25)
