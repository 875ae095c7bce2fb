"""Statistics of a match: mean winnings and their 95 % interval, from pairs of hands with the same cards."""

from __future__ import annotations

import math
from dataclasses import dataclass

SURE_SHARE = 0.95
SURE = 1.959963984540054
"""Standard errors on each side of a 95 % interval."""


@dataclass(frozen=True)
class Winnings:
    """Winnings of one agent from another, as exact sums of whole chips, which no order of hands changes.

    A pair is one observation: its two hands share their cards and are not independent.

    >>> Winnings(pairs=2, won=60, squares=2000, big_blind=100).mbb
    150.0
    """

    pairs: int
    won: int
    """Chips won over all hands."""
    squares: int
    """Sum over pairs of the square of the chips won in the pair."""
    big_blind: int

    @property
    def hands(self) -> int:
        return 2 * self.pairs

    @property
    def mbb(self) -> float:
        """Mean winnings in thousandths of a big blind a hand; NaN if no hand was played."""
        return self.won / self.hands / self.big_blind * 1000 if self.pairs else math.nan

    @property
    def mbb_interval(self) -> float:
        """Distance from `mbb` to an end of its 95 % interval; infinite if fewer than two pairs were played."""
        if self.pairs < 2:
            return math.inf
        # The sums are integers, so that nothing cancels.
        variance = (self.pairs * self.squares - self.won**2) / (self.pairs * (self.pairs - 1))
        return SURE * math.sqrt(variance / self.pairs) / 2 / self.big_blind * 1000

    @property
    def bb_per_100(self) -> float:
        """Mean winnings in big blinds a hundred hands."""
        return self.mbb / 10

    @property
    def bb_per_100_interval(self) -> float:
        return self.mbb_interval / 10

    def as_dict(self) -> dict[str, float | None]:
        """The means and their intervals, for JSON; None where too few hands were played."""
        return {
            "mbb_per_hand": self.mbb if self.pairs else None,
            "mbb_per_hand_95": self.mbb_interval if self.pairs > 1 else None,
            "bb_per_100": self.bb_per_100 if self.pairs else None,
            "bb_per_100_95": self.bb_per_100_interval if self.pairs > 1 else None,
        }

    def __neg__(self) -> Winnings:
        """Return the winnings of the other agent."""
        return Winnings(self.pairs, -self.won, self.squares, self.big_blind)
