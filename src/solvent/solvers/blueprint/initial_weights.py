"""Initial weights of a blueprint: the prior of simulated win rates as small initial regrets (Lin 2024)."""

from __future__ import annotations

import numpy as np

from solvent.abstraction.cards.win_rates import DEALS, rate_layout, win_rates
from solvent.forms.betting import DECISION
from solvent.forms.sampled import MOST_ACTIONS, row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.games.betting.rules import FOLD, STREETS
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.prior import prior


def begin_with_win_rates(blueprint: Blueprint, deals: int = DEALS, threads: int = 1) -> None:
    """Set regrets in proportion to the prior, a stack in sum at each row: a few visits unlearn them."""
    tree = blueprint.tree
    rates = win_rates(blueprint.cards, deals, threads=threads), rate_layout(blueprint.cards)
    stake, room = np.float32(tree.abstraction.rules.effective_stack), np.zeros(MOST_ACTIONS)
    for street in range(len(STREETS)):
        here = np.flatnonzero((tree.kind == DECISION) & (tree.street == street))
        fill_street(
            blueprint.table, blueprint.layout, street, here, tree.nodes, tree.edges, *rates, stake, room
        )


@kernel
def fill_street(table, layout, street, decisions, nodes, edges, rates, rate_layout, stake, room):  # type: ignore[no-untyped-def]
    """Write the prior to the regrets of every row of a street. decisions: int64[], its decision nodes."""
    for cluster in range(layout.clusters if street > 0 else 1):
        for bucket in range(layout.buckets[street]):
            rate = rates[row_start(rate_layout, street, cluster, bucket)]
            start = row_start(layout, street, cluster, bucket)
            for number in range(len(decisions)):
                node = nodes[decisions[number]]
                folds = edges[node.first_edge].action == FOLD
                prior(room, folds, node.actions - 1 - folds, rate)
                for action in range(node.actions):
                    table[start + node.row + action] = stake * np.float32(room[action])
