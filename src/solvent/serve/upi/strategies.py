"""Strategies as `set_strategy` gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS
from solvent.foundation.errors import InputError
from solvent.serve.upi.numbers import parse_numbers
from solvent.spots.nodes.node import SpotNode

TOLERANCE = 1e-3
"""How far the probabilities of a hand may be from summing to 1."""


def parse_strategy(node: SpotNode, words: Sequence[str]) -> NDArray[np.float64]:
    """What is to be played at a decision, float64[actions, hands of the player there]; NaN where nothing is given.

    `words` are 1,326 numbers for each action, in the order of `show_children`. Zeros for all actions give nothing.
    """
    player, actions = node.player, len(node.actions)
    if player is None:
        raise InputError("nobody acts at that node, so it has no strategy")
    if len(words) != actions * HANDS:
        raise InputError(
            f"the strategy of this node is {actions} x {HANDS:,} numbers, those of the first child first, not "
            f"{len(words):,}"
        )
    rows = parse_numbers(words, "the strategy").reshape(actions, HANDS)[::-1, node.numbers[player]]
    total = rows.sum(axis=0)
    given = total > 0
    if (rows < 0).any() or (abs(total[given] - 1) > TOLERANCE).any():
        raise InputError("the probabilities of a hand are at least 0 and sum to 1")
    return np.where(given, rows / np.where(given, total, 1.0), np.nan)
