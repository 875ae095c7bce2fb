"""Betting trees numbered street by street, subtree by subtree, parents before children.

What is played between two deals is a *subtree*. Inside one parents come before children, so that a slice of nodes
is walked down in order and up in reverse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.games.game import GameError
from solvent.games.public_rules import Betting


class Subtree(NamedTuple):
    """The betting between two deals: nodes `start : stop`, of which the first is the root."""

    start: int
    stop: int
    deal: int
    """The deal node above; -1 for the subtree that opens the game."""


class Numbering(NamedTuple):
    """A betting tree whose nodes have numbers. Edges are the actions of decisions, in the order of the nodes."""

    betting: list[Betting]
    """The betting node of each node."""
    street: list[int]
    """The street of each node, from 0 for the one that opens the game."""
    subtrees: list[list[Subtree]]
    """The subtrees of each street."""
    first_edge: NDArray[np.int32]
    """int32[nodes + 1]: the first edge of each node; a node that is not a decision has no edges."""
    child: NDArray[np.int32]
    """int32[edges]: the node behind each edge."""


def number_nodes(
    root: Betting, fault: str, ends: Callable[[Betting], bool] = lambda node: False
) -> Numbering:
    """Number the nodes of a betting tree; raise `fault` where one node stands in two places.

    `ends`: whether a deal is taken for an end, whatever follows it.
    """
    order: list[Betting] = []
    streets: list[int] = []
    number: dict[int, int] = {}
    subtrees: list[list[Subtree]] = []
    roots: list[tuple[Betting, int]] = [(root, -1)]
    while roots:
        here: list[Subtree] = []
        deals: list[tuple[Betting, int]] = []
        for top, deal in roots:
            start, stack = len(order), [top]
            while stack:
                node = stack.pop()
                if id(node) in number:
                    raise GameError(fault)
                number[id(node)] = len(order)
                order.append(node)
                streets.append(len(subtrees))
                if not node.deals:
                    stack.extend(reversed(node.children))
                elif not ends(node):
                    deals.append((node.children[0], number[id(node)]))
            here.append(Subtree(start, len(order), deal))
        subtrees.append(here)
        roots = deals
    first_edge = np.concatenate([[0], np.cumsum([len(node.actions) for node in order])]).astype(np.int32)
    child = np.array([number[id(c)] for n in order if n.actions for c in n.children], dtype=np.int32)
    return Numbering(order, streets, subtrees, first_edge, child)
