"""95 % confidence intervals for means, ratios and deviations over a few seeds (Student's t, Fisher's F)."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

LEVEL = 0.95


class Interval(NamedTuple):
    """An estimate and its 95 % confidence interval."""

    middle: float
    low: float
    high: float

    @classmethod
    def around(cls, middle: float, half: float) -> Interval:
        """Return the interval that reaches `half` to either side of an estimate."""
        return cls(middle, middle - half, middle + half)

    @property
    def half(self) -> float:
        """The distance from the middle to either end."""
        return (self.high - self.low) / 2

    @property
    def sign(self) -> int:
        """1 if all of the interval is above 0, -1 if all of it is below, 0 otherwise."""
        return int(self.low > 0) - int(self.high < 0)

    def __neg__(self) -> Interval:
        return Interval(-self.middle, -self.high, -self.low)

    def figures(self, name: str) -> dict[str, float]:
        """Return the estimate and the ends of its interval as figures for the ledger."""
        return {name: self.middle, f"{name}.low": self.low, f"{name}.high": self.high}


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of several measurements with its interval.

    >>> [round(number, 3) for number in mean_interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    from scipy.stats import t

    half = float(t.ppf((1 + LEVEL) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return Interval.around(fmean(values), half)


def jackknife_half(values: Sequence[float]) -> float:
    """Return half the interval of an estimate from several sources, given the estimates without each (jackknife).

    Where the estimate is the mean of the sources it is that of `mean_interval`.

    >>> round(jackknife_half([2.5, 2.0, 1.5]), 3)
    2.484
    """
    from scipy.stats import t

    freedom = len(values) - 1
    return float(t.ppf((1 + LEVEL) / 2, freedom)) * freedom * stdev(values) / sqrt(len(values))


def chance_above(values: Sequence[float]) -> float:
    """Return the one-sided p-value of a mean above 0: how likely chance alone puts it so far above (Student's t).

    It is below (1 - LEVEL) / 2 where all of `mean_interval` is above 0.

    >>> round(chance_above([1.0, 2.0, 3.0]), 4), chance_above([1.0, 1.0]), chance_above([0.0, 0.0])
    (0.0371, 0.0, 1.0)
    """
    from scipy.stats import t

    middle, error = fmean(values), stdev(values) / sqrt(len(values))
    if error == 0:
        return 0.0 if middle > 0 else 1.0
    return float(t.sf(middle / error, len(values) - 1))


def holm(chances: Sequence[float]) -> list[float]:
    """Return the p-values of several comparisons, adjusted for their number (Holm 1979).

    Where nothing is so, chance puts any of them at or below a level with at most that probability.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda place: chances[place])):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted


def ratio_interval(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the geometric mean ratio of measurements paired by seed, with the interval of its logarithm.

    >>> [round(number, 3) for number in ratio_interval([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])]
    [2.0, 2.0, 2.0]
    """
    logs = mean_interval([log(value / other) for value, other in zip(values, others, strict=True)])
    return Interval(exp(logs.middle), exp(logs.low), exp(logs.high))


def deviation_interval(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the ratio of the standard deviations of two samples, with its interval."""
    from scipy.stats import f

    ratio = stdev(values) / stdev(others)
    freedom = (len(values) - 1, len(others) - 1)
    low, high = (float(f.ppf(p, *freedom)) for p in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(ratio, ratio / sqrt(high), ratio / sqrt(low))
