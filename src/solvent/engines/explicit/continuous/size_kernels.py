"""What a bet of any size is worth where its answer is known at two sizes around it, in closed form.

With y = 1 / (1 + theta) the shares of the pseudo-harmonic mapping are linear in y between two neighbouring sizes.
So are F, what folds win, and C, what follows a call or a raise in units of the pot then, as long as the exploiter's
plan stays what it is. The bet is worth

    G = F(y) + (1 + 2 theta) C(y) = k0 + k1 theta + k2 / (1 + theta),    1 + 2 theta = 2 / y - 1,

which has a maximum inside only where k1 < 0 and k2 < 0, at 1 + theta = sqrt(k2 / k1).
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal


@internal
def peak_between(left, folds_left, calls_left, right, folds_right, calls_right):  # type: ignore[no-untyped-def]
    """The largest G from size `left` to size `right`, and the size where it is reached.

    folds_*, calls_*: F and C at both ends, between which they are linear in y.
    """
    best, size = folds_left + (1.0 + 2.0 * left) * calls_left, left
    end = folds_right + (1.0 + 2.0 * right) * calls_right
    if end > best:
        best, size = end, right
    y_left, y_right = 1.0 / (1.0 + left), 1.0 / (1.0 + right)
    if y_left <= y_right:
        return best, size
    calls_slope = (calls_left - calls_right) / (y_left - y_right)
    k1 = 2.0 * (calls_left - calls_slope * y_left)
    k2 = (folds_left - folds_right) / (y_left - y_right) - calls_slope
    if k1 < 0.0 and k2 < 0.0:
        y = np.sqrt(k1 / k2)
        if y_right < y < y_left:
            # Measured from the left end, so that nothing cancels where the piece is short.
            top = folds_left + (1.0 + 2.0 * left) * calls_left
            top += k2 * (y - y_left) + k1 * (1.0 / y - 1.0 / y_left)
            if top > best:
                best, size = top, 1.0 / y - 1.0
    return best, size
