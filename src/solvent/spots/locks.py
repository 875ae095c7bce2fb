"""Locks of a spot: as text, `LINE: HANDS = action:probability, ...`, or as the strategy of a node.

The line of a text is the actions before the decision, empty for the first; hands are a range, `random` for all of
them. Actions may be short (`games.betting.action_words`): `x, b100: AKo = c:1`. Actions that are not named are not
taken. The lock holds on all boards. Where two locks of a decision name a hand, the later one holds.

    check, bet 100: 22-55,AKo = fold:0.25, call:0.75
    : random = check:1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.hands import HANDS, renamed_hands
from solvent.cards.ranges import parse_range
from solvent.forms.holdem.locks import SUM_TOLERANCE, NodeLock
from solvent.forms.holdem.tree import DECISION, HoldemTree
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal
from solvent.games.betting.action_words import choose_action, is_cards, match_action, paid_after
from solvent.games.holdem.spot import NAMES, Spot

if TYPE_CHECKING:
    from solvent.spots.nodes.node import SpotNode

FORM = (
    "a lock is written 'LINE: HANDS = action:probability, ...', such as 'bet 100: AKo = fold:0.25, call:0.75'"
)
SUIT_TOLERANCE = 1e-3
"""Difference of probabilities up to which hands of exchangeable suits count as played in the same way."""


def parse_lock(text: str, spot: Spot, tree: HoldemTree) -> NodeLock:
    """Read the lock that a text states, at a decision of the spot's betting tree."""
    line, colon, rest = text.partition(":")
    hands, equals, play = rest.partition("=")
    if not (colon and equals and hands.strip() and play.strip()):
        raise InputError(f"{FORM}, not {text!r}")
    node, all_in = _decision(line, spot, tree)
    player, actions = int(tree.player[node]), tree.betting[node].actions
    chances = _chances(play, actions, all_in, text)
    held = np.flatnonzero(spot.range_weights[player])
    named = parse_range(hands).weights
    if ((named > 0) & (named < 1)).any():
        raise InputError(f"the lock {text!r} gives a hand a weight; a hand is locked or it is not")
    locked = named[held] > 0
    if not locked.any():
        raise InputError(f"the lock {text!r} names no hand that {NAMES[player]} can hold")
    return NodeLock(node, np.where(locked, chances[:, None], np.nan))


def _decision(line: str, spot: Spot, tree: HoldemTree) -> tuple[int, int]:
    """Find the node of the decision after a line of actions, and the amount that is all-in there."""
    betting, words = tree.betting[0], list[str]()
    before, paid = 0, (0, 0)
    for word in line.split(",") if line.strip() else ():
        if is_cards(word):
            raise InputError(
                f"a lock holds on all boards, so its line names no card, as {line.strip()!r} does; give the "
                f"actions alone"
            )
        if not betting.actions:
            break
        name = choose_action(word, betting.actions, spot.stack - before, NAMES[betting.player], words)
        words.append(name)
        paid = paid_after(name, betting.player, paid)
        betting = betting.children[betting.actions.index(name)]
        while betting.deals:
            before, paid, betting = before + paid[0], (0, 0), betting.children[0]
    if not betting.actions:
        raise InputError(
            f"there is no decision after the line {line.strip()!r}, so nothing can be locked there: the betting "
            f"is over"
        )
    decisions = {tree.betting[node].history: node for node in np.flatnonzero(tree.kind == DECISION).tolist()}
    return decisions[betting.history], spot.stack - before


def _chances(play: str, actions: Sequence[str], all_in: int, text: str) -> NDArray[np.float64]:
    """Read the probability of each action."""
    chances, named = np.zeros(len(actions)), set[str]()
    for one in play.split(","):
        name, _, written = one.partition(":")
        action = match_action(name, actions, all_in)
        if action is None:
            raise InputError(
                f"the lock {text!r} has {name.strip()!r}; the actions there are {', '.join(actions)}"
            )
        if action in named:
            raise InputError(f"the lock {text!r} names {action!r} twice")
        named.add(action)
        chance = parse_decimal(written)
        if chance is None:
            raise InputError(f"{FORM}, not {text!r}")
        chances[actions.index(action)] = chance
    if not (chances >= 0).all() or abs(chances.sum() - 1) > SUM_TOLERANCE:
        raise InputError(
            f"the probabilities of the lock {text!r} are at least 0 and sum to 1, not to {chances.sum():g}"
        )
    return chances


def node_lock(node: SpotNode, play: ArrayLike) -> NodeLock:
    """Lock the hands of a node to `play`, float64[actions, hands of the player to act].

    A column of NaN leaves its hand free. The lock holds on the board of the node.
    """
    player = node.player
    if player is None:
        raise InputError(f"nobody acts after {node.line!r}, so nothing can be locked there")
    shape = len(node.actions), len(node.numbers[player])
    try:
        rows = np.array(play, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.shape != shape:
        raise InputError(
            f"a lock after {node.line!r} is {shape[0]} x {shape[1]} probabilities, a row for each action and a "
            f"column for each hand of the node, not {' x '.join(map(str, rows.shape))}"
        )
    game = node.solver.game
    found = np.full((len(rows), HANDS), np.nan)
    found[:, renamed_hands(node.place.suits)[node.numbers[player]]] = rows
    street, board = node.stands_for
    images = [found[:, renamed_hands(suits)] for suits in game.streets[street].boards.groups[board]]
    if np.allclose(images, found, rtol=0, atol=SUIT_TOLERANCE, equal_nan=True):
        # Suits that may be exchanged differ by rounding only. Sums in one order are equal to the last bit.
        found = np.sort(images, axis=0).mean(axis=0)
    return NodeLock(node.place.node, found[:, game.hands[player]], board)
