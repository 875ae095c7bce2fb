"""Numbers of the protocol: single ones, 1,326 in the order of `show_hand_order`, and strategies made of these.

That order is the one of `cards.hands`: by the higher card, then the lower, ranks from 2 to A and suits c, d, h, s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS
from solvent.cards.ranges import hand_label
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal
from solvent.spots.nodes.node import SpotNode

TOLERANCE = 1e-3
"""The most by which the probabilities of a hand may miss a sum of 1."""


def hand_order() -> str:
    """All hands in the protocol's order.

    >>> hand_order()[:29]
    '2d2c 2h2c 2h2d 2s2c 2s2d 2s2h'
    """
    return " ".join(map(hand_label, range(HANDS)))


def whole(text: str, name: str, least: int = 0) -> int:
    """A whole number; `100.0` is one too."""
    number = _number(text)
    if not (least <= number < inf and number % 1 == 0):
        raise InputError(f"the {name} is a whole number of at least {least}, not {text!r}")
    return int(number)


def decimal(text: str, name: str) -> float:
    """A finite number of at least 0."""
    number = _number(text)
    if not 0 <= number < inf:
        raise InputError(f"the {name} is a number of at least 0, not {text!r}")
    return number


def _number(text: str) -> float:
    """A number, NaN for other text."""
    number = parse_decimal(text)
    return nan if number is None else number


def parse_numbers(words: Sequence[str], what: str) -> NDArray[np.float64]:
    """Finite numbers written apart."""
    numbers = np.array([_number(word) for word in words])
    if not np.isfinite(numbers).all():
        bad = words[int(np.argmin(np.isfinite(numbers)))]
        raise InputError(f"{what} has {bad!r}, which is no finite number")
    return numbers


def parse_strategy(node: SpotNode, words: Sequence[str]) -> NDArray[np.float64]:
    """The strategy for a decision, float64[actions, hands of the player there]; NaN where nothing is given.

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


def spread(hands: NDArray[np.int64], values: NDArray[np.float64], elsewhere: float) -> NDArray[np.float64]:
    """Numbers of some hands as float64[1326], with another number for all other hands."""
    found = np.full(HANDS, elsewhere)
    found[hands] = values
    return found


def written(numbers: Iterable[float]) -> str:
    """Numbers in a line, each as the shortest text that is read back as the number itself.

    >>> written([0.0, 1.0, 0.1, float("nan"), -2.5])
    '0 1 0.1 nan -2.5'
    """
    return " ".join(repr(float(number)).removesuffix(".0") for number in numbers)
