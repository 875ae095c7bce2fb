"""The layout that continuous responses walk: public nodes whose children lie side by side, sizes in order.

A node is a betting line with a board. Nodes stand in breadth-first order, so that the children of a node are
neighbours: at a decision the fold (where a bet is faced), then the check or call, then bets or raises from the
smallest. Sizes are fractions of the pot after calling. There are no stacks, so all that follows a call of a bet
of theta is worth 1 + 2 theta times what it would be worth if nothing had been bet, and chips need not be stored:
every value is in units of what each player has paid into the pot at the last point where both had paid the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import FOLDED, ExplicitTree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import SizedBetting

NODE = np.dtype(
    [
        ("kind", np.int32),  # DECISION, DEAL, FOLDED or SHOWN
        ("player", np.int32),  # who acts
        ("first", np.int32),  # the first child
        ("children", np.int32),
        ("facing", np.int32),  # 1 where a bet is faced and the first child is the fold
        ("matrix", np.int32),  # of a terminal
        ("sign", np.float64),  # 1 or -1, by which the matrix is multiplied
        ("size", np.float64),  # of the bet or raise that led here, 0 after anything else
        ("depth", np.int32),  # below the root
        ("bets", np.int32),  # the exploiter's bets and raises on the way here; filled for each exploiter
        ("settled", np.int32),  # 1 where the exploiter does not decide from here on; filled for each
    ]
)


@dataclass(frozen=True)
class SizeTree:
    """The public tree of an abstraction of a game with continuous sizes."""

    nodes: NDArray[Any]
    """`NODE`[nodes] in breadth-first order."""
    matrices: NDArray[np.float64]
    """float64[matrices, hands, hands]: probability of the hands and board times who wins, player 0's hand first."""
    numbers: NDArray[np.int64]
    """int64[nodes]: the number of each node in the explicit tree."""
    stake: float
    """Chips that each player has paid at the root."""

    @property
    def hands(self) -> int:
        """The number of private hands."""
        return int(self.matrices.shape[1])


def size_tree(tree: ExplicitTree) -> SizeTree:
    """Lay out an explicit tree of a game in which every bet is a fraction of the pot and nobody has a stack."""
    root = tree.betting[0]
    if not isinstance(root, SizedBetting):
        raise InputError(f"{tree.rules} has no continuous sizes: its bets are no fractions of the pot")
    size = np.nan_to_num(tree.theta, nan=0.0)
    numbers = _breadth_first(tree.parent, size)
    place = np.full(tree.nodes, -1, dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    parents = place[tree.parent[numbers[1:]]]
    nodes = np.zeros(len(numbers), dtype=NODE)
    arrays = tree.arrays
    nodes["kind"], nodes["player"] = arrays.kind[numbers], arrays.player[numbers]
    nodes["children"] = np.bincount(parents, minlength=len(nodes))
    nodes["first"] = 1 + np.cumsum(nodes["children"]) - nodes["children"]
    nodes["matrix"], nodes["sign"] = arrays.matrix_of[numbers], np.sign(arrays.stake[numbers])
    nodes["size"] = size[numbers]
    nodes["facing"][parents[nodes["kind"][1:] == FOLDED]] = 1
    return SizeTree(nodes, arrays.matrix, numbers, root.pot / 2)


def _breadth_first(parent: NDArray[np.int32], size: NDArray[np.float64]) -> NDArray[np.int64]:
    """The nodes' numbers level by level, siblings together: by size, then in the order in which they were added."""
    siblings = np.lexsort((np.arange(len(parent)), size, parent))
    starts = np.searchsorted(parent[siblings], np.arange(len(parent) + 1))
    found = [np.zeros(1, dtype=np.int64)]
    while len(found[-1]):
        level = found[-1]
        counts = starts[level + 1] - starts[level]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        found.append(siblings[np.repeat(starts[level], counts) + within])
    return np.concatenate(found)
