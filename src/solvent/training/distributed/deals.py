"""Cards for the head and for children, dealt into arrays first, so that the algorithm knows no cards.

Both deal the hands of an iteration anew from its key, so that no message carries cards. A child draws its board
from a key of its own, and its flop again until it lies in its cluster: of the flops that the hands leave to the
cluster each is as likely as any other.

|F_{n,h}| of Algorithm 4 counts the raw flops of cluster n that share no card with the four hole cards h. It comes
by inclusion and exclusion from how many flops of a cluster have a card, a pair of cards and three cards:

    |F_{n,h}| = |F_n| - sum_a |F_n(a)| + sum_{a<b} |F_n(a, b)| - sum_{a<b<c} |F_n(a, b, c)|        over cards of h

For every h the counts sum to C(48, 3) = 17,296.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.dealing import DEALT, FLOPPED, HELD, deal_classes, draw_cards
from solvent.abstraction.cards.lookup import Lookup, card_bits, class_bucket, flop_cluster, hole_bucket
from solvent.cards.evaluator import evaluator
from solvent.engines.sampled.kernels import board_key
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.training.kernels import deal_hands, showdown_outcome

CARDS = 52
FLOPS = 22_100
"""C(52, 3) raw flops."""
FLOPS_LEFT = 17_296
"""C(48, 3) raw flops that two hands leave."""


class HeadDeals(NamedTuple):
    """The hands of some iterations, as the head needs them."""

    base: NDArray[np.int64]
    """int64[iterations, 2]: where each player's rows begin in the head's table"""
    choices: NDArray[np.int32]
    """int32[iterations, clusters]: |F_{n,h}|, the public samples that are left to each child"""
    drawn: NDArray[np.float32]
    """float32[iterations]: the draws, in [0, 1), that decide about pruning"""


class ChildDeals(NamedTuple):
    """The hands and boards of some iterations, as one child needs them."""

    base: NDArray[np.int64]
    """int64[iterations, samples, 2, streets]: where each player's rows begin in the child's table"""
    outcome: NDArray[np.int64]
    """int64[iterations, samples]: who wins at showdown: player 0 (0), nobody (1), player 1 (2)"""
    chosen: NDArray[np.int64]
    """int64[iterations, samples]: |F_{n,h}| of this cluster, the public samples that its board was drawn from

    Where it is 0 there is no board.
    """
    drawn: NDArray[np.float32]
    """float32[iterations]: the draws, in [0, 1), that decide about pruning"""


class Dealer(Protocol):
    """Deals cards from keys: equal iterations get equal cards, in whatever process."""

    @property
    def clusters(self) -> int: ...

    def deal_head(self, start: int, end: int) -> HeadDeals:
        """The hands of iterations `start` to `end`."""
        ...

    def deal_child(self, cluster: int, start: int, end: int, samples: int) -> ChildDeals:
        """Hands and boards of iterations `start` to `end` for a cluster."""
        ...

    def mean_choices(self, cluster: int) -> tuple[int, int]:
        """The mean of `chosen` over all hands, as numerator and denominator."""
        ...


class HoldemDealer:
    """Deals hold'em with a card abstraction for a table of a given layout."""

    def __init__(self, cards: CardAbstraction, layout: TableLayout, seed: int) -> None:
        self.lookup, self.seed = cards.lookup, seed
        self.flops = flop_tables(cards.lookup)
        self._layout = layout._replace(head=0)  # each cluster's arena is a table of its own
        self._evaluator = evaluator()

    @property
    def clusters(self) -> int:
        return len(self.flops.flops)

    def deal_head(self, start: int, end: int) -> HeadDeals:
        count = end - start
        deals = HeadDeals(
            np.zeros((count, 2), dtype=np.int64),
            np.zeros((count, self.clusters), dtype=np.int32),
            np.zeros(count, dtype=np.float32),
        )
        deal_to_head(start, self.seed, self.lookup, self._layout, self.flops, *scratch(), deals)
        return deals

    def deal_child(self, cluster: int, start: int, end: int, samples: int) -> ChildDeals:
        count = end - start
        deals = ChildDeals(
            np.zeros((count, samples, 2, 4), dtype=np.int64),
            np.zeros((count, samples), dtype=np.int64),
            np.zeros((count, samples), dtype=np.int64),
            np.zeros(count, dtype=np.float32),
        )
        deal_to_child(
            cluster, start, self.seed, self.lookup, self._layout, self._evaluator, self.flops,
            *scratch(), deals,
        )  # fmt: skip
        return deals

    def mean_choices(self, cluster: int) -> tuple[int, int]:
        return int(self.flops.flops[cluster]) * FLOPS_LEFT, FLOPS


def scratch() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """A counter and a deck for one call: threads share a dealer."""
    return np.zeros(1, dtype=np.uint64), np.zeros(CARDS, dtype=np.int64)


@kernel
def deal_to_head(start, seed, lookup, layout, flops, random, deck, deals):  # type: ignore[no-untyped-def]
    """Deal the hands of iterations from `start` on into `HeadDeals`."""
    for which in range(len(deals.drawn)):
        deals.drawn[which] = deal_hands(iteration_key(seed, start + which), random, deck)
        for who in range(2):
            bucket = hole_bucket(card_bits(deck, 2 * who, 2 * who + 2), lookup)
            deals.base[which, who] = row_start(layout, 0, 0, bucket)
        count_flops(deck, flops, deals.choices[which])


@kernel
def deal_to_child(cluster, start, seed, lookup, layout, evaluator, flops, random, deck, deals):  # type: ignore[no-untyped-def]
    """Deal hands and boards of iterations from `start` on into `ChildDeals`."""
    for which in range(len(deals.drawn)):
        key = iteration_key(seed, start + which)
        deals.drawn[which] = deal_hands(key, random, deck)
        deals.chosen[which] = count_cluster_flops(deck, cluster, flops)
        if deals.chosen[which, 0] == 0:
            continue
        for sample in range(deals.outcome.shape[1]):
            if sample > 0:  # the order of the other cards must not depend on the samples before
                deal_hands(key, random, deck)
            random[0] = board_key(key, cluster, sample)
            draw_cards(deck, HELD, FLOPPED, random)
            while flops.cluster[flop_number(deck[4], deck[5], deck[6])] != cluster:
                draw_cards(deck, HELD, FLOPPED, random)
            draw_cards(deck, FLOPPED, DEALT, random)
            for who in range(2):
                deal_classes(deck, who, lookup, deals.base[which, sample])
            deals.outcome[which, sample] = showdown_outcome(deck, evaluator)
    # The tables of buckets are large. Reads that wait for no computing do not wait for one another either.
    for which in range(len(deals.drawn)):
        for sample in range(deals.outcome.shape[1]):
            if deals.chosen[which, sample] == 0:
                continue
            base = deals.base[which, sample]
            for who in range(2):
                for street in range(1, 4):
                    bucket = class_bucket(street, base[who, street], cluster, lookup)
                    base[who, street] = row_start(layout, street, 0, bucket)


# Flops of public clusters


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
