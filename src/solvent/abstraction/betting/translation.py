"""Translation of real bets to abstract ones: the randomised pseudo-harmonic mapping (Ganzfried and Sandholm 2013).

Sizes are shares of the pot after calling. A bet of x between two abstract sizes A and B is taken for A with
probability

    f(x) = (B - x)(1 + A) / ((B - A)(1 + x))

and for B otherwise. Below the smallest size A is 0: the bet is taken for a check or call. Above the largest it is
taken for the largest.

>>> round(lower_share(0.5, 0.0, 1.0), 4), round(lower_share(0.75, 0.5, 1.0), 4)
(0.3333, 0.4286)
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import kernel

NONE = -1
"""The edge that a bet is taken for at a node without bets."""


@kernel
def pot_part(total, faced):  # type: ignore[no-untyped-def]
    """Return the size of a raise to `total` over `faced`, the other's total: its share of the pot after calling."""
    return np.float64(total - faced) / np.float64(2 * faced)


@kernel
def lower_share(size, below, above):  # type: ignore[no-untyped-def]
    """Return how often a bet of `size` is taken for `below` and not for `above`, between which it lies."""
    return (above - size) * (1.0 + below) / ((above - below) * (1.0 + size))


@kernel
def readings(size, all_in, edges, start, end, faced, stack, calls):  # type: ignore[no-untyped-def]
    """The two edges that a real bet or raise may be taken for, and how often it is taken for the first.

    Where there is only one both are the same; both are `NONE` where the node has no bets. size: of the real bet;
    all_in: whether to take it for all-in where there is that. edges: `BETTING_EDGE`[], the node's from `start` to
    `end`. faced, stack: what the abstract bettor faces, and the abstract all-in. calls: whether a small bet may be
    taken for a check or call.
    """
    bet = start
    while bet < end and edges[bet].action <= 0:
        bet += 1
    if bet == end:
        return NONE, NONE, 1.0
    if all_in and edges[end - 1].action == stack:
        return end - 1, end - 1, 1.0
    below = 0.0
    for edge in range(bet, end):
        above = pot_part(edges[edge].action, faced)
        if size <= above:
            if edge == bet and not calls:
                return edge, edge, 1.0
            return edge - 1, edge, lower_share(size, below, above)
        below = above
    return end - 1, end - 1, 1.0


@kernel
def translate(size, all_in, edges, start, end, faced, stack, calls, draw):  # type: ignore[no-untyped-def]
    """The edge that a real bet or raise is taken for; see `readings`. draw: a random number from 0 to 1."""
    first, second, share = readings(size, all_in, edges, start, end, faced, stack, calls)
    return first if draw < share else second


def translation(size: float, sizes: list[float]) -> list[float]:
    """Return how often a bet of `size` is taken for a check or call, and for each of `sizes`, ascending.

    >>> [round(share, 3) for share in translation(0.75, [0.5, 1.0])], translation(3.0, [0.5, 1.0])
    ([0.0, 0.429, 0.571], [0.0, 0.0, 1.0])
    """
    known = [0.0, *sizes]
    shares = [0.0] * len(known)
    place = sum(size > one for one in known)
    if place == len(known):
        shares[-1] = 1.0
    elif place == 0:
        shares[0] = 1.0
    else:
        shares[place - 1] = float(lower_share(size, known[place - 1], known[place]))
        shares[place] = 1.0 - shares[place - 1]
    return shares
