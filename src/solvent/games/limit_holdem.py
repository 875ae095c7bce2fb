"""Limit hold'em on any deck, to the flop, the turn or the river: small decks can be solved exactly.

Each player gets two cards; player 0 posts a blind of 1 and acts first before the flop, player 1 posts 2 and acts
first after it. A bet or raise adds 2 before and on the flop and 4 afterwards, at most `max_bets` of them a street,
of which the big blind is the first. The best five of a player's two cards and the board win; equal hands split the
pot. Smaller decks keep the lowest ranks (see `solvent.cards.deck`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS, SUITS, Card, cards_label, deck
from solvent.cards.ranking import best_strength, five_card_strengths
from solvent.games.betting.rules import (
    BOARD_CARDS,
    CALL,
    FOLD,
    HoldemRules,
    HoldemState,
    act,
    legal,
    payoffs,
    start,
)
from solvent.games.game import GameError
from solvent.games.public_rules import FOLD as FOLDED
from solvent.games.public_rules import (
    MOST_BETS,
    MOST_BETTING_NODES,
    SHOWDOWN,
    Betting,
    Board,
    PublicRules,
    RoundSize,
)

BLINDS = (1, 2)
BETS = (2, 2, 4, 4)
FLOP_CARDS = 3
CHUNK = 1 << 22
"""Hands on boards that are evaluated at once."""

Hole = tuple[Card, Card]
"""A player's two cards, lower first. A board is the flop, lowest first, then the turn, then the river."""


class LimitHoldem(PublicRules):
    """Limit hold'em on a deck of `suits` x `ranks` cards that ends after 2, 3 or 4 streets.

    >>> LimitHoldem(suits=2, ranks=5, streets=3).histories()
    133386166
    """

    name = "holdem"

    def __init__(self, suits: int = 4, ranks: int = 13, streets: int = 4, max_bets: int = 4) -> None:
        if not 2 <= streets <= len(BOARD_CARDS):
            raise GameError(f"holdem has 2 streets (the flop), 3 or 4, not streets={streets}")
        if not 1 <= max_bets <= MOST_BETS:
            raise GameError(
                f"holdem's max_bets, 1 to {MOST_BETS}, is the number of bets a street, the big blind the first, "
                f"not {max_bets}"
            )
        self.max_bets = max_bets
        self._set(suits, ranks, BETS[:streets], (max_bets - 1, *(max_bets,) * (streets - 1)))

    def _set(self, suits: int, ranks: int, bets: tuple[int, ...], caps: tuple[int, ...]) -> None:
        """Take the deck and the betting: what a bet adds and the most bets and raises, by street."""
        if not 1 <= suits <= len(SUITS):
            raise GameError(f"{self.name}'s deck has 1 to {len(SUITS)} suits, not suits={suits}")
        if not 1 <= ranks <= len(RANKS):
            raise GameError(f"{self.name}'s deck has 1 to {len(RANKS)} ranks, not ranks={ranks}")
        self.streets = len(bets)
        dealt = 4 + BOARD_CARDS[self.streets - 1]
        if suits * ranks < dealt:
            count = {7: "seven", 8: "eight", 9: "nine"}[dealt]
            raise GameError(
                f"{self.name} deals {count} cards; suits={suits} and ranks={ranks} make {suits * ranks}"
            )
        if _betting_nodes(caps) > MOST_BETTING_NODES:
            raise GameError(f"{self.name}'s betting tree has at most {MOST_BETTING_NODES:,} nodes")
        self.suits, self.ranks, self.deck = suits, ranks, deck(suits, ranks)
        deep = BLINDS[1] + sum(bet * cap for bet, cap in zip(bets, caps, strict=True)) + 1
        self.rules = HoldemRules((deep, deep), BLINDS, self.streets, bets, caps)

    def __str__(self) -> str:
        max_bets = "" if self.max_bets == 4 else f",max_bets={self.max_bets}"
        return f"holdem(suits={self.suits},ranks={self.ranks},streets={self.streets}{max_bets})"

    def histories(self) -> int:
        cards = len(self.deck)
        firsts = comb(cards, 2)
        boards = (comb(cards - 4, FLOP_CARDS), cards - 7, cards - 8)
        return 1 + firsts + _histories(self.betting, firsts * comb(cards - 2, 2), boards)

    def betting_nodes(self) -> int:
        return _betting_nodes(self.rules.caps)

    def round_sizes(self, isomorphism: bool = False) -> Sequence[RoundSize]:
        cards, sizes, boards = len(self.deck), [], 1
        for street in range(self.streets):
            dealt = BOARD_CARDS[street]
            if street == 1:
                # Suits may be renamed where the only deal is the flop.
                renamed = isomorphism and self.streets == 2
                boards = _flop_classes(self.suits, self.ranks) if renamed else comb(cards, FLOP_CARDS)
            elif street > 1:
                boards *= cards - dealt + 1
            hands = comb(cards - dealt, 2)
            sizes.append(RoundSize(boards, hands, boards * hands))
        return sizes

    # Cards

    def hands(self) -> Sequence[Hole]:
        return list(combinations(self.deck, 2))

    def deal(self, first: Hole | None = None) -> Iterable[tuple[Hole, Fraction]]:
        hands = list(combinations(self._left(first or ()), 2))
        weight = Fraction(1, len(hands))
        return [(hand, weight) for hand in hands]

    def boards(self, board: Board, first: Hole, second: Hole) -> Iterable[tuple[Board, Fraction]]:
        after = self._boards_after(board, first + second)
        weight = Fraction(1, len(after))
        return [(longer, weight) for longer in after]

    def public_boards(self, board: Board) -> Sequence[Board]:
        return self._boards_after(board, ())

    def _boards_after(self, board: Board, dead: tuple[Card, ...]) -> list[Board]:
        left = self._left(board + dead)
        return [board + cards for cards in combinations(left, 1 if board else FLOP_CARDS)]

    def _left(self, dead: tuple[Card, ...]) -> list[Card]:
        return [card for card in self.deck if card not in dead]

    def hand_label(self, hand: Hole) -> str:
        return cards_label(reversed(hand))

    def board_label(self, board: Board) -> str:
        return cards_label((*reversed(board[:FLOP_CARDS]), *board[FLOP_CARDS:]))

    def sign(self, symbol: str, board: Board, first: Hole, second: Hole) -> int:
        if symbol == FOLDED:
            return 1
        mine, yours = (self.strength(board, hand) for hand in (first, second))
        return (mine > yours) - (mine < yours)

    def deal_weight(self, first: Hole, second: Hole) -> Fraction:
        cards = len(self.deck)
        return Fraction(not set(first) & set(second), comb(cards, 2) * comb(cards - 2, 2))

    def hole_cards(self, hand: Hole) -> tuple[int, int]:
        return hand

    def symmetries(self) -> Sequence[tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        def relabel(order: tuple[int, ...]) -> Callable[[tuple[Card, ...]], tuple[Card, ...]]:
            def moved(cards: tuple[Card, ...]) -> tuple[Card, ...]:
                new = [card - card % 4 + order[card % 4] for card in cards]
                return (*sorted(new[:FLOP_CARDS]), *new[FLOP_CARDS:])

            return moved

        return [(relabel(order), relabel(order)) for order in permutations(range(self.suits))]

    def strengths(self, boards: Sequence[Board], hands: Sequence[Hole]) -> NDArray[np.int64]:
        holes: NDArray[np.int64] = np.array(hands)
        step = max(1, CHUNK // len(holes))
        parts = [_best_of_five(np.array(boards[k : k + step]), holes) for k in range(0, len(boards), step)]
        return np.concatenate(parts)

    def strength(self, board: Board, hand: Hole) -> int:
        """How strong two cards are on a board; equal strengths tie."""
        return _strength(board, hand)

    # Betting

    def betting_tree(self) -> Betting:
        return self._betting(start(self.rules), "")

    def _betting(self, state: HoldemState, history: str) -> Betting:
        """The tree below a state; `history` is what has been played, a letter an action."""
        if state.folded >= 0:
            return Betting(symbol=FOLDED, stake=payoffs(state)[0])
        if state.over:
            return Betting(symbol=SHOWDOWN, stake=state.at_stake)
        allowed, facing = legal(state), state.paid[1 - state.player] > state.paid[state.player]
        children: dict[str, Betting] = {}
        if allowed.fold:
            children["fold"] = self._betting(act(state, FOLD), history)
        called, passing = act(state, CALL), history + ("c" if facing else "k")
        children["call" if facing else "check"] = (
            Betting(deals=True, children=(self._betting(called, passing + "/"),))
            if called.street > state.street
            else self._betting(called, passing)
        )
        if allowed.min_raise:
            raising = state.street == 0 or facing  # the big blind is a bet already
            children["raise" if raising else "bet"] = self._betting(
                act(state, allowed.min_raise), history + ("r" if raising else "b")
            )
        return Betting(state.player, tuple(children), tuple(children.values()), history)


@lru_cache(maxsize=2**16)
def _strength(board: Board, hand: Hole) -> int:
    return best_strength(board + hand)


def _best_of_five(boards: NDArray[np.int64], holes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The best five of each board and each hand: int64[boards, cards], int64[hands, 2] to int64[boards, hands]."""
    shape, count = (len(boards), len(holes)), boards.shape[1]
    columns = [np.broadcast_to(boards[:, None, k], shape) for k in range(count)]
    columns += [np.broadcast_to(holes[None, :, k], shape) for k in range(2)]
    best = np.zeros(shape, dtype=np.int64)
    for chosen in combinations(columns, 5):
        np.maximum(best, five_card_strengths(np.stack(chosen, axis=-1)), out=best)
    return best


def _betting_nodes(caps: Sequence[int]) -> int:
    """Count the nodes of the betting tree with at most `caps[street]` bets and raises on each street."""
    total, subtrees = 0, 1
    for street, cap in enumerate(caps):
        ends = 2 * cap + 1  # both may check, or either may call each bet of the line that the other began
        folds = ends if street == 0 else ends - 1
        total += subtrees * (2 * cap + 2 + folds + ends)
        subtrees *= ends
    return total


def _flop_classes(suits: int, ranks: int) -> int:
    """Flops that differ in more than the names of suits: orbits under the permutations of suits (Burnside)."""
    total = 0
    for order in permutations(range(suits)):
        fixed = sum(order[suit] == suit for suit in range(suits))
        pairs = sum(order[suit] != suit and order[order[suit]] == suit for suit in range(suits)) // 2
        threes = sum(order[suit] != suit and order[order[order[suit]]] == suit for suit in range(suits)) // 3
        # A flop stays as it is if each card does, or one does and two change places, or three go round.
        total += comb(fixed * ranks, 3) + fixed * ranks * pairs * ranks + threes * ranks
    return total // factorial(suits)


def _histories(betting: Betting, deals: int, boards: tuple[int, ...]) -> int:
    """Histories at and below a node that `deals` pairs of hands, and boards if any, can reach.

    `boards` says how many boards follow a pair of hands at each deal from here on.
    """
    if betting.deals:
        return deals + _histories(betting.children[0], deals * boards[0], boards[1:])
    return deals + sum(_histories(child, deals, boards) for child in betting.children)
