"""The figures of the experiment with sampling options by name, for the ledger of claims."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from statistics import fmean

from solvent_papers.confidence import Interval, deviation_interval, ratio_interval
from solvent_papers.laptop_mccfr.sampling_options import LONGER, MODELS, NAMES, PLAIN, Result

VARYING = tuple(name for name in NAMES if name.startswith(("exploration", f"{MODELS} models")))
"""The options that are said to lower the variance."""
NORMAL = 1.96
"""Standard deviations to either side of a 95 % interval."""


def option_figures(result: Result) -> dict[str, float]:
    """Return exploitability by the plain solver's, with intervals, by option, game and time.

    Names are such as `initial weights.leduc.first.high`: of the first game with that short name, after the fewest
    iterations (`first`) or the most (`last`); `deviation` is over seeds, after the fewest, and `fair` compares an
    ensemble with one model that ran as long as all of it. A deviation
    without a game is that of all games together.
    """
    found: dict[str, float] = {}
    for game, checks in result.scale.games.items():
        short = game.partition("(")[0]
        for variant in NAMES:
            if variant == PLAIN:
                continue
            for when, iterations in (("first", checks[0]), ("last", checks[-1])):
                found |= _interval(f"{variant}.{short}.{when}", compared(result, game, variant, iterations))
            if variant in VARYING:
                values = (result.values(game, name, checks[0]) for name in (variant, PLAIN))
                found |= _interval(f"{variant}.{short}.deviation", deviation_interval(*values))
            if variant.startswith(f"{MODELS} models"):
                found |= _interval(f"{variant}.{short}.fair", fair_ratio(result, game, variant, checks[-1]))
    for variant in VARYING:
        ratios = [found[f"{variant}.{game.partition('(')[0]}.deviation"] for game in result.scale.games]
        found |= _interval(f"{variant}.deviation", pooled_deviation(ratios, result.scale.seeds))
    return found


def pooled_deviation(ratios: Sequence[float], seeds: int) -> Interval:
    """Return the geometric mean of ratios of standard deviations, with the interval of its logarithm.

    The logarithm of each ratio of two deviations over n seeds has a variance of about 1 / (n - 1).

    >>> [round(number, 3) for number in pooled_deviation([0.5, 0.5, 0.5], 8)]
    [0.5, 0.326, 0.767]
    """
    middle = fmean(map(log, ratios))
    half = NORMAL / sqrt((seeds - 1) * len(ratios))
    return Interval(exp(middle), exp(middle - half), exp(middle + half))


def compared(result: Result, game: str, variant: str, iterations: int) -> Interval:
    """Return a variant's exploitability relative to the plain solver, paired by seed."""
    return ratio_interval(*(result.values(game, name, iterations) for name in (variant, PLAIN)))


def fair_ratio(result: Result, game: str, variant: str, iterations: int) -> Interval:
    """Return an ensemble's exploitability by that of one model that ran as long as all of its models together."""
    return ratio_interval(
        result.values(game, variant, iterations), result.values(game, LONGER, MODELS * iterations)
    )


def _interval(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.middle, f"{name}.low": interval.low, f"{name}.high": interval.high}
