"""Initial weights of a blueprint: what simulated win rates suggest before anything is learned (Lin 2024, 7).

Regrets begin in proportion to the prior, as if some visits of a row had each won its pot by it. Where iteration
t counts t, the first visit of a row may count a million times what one at the beginning did, and would wipe out a
prior written then. So a training writes the prior anew, with what a visit counts by now, at rows where nothing has
been learned yet.

Sums of strategies begin with next to nothing in proportion to the prior: a row that training never comes to plays
the prior, and the first visit outweighs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.win_rates import DEALS, rate_layout, win_rates
from solvent.forms.betting.tree import DECISION
from solvent.forms.sampled import MOST_ACTIONS, row_start
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.threads import in_pieces
from solvent.games.betting.rules import FOLD, STREETS
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.prior import UNVISITED, prior

VISITS = 1.0
"""Visits that the prior counts for, where a user gives no number; with public sampling visits of a hand of a board.

Head to head after 375,000 iterations 1 won from 10, and 10 from 100, which also lost to no prior at all.
"""
ROUNDING = np.float32(1e-4)
"""The relative distance from the prior up to which a regret is one that nothing was added to."""
PIECE = 1 << 20
"""Numbers that a thread looks at at once, about."""


class PriorScale(NamedTuple):
    """The amount of the prior in a table. Regrets are in fractions of the pot."""

    before: np.float32
    """The sum of a row's regrets where nothing has been learned."""
    after: np.float32
    """The sum that they are to have there."""
    sums: np.float32
    """The total that strategy sums of 0 are to have."""


def write_prior(
    blueprint: Blueprint,
    before: float,
    after: float,
    unvisited: bool = False,
    deals: int = DEALS,
    threads: int = 1,
) -> None:
    """Set regrets to the prior at rows where nothing was learned: they add up to `before` pots, then to `after`.

    A new table has 0 pots. With `unvisited` rows without strategy sums are made to play the prior.
    """
    tree, layout = blueprint.tree, blueprint.layout
    rates, where = win_rates(blueprint.cards, deals, threads=threads), rate_layout(blueprint.cards)
    scale = PriorScale(np.float32(before), np.float32(after), np.float32(UNVISITED if unvisited else 0.0))
    places = list(_places(blueprint))

    def work(start: int, stop: int, room: NDArray[np.float64]) -> None:
        for place, decisions in places[start:stop]:
            write_rows(
                blueprint.table, layout, place, decisions, tree.nodes, tree.edges, rates, where, scale, room
            )

    in_pieces(work, len(places), 1, [np.zeros(MOST_ACTIONS) for _ in range(threads)])


def _places(blueprint: Blueprint) -> Iterator[tuple[tuple[int, int, int, int], NDArray[np.int64]]]:
    """The buckets of all streets and clusters in pieces, with a decision node for each row of their street."""
    tree, layout = blueprint.tree, blueprint.layout
    for street in range(len(STREETS)):
        here = np.flatnonzero((tree.kind == DECISION) & (tree.street == street))
        here = here[np.unique(tree.row[here], return_index=True)[1]]
        buckets, step = int(layout.buckets[street]), max(1, PIECE // max(int(layout.bucket[street]), 1))
        for cluster in range(layout.clusters if street > 0 else 1):
            for first in range(0, buckets, step):
                yield (street, cluster, first, min(first + step, buckets)), here


@internal
def unlearned(table, row, actions, scale, room):  # type: ignore[no-untyped-def]
    """Whether the regrets of a row are the prior, in `room`, times `scale`."""
    for action in range(actions):
        written = scale * np.float32(room[action])
        if abs(table[row + action] - written) > ROUNDING * written:
            return False
    return True


@kernel
def write_rows(table, layout, place, decisions, nodes, edges, rates, rate_layout, scale, room):  # type: ignore[no-untyped-def]
    """Write the prior to rows where nothing was learned.

    place: street, public cluster, first bucket and one past the last. decisions: int64[], a decision node for each
    row of the street. scale: `PriorScale`. room: float64[MOST_ACTIONS].
    """
    street, cluster, first, stop = place
    for bucket in range(first, stop):
        rate = rates[row_start(rate_layout, street, cluster, bucket)]
        start = row_start(layout, street, cluster, bucket)
        for number in range(len(decisions)):
            node = nodes[decisions[number]]
            actions, row = node.actions, start + node.row
            folds = edges[node.first_edge].action == FOLD
            prior(room, folds, actions - 1 - folds, rate)
            pot = np.float32(node.paid[0] + node.paid[1])
            if unlearned(table, row, actions, scale.before * pot, room):
                for action in range(actions):
                    table[row + action] = scale.after * pot * np.float32(room[action])
            if unlearned(table, row + actions, actions, np.float32(0), room):
                for action in range(actions):
                    table[row + actions + action] = scale.sums * np.float32(room[action])
