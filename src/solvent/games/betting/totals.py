"""Bet sizes as totals in chips at a position of a betting tree, after caps, thresholds and merging.

The order is: every size becomes a total, rounded half up, at least the least legal raise and at most all-in
(`size_total` of `sizes` says how); all-in is added where it is small; a total that leaves little behind, or puts
most of the stack in, becomes all-in; equal totals merge; and totals near a larger one are dropped. The chips of
thresholds are rounded as sizes are. On random spots postflop-solver builds the same trees, thresholds and all.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

from solvent.games.betting.rules import HoldemState, Legal
from solvent.games.betting.sizes import GEOMETRIC, NO_CAP, BetSize, size_total
from solvent.games.betting.tree_sizes import TreeSizes

TOLERANCE = 1e-9
"""Chips by which floating-point numbers may miss equality when sizes are merged."""


def raise_totals(
    state: HoldemState, allowed: Legal, base: int, street: int, lists: Iterable[BetSize], sizes: TreeSizes
) -> list[int]:
    """The totals of the bets or raises that a player considers, ascending.

    allowed: what is legal in `state`. base: what each player had put in when the street began. street: its place
    among `STREETS`. lists: the sizes that hold here.
    """
    cap = sizes.caps[street]
    if not allowed.min_raise or (cap != NO_CAP and state.raises >= cap):
        return []
    rules = state.rules
    faced, most = state.paid[1 - state.player], allowed.max_raise
    pot = rules.pot + 2 * faced
    found = set()
    for unit, value, bets in lists:
        if unit == GEOMETRIC:
            bets = max(1, (bets or rules.streets - state.street) - max(0, state.raises - 1))
        exact = size_total(unit, value, bets, faced, base, pot, rules.blinds[1], most)
        if exact > faced:
            found.add(max(_rounded(min(exact, most)), allowed.min_raise))
    if most - faced <= _rounded(sizes.add_all_in * pot):
        found.add(most)
    if sizes.force_all_in:
        found = {
            most if most - total <= _rounded(sizes.force_all_in * (rules.pot + 2 * total)) else total
            for total in found
        }
    if sizes.all_in_above:
        limit = sizes.all_in_above * (rules.stacks[0] + rules.pot / 2) - rules.pot / 2
        found = {most if total > limit else total for total in found}
    return _merged(sorted(found), faced, pot, sizes.merging) if sizes.merging else sorted(found)


def _merged(totals: list[int], faced: int, pot: int, threshold: float) -> list[int]:
    """Totals from the largest down, leaving out those whose pot with the bet is near that of the last one kept."""
    kept: list[int] = []
    for total in reversed(totals):
        if not kept or pot + kept[-1] - faced > (1 + threshold) * (pot + total - faced) + TOLERANCE:
            kept.append(total)
    return kept[::-1]


def _rounded(chips: float) -> int:
    return floor(chips + 0.5)
