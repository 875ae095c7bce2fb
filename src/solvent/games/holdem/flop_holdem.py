"""Flop hold'em: limit hold'em that ends after the flop, on any deck.

With the full deck it is the FHP of Deep CFR (Brown et al. 2019). It is `solvent.games.holdem.limit_holdem` with two
streets and another way to count: a bet or raise adds 2, at most `raises` of them a round, the blinds not counted.
"""

from __future__ import annotations

from solvent.games.game import GameError
from solvent.games.holdem.limit_holdem import LimitHoldem
from solvent.games.public_rules import MOST_BETS

BET = 2


class FlopHoldem(LimitHoldem):
    """Flop hold'em on a deck of `suits` x `ranks` cards.

    >>> FlopHoldem(suits=4, ranks=5).histories()
    2393682131
    """

    name = "flop_holdem"

    def __init__(self, suits: int = 4, ranks: int = 13, raises: int = 3) -> None:
        if not 0 <= raises <= MOST_BETS:
            raise GameError(
                f"flop_holdem's raises, 0 to {MOST_BETS}, is the number of bets or raises a round, not {raises}"
            )
        self.raises = raises
        self._set(suits, ranks, (BET, BET), (raises, raises))

    def __str__(self) -> str:
        raises = "" if self.raises == 3 else f",raises={self.raises}"
        return f"flop_holdem(suits={self.suits},ranks={self.ranks}{raises})"
