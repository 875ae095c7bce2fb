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
from solvent.cards.equity_kernels import Hands, meet_on_boards
from solvent.cards.evaluator import evaluator
from solvent.cards.hands import HANDS, renamed_hands
from solvent.cards.ranges import Range
from solvent.cards.showdown import pairs
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Progress, Watch

BOARD = 5
SWEEP_COST = 10
"""Cost of a hand in a sweep through sorted hands, in comparisons of two hands (measured)."""


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


class _Task(NamedTuple):
    """Everything that the pieces of the work share."""

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
        [_live(which.weights, gone, name) for which, name in ((first, "first"), (second, "second"))]
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


def _live(weights: NDArray[np.float64], gone: set[Card], name: str) -> NDArray[np.float64]:
    """A range without the hands that hold a card which is out."""
    hands, out = pairs(), list(gone)
    live = np.where(np.isin(hands.low, out) | np.isin(hands.high, out), 0.0, weights)
    if not live.any():
        why = "has a card of the board or a dead card" if weights.any() else "has weight 0"
        raise CardError(f"every hand of the {name} range {why}: no deal is left")
    return live


def _compatible(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each player's hands the weight of the other's that share no card with them: float64[2, 1326]."""
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
    hands = Hands(
        number=held,
        low=everyone.low[held],
        high=everyone.high[held],
        key=everyone.key[held],
        bits=everyone.bits[held],
        weight=np.ascontiguousarray(weights[:, held].T),
    )
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
    behind = [comb(cards - _next(piece), to_come - len(piece)) for piece in pieces]
    done = np.cumsum(behind).tolist()
    parts: list[tuple[int, NDArray[np.float64]]] = [(0, np.zeros(0))] * len(pieces)

    def work(start: int, end: int, _: None) -> None:
        for number in range(start, end):
            parts[number] = _piece(task, pieces[number])

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
        if cards - _next(places) >= to_come - first:
            yield places


def _next(piece: tuple[int, ...]) -> int:
    """The place in the stub behind a piece's own cards."""
    return piece[-1] + 1 if piece else 0


def _piece(task: _Task, piece: tuple[int, ...]) -> tuple[int, NDArray[np.float64]]:
    known = np.concatenate([task.board, task.stub[list(piece)]])
    won = np.zeros((len(task.hands.number), 4))
    stub = task.stub[_next(piece) :]
    seen = meet_on_boards(known, stub, task.symmetries, evaluator(), task.hands, task.sweep, won)
    return seen, won


def _spread(won: NDArray[np.float64], task: _Task) -> NDArray[np.float64]:
    """Return all hands' wins and ties: float64[players, 2, 1326]; hands that symmetries exchange share equally."""
    by_hand = np.zeros((2, 2, HANDS))
    by_hand[:, :, task.hands.number] = won.T.reshape(2, 2, -1).swapaxes(0, 1)
    shared = sum(by_hand[:, :, renamed_hands(tuple(order))] for order in task.symmetries.tolist())
    return np.asarray(shared / len(task.symmetries))


def _side(
    won: NDArray[np.float64], weights: NDArray[np.float64], together: NDArray[np.float64], runouts: int
) -> Side:
    """From what each hand wins and ties, in weight of hands met x run-outs."""
    possible = together * runouts
    total = weights @ possible
    win, tie = (
        min(max(float(weights @ row / total), 0.0), 1.0) for row in won
    )  # rounding may pass either end
    hands = np.full(HANDS, np.nan)
    dealt = (weights > 0) & (together > 0)
    hands[dealt] = np.clip((won[0, dealt] + won[1, dealt] / 2) / possible[dealt], 0.0, 1.0)
    return Side(win + tie / 2, win, tie, hands)
