"""`solvent bench spots`: values, speed and regret rules on the named spots, beside another solver if given."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.foundation.kernels.threads import MOST_THREADS
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.aggregation.timing import MEGABYTES, bandwidth
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, option
from solvent_papers.frame.pages import threads_text
from solvent_papers.frame.running import KeptRuns
from solvent_papers.spots.named import SPOTS, NamedSpot, spots_named
from solvent_papers.spots.peer_command import PeerCommand
from solvent_papers.spots.speed import (
    DTYPES,
    EVERY,
    NARROW,
    SLOW_REPEATS,
    WIDE,
    Effort,
    time_spot,
    time_to_targets,
)

FLOP_STREETS = 3
RULES = (HOLDEM_RULE, "dcfr", "lcfr", "dcfr+", "cfr+")
FLOP_OF_RULES = "flop-narrow"
"""The one spot from the flop on that rules are compared on; the others take minutes."""
FULL, SMALL = Effort(3, 0.3, 1000), Effort(1, 0.02, 200)
FAR_AHEAD = 0.6
"""A rule with less than this share of the default's exploitability on a spot is named."""
STREETS = {1: "a river", 2: "a turn", 3: "a flop"}


@dataclass(frozen=True)
class SpotsSetup(Setup):
    """The spots, and another solver to compare with."""

    spot: tuple[str, ...] = option((), "Spots to measure, such as river-s.  [default: all]")
    threads: int = option(2, "Threads beside one.", 1, MOST_THREADS)
    peer: str | None = option(
        None,
        "Time another solver in turn with ours: a command that is given a spot as JSON and prints a line of JSON, "
        "as `solvent_papers.spots.peer_command` describes.",
        metavar="COMMAND",
    )
    peer_name: str = option("the peer", "What the page calls that solver.")

    def __post_init__(self) -> None:
        """Reject spots that do not exist and a command that cannot be read before anything is measured."""
        _ = self.spots, self.asked

    @property
    def spots(self) -> list[NamedSpot]:
        """The spots to measure."""
        return spots_named(self.spot)

    @property
    def asked(self) -> PeerCommand | None:
        """The other solver."""
        return None if self.peer is None else PeerCommand(self.peer)

    @property
    def targets(self) -> tuple[float, float]:
        """Exploitabilities to reach, in % of the pot."""
        return (5.0, 2.0) if self.small else (0.5, 0.3)


def measure_speed(setup: SpotsSetup, kept: KeptRuns, say: Say) -> Found:
    """Time iterations and the way to targets. Memory is measured, too: this part is first, in a small process."""
    peer, effort = setup.asked, SMALL if setup.small else FULL
    say("streaming memory")
    megabytes = MEGABYTES // 16 if setup.small else MEGABYTES
    rates = {count: bandwidth(count, megabytes) for count in sorted({1, setup.threads})}
    iterations, reached = list[Found](), list[Found]()
    for spot in setup.spots:
        for dtype in DTYPES:
            setting = {"spot": spot.name, "iterations": dtype, "beside": setup.peer}
            iterations += kept.once(setting, time_spot, spot, dtype, rates, effort, peer, say)
            say(f"{spot.name}, {dtype}: to {setup.targets[-1]:g} % of the pot")
            # A peer's way to a target is taken with its usual tables alone: on flops it takes a minute.
            asked = spot, dtype, setup.threads, setup.targets, effort, peer if dtype == WIDE else None
            setting = {"spot": spot.name, "targets": dtype, "beside": setup.peer}
            reached += kept.once(setting, time_to_targets, *asked)
    return {
        "threads": setup.threads,
        "repeats": effort.repeats,
        "batch_seconds": effort.batch_seconds,
        "peer": None if peer is None else setup.peer_name,
        "iterations": iterations,
        "targets": reached,
        "waits": _waits(reached, setup.targets[-1]),
    }


def _waits(reached: Sequence[Found], target: float) -> dict[str, float]:
    """Return the median of the seconds to a target on each street, among the spots that reach it."""
    found = {}
    for count, street in STREETS.items():
        names = {spot.name for spot in SPOTS if spot.streets == count}
        there = [row for row in reached if row["target_percent"] == target and row["seconds"] is not None]
        seconds = [row["seconds"] for row in there if row["dtype"] == WIDE and row["spot"] in names]
        if seconds:
            found[street] = median(seconds)
    return found


def measure_values(spot: NamedSpot, until: str, dtype: str, threads: int) -> Found:
    """Measure uniform play in float64, and solve the spot until `until`, such as 0.01% of the pot.

    Pairs are of OOP and IP. `ev` and `gains` are in chips: shares of the pot when the solved strategy is played,
    and what best responses to it would win more.
    """
    uniform = solve_spot(spot.given, SpotSettings(iterations=0, dtype="float64", threads=threads))
    solved = solve_spot(
        spot.given, SpotSettings(until=until, every=EVERY, iterations=20_000, dtype=dtype, threads=threads)
    )
    return {
        "spot": spot.name,
        "decision_nodes": uniform.size.decisions,
        "boards": uniform.size.boards,
        "hands": uniform.size.hands,
        "uniform_percent": uniform.exploitability_percent,
        "equity": uniform.equity[0],
        "ev": solved.ev,
        "gains": solved.evaluation.gains,
        "reached_percent": solved.exploitability_percent,
        "iterations": solved.iterations,
    }


def measure_worths(setup: SpotsSetup, kept: KeptRuns, say: Say) -> Found:
    """Measure the values of each spot: rivers and turns closely, flops less so."""
    rows = []
    for spot in setup.spots:
        say(spot.name)
        # A flop's tables in float64 take a gigabyte, and its target needs no more digits than float32 has.
        flop = spot.streets == FLOP_STREETS
        until = ("5%" if flop else "1%") if setup.small else ("0.1%" if flop else "0.01%")
        dtype = "float32" if flop else "float64"
        rows.append(kept.once({"spot": spot.name}, measure_values, spot, until, dtype, setup.threads))
    return {"spots": rows}


def compare_rules(spot: NamedSpot, checkpoints: Sequence[int], target: float, threads: int) -> list[Found]:
    """Run every rule on a spot to the last checkpoint.

    `percent` is the exploitability at each checkpoint in % of the pot, `iterations` those to the target, or None
    if it was not reached by the last checkpoint.
    """
    game, runs = holdem_game(spot.rules()), []
    for rule in RULES:
        solver, found, reached = HoldemSolver(game, rule, threads), [], None
        while solver.iterations < checkpoints[-1]:
            solver.run(EVERY)
            at = solver.iterations
            if reached is not None and at not in checkpoints:
                continue
            percent = 100 * solver.exploitability() / spot.pot
            if reached is None and percent <= target:
                reached = at
            if at in checkpoints:
                found.append(percent)
        runs.append({"spot": spot.name, "rule": rule, "percent": found, "iterations": reached})
    return runs


def standings(runs: Sequence[Found], checkpoints: Sequence[int]) -> list[Found]:
    """Compare the rules over spots, the one that takes the fewest iterations to the target first.

    All are geometric means over spots of a ratio to the default: `percent_ratios` of exploitability at each
    checkpoint, `iterations_ratio` of iterations to the target. Where a rule has not reached it by the last
    checkpoint, which `missed` counts, that number is taken, so the ratio may be too small.
    """
    default = {run["spot"]: run for run in runs if run["rule"] == HOLDEM_RULE}

    def needed(run: Found) -> int:
        return checkpoints[-1] if run["iterations"] is None else int(run["iterations"])

    found = []
    for rule in dict.fromkeys(run["rule"] for run in runs):
        own = [(run, default[run["spot"]]) for run in runs if run["rule"] == rule]
        found.append(
            {
                "rule": rule,
                "percent_ratios": [
                    geometric_mean(run["percent"][k] / usual["percent"][k] for run, usual in own)
                    for k in range(len(checkpoints))
                ],
                "iterations_ratio": geometric_mean(needed(run) / needed(usual) for run, usual in own),
                "missed": sum(run["iterations"] is None for run, _ in own),
            }
        )
    return sorted(found, key=lambda each: (each["iterations_ratio"], math.fsum(each["percent_ratios"])))


def measure_rules(setup: SpotsSetup, kept: KeptRuns, say: Say) -> Found:
    """Compare regret rules on rivers, on turns and on one flop."""
    checkpoints, target = (20, 40) if setup.small else (50, 100, 200, 400), setup.targets[-1]
    runs = list[Found]()
    for spot in setup.spots:
        if spot.streets < FLOP_STREETS or spot.name == FLOP_OF_RULES:
            say(spot.name)
            asked = spot, checkpoints, target, setup.threads
            runs += kept.once({"spot": spot.name}, compare_rules, *asked)
    return {
        "checkpoints": checkpoints,
        "target_percent": target,
        "runs": runs,
        "standings": standings(runs, checkpoints),
    }


def figures(found: Found) -> dict[str, float]:
    """Return the figures that our bars are about."""
    result = {}
    for row in found["iterations"]:
        spot, threads, peer = row["spot"], threads_text(row["threads"]), row["peer"]
        if row["dtype"] == WIDE:
            result[f"{spot}.speed-up, {threads}"] = row["speed_up"]
            result[f"{spot}.build"] = row["build_seconds"]
            if peer is not None:
                result[f"{spot}.by the peer, {threads}"] = peer["ratio"]
        if peer is not None and peer["memory_ratio"] is not None:
            result[f"{spot}.memory by the peer, {row['dtype']}"] = peer["memory_ratio"]
    for wide, narrow in _pairs(found):
        name, peer = f"{wide['spot']}.to {wide['target_percent']:g} %", wide["peer"]
        if peer is not None and peer["ratio"] is not None:
            result[f"{name} by the peer"] = peer["ratio"]
        ratio = _ratio((wide, narrow))
        if ratio is not None:
            result[f"{name} with 16 bits"] = ratio
        elif wide["iterations"]:
            result[f"{name} not reached with 16 bits"] = 1
    return result


def _pairs(found: Found) -> Iterator[tuple[Found, Found]]:
    """Yield the ways to a target with float32 and with int16, for each spot and target."""
    wide, narrow = ([row for row in found["targets"] if row["dtype"] == dtype] for dtype in (WIDE, NARROW))
    return zip(wide, narrow, strict=True)


def _ratio(pair: tuple[Found, Found]) -> float | None:
    """Return the iterations with int16 over those with float32; None where either did not reach the target."""
    wide, narrow = (row["iterations"] for row in pair)
    return narrow / wide if narrow and wide else None


def view(found: Findings) -> Mapping[str, Any]:
    """Return the spots that were measured, the ways to targets, and the rules that are far ahead on a spot."""
    speed, rules = found.get("speed"), found.get("rules")
    rows = {"speed": "targets", "values": "spots", "rules": "runs"}
    names = {row["spot"] for part in found for row in found[part][rows[part]]}
    reached = [] if speed is None else list(_pairs(speed))
    return {
        "spots": [spot for spot in SPOTS if spot.name in names],
        "slow_repeats": SLOW_REPEATS,
        "reached": reached,
        "ratios": [ratio for ratio in map(_ratio, reached) if ratio is not None],
        "default": HOLDEM_RULE,
        "far_ahead": [] if rules is None else _far_ahead(rules["runs"]),
    }


def _far_ahead(runs: Sequence[Found]) -> list[tuple[str, str, float]]:
    """Return the rules and spots where a rule is far ahead of the default in the end, with the ratio."""
    default = {run["spot"]: run["percent"][-1] for run in runs if run["rule"] == HOLDEM_RULE}
    ratios = [(run["rule"], run["spot"], run["percent"][-1] / default[run["spot"]]) for run in runs]
    return [each for each in ratios if each[2] < FAR_AHEAD]


EXPERIMENT = Experiment(
    "spots",
    "Spots",
    SpotsSetup,
    (
        Part("speed", measure_speed, figures),
        Part("values", measure_worths),
        Part("rules", measure_rules),
    ),
    view,
    verb="bench",
)
