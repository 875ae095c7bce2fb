"""Flop hold'em: limit hold'em that ends after the flop, on any deck.

With the full deck it is the FHP of Deep CFR (Brown et al. 2019). Each player gets two cards; player 0 posts
a blind of 1 and acts first before the flop, player 1 posts 2 and acts first after it. A bet or raise adds 2
on top of calling, at most `raises` of them a round, the blinds not counted. The better five cards win and
equal hands split the pot. Smaller decks keep the lowest ranks (see `solvent.cards.deck`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS, SUITS, Card, cards_label, deck
from solvent.cards.ranking import five_card_strength, five_card_strengths
from solvent.games.game import GameError
from solvent.games.public import FOLD, MOST_BETS, SHOWDOWN, Betting, Board, PublicRules

BLINDS = (1, 2)
BET = 2
PREFLOP, FLOP = 0, 1
OPENER = (0, 1)
"""Who acts first before and after the flop."""

Hole = tuple[Card, Card]
"""A player's two cards, lower first."""


class FlopHoldem(PublicRules):
    """Flop hold'em on a deck of `suits` x `ranks` cards.

    >>> FlopHoldem(suits=4, ranks=5).histories()
    2393682131
    """

    def __init__(self, suits: int = 4, ranks: int = 13, raises: int = 3) -> None:
        if not 1 <= suits <= len(SUITS):
            raise GameError(f"flop_holdem's deck has 1 to {len(SUITS)} suits, not suits={suits}")
        if not 1 <= ranks <= len(RANKS):
            raise GameError(f"flop_holdem's deck has 1 to {len(RANKS)} ranks, not ranks={ranks}")
        if suits * ranks < 7:
            raise GameError(
                f"flop_holdem deals seven cards; suits={suits} and ranks={ranks} make {suits * ranks}"
            )
        if not 0 <= raises <= MOST_BETS:
            raise GameError(
                f"flop_holdem's raises, 0 to {MOST_BETS}, is the number of bets or raises a round, not {raises}"
            )
        self.suits, self.ranks, self.raises = suits, ranks, raises
        self.deck = deck(suits, ranks)

    def __str__(self) -> str:
        raises = "" if self.raises == 3 else f",raises={self.raises}"
        return f"flop_holdem(suits={self.suits},ranks={self.ranks}{raises})"

    def histories(self) -> int:
        cards = len(self.deck)
        firsts = comb(cards, 2)
        return 1 + firsts + _histories(self.betting, firsts * comb(cards - 2, 2), comb(cards - 4, 3))

    # Cards

    def hands(self) -> Sequence[Hole]:
        return list(combinations(self.deck, 2))

    def deal(self, first: Hole | None = None) -> Iterable[tuple[Hole, Fraction]]:
        hands = list(combinations(self._left(first or ()), 2))
        weight = Fraction(1, len(hands))
        return [(hand, weight) for hand in hands]

    def boards(self, board: Board, first: Hole, second: Hole) -> Iterable[tuple[Board, Fraction]]:
        flops = list(combinations(self._left(first + second), 3))
        weight = Fraction(1, len(flops))
        return [(flop, weight) for flop in flops]

    def _left(self, dead: tuple[Card, ...]) -> list[Card]:
        return [card for card in self.deck if card not in dead]

    def hand_label(self, hand: Hole) -> str:
        return cards_label(reversed(hand))

    def board_label(self, board: Board) -> str:
        return cards_label(reversed(board))

    def sign(self, symbol: str, board: Board, first: Hole, second: Hole) -> int:
        if symbol == FOLD:
            return 1
        mine, yours = (self.strength(board, hand) for hand in (first, second))
        return (mine > yours) - (mine < yours)

    def public_boards(self, board: Board) -> Sequence[Board]:
        return list(combinations(self.deck, 3))

    def deal_weight(self, first: Hole, second: Hole) -> Fraction:
        cards = len(self.deck)
        return Fraction(not set(first) & set(second), comb(cards, 2) * comb(cards - 2, 2))

    def hole_cards(self, hand: Hole) -> tuple[int, int]:
        return hand

    def symmetries(self) -> Sequence[tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        def relabel(order: tuple[int, ...]) -> Callable[[tuple[Card, ...]], tuple[Card, ...]]:
            return lambda cards: tuple(sorted(card - card % 4 + order[card % 4] for card in cards))

        return [(relabel(order), relabel(order)) for order in permutations(range(self.suits))]

    def strengths(self, boards: Sequence[Board], hands: Sequence[Hole]) -> NDArray[np.int64]:
        flops: NDArray[np.int64] = np.array(boards)
        holes: NDArray[np.int64] = np.array(hands)
        shape = (len(flops), len(holes))
        cards = np.concatenate(
            [
                np.broadcast_to(flops[:, None, :], (*shape, 3)),
                np.broadcast_to(holes[None, :, :], (*shape, 2)),
            ],
            axis=2,
        )
        return five_card_strengths(cards)

    def strength(self, board: Board, hand: Hole) -> int:
        """How strong two cards are on a flop; equal strengths tie."""
        return _flop_strength(board, hand)

    # Betting

    def betting_tree(self) -> Betting:
        return self._decision(PREFLOP, OPENER[PREFLOP], BLINDS, 0, "")

    def _decision(self, stage: int, player: int, paid: tuple[int, int], bets: int, history: str) -> Betting:
        """A player to act, having paid `paid[player]`, after `bets` bets or raises this round."""
        facing = paid[1 - player] - paid[player]
        children: dict[str, Betting] = {}
        if facing:
            # Folding loses what has been paid: player 0 wins paid[1] or loses paid[0].
            children["fold"] = Betting(symbol=FOLD, stake=paid[1] if player == 1 else -paid[0])
        level = paid[1 - player]
        passing = history + ("c" if facing else "k")
        opens = bets == 0 and player == OPENER[stage]
        children["call" if facing else "check"] = (
            self._decision(stage, 1 - player, (level, level), 0, passing)
            if opens
            else self._round_end(stage, level, passing)
        )
        if bets < self.raises:
            raising = stage == PREFLOP or facing > 0  # the big blind is a bet already
            raised = (level + BET, level) if player == 0 else (level, level + BET)
            children["raise" if raising else "bet"] = self._decision(
                stage, 1 - player, raised, bets + 1, history + ("r" if raising else "b")
            )
        return Betting(player, tuple(children), tuple(children.values()), history)

    def _round_end(self, stage: int, level: int, history: str) -> Betting:
        """Both have paid `level`: the flop, or the showdown after it."""
        if stage == FLOP:
            return Betting(symbol=SHOWDOWN, stake=level)
        below = self._decision(FLOP, OPENER[FLOP], (level, level), 0, history + "/")
        return Betting(deals=True, children=(below,))


@lru_cache(maxsize=2**16)
def _flop_strength(board: Board, hand: Hole) -> int:
    return five_card_strength(board + hand)


def _histories(betting: Betting, deals: int, flops: int) -> int:
    """Histories at and below a node that `deals` pairs of hands, and boards if any, can reach."""
    below = deals * flops if betting.deals else deals
    return deals + sum(_histories(child, below, flops) for child in betting.children)
