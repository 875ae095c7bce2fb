"""The figures of Tartanian7's experiments by name, for the ledger of claims, and the comparisons behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot

from solvent.experiments.confidence import Interval, ratio_interval
from solvent.experiments.tartanian7 import post_processing, sampled_buckets
from solvent.experiments.tartanian7.abstraction_pictures import STREETS
from solvent.experiments.tartanian7.abstraction_quality import Public, Result, Row
from solvent.experiments.tartanian7.post_processing import PostProcessingTable, average, least

NEW, NONE = "new(0.2)", "none"


def abstraction_figures(result: Result) -> dict[str, float]:
    """Return what hierarchies keep, how balanced clusters of flops are, and how methods compare in EMD."""
    found: dict[str, float] = {}
    for clusters, buckets in result.scale.hierarchies:
        for street in STREETS:
            found[f"kept.{street}.{clusters}x{buckets}"] = kept(result, street, clusters, buckets)
    for clusters in result.scale.public:
        by = {row.method: row for row in result.publics if row.clusters == clusters}
        emds = [row.emd for name, row in by.items() if name != "literal"]
        found |= {
            f"literal.clusters left.{clusters}": float(clusters - by["literal"].empty),
            f"sequential.clusters left.{clusters}": float(clusters - by["sequential"].empty),
            f"balance.sum.{clusters}": balance(by["sequential"]),
            f"balance.average.{clusters}": balance(by["average"]),
            f"balance.average by sum.{clusters}": balance(by["average"]) / balance(by["sequential"]),
            f"seconds.medoids by sum.{clusters}": by["medoids"].seconds / by["sequential"].seconds,
            f"seconds.medoids by literal.{clusters}": by["medoids"].seconds / by["literal"].seconds,
            f"emd.worst by best objective.{clusters}": max(emds) / min(emds),
        }
    for size in result.scale.sizes:
        aware, plain = (result.one("potential", "flop", method, size) for method in ("potential", "emd"))
        found[f"potential.own measure.{size}"] = measured(aware.potential) / measured(plain.potential)
        for street in STREETS:
            histograms, means = (
                result.one("buckets", street, method, size) for method in ("emd", "percentiles")
            )
            found[f"emd.percentiles by histograms.{street}.{size}"] = measured(means.emd) / measured(
                histograms.emd
            )
    return found


def kept(result: Result, street: str, clusters: int, buckets: int) -> float:
    """Return the part of the EMD that C x B free buckets save on B free ones that C clusters of B buckets save."""
    whole, free, few = (measured(row.emd) for row in hierarchy(result, street, clusters, buckets))
    return (few - whole) / (few - free)


def hierarchy(result: Result, street: str, clusters: int, buckets: int) -> tuple[Row, Row, Row]:
    """Return the rows of clusters x buckets, of as many free buckets, and of as few as are in a cluster."""
    rows = result.of("hierarchy", street)
    whole = next(
        row for row in rows if (row.method, row.clusters, row.buckets) == ("hierarchical", clusters, buckets)
    )
    free, few = (result.one("hierarchy", street, "free", size) for size in (clusters * buckets, buckets))
    return whole, free, few


def balance(row: Public) -> float:
    """Return the largest cluster's flops by those of the smallest."""
    return row.largest / row.smallest


def measured(value: float | None) -> float:
    """Return a measure that was taken."""
    assert value is not None
    return value


def sampled_bucket_figures(result: sampled_buckets.Result) -> dict[str, float]:
    """Return ratios of exploitability with their intervals, named `hierarchical by free.24.sampled.high`."""
    found: dict[str, float] = {}
    pairs = {
        "hierarchical by free": (sampled_buckets.HIERARCHICAL, sampled_buckets.FREE),
        "EMD by percentiles": (sampled_buckets.FREE, sampled_buckets.PERCENTILES),
    }
    last = (sampled_buckets.SAMPLED, result.scale.iterations[-1])
    for name, (method, other) in pairs.items():
        for size in result.scale.sizes:
            for solver, iterations in (last, (sampled_buckets.FULL_WIDTH, result.scale.full_width)):
                ratio = ratio_of(result, method, other, size, solver, iterations)
                found |= dict(_named(f"{name}.{size}.{solver}", ratio))
    return found


def ratio_of(
    result: sampled_buckets.Result, method: str, other: str, size: int, solver: str, iterations: int
) -> Interval:
    """Return exploitability on one kind of buckets by that on another, paired by clustering."""
    values, others = (result.values(name, size, solver, iterations) for name in (method, other))
    if len(others) == 1:
        others = others * len(values)
    return ratio_interval(values, others)


def post_processing_figures(found: PostProcessingTable) -> dict[str, float]:
    """Return winnings in mbb/hand by post-processing: the mean, the least, and leads with their intervals.

    `lead.mean.none` is New-0.2's lead over no post-processing; `over none.mean.purify` is purification's.
    """
    figures: dict[str, float] = {}
    mine, none = found.row(NEW), found.row(NONE)
    for post in post_processing.POSTS:
        row = found.row(post)
        figures |= {f"mean.{post}": average(row), f"least.{post}": least(row)}
        figures |= {
            f"lbr.{post}": each.mbb
            for each in found.responses
            if (each.post, each.opponent) == (post, "fcpa")
        }
        if post != NEW:
            figures |= _lead("lead", post, mine, row)
        if post != NONE:
            figures |= _lead("over none", post, row, none)
    return figures


def _lead(
    name: str, post: str, row: Sequence[post_processing.Row], other: Sequence[post_processing.Row]
) -> dict[str, float]:
    """Return how far one row is ahead of another, in the mean and at worst."""
    lead = average(row) - average(other)
    width = hypot(*(each.interval for each in (*row, *other))) / len(other)
    figures = dict(_named(f"{name}.mean.{post}", Interval(lead, lead - width, lead + width)))
    worst, others = (min(rows, key=lambda each: each.mbb) for rows in (row, other))
    lead, width = worst.mbb - others.mbb, hypot(worst.interval, others.interval)
    return figures | dict(_named(f"{name}.least.{post}", Interval(lead, lead - width, lead + width)))


def _named(name: str, interval: Interval) -> Iterator[tuple[str, float]]:
    yield name, interval.middle
    yield f"{name}.low", interval.low
    yield f"{name}.high", interval.high
