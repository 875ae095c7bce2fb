"""Compiled steps of total pruning on the explicit public tree (Brown and Sandholm 2017).

A block is an action at a public node: a vector over hands. *Behind* it is everything that its player decides after
it. Kernels mark; the tables are changed by `pruner`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import DECISION, FOLDED
from solvent.foundation.kernels.compiling import internal, kernel

SLACK = 1e-9
"""The distance below 0, as a fraction of 1 + |sum v(I)|, that a gap needs for its action to lose."""


class OpponentView(NamedTuple):
    """The cumulative strategy of one player, as the other player's regrets saw it."""

    offset: NDArray[np.int64]
    table: NDArray[np.float64]
    scale: float
    """Factor that gives the table the regrets' weights."""
    total: float
    """T: the reach of a player who has not acted yet."""
    last_edge: NDArray[np.int32]
    """Each player's last edge before each node: int32[nodes, 2]."""


class Board(NamedTuple):
    """The facts of nodes that bounds are computed from."""

    number: NDArray[np.int32]
    """The board of each node."""
    chances: NDArray[np.float64]
    """The probability of both hands with each board: float64[boards, hands, hands]."""
    most: NDArray[np.float64]
    """U: the largest stake at or behind each node, in chips."""


@kernel
def largest_stakes(tree, most):  # type: ignore[no-untyped-def]
    """Fill in the largest stake at or behind each node."""
    for node in range(len(tree.kind)):
        most[node] = abs(tree.stake[node]) if tree.kind[node] >= FOLDED else 0.0
    for node in range(len(tree.kind) - 1, 0, -1):
        parent = tree.parent[node]
        most[parent] = max(most[parent], most[node])


@internal
def mass(view, node, player, hand):  # type: ignore[no-untyped-def]
    """sum_t w_t pi^t(node) of a player's hand, by its last action before the node."""
    last = view.last_edge[node, player]
    if last < 0:
        return view.total
    at = view.offset[last]
    return view.scale * view.table[at + hand] if at >= 0 else 0.0


@internal
def dealt(board, node, player, hand, other):  # type: ignore[no-untyped-def]
    """The probability that a player holds `hand` and the opponent `other` on a node's board."""
    if player == 0:
        return board.chances[board.number[node], hand, other]
    return board.chances[board.number[node], other, hand]


@kernel
def raise_bounds(tree, held, work, player, weight, board, failing):  # type: ignore[no-untyped-def]
    """Add to each bound the most that an iteration could have paid beyond v(I): w (pi_{-i}(I) U(I, a) - v(I)).

    This is the paper's dynamic length, with one bound for all pruned actions of a node. Nodes whose bound is above
    0 for some hand are marked as failing.
    """
    hands = work.sigma.shape[1]
    for node in range(len(tree.kind)):
        at = held.bound.offset[node]
        if at < 0 or tree.player[node] != player:
            continue
        if work.active[node]:
            most, child = 0.0, tree.first_child[node]
            while child >= 0:
                if held.regret.offset[child] < 0:
                    most = max(most, board.most[child])
                child = tree.next_sibling[child]
            for hand in range(hands):
                reach = 0.0
                for other in range(hands):
                    reach += dealt(board, node, player, hand, other) * work.reach[1 - player, node, other]
                held.bound.table[at + hand] += weight * (most * reach - work.value[node, hand])
        value = held.values.offset[node]
        for hand in range(hands):
            if held.bound.table[at + hand] > SLACK * (1.0 + abs(held.values.table[value + hand])):
                failing[node] = True


@kernel
def find_losing(tree, held, player, gap, lose, least, view, board):  # type: ignore[no-untyped-def]
    """Mark the player's actions that lose with every hand: T psi(I, a) < sum v(I).

    No response is needed, as regrets are stored: T psi(I, a) - sum v(I) = R(I, a) + the largest such gap of each
    infoset that follows. `gap`, 0 at first, is filled with the gaps of nodes, and with the own gap of each action
    that is marked. The last action of a node is never marked, nor one that would probably not stay pruned for
    `least`, in units of T.
    """
    hands = gap.shape[1]
    for node in range(len(tree.kind) - 1, -1, -1):
        if tree.kind[node] != DECISION or tree.player[node] != player:
            child = tree.first_child[node]
            while child >= 0:
                for hand in range(hands):
                    gap[node, hand] += gap[child, hand]
                child = tree.next_sibling[child]
            continue
        if held.values.offset[node] < 0:
            continue
        at, live = held.bound.offset[node], 0
        for hand in range(hands):
            gap[node, hand] = held.bound.table[at + hand] if at >= 0 else -np.inf
        child = tree.first_child[node]
        while child >= 0:
            if held.regret.offset[child] >= 0:
                live += 1
                for hand in range(hands):
                    gap[child, hand] += held.regret.table[held.regret.offset[child] + hand]
                    gap[node, hand] = max(gap[node, hand], gap[child, hand])
            child = tree.next_sibling[child]
        child = tree.first_child[node]
        while child >= 0:
            stored = live > 1 and held.regret.offset[child] >= 0
            if stored and loses(held, gap, node, child, player, least, view, board):
                lose[child] = True
                live -= 1
            child = tree.next_sibling[child]


@internal
def loses(held, gap, node, edge, player, least, view, board):  # type: ignore[no-untyped-def]
    """Whether an action loses with every hand, and will for a while."""
    hands = gap.shape[1]
    for hand in range(hands):
        possible = 0.0
        for other in range(hands):
            possible += dealt(board, node, player, hand, other)
        if possible == 0.0:
            continue
        value = held.values.table[held.values.offset[node] + hand]
        if gap[edge, hand] >= -SLACK * (1.0 + abs(value)):
            return False
        if held.regret.table[held.regret.offset[edge] + hand] > 0.0:
            return False
        if least > 0.0:
            reach = 0.0
            for other in range(hands):
                reach += dealt(board, node, player, hand, other) * mass(view, node, 1 - player, other)
            if -gap[edge, hand] * view.total < least * (board.most[edge] * reach - value):
                return False
    return True


@kernel
def mark_behind(parent, roots, inside):  # type: ignore[no-untyped-def]
    """Mark the roots and everything below them."""
    for node in range(len(parent)):
        inside[node] = roots[node] or (node > 0 and inside[parent[node]])


@kernel
def begin_response(tree, work, player, roots, view):  # type: ignore[no-untyped-def]
    """Prepare a pass up over the marked nodes and all behind them, against the opponent's cumulative strategy.

    Returns how many nodes that pass visits.
    """
    visited = 0
    for node in range(len(tree.kind)):
        work.active[node] = roots[node] or (node > 0 and work.active[tree.parent[node]])
        if work.active[node]:
            visited += 1
            if tree.kind[node] >= FOLDED:
                for hand in range(work.sigma.shape[1]):
                    work.reach[1 - player, node, hand] = mass(view, node, 1 - player, hand)
    return visited


@kernel
def mark_returning(tree, work, player, edge, uniform, edges, nodes, cut):  # type: ignore[no-untyped-def]
    """Mark the edges and nodes that are stored again when an action returns, after a response.

    `edges` and `nodes` are the player's. An action that the best response plays with no hand stays pruned, and its
    node is marked in `cut`, unless the return is `uniform`.
    """
    hands = work.sigma.shape[1]
    edges[edge] = True
    for node in range(edge, len(tree.kind)):
        parent = tree.parent[node]
        work.active[node] = node == edge or (parent >= edge and work.active[parent])
        if not work.active[node]:
            continue
        if node > edge and tree.kind[parent] == DECISION and tree.player[parent] == player:
            kept = uniform
            for hand in range(hands):
                best = work.value[parent, hand]
                if work.value[node, hand] >= best - SLACK * (1.0 + abs(best)):
                    kept = True
            if not kept:
                work.active[node], cut[parent] = False, True
                continue
            edges[node] = True
        if tree.kind[node] == DECISION and tree.player[node] == player:
            nodes[node] = True


@kernel
def mark_answers(tree, active, player, edge, last_edge, held, answers, heads):  # type: ignore[no-untyped-def]
    """Mark a player's active decisions from `edge` on that were forgotten, and their edges.

    A decision behind an action that the player has pruned itself was not forgotten: it is let go with that action.
    """
    for node in range(edge, len(tree.kind)):
        if not active[node] or tree.kind[node] != DECISION or tree.player[node] != player:
            continue
        before = last_edge[node, player]
        if held.values.offset[node] >= 0:
            continue
        if before >= 0 and held.regret.offset[before] < 0 and not answers[before]:
            continue
        heads[node] = True
        child = tree.first_child[node]
        while child >= 0:
            answers[child] = True
            child = tree.next_sibling[child]


@kernel
def mark_small_averages(tree, player, regret_offset, view, average, hands, most, drop):  # type: ignore[no-untyped-def]
    """Mark pruned actions, and those behind them, whose reach in the average is at most `most` with every hand.

    Where the play still comes to a node the most played of its actions stays.
    """
    for node in range(len(tree.kind)):
        if tree.kind[node] != DECISION or tree.player[node] != player:
            continue
        before = view.last_edge[node, player]
        gone = before >= 0 and (average.offset[before] < 0 or drop[before])
        best, stays, live = -1.0, -1, False
        child = tree.first_child[node]
        while child >= 0:
            live = live or regret_offset[child] >= 0
            if average.offset[child] >= 0:
                total = 0.0
                for hand in range(hands):
                    total += average.table[average.offset[child] + hand]
                if total > best:
                    best, stays = total, child
            child = tree.next_sibling[child]
        child = tree.first_child[node]
        while child >= 0:
            if regret_offset[child] < 0 and average.offset[child] >= 0 and (gone or live or child != stays):
                small = True
                for hand in range(hands):
                    small = small and average.table[average.offset[child] + hand] <= most
                    if view.offset[child] >= 0:
                        small = small and view.scale * view.table[view.offset[child] + hand] <= most
                drop[child] = small or gone
            child = tree.next_sibling[child]


@kernel
def mark_open(tree, regret_offset, open_nodes):  # type: ignore[no-untyped-def]
    """Mark the nodes that lie behind no pruned action of either player."""
    open_nodes[0] = True
    for node in range(1, len(tree.kind)):
        parent = tree.parent[node]
        owned = tree.kind[parent] == DECISION
        open_nodes[node] = open_nodes[parent] and (not owned or regret_offset[node] >= 0)
