"""Reach of decisions: whose strategy was learned there, and which hands come more often than others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST_SHARE = 1e-4
"""The weight of a hand beside the largest at a decision, at or below which its strategy is not shown."""


def not_negligible(weights: ArrayLike) -> NDArray[np.bool_]:
    """Whether hands come often enough, beside the one that comes most, for their strategy to have been learned.

    >>> not_negligible([0.5, 6e-7, 0.0]).tolist()
    [True, False, False]
    """
    found = np.asarray(weights, dtype=np.float64)
    often: NDArray[np.bool_] = found > LEAST_SHARE * found.max(initial=0.0)
    return often


def relative(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights beside the largest, from 0 to 1.

    >>> relative(np.array([0.1, 0.4])).tolist()
    [0.25, 1.0]
    """
    largest = weights.max(initial=0.0)
    return weights / largest if largest > 0 else weights


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quotients, NaN where nothing can be divided by."""
    positive = below > 0
    return np.where(positive, above / np.where(positive, below, 1.0), np.nan)
