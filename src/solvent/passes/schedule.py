"""The columns of a schedule: what a regret rule says about each of some iterations, float64[iterations, 7].

The first six are the fields of `solvers.rules.Weights`. The last is how much the iteration after predicts: a plan
that derives the next strategy as soon as regrets change needs it, and with alternating updates the other player
meets that strategy in the same iteration.
"""

from __future__ import annotations

POSITIVE, NEGATIVE, FLOOR, AVERAGE, PREDICTION, KEEP, NEXT_PREDICTION = range(7)
