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

    @property
    def half(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of several measurements with its interval.

    >>> [round(number, 3) for number in mean_interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    from scipy.stats import t

    middle = fmean(values)
    half = float(t.ppf((1 + LEVEL) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return Interval(middle, middle - half, middle + half)


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
