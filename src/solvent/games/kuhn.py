"""Kuhn poker: three cards, one bet. The smallest game in which bluffing is right.

Each player antes 1 and gets one of J, Q, K. A player may bet 1; the other calls or folds. The game's value
for player 0 is -1/18 (Kuhn 1950).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, Board, PublicRules

CARDS = "JQK"


class Kuhn(PublicRules):
    """Kuhn poker.

    >>> Kuhn().histories()
    58
    """

    def __str__(self) -> str:
        return "kuhn"

    def hands(self) -> Sequence[str]:
        return CARDS

    def deal(self, first: str | None = None) -> Iterable[tuple[str, Fraction]]:
        left = [card for card in CARDS if card != first]
        return [(card, Fraction(1, len(left))) for card in left]

    def sign(self, symbol: str, board: Board, first: str, second: str) -> int:
        return 1 if symbol == FOLD or CARDS.index(first) > CARDS.index(second) else -1

    def betting_tree(self) -> Betting:
        def decide(player: int, history: str, **children: Betting) -> Betting:
            return Betting(player, tuple(children), tuple(children.values()), history)

        # A stake is what player 0 wins when the symbol says 1: negative where player 0 is the one who folds.
        after_check_bet = decide(
            0, "kb", fold=Betting(symbol=FOLD, stake=-1), call=Betting(symbol=SHOWDOWN, stake=2)
        )
        after_check = decide(1, "k", check=Betting(symbol=SHOWDOWN, stake=1), bet=after_check_bet)
        after_bet = decide(1, "b", fold=Betting(symbol=FOLD, stake=1), call=Betting(symbol=SHOWDOWN, stake=2))
        return decide(0, "", check=after_check, bet=after_bet)
