"""Compiled steps of interval pruning by block: which blocks may be pruned, and for how long."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.forms.public import DECISION
from solvent.foundation.kernels.compiling import kernel
from solvent.solvers.pruned.public.kernels import reach_against
from solvent.solvers.pruned.public.response_kernels import seen_row

Array = Any


@kernel
def worst_regrets(tree, rounds, behind, possible, offset, regret, player, worst):  # type: ignore[no-untyped-def]
    """The largest regret of a hand that can be held, of each of a player's blocks that may be played; else -inf."""
    worst[:] = -np.inf
    for node in range(len(tree.symbol)):
        if tree.symbol[node] != DECISION or tree.player[node] != player:
            continue
        level = behind.level[node]
        hands = possible[level][player]
        boards, slots = rounds[level].hand.shape
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            if offset[edge] < 0:
                continue
            for board in range(boards):
                at = offset[edge] + board * slots
                for k in range(slots):
                    if hands[board, k]:
                        worst[edge] = max(worst[edge], regret[at + k])


class Candidate(NamedTuple):
    """A block that may be pruned."""

    edge: int
    player: int
    most: float
    """U(I, a), times the weight of the other player's sums in regrets and the chance of deal and board."""
    least: float
    """Regrets must be this part of what the iterations so far could have paid."""
    regret: Array
    """float64[boards x slots]"""
    value: Array
    """sum v(I), float[boards x slots]."""


@kernel
def lasts(tree, rounds, behind, chances, possible, seen, block, work, by_card):  # type: ignore[no-untyped-def]
    """Whether a block's pruning would last: whether no hand could soon have made up for its regret.

    By what the iterations so far could have paid: each hand's regret must be at least `block.least` of that.
    """
    player, regret, value = block.player, block.regret, block.value
    node = behind.edge_node[block.edge]
    level = behind.level[node]
    boards = rounds[level]
    slots = boards.hand.shape[1]
    hands = possible[level][player]
    last = behind.last_edge[player, node]
    for board in range(len(boards.hand)):
        seen_row(tree, rounds, behind, level, board, last, seen, player, slots, work, 0)
        reach_against(tree, chances, player, level, boards, board, 0, slots, work, slots, by_card)
        for k in range(slots):
            at = board * slots + k
            if hands[board, k] and -regret[at] < block.least * (block.most * work[slots + k] - value[at]):
                return False
    return True
