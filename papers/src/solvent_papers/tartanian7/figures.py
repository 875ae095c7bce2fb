"""The figures of Tartanian7's abstractions by name, for the ledger of claims, and the comparisons behind them."""

from __future__ import annotations

from collections.abc import Iterator

from solvent_papers.confidence import Interval, ratio_interval
from solvent_papers.tartanian7 import sampled_buckets
from solvent_papers.tartanian7.abstraction_pictures import STREETS
from solvent_papers.tartanian7.abstraction_quality import Public, Result, Row


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


def _named(name: str, interval: Interval) -> Iterator[tuple[str, float]]:
    yield name, interval.middle
    yield f"{name}.low", interval.low
    yield f"{name}.high", interval.high
