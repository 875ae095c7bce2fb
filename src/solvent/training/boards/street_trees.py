"""A betting tree divided at its deals: the betting of one street after one line of play is a *street tree*.

Within a street tree a player's hands of one bucket play the same strategy, which depends on sequences (the player's
own actions so far) and buckets alone. The sequences of each player are numbered from 0 by
decision and action; the number after the last is the empty sequence, with which the street begins. A terminal or
a deal is known by the sequences of the two players that lead to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.vectors.code import WIDTH
from solvent.forms.betting.tree import DEAL, DECISION, SHOWDOWN, BettingTree

STREET_TREE = np.dtype(
    [
        ("street", np.int32),
        ("sequences", np.int32, (2,)),
        ("first_decision", np.int32),
        ("decisions", np.int32),
        ("first_terminal", np.int32),
        ("terminals", np.int32),
        ("first_deal", np.int32),
        ("deals", np.int32),
    ],
    align=True,
)
"""A street tree: its street, the sequences of each player, and where its parts begin and how many they are."""
STREET_DECISION = np.dtype(
    [
        ("player", np.int32),
        ("row", np.int32),
        ("actions", np.int32),
        ("parent", np.int32),
        ("first", np.int32),
        ("ends", np.int32),
    ],
    align=True,
)
"""A decision, parents before children.

player, row, actions  as in the betting tree
parent                the player's sequence that leads here
first                 the sequence of the first action; those of the others follow
ends                  a bit for each action that ends the hand
"""
STREET_TERMINAL = np.dtype(
    [("sequence", np.int32, (2,)), ("shown", np.int32), ("stake", np.float32)], align=True
)
"""The end of a hand: the sequences that lead there, and what player 0 wins.

shown  1 if hands are compared: `stake` goes to the better one; 0 after a fold
stake  chips of player 0; below 0 where player 0 folds
"""
STREET_DEAL = np.dtype([("sequence", np.int32, (2,)), ("tree", np.int32)], align=True)
"""A deal: the sequences that lead there, and the street tree behind it."""


class StreetTrees(NamedTuple):
    """All street trees of a betting tree; the first is the betting before the flop."""

    tree: NDArray[Any]
    """`STREET_TREE`[]"""
    decision: NDArray[Any]
    """`STREET_DECISION`[]"""
    terminal: NDArray[Any]
    """`STREET_TERMINAL`[]"""
    deal: NDArray[Any]
    """`STREET_DEAL`[]"""
    stride: int
    """Numbers that a bucket needs for the sequences of any street tree, in whole vectors."""


def street_trees(betting: BettingTree) -> StreetTrees:
    """Divide a betting tree at its deals."""
    kind, player = betting.kind.tolist(), betting.player.tolist()
    first_edge, behind = betting.first_edge.tolist(), betting.child.tolist()
    street, row, stakes = betting.street.tolist(), betting.row.tolist(), betting.paid.min(axis=1).tolist()
    trees: list[tuple[Any, ...]] = []
    decisions: list[tuple[int, ...]] = []
    terminals: list[tuple[Any, ...]] = []
    deals: list[tuple[Any, ...]] = []
    roots, below = [0], 0
    while below < len(roots):
        starts = len(decisions), len(terminals), len(deals)
        count, waiting = [0, 0], [(roots[below], -1, -1)]
        found: list[tuple[int, ...]] = []
        while waiting:
            node, *own = waiting.pop()
            if kind[node] == DECISION:
                who, actions = player[node], first_edge[node + 1] - first_edge[node]
                children = behind[first_edge[node] : first_edge[node + 1]]
                ends = sum(1 << a for a, child in enumerate(children) if kind[child] not in (DECISION, DEAL))
                found.append((who, row[node], actions, own[who], count[who], ends))
                for action in range(actions - 1, -1, -1):
                    after = list(own)
                    after[who] = count[who] + action
                    waiting.append((children[action], *after))
                count[who] += actions
            elif kind[node] == DEAL:
                deals.append((tuple(own), len(roots)))
                roots.append(node + 1)
            else:
                shown = kind[node] == SHOWDOWN
                stake = stakes[node] if shown or player[node] == 1 else -stakes[node]
                terminals.append((tuple(own), int(shown), stake))
        decisions += found
        parts = (
            starts[0],
            len(found),
            starts[1],
            len(terminals) - starts[1],
            starts[2],
            len(deals) - starts[2],
        )
        trees.append((street[roots[below]], tuple(count), *parts))
        below += 1
    most = max(max(count) for _, count, *_ in trees) + 1
    made = StreetTrees(
        np.array(trees, dtype=STREET_TREE),
        np.array(decisions, dtype=STREET_DECISION),
        np.array(terminals, dtype=STREET_TERMINAL),
        np.array(deals, dtype=STREET_DEAL),
        -(-most // WIDTH) * WIDTH,
    )
    _name_the_empty_sequence(made)
    return made


def _name_the_empty_sequence(made: StreetTrees) -> None:
    """Write the number after a player's last sequence wherever the street began with nothing done."""
    counts = made.tree["sequences"]
    owner = np.repeat(np.arange(len(made.tree)), made.tree["decisions"])
    parent = made.decision["parent"]
    parent[:] = np.where(parent < 0, counts[owner, made.decision["player"]], parent)
    for part, many in ((made.terminal, "terminals"), (made.deal, "deals")):
        owner = np.repeat(np.arange(len(made.tree)), made.tree[many])
        sequence = part["sequence"]
        sequence[:] = np.where(sequence < 0, counts[owner], sequence)
