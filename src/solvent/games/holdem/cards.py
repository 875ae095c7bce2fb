"""The cards of hold'em games: hands of two cards, boards that grow street by street, and who wins a showdown.

`HoldemCards` is the base of all hold'em games: it knows the deck, the board on the table at the root and how many
cards each later street deals. `WholeDeck` is the base of those that deal any two cards with the same probability.

Everybody makes the best hand of five from two cards and the board. On short boards there are fewer than five cards
in all; then all of them count, and there are no straights, no flushes and no full houses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, starmap
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS, SUITS, Card, cards_label, deck
from solvent.cards.hands import HANDS, hand_number
from solvent.cards.ranking import best_strength, best_strengths, short_strengths
from solvent.games.game import GameError
from solvent.games.public_rules import FOLD, Betting, Board, PublicRules, RoundSize

CHUNK = 1 << 22
"""Hands on boards that are evaluated at once."""
MOST_BOARD_CARDS = 5

Hole = tuple[Card, Card]
"""A player's two cards, lower first."""

Sizes = str | Sequence[str]
"""Bet sizes as `solvent.games.betting.tree_sizes` reads them: '50%,a' or ['50%', 'a']."""


class HoldemCards(PublicRules):
    """A hold'em game: two hole cards each, and a board on which each street lays further cards.

    A board is a tuple of cards in the order of the deals, those of one deal from the lowest up.
    """

    name: str
    deck: tuple[Card, ...]
    """Every card of the deck, in order."""
    deals: tuple[int, ...]
    """Number of cards that each deal after the root adds to the board."""
    range_weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    """A weight for each hand of each player: float64[1326] by `cards.hands.hand_number`, 0 for hands that cannot be
    dealt."""
    starting_pot: float = 0
    """Chips in the middle at the root that neither player's payoff counts as put in by the other."""
    street_names: tuple[str, ...]
    """The names of the streets that are bet on, from the root on."""

    def boards(self, board: Board, first: Hole, second: Hole) -> Iterable[tuple[Board, Fraction]]:
        after = self._boards_after(board, first + second)
        weight = Fraction(1, len(after))
        return [(longer, weight) for longer in after]

    def public_boards(self, board: Board) -> Sequence[Board]:
        return self._boards_after(board, ())

    def _boards_after(self, board: Board, dead: tuple[Card, ...]) -> list[Board]:
        dealt, more = len(self.root_board), iter(self.deals)
        while dealt < len(board):
            dealt += next(more)
        return [board + cards for cards in combinations(self._left(board + dead), next(more))]

    def _left(self, dead: tuple[Card, ...]) -> list[Card]:
        return [card for card in self.deck if card not in dead]

    def hand_label(self, hand: Hole) -> str:
        return cards_label(reversed(hand))

    def board_label(self, board: Board) -> str:
        start = len(self.root_board)
        shown = list(board[:start])
        for count in self.deals:
            shown += reversed(board[start : start + count])
            start += count
        return cards_label(shown)

    def sign(self, symbol: str, board: Board, first: Hole, second: Hole) -> int:
        if symbol == FOLD:
            return 1
        mine, yours = (self.strength(board, hand) for hand in (first, second))
        return (mine > yours) - (mine < yours)

    def strengths(self, boards: Sequence[Board], hands: Sequence[Hole]) -> NDArray[np.int64]:
        holes: NDArray[np.int64] = np.array(hands)
        step = max(1, CHUNK // len(holes))
        parts = [best_strengths(np.array(boards[k : k + step]), holes) for k in range(0, len(boards), step)]
        return np.concatenate(parts)

    def strength(self, board: Board, hand: Hole) -> int:
        """Return the strength of two cards on a board; equal strengths tie."""
        return _strength(board, hand)

    def _boards_to_follow(self) -> tuple[int, ...]:
        """Count the boards that can follow a pair of hands at each deal."""
        left = len(self.deck) - len(self.root_board) - 4
        counts = []
        for count in self.deals:
            counts.append(comb(left, count))
            left -= count
        return tuple(counts)


class WholeDeck(HoldemCards):
    """A hold'em game on a deck of `suits` x `ranks` cards in which any two cards are equally likely."""

    suits: int
    ranks: int

    def _take_deck(self, suits: int, ranks: int, deals: tuple[int, ...]) -> None:
        """Take a deck, and how many cards are dealt to the board before each street but the first."""
        if not 1 <= suits <= len(SUITS):
            raise GameError(f"{self.name}'s deck has 1 to {len(SUITS)} suits, not suits={suits}")
        if not 1 <= ranks <= len(RANKS):
            raise GameError(f"{self.name}'s deck has 1 to {len(RANKS)} ranks, not ranks={ranks}")
        dealt = 4 + sum(deals)
        if suits * ranks < dealt:
            count = ("five", "six", "seven", "eight", "nine")[dealt - 5]
            raise GameError(
                f"{self.name} deals {count} cards; suits={suits} and ranks={ranks} make {suits * ranks}"
            )
        self.suits, self.ranks, self.deals, self.deck = suits, ranks, deals, deck(suits, ranks)
        weights = np.zeros(HANDS)
        weights[list(starmap(hand_number, combinations(self.deck, 2)))] = 1.0
        self.range_weights = (weights, weights)

    def hands(self) -> Sequence[Hole]:
        return self._hands_of(self.deck)

    def _hands_of(self, cards: Iterable[Card]) -> list[Hole]:
        """All hands of some cards by `hand_number`; cards are in order."""
        return sorted(combinations(cards, 2), key=lambda hand: hand[::-1])

    def deal(self, first: Hole | None = None) -> Iterable[tuple[Hole, Fraction]]:
        hands = self._hands_of(self._left(first or ()))
        weight = Fraction(1, len(hands))
        return [(hand, weight) for hand in hands]

    def deal_weight(self, first: Hole, second: Hole) -> Fraction:
        cards = len(self.deck)
        return Fraction(not set(first) & set(second), comb(cards, 2) * comb(cards - 2, 2))

    def hole_cards(self, hand: Hole) -> tuple[int, int]:
        return hand

    def symmetries(self) -> Sequence[tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        def relabel(order: tuple[int, ...], first: int) -> Callable[[tuple[Card, ...]], tuple[Card, ...]]:
            def moved(cards: tuple[Card, ...]) -> tuple[Card, ...]:
                new = [card - card % 4 + order[card % 4] for card in cards]
                return (*sorted(new[:first]), *new[first:])

            return moved

        orders = permutations(range(self.suits))
        return [(relabel(order, 2), relabel(order, self.deals[0])) for order in orders]

    def histories(self) -> int:
        cards = len(self.deck)
        firsts = comb(cards, 2)
        deals = firsts * comb(cards - 2, 2)
        return 1 + firsts + count_histories(self.betting, deals, self._boards_to_follow())

    def round_sizes(self, isomorphism: bool = False) -> Sequence[RoundSize]:
        cards = len(self.deck)
        sizes, boards = [RoundSize(1, comb(cards, 2), comb(cards, 2))], 1
        for number, count in enumerate(self.deals):
            boards *= comb(cards, count) if number else self._first_boards(isomorphism)
            cards -= count
            hands = comb(cards, 2)
            sizes.append(RoundSize(boards, hands, boards * hands))
        return sizes

    def _first_boards(self, isomorphism: bool) -> int:
        """Count the boards that the first deal makes, at most."""
        return comb(len(self.deck), self.deals[0])


def given_sizes(**sizes: Any) -> dict[str, Any]:
    """The settings of bet sizes that are given, by names without dashes."""
    return {key.replace("-", "_"): value for key, value in sizes.items() if value is not None}


def count_histories(betting: Betting, deals: int, boards: tuple[int, ...]) -> int:
    """Histories at and below a node that `deals` pairs of hands, and boards if any, can reach.

    `boards` says how many boards follow a pair of hands at each deal from here on.
    """
    if betting.deals:
        return deals + count_histories(betting.children[0], deals * boards[0], boards[1:])
    return deals + sum(count_histories(child, deals, boards) for child in betting.children)


@lru_cache(maxsize=2**16)
def _strength(board: Board, hand: Hole) -> int:
    cards = board + hand
    return best_strength(cards) if len(cards) >= 5 else int(short_strengths(np.array([cards]))[0])
