"""The columns of a schedule: what a regret rule says about each of some iterations, float64[iterations, 7].

The first six are the fields of `engines.rules.Weights`. The last is how much the iteration after predicts, which a
plan needs that derives the next strategy as soon as regrets change. With alternating updates the second player
meets that strategy in the same iteration. Plans that derive strategies on the way (vectors, shapes) let the second
player meet what this iteration predicts: a difference only under a rule whose prediction changes with time.
"""

from __future__ import annotations

POSITIVE, NEGATIVE, FLOOR, AVERAGE, PREDICTION, KEEP, NEXT_PREDICTION = range(7)
