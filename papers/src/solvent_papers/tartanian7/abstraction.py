"""The experiment on card abstractions: how well buckets of hands fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from solvent.abstraction.cards.feature_kernels import BINS
from solvent.cards.isomorphism import Indexer
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7 import abstraction_hands
from solvent_papers.tartanian7.abstraction_quality import SMALL, STREETS, Row, Sizes, compare

LABELS = {
    "emd": "k-medians, EMD",
    "percentiles": "percentiles, EHS",
    "intervals": "intervals, EHS",
    "potential": "potential-aware",
    "free": "free k-means",
}
"""Names of methods on the page and in pictures."""
NAMES = {"emd": "EMD", "spread": "spread", "ochs": "squared OCHS distance"}
"""Names of measures in pictures."""
OBJECTIVES = ("sequential", "average", "medoids")
"""Ways to cluster flops but for the algorithm as printed."""


@dataclass(frozen=True)
class FitSetup(Setup):
    """The hands on a dozen flops at small scale."""

    threads: int = option(2, "Threads.", 1, 1024)


def run(setup: FitSetup, kept: KeptRuns, say: Say) -> Found:
    """Prepare the hands and make all comparisons."""
    sizes = SMALL if setup.small else Sizes()
    if sizes.flops is None:
        hands, opponents = abstraction_hands.all_hands(setup.threads, say)
    else:
        say(f"the hands on {sizes.flops} flops")
        evenly = np.linspace(0, Indexer([3]).size - 1, sizes.flops).astype(int)
        hands, opponents = abstraction_hands.hands_on(evenly.tolist(), setup.threads)
    say("river hands and their codes")
    codes = sizes.strips, sizes.codes_per_strip, sizes.river_every
    river = abstraction_hands.river_on(opponents, *codes, setup.threads)
    return compare(hands, river, sizes, setup.threads, say)


def row_of(found: Found, part: str, street: str, method: str, buckets: int, clusters: int = 1) -> Row:
    """Return the row of one way to put hands into buckets."""
    asked = part, street, method, clusters, buckets
    keys = "part", "street", "method", "clusters", "buckets"
    rows: list[Row] = found["rows"]
    return next(row for row in rows if tuple(row[key] for key in keys) == asked)


def figures(found: Found) -> dict[str, float]:
    """Return what hierarchies keep, how balanced clusters of flops are, and how methods compare in EMD.

    `kept` is the share of the EMD that C x B free buckets save on B free ones that C clusters of B buckets save.
    """
    result: dict[str, float] = {}
    sizes, row = found["sizes"], partial(row_of, found)
    for clusters, buckets in sizes["hierarchies"]:
        for street in STREETS:
            whole = row("hierarchy", street, "hierarchical", buckets, clusters)["emd"]
            free, few = (
                row("hierarchy", street, "free", size)["emd"] for size in (clusters * buckets, buckets)
            )
            result[f"kept.{street}.{clusters}x{buckets}"] = (few - whole) / (few - free)
    for clusters in sizes["public"]:
        by = {each["method"]: each for each in found["publics"] if each["clusters"] == clusters}
        balance = {name: each["largest"] / each["smallest"] for name, each in by.items()}
        seconds = {name: each["seconds"] for name, each in by.items()}
        emds = [by[name]["emd"] for name in OBJECTIVES]
        result |= {
            f"literal.clusters left.{clusters}": float(clusters - by["literal"]["empty"]),
            f"sequential.clusters left.{clusters}": float(clusters - by["sequential"]["empty"]),
            f"balance.sum.{clusters}": balance["sequential"],
            f"balance.average.{clusters}": balance["average"],
            f"balance.average by sum.{clusters}": balance["average"] / balance["sequential"],
            f"seconds.medoids by sum.{clusters}": seconds["medoids"] / seconds["sequential"],
            f"seconds.medoids by literal.{clusters}": seconds["medoids"] / seconds["literal"],
            f"emd.worst by best objective.{clusters}": max(emds) / min(emds),
        }
    for size in sizes["free"]:
        aware, plain = (row("potential", "flop", name, size)["potential"] for name in ("potential", "emd"))
        result[f"potential.own measure.{size}"] = aware / plain
        for street in STREETS:
            histograms, means = (row("buckets", street, name, size)["emd"] for name in ("emd", "percentiles"))
            result[f"emd.percentiles by histograms.{street}.{size}"] = means / histograms
    return result


def view(found: Findings) -> dict[str, Any]:
    """Return the findings, their rows by what they measure, and the names of methods."""
    fit = found["fit"]
    return {"fit": fit, "sizes": fit["sizes"], "row": partial(row_of, fit), "labels": LABELS}


def pictures(found: Findings, page: Path) -> None:
    """Draw both measures by the number of buckets, and the histograms of the examples."""
    plot_sizes(found["fit"], page.with_suffix(".png"))
    plot_examples(found["fit"]["examples"], page.with_name(f"{page.stem}-buckets.png"))


def plot_sizes(found: Found, path: Path) -> None:
    """Draw both measures of flop, turn and river by the number of buckets."""
    with panels(path, (3, 2), (5, 3.5)) as grid:
        for street, line in zip(STREETS, grid, strict=False):
            for measure, axes in zip(("emd", "spread"), line, strict=True):
                _plot_street([each for each in found["rows"] if each["street"] == street], measure, axes)
                _finish(axes, f"{street}: {NAMES[measure]}")
        sizes = found["sizes"]["river"]
        rows = [each for each in found["rows"] if each["part"] == "river" and each["buckets"] in sizes]
        for measure, axes in zip(("ochs", "spread"), grid[2], strict=True):
            for method in dict.fromkeys(each["method"] for each in rows):
                _line(axes, [each for each in rows if each["method"] == method], measure, method)
            _finish(axes, f"river: {NAMES[measure]}", "x 1,000" if measure == "ochs" else "equity x 1,000")


def _plot_street(rows: Sequence[Row], measure: str, axes: Any) -> None:
    """Draw a measure of free buckets as lines, and of hierarchies as squares."""
    for method in ("emd", "percentiles", "intervals"):
        ways = (("buckets", method), ("hierarchy", "free" if method == "emd" else ""))
        _line(axes, [each for each in rows if (each["part"], each["method"]) in ways], measure, method)
    whole = [each for each in rows if each["method"] == "hierarchical"]
    places = [(each["clusters"] * each["buckets"], 1e3 * each[measure]) for each in whole]
    axes.plot(*zip(*places, strict=True), "ks", fillstyle="none", label="hierarchical, EMD")
    for each, place in zip(whole, places, strict=True):
        shown = f"{each['clusters']} x {each['buckets']}"
        axes.annotate(shown, place, (0, 6), textcoords="offset points", fontsize=7, ha="center")
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.14)  # room for the labels at the edges


def _line(axes: Any, rows: Iterable[Row], measure: str, method: str) -> None:
    """Draw a measure of a method by the number of buckets."""
    points = sorted({(each["buckets"], 1e3 * each[measure]) for each in rows})
    axes.plot(*zip(*points, strict=True), "o-", label=LABELS.get(method, method))


def plot_examples(examples: Sequence[Found], path: Path) -> None:
    """Draw the mean histograms of buckets by percentiles, and of those that k-medians put their hands in."""
    middles = (np.arange(BINS) + 0.5) / BINS
    with panels(path, (1, len(examples)), (4.6, 3.6)) as grid:
        for axes, each in zip(grid[0], examples, strict=True):
            axes.bar(middles, each["shares"], 1 / BINS, color="0.8", label="one bucket, percentiles of EHS")
            for name in ("steady", "draw"):
                label = f"bucket by EMD, {name}: {each[name]['hand']}"
                axes.step(middles, each[name]["shares"], where="mid", label=label)
            title = f"flop hands of mean equity {each['equity']:.2f}"
            _finish(axes, title, "share of run-outs", "equity on the river")
            axes.set_ylim(top=1.35 * axes.get_ylim()[1])  # room for the legend


def _finish(axes: Any, title: str, y: str = "equity x 1,000", x: str = "buckets") -> None:
    dress(axes, x, y, title)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7)


EXPERIMENT = Experiment(
    "abstraction",
    "Card abstractions: how well their buckets fit",
    FitSetup,
    (Part("fit", run, figures),),
    view,
    lambda found: {
        "abstraction.csv": found["fit"]["rows"],
        "abstraction-public.csv": found["fit"]["publics"],
    },
    pictures,
)
