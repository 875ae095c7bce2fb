"""Betting nodes by raising history: on which streets has each player raised? The betting half of rule buckets.

With `history=raises` a betting abstraction remembers no more of the betting than that, as Lin (2024) does:
decisions share a row of every bucket if they are

- of one street and one player,
- after raises by the same players on the same streets, the present one included (how often and how much they
  raised is forgotten),
- alike in what they offer: folding or not, as many actions, from the same list of sizes, the largest all-in or not.

Actions of a shared row are taken in order: the smallest raise of one pot shares a place with that of another. A
player who has raised twice on a street may meet a row again; sampling takes every visit for one of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting.kernels import DECISION
from solvent.games.betting.rules import CALL, FOLD, STREETS
from solvent.games.betting.sizes import BettingAbstraction


def raising_histories(
    nodes: NDArray[Any], edges: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By node, int64[nodes] each: the raises of the hand so far, and how many there are on the node's street.

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
    """Where each decision's row begins among one bucket's numbers, int32[nodes]; and those numbers by street.

    Rows lie in the order in which a walk, `order`, first meets their decisions, player 0's before player 1's.
    """
    raised, on_street = raising_histories(nodes, edges)
    decisions = order[nodes["kind"][order] == DECISION].astype(np.int64)
    street, player = nodes["street"][decisions], nodes["player"][decisions]
    counts = nodes["actions"][decisions].astype(np.int64)
    first = nodes["first_edge"][decisions]
    last_list = np.array([len(lists) - 1 for lists in abstraction.sizes])[street]
    alike = np.stack(
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
    _, met, which = np.unique(alike, axis=1, return_index=True, return_inverse=True)
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
