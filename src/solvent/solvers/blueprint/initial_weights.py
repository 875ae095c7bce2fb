"""Initial weights of a blueprint: the prior that simulated win rates suggest, as small initial regrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solvent.abstraction.cards.win_rates import DEALS, win_rates
from solvent.forms.betting import DECISION
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.compiling import kernel
from solvent.games.betting.rules import FOLD
from solvent.strategy.prior import prior

if TYPE_CHECKING:
    from solvent.solvers.blueprint.blueprint import Blueprint


def begin_with_win_rates(blueprint: Blueprint, deals: int = DEALS, threads: int = 1) -> None:
    """Regrets in proportion to the prior, a stack in sum at each row: a few visits unlearn them."""
    tree = blueprint.tree
    rates = win_rates(blueprint.cards, deals, threads=threads)
    nodes = np.flatnonzero(tree.kind == DECISION)
    actions = np.diff(tree.first_edge)[nodes]
    folds = tree.action[tree.first_edge[nodes]] == FOLD
    stake = np.float32(min(tree.abstraction.rules.stacks))
    room = np.zeros(MOST_ACTIONS)
    for street in range(len(rates)):
        here = tree.street[nodes] == street
        fill(
            blueprint.table, blueprint.layout, street, blueprint.sampled.row[nodes[here]], actions[here],
            folds[here], rates[street], stake, room,
        )  # fmt: skip


@kernel
def fill(table, layout, street, rows, actions, folds, rates, stake, room):  # type: ignore[no-untyped-def]
    """The prior at every row of a street: rows, actions and folds by node, rates by cluster and bucket."""
    for cluster in range(rates.shape[0]):
        arena = 0 if street == 0 else layout[0, 1] + cluster * layout[0, 2] + layout[2, street]
        for bucket in range(rates.shape[1]):
            base = arena + bucket * layout[1, street]
            for node in range(len(rows)):
                prior(room, folds[node], actions[node] - 1 - folds[node], rates[cluster, bucket])
                for action in range(actions[node]):
                    table[base + rows[node] + action] = stake * np.float32(room[action])
