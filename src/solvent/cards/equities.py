"""Exact equities of two ranges on any board, with card removal: every run-out, every pair of hands.

A pair of hands is as likely as the product of its weights, if it shares no card with itself, the board or the dead
cards; then every run-out is as likely as any other. Every complete board is looked at once, for all pairs
together: each hand of either range is evaluated, and hands meet one by one where the pairs are few, or else in one
sweep through the order of strengths (see `showdown`).

Permutations of suits that leave the board, the dead cards and both ranges as they are leave the run-outs' results
as they are, up to the names of the hands. So of every set of run-outs that they map to each other one is looked at
and counts for all, and at the end hands that they map to each other share what they have won. Before the flop,
for ranges that don't name suits, that leaves 134,459 boards of 2,598,960.

Work is cut into the same pieces for any number of threads and added up in order: so are the results the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card, CardError, card_label
from solvent.cards.evaluator import (
    EMPTY_KEY,
    FLUSH_BITS,
    HIGH_MASK,
    HIGH_SHIFT,
    LOW_MASK,
    SUIT_SHIFT,
    evaluator,
    strength_of,
)
from solvent.cards.hands import HANDS, renamed_hands
from solvent.cards.ranges import Range
from solvent.cards.showdown import Pairs, pairs, sort_hands
from solvent.foundation.kernels.compiling import compiled, internal_compiled
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Progress, Watch

BOARD = 5
SWEEP_COST = 10
"""Cost of a hand in a sweep through sorted hands, in comparisons of two hands (measured)."""
SHARED = 120
"""Number of hands from which it is faster to evaluate the 91 pairs of ranks instead, where no flush is possible."""
MAY_FLUSH = 0x2222 << SUIT_SHIFT
"""Two more cards of each suit: added to a board's key they show whether hole cards can make a flush."""


@dataclass(frozen=True, eq=False)
class Side:
    """Expectation of one player at showdown."""

    equity: float
    """The player's share of the pot: wins plus half the ties."""
    win: float
    """Probability that the player wins alone."""
    tie: float
    """Probability that the pot is split."""
    hands: NDArray[np.float64]
    """float64[1326] by `hands.hand_number`: each hand's equity; nan where it cannot be dealt."""


@dataclass(frozen=True, eq=False)
class Equity:
    """Expectations of two ranges against each other."""

    sides: tuple[Side, Side]
    pairs: int
    """Pairs of hands that can be dealt."""
    runouts: int
    """Run-outs that each pair of hands may meet."""
    boards: int
    """Complete boards that were looked at, one for all that differ by suits that nothing depends on."""


class Hands(NamedTuple):
    """The hands of either range."""

    number: NDArray[np.int64]
    """int64[hands]: by `hands.hand_number`."""
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    key: NDArray[np.int64]
    bits: NDArray[np.int64]
    weight: NDArray[np.float64]
    """float64[hands, 2]: in each player's range."""


class _Task(NamedTuple):
    """Data that the pieces of the work share."""

    board: NDArray[np.int64]
    stub: NDArray[np.int64]
    """The cards that may come, in order."""
    symmetries: NDArray[np.int64]
    """int64[permutations, 4]: the suit that each suit becomes; the identity first."""
    hands: Hands
    sweep: bool


def equity(
    first: Range,
    second: Range,
    board: Sequence[Card] = (),
    dead: Sequence[Card] = (),
    threads: int = 2,
    progress: Watch | None = None,
) -> Equity:
    """The exact equity of two ranges on a board of 0, 3, 4 or 5 cards; the dead cards are out of play.

    Progress is told in run-outs done, of all.

    >>> from solvent.cards.deck import parse_cards
    >>> from solvent.cards.ranges import parse_range
    >>> flop = equity(parse_range("AsAh"), parse_range("KsKh"), board=parse_cards("Kd7c2h"))
    >>> round(flop.sides[0].equity, 4), flop.runouts
    (0.0859, 990)
    """
    _check_board(board, dead)
    gone = {*board, *dead}
    weights = np.stack(
        [_unblocked(which.weights, gone, name) for which, name in ((first, "first"), (second, "second"))]
    )
    together = _compatible(weights)
    total = float(weights[0] @ together[0])
    if not total > 0:
        raise CardError(
            "every hand of the first range shares a card with every hand of the second: no deal is left"
        )
    task = _task(weights, board, gone)
    won, boards = _work(task, threads, progress)
    runouts = comb(52 - len(gone) - 4, BOARD - len(board))
    won = _spread(won, task)
    sides = tuple(_side(won[player], weights[player], together[player], runouts) for player in (0, 1))
    count = _compatible((weights > 0).astype(np.float64))[0] @ (weights[0] > 0)
    return Equity((sides[0], sides[1]), round(float(count)), runouts, boards)


def _check_board(board: Sequence[Card], dead: Sequence[Card]) -> None:
    if len(board) not in (0, 3, 4, 5):
        raise CardError(f"a board has 0, 3, 4 or 5 cards, not {len(board)}")
    cards = [*board, *dead]
    for place, card in enumerate(cards):
        if card in cards[:place]:
            raise CardError(f"the card {card_label(card)} is twice among the board and the dead cards")
    if 52 - len(cards) < 4 + BOARD - len(board):
        raise CardError(f"{len(dead)} dead cards leave too few to deal two hands and a board")


def _unblocked(weights: NDArray[np.float64], gone: set[Card], name: str) -> NDArray[np.float64]:
    """A range without the hands that hold a card which is out."""
    hands, out = pairs(), list(gone)
    live = np.where(np.isin(hands.low, out) | np.isin(hands.high, out), 0.0, weights)
    if not live.any():
        why = "has a card of the board or a dead card" if weights.any() else "has weight 0"
        raise CardError(f"every hand of the {name} range {why}: no deal is left")
    return live


def _compatible(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of the other player's hands that share no card with each player's: float64[2, 1326]."""
    hands = pairs()
    found = np.zeros((2, HANDS))
    for player in (0, 1):
        other = weights[1 - player]
        by_card = np.bincount(hands.low, other, 52) + np.bincount(hands.high, other, 52)
        found[player] = other.sum() - by_card[hands.low] - by_card[hands.high] + other
        # What rounding leaves of nothing: with few hands left the sum is made hand by hand.
        for hand in np.flatnonzero((weights[player] > 0) & (found[player] < 1e-9 * other.sum())):
            apart = (hands.bits & hands.bits[hand]) == 0
            found[player, hand] = other[apart].sum()
    return found


def _task(weights: NDArray[np.float64], board: Sequence[Card], gone: set[Card]) -> _Task:
    everyone, either = pairs(), weights.max(axis=0) > 0
    held = np.flatnonzero(either)
    columns = Pairs(*(column[held] for column in everyone))
    hands = Hands(held, *columns, weight=np.ascontiguousarray(weights[:, held].T))
    # A card that each hand of a range holds cannot come.
    taken = [everyone.bits[row > 0] for row in weights]
    certain = np.bitwise_and.reduce(taken[0]) | np.bitwise_and.reduce(taken[1])
    card_bit = evaluator().card_bit
    stub = [card for card in range(52) if card not in gone and not card_bit[card] & certain]
    meetings = int((weights[0] > 0).sum()) * int((weights[1] > 0).sum())
    return _Task(
        np.array(board, dtype=np.int64),
        np.array(stub, dtype=np.int64),
        _symmetries(weights, set(board), gone),
        hands,
        meetings > SWEEP_COST * len(held),
    )


def _symmetries(weights: NDArray[np.float64], board: set[Card], gone: set[Card]) -> NDArray[np.int64]:
    """The permutations of suits that change neither range, the board nor the dead cards."""
    kept = []
    for order in permutations(range(4)):
        moved = renamed_hands(order)
        same_cards = all({card & ~3 | order[card & 3] for card in cards} == cards for cards in (board, gone))
        if same_cards and (weights[:, moved] == weights).all():
            kept.append(order)
    return np.array(kept, dtype=np.int64)


# The work


def _work(task: _Task, threads: int, progress: Watch | None) -> tuple[NDArray[np.float64], int]:
    """Count each hand's wins and ties on all run-outs: float64[hands of the task, 4], and the boards looked at."""
    cards, to_come = len(task.stub), BOARD - len(task.board)
    pieces = list(_pieces(cards, to_come))
    behind = [comb(cards - _begin(piece), to_come - len(piece)) for piece in pieces]
    done = np.cumsum(behind).tolist()
    parts: list[tuple[int, NDArray[np.float64]]] = [(0, np.zeros(0))] * len(pieces)

    def work(start: int, end: int, _: None) -> None:
        for number in range(start, end):
            piece, won = pieces[number], np.zeros((len(task.hands.number), 4))
            known = np.concatenate([task.board, task.stub[list(piece)]])
            stub = task.stub[_begin(piece) :]
            seen = meet_on_boards(known, stub, task.symmetries, evaluator(), task.hands, task.sweep, won)
            parts[number] = seen, won

    def tell(now: Progress) -> None:
        if progress is not None:
            progress(Progress("run-outs", done[int(now.done) - 1], done[-1]))

    in_pieces(work, len(pieces), 1, [None] * threads, watch=tell)
    won = np.zeros((len(task.hands.number), 4))
    for _, part in parts:
        won += part
    return won, sum(seen for seen, _ in parts)


def _pieces(cards: int, to_come: int) -> Iterator[tuple[int, ...]]:
    """The first one or two cards of the run-outs, by their places in the stub; each is a piece of the work."""
    first = {0: 0, 1: 0, 2: 1}.get(to_come, 2)
    for places in combinations(range(cards), first):
        if cards - _begin(places) >= to_come - first:
            yield places


def _begin(piece: tuple[int, ...]) -> int:
    """The place in the stub behind a piece's own cards."""
    return piece[-1] + 1 if piece else 0


def _spread(won: NDArray[np.float64], task: _Task) -> NDArray[np.float64]:
    """Return all hands' wins and ties: float64[players, 2, 1326]; hands that symmetries exchange share equally."""
    by_hand = np.zeros((2, 2, HANDS))
    by_hand[:, :, task.hands.number] = won.T.reshape(2, 2, -1).swapaxes(0, 1)
    shared = sum(by_hand[:, :, renamed_hands(tuple(order))] for order in task.symmetries.tolist())
    return np.asarray(shared / len(task.symmetries))


def _side(
    won: NDArray[np.float64], weights: NDArray[np.float64], together: NDArray[np.float64], runouts: int
) -> Side:
    """A player's expectation, given wins and ties of each hand in weight of hands met x run-outs."""
    possible = together * runouts
    total = weights @ possible
    # Rounding may pass either end.
    win, tie = (min(max(float(weights @ row / total), 0.0), 1.0) for row in won)
    hands = np.full(HANDS, np.nan)
    dealt = (weights > 0) & (together > 0)
    hands[dealt] = np.clip((won[0, dealt] + won[1, dealt] / 2) / possible[dealt], 0.0, 1.0)
    return Side(win + tie / 2, win, tie, hands)


# Two ranges on every run-out


@compiled
def meet_on_boards(known, stub, symmetries, tables, hands, sweep, won):  # type: ignore[no-untyped-def]
    """Add what each hand wins and ties on every board that begins with the known cards and ends with the stub's.

    won: float64[hands, wins or ties x players], in weight of hands met x boards. Returns the boards looked at: of
    those that symmetries map to each other the one with the lowest bits, which counts for all of them.
    """
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = tables
    hand_key, hand_bits, weight = hands.key, hands.bits, hands.weight
    count = len(hand_key)
    strength, order = np.zeros(count, dtype=np.int16), np.zeros(count, dtype=np.int16)
    spare, digits = np.zeros(count, dtype=np.int16), np.zeros(129, dtype=np.int64)
    held = np.zeros((52, 4))
    of_ranks, ranks = np.zeros(16 * 13, dtype=np.int16), np.zeros(count, dtype=np.int16)
    for hand in range(count):
        ranks[hand] = 16 * (hands.high[hand] >> 2) + (hands.low[hand] >> 2)
    known_key, known_bits = np.int64(EMPTY_KEY), np.int64(0)
    for place in range(len(known)):
        known_key += card_key[known[place]]
        known_bits |= card_bit[known[place]]
    left = 5 - len(known)
    pick = np.zeros(5, dtype=np.int64)
    for place in range(left):
        pick[place] = place
    seen = 0
    while left == 0 or pick[left - 1] < len(stub):
        key, bits = known_key, known_bits
        for place in range(left):
            key += card_key[stub[pick[place]]]
            bits |= card_bit[stub[pick[place]]]
        copies = board_copies(bits, symmetries)
        if copies:
            seen += 1
            shared = count >= SHARED
            flushes = key + MAY_FLUSH & FLUSH_BITS != 0
            if shared:
                strengths_by_ranks(key, bits, card_key, high_place, low_place, by_ranks, of_ranks)
            live = 0
            for hand in range(count):
                both = hand_bits[hand]
                if both & bits:
                    continue
                if shared and not (flushes and key + hand_key[hand] & FLUSH_BITS):
                    strength[hand] = of_ranks[ranks[hand]]
                else:
                    strength[hand] = strength_of(
                        key + hand_key[hand], bits | both, 7, high_place, low_place, by_ranks, by_flush
                    )
                order[live] = hand
                live += 1
            if sweep:
                sort_hands(strength, order, spare, digits, live)
                sweep_hands(strength, order, live, hands.low, hands.high, weight, held, copies, won)
            else:
                compare_hands(strength, order, spare, live, hand_bits, weight, copies, won)
        if left == 0:
            break
        place = left - 1
        while place > 0 and pick[place] == len(stub) - left + place:
            place -= 1
        pick[place] += 1
        for later in range(place + 1, left):
            pick[later] = pick[later - 1] + 1
    return seen


@internal_compiled
def strengths_by_ranks(key, bits, card_key, high_place, low_place, by_ranks, of_ranks):  # type: ignore[no-untyped-def]
    """The strength without a flush of every two ranks that can be held on a board, at 16 x higher + lower."""
    for high in range(13):
        free = 4
        for suit in range(4):
            free -= bits >> 16 * suit + high & 1
        if free == 0:
            continue
        high_key = key + card_key[4 * high]
        for low in range(high + (free > 1)):
            if bits >> low & bits >> 16 + low & bits >> 32 + low & bits >> 48 + low & 1:
                continue
            both = high_key + card_key[4 * low]
            place = high_place[2, both >> HIGH_SHIFT & HIGH_MASK] + low_place[both & LOW_MASK]
            of_ranks[16 * high + low] = by_ranks[place]


@internal_compiled
def board_copies(bits, symmetries):  # type: ignore[no-untyped-def]
    """Count the boards this one stands for: all that symmetries make of it, or 0 if one of them is lower."""
    same = 0
    for row in range(len(symmetries)):
        moved = np.int64(0)
        for suit in range(4):
            moved |= (bits >> 16 * suit & 8191) << 16 * symmetries[row, suit]
        if moved < bits:
            return 0
        if moved == bits:
            same += 1
    return len(symmetries) // same


@internal_compiled
def sweep_hands(strength, order, live, low, high, weight, held, copies, won):  # type: ignore[no-untyped-def]
    """Sweep from the weakest hands up, group of equals by group: weaker and equal hands without shared cards.

    held: float64[cards, weaker or equal x players], room for the weight of the hands that hold each card.
    """
    for card in range(52):
        for column in range(4):
            held[card, column] = 0.0
    weaker0 = weaker1 = 0.0
    start = 0
    while start < live:
        strong, end = strength[order[start]], start
        equal0 = equal1 = 0.0
        while end < live and strength[order[end]] == strong:
            hand = order[end]
            a, b, mine, yours = low[hand], high[hand], weight[hand, 0], weight[hand, 1]
            equal0 += mine
            equal1 += yours
            held[a, 2] += mine
            held[a, 3] += yours
            held[b, 2] += mine
            held[b, 3] += yours
            end += 1
        for place in range(start, end):
            hand = order[place]
            a, b = low[hand], high[hand]
            won[hand, 0] += copies * (weaker1 - held[a, 1] - held[b, 1])
            won[hand, 1] += copies * (weaker0 - held[a, 0] - held[b, 0])
            # Only the hand itself holds both cards; it was taken off twice.
            won[hand, 2] += copies * (equal1 - held[a, 3] - held[b, 3] + weight[hand, 1])
            won[hand, 3] += copies * (equal0 - held[a, 2] - held[b, 2] + weight[hand, 0])
        for place in range(start, end):
            hand = order[place]
            for card in (low[hand], high[hand]):
                held[card, 0] += held[card, 2]
                held[card, 1] += held[card, 3]
                held[card, 2] = held[card, 3] = 0.0
        weaker0 += equal0
        weaker1 += equal1
        start = end


@internal_compiled
def compare_hands(strength, order, spare, live, bits, weight, copies, won):  # type: ignore[no-untyped-def]
    """Every hand of one range against every hand of the other."""
    others = 0
    for place in range(live):
        if weight[order[place], 1] > 0:
            spare[others] = order[place]
            others += 1
    for place in range(live):
        hand = order[place]
        mine = weight[hand, 0] * copies
        if mine == 0:
            continue
        mine_bits, strong, win, tie = bits[hand], strength[hand], 0.0, 0.0
        for met in range(others):
            other = spare[met]
            if bits[other] & mine_bits:
                continue
            if strength[other] < strong:
                win += weight[other, 1]
            elif strength[other] == strong:
                tie += weight[other, 1]
                won[other, 3] += mine
            else:
                won[other, 1] += mine
        won[hand, 0] += win * copies
        won[hand, 2] += tie * copies
