"""How well a few flops stand for all: means over medoids and over random flops, against the whole.

A small spot is solved on every flop, or on so many random ones. Means over the medoids of reports on 25 and 50
flops and over random flops are compared with the mean over the whole. The flops of one report are also solved one
by one: the same numbers must come out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.ranges import parse_range
from solvent.foundation.progress import Watch
from solvent.spots.flops.choice import WeightedFlop, all_flops, flop_distances, nearest_medoids
from solvent.spots.flops.report import FlopResult, flop_report
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.page import Reading, Summary, markdown_table, write_csv, write_page

SPOT: dict[str, Any] = {
    "oop": "44,77,88,JJ,A4s,A8s,KJs,QTs,T9s,65s",
    "ip": "22,55,99,AA,ATs,AQs,K9s,QJs,97s,KJo",
    "pot": 60,
    "stack": 120,
    "bets": "50%",
    "raises": "a",
    "turn_bets": "",
    "turn_raises": "",
    "river_bets": "a",
    "cap": 1,
    "check_down": True,
}
"""A bet of half the pot on the flop, none on the turn, all-in on the river: about a second a flop. The distance
between flops was chosen on other ranges."""
UNTIL = "0.5%"
MEDOIDS, RANDOM = (25, 50), (25, 50, 200)
DRAWS, SEED = 2000, 0


@dataclass(frozen=True)
class SubsetRow:
    """The mean over some flops beside the mean over the whole."""

    sample: str
    flops: int
    check: float
    """How often OOP checks first, in percent, over these flops; over all draws for random ones."""
    check_error: float
    """Percentage points from the whole; the root of the mean square over many draws of random flops."""
    ev_error: float
    """The EV of OOP's distance from the whole in chips, likewise."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Subsets:
    """What was measured."""

    rows: tuple[SubsetRow, ...]
    whole: int
    """Flops of the whole: all, or so many random ones."""
    every: bool
    """Whether the whole is every flop."""
    whole_error: float
    """The standard error of the whole's mean checks in percentage points; 0 where it is every flop."""
    largest_difference: float
    """The largest difference of any number between the first report and single solves."""
    mean_difference: float
    """The difference of the report's mean checks from the mean of the single solves."""
    report_seconds: float
    singles_seconds: float
    threads: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def flop_subsets(
    whole: int | None = None, medoids: Sequence[int] = MEDOIDS, threads: int = 2, watch: Watch | None = None
) -> Subsets:
    """Solve the whole (all flops, or `whole` random ones), reports on medoids, and one of these flop by flop."""
    ranges = parse_range(SPOT["oop"]), parse_range(SPOT["ip"])
    every = all_flops(*ranges)
    settings = SpotSettings(until=UNTIL, threads=threads)
    distances = flop_distances(every, *ranges, threads, watch)
    chosen = {count: nearest_medoids(every, distances, count) for count in medoids}
    first = chosen[medoids[0]]
    began = time.perf_counter()
    report = flop_report(SPOT, first, settings, watch=watch)
    report_seconds = time.perf_counter() - began
    singles, singles_seconds = _one_by_one(first)
    known = {row.flop: row for row in report.rows}
    reference = every if whole is None else _random_flops(every, whole)
    wanted = {flop.label: flop for each in (reference, *chosen.values()) for flop in each}
    left = [flop for label, flop in wanted.items() if label not in known]
    if left:
        known |= {row.flop: row for row in flop_report(SPOT, left, settings, watch=watch).rows}
    mean = float(np.average([row.actions["check"] for row in singles], weights=[f.weight for f in first]))
    return Subsets(
        rows=tuple(_rows(reference, chosen, known)),
        whole=len(reference),
        every=whole is None,
        whole_error=0.0 if whole is None else 100 * _spread(reference, known) / whole**0.5,
        largest_difference=max(map(_difference, report.rows, singles)),
        mean_difference=abs(mean - report.mean.actions["check"]),
        report_seconds=report_seconds,
        singles_seconds=singles_seconds,
        threads=threads,
    )


def _one_by_one(flops: Sequence[WeightedFlop]) -> tuple[list[FlopResult], float]:
    """Solve flops by themselves on one thread; what they are worth, and the seconds."""
    began, made = time.perf_counter(), []
    for flop in flops:
        found = solve_spot({**SPOT, "board": flop.label}, SpotSettings(until=UNTIL))
        made.append(
            FlopResult(
                flop=flop.label,
                weight=flop.weight,
                reach=1.0,
                actions=found.root_actions,
                ev=found.ev,
                equity=found.equity,
                exploitability_percent=found.exploitability_percent,
                iterations=found.iterations,
                seconds=0.0,
            )
        )
    return made, time.perf_counter() - began


def _difference(one: FlopResult, other: FlopResult) -> float:
    numbers = [
        np.array(
            [*each.actions.values(), *each.ev, *each.equity, each.exploitability_percent, each.iterations]
        )
        for each in (one, other)
    ]
    return float(np.abs(numbers[0] - numbers[1]).max())


def _random_flops(every: Sequence[WeightedFlop], count: int) -> list[WeightedFlop]:
    """Flops drawn by their chances; one that is drawn k times has k times the weight."""
    drawn = np.random.default_rng(SEED).choice(len(every), count, p=_normal(every))
    places, times = np.unique(drawn, return_counts=True)
    return [
        WeightedFlop(every[place].cards, time / count)
        for place, time in zip(places.tolist(), times.tolist(), strict=True)
    ]


def _normal(flops: Sequence[WeightedFlop]) -> NDArray[np.float64]:
    weights = np.array([flop.weight for flop in flops])
    return np.asarray(weights / weights.sum())


def _rows(
    reference: Sequence[WeightedFlop], chosen: dict[int, list[WeightedFlop]], known: dict[str, FlopResult]
) -> list[SubsetRow]:
    weights = _normal(reference)
    values = _values(reference, known)
    whole = weights @ values
    rows = [SubsetRow("the whole", len(reference), 100 * float(whole[0]), 0.0, 0.0)]
    for count, flops in chosen.items():
        mean = _normal(flops) @ _values(flops, known)
        check, ev = np.abs(mean - whole).tolist()
        rows.append(SubsetRow("medoids", count, 100 * float(mean[0]), 100 * check, ev))
    random = np.random.default_rng(SEED + 1)
    for count in RANDOM:
        draws = random.choice(len(reference), (DRAWS, count), p=weights)
        means = values[draws].mean(axis=1)
        check, ev = np.sqrt(((means - whole) ** 2).mean(axis=0)).tolist()
        rows.append(SubsetRow("random", count, 100 * float(means[:, 0].mean()), 100 * check, ev))
    return rows


def _spread(flops: Sequence[WeightedFlop], known: dict[str, FlopResult]) -> float:
    """The standard deviation of how often OOP checks, over flops."""
    weights, checks = _normal(flops), _values(flops, known)[:, 0]
    return float(np.sqrt(weights @ (checks - weights @ checks) ** 2))


def _values(flops: Sequence[WeightedFlop], known: dict[str, FlopResult]) -> NDArray[np.float64]:
    """How often OOP checks and OOP's EV, float64[flops, 2]."""
    found = [known[flop.label] for flop in flops]
    return np.array([(row.actions["check"], row.ev[0]) for row in found])


def summary(found: Subsets) -> Summary:
    """The table that the command prints."""
    header = ["flops", "", "OOP checks", "error", "error of OOP's EV"]
    rows = [
        [
            f"{row.flops:,}",
            row.sample,
            f"{row.check:.2f} %",
            f"{row.check_error:.2f} points",
            f"{row.ev_error:.3f} of {SPOT['pot']} chips",
        ]
        for row in found.rows
    ]
    title = f"{_whole(found)}; {same_numbers(found)}"
    return Summary(title, header, rows, found.rows)


def _whole(found: Subsets) -> str:
    if found.every:
        return f"the whole is all {found.whole:,} flops"
    return (
        f"the whole is {found.whole:,} different flops drawn at random, with a standard error of "
        f"{found.whole_error:.2f} points"
    )


def verdict(found: Subsets) -> str:
    """What the figures say about choosing flops, beside drawing as many."""
    drawn = {row.flops: row.check_error for row in found.rows if row.sample == "random"}
    pairs = [(row, drawn[row.flops]) for row in found.rows if row.sample == "medoids" and row.flops in drawn]
    if not pairs or any(row.check_error < 2 * found.whole_error for row, _ in pairs):
        return "The whole is too small, or no random sample is as large, to say whether choosing flops pays."
    better = [row.flops for row, error in pairs if row.check_error < error]
    if len(better) == len(pairs):
        return "Chosen flops are nearer to the whole than as many random ones usually are."
    if not better:
        return "Chosen flops are no nearer to the whole than as many random ones usually are."
    return f"Chosen flops are nearer to the whole than as many random ones only with {', '.join(map(str, better))}."


def same_numbers(found: Subsets) -> str:
    """What the report says beside single solves, in a sentence."""
    return (
        f"the report on {found.rows[1].flops} flops and single solves differ by {found.largest_difference:g} at "
        f"most, their means by {found.mean_difference:.1g}"
    )


def write_results(found: Subsets, page: Path, command: str) -> None:
    """Write the page and, beside it, the CSV."""
    table = summary(found)
    medoids = [row for row in found.rows if row.sample == "medoids"]
    random = [row for row in found.rows if row.sample == "random"]
    reading = Reading(
        claimed="A few flops, chosen by what can be known without solving, stand for all in the means of a report.",
        found="The mean frequency of checks is off by "
        + " and ".join(f"{row.check_error:.2f} points with {row.flops} medoids" for row in medoids)
        + "; with random flops by "
        + ", ".join(f"{row.check_error:.2f} with {row.flops}" for row in random)
        + " (root of the mean square).",
        so_what=f"{verdict(found)} {same_numbers(found).capitalize()}.",
    )
    body = (
        f"{markdown_table(table.header, table.rows)}\n"
        f"{_whole(found).capitalize()}. Errors of medoids are of one choice, those of random flops are roots of "
        f"mean squares over {DRAWS:,} draws. The spot is "
        f"`{', '.join(f'{name}={value}' for name, value in SPOT.items())}`, solved to {UNTIL} of the pot.\n\n"
        f"The report on {medoids[0].flops} flops took {found.report_seconds:.1f} s on {found.threads} threads, the "
        f"single solves {found.singles_seconds:.1f} s on one.\n"
    )
    write_page(page, "Flops that stand for all", command, reading, body)
    write_csv(found.rows, page.with_suffix(".csv"))
