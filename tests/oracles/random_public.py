"""Small random public games for hypothesis: random betting trees, deals, boards, signs and strengths."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, Board, PublicRules


class RandomBetting(PublicRules):
    """A random betting tree of at most `rounds` rounds; hands and boards are for subclasses."""

    def __init__(self, seed: int, rounds: int = 2) -> None:
        self.seed, self.rounds = seed, rounds

    def __str__(self) -> str:
        return f"{type(self).__name__}(seed={self.seed},rounds={self.rounds})"

    def draw(self, *about: Any) -> random.Random:
        """The same random numbers whenever the same thing is asked about."""
        return random.Random(repr((self.seed, *about)))

    def terminal(self, draw: random.Random, stage: int) -> Betting:
        raise NotImplementedError

    def betting_tree(self) -> Betting:
        return self._grow(self.draw("betting"), 0, 0, "")

    def _grow(self, draw: random.Random, stage: int, depth: int, history: str) -> Betting:
        if draw.random() < 0.35 * depth:
            if stage + 1 == self.rounds or draw.random() < 0.3:
                return self.terminal(draw, stage)
            return Betting(deals=True, children=(self._grow(draw, stage + 1, 0, history + "/"),))
        # Nothing says that players take turns, that both act or that there are two or three actions.
        actions = tuple("uvwx"[: draw.choice((1, 2, 2, 2, 3, 3, 4))])
        children = tuple(self._grow(draw, stage, depth + 1, history + action) for action in actions)
        return Betting(draw.randint(0, 1), actions, children, history)


class RandomPublic(RandomBetting):
    """Hands and boards with any chances, and any sign for each symbol, board and pair of hands."""

    def hands(self) -> Sequence[str]:
        return "abcd"[: self.draw("hands").randint(1, 4)]

    def deal(self, first: str | None = None) -> Iterable[tuple[str, Fraction]]:
        return _weighted(self.draw("deal", first), self.hands())

    def boards(self, board: Board, first: str, second: str) -> Iterable[tuple[Board, Fraction]]:
        draw = self.draw("boards", board, first, second)
        return [((*board, after), weight) for after, weight in _weighted(draw, "rst")]

    def sign(self, symbol: str, board: Board, first: str, second: str) -> int:
        return self.draw("sign", symbol, board, first, second).choice((-1, 0, 1))

    def terminal(self, draw: random.Random, stage: int) -> Betting:
        return Betting(symbol=draw.choice((FOLD, SHOWDOWN, "x", "y")), stake=draw.randint(-6, 6) / 2)


class RandomHoldem(RandomBetting):
    """Two cards each and one more on the board after every round, with any strengths and so with many ties.

    Nobody shows his cards before there is a board.
    """

    def __init__(self, seed: int, rounds: int = 2) -> None:
        super().__init__(seed, rounds)
        self.deck = range(self.draw("deck").randint(rounds + 3, rounds + 4))
        self.strength = cache(lambda board, hand: self.draw("strength", board, hand).randint(0, 5))

    def hands(self) -> Sequence[tuple[int, int]]:
        return list(combinations(self.deck, 2))

    def deal(self, first: tuple[int, int] | None = None) -> Iterable[tuple[tuple[int, int], Fraction]]:
        hands = [hand for hand in self.hands() if not set(hand) & set(first or ())]
        return [(hand, Fraction(1, len(hands))) for hand in hands]

    def boards(
        self, board: Board, first: tuple[int, int], second: tuple[int, int]
    ) -> Iterable[tuple[Board, Fraction]]:
        left = [card for card in self.deck if card not in (*board, *first, *second)]
        return [((*board, card), Fraction(1, len(left))) for card in left]

    def public_boards(self, board: Board) -> Sequence[Board]:
        return [(*board, card) for card in self.deck if card not in board]

    def hole_cards(self, hand: tuple[int, int]) -> tuple[int, int]:
        return hand

    def strengths(self, boards: Sequence[Board], hands: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
        return np.array([[self.strength(board, hand) for hand in hands] for board in boards])

    def sign(self, symbol: str, board: Board, first: tuple[int, int], second: tuple[int, int]) -> int:
        if symbol == FOLD:
            return 1
        mine, yours = self.strength(board, first), self.strength(board, second)
        return (mine > yours) - (mine < yours)

    def terminal(self, draw: random.Random, stage: int) -> Betting:
        symbol = draw.choice((FOLD, SHOWDOWN)) if stage else FOLD
        return Betting(symbol=symbol, stake=draw.randint(-6, 6) / 2)


def _weighted(draw: random.Random, outcomes: Sequence[str]) -> list[tuple[str, Fraction]]:
    """Some of the outcomes, at least one, with random chances."""
    chosen = [outcome for outcome in outcomes if draw.random() < 0.7] or [draw.choice(outcomes)]
    parts = [draw.randint(1, 4) for _ in chosen]
    return [(outcome, Fraction(part, sum(parts))) for outcome, part in zip(chosen, parts, strict=True)]
