"""Random hands for the tests of cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_hands(count: int, cards: int, seed: int) -> NDArray[np.int64]:
    """So many hands of different cards, every deal equally likely: int64[count, cards]."""
    rng = np.random.default_rng(seed)
    kept: list[NDArray[np.int64]] = []
    have = 0
    while have < count:
        drawn = rng.integers(52, size=(2 * count, cards))
        ordered = np.sort(drawn, axis=1)
        kept.append(drawn[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)])
        have += len(kept[-1])
    return np.concatenate(kept)[:count]
