"""Hands that differ by their suits alone get one number: indices of classes, and back.

A pattern says how many cards each street deals: [2, 3, 1] is two hole cards, three flop cards and a turn card;
[2, 5] forgets the order in which the board came, and [3] is a flop alone. Permuting the suits of all cards at
once changes nothing in poker, so `Indexer(pattern)` numbers the classes 0, 1, 2, ... without a gap, as Waugh's
"A fast and optimal hand isomorphism algorithm" (2013) showed possible. In short:

- What one suit holds, street by street, is a set of ranks a street, each from the ranks that earlier streets left.
  Sets are counted in colexicographic order, streets as digits of one number: the suit's index.
- How many cards a suit holds in each street is its shape. Suits are sorted by shape, and the four sorted shapes
  are the hand's arrangement; each arrangement has its own interval of indices.
- Suits of one shape may be exchanged. k of them with indices below N are a multiset, one of C(N + k - 1, k).

Compiled callers pass `Indexer.tables` and one bit set a street, 16 bits a suit (`Evaluator.card_bit`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, groupby, product
from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.deck import Card, CardError, check_cards
from solvent.foundation.kernels.compiling import compiled, internal, joined, kernel

SUITS, RANKS = 4, 13
STREETS = 4
"""The most streets that a pattern may have."""
SHAPE_SHIFT = 20
SUIT_INDEX = (1 << SHAPE_SHIFT) - 1
SUIT_TOPS = np.int64(-0x7FFF7FFF7FFF8000)
"""The highest of each suit's 16 bits, which is no rank."""


# What a kernel needs to index the hands of one pattern is one int64 array, so that a compiled function takes it
# without counting references. Its parts begin here:
SUBSETS = 0
"""8,192 sets of ranks: the place of each among the sets of its size, and its size above bit 11."""
CHOICES = SUBSETS + 8192
"""n choose k at 16 n + k."""
WEIGHTS = CHOICES + 14 * 16
"""Weight of a card of each of the four streets in the number of its suit's shape."""
PATTERN = WEIGHTS + STREETS
"""Cards a street, 0 for streets that there are not."""
SHAPES = PATTERN + STREETS
"""Number of shapes, at most 54."""
SPANS = SHAPES + 1
"""Number of indices of a suit of each shape."""
ARRANGEMENTS = SPANS + 63
"""Start of an arrangement's indices, by the first three of a hand's sorted shapes, above three bits of which
bit j says whether shape j is also the next."""


@internal
def class_index(streets, tables):  # type: ignore[no-untyped-def]
    """The index of the class of a hand, given four bit sets, one a street (0 where there is none)."""
    first_street, second_street, third_street, fourth_street = streets
    held = first_street | second_street
    second_street = without(second_street, first_street)
    if third_street:
        third_street, held = without(third_street, held), held | third_street
        fourth_street = without(fourth_street, held)
    left = (first_street, second_street, third_street, fourth_street)
    a, b = suit_index(left, 0, tables), suit_index(left, 16, tables)
    c, d = suit_index(left, 32, tables), suit_index(left, 48, tables)
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
    b, c = min(b, c), max(b, c)
    shape0, shape1, shape2 = a >> SHAPE_SHIFT, b >> SHAPE_SHIFT, c >> SHAPE_SHIFT
    first, second, third, fourth = a & SUIT_INDEX, b & SUIT_INDEX, c & SUIT_INDEX, d & SUIT_INDEX
    span0, span1, span2 = tables[SPANS + shape0], tables[SPANS + shape1], tables[SPANS + shape2]
    shapes = tables[SHAPES]
    found = tables[ARRANGEMENTS + (shape2 * shapes + shape1) * shapes + shape0]
    alike = found & 7  # bit j: the suit at place j has the shape of the suit at place j + 1
    if alike == 0:
        within = first + span0 * (second + span1 * (third + span2 * fourth))
    elif alike == 1:
        within = pair_index(first, second) + pairs(span0) * (third + span2 * fourth)
    elif alike == 2:
        within = first + span0 * (pair_index(second, third) + pairs(span1) * fourth)
    elif alike == 3:
        within = triple_index(first, second, third) + triples(span0) * fourth
    elif alike == 4:
        within = first + span0 * (second + span1 * pair_index(third, fourth))
    elif alike == 5:
        within = pair_index(first, second) + pairs(span0) * pair_index(third, fourth)
    elif alike == 6:
        within = first + span0 * triple_index(second, third, fourth)
    else:
        highest = fourth * (fourth + 1) * (fourth + 2) * (fourth + 3) // 24
        within = triple_index(first, second, third) + highest
    return (found >> 3) + within


@joined
def suit_index(streets, shift, tables):  # type: ignore[no-untyped-def]
    """The index of what one suit holds, its shape above it; ranks are numbered among those left to the street."""
    found = tables[SUBSETS + (streets[0] >> shift & 8191)]
    index, count = found & 2047, found >> 11
    shape, radix = count * tables[WEIGHTS + 0], tables[CHOICES + 16 * 13 + count]
    found = tables[SUBSETS + (streets[1] >> shift & 8191)]
    index += radix * (found & 2047)
    shape += (found >> 11) * tables[WEIGHTS + 1]
    if tables[PATTERN + 2]:
        radix *= tables[CHOICES + 16 * (13 - count) + (found >> 11)]
        count += found >> 11
        found = tables[SUBSETS + (streets[2] >> shift & 8191)]
        index += radix * (found & 2047)
        shape += (found >> 11) * tables[WEIGHTS + 2]
        radix *= tables[CHOICES + 16 * (13 - count) + (found >> 11)]
        found = tables[SUBSETS + (streets[3] >> shift & 8191)]
        index += radix * (found & 2047)
        shape += (found >> 11) * tables[WEIGHTS + 3]
    return shape << SHAPE_SHIFT | index


@joined
def without(ranks, held):  # type: ignore[no-untyped-def]
    """Sets of ranks, one a suit, numbered among those not held: each moves down by the held ranks below it.

    All suits at once: SUIT_TOPS - low has, apart from the tops, the bits from `low` to the top of its suit.
    """
    while held:
        low = held & -held
        above = SUIT_TOPS - low & ~SUIT_TOPS
        ranks = ranks & ~above | (ranks & above) >> 1
        held ^= low
        held = held & ~above | (held & above) >> 1
    return ranks


@joined
def pairs(count):  # type: ignore[no-untyped-def]
    """Multisets of two out of `count` things."""
    return count * (count + 1) // 2


@joined
def triples(count):  # type: ignore[no-untyped-def]
    """Multisets of three."""
    return count * (count + 1) * (count + 2) // 6


@joined
def pair_index(a, b):  # type: ignore[no-untyped-def]
    """Number of the multiset a <= b: those with a smaller greatest element come first."""
    return a + pairs(b)


@joined
def triple_index(a, b, c):  # type: ignore[no-untyped-def]
    """Number of the multiset a <= b <= c."""
    return a + pairs(b) + triples(c)


@kernel
def index_kernel(cards, tables, indices):  # type: ignore[no-untyped-def]
    """The index of each row of `cards`: uint8[n, cards of the pattern, in dealing order] to int64[n]."""
    end0 = tables[PATTERN + 0]
    end1 = end0 + tables[PATTERN + 1]
    end2 = end1 + tables[PATTERN + 2]
    for row in range(len(cards)):
        street0, street1, street2, street3 = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for place in range(cards.shape[1]):
            card = np.int64(cards[row, place])
            bit = np.int64(1) << ((card & 3) << 4 | card >> 2)
            if place < end0:
                street0 |= bit
            elif place < end1:
                street1 |= bit
            elif place < end2:
                street2 |= bit
            else:
                street3 |= bit
        indices[row] = class_index((street0, street1, street2, street3), tables)


@kernel
def orbit_size(street0, street1, street2):  # type: ignore[no-untyped-def]
    """Count the hands in the class of this one, given as bit sets: 24 over the permutations that keep it.

    Suits that hold the same ranks in each street may be exchanged.
    """
    keep = 1
    for suit in range(SUITS):
        same = 1
        for earlier in range(suit):
            unlike = (street0 >> 16 * suit ^ street0 >> 16 * earlier) & 8191
            unlike |= (street1 >> 16 * suit ^ street1 >> 16 * earlier) & 8191
            unlike |= (street2 >> 16 * suit ^ street2 >> 16 * earlier) & 8191
            if unlike == 0:
                same += 1
        keep *= same
    return 24 // keep


class Arrangements(NamedTuple):
    """Every arrangement, in order of its first index, from which a kernel finds the hand of an index."""

    start: NDArray[np.int64]
    """int64[arrangements + 1]: the first index of each, and one past the last."""
    cards: NDArray[np.int64]
    """int64[arrangements, 4 suits, 4 streets]: the cards that each suit holds in each street."""
    span: NDArray[np.int64]
    """int64[arrangements, 4 suits]: how many indices the suit has."""
    alike: NDArray[np.int64]
    """int64[arrangements, 4 suits]: at the first suit of each shape how many have it, 0 at the others."""


@compiled
def unindex_kernel(indices, arrangements, choices, cards):  # type: ignore[no-untyped-def]
    """A hand of each index: int64[n] to uint8[n, cards of the pattern], streets in order."""
    suits = np.empty(4, dtype=np.int64)
    for row in range(len(indices)):
        which = np.searchsorted(arrangements.start, indices[row], side="right") - 1
        rest = indices[row] - arrangements.start[which]
        suit = 0
        while suit < SUITS:
            many, span = arrangements.alike[which, suit], arrangements.span[which, suit]
            total = multisets(span, many)
            multiset_of(rest % total, many, span, suits[suit:])
            rest //= total
            suit += many
        place = 0
        held = np.zeros(4, dtype=np.int64)
        free = np.full(4, 13, dtype=np.int64)
        for street in range(STREETS):
            for suit in range(SUITS):
                count = arrangements.cards[which, suit, street]
                sets = choices[free[suit], count]
                subset = suits[suit] % sets
                suits[suit] //= sets
                free[suit] -= count
                taken = held[suit]
                for left in range(count, 0, -1):
                    rank = left - 1  # the greatest rank with C(rank, left) <= subset is the set's highest
                    while rank < 12 and choices[rank + 1, left] <= subset:
                        rank += 1
                    subset -= choices[rank, left]
                    among_all = unheld_rank(rank, taken)
                    held[suit] |= 1 << among_all
                    cards[row, place] = among_all << 2 | suit
                    place += 1


@internal
def unheld_rank(number, held):  # type: ignore[no-untyped-def]
    """The rank that is `number`th, from 0, among those not held."""
    rank = 0
    while True:
        if held >> rank & 1 == 0:
            if number == 0:
                return rank
            number -= 1
        rank += 1


@internal
def multisets(count, size):  # type: ignore[no-untyped-def]
    """Multisets of `size` out of `count` things: C(count + size - 1, size)."""
    made = 1
    for part in range(size):
        made = made * (count + part) // (part + 1)
    return made


@internal
def multiset_of(index, size, count, members):  # type: ignore[no-untyped-def]
    """The members of a multiset, the greatest last."""
    for left in range(size, 0, -1):
        low, high = 0, count - 1  # the greatest member m with multisets(m, left) <= index
        while low < high:
            middle = (low + high + 1) // 2
            if multisets(middle, left) <= index:
                low = middle
            else:
                high = middle - 1
        members[left - 1] = low
        index -= multisets(low, left)


class Indexer:
    """Indices of the classes of one pattern.

    >>> flop_hands = Indexer([2, 3])
    >>> flop_hands.size
    1286792
    >>> from solvent.cards.deck import parse_cards
    >>> flop_hands.index(parse_cards("AsKs QsJs2d")) == flop_hands.index(parse_cards("KhAh 2cJhQh"))
    True
    """

    def __init__(self, pattern: Sequence[int]) -> None:
        self.pattern = tuple(pattern)
        if not 1 <= len(pattern) <= STREETS or min(pattern) < 1 or sum(pattern) > 7:
            raise CardError(
                f"a pattern is one to four streets of together at most 7 cards, not {list(pattern)}"
            )
        self.tables, self._arrangements = _tables(self.pattern)
        self.size = int(self._arrangements.start[-1])
        """Number of classes."""

    def index(self, cards: Sequence[Card]) -> int:
        """The class of one hand, its cards in dealing order."""
        return int(self.indices([cards])[0])

    def indices(self, cards: ArrayLike) -> NDArray[np.int64]:
        """The classes of many hands: [..., cards of the pattern in dealing order] to int64[...]."""
        hands = np.asarray(cards)
        if hands.ndim < 1 or hands.shape[-1] != sum(self.pattern):
            raise CardError(f"{list(self.pattern)} is a pattern of {sum(self.pattern)} cards")
        check_cards(hands)
        rows = np.ascontiguousarray(hands.reshape(-1, hands.shape[-1]), dtype=np.uint8)
        indices = np.empty(len(rows), dtype=np.int64)
        index_kernel(rows, self.tables, indices)
        return indices.reshape(hands.shape[:-1])

    def hands(self, indices: ArrayLike) -> NDArray[np.uint8]:
        """A hand of each class: int[...] to uint8[..., cards], streets in order."""
        wanted = np.asarray(indices, dtype=np.int64)
        if wanted.size and not (wanted.min() >= 0 and wanted.max() < self.size):
            raise CardError(f"the classes of {list(self.pattern)} are numbered 0 to {self.size - 1:,}")
        cards = np.empty((wanted.size, sum(self.pattern)), dtype=np.uint8)
        unindex_kernel(wanted.ravel(), self._arrangements, _choices(), cards)
        return cards.reshape(*wanted.shape, -1)


@cache
def _tables(pattern: tuple[int, ...]) -> tuple[NDArray[np.int64], Arrangements]:
    streets = pattern + (0,) * (STREETS - len(pattern))
    weight = np.array([prod(cards + 1 for cards in streets[:street]) for street in range(STREETS)])
    counts = list(product(*(range(cards + 1) for cards in streets)))
    shapes = sorted(counts, key=lambda count: int(np.dot(count, weight)))
    span = np.array([_span(shape) for shape in shapes])
    arrangement = np.full(len(shapes) ** 3, -1, dtype=np.int64)
    start, starts, found = 0, [], []
    for chosen in combinations_with_replacement(range(len(shapes)), SUITS):
        held = [shapes[shape] for shape in chosen]
        if tuple(map(sum, zip(*held, strict=True))) != streets:
            continue
        runs = [len(list(run)) for _, run in groupby(chosen)]
        alike = sum(1 << place for place in range(SUITS - 1) if chosen[place] == chosen[place + 1])
        key = (chosen[2] * len(shapes) + chosen[1]) * len(shapes) + chosen[0]
        arrangement[key] = start << 3 | alike
        starts.append(start)
        found.append((held, chosen, [part for run in runs for part in [run] + [0] * (run - 1)]))
        first = np.cumsum([0, *runs[:-1]])
        start += prod(comb(int(span[chosen[at]]) + run - 1, run) for at, run in zip(first, runs, strict=True))
    tables = np.zeros(ARRANGEMENTS + len(arrangement), dtype=np.int64)
    tables[SUBSETS:CHOICES] = _subsets()
    tables[CHOICES:WEIGHTS] = _choices().ravel()
    tables[WEIGHTS:PATTERN], tables[PATTERN:SHAPES], tables[SHAPES] = weight, streets, len(shapes)
    tables[SPANS : SPANS + len(shapes)] = span
    tables[ARRANGEMENTS:] = arrangement
    return tables, Arrangements(
        start=np.array([*starts, start], dtype=np.int64),
        cards=np.array([held for held, _, _ in found], dtype=np.int64),
        span=np.array([span[list(chosen)] for _, chosen, _ in found], dtype=np.int64),
        alike=np.array([alike for _, _, alike in found], dtype=np.int64),
    )


def _span(shape: tuple[int, ...]) -> int:
    """Number of ways in which one suit's ranks fall to the streets."""
    free, ways = RANKS, 1
    for count in shape:
        ways *= comb(free, count)
        free -= count
    return ways


def _choices() -> NDArray[np.int64]:
    return np.array([[comb(n, k) for k in range(16)] for n in range(RANKS + 1)], dtype=np.int64)


def _subsets() -> NDArray[np.int64]:
    table = np.zeros(1 << RANKS, dtype=np.int64)
    for ranks in range(1 << RANKS):
        held = [rank for rank in range(RANKS) if ranks >> rank & 1]
        table[ranks] = len(held) << 11 | sum(comb(rank, place + 1) for place, rank in enumerate(held))
    return table
