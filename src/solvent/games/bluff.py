"""Bluff, or liar's dice: hidden rolls, rising bids on all the dice, and one challenge that ends it.

Each player rolls `dice` dice of `faces` faces. A bid (count, face) claims that all the dice together show at
least `count` of `face`; the highest face is wild and counts as any. Players take turns, player 0 first, to
bid higher (a greater count, or the same count of a higher face) or call "liar": then whoever bid wins 1 if
the bid holds and loses 1 if not.

One die of six faces is the Bluff of the CFR papers and OpenSpiel's `liars_dice`; its value for player 0 is
-7/258. A hand is a roll without its order, weighted by the number of ways to roll it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod

from solvent.games.game import GameError
from solvent.games.public_rules import Betting, Board, PublicRules

Roll = tuple[int, ...]
"""A player's dice, lowest first; faces count from 1."""

Bid = tuple[int, int]
"""(count, face)."""

LIAR = "liar"
MOST_BIDS = 20
"""The betting tree has a decision for every set of bids: 2^20 of them take half a gigabyte."""
MOST_COUNTED_BIDS = 100
"""Games with more bids than can be built are counted all the same, up to here."""


class Bluff(PublicRules):
    """Bluff with any number of dice for each player and of faces for each die.

    >>> Bluff().histories(), Bluff(dice=2, faces=4).histories()
    (294883, 13107111)
    """

    def __init__(self, dice: int = 1, faces: int = 6) -> None:
        if dice < 1:
            raise GameError(f"bluff gives each player at least one die, not dice={dice}")
        if faces < 1:
            raise GameError(f"bluff's dice have at least one face, not faces={faces}")
        if 2 * dice * faces > MOST_COUNTED_BIDS:
            raise GameError(
                f"bluff has 2 x dice x faces bids, at most {MOST_COUNTED_BIDS}; dice={dice} and faces={faces} "
                f"make more"
            )
        self.dice, self.faces = dice, faces
        self.bids: tuple[Bid, ...] = tuple(product(range(1, 2 * dice + 1), range(1, faces + 1)))
        """Every bid, lowest first."""

    def __str__(self) -> str:
        return f"bluff(dice={self.dice},faces={self.faces})"

    def histories(self) -> int:
        # Every set of bids leads to one decision, and every set but the empty one to one challenge.
        hands = comb(self.faces + self.dice - 1, self.dice)
        return 1 + hands + hands**2 * self.betting_nodes()

    def betting_nodes(self) -> int:
        return (2 << len(self.bids)) - 1

    # Dice

    def hands(self) -> Sequence[Roll]:
        return [roll for roll, _ in self._rolls]

    def deal(self, first: Roll | None = None) -> Iterable[tuple[Roll, Fraction]]:
        return self._rolls

    @cached_property
    def _rolls(self) -> list[tuple[Roll, Fraction]]:
        rolls = combinations_with_replacement(range(1, self.faces + 1), self.dice)
        # The dice of a roll can fall in n! / (k1! k2! ...) orders.
        orders = [
            (roll, factorial(self.dice) // prod(map(factorial, Counter(roll).values()))) for roll in rolls
        ]
        return [(roll, Fraction(count, self.faces**self.dice)) for roll, count in orders]

    def hand_label(self, hand: Roll) -> str:
        return "-".join(map(str, hand))

    def sign(self, symbol: Bid, board: Board, first: Roll, second: Roll) -> int:
        """1 if the bid holds, -1 if not; the stake says who made it."""
        count, face = symbol
        matching = sum(die in (face, self.faces) for die in first + second)
        return 1 if matching >= count else -1

    # Betting

    def betting_tree(self) -> Betting:
        if len(self.bids) > MOST_BIDS:
            raise GameError(
                f"{self} has {len(self.bids)} bids and so 2^{len(self.bids)} public decisions; "
                f"at most {MOST_BIDS} bids (2 x dice x faces) can be built"
            )
        return self._decision(0, 0, "")

    def _decision(self, player: int, lowest: int, history: str) -> Betting:
        """A player to act, who may bid `bids[lowest]` or higher."""
        children: dict[str, Betting] = {}
        for index in range(lowest, len(self.bids)):
            name = "{}x{}".format(*self.bids[index])
            children[name] = self._decision(1 - player, index + 1, f"{history} {name}" if history else name)
        if history:
            # The other player made the last bid, and wins 1 if it holds.
            bid = self.bids[lowest - 1]
            children[LIAR] = Betting(symbol=bid, stake=1 if player == 1 else -1)
        return Betting(player, tuple(children), tuple(children.values()), history)
