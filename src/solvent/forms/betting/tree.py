"""The betting tree of a betting abstraction, compiled: one layout for training, play and expected matches.

A tree is two arrays of records with named fields, `BETTING_NODE` and `BETTING_EDGE` of
`solvent.forms.betting.kernels`, built from the rules and the bet sizes. Kernels take `tree.nodes` and
`tree.edges` and read `nodes[node].street` or `edges[edge].behind`; Python reads the same numbers as columns
(`tree.street`, `tree.behind`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting.kernels import (
    BETTING_EDGE,
    BETTING_NODE,
    DEAL,
    DECISION,
    FOLDED,
    MOST_PENDING,
    PENDING,
    SHOWDOWN,
    find_ends,
    grow_tree,
    new_position,
    size_table,
)
from solvent.forms.sampled import SHOWN, SampledWalk, lay_out_walk, place_rows
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.betting.rules import CALL, FOLD, STREETS, action_text
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
    kind: NDArray[np.int8] = field(init=False, repr=False)
    """int8[nodes]: `DECISION`, `FOLDED`, `SHOWDOWN` or `DEAL`."""
    player: NDArray[np.int8] = field(init=False, repr=False)
    """int8[nodes]: who decides; who folded at a `FOLDED` node; -1 elsewhere."""
    street: NDArray[np.int8] = field(init=False, repr=False)
    """int8[nodes]: the street being bet on; at a `DEAL` node the street that ends there."""
    parent: NDArray[np.int32] = field(init=False, repr=False)
    """int32[nodes]: the node above; -1 for the root."""
    end: NDArray[np.int32] = field(init=False, repr=False)
    """int32[nodes]: one past the last node of the subtree."""
    paid: NDArray[np.int32] = field(init=False, repr=False)
    """int32[nodes, 2]: what each player has put in, in chips, uncalled chips included."""
    row: NDArray[np.int32] = field(init=False, repr=False)
    """int32[nodes]: where a decision's row begins among the numbers of one bucket; decisions may share one."""
    action_count: NDArray[np.int16] = field(init=False, repr=False)
    """int16[nodes]: how many actions a decision has; 0 elsewhere."""
    action: NDArray[np.int32] = field(init=False, repr=False)
    """int32[edges]: `FOLD`, `CALL` or the total raised to, ascending."""
    behind: NDArray[np.int32] = field(init=False, repr=False)
    """int32[edges]: the node behind each action; where cards are dealt, the node after the deal."""

    def __post_init__(self) -> None:
        """Name the columns of the records."""
        of_nodes = ("kind", "player", "street", "parent", "end", "paid", "row")
        columns = {name: self.nodes[name] for name in of_nodes} | {"action_count": self.nodes["actions"]}
        for name, column in (columns | {name: self.edges[name] for name in ("action", "behind")}).items():
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def first_edge(self) -> NDArray[np.int32]:
        """int32[nodes + 1]: where a decision's actions begin; other nodes have none."""
        return np.append(self.nodes["first_edge"], np.int32(len(self.edges)))

    @cached_property
    def child(self) -> NDArray[np.int32]:
        """int32[edges]: the node behind each action, deals included."""
        child: NDArray[np.int32] = self.behind - (self.kind[self.behind - 1] == DEAL).astype(np.int32)
        return child

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
        nodes, edges = np.zeros(counts[0], dtype=BETTING_NODE), np.zeros(counts[1], dtype=BETTING_EDGE)
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


def raising_histories(
    nodes: NDArray[Any], edges: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find by node, int64[nodes] each, the raises of the hand so far, and their number on the node's street.

    nodes, edges: as `BettingTree` has them. Raises of the hand are two bits a street, the first street lowest,
    player 0's bit below player 1's.
    """
    raised, on_street = np.zeros((2, len(nodes)), dtype=np.int64)
    level = np.zeros(1, dtype=np.int64)
    while len(level := level[nodes["kind"][level] == DECISION]):
        counts = nodes["actions"][level].astype(np.int64)
        above = np.repeat(level, counts)
        first = np.repeat(nodes["first_edge"][level] - np.cumsum(counts) + counts, counts)
        edge = first + np.arange(len(first))
        level = edges["behind"][edge].astype(np.int64)
        raises = edges["action"][edge] > CALL
        street = nodes["street"][above].astype(np.int64)
        bit = np.int64(1) << (2 * street + nodes["player"][above])
        raised[level] = raised[above] | np.where(raises, bit, 0)
        same = nodes["street"][level] == street
        on_street[level] = np.where(same, on_street[above] + raises, 0)
    return raised, on_street


def shared_rows(
    abstraction: BettingAbstraction, nodes: NDArray[Any], edges: NDArray[Any], order: NDArray[np.integer]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Find where each decision's row begins among one bucket's numbers, int32[nodes], and those numbers by street.

    With `history=raises` a betting abstraction remembers no more of the betting than on which streets each player
    has raised, as Lin (2024) does. Decisions share a row of every bucket if they are

    - of one street and one player,
    - after raises by the same players on the same streets, the present one included (how often and how much they
      raised is forgotten),
    - equal in what they offer: folding or not, as many actions, from the same list of sizes, the largest all-in or
      not.

    Actions of a shared row are taken in order: the smallest raise of one pot shares a place with that of another. A
    player who has raised twice on a street may meet a row again; sampling takes every visit for one of its own.
    Rows lie in the order in which a walk, `order`, first meets their decisions, player 0's before player 1's.
    """
    raised, on_street = raising_histories(nodes, edges)
    decisions = order[nodes["kind"][order] == DECISION].astype(np.int64)
    street, player = nodes["street"][decisions], nodes["player"][decisions]
    counts = nodes["actions"][decisions].astype(np.int64)
    first = nodes["first_edge"][decisions]
    last_list = np.array([len(lists) - 1 for lists in abstraction.sizes])[street]
    offered = np.stack(
        [
            street,
            player,
            raised[decisions],
            np.minimum(on_street[decisions], last_list),
            edges["action"][first] == FOLD,
            counts,
            edges["action"][first + counts - 1] == abstraction.rules.effective_stack,
        ]
    )
    _, met, which = np.unique(offered, axis=1, return_index=True, return_inverse=True)
    row, floats = np.zeros(len(nodes), dtype=np.int32), np.zeros(len(STREETS), dtype=np.int64)
    starts = np.zeros(len(met), dtype=np.int64)
    for each in range(len(STREETS)):
        here = np.flatnonzero(street[met] == each)
        here = here[np.lexsort((met[here], player[met[here]]))]
        ends = np.cumsum(2 * counts[met[here]])
        starts[here] = ends - 2 * counts[met[here]]
        floats[each] = ends[-1] if len(ends) else 0
    row[decisions] = starts[which.ravel()]
    return row, floats
