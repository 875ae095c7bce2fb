"""The flops of public clusters: which cluster each raw flop is in, and how many flops of each the hands leave.

|F_{n,h}| of Algorithm 4 counts the raw flops of cluster n that share no card with the four hole cards h. It comes
by inclusion and exclusion from how many flops of a cluster have a card, a pair of cards and three cards:

    |F_{n,h}| = |F_n| - sum_a |F_n(a)| + sum_{a<b} |F_n(a, b)| - sum_{a<b<c} |F_n(a, b, c)|        over cards of h

For every h the counts sum to C(48, 3) = 17,296.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import HELD
from solvent.abstraction.cards.lookup import Lookup, card_bits, flop_cluster
from solvent.foundation.kernels.compiling import internal, kernel

CARDS = 52
FLOPS = 22_100
"""C(52, 3) raw flops."""
FLOPS_LEFT = 17_296
"""C(48, 3) raw flops that two hands leave."""


class FlopTables(NamedTuple):
    """Counts of raw flops by public cluster, for kernels."""

    cluster: NDArray[np.int16]
    """int16[22,100]: the cluster of each raw flop, by `flop_number`"""
    flops: NDArray[np.int64]
    """int64[clusters]: |F_n|"""
    with_card: NDArray[np.int32]
    """int32[52, clusters]: flops that have a card"""
    with_pair: NDArray[np.int32]
    """int32[52, 52, clusters]: flops that have both cards; 0 for a card with itself"""


def flop_tables(lookup: Lookup) -> FlopTables:
    """Count the flops of every cluster of a card abstraction."""
    clusters = lookup.river.shape[0]
    tables = FlopTables(
        np.zeros(FLOPS, dtype=np.int16),
        np.zeros(clusters, dtype=np.int64),
        np.zeros((CARDS, clusters), dtype=np.int32),
        np.zeros((CARDS, CARDS, clusters), dtype=np.int32),
    )
    _count(lookup, np.zeros(3, dtype=np.int64), tables)
    return tables


@internal
def flop_number(a, b, c):  # type: ignore[no-untyped-def]
    """The number of a raw flop, 0 to 22,099, from its three cards in any order."""
    low, high = min(a, b), max(a, b)
    top, rest = max(high, c), min(high, c)
    middle, bottom = max(low, rest), min(low, rest)
    return top * (top - 1) * (top - 2) // 6 + middle * (middle - 1) // 2 + bottom


@kernel
def _count(lookup, flop, tables):  # type: ignore[no-untyped-def]
    for top in range(2, CARDS):
        for middle in range(1, top):
            for bottom in range(middle):
                flop[0], flop[1], flop[2] = bottom, middle, top
                n = flop_cluster(card_bits(flop, 0, 3), lookup)
                tables.cluster[flop_number(bottom, middle, top)] = n
                tables.flops[n] += 1
                for i in range(3):
                    tables.with_card[flop[i], n] += 1
                    for j in range(3):
                        if i != j:
                            tables.with_pair[flop[i], flop[j], n] += 1


@kernel
def count_flops(deck, tables, choices):  # type: ignore[no-untyped-def]
    """|F_{n,h}| of every cluster n into choices, int32[clusters], for the hands h = deck[:4]."""
    for n in range(len(choices)):
        choices[n] = tables.flops[n]
    for i in range(HELD):
        for n in range(len(choices)):
            choices[n] -= tables.with_card[deck[i], n]
        for j in range(i):
            for n in range(len(choices)):
                choices[n] += tables.with_pair[deck[i], deck[j], n]
            for k in range(j):
                choices[tables.cluster[flop_number(deck[i], deck[j], deck[k])]] -= 1


@kernel
def count_cluster_flops(deck, n, tables):  # type: ignore[no-untyped-def]
    """|F_{n,h}| of one cluster n, for the hands h = deck[:4]."""
    count = tables.flops[n]
    for i in range(HELD):
        count -= tables.with_card[deck[i], n]
        for j in range(i):
            count += tables.with_pair[deck[i], deck[j], n]
            for k in range(j):
                count -= tables.cluster[flop_number(deck[i], deck[j], deck[k])] == n
    return count
