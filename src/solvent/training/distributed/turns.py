"""Public clusters of turns inside clusters of flops: dealers and branches for hold'em, in this process.

A cluster of flops is then a `Branch` with the flop's table, and each of its clusters of turns a `Child` with tables
of turn and river. A branch draws its flop as a child does. A child of it draws the same flop again from the same
key, and then the turn, again and again until the flop and it lie in its cluster. Hands and flop leave 45 turns;
what increments count is the product of the flops that hands leave to the cluster of flops, |F_{n,h}|, and of the
turns that hands and flop leave to the cluster of turns. With one cluster of each all draws are plain sampling's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.dealing import DEALT, FLOPPED, HELD, deal_buckets, draw_cards
from solvent.abstraction.cards.lookup import card_bits, flop_bucket
from solvent.cards.evaluator import evaluator
from solvent.engines.sampled.keys import board_key
from solvent.forms.betting.tree import BettingTree
from solvent.forms.sampled import TableLayout, table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.memory import new_table
from solvent.foundation.kernels.randomness import iteration_key
from solvent.strategy.agents.shards import CLUSTER
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.branch import Branch
from solvent.training.distributed.child import Child
from solvent.training.distributed.deals import (
    ChildDeals,
    HeadDeals,
    HoldemDealer,
    empty_child_deals,
    empty_head_deals,
    scratch,
)
from solvent.training.distributed.flops import (
    CARDS,
    FLOPS,
    FLOPS_LEFT,
    FlopTables,
    count_cluster_flops,
    flop_number,
)
from solvent.training.distributed.head import Head
from solvent.training.distributed.solver import transformed_walk
from solvent.training.kernels import deal_hands, showdown_outcome

TURNED = FLOPPED + 1
"""Cards of a deal with the turn."""
TURNS, TURNS_LEFT = CARDS - 3, CARDS - FLOPPED
"""Turns after a flop, and those that two hands leave of them."""


class TurnTables(NamedTuple):
    """The public clusters of flops and, inside each, of turns, for kernels."""

    flops: FlopTables
    cluster: NDArray[np.int16]
    """int16[22,100, 52]: the cluster of a flop, by `flop_number`, and a turn inside the flop's cluster"""
    states: NDArray[np.int64]
    """int64[clusters of flops, clusters of turns]: raw flops with turns"""
    inside: NDArray[np.int64]
    """int64[clusters of flops]: clusters of turns"""


def turn_tables(flops: FlopTables, cluster: NDArray[np.int16]) -> TurnTables:
    """Count the flops and turns of every cluster. cluster: as in `TurnTables`, each cluster's from 0 on."""
    if cluster.shape != (FLOPS, CARDS) or cluster.dtype != np.int16 or cluster.min() < 0:
        raise InputError(f"clusters of turns are int16[{FLOPS:,}, {CARDS}], from 0 on")
    states = np.zeros((len(flops.flops), int(cluster.max()) + 1), dtype=np.int64)
    _count_states(flops, cluster, states)
    inside = (states > 0).sum(axis=1)
    if ((states > 0) != (np.arange(states.shape[1]) < inside[:, None])).any():
        raise InputError(
            "clusters of turns are numbered from 0 on inside every cluster of flops, without gaps"
        )
    return TurnTables(flops, cluster, states, inside)


class TurnDealer:
    """Deals for a branch, the cluster `flop_cluster` of flops, and for its children."""

    def __init__(
        self, above: HoldemDealer, turns: TurnTables, flop_cluster: int, layout: TableLayout
    ) -> None:
        """layout: of a table whose arenas have the rows of a cluster of flops, as if turns had one cluster."""
        self.lookup, self.seed, self.turns, self.flop_cluster = above.lookup, above.seed, turns, flop_cluster
        self._street, self._bucket = layout.street, layout.bucket
        self._evaluator = evaluator()

    @property
    def clusters(self) -> int:
        return int(self.turns.inside[self.flop_cluster])

    def deal_head(self, start: int, end: int, samples: int) -> HeadDeals:
        deals = empty_head_deals(end - start, samples, self.clusters, streets=2)
        deal_to_branch(
            self.flop_cluster, start, self.seed, self.lookup, self._bucket, self.turns, scratch(), deals
        )
        return deals

    def deal_child(self, cluster: int, start: int, end: int, samples: int) -> ChildDeals:
        deals = empty_child_deals(end - start, samples)
        deal_below_branch(
            (self.flop_cluster, cluster), start, self.seed, self.lookup, (self._street, self._bucket),
            self._evaluator, self.turns, scratch(), deals,
        )  # fmt: skip
        return deals

    def mean_choices(self, cluster: int) -> tuple[int, int]:
        states = int(self.turns.states[self.flop_cluster, cluster])
        return states * FLOPS_LEFT * TURNS_LEFT, FLOPS * TURNS


def make_branches(
    tree: BettingTree,
    cards: CardAbstraction,
    settings: DistributedSettings,
    clusters: Iterable[int],
    turn_cluster: NDArray[np.int16],
    tables: Mapping[str, NDArray[np.float32]] | None = None,
) -> list[Branch]:
    """Branches of one process for some clusters of flops, with a child for every cluster of turns inside each.

    turn_cluster: as in `TurnTables`. Turn and river have the buckets of the cards, apart in each cluster of turns.
    tables: by `CLUSTER`, float32[numbers of flop + clusters of turns x those of turn and river]; None makes zeros.
    """
    layout = table_layout(tree.bucket_floats, cards.sizes)
    above, walk = HoldemDealer(cards, layout, settings.seed), transformed_walk(tree, settings)
    turns = turn_tables(above.flops, turn_cluster)
    own = int(layout.street[2])
    below, made = layout.arena - own, []
    for n in clusters:
        dealer = TurnDealer(above, turns, n, layout)
        size = own + dealer.clusters * below
        table = new_table(size, np.float32) if tables is None else tables[CLUSTER.format(n)]
        if table.shape != (size,):
            raise InputError(f"the table of cluster {n} has {size:,} numbers, and {table.size:,} were given")
        head = Head(
            walk, table[:own], dealer, settings, last=1, samples=settings.samples, mean=above.mean_choices(n)
        )
        parts = np.split(table[own:], dealer.clusters)
        children = [Child(m, walk, part, dealer, settings) for m, part in enumerate(parts)]
        made.append(Branch(n, table, head, list(children)))
    return made


@kernel
def _count_states(flops, cluster, states):  # type: ignore[no-untyped-def]
    for top in range(2, CARDS):
        for middle in range(1, top):
            for bottom in range(middle):
                flop = flop_number(bottom, middle, top)
                for turn in range(CARDS):
                    if turn != bottom and turn != middle and turn != top:
                        states[flops.cluster[flop], cluster[flop, turn]] += 1


@internal
def draw_flop(key, cluster, sample, flops, random, deck):  # type: ignore[no-untyped-def]
    """Deal the hands of an iteration and the flop that a cluster draws, as `deal_to_child`; returns its number."""
    deal_hands(key, random, deck)  # the order of the other cards must not depend on the samples before
    random[0] = board_key(key, cluster, sample)
    draw_cards(deck, HELD, FLOPPED, random)
    while flops.cluster[flop_number(deck[4], deck[5], deck[6])] != cluster:
        draw_cards(deck, HELD, FLOPPED, random)
    return flop_number(deck[4], deck[5], deck[6])


@kernel
def deal_to_branch(cluster, start, seed, lookup, bucket, turns, room, deals):  # type: ignore[no-untyped-def]
    """Deal hands and flops of iterations from `start` on into `HeadDeals`.

    bucket: int64[4], numbers that one bucket has on each street. room: (random, deck).
    """
    random, deck = room
    for which in range(len(deals.drawn)):
        key = iteration_key(seed, start + which)
        deals.drawn[which] = deal_hands(key, random, deck)
        deals.chosen[which] = count_cluster_flops(deck, cluster, turns.flops)
        if deals.chosen[which, 0] == 0:
            continue
        for sample in range(deals.base.shape[1]):
            flop = draw_flop(key, cluster, sample, turns.flops, random, deck)
            for place in range(FLOPPED, CARDS):
                deals.choices[which, sample, turns.cluster[flop, deck[place]]] += 1
            board = card_bits(deck, HELD, FLOPPED)
            for who in range(2):
                hole = card_bits(deck, 2 * who, 2 * who + 2)
                deals.base[which, sample, who, 1] = flop_bucket(hole, board, lookup) * bucket[1]


@kernel
def deal_below_branch(path, start, seed, lookup, layout, evaluator, turns, room, deals):  # type: ignore[no-untyped-def]
    """Deal hands and boards of iterations from `start` on into `ChildDeals`.

    path: the cluster of flops, and the cluster of turns inside it. layout: (where each street's rows begin in a
    table of the cluster of flops, numbers of a bucket), int64[4] each. room: (random, deck).
    """
    (cluster, inside), (street_start, bucket), (random, deck) = path, layout, room
    for which in range(len(deals.drawn)):
        key = iteration_key(seed, start + which)
        deals.drawn[which] = deal_hands(key, random, deck)
        flops = count_cluster_flops(deck, cluster, turns.flops)
        if flops == 0:
            continue
        for sample in range(deals.outcome.shape[1]):
            flop = draw_flop(key, cluster, sample, turns.flops, random, deck)
            left = 0
            for place in range(FLOPPED, CARDS):
                left += turns.cluster[flop, deck[place]] == inside
            deals.chosen[which, sample] = flops * left
            if left == 0:
                continue
            draw_cards(deck, FLOPPED, TURNED, random)
            while turns.cluster[flop, deck[FLOPPED]] != inside:
                draw_cards(deck, FLOPPED, TURNED, random)
            draw_cards(deck, TURNED, DEALT, random)
            base = deals.base[which, sample]
            for who in range(2):
                deal_buckets(deck, who, cluster, lookup, base)  # buckets, which become where their rows begin
                for street in range(2):
                    base[who, street] = 0
                for street in range(2, 4):
                    base[who, street] = (
                        street_start[street] - street_start[2] + base[who, street] * bucket[street]
                    )
            deals.outcome[which, sample] = showdown_outcome(deck, evaluator)
