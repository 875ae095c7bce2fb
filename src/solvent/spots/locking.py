"""Locks of a node's strategy, given by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.hands import HANDS, renamed_hands
from solvent.forms.holdem.locks import NodeLock
from solvent.foundation.errors import InputError
from solvent.spots.nodes.node import SpotNode

TOLERANCE = 1e-3
"""How far apart probabilities may be of hands that differ only in suits which may be exchanged."""


def node_lock(node: SpotNode, play: ArrayLike) -> NodeLock:
    """The lock of what the hands of a node play, float64[actions, hands of the player to act].

    A column of NaN leaves its hand free. The lock holds on the board of the node.
    """
    player = node.player
    if player is None:
        raise InputError(f"nobody acts after {node.line!r}, so nothing can be locked there")
    rows = _checked(node, play, (len(node.actions), len(node.numbers[player])))
    game = node.solver.game
    found = np.full((len(rows), HANDS), np.nan)
    found[:, renamed_hands(node.place.suits)[node.numbers[player]]] = rows
    street, board = node.stands_for
    images = [found[:, renamed_hands(suits)] for suits in game.streets[street].boards.groups[board]]
    if np.allclose(images, found, rtol=0, atol=TOLERANCE, equal_nan=True):
        # Suits that may be exchanged differ by rounding only. Sums in one order are equal to the last bit.
        found = np.sort(images, axis=0).mean(axis=0)
    return NodeLock(node.place.node, found[:, game.hands[player]], board)


def _checked(node: SpotNode, play: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    try:
        rows = np.array(play, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.shape != shape:
        raise InputError(
            f"a lock after {node.line!r} is {shape[0]} x {shape[1]} probabilities, a row for each action and a "
            f"column for each hand of the node, not {' x '.join(map(str, rows.shape))}"
        )
    return rows
