"""Gadgets: a choice before the root of a game, where one player may take a value for each hand instead of entering.

A player who solves a subgame again must not assume that the other player, the *opponent*, still
comes there with the hands that the old strategy would bring. A gadget lets the opponent decide. Each hand h of the
opponent either enters the subgame or takes T(h), what it had before; a new strategy that leaves no hand more than
T(h) cannot be worse than the old one.

Four kinds say with which reach the opponent's hands enter:

    unsafe     the opponent's reach by the old strategy; there is no choice (plain subgame solving)
    cfrd       each hand enters or takes T(h), as it learns (CFR-D; Burch, Johanson and Bowling 2014)
    maxmargin  the opponent picks the hand that gains most over T(h) (Moravcik et al. 2016)
    floor      as cfrd, but each hand enters at least with a share of its reach by the old strategy

`engines.holdem.gadget` solves hold'em with a gadget at its root.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean

UNSAFE, CFRD, MAXMARGIN, FLOOR = KINDS = ("unsafe", "cfrd", "maxmargin", "floor")


@dataclass(frozen=True, eq=False)
class Gadget:
    """A choice before the root of a game: `player` may take a value for each hand instead of entering.

    The range of that player in the game gives the chance weights of the hands: 1 for every hand that can be held,
    whatever the player has done before.
    """

    player: int
    """The player who has the choice: the opponent of the player whose strategy is wanted."""
    kind: str = CFRD
    values: NDArray[np.float64] | None = None
    """float64[hands]: T(h), for the hands of the player's list in the game.

    The weighting is that of the game's values at its root: by the other's reach and chance, without the hands that
    share a card, and not divided by any mass.
    """
    reach: NDArray[np.float64] | None = None
    """float64[hands]: the reach with which the hands enter by the old strategy, up to their weights in the game.

    `unsafe` takes the player's range where it is not given; `floor` keeps a share of it.
    """
    share: float = 1.0
    """`floor`: the share of `reach` that always enters."""
    least: float = 0.03
    """`floor`: the share of every hand that always enters."""

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise InputError(f"a gadget is for player 0 or 1, not {self.player}")
        if self.kind not in KINDS:
            raise InputError(f"there is no gadget {self.kind!r}{did_you_mean(self.kind, KINDS)}")
        if self.values is None and self.kind != UNSAFE:
            raise InputError(f"a gadget of kind {self.kind} needs the value of each hand that does not enter")
        if self.reach is None and self.kind == FLOOR:
            raise InputError("a gadget of kind floor needs the reach of each hand by the old strategy")
        if not (0 <= self.share <= 1 and 0 <= self.least <= 1):
            raise InputError("what always enters is a part of a hand's reach, from 0 to 1")

    def check(self, weights: NDArray[np.float64]) -> None:
        """Refuse values and reaches that do not fit a game in which the player's hands have these weights."""
        for name, given in (("value", self.values), ("reach", self.reach)):
            if given is None:
                continue
            if given.shape != weights.shape:
                raise InputError(
                    f"a gadget needs a {name} for each of the player's {len(weights):,} hands, not {given.size:,}"
                )
            if not np.isfinite(given).all():
                raise InputError(f"a gadget's {name} of a hand is a number")
        if self.reach is not None and not ((self.reach >= 0) & (self.reach <= weights * (1 + 1e-9))).all():
            raise InputError("a hand's reach is from 0 to its weight in the player's range")
