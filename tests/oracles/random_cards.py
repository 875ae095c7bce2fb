"""Hands for the tests of cards: random ones, and all there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def random_hands(count: int, cards: int, seed: int) -> NDArray[np.int64]:
    """Draw `count` hands of different cards, every deal equally likely: int64[count, cards]."""
    rng = np.random.default_rng(seed)
    kept: list[NDArray[np.int64]] = []
    have = 0
    while have < count:
        drawn = rng.integers(52, size=(2 * count, cards))
        ordered = np.sort(drawn, axis=1)
        kept.append(drawn[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)])
        have += len(kept[-1])
    return np.concatenate(kept)[:count]


def all_hands(cards: int, of: Sequence[int] = tuple(range(52))) -> NDArray[np.uint8]:
    """Every hand of `cards` cards of a deck, in the order of `itertools.combinations`: uint8[hands, cards]."""
    places = np.arange(len(of))[:, None]
    for _ in range(cards - 1):
        last = places[:, -1]
        follow = len(of) - 1 - last
        start = np.repeat(np.cumsum(follow) - follow, follow)
        after = np.repeat(last, follow) + 1 + np.arange(follow.sum()) - start
        places = np.column_stack([np.repeat(places, follow, axis=0), after])
    return np.asarray(of, dtype=np.uint8)[places]
