"""A game where memory matters: total pruning from the whole game or from a coarser one, and no pruning.

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
from typing import Any

from solvent.foundation.errors import InputError
from solvent.games.leduc import Leduc
from solvent_papers.frame.drawing import dress, panels, plain_ticks
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, by_rows, option
from solvent_papers.frame.experiment import Setup as CommonSetup
from solvent_papers.frame.running import KeptRuns
from solvent_papers.total_rbp.larger_run import Point, Run, load_rules, run_apart

GAME = "leduc(ranks=40,bets1=[0.5,1,2,4,8],bets2=[1,2,4,8,16])"
SMALL_GAME = "leduc(ranks=4,bets1=[1,2],bets2=[2,4])"
NONE, TOTAL, GATED, WARM, QUICKEST = "none", "total", "total, lasting", "warm start", "quickest"
"""The runs by name: total pruning without more is by the paper's tests; the quickest is plan auto, unpruned."""
LABELS = {
    NONE: "none, the same walk",
    TOTAL: "total, the paper's tests",
    GATED: "total, our gates",
    WARM: "total from a coarser game",
    QUICKEST: "none, plan auto",
}
CELL_BYTES = 16
"""Bytes for a cell of the whole game's plain tables: a regret and an average in float64."""
Points = Sequence[Point]


@dataclass(frozen=True)
class Setup(CommonSetup):
    """The game, and how long it is run."""

    game: str | None = option(
        None, "A Leduc with several bet sizes.  [default: one of 18 million infoset-actions]"
    )
    iterations: int = option(100, "Iterations with and without pruning.", 2)


def run_all(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run everything."""
    game = setup.game or (SMALL_GAME if setup.small else GAME)
    coarse = coarser(game)
    found = {
        run.name: kept.once(run._asdict(), run_apart, run, say)
        for run in runs(game, coarse, setup.iterations)
    }
    return {"game": game, "coarse": coarse, "runs": found}


def runs(game: str, coarse: str, iterations: int) -> list[Run]:
    """Return the runs. The start from the coarse game comes after half as many iterations of that."""
    half = max(1, iterations // 2)
    warm = Run(WARM, game, iterations, "total", average=0.03, every=2, coarse=coarse, coarse_iterations=half)
    return [
        Run(NONE, game, iterations),
        Run(TOTAL, game, iterations, "total"),
        Run(GATED, game, iterations, "total", gates="lasting"),
        warm,
        Run(QUICKEST, game, iterations, quickest=True),
    ]


def coarser(game: str) -> str:
    """Return the game with every other of its bet sizes, from the smallest."""
    rules = load_rules(game)
    if not isinstance(rules, Leduc) or max(map(len, rules.sizes)) < 2:
        raise InputError(f"{game} has no coarser game to start from: give a leduc with two bet sizes or more")
    first, second = (sizes[::2] for sizes in rules.sizes)
    return str(Leduc(rules.ranks, rules.suits, first, second, rules.max_bets, rules.distinct))


# Figures


def points_of(found: Found) -> dict[str, Points]:
    """Return the checks of every run."""
    return {name: [Point(**row) for row in by_rows(run["points"])] for name, run in found["runs"].items()}


def common_level(one: Points, other: Points) -> float:
    """Return the exploitability that both runs were at or below in the end."""
    return max(one[-1].exploitability, other[-1].exploitability)


def seconds_to(points: Points, level: float) -> float:
    """Return seconds until exploitability stayed at or below a level that holds at the last check, log-log.

    A start from a coarser game may begin low and rise at once, so the first time below the level does not count.
    """
    above = [k for k, point in enumerate(points) if point.exploitability > level]
    if not above:
        return points[0].seconds
    before, after = points[above[-1]], points[above[-1] + 1]
    if after.exploitability <= 0 or before.seconds <= 0:
        return after.seconds
    way = log(before.exploitability / level) / log(before.exploitability / after.exploitability)
    return before.seconds * exp(way * log(after.seconds / before.seconds))


def rate(points: Points) -> float:
    """Return seconds an iteration between the last two checks."""
    before, last = points[-2:] if len(points) > 1 else (points[0], points[0])
    return (last.seconds - before.seconds) / max(1, last.iterations - before.iterations)


def figures(found: Found) -> dict[str, float]:
    """Return what each run takes by what the unpruned walk takes, by name; memory only where the system tells it.

    *Memory* is a run's peak. *Seconds* are to the exploitability that both runs had in the end, except that figures
    of total pruning without a name before them are after as many iterations, as the number of nodes is.
    """
    points, walk = points_of(found), found["runs"][NONE]
    none, tables = points[NONE], CELL_BYTES * walk["cells"]
    result = {"infoset-actions": float(walk["infoset_actions"]), "tables.bytes": float(tables)}
    if none[-1].peak:
        result["baseline.memory by tables"] = none[-1].peak / tables
    for name, prefix in ((TOTAL, ""), (GATED, "lasting.")):
        result |= {prefix + key: value for key, value in _beside(points[name], none).items()}
    for name in (TOTAL, GATED, WARM, QUICKEST):
        level, last = common_level(points[name], none), points[name][-1]
        result |= {
            f"{name}.exploitability": level,
            f"{name}.seconds by none": seconds_to(points[name], level) / seconds_to(none, level),
            f"{name}.seconds an iteration by none": rate(points[name]) / rate(none),
        }
        if none[-1].peak and last.peak:
            result[f"{name}.memory by none"] = last.peak / none[-1].peak
            result[f"{name}.memory at the end by none"] = (last.memory or 0) / none[-1].peak
    warm, quickest = points[WARM], points[QUICKEST]
    level = common_level(warm, quickest)
    result["warm start.seconds by quickest"] = seconds_to(warm, level) / seconds_to(quickest, level)
    if warm[-1].peak and quickest[-1].peak:
        result["warm start.memory by quickest"] = warm[-1].peak / quickest[-1].peak
    shown = [point.exploitability for point in warm]
    result |= {f"{WARM}.{name}": float(value) for name, value in found["runs"][WARM]["start"].items()}
    return result | {
        f"{WARM}.first exploitability": shown[0],
        f"{WARM}.highest exploitability": max(shown),
        f"{WARM}.last exploitability": shown[-1],
    }


def _beside(total: Points, none: Points) -> dict[str, float]:
    """Return total pruning beside no pruning after the same iterations, the last that both reached."""
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


# The page


def view(found: Findings) -> dict[str, Any]:
    """Return the checks and seconds an iteration of each run, and the check at which the warm start stores most."""
    points = points_of(found["runs"])
    return {
        "labels": LABELS,
        "points": points,
        "rates": {name: rate(checks) for name, checks in points.items()},
        "fullest": max(points[WARM], key=lambda point: point.stored_regrets + point.stored_averages),
    }


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return every check of every run."""
    runs = found["runs"]["runs"].items()
    return {"larger-game.csv": [{"run": name} | row for name, run in runs for row in by_rows(run["points"])]}


def draw(found: Findings, page: Path) -> None:
    """Draw memory over iterations, and exploitability over seconds."""
    points = points_of(found["runs"])
    with panels(page.with_suffix(".png"), (1, 2), (5.5, 4.2)) as ((left, right),):
        for number, (name, checks) in enumerate(points.items()):
            style = {"ms": 3, "color": f"C{number}", "label": LABELS[name]}
            known = [(p.iterations, p.memory / 2**20, (p.peak or 0) / 2**20) for p in checks if p.memory]
            if known:
                steps, memory, peak = zip(*known, strict=True)
                left.semilogx(steps, memory, "o-", **style)
                left.plot(steps, peak, "--", lw=1, color=f"C{number}")
            right.loglog([p.seconds for p in checks], [p.exploitability for p in checks], "o-", **style)
        plain = CELL_BYTES * found["runs"]["runs"][NONE]["cells"] / 2**20
        left.axhline(plain, color="0.6", lw=1, label="plain tables")
        left.set_ylim(bottom=0)
        places = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5)]
        for axis in (right.xaxis, right.yaxis, *([left.xaxis] if left.get_xscale() == "log" else [])):
            plain_ticks(axis, places)
        dress(left, "iterations", "MiB", "memory")
        dress(right, "seconds", "exploitability, chips", "time")
        left.legend(fontsize=8)


EXPERIMENT = Experiment(
    "larger-game",
    "A larger game: total pruning in memory and time",
    Setup,
    (Part("runs", run_all, figures),),
    view,
    tables,
    draw,
)
