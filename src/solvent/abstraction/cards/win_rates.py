"""Simulated win rates of a bucket's hands against a random hand: what a player knows before any play.

Rates are a table with one number for each bucket, laid out as tables of the sampled form are (`rate_layout`).
They are simulated once for a card abstraction and kept beside its tables as a bundle; where the folder cannot be
written, or the abstraction has none, they are kept in memory for as long as the process lives.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import DEALT, deal_buckets, deal_cluster, lead, shuffle, sort_deck
from solvent.cards.evaluator import evaluator
from solvent.forms.sampled import TableLayout, row_start, table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import stream
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.storage.bundle import read_bundle, write_bundle

if TYPE_CHECKING:
    from solvent.abstraction.cards.buckets import CardAbstraction

FOLDER = "win_rates"
"""The bundle of rates in a card abstraction's folder."""
KIND, VERSION = "win rates", 1
DEALS = 1_000_000
"""Deals that are simulated: a bucket with a thousandth of all hands is about 1 % off."""
PIECE = 100_000
PRIOR = 10.0
"""Deals that every bucket is taken to have split before the first, because few deals say little."""


def rate_layout(cards: CardAbstraction) -> TableLayout:
    """Return the layout of the win rates, one number for each bucket."""
    return table_layout([1] * 4, cards.sizes)


def win_rates(
    cards: CardAbstraction, deals: int = DEALS, seed: int = 0, threads: int = 1
) -> NDArray[np.float32]:
    """float32[buckets of all streets], as `rate_layout` has them: the share of deals won, a tie counting half.

    The first call for a card abstraction reads or makes them; later calls in the process give the same.
    """
    if cards.fingerprint not in _known:
        facts = {
            "kind": KIND,
            "version": VERSION,
            "fingerprint": cards.fingerprint,
            "deals": deals,
            "seed": seed,
        }
        rates = _stored(cards, facts)
        if rates is None:
            rates = simulate(cards, deals, seed, threads)
            if cards.folder is not None:
                with suppress(InputError):  # they can be made again
                    write_bundle(cards.folder / FOLDER, {"rates": rates}, facts)
        _known[cards.fingerprint] = rates
    return _known[cards.fingerprint]


_known: dict[str, NDArray[np.float32]] = {}


def _stored(cards: CardAbstraction, facts: dict[str, Any]) -> NDArray[np.float32] | None:
    """The rates in the abstraction's folder; None where there are none, or damaged ones, or others."""
    if cards.folder is None:
        return None
    try:
        arrays, found = read_bundle(cards.folder / FOLDER)
    except InputError:
        return None
    rates = arrays.get("rates")
    fits = rates is not None and rates.dtype == np.float32 and rates.shape == (rate_layout(cards).numbers,)
    return rates if fits and found == facts else None


def simulate(cards: CardAbstraction, deals: int, seed: int = 0, threads: int = 1) -> NDArray[np.float32]:
    """Simulate deals and return the win rates, as `win_rates` does; equal for any number of threads."""
    layout = rate_layout(cards)
    rooms = [np.zeros((layout.numbers, 2), dtype=np.int64) for _ in range(threads)]

    def work(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        room = (np.zeros(52, np.int64), np.zeros((2, 4), np.int64), np.zeros(1, np.uint64))
        until = min(stop * PIECE, deals)
        count_wins(start * PIECE, until, seed, cards.lookup, evaluator(), layout, *room, counts)

    in_pieces(work, -(-deals // PIECE), 1, rooms)
    won, dealt = np.sum(rooms, axis=0).T
    rates: NDArray[np.float32] = ((won / 2 + PRIOR / 2) / (dealt + PRIOR)).astype(np.float32)
    return rates


@kernel
def count_wins(start, stop, seed, lookup, evaluator, layout, deck, buckets, random, counts):  # type: ignore[no-untyped-def]
    """Add half-wins and deals of every bucket over deals `start` to `stop`. counts: int64[buckets, 2]."""
    sort_deck(deck)
    random[0] = stream(seed, start, 0)
    for _ in range(start, stop):
        shuffle(deck, DEALT, random)
        cluster = deal_cluster(deck, lookup)
        ahead = lead(deck, evaluator)
        for who in range(2):
            deal_buckets(deck, who, cluster, lookup, buckets)
            won = 1 + (ahead > 0) - (ahead < 0) if who == 0 else 1 + (ahead < 0) - (ahead > 0)
            for street in range(4):
                place = row_start(layout, street, cluster, buckets[who, street])
                counts[place, 0] += won
                counts[place, 1] += 1
