"""A game of one's own on the public form: one-card poker with any number of ranks.

    python examples/public_game.py
    solvent solve "examples/public_game.py:OneCard(ranks=13)"

Both players ante 1 and get a card. Player 0 may bet 1, and player 1 then calls or folds; without a bet the cards
are shown. On the public form all pairs of hands are swept at once, so a thousand iterations take milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import solvent
from solvent import Betting


class OneCard(solvent.PublicRules):
    """One-card poker; the higher rank wins. Attributes named like the parameters let a saved run find it again."""

    def __init__(self, ranks: int = 13) -> None:
        self.ranks = ranks

    def hands(self) -> Sequence[int]:
        return range(self.ranks)

    def deal(self, first: int | None = None) -> Iterable[tuple[int, Fraction]]:
        left = [rank for rank in self.hands() if rank != first]
        return [(rank, Fraction(1, len(left))) for rank in left]

    def betting_tree(self) -> Betting:
        shown = Betting(symbol="showdown", stake=1)
        folded = Betting(symbol="fold", stake=1)
        called = Betting(symbol="showdown", stake=2)
        answer = Betting(1, ("fold", "call"), (folded, called), history="b")
        return Betting(0, ("check", "bet"), (shown, answer), history="")

    def sign(self, symbol: str, board: tuple[()], first: int, second: int) -> int:
        return 1 if symbol == "fold" or first > second else -1


def main(ranks: int = 13) -> solvent.Result:
    result = solvent.solve(OneCard(ranks), iterations=1000)
    print(f"player 0 wins {result.value:+.4f} a game, exploitability {result.exploitability:.1g}")
    for rank in range(ranks):
        bet, call = result.strategy[f"{rank}||"]["bet"], result.strategy[f"{rank}||b"]["call"]
        print(f"rank {rank:2}: bets {bet:4.0%}, calls {call:4.0%}")
    return result


if __name__ == "__main__":
    main()
