"""Locks of a spot as text: `LINE: HANDS = action:probability, ...`.

The line is the actions before the decision, empty for the first; hands are a range, `random` for all of them.
Actions that are not named are not taken. The lock holds on all boards. Where two locks of a decision name a hand,
the later one holds.

    check, bet 100: 22-55,AKo = fold:0.25, call:0.75
    : random = check:1
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.cards.ranges import parse_range
from solvent.forms.holdem.locks import SUM_TOLERANCE, NodeLock
from solvent.forms.holdem.tree import DECISION, HoldemTree
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.holdem.spot import NAMES, Spot

FORM = (
    "a lock is written 'LINE: HANDS = action:probability, ...', such as 'bet 100: AKo = fold:0.25, call:0.75'"
)

CARD = re.compile("[2-9tjqka][cdhs]")


def parse_lock(text: str, spot: Spot, tree: HoldemTree) -> NodeLock:
    """The lock that a text states, at a decision of the spot's betting tree."""
    line, colon, rest = text.partition(":")
    hands, equals, play = rest.partition("=")
    if not (colon and equals and hands.strip() and play.strip()):
        raise InputError(f"{FORM}, not {text!r}")
    node = _decision(line, tree)
    player, actions = int(tree.player[node]), tree.betting[node].actions
    chances = _chances(play, actions, text)
    held = np.flatnonzero(spot.range_weights[player])
    named = parse_range(hands).weights
    if ((named > 0) & (named < 1)).any():
        raise InputError(f"the lock {text!r} gives a hand a weight; a hand is locked or it is not")
    locked = named[held] > 0
    if not locked.any():
        raise InputError(f"the lock {text!r} names no hand that {NAMES[player]} can hold")
    return NodeLock(node, np.where(locked, chances[:, None], np.nan))


def _decision(line: str, tree: HoldemTree) -> int:
    """The node of the decision after a line of actions."""
    wanted = ", ".join(" ".join(action.lower().split()) for action in line.split(","))
    lines = {tree.betting[node].history: node for node in np.flatnonzero(tree.kind == DECISION).tolist()}
    if wanted not in lines:
        if any(CARD.fullmatch(word) for word in wanted.split(", ")):
            raise InputError(
                f"a lock holds on all boards, so its line names no card, as {wanted!r} does; give the actions alone"
            )
        near = did_you_mean(wanted, lines)
        raise InputError(
            f"there is no decision after the line {wanted!r}, so nothing can be locked there{near}"
        )
    return lines[wanted]


def _chances(play: str, actions: Sequence[str], text: str) -> NDArray[np.float64]:
    """The probability of each action."""
    chances, named = np.zeros(len(actions)), set[str]()
    for one in play.split(","):
        name, _, written = one.partition(":")
        action = " ".join(name.lower().split())
        if action not in actions:
            raise InputError(f"the lock {text!r} has {action!r}; the actions there are {', '.join(actions)}")
        if action in named:
            raise InputError(f"the lock {text!r} names {action!r} twice")
        named.add(action)
        try:
            chances[actions.index(action)] = float(written)
        except ValueError:
            raise InputError(f"{FORM}, not {text!r}") from None
    if not (chances >= 0).all() or abs(chances.sum() - 1) > SUM_TOLERANCE:
        raise InputError(
            f"the probabilities of the lock {text!r} are at least 0 and sum to 1, not to {chances.sum():g}"
        )
    return chances
