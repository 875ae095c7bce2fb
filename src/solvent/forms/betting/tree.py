"""The betting tree of a betting abstraction, compiled: one layout for training, play and expected matches.

A tree is two arrays of records with named fields, `BETTING_NODE` and `BETTING_EDGE` of
`solvent.forms.betting.kernels`, built from the rules and the bet sizes. Kernels take `tree.nodes` and
`tree.edges` and read `nodes[node].street` or `edges[edge].behind`; Python reads the same numbers as columns
(`tree.street`, `tree.behind`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting.kernels import (
    DEAL,
    DECISION,
    FOLDED,
    MOST_PENDING,
    PENDING,
    SHOWDOWN,
    empty_tree,
    find_ends,
    grow_tree,
    new_position,
    size_table,
)
from solvent.forms.betting.raising_histories import shared_rows
from solvent.forms.sampled import SHOWN, SampledWalk, lay_out_walk, place_rows
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.betting.rules import STREETS, action_text
from solvent.games.betting.sizes import RAISES, BettingAbstraction

__all__ = ["DEAL", "DECISION", "FOLDED", "SHOWDOWN", "BettingTree", "build_tree", "sampled_walk"]

MOST_NODES = 1 << 26
"""The largest tree that is built; it takes about 2.7 gigabytes."""
CELL_BYTES = 8
"""Bytes of one infoset-action: a regret and an average of four bytes each."""


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A betting tree in preorder: a node's first child is the node after it, and a subtree is a slice of nodes.

    After the call that ends a street stands a `DEAL` node, and the next street begins at the node after it. A
    `SHOWDOWN` before the last street is an all-in: the rest of the board is dealt without betting.
    """

    abstraction: BettingAbstraction
    nodes: NDArray[Any]
    """`BETTING_NODE`[nodes]"""
    edges: NDArray[Any]
    """`BETTING_EDGE`[edges]: the actions of all decisions, those of one decision side by side"""
    bucket_floats: NDArray[np.int64]
    """int64[streets]: numbers that one bucket has on each street, a regret and a sum for each action"""

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def kind(self) -> NDArray[np.int8]:
        """int8[nodes]: `DECISION`, `FOLDED`, `SHOWDOWN` or `DEAL`."""
        return self._column("kind")

    @property
    def player(self) -> NDArray[np.int8]:
        """int8[nodes]: who decides; who folded at a `FOLDED` node; -1 elsewhere."""
        return self._column("player")

    @property
    def street(self) -> NDArray[np.int8]:
        """int8[nodes]: the street being bet on; at a `DEAL` node the street that ends there."""
        return self._column("street")

    @property
    def parent(self) -> NDArray[np.int32]:
        """int32[nodes]: the node above; -1 for the root."""
        return self._column("parent")

    @property
    def end(self) -> NDArray[np.int32]:
        """int32[nodes]: one past the last node of the subtree."""
        return self._column("end")

    @property
    def paid(self) -> NDArray[np.int32]:
        """int32[nodes, 2]: what each player has put in, in chips, uncalled chips included."""
        return self._column("paid")

    @property
    def row(self) -> NDArray[np.int32]:
        """int32[nodes]: where a decision's row begins among the numbers of one bucket; decisions may share one."""
        return self._column("row")

    @property
    def action_count(self) -> NDArray[np.int16]:
        """int16[nodes]: how many actions a decision has; 0 elsewhere."""
        return self._column("actions")

    @cached_property
    def first_edge(self) -> NDArray[np.int32]:
        """int32[nodes + 1]: where a decision's actions begin; other nodes have none."""
        return np.append(self.nodes["first_edge"], np.int32(len(self.edges)))

    @property
    def action(self) -> NDArray[np.int32]:
        """int32[edges]: `FOLD`, `CALL` or the total raised to, ascending."""
        column: NDArray[np.int32] = self.edges["action"]
        return column

    @property
    def behind(self) -> NDArray[np.int32]:
        """int32[edges]: the node behind each action; where cards are dealt, the node after the deal."""
        column: NDArray[np.int32] = self.edges["behind"]
        return column

    @cached_property
    def child(self) -> NDArray[np.int32]:
        """int32[edges]: the node behind each action, deals included."""
        child: NDArray[np.int32] = self.behind - (self.kind[self.behind - 1] == DEAL).astype(np.int32)
        return child

    def _column(self, name: str) -> NDArray[Any]:
        column: NDArray[Any] = self.nodes[name]
        return column

    @cached_property
    def decisions_by_street(self) -> tuple[int, ...]:
        """Decision nodes of each street."""
        counts = np.bincount(self.street[self.kind == DECISION], minlength=len(STREETS))
        return tuple(counts.tolist())

    @property
    def actions_by_street(self) -> tuple[int, ...]:
        """The actions of the rows that one bucket has on each street, added up."""
        return tuple((self.bucket_floats // 2).tolist())

    @cached_property
    def rows_by_street(self) -> tuple[int, ...]:
        """Rows that one bucket has on each street: as many as decisions, unless these share rows."""
        decides = self.kind == DECISION
        return tuple(
            len(np.unique(self.row[decides & (self.street == street)])) for street in range(len(STREETS))
        )

    @property
    def decisions(self) -> int:
        """Decision nodes of all streets."""
        return sum(self.decisions_by_street)

    @property
    def nbytes(self) -> int:
        """Bytes of the tree itself."""
        return self.nodes.nbytes + self.edges.nbytes

    def rows(self, buckets: Sequence[int]) -> int:
        """Infosets, given the number of buckets on each street; each counts, whether or not it shares its row."""
        return _over_streets(self.decisions_by_street, buckets)

    def stored_rows(self, buckets: Sequence[int]) -> int:
        """Rows of tables, given the number of buckets on each street."""
        return _over_streets(self.rows_by_street, buckets)

    def infoset_actions(self, buckets: Sequence[int]) -> int:
        """Infoset-actions that tables hold, given the number of buckets on each street."""
        return _over_streets(self.actions_by_street, buckets)

    def table_bytes(self, buckets: Sequence[int], cell_bytes: int = CELL_BYTES) -> int:
        """Bytes of tables that hold `cell_bytes` for each infoset-action."""
        return self.infoset_actions(buckets) * cell_bytes

    def actions(self, node: int) -> list[int]:
        """The actions that a decision node offers."""
        first, count = self.nodes["first_edge"][node], self.nodes["actions"][node]
        actions: list[int] = self.action[first : first + count].tolist()
        return actions

    def children(self, node: int) -> list[int]:
        """The nodes below a node, in the order of its actions."""
        if self.kind[node] == DEAL:
            return [node + 1]
        first, count = self.nodes["first_edge"][node], self.nodes["actions"][node]
        children: list[int] = self.child[first : first + count].tolist()
        return children

    def path(self, node: int) -> list[int]:
        """The actions that lead to a node."""
        actions: list[int] = []
        while self.parent[node] >= 0:
            above = int(self.parent[node])
            if self.kind[above] == DECISION:
                actions.append(self.actions(above)[self.children(above).index(node)])
            node = above
        return actions[::-1]

    def history(self, node: int) -> str:
        """The actions that lead to a node in ACPC notation, such as `r300c/r600`."""
        text, above = "", node
        while self.parent[above] >= 0:
            below, above = above, int(self.parent[above])
            if self.kind[above] == DEAL:
                text = "/" + text
            else:
                text = action_text(self.actions(above)[self.children(above).index(below)]) + text
        return text

    def describe(self, buckets: Sequence[int] | None = None) -> list[str]:
        """Sizes of the tree as text; with the buckets of each street, sizes of the tables too."""
        by_street = ", ".join(f"{s} {n:,}" for s, n in zip(STREETS, self.decisions_by_street, strict=True))
        lines = [
            f"{len(self):,} nodes, {self.decisions:,} of them decisions ({by_street}), "
            f"{len(self.edges):,} actions: {size(self.nbytes)}"
        ]
        if buckets is not None:
            lines.append(
                f"{self.rows(buckets):,} infosets, {self.infoset_actions(buckets):,} infoset-actions: "
                f"{size(self.table_bytes(buckets))} at {CELL_BYTES} bytes each"
            )
        return lines


def build_tree(abstraction: BettingAbstraction) -> BettingTree:
    """Build the betting tree of an abstraction: count it first, then fill it."""
    sizes = size_table(abstraction)
    pending = np.zeros((MOST_PENDING, PENDING), dtype=np.int64)
    start = new_position(abstraction.rules)
    room = np.zeros(PENDING, dtype=np.int64), np.zeros(sizes.unit.shape[2] + 1, dtype=np.int64)
    counts = (0, 0)
    for _ in range(2):
        nodes, edges = empty_tree(*counts)
        pending[0, : len(start)] = start
        counts = grow_tree(sizes, MOST_NODES, pending, *room, nodes, edges)
        if counts[0] < 0:
            raise InputError(
                f"this betting tree has more than {MOST_NODES:,} nodes; give fewer sizes, or a cap on raises"
            )
    find_ends(nodes)
    if abstraction.history == RAISES:
        order = np.append(np.int32(0), edges["behind"])
        nodes["row"], floats = shared_rows(abstraction, nodes, edges, order)
    else:
        first_edge = np.append(nodes["first_edge"], np.int32(len(edges)))
        nodes["row"], floats = place_rows(
            first_edge, edges["behind"], nodes["player"], nodes["street"], len(STREETS)
        )
    return BettingTree(abstraction, nodes, edges, floats)


def sampled_walk(tree: BettingTree) -> SampledWalk:
    """Lay the tree out for sampling."""
    ends = np.where(tree.kind == SHOWDOWN, SHOWN, tree.player)
    return lay_out_walk(tree.first_edge, tree.behind, ends, tree.street, tree.paid.min(axis=1), tree.row)


def _over_streets(counts: Sequence[int], buckets: Sequence[int]) -> int:
    if len(buckets) != len(STREETS) or min(buckets) < 1:
        raise InputError(
            f"buckets are given for each of {', '.join(STREETS)}, at least 1, not {list(buckets)}"
        )
    return sum(count * of for count, of in zip(counts, buckets, strict=True))
