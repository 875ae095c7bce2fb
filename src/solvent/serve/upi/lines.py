"""Lines of `add_line`: what each action brings the acting player's chips to, counted from the root on.

A number that equals the other player's chips is a check or a call, a larger one a bet or raise. So `0 100 300 300`
is check, bet 100, raise 300, call. A tree has exactly the bets and raises of its lines; checks, calls and folds
are there wherever they are legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, HoldemRules, act, legal, start


def bets_of_lines(lines: Iterable[Sequence[int]], rules: HoldemRules) -> list[str]:
    """Every line that ends in a bet or raise of the given ones, once, as spots take them in `add`.

    >>> from solvent.games.betting.tree import spot_start
    >>> bets_of_lines([(0, 100, 300, 300, 500), (0, 100)], spot_start("turn", pot=200, stack=900).rules)
    ['check, bet 100', 'check, bet 100, raise 300', 'check, bet 100, raise 300, call, bet 200']
    """
    found: dict[str, None] = {}
    for line in lines:
        names = _names(line, rules)
        for place, name in enumerate(names, start=1):
            if " " in name:
                found[", ".join(names[:place])] = None
    return list(found)


def _names(line: Sequence[int], rules: HoldemRules) -> list[str]:
    """The actions of a line as the betting tree names them."""
    state, base, names = start(rules), 0, list[str]()
    for amount in line:
        where = f"the line {' '.join(map(str, line))} has {amount} after {', '.join(names) or 'the start'}"
        if state.over:
            raise InputError(f"{where}, where the betting is over")
        facing, allowed = state.paid[1 - state.player], legal(state)
        if amount == facing:
            name, action = "call" if allowed.call else "check", CALL
        elif allowed.min_raise and allowed.min_raise <= amount <= allowed.max_raise:
            name, action = f"{'raise' if facing > base else 'bet'} {amount - base}", amount
        else:
            raising = f" or {allowed.min_raise} to {allowed.max_raise}" if allowed.min_raise else ""
            raise InputError(f"{where}, where {facing}{raising} is legal")
        after = act(state, action, allowed)
        names.append(name)
        if after.street != state.street:
            base = after.paid[0]
        state = after
    return names
