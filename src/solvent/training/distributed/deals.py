"""Cards for the head and for children, dealt into arrays first, so that the algorithm knows no cards.

Both deal the hands of an iteration anew from its key, so that no message carries cards. A child draws its board
from a key of its own, and its flop again until it lies in its cluster: of the flops that the hands leave to the
cluster each is as likely as any other.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.dealing import DEALT, FLOPPED, HELD, deal_classes, draw_cards
from solvent.abstraction.cards.lookup import card_bits, class_bucket, hole_bucket
from solvent.cards.evaluator import evaluator
from solvent.engines.sampled.kernels import board_key
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.training.distributed.flops import (
    CARDS,
    FLOPS,
    FLOPS_LEFT,
    count_cluster_flops,
    count_flops,
    flop_number,
    flop_tables,
)
from solvent.training.kernels import deal_hands, showdown_outcome


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
