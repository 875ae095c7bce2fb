"""Start a solve from the tables of another: after a lock, after lines were added or removed, or with other sizes.

Regrets begin where the other solve left them, under a clock that begins again at `HEAD_START` iterations: rules
that discount let them fade soon where they are wrong. The play of the other solve counts as one iteration of weight
1, so it is measured before the first iteration, and counts next to nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.table_views import edge_numbers
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.tree import DEAL, HoldemTree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.games.betting.action_words import amount_of

HEAD_START = 10
"""Iterations that the tables count for on the rule's clock. On a river and a turn with locks of few hands and of
all, solves from 10 took from an eighth of the iterations of solves from uniform play to as many; from 0 regrets
fade too soon, and from where the other solve ended a lock of all hands takes up to eight times as many."""

OTHER_CARDS = (
    "a solve starts from a run with the same board, the same hands in both ranges (weights may differ) and the "
    "same isomorphism; this run has others"
)


def carry_over(before: HoldemSolver, now: HoldemSolver) -> int:
    """Start `now` from the tables of `before`; the number of decisions that have got something.

    Both have tables of the same numbers, the same board and ranges of the same hands, whose weights may differ.
    Actions that only one of them has are left out; a new action begins without regret.
    """
    old, new = before.game, now.game
    if len(old.streets) != len(new.streets) or not same_cards(old, new):
        raise InputError(OTHER_CARDS)
    share = 1.0 / max(1.0, before.rule.total_weight(before.iterations))
    edges, decisions = common_edges(old, new)
    same_layout = len(edges) == len(new.tree.child) == len(old.tree.child)
    if same_layout:
        regret, average = before.regret, before.average
    elif now.dtype == "int16":
        raise InputError(
            "int16 tables start a solve of the same tree only; locks may differ, and sizes may not"
        )
    else:
        regret, average = (moved_table(table, old, new, edges) for table in (before.regret, before.average))
    if now.dtype == "int16":
        now.regret_scale[:], now.average_scale[:] = before.regret_scale, before.average_scale * share
    else:
        average = average * np.asarray(share, dtype=average.dtype)
    now.start_from(regret, average, HEAD_START)
    return decisions


def same_cards(one: HoldemGame, other: HoldemGame) -> bool:
    """Whether two games have the same hands, boards and isomorphism; one may end on an earlier street."""
    alike = one.isomorphism == other.isomorphism and all(map(np.array_equal, one.hands, other.hands))
    return alike and all(
        np.array_equal(street.boards.cards, same.boards.cards)
        for street, same in zip(one.streets, other.streets, strict=False)
    )


def common_edges(old: HoldemGame, new: HoldemGame) -> tuple[list[tuple[int, int]], int]:
    """The edges of actions that both trees have at decisions after the same lines, and the number of decisions."""
    edges, decisions = [], 0
    for history, node in new.tree.by_history.items():
        before = old.tree.by_history.get(history)
        if before is None:
            continue
        decisions += 1
        names = old.tree.betting[before].actions
        for place, action in enumerate(new.tree.betting[node].actions):
            if action in names:
                first = int(old.tree.first_edge[before]) + names.index(action)
                edges.append((first, int(new.tree.first_edge[node]) + place))
    return edges, decisions


def nearest_edges(old: HoldemTree, new: HoldemTree) -> list[tuple[int, int]]:
    """The edges of a larger tree, each behind the edge of the old one that its numbers are taken from.

    At decisions after the same line these are the actions that both trees have, and a new action has none. What
    follows a new action takes its numbers from what follows the nearest bet; actions match in their order there.
    """
    pairs: list[tuple[int, int]] = []
    left = [(0, 0, True)]
    while left:
        before, now, same_line = left.pop()
        if old.kind[before] != new.kind[now]:
            continue
        if new.kind[now] == DEAL:
            left.append((old.behind_deal[before], new.behind_deal[now], same_line))
        names = old.betting[before].actions
        for place, name in enumerate(new.betting[now].actions):
            same = same_line and name in names
            match = names.index(name) if same else _nearest_action(names, name, place, same_line)
            if match is None:
                continue
            first, second = int(old.first_edge[before]) + match, int(new.first_edge[now]) + place
            if same or not same_line:
                pairs.append((first, second))
            left.append((int(old.child[first]), int(new.child[second]), same))
    return pairs


def _nearest_action(names: Sequence[str], name: str, place: int, by_amount: bool) -> int | None:
    """The place of the action most like a given one: the nearest bet by its amount or by its place."""
    if not amount_of(name):
        return names.index(name) if name in names else None
    bets = [number for number, other in enumerate(names) if amount_of(other)]
    if by_amount:
        return min(bets, key=lambda number: abs(amount_of(names[number]) - amount_of(name)), default=None)
    return min(bets, key=lambda number: abs(number - place), default=None)


def moved_table(
    table: NDArray[Any], old: HoldemGame, new: HoldemGame, edges: Sequence[tuple[int, int]]
) -> NDArray[Any]:
    """A table in the layout of the new game, 0 where the old one has nothing."""
    found = new_table(new.cells, table.dtype)
    for before, now in edges:
        edge_numbers(found, new, now)[:] = edge_numbers(table, old, before)
    return found
