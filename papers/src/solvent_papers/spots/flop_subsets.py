"""`solvent bench flops`: whether few flops stand for all, by means over medoids and over random flops.

A small spot is solved on every flop, or on random ones. Means over the medoids of reports on 25 and 50 flops and
over random flops are compared with the mean over the whole. The flops of one report are also solved one by one: the
same numbers must come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.ranges import parse_range
from solvent.foundation.kernels.threads import MOST_THREADS
from solvent.spots.flops.choice import WeightedFlop, all_flops, flop_distances, nearest_medoids
from solvent.spots.flops.report import FlopResult, flop_report
from solvent.spots.run import SpotResult, solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns, within
from solvent_papers.interleaved import timed

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
SMALL_SPOT: dict[str, Any] = {"oop": "JJ,A5s", "ip": "TT,KQs", "pot": 10, "stack": 15, "bets": "a"}
SMALL_STEP = 400
"""At small scale one flop in this many stands for all."""
RANDOM = (25, 50, 200)
DRAWS, SEED = 2000, 0


@dataclass(frozen=True)
class FlopsSetup(Setup):
    """The flops of the whole, and threads."""

    whole: int | None = option(
        None, "Compare with this many random flops instead of all 1,755, which take longest.", 2
    )
    threads: int = option(2, "Threads.", 1, MOST_THREADS)

    @property
    def medoids(self) -> tuple[int, int]:
        """Numbers of flops that are chosen."""
        return (2, 5) if self.small else (25, 50)

    @property
    def until(self) -> str:
        """The exploitability at which solves stop."""
        return "20%" if self.small else "0.5%"


def measure(setup: FlopsSetup, kept: KeptRuns, say: Say) -> Found:
    """Solve the whole, reports on medoids, and one of these flop by flop."""
    spot = SMALL_SPOT if setup.small else SPOT
    ranges = parse_range(spot["oop"]), parse_range(spot["ip"])
    every = all_flops(*ranges)[:: SMALL_STEP if setup.small else 1]
    settings = SpotSettings(until=setup.until, threads=setup.threads)
    distances = flop_distances(every, *ranges, setup.threads, within(say, "distances"))
    chosen = {count: nearest_medoids(every, distances, count) for count in setup.medoids}
    first = chosen[setup.medoids[0]]
    watch = within(say, f"a report on {len(first)} flops")
    report, report_seconds = timed(flop_report, spot, first, settings, watch=watch)
    say("the same flops one by one")
    alone = SpotSettings(until=setup.until)
    singles, singles_seconds = timed(lambda: [solve_spot(spot | {"board": f.label}, alone) for f in first])
    known = {row.flop: row for row in report.rows}
    reference = every if setup.whole is None else _random_flops(every, setup.whole)
    wanted = {flop.label: flop for each in (reference, *chosen.values()) for flop in each}
    left = [flop for label, flop in wanted.items() if label not in known]
    if left:
        rest = flop_report(spot, left, settings, watch=within(say, "the whole"))
        known |= {row.flop: row for row in rest.rows}
    mean = float(
        np.average([each.root_actions["check"] for each in singles], weights=[f.weight for f in first])
    )
    whole_error = 0.0 if setup.whole is None else 100 * _spread(reference, known) / setup.whole**0.5
    return {
        "spot": spot,
        "until": setup.until,
        "draws": DRAWS,
        "rows": _rows(reference, chosen, known),
        "every": setup.whole is None,
        "whole_error": whole_error,
        "largest_difference": max(map(_difference, report.rows, singles)),
        "mean_difference": abs(mean - report.mean.actions["check"]),
        "report_seconds": report_seconds,
        "singles_seconds": singles_seconds,
        "threads": setup.threads,
    }


def _difference(row: FlopResult, alone: SpotResult) -> float:
    """Return the largest difference of any number of a report's row and of the same flop by itself."""
    one, other = (
        np.array([*actions.values(), *each.ev, *each.equity, each.exploitability_percent, each.iterations])
        for each, actions in ((row, row.actions), (alone, alone.root_actions))
    )
    return float(np.abs(one - other).max())


def _random_flops(every: Sequence[WeightedFlop], count: int) -> list[WeightedFlop]:
    """Draw flops by their chances; one that is drawn k times has k times the weight."""
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
) -> list[Found]:
    """Return the mean over the whole, over medoids and over random flops, and the errors of the latter two.

    `check` is the frequency of OOP's first check in percent, `check_error` its distance from the whole's in
    percentage points, `ev_error` that of OOP's EV in chips: for random flops roots of mean squares over many draws.
    """
    weights, values = _normal(reference), _values(reference, known)
    whole = weights @ values

    def row(sample: str, flops: int, check: float, check_error: float, ev_error: float) -> Found:
        return {
            "sample": sample,
            "flops": flops,
            "check": 100 * float(check),
            "check_error": 100 * check_error,
            "ev_error": ev_error,
        }

    rows = [row("the whole", len(reference), whole[0], 0.0, 0.0)]
    for count, flops in chosen.items():
        mean = _normal(flops) @ _values(flops, known)
        rows.append(row("medoids", count, mean[0], *np.abs(mean - whole).tolist()))
    random = np.random.default_rng(SEED + 1)
    for count in RANDOM:
        draws = random.choice(len(reference), (DRAWS, count), p=weights)
        means = values[draws].mean(axis=1)
        errors = np.sqrt(((means - whole) ** 2).mean(axis=0))
        rows.append(row("random", count, means[:, 0].mean(), *errors.tolist()))
    return rows


def _spread(flops: Sequence[WeightedFlop], known: dict[str, FlopResult]) -> float:
    """Return the standard deviation over flops of the frequency of OOP's first check."""
    weights, checks = _normal(flops), _values(flops, known)[:, 0]
    return float(np.sqrt(weights @ (checks - weights @ checks) ** 2))


def _values(flops: Sequence[WeightedFlop], known: dict[str, FlopResult]) -> NDArray[np.float64]:
    """Return the frequency of OOP's first check and OOP's EV, float64[flops, 2]."""
    found = [known[flop.label] for flop in flops]
    return np.array([(row.actions["check"], row.ev[0]) for row in found])


def view(found: Findings) -> dict[str, Any]:
    """Return the rows of each kind, and the medoids beside as many random flops."""
    rows = found["flops"]["rows"] if found else []
    medoids, drawn = ([row for row in rows if row["sample"] == kind] for kind in ("medoids", "random"))
    errors = {row["flops"]: row["check_error"] for row in drawn}
    return {
        "medoids": medoids,
        "random": drawn,
        "compared": [row for row in medoids if row["flops"] in errors],
        "better": [row for row in medoids if row["check_error"] < errors.get(row["flops"], 0)],
    }


EXPERIMENT = Experiment(
    "flops",
    "Flops that stand for all",
    FlopsSetup,
    (Part("flops", measure),),
    view,
    tables=lambda found: {"flops.csv": found["flops"]["rows"]} if found else {},
    verb="bench",
)
