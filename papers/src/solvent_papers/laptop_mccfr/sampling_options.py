"""What the options of Monte Carlo CFR do to exact exploitability: each alone against plain external sampling."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, floor, log, log10, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

from solvent.engines.rewards import reward
from solvent.strategy.agents.prior import STEPS, WITHIN, prior_strategy
from solvent_papers.confidence import LEVEL, Interval, deviation_interval, mean_interval, ratio_interval
from solvent_papers.frame.drawing import dress, panels, plain_ticks
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Setup, by_rows
from solvent_papers.laptop_mccfr import option_runs
from solvent_papers.laptop_mccfr.option_runs import ENSEMBLES, LONGER, MODELS, NAMES, PLAIN, measure

PART = "options"
VARYING = tuple(name for name in NAMES if name.startswith(("exploration", f"{MODELS} models")))
"""The options that are said to lower the variance."""
OURS = ("two threads", "uniform weights", "regret floor", *ENSEMBLES)
"""Options of which the paper does not say that they help after equal iterations."""
NORMAL = 1.96
"""Standard deviations to either side of a 95 % interval."""
LESS, MORE, SAME = "less exploitable", "more exploitable", "no significant difference"
UNCHANGED = "changes nothing here"


def values(game: Found, variant: str, iterations: int, column: str = "exploitability") -> list[float]:
    """Return a column of one variant at one time, by seed."""
    points = game["points"]
    rows = zip(points["variant"], points["iterations"], points[column], strict=True)
    return [float(value) for *row, value in rows if row == [variant, iterations]]


def mean(game: Found, variant: str, iterations: int, column: str = "exploitability") -> Interval:
    """Return the mean of a column of one variant at one time over seeds."""
    return mean_interval(values(game, variant, iterations, column))


def compared(game: Found, variant: str, iterations: int) -> Interval:
    """Return a variant's exploitability relative to the plain solver, paired by seed."""
    return ratio_interval(*(values(game, name, iterations) for name in (variant, PLAIN)))


def fair_ratio(game: Found, variant: str, iterations: int) -> Interval:
    """Return an ensemble's exploitability by that of one model that ran as long as all of its models together."""
    return ratio_interval(values(game, variant, iterations), values(game, LONGER, MODELS * iterations))


def deviation(game: Found, variant: str) -> Interval:
    """Return a variant's deviation over seeds relative to the plain solver, after the fewest iterations."""
    return deviation_interval(*(values(game, name, game["checks"][0]) for name in (variant, PLAIN)))


def pooled_deviation(ratios: Sequence[float], seeds: int) -> Interval:
    """Return the geometric mean of ratios of standard deviations, with the interval of its logarithm.

    The logarithm of each ratio of two deviations over n seeds has a variance of about 1 / (n - 1).

    >>> [round(number, 3) for number in pooled_deviation([0.5, 0.5, 0.5], 8)]
    [0.5, 0.326, 0.767]
    """
    middle = fmean(map(log, ratios))
    half = NORMAL / sqrt((seeds - 1) * len(ratios))
    return Interval(exp(middle), exp(middle - half), exp(middle + half))


def figures(found: Found) -> dict[str, float]:
    """Return exploitability by the plain solver's, with intervals, by option, game and time.

    Names are such as `initial weights.leduc.first.high`: of the first game with that short name, after the fewest
    iterations (`first`) or the most (`last`). `deviation` is over seeds, after the fewest; without a game it is
    that of all games together. `fair` compares an ensemble with one model that ran as long as all of it.
    """
    named, games = dict[str, float](), {short(game): game for game in found["games"]}
    for name, game in games.items():
        for variant in NAMES[1:]:
            for when, at in (("first", 0), ("last", -1)):
                ratio = compared(game, variant, game["checks"][at])
                named |= ratio.figures(f"{variant}.{name}.{when}")
            if variant in VARYING:
                named |= deviation(game, variant).figures(f"{variant}.{name}.deviation")
            if variant in ENSEMBLES:
                fair = fair_ratio(game, variant, game["checks"][-1])
                named |= fair.figures(f"{variant}.{name}.fair")
    for variant in VARYING:
        ratios = [named[f"{variant}.{name}.deviation"] for name in games]
        named |= pooled_deviation(ratios, found["seeds"]).figures(f"{variant}.deviation")
    return named


def short(game: Found) -> str:
    """Return the name of a game without its options."""
    return str(game["game"]).partition("(")[0]


def verdict(ratio: Interval) -> str:
    """Say what an interval of a ratio shows."""
    if ratio.low == ratio.high == 1:
        return UNCHANGED
    return LESS if ratio.high < 1 else MORE if ratio.low > 1 else SAME


def view(found: Findings) -> dict[str, Any]:
    """Return what the tables are made of, which options help where, and what is tried."""
    games = found[PART]["games"]
    at_end = {
        name: [verdict(compared(game, name, game["checks"][-1])) for game in games] for name in NAMES[1:]
    } | {
        f"{name}, at equal work": [verdict(fair_ratio(game, name, game["checks"][-1])) for game in games]
        for name in ENSEMBLES
    }
    *_, by_reach = ENSEMBLES
    claimed = [name for name in at_end if name not in (*OURS, f"{by_reach}, at equal work")]
    return {
        "games": games,
        "runs": option_runs,
        "varying": VARYING,
        "level": LEVEL,
        "steps": STEPS,
        "rates": WITHIN,
        "prior_strategy": prior_strategy,
        "bends": next(loss for loss in range(1, 1000) if reward("y4", -loss) < -loss),
        "always": {
            kind: [name for name, seen in at_end.items() if set(seen) == {kind}]
            for kind in (LESS, MORE, SAME)
        },
        "never": [name for name in claimed if LESS not in at_end[name]],
        "short": short,
        "mean": mean,
        "compared": compared,
        "fair_ratio": fair_ratio,
        "deviation": deviation,
        "won": won,
        "mean_text": mean_text,
        "ratio_text": ratio_text,
    }


def won(game: Found, row: str, column: str) -> Interval:
    """Return what one reward's strategy wins from another's, in big blinds a game."""
    for met in game["meetings"]:
        if (met["row"], met["column"]) == (row, column):
            return Interval.around(met["won"], met["interval"])
        if (met["column"], met["row"]) == (row, column):
            return Interval.around(0.0 - met["won"], met["interval"])
    raise KeyError((row, column))


def ratio_text(ratio: Interval) -> str:
    """Return a ratio with its interval, in bold where the interval leaves 1 out."""
    digits = 3 if ratio.high < 2 else 2 if ratio.high < 10 else 1
    text = f"{ratio.middle:.{digits}f} [{ratio.low:.{digits}f}, {ratio.high:.{digits}f}]"
    return f"**{text}**" if verdict(ratio) in (LESS, MORE) else text


def mean_text(value: Interval) -> str:
    """Return a mean and half of its interval, to three digits of the mean."""
    digits = max(0, 2 - floor(log10(max(abs(value.middle), 1e-9))))
    return f"{value.middle:.{digits}f} ± {value.half:.{digits}f}"


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return all points: a row for each."""
    rows = [
        {"game": game["game"], **point} for game in found[PART]["games"] for point in by_rows(game["points"])
    ]
    return {"sampling-options.csv": rows}


def draw(found: Findings, page: Path) -> None:
    """Draw ratios to the plain solver with their intervals: a panel for each game."""
    games, names = found[PART]["games"], NAMES[1:]
    with panels(page.with_suffix(".png"), (1, len(games)), (4.9, 5.2)) as (row,):
        for axes, game in zip(row, games, strict=True):
            few, most = game["checks"][0], game["checks"][-1]
            for check, shift, fill in ((few, 0.16, "none"), (most, -0.16, "full")):
                for place, name in enumerate(names):
                    ratio = compared(game, name, check)
                    ends = [[ratio.middle - ratio.low], [ratio.high - ratio.middle]]
                    colour = {LESS: "tab:green", MORE: "tab:red"}.get(verdict(ratio), "tab:gray")
                    style = {"fmt": "o", "fillstyle": fill, "color": colour, "markersize": 4, "linewidth": 1}
                    axes.errorbar(ratio.middle, place + shift, xerr=ends, **style)
            axes.axvline(1, color="black", linewidth=0.7)
            axes.set_xscale("log")
            plain_ticks(axes.xaxis, (0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 5, 10, 20, 40))
            title = f"{game['game']}\n{few:,} (hollow) and {most:,} iterations"
            dress(axes, "exploitability relative to the plain solver", "", title)
            axes.set_yticks(range(len(names)), names if axes is row[0] else [])
            axes.invert_yaxis()


EXPERIMENT = Experiment(
    "sampling-options",
    "Options of Monte Carlo CFR: what each does to exploitability",
    Setup,
    (Part(PART, measure, figures),),
    view,
    tables,
    draw,
)
