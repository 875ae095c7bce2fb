"""Biased rewards: losses that are weighed more while a strategy is learned, in big blinds.

    y1 = y    y2 = 1.5 y    y3 = -0.35 (-y)^1.32 - 5    y4 = min(-0.35 (-y)^1.32, y)

for losses y < 0; what is won stays as it is. The game that is learned is no longer zero-sum, so that results are
always measured in true chips.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.foundation.errors import InputError


def _steep(loss: NDArray[np.float64]) -> NDArray[np.float64]:
    steep: NDArray[np.float64] = -0.35 * (-loss) ** 1.32
    return steep


REWARDS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "y1": lambda loss: loss,
    "y2": lambda loss: 1.5 * loss,
    "y3": lambda loss: _steep(loss) - 5,
    "y4": lambda loss: np.minimum(_steep(loss), loss),
}


def reward(name: str, payoff: ArrayLike, unit: float = 1.0) -> NDArray[np.float64]:
    """Payoffs in chips after the reward of this name, with `unit` chips to a big blind.

    >>> reward("y2", [-10, 10]).tolist()
    [-15.0, 10.0]
    """
    if name not in REWARDS:
        raise InputError(f"there is no reward {name!r}; the rewards are {', '.join(REWARDS)}")
    blinds = np.asarray(payoff, dtype=np.float64) / unit
    felt = REWARDS[name](np.minimum(blinds, 0.0)) * unit
    return np.where(blinds < 0, felt, payoff)
