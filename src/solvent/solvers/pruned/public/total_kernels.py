"""Compiled steps of total pruning by block: what regrets tell of best responses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.forms.public import DEAL, DECISION
from solvent.foundation.kernels.compiling import compiled, internal
from solvent.passes import public_kernels as kernels
from solvent.solvers.pruned.public.kernels import CUT

Array = Any


class Gaps(NamedTuple):
    """Regrets that may be below 0, by block."""

    offset: Array
    regret: Array
    scale: float
    """By how much sums of values outweigh them."""


@internal
def add_up_node(tree, gaps, possible, player, board, node, slots, work, worst, chosen, sums):  # type: ignore[no-untyped-def]
    """Q of one node from those behind it, all as values; gaps of the player's own actions on the way.

    `worst[e]` becomes the largest gap of a hand that can be held. Gaps of `chosen` actions go to the bounds.
    """
    offset, regret, scale = gaps
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    target = tree.value_row[node] * slots
    base = board * slots
    mine = tree.player[node] == player
    spare = tree.spare * slots
    work[spare : spare + slots] = -np.inf if mine else 0.0
    at = sums.bound_offset[node]
    for edge in range(first, last):
        below = tree.value_row[tree.child[edge]] * slots
        if not mine:
            for k in range(slots):
                work[spare + k] += work[below + k]
            continue
        if offset[edge] < 0:
            # A pruned action is worth its node's bound at most, which counts where nothing else is worth more.
            for k in range(slots):
                work[spare + k] = max(work[spare + k], sums.bound[at + base + k])
            continue
        for k in range(slots):
            gap = scale * regret[offset[edge] + base + k] + work[below + k]
            work[spare + k] = max(work[spare + k], gap)
            if possible[board, k]:
                worst[edge] = max(worst[edge], gap)
                if chosen[edge]:
                    sums.bound[at + base + k] = max(sums.bound[at + base + k], gap)
            elif chosen[edge]:
                sums.bound[at + base + k] = max(sums.bound[at + base + k], -1.0)
    for k in range(slots):
        work[target + k] = work[spare + k]


@compiled
def add_up_regrets(tree, rounds, possible, gaps, player, worst, chosen, sums, out):  # type: ignore[no-untyped-def]
    """T psi(I, a) - sum v(I) of every block that is stored, from the regrets: its largest, in `worst`."""
    worst[:] = -np.inf
    last = tree.rounds - 1
    for level in range(last, -1, -1):
        boards = rounds[level]
        slots = boards.hand.shape[1]
        work = np.zeros(tree.rows * slots)
        total = np.zeros(rounds[0].hand.shape)
        for s in range(len(boards.subtree)):
            start, stop, deal = boards.subtree[s, 0], boards.subtree[s, 1], boards.subtree[s, 2]
            if deal >= 0 and tree.symbol[deal] == CUT:
                continue
            for board in range(len(boards.hand)):
                for node in range(stop - 1, start - 1, -1):
                    if tree.symbol[node] == DECISION:
                        add_up_node(
                            tree, gaps, possible[level][player], player, board, node, slots, work,
                            worst, chosen, sums,
                        )  # fmt: skip
                        continue
                    target = tree.value_row[node] * slots
                    work[target : target + slots] = 0
                    if level < last and tree.symbol[node] == DEAL:
                        below = rounds[level + 1]
                        for after in range(len(below.subtree)):
                            if below.subtree[after, 2] == node:
                                kernels.add_up(below, tree.orbit, out[after], total)
                        for k in range(slots):
                            work[target + k] = total[board, k]
                if level == last:
                    value = tree.value_row[start] * slots
                    out[s, board] = work[value : value + slots]
