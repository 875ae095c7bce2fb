"""The betting tree of a hold'em game as arrays, with nodes in the order of `forms.numbering`.

A call that puts a player all-in before the last street ends in a chain
of deals and a showdown, which becomes one terminal: a *run-out*, valued over all boards to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.forms.numbering import Subtree, number_nodes
from solvent.games.game import GameError
from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, win_tie_lose

DECISION, DEAL, FOLDED, SHOWN, RUN_OUT = -1, -2, 0, 1, 2
"""Values of `HoldemTree.kind`."""


@dataclass(frozen=True, eq=False)
class HoldemTree:
    """The betting tree. Edges are the actions of decisions, numbered in the order of the nodes."""

    betting: Sequence[Betting]
    """The betting node of each node."""
    kind: NDArray[np.int32]
    player: NDArray[np.int32]
    street: NDArray[np.int32]
    """The number of the street, from 0 for the one that opens the game."""
    first_edge: NDArray[np.int32]
    """int32[nodes + 1]: the first edge of each node; a node that is not a decision has no edges."""
    child: NDArray[np.int32]
    """int32[edges]: the node behind each edge."""
    pays: NDArray[np.float64]
    """float64[nodes, 2, 3]: what each player gets who wins, ties, loses; after a fold all three are the same."""
    subtrees: Sequence[Sequence[Subtree]]
    """The subtrees of each street."""

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """int32[nodes]: the node above each node, a deal above the root of a subtree; -1 for the first."""
        above = np.full(len(self.kind), -1, dtype=np.int32)
        above[self.child] = self.edge_node
        for street in self.subtrees:
            for subtree in street:
                above[subtree.start] = subtree.deal
        return above

    @cached_property
    def by_history(self) -> dict[str, int]:
        """The decisions by the lines that lead to them."""
        return {one.history: node for node, one in enumerate(self.betting) if one.actions}

    @cached_property
    def behind_deal(self) -> dict[int, int]:
        """The root of the subtree behind each deal."""
        return {subtree.deal: subtree.start for street in self.subtrees for subtree in street}

    @cached_property
    def edge_node(self) -> NDArray[np.int32]:
        """int32[edges]: the node that each edge is an action of."""
        return np.repeat(np.arange(len(self.kind), dtype=np.int32), np.diff(self.first_edge))

    def decisions(self, street: int) -> int:
        """Number of decisions of a street."""
        return int(((self.kind == DECISION) & (self.street == street)).sum())


def holdem_tree(root: Betting) -> HoldemTree:
    """Lay out a betting tree; a deal after which nothing is decided is an end."""
    fault = "a betting node stands in two places of the tree; each place needs its own"
    numbered = number_nodes(root, fault, lambda deal: _run_out(deal) is not None)
    order = numbered.betting
    return HoldemTree(
        betting=order,
        kind=np.array([_kind(node) for node in order], dtype=np.int32),
        player=np.array([node.player for node in order], dtype=np.int32),
        street=np.array(numbered.street, dtype=np.int32),
        first_edge=numbered.first_edge,
        child=numbered.child,
        pays=np.array([_pays(node) for node in order], dtype=np.float64),
        subtrees=numbered.subtrees,
    )


def _run_out(node: Betting) -> Betting | None:
    """The showdown at the end of a chain of deals; None where there is more to decide."""
    while node.deals:
        node = node.children[0]
    return None if node.actions else node


def _kind(node: Betting) -> int:
    if node.actions:
        return DECISION
    if node.deals:
        return DEAL if _run_out(node) is None else RUN_OUT
    if node.symbol not in (FOLD, SHOWDOWN):
        raise GameError(f"hold'em ends in folds and showdowns, not in {node.symbol!r}")
    return FOLDED if node.symbol == FOLD else SHOWN


def _pays(node: Betting) -> list[tuple[float, float, float]]:
    """(win, tie, lose) of each player; where player 0 folds the stake is negative, and that player loses."""
    end = _run_out(node)
    if end is None or end.actions:
        return [(0.0, 0.0, 0.0)] * 2
    win, tie, lose = win_tie_lose(end)
    if end.symbol != FOLD:
        return [(win, tie, lose)] * 2
    first = win if end.stake >= 0 else lose
    second = lose if end.stake >= 0 else win
    return [(first,) * 3, (second,) * 3]
