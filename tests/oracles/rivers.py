"""Equities of all hands on a river board, from the kernel that compares kinds of cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.cards.showdown import kind_equities, kinds, pairs


def river_equities(board: tuple[int, ...]) -> NDArray[np.uint16]:
    """Every hand's equity on a river board against all others, of 1,980; uint16[1326], 0 where a card is shared."""
    room, hands = kinds(), pairs()
    kind_equities(np.array(board, dtype=np.int64), evaluator(), room)
    low, high = room.kind[hands.low], room.kind[hands.high]
    return np.where((low < 0) | (high < 0), 0, room.equity[low, high])
