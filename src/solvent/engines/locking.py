"""Locked infosets on all forms but hold'em: regrets so large that no iteration can be seen beside them.

While a solver runs, the regrets of a locked infoset are its lock's probabilities times a power of two, and the
negative of that power where the probability is 0. Regret matching then plays the lock. What an iteration adds is
below the last place of such numbers, so that nothing is learnt there. When the run is over the regrets are 0
again, as they were.

So no kernel of these forms knows of locks, and a solve without them costs nothing. Spots and no-limit games
have locks of single hands on single boards, which their kernels do keep: see `forms.holdem.locks`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.strategy.solved.locks import Locks

SCALE = {np.dtype(np.float64): 2.0**400, np.dtype(np.float32): 2.0**90}
"""By number type: far above all regrets, and small enough that sums, squares and reciprocals stay in range."""


class LockedRegrets:
    """The places of locked regrets in a solver's tables, and their numbers while the solver runs."""

    def __init__(self, locks: Locks, places: NDArray[np.int64], dtype: np.dtype[np.floating]) -> None:
        """`places`, int64[cells], is where the regret of each cell lies; cells of one bucket share a place."""
        wanted = np.where(locks.locked, locks.probabilities, np.nan)
        there = np.full(int(places.max(initial=-1)) + 1, np.nan)
        there[places] = wanted
        if not np.array_equal(there[places], wanted, equal_nan=True):
            raise InputError("hands that share a bucket must be locked alike, or none of them")
        self.places = np.flatnonzero(~np.isnan(there))
        played, scale = there[self.places], SCALE[np.dtype(dtype)]
        self.regrets = np.where(played > 0.0, played * scale, -scale).astype(dtype)

    def impose(self, regret: NDArray[np.floating], last: NDArray[np.floating] | None = None) -> None:
        """Make the tables play the locks in the next iteration."""
        regret[self.places] = self.regrets
        if last is not None:
            last[self.places] = 0.0

    def lift(self, regret: NDArray[np.floating], last: NDArray[np.floating] | None = None) -> None:
        """Leave no trace of the locks in the tables."""
        for table in (regret, last):
            if table is not None:
                table[self.places] = 0.0
