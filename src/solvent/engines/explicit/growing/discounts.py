"""Discounts of the iterations before an addition: Theorem 2's cap (8) and the recommended discount (22).

An action that is added late may have more regret than CFR would have let it have. Weighing every earlier iteration
by w, in regrets, cumulative strategies and sums of values, restores CFR's bound (Brown and Sandholm 2015,
"Simultaneous Abstraction and Equilibrium Finding in Games", Theorem 2). Both players' iterations get one weight,
the smaller of the two (Corollary 1), and T becomes w T.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from solvent.foundation.errors import InputError

DiscountName = Literal["recommended", "cap"]
DISCOUNTS: tuple[DiscountName, ...] = ("recommended", "cap")
"""The names of the discounts: equation (22), which the paper recommends, and the cap of equation (8)."""


@dataclass(frozen=True)
class PlayerRegrets:
    """One player's numbers for the discounts, before and after an action was added."""

    infosets: int
    """|I_i|: the player's infosets in the enlarged game."""
    actions: int
    """|A_i|: the most actions that one of those infosets has."""
    payoff_range: float
    """Delta_i: the largest payoff less the smallest, in chips."""
    before: float
    """sum (R+)^2 over the infosets of the game as it was; the head's are those before the addition."""
    inside: float
    """sum (R+)^2 over the player's infosets inside the subgame that was added."""
    after: float
    """sum (R+)^2 over all infosets of the enlarged game; the head's have the new action's regret too."""


def discount_cap(player: PlayerRegrets, iterations: float) -> float:
    """The largest w_i that equation (8) allows after T iterations; T is a sum of weights.

    Under weights w_t that are not 1, `iterations` is sum w_t^2, which takes T's place in CFR's bound on R^2.
    """
    allowed = player.infosets * player.payoff_range**2 * player.actions * iterations
    if player.after <= allowed:
        return 1.0
    return allowed / player.after


def recommended_discount(player: PlayerRegrets, iterations: float) -> float:
    """w_i by equation (22): the squared regrets without the new action, over those with it.

    Where there was no regret at all before, the equation gives 0, which would forget every iteration: the cap (8)
    takes its place. The cap also bounds the result from above, as Theorem 2 demands.
    """
    cap = discount_cap(player, iterations)
    kept = player.before + player.inside
    if player.after <= kept or kept <= 0.0:
        return cap
    return min(cap, kept / player.after)


def discount(players: Iterable[PlayerRegrets], iterations: float, name: DiscountName) -> float:
    """w = min_i w_i (Corollary 1) by the discount of this name; above 0 and at most 1."""
    if name not in DISCOUNTS:
        raise InputError(f"there is no discount {name!r}; the discounts are {', '.join(DISCOUNTS)}")
    weigh = recommended_discount if name == "recommended" else discount_cap
    smallest = min(weigh(player, iterations) for player in players)
    if not 0.0 < smallest <= 1.0:
        raise ValueError(f"a discount is above 0 and at most 1, not {smallest}")
    return smallest


def recovery_iterations(total: float, least: int = 1, most: int | None = None) -> int:
    """K, the number of iterations of a recovery game: Z rounded up, at least `least`, at most `most`.

    Z is the sum of q(h*), a real number, so the result is scaled by Z / K.

    >>> recovery_iterations(7.2), recovery_iterations(7.2, least=10), recovery_iterations(7.2, most=5)
    (8, 10, 5)
    """
    wanted = max(least, int(np.ceil(total)), 1)
    return wanted if most is None else max(1, min(wanted, most))
