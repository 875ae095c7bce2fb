"""A strategy from simulated win rates alone: what a player would do who knows nothing but how good his hand is.

| hands that win | fold | call or check | bets and raises, all alike |
|---|---|---|---|
| below 20 % | 85 % | 10 % | 5 % |
| below 40 % | 45 % | 45 % | 10 % |
| below 65 % | 10 % | 70 % | 20 % |
| more | 2 % | 33 % | 65 % |

Where there is nothing to fold to, what folding would have had goes to the check; where there is no raise, to the
call. The table is ours: Laptop MCCFR's gives no numbers but "below 20 %: mostly fold or check".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.kernels import kernel

BELOW = (0.20, 0.40, 0.65)
"""Win rates that part the rows of the table."""
FOLD_SHARE = (0.85, 0.45, 0.10, 0.02)
RAISE_SHARE = (0.05, 0.10, 0.20, 0.65)


def prior_strategy(rate: float, folds: bool, raises: int) -> NDArray[np.float64]:
    """float64[actions]: fold (where `folds`), call, then every raise, of a hand that wins `rate` of showdowns.

    >>> prior_strategy(0.15, True, 2).round(3).tolist(), prior_strategy(0.15, False, 0).tolist()
    ([0.85, 0.1, 0.025, 0.025], [1.0])
    """
    probabilities = np.zeros(folds + 1 + raises)
    prior(probabilities, folds, raises, rate)
    return probabilities


@kernel
def prior(probabilities, folds, raises, rate):  # type: ignore[no-untyped-def]
    """`prior_strategy` into the first places of `probabilities`: float[]."""
    row = 0
    while row < len(BELOW) and rate >= BELOW[row]:
        row += 1
    call, place = 1.0, 0
    if folds:
        probabilities[0] = FOLD_SHARE[row]
        call -= FOLD_SHARE[row]
        place = 1
    if raises > 0:
        call -= RAISE_SHARE[row]
    probabilities[place] = call
    for bet in range(raises):
        probabilities[place + 1 + bet] = RAISE_SHARE[row] / raises
