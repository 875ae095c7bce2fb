"""Betting nodes by raising history: on which streets has each player raised?

The betting half of rule buckets. Nodes share tables if they are of one round and one player, offer the same
actions, and each player has raised on the same streets so far, the present one included. How often and how much
doesn't matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public import DECISION, PublicGame

PASSIVE = ("fold", "check", "call")
"""Actions that raise nothing, by their first word."""


@dataclass(frozen=True)
class RaisingHistory:
    """What the nodes of one class have in common."""

    round: int
    player: int
    """Who acts."""
    raised: int
    """`raising_class` of the streets so far."""
    actions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RaisingHistories:
    """The classes of a betting tree's decision nodes."""

    node_class: NDArray[np.int32]
    """int32[nodes]: each node's class, -1 where nobody decides."""
    classes: Sequence[RaisingHistory]


def raising_class(streets: Sequence[tuple[bool, bool]]) -> int:
    """Which of 4**streets histories it is, given whether player 0 and player 1 raised on each street so far.

    Two bits a street, the first street lowest, player 0's bit below player 1's.

    >>> raising_class([(True, False), (False, True)])
    9
    """
    return sum(
        (int(first) | int(second) << 1) << 2 * street for street, (first, second) in enumerate(streets)
    )


def is_raise(action: str) -> bool:
    """Whether an action is a bet or a raise: anything but folding, checking and calling."""
    return action.split()[0].lower() not in PASSIVE


def raising_history_classes(game: PublicGame, raises: Callable[[str], bool] = is_raise) -> RaisingHistories:
    """Put every decision node of a betting tree in the class of its raising history.

    Classes are numbered in the order in which the nodes are, round by round.
    """
    nodes = game.nodes
    raised = np.zeros(len(nodes.symbol), dtype=np.int64)
    node_class = np.full(len(nodes.symbol), -1, dtype=np.int32)
    number: dict[RaisingHistory, int] = {}
    for level, here in enumerate(game.rounds):
        for subtree in here.subtrees:
            if subtree.deal >= 0:
                raised[subtree.start] = raised[subtree.deal]
            for node in range(subtree.start, subtree.stop):
                if nodes.symbol[node] != DECISION:
                    continue
                player, actions = int(nodes.player[node]), game.betting[node].actions
                history = RaisingHistory(level, player, int(raised[node]), actions)
                node_class[node] = number.setdefault(history, len(number))
                children = nodes.child[nodes.first_edge[node] : nodes.first_edge[node + 1]]
                for action, child in zip(actions, children, strict=True):
                    bit = int(raises(action)) << 2 * level + player
                    raised[child] = raised[node] | bit
    return RaisingHistories(node_class, list(number))
