"""Buckets by rule: what a player would say about a hand, in a table of our own.

Before the flop a bucket is one of the 169 classes of hole cards. After it, it is five answers:

| about the board | answers |
|---|---|
| most cards of one suit | one, two, three, four or five |
| pairs | none; one pair; more (two pair, trips, quads, full house) |
| straights | nobody can have one; with two hole cards; with one or none |

| about the hand | answers |
|---|---|
| made (24) | what the hole cards add to the board, `MADE`: from nothing to quads or a straight flush |
| draws (12) | `FLUSH_DRAWS` x `STRAIGHT_DRAWS`, on flop and turn, towards something better than is made |

Made hands are relative to the board. What the board alone makes is nothing: a pair on the board counts in the
board's answers, and who plays the board has nothing. A pair of one's own is counted by how many ranks of the board
are higher; a kicker is good if fewer than three ranks above it are missing from the board; a flush by how many
missing cards of its suit are higher. A pair under two pairs of the board is nothing, and of two pairs the lower one
doesn't count if it is under a pair of the board.

`rule_number` is the formula, 4 x 3 x 3 x 24 x 12 numbers. Most never occur. `_OCCUR` says which do, and buckets
are those, numbered without a gap: 169 before the flop, 511 on the flop, 1,103 on the turn and 411 on the river.
Suits' names and the order of cards change nothing.

The preset `rules` of card abstractions has these buckets (`rule_tables`), so that training, play and evaluation
look them up as any. The other half of the rules, which streets each player raised, belongs to the betting: see
`solvent.forms.betting.tree`.
"""

from __future__ import annotations

from base64 import b85decode
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple
from zlib import decompress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.abstraction.cards.lookup import card_bits
from solvent.cards.deck import RANKS, Card, CardError, check_cards
from solvent.cards.isomorphism import Indexer
from solvent.foundation.kernels.compiling import compiled, inlined, internal, internal_compiled
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch

RULES = "rules"
"""The name of card abstractions by rule."""
SUITS = ("rainbow", "two of a suit", "three of a suit", "four of a suit")
PAIRS = ("unpaired", "paired", "more than a pair")
STRAIGHTS = ("no straight", "straights with two cards", "straights with one card")
MADE = (
    "nothing",
    "one overcard",
    "two overcards",
    "ace high",
    "low pocket pair",
    "pocket pair under one card",
    "low pair",
    "second pair",
    "top pair, weak kicker",
    "top pair, good kicker",
    "overpair",
    "two pair",
    "top two pair",
    "trips, weak kicker",
    "trips, good kicker",
    "set",
    "straight",
    "nut straight",
    "low flush",
    "second nut flush",
    "nut flush",
    "low full house",
    "high full house",
    "quads or straight flush",
)
FLUSH_DRAWS = ("no flush draw", "backdoor flush draw", "flush draw", "nut flush draw")
STRAIGHT_DRAWS = ("no straight draw", "gutshot", "open-ended")
SHAPE = (len(SUITS), len(PAIRS), len(STRAIGHTS), len(MADE), len(FLUSH_DRAWS), len(STRAIGHT_DRAWS))
NUMBERS = 10_368
"""The product of SHAPE: what `rule_number` is below."""

NOTHING, ONE_OVER, TWO_OVER, ACE_HIGH, LOW_POCKET, SECOND_POCKET, LOW_PAIR, SECOND_PAIR = range(8)
TOP_WEAK, TOP_GOOD, OVERPAIR, TWO_PAIR, TOP_TWO, TRIPS_WEAK, TRIPS_GOOD, SET = range(8, 16)
STRAIGHT, NUT_STRAIGHT, LOW_FLUSH, SECOND_FLUSH, NUT_FLUSH, LOW_FULL, HIGH_FULL, QUADS = range(16, 24)

GOOD_KICKER = 3
"""A kicker is good if fewer ranks above it are missing from the board."""
ALL_RANKS = (1 << 13) - 1
PIECE = 1 << 18
"""Classes of hands that a thread looks at at once."""

# fmt: off
_OCCUR = {
    3: (
        'c-s5Jf8Y;qLjwoH1WpiY0Fn$03>*x|;15s@|A7a5Fa}HwP(4ZD56mtGh+Pa|23(qhp@D;eS^(l5Jb;RJ{eS=Ce{UPmz)7AeK!i06'
        'L2CMs1H<tD`+q<L4@01O^6Wx{AqSYGK^W2#Jbq{KxW}x?Lj{C5fF#swkeF(KtLd|Uyw2|NJG;kyc8^~`)d00X)eKF)kAlGi0K#HT'
        'NB'
    ),
    4: (
        'c-q~RK@P$o5Jg!ji-t3}=ow5G23&e9(zWSPJVO&NLNXgy9H9|r=txPetc-Co>7sq%GcQo5glmMASqmYg$jhl^&y1BNGk#>6MNo>P'
        '!k1-MVCX4dOifW14`PeY)$7z0_zteSuwZ{_LtEMQ=h7ie9Sr-hEASd7<7OuC1v4f_uQNqfG=o?+S7bQLYjmi=&FfUpPFY`cc%-3H'
        '$JyhC`H-L=Lqi3J@JI|gPv?!8yE>7>btcb3dsZIEAs<e3XyArfL$qgAM-G|!wQ}$8GCSP3%gk@w<<<YgKh+bN46ms'
    ),
    5: (
        'c-muN7zLDq1`Y-W4iJez3?LCSH4WI*G;mO?2BHiCIB+NctAUzBx*7&FTNntdK{kiNFoYY6Cw$P^q^iMV1xEOgrv@_&393Pn8o^;m'
        'PXGWTf^Fd'
    ),
}
# fmt: on
"""Bits by cards on the board, set for numbers that any hand has on any board; packed, compressed, in base 85."""


# Sets of ranks are 13 bits, the 2 the lowest.


@internal_compiled
def count_bits(ranks):  # type: ignore[no-untyped-def]
    """Count the ranks."""
    count = 0
    while ranks:
        ranks &= ranks - 1
        count += 1
    return count


@internal_compiled
def highest(ranks):  # type: ignore[no-untyped-def]
    """The highest rank, -1 if there is none."""
    rank = -1
    while ranks:
        ranks >>= 1
        rank += 1
    return rank


@internal_compiled
def straight_top(ranks):  # type: ignore[no-untyped-def]
    """The highest straight's top rank, 3 for the wheel's 5; -1 if there is none."""
    low_ace = ranks << 1 | ranks >> 12 & 1
    found = low_ace & low_ace >> 1 & low_ace >> 2 & low_ace >> 3 & low_ace >> 4
    return highest(found) + 3 if found else -1


@internal_compiled
def board_straights(ranks):  # type: ignore[no-untyped-def]
    """The most ranks of the board in one straight, and the top of the highest with at least three of them."""
    low_ace = ranks << 1 | ranks >> 12 & 1
    most, top = 0, -1
    for first in range(10):
        held = count_bits(low_ace >> first & 31)
        most = max(most, held)
        if held >= 3:
            top = first + 3
    return most, top


class RankCounts(NamedTuple):
    """The ranks of which there are at least one, two, three and four cards."""

    one: Any
    two: Any
    three: Any
    four: Any


class Suits(NamedTuple):
    """A hand's flushes and flush draws."""

    most: Any
    """The most cards of one suit on the board."""
    flush: Any
    """True if there are five or more cards of one suit; their ranks are the next two."""
    hole: Any
    board: Any
    straight_flush: Any
    """True if the hand makes a straight flush above any of the board."""
    draw: Any
    """Place in FLUSH_DRAWS."""


@inlined
def count_ranks(cards):  # type: ignore[no-untyped-def]
    """Count the cards of each rank over the four suits of a bit set."""
    a, b, c, d = cards & ALL_RANKS, cards >> 16 & ALL_RANKS, cards >> 32 & ALL_RANKS, cards >> 48 & ALL_RANKS
    pair = a & b | c & d | (a | b) & (c | d)
    return RankCounts(a | b | c | d, pair, a & b & (c | d) | c & d & (a | b), a & b & c & d)


@inlined
def find_suits(hole, board, cards):  # type: ignore[no-untyped-def]
    """Find the flush or the draw to one, with this many `cards` on the board."""
    most, flush, flush_hole, flush_board, draw = 0, False, 0, 0, 0
    straight_flush, draw_hole, draw_board = False, 0, 0
    for suit in range(4):
        mine, theirs = hole >> 16 * suit & ALL_RANKS, board >> 16 * suit & ALL_RANKS
        dealt, ours = count_bits(theirs), count_bits(mine)
        most = max(most, dealt)
        if dealt + ours >= 5:
            flush, flush_hole, flush_board = True, mine, theirs
            straight_flush = straight_top(mine | theirs) > straight_top(theirs)
        elif dealt + ours == 4 and ours and cards < 5:
            draw, draw_hole, draw_board = 2, mine, theirs
        elif dealt + ours == 3 and ours == 2 and cards == 3:
            draw = 1
    if draw == 2 and (ALL_RANKS & ~draw_board) >> highest(draw_hole) == 1:
        draw = 3
    return Suits(most, flush, flush_hole, flush_board, straight_flush, draw)


@internal
def made_full_house(three, two, board):  # type: ignore[no-untyped-def]
    """Classify a full house by the ranks of its three and of its pair."""
    if board.three >> three & 1:
        if board.two >> two & 1:
            return NOTHING
        return HIGH_FULL if (board.one & ~(np.int64(1) << three)) >> two <= 1 else LOW_FULL
    return LOW_FULL if board.two >> three > 1 else HIGH_FULL


@internal
def made_flush(suits):  # type: ignore[no-untyped-def]
    """Classify a flush by how many higher ones are possible."""
    plays_board = suits.hole < suits.board & -suits.board or straight_top(suits.board) >= 0
    if count_bits(suits.board) == 5 and plays_board:
        return NOTHING
    above = count_bits((ALL_RANKS & ~suits.board) >> highest(suits.hole) + 1)
    return NUT_FLUSH if above == 0 else SECOND_FLUSH if above == 1 else LOW_FLUSH


@internal
def made_pair(held, high, low, board, otherwise):  # type: ignore[no-untyped-def]
    """Classify one or two pairs with ranks of the board; `otherwise` where the board has two better pairs."""
    ranks = board.one
    paired = highest(held & ranks)
    above = count_bits(ranks >> paired + 1)
    if held & ranks == held and board.two >> low == 0:
        return TOP_TWO if count_bits(ranks >> low) == 2 else TWO_PAIR
    if count_bits(board.two >> paired) >= 2:
        return otherwise
    if above >= 2:
        return LOW_PAIR
    if above == 1:
        return SECOND_PAIR
    return TOP_GOOD if good_kicker(low if paired == high else high, ranks) else TOP_WEAK


@inlined
def made_hand(hole, board, both, high, low, suits, nut_top):  # type: ignore[no-untyped-def]
    """Find what is made, a place in MADE, from the best down. The board's own hands are nothing.

    `hole`, `board` and `both` are the counts of their ranks, `high` and `low` the ranks of the hole cards, and
    `nut_top` is the top of the highest straight that the board allows.
    """
    ranks, pocket = board.one, hole.two != 0
    over = highest(ranks)
    overcards = NOTHING
    if high > over:
        overcards = ACE_HIGH if high == 12 else TWO_OVER if low > over else ONE_OVER
    top = straight_top(both.one)
    three = highest(both.three)
    two = highest(both.two & ~(np.int64(1) << three)) if three >= 0 else -1
    if suits.straight_flush or both.four & ~board.four:
        return QUADS
    if board.four:
        return overcards
    if three >= 0 and two >= 0:
        return made_full_house(three, two, board)
    if suits.flush:
        return made_flush(suits)
    if top >= 0:
        return NOTHING if top == straight_top(ranks) else NUT_STRAIGHT if top == nut_top else STRAIGHT
    if three >= 0:
        if board.three:
            return overcards
        if pocket:
            return SET
        return TRIPS_GOOD if good_kicker(low if three == high else high, ranks) else TRIPS_WEAK
    if pocket:
        if count_bits(board.two >> high) >= 2:
            return overcards
        above = count_bits(ranks >> high)
        return OVERPAIR if above == 0 else SECOND_POCKET if above == 1 else LOW_POCKET
    if hole.one & ranks:
        return made_pair(hole.one, high, low, board, overcards)
    return overcards


@internal
def find_straight_draw(ranks, board_ranks):  # type: ignore[no-untyped-def]
    """Find the draw to a straight, a place in STRAIGHT_DRAWS, by how many ranks would complete one, at most two."""
    completing = 0
    for rank in range(13):
        more = np.int64(1) << rank
        if straight_top(ranks | more) > straight_top(board_ranks | more):
            completing = min(completing + 1, 2)
    return completing


@internal_compiled
def rule_number(hole, board):  # type: ignore[no-untyped-def]
    """The number of a hand on a board, two bit sets with 16 bits a suit; without a board that of its class of 169.

    Digits of `SHAPE`: the board's suits, pairs and straights, then made, flush draw and straight draw.
    """
    mine = count_ranks(hole)
    high = highest(mine.one)
    low = high if mine.two else highest(mine.one ^ np.int64(1) << high)
    if board == 0:
        suited = False
        for suit in range(4):
            suited |= count_bits(hole >> 16 * suit & ALL_RANKS) == 2
        return 13 * high + low if suited else 13 * low + high
    theirs, both = count_ranks(board), count_ranks(hole | board)
    cards = 0
    for suit in range(4):
        cards += count_bits(board >> 16 * suit & ALL_RANKS)
    suits = find_suits(hole, board, cards)
    near, nut_top = board_straights(theirs.one)
    pairs = 0 if theirs.two == 0 else 1 if count_bits(theirs.two) == 1 and theirs.three == 0 else 2
    made = made_hand(mine, theirs, both, high, low, suits, nut_top)
    straight_draw = 0
    if cards < 5 and made < STRAIGHT and straight_top(both.one) < 0:
        straight_draw = find_straight_draw(both.one, theirs.one)
    flush_draw = 0 if made >= LOW_FLUSH else suits.draw
    number = (min(suits.most, 4) - 1) * len(PAIRS) + pairs
    number = number * len(STRAIGHTS) + min(max(near, 2) - 2, 2)
    number = number * len(MADE) + made
    return (number * len(FLUSH_DRAWS) + flush_draw) * len(STRAIGHT_DRAWS) + straight_draw


@internal_compiled
def good_kicker(kicker, ranks):  # type: ignore[no-untyped-def]
    """Return whether the board lacks fewer than three ranks above a hole card, which pairs none of it."""
    return not ranks >> kicker & 1 and count_bits((ALL_RANKS & ~ranks) >> kicker + 1) < GOOD_KICKER


@internal_compiled
def rule_bucket(hole, board, bucket_of):  # type: ignore[no-untyped-def]
    """The bucket of a hand on a board, two bit sets with 16 bits a suit; `bucket_of` is `RuleBuckets.bucket_of`."""
    return bucket_of[rule_number(hole, board)]


@compiled
def rule_buckets_kernel(cards, bucket_of, buckets):  # type: ignore[no-untyped-def]
    """The bucket of each row of `cards`: uint8[n, hole cards and board] to int32[n]."""
    for row in range(len(cards)):
        hole, board = card_bits(cards[row], 0, 2), card_bits(cards[row], 2, cards.shape[1])
        buckets[row] = rule_bucket(hole, board, bucket_of)


class RuleBuckets:
    """The buckets of one street, by the number of cards on its board: 0, 3, 4 or 5.

    >>> from solvent.cards.deck import parse_cards
    >>> flop = RuleBuckets(3)
    >>> flop.size
    511
    >>> flop.label(flop.bucket(parse_cards("AsKs Kd7s2s")))
    'two of a suit, unpaired, no straight: top pair, good kicker, nut flush draw'
    """

    def __init__(self, board_cards: int) -> None:
        if board_cards not in (0, 3, 4, 5):
            raise CardError(f"a board has 0, 3, 4 or 5 cards, not {board_cards}")
        self.board_cards = board_cards
        self.bucket_of, self._number_of = _numbering(board_cards)
        self.size = len(self._number_of)

    bucket_of: NDArray[np.int32]
    """int32[numbers]: the bucket of each `rule_number`, -1 where no hand has it."""
    size: int
    """Number of buckets."""

    def bucket(self, cards: Sequence[Card]) -> int:
        """The bucket of one hand: two hole cards, then the board."""
        return int(self.buckets([cards])[0])

    def buckets(self, cards: ArrayLike) -> NDArray[np.int32]:
        """The buckets of many hands: [..., 2 + cards on the board] to int32[...]."""
        hands = np.asarray(cards)
        count = 2 + self.board_cards
        if hands.ndim < 1 or hands.shape[-1] != count:
            raise CardError(f"two hole cards and a board of {self.board_cards} are {count} cards")
        check_cards(hands)
        rows = np.ascontiguousarray(hands.reshape(-1, count), dtype=np.uint8)
        found = np.empty(len(rows), dtype=np.int32)
        rule_buckets_kernel(rows, self.bucket_of, found)
        return found.reshape(hands.shape[:-1])

    def label(self, bucket: int) -> str:
        """A bucket in words."""
        if not 0 <= bucket < self.size:
            raise CardError(
                f"the rule buckets of this street are numbered 0 to {self.size - 1}, not {bucket}"
            )
        number = int(self._number_of[bucket])
        if self.board_cards == 0:
            first, second = divmod(number, 13)
            suits = "" if first == second else "s" if first > second else "o"
            return RANKS[max(first, second)] + RANKS[min(first, second)] + suits
        suit, pair, straight, made, *drawing = (int(digit) for digit in np.unravel_index(number, SHAPE))
        draws = [
            kinds[draw] for kinds, draw in zip((FLUSH_DRAWS, STRAIGHT_DRAWS), drawing, strict=True) if draw
        ]
        board = ", ".join([SUITS[suit], PAIRS[pair], STRAIGHTS[straight]])
        return f"{board}: {', '.join([MADE[made], *draws])}"


@cache
def _numbering(board_cards: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The bucket of each number, and the number of each bucket."""
    if board_cards == 0:
        return np.arange(169, dtype=np.int32), np.arange(169)
    bits = np.frombuffer(decompress(b85decode(_OCCUR[board_cards])), dtype=np.uint8)
    numbers = np.flatnonzero(np.unpackbits(bits)[:NUMBERS])
    bucket_of = np.full(NUMBERS, -1, dtype=np.int32)
    bucket_of[numbers] = np.arange(len(numbers))
    return bucket_of, numbers


# Tables of a card abstraction


def rule_tables(
    threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> dict[str, NDArray[Any]]:
    """Make the tables that a look-up reads: the rule bucket of every class of hands on every street.

    There is one public cluster: what the board is like is part of a rule bucket. A river code is a river bucket.
    """
    return {
        "cluster_of_flop": np.zeros(Indexer([3]).size, dtype=np.int16),
        "flop": class_buckets([2, 3], threads, watch, stop),
        "turn": class_buckets([2, 3, 1], threads, watch, stop),
        "river_code": class_buckets([2, 5], threads, watch, stop),
        "river": np.arange(RuleBuckets(5).size, dtype=np.uint16)[None],
    }


def class_buckets(
    pattern: list[int], threads: int = 1, watch: Watch | None = None, stop: Stop | None = None
) -> NDArray[np.uint16]:
    """uint16[classes]: the rule bucket of each class of hole cards and a board dealt in this pattern."""
    size, boards = Indexer(pattern).size, sum(pattern) - 2
    buckets = np.empty(size, dtype=np.uint16)

    def work(start: int, end: int, _: None) -> None:
        buckets[start:end] = buckets_of(pattern, start, end)

    in_pieces(work, size, PIECE, [None] * threads, watch=watch, stage=f"boards of {boards} cards", stop=stop)
    return buckets


def buckets_of(pattern: list[int], start: int, end: int) -> NDArray[np.int32]:
    """int32[end - start]: the rule buckets of some classes, from one number to another."""
    return RuleBuckets(sum(pattern) - 2).buckets(Indexer(pattern).hands(np.arange(start, end)))
