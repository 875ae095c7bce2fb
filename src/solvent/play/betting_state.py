"""The rules of `solvent.games.betting.rules`, no-limit, compiled: a position is one array of whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.compiling import kernel
from solvent.games.betting.rules import CALL, FOLD, NOBODY, HoldemRules
from solvent.games.game import TERMINAL

STREET, PLAYER, PAID, RAISED, OPENED, FOLDED, STACK, SMALL, BIG = 0, 1, 2, 4, 5, 6, 7, 9, 10
"""Where a position's numbers stand; `PAID` and `STACK` have two, one a player."""
NUMBERS = 11
STREETS = 4
OVER = TERMINAL
"""The player at the end of the betting."""


def position(rules: HoldemRules) -> NDArray[np.int64]:
    """int64[11]: room for a position, with the stacks and blinds of these rules."""
    state = np.zeros(NUMBERS, dtype=np.int64)
    state[STACK : STACK + 2] = rules.stacks
    state[SMALL], state[BIG] = rules.blinds
    return state


@kernel
def begin(state):  # type: ignore[no-untyped-def]
    """Post the blinds."""
    state[STREET] = state[RAISED] = state[OPENED] = 0
    state[FOLDED] = NOBODY
    state[PAID] = first = min(state[STACK], state[SMALL])
    state[PAID + 1] = second = min(state[STACK + 1], state[BIG])
    decides = first < state[STACK] and (first < second or second < state[STACK + 1])
    state[PLAYER] = 0 if decides else OVER


@kernel
def options(state):  # type: ignore[no-untyped-def]
    """(whether folding is legal, chips to call, the least total of a raise or 0, the greatest)."""
    player = state[PLAYER]
    stack, mine, yours = state[STACK + player], state[PAID + player], state[PAID + 1 - player]
    call = max(np.int64(0), min(yours, stack) - mine)
    if stack <= yours or yours == state[STACK + 1 - player]:
        return yours > mine, call, np.int64(0), np.int64(0)
    return yours > mine, call, min(yours + max(state[BIG], state[RAISED]), stack), stack


@kernel
def is_legal(state, action):  # type: ignore[no-untyped-def]
    """Whether the player to act may do this."""
    folds, _, least, most = options(state)
    if action <= CALL:
        return action == CALL or (action == FOLD and folds)
    return least > 0 and least <= action <= most


@kernel
def take(state, action):  # type: ignore[no-untyped-def]
    """Do what is legal."""
    player = state[PLAYER]
    yours = state[PAID + 1 - player]
    if action == FOLD:
        state[FOLDED], state[PLAYER] = player, OVER
        return
    if action > CALL:
        state[RAISED] = max(state[RAISED], action - yours)
        state[PAID + player], state[OPENED], state[PLAYER] = action, 1, 1 - player
        return
    state[PAID + player] = max(state[PAID + player], min(yours, state[STACK + player]))
    all_in = state[PAID] == state[STACK] or state[PAID + 1] == state[STACK + 1]
    if state[OPENED] == 0 and not all_in:
        state[OPENED], state[PLAYER] = 1, 1 - player
    elif all_in or state[STREET] + 1 == STREETS:
        state[OPENED], state[PLAYER] = 1, OVER
    else:
        state[STREET] += 1
        state[RAISED] = state[OPENED] = 0
        state[PLAYER] = 1


@kernel
def winnings(state, lead):  # type: ignore[no-untyped-def]
    """What player 0 wins, in chips, at the end; at a showdown `lead` is above 0 where his hand is better."""
    stake = min(state[PAID], state[PAID + 1])
    if state[FOLDED] != NOBODY:
        return -stake if state[FOLDED] == 0 else stake
    return stake if lead > 0 else (-stake if lead < 0 else np.int64(0))
