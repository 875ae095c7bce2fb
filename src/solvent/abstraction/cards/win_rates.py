"""How often the hands of a bucket win against a random hand, simulated: what a player knows before any play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import DEALT, deal, lead, look_up, public_cluster
from solvent.cards.evaluator import evaluator
from solvent.foundation.compiling import kernel
from solvent.foundation.randomness import stream
from solvent.foundation.threads import in_pieces

if TYPE_CHECKING:
    from solvent.abstraction.cards.buckets import CardAbstraction

DEALS = 2_000_000
"""Simulated by default: in a hundred buckets a street, half a percent of error."""
PIECE = 100_000
PRIOR = 10.0
"""Deals that a bucket is taken to have split before the first: few deals say little."""


def win_rates(
    cards: CardAbstraction, deals: int = DEALS, seed: int = 0, threads: int = 1
) -> list[NDArray[np.float32]]:
    """float32[clusters, buckets] for each street: the part of deals that are won, a tie counting half.

    Simulated once a process for each card abstraction.
    """
    asked = (cards.fingerprint, deals, seed)
    if asked not in _simulated:
        _simulated[asked] = _simulate(cards, deals, seed, threads)
    return _simulated[asked]


_simulated: dict[tuple[str, int, int], list[NDArray[np.float32]]] = {}


def _simulate(cards: CardAbstraction, deals: int, seed: int, threads: int) -> list[NDArray[np.float32]]:
    pieces = -(-deals // PIECE)
    many = sum(clusters * buckets for clusters, buckets in cards.sizes)
    starts = np.concatenate([[0], np.cumsum([clusters * buckets for clusters, buckets in cards.sizes])])
    per_cluster = np.array([buckets for _, buckets in cards.sizes], dtype=np.int64)
    rooms = [np.zeros((many, 2), dtype=np.int64) for _ in range(threads)]

    def work(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        room = (np.zeros(52, np.int64), np.zeros((2, 4), np.int64), np.zeros(1, np.uint64))
        until = min(stop * PIECE, deals)
        count_wins(start * PIECE, until, seed, cards.lookup, evaluator(), starts, per_cluster, *room, counts)

    in_pieces(work, pieces, 1, rooms)
    won, dealt = np.sum(rooms, axis=0).T
    rates = ((won / 2 + PRIOR / 2) / (dealt + PRIOR)).astype(np.float32)
    return [rates[starts[street] : starts[street + 1]].reshape(cards.sizes[street]) for street in range(4)]


@kernel
def count_wins(  # type: ignore[no-untyped-def]
    start, stop, seed, lookup, evaluator, starts, per_cluster, deck, buckets, random, counts
):
    """Add half-wins and deals of every bucket, int64[buckets of all streets, 2], over deals `start` to `stop`."""
    for card in range(52):
        deck[card] = card
    random[0] = stream(seed, start, 0)
    for _ in range(start, stop):
        deal(deck, DEALT, random)
        cluster = public_cluster(deck, lookup)
        ahead = lead(deck, evaluator)
        for who in range(2):
            look_up(deck, who, cluster, lookup, buckets)
            won = 1 + (ahead > 0) - (ahead < 0) if who == 0 else 1 + (ahead < 0) - (ahead > 0)
            for street in range(4):
                bucket = buckets[who, street] + (cluster * per_cluster[street] if street > 0 else 0)
                counts[starts[street] + bucket, 0] += won
                counts[starts[street] + bucket, 1] += 1
