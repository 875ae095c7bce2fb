"""A game where memory matters: what total pruning takes, from the whole game or from a coarser one.

Leduc with 40 ranks and Leduc-5's bets has 17.8 million infoset-actions. Five runs, each in a process of its own
(see `larger_run`): the walk without pruning, which is the baseline; total pruning by the paper's tests and by our
gates; total pruning that starts from the solution of a coarser game with every other bet size; and plan auto
without pruning, which a solve takes by itself. All run LCFR with alternating updates in float64, so that the start
from the coarse game is compared with a baseline of its own rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Watch
from solvent.games.leduc import Leduc
from solvent_papers.kept import KeptRuns
from solvent_papers.steps import saying
from solvent_papers.total_rbp.larger_run import Point, Run, Trace, load_rules, run_apart

GAME = "leduc(ranks=40,bets1=[0.5,1,2,4,8],bets2=[1,2,4,8,16])"
ITERATIONS = 100
NONE, TOTAL, GATED, WARM, QUICKEST = "none", "total", "total, lasting", "warm start", "quickest"
"""The runs by name: total pruning without more is by the paper's tests; the quickest is plan auto, unpruned."""
CELL_BYTES = 16
"""Bytes for a cell of the whole game's plain tables: a regret and an average in float64."""


@dataclass(frozen=True)
class Larger:
    """What was measured of one game."""

    game: str
    coarse: str
    traces: dict[str, Trace]

    @property
    def infoset_actions(self) -> int:
        return self.traces[NONE].infoset_actions

    @property
    def tables(self) -> int:
        """Bytes of the whole game's plain tables."""
        return CELL_BYTES * self.traces[NONE].cells

    @property
    def points(self) -> list[Point]:
        return [point for trace in self.traces.values() for point in trace.points]

    def of(self, name: str) -> tuple[Point, ...]:
        """The checks of a run."""
        return self.traces[name].points


def larger_game(
    game: str = GAME, iterations: int = ITERATIONS, watch: Watch | None = None, kept: Path | None = None
) -> Larger:
    """Run everything. `kept`: a file to go on from; each run that has ended is added to it."""
    coarse, say = coarser(game), saying(watch)
    before, traces = KeptRuns(kept, {"game": game, "iterations": iterations}), dict[str, Trace]()
    for run in runs(game, coarse, iterations):
        found = before.find(run.as_dict())
        if found is None:
            found = run_apart(run, say).as_dict()
            before.add(run.as_dict(), found)
        traces[run.name] = Trace.from_dict(found)
    return Larger(game, coarse, traces)


def runs(game: str, coarse: str, iterations: int) -> list[Run]:
    """What is run. The start from the coarse game comes after half as many iterations of that."""
    return [
        Run(NONE, game, iterations),
        Run(TOTAL, game, iterations, "total"),
        Run(GATED, game, iterations, "total", gates="lasting"),
        Run(
            WARM,
            game,
            iterations,
            "total",
            average=0.03,
            every=2,
            coarse=coarse,
            coarse_iterations=max(1, iterations // 2),
        ),
        Run(QUICKEST, game, iterations, quickest=True),
    ]


def coarser(game: str) -> str:
    """The game with every other of its bet sizes, from the smallest."""
    rules = load_rules(game)
    if not isinstance(rules, Leduc) or max(map(len, rules.sizes)) < 2:
        raise InputError(f"{game} has no coarser game to start from: give a leduc with two bet sizes or more")
    first, second = (sizes[::2] for sizes in rules.sizes)
    return str(Leduc(rules.ranks, rules.suits, first, second, rules.max_bets, rules.distinct))


# What follows from the checks


def common_level(one: Sequence[Point], other: Sequence[Point]) -> float:
    """The exploitability that both runs were at or below in the end."""
    return max(one[-1].exploitability, other[-1].exploitability)


def seconds_to(points: Sequence[Point], level: float) -> float:
    """Seconds until exploitability stayed at or below a level that holds at the last check, log-log between checks.

    A start from a coarser game may begin low and rise at once: what counts is where it stays.
    """
    above = [k for k, point in enumerate(points) if point.exploitability > level]
    if not above:
        return points[0].seconds
    before, after = points[above[-1]], points[above[-1] + 1]
    if after.exploitability <= 0 or before.seconds <= 0:
        return after.seconds
    part = log(before.exploitability / level) / log(before.exploitability / after.exploitability)
    return before.seconds * exp(part * log(after.seconds / before.seconds))


def rate(points: Sequence[Point]) -> float:
    """Seconds an iteration over the last part of the way."""
    before, last = points[-2:] if len(points) > 1 else (points[0], points[0])
    return (last.seconds - before.seconds) / max(1, last.iterations - before.iterations)


def larger_figures(result: Larger) -> dict[str, float]:
    """Return what each run takes by what the unpruned walk takes, by name; memory only where the system tells it.

    *Memory* is a run's peak. *Seconds* are to the exploitability that both runs had in the end, except that figures
    of total pruning without a name before them are after as many iterations, as the number of nodes is.
    """
    none = result.of(NONE)
    found = {"infoset-actions": float(result.infoset_actions), "tables.bytes": float(result.tables)}
    if none[-1].peak:
        found["baseline.memory by tables"] = none[-1].peak / result.tables
    for name, prefix in ((TOTAL, ""), (GATED, "lasting.")):
        found |= {prefix + key: value for key, value in _beside(result.of(name), none).items()}
    for name in (TOTAL, GATED, WARM, QUICKEST):
        points = result.of(name)
        level = common_level(points, none)
        found |= {
            f"{name}.exploitability": level,
            f"{name}.seconds by none": seconds_to(points, level) / seconds_to(none, level),
            f"{name}.seconds an iteration by none": rate(points) / rate(none),
        }
        if none[-1].peak and points[-1].peak:
            found[f"{name}.memory by none"] = points[-1].peak / none[-1].peak
            found[f"{name}.memory at the end by none"] = (points[-1].memory or 0) / none[-1].peak
    warm, quickest = result.of(WARM), result.of(QUICKEST)
    level = common_level(warm, quickest)
    found["warm start.seconds by quickest"] = seconds_to(warm, level) / seconds_to(quickest, level)
    if warm[-1].peak and quickest[-1].peak:
        found["warm start.memory by quickest"] = warm[-1].peak / quickest[-1].peak
    return found | _start(result.traces[WARM])


def _beside(total: Sequence[Point], none: Sequence[Point]) -> dict[str, float]:
    """Total pruning beside no pruning after the same iterations, the last that both reached."""
    reached = min(total[-1].iterations, none[-1].iterations)
    last, plain = (next(point for point in points if point.iterations == reached) for points in (total, none))
    found = {
        "iterations": float(reached),
        "regrets": last.stored_regrets,
        "averages": last.stored_averages,
        "stored": (last.stored_regrets + last.stored_averages) / 2,
        "factor": 2 / (last.stored_regrets + last.stored_averages),
        "seconds.total by none": last.seconds / plain.seconds,
        "nodes.none by total": plain.nodes_touched / last.nodes_touched,
        "exploitability.total by none": last.exploitability / plain.exploitability,
        "tables.total by none": last.table_bytes / plain.table_bytes,
    }
    if last.peak and plain.peak:
        found["peak resident.total by none"] = last.peak / plain.peak
    return found


def _start(trace: Trace) -> dict[str, float]:
    """How the run from the coarse game began, and where its exploitability went."""
    shown = [point.exploitability for point in trace.points]
    found = {f"{WARM}.{name}": float(value) for name, value in trace.start.items()}
    return found | {
        f"{WARM}.first exploitability": shown[0],
        f"{WARM}.highest exploitability": max(shown),
        f"{WARM}.last exploitability": shown[-1],
    }
