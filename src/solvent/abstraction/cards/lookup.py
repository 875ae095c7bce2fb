"""The bucket look-up: from cards to a public cluster and a bucket, in one place and by name.

Cards come as bits, 16 bits a suit. A look-up is the index of a class of hands and one or two reads. Whatever the
tables hold, the cluster and the bucket that come out exist: numbers beyond the last are taken for the last, so that
no kernel that uses them can leave its arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.isomorphism import class_index
from solvent.foundation.kernels.compiling import internal, kernel


class Lookup(NamedTuple):
    """The tables of a card abstraction, for kernels. The arrays are read-only, so that all have one type."""

    hole_index: NDArray[np.int64]
    """The indexer's tables for the classes of two hole cards, [2]."""
    board_index: NDArray[np.int64]
    """The tables for flops alone, [3]."""
    flop_index: NDArray[np.int64]
    """The tables for hands on the flop, [2, 3]."""
    turn_index: NDArray[np.int64]
    """The tables for hands on the turn, [2, 3, 1]."""
    river_index: NDArray[np.int64]
    """The tables for hands on the river, [2, 5]."""
    cluster_of_flop: NDArray[np.int16]
    """int16[1755]: the public cluster of each class of flops."""
    flop: NDArray[np.uint16]
    """uint16[1,286,792]: buckets, by class of [2, 3]."""
    turn: NDArray[np.uint16]
    """uint16[55,190,538]: buckets, by class of [2, 3, 1]."""
    river_code: NDArray[np.uint16]
    """uint16[123,156,254]: codes, by class of [2, 5]."""
    river: NDArray[np.uint16]
    """uint16[clusters, codes]: buckets, by public cluster and code."""
    last_bucket: NDArray[np.int64]
    """int64[4]: the greatest bucket of each street."""


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view, which kernels take as one type whether the array is memory-mapped or not."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


@internal
def card_bits(cards, start, end):  # type: ignore[no-untyped-def]
    """cards[start:end] as bits, 16 bits a suit."""
    bits = np.int64(0)
    for place in range(start, end):
        card = np.int64(cards[place])
        bits |= np.int64(1) << ((card & 3) << 4 | card >> 2)
    return bits


@internal
def flop_cluster(flop, lookup):  # type: ignore[no-untyped-def]
    """The public cluster of a flop."""
    zero = np.int64(0)
    cluster = np.int64(lookup.cluster_of_flop[class_index((flop, zero, zero, zero), lookup.board_index)])
    return min(max(cluster, zero), lookup.river.shape[0] - 1)


@internal
def hole_bucket(hole, lookup):  # type: ignore[no-untyped-def]
    """The bucket of a hand before the flop: one of 169 classes."""
    zero = np.int64(0)
    return np.int64(class_index((hole, zero, zero, zero), lookup.hole_index))


@internal
def flop_class(hole, flop, lookup):  # type: ignore[no-untyped-def]
    """The class of a hand on the flop."""
    zero = np.int64(0)
    return class_index((hole, flop, zero, zero), lookup.flop_index)


@internal
def turn_class(hole, flop, turn, lookup):  # type: ignore[no-untyped-def]
    """The class of a hand on the turn."""
    return class_index((hole, flop, turn, np.int64(0)), lookup.turn_index)


@internal
def river_class(hole, board, lookup):  # type: ignore[no-untyped-def]
    """The class of a hand on the river. board: all five cards."""
    zero = np.int64(0)
    return class_index((hole, board, zero, zero), lookup.river_index)


@internal
def class_bucket(street, number, cluster, lookup):  # type: ignore[no-untyped-def]
    """The bucket of a class of hands on a later street. cluster: the flop's, as `flop_cluster` gives it."""
    if street == 1:
        return min(np.int64(lookup.flop[number]), lookup.last_bucket[1])
    if street == 2:
        return min(np.int64(lookup.turn[number]), lookup.last_bucket[2])
    code = np.int64(lookup.river_code[number])
    return min(np.int64(lookup.river[cluster, min(code, lookup.river.shape[1] - 1)]), lookup.last_bucket[3])


@internal
def street_bucket(street, hole, flop, turn, river, cluster, lookup):  # type: ignore[no-untyped-def]
    """The bucket of a hand on a street; cards of later streets are not read."""
    if street == 0:
        return hole_bucket(hole, lookup)
    if street == 1:
        return class_bucket(1, flop_class(hole, flop, lookup), cluster, lookup)
    if street == 2:
        return class_bucket(2, turn_class(hole, flop, turn, lookup), cluster, lookup)
    return class_bucket(3, river_class(hole, flop | turn | river, lookup), cluster, lookup)


@kernel
def find_buckets(street, hands, lookup, clusters, buckets):  # type: ignore[no-untyped-def]
    """The public cluster and bucket of each row of `hands`: two hole cards, then the board in dealing order."""
    count = hands.shape[1]
    for row in range(len(hands)):
        hand = hands[row]
        hole, flop = card_bits(hand, 0, 2), card_bits(hand, 2, min(count, 5))
        turn, river = card_bits(hand, 5, min(count, 6)), card_bits(hand, 6, count)
        clusters[row] = flop_cluster(flop, lookup) if street > 0 else 0
        buckets[row] = street_bucket(street, hole, flop, turn, river, clusters[row], lookup)
