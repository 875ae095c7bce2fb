"""Locks of a hold'em game: decisions where some or all hands play a given strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import renamed_hands
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError

SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class NodeLock:
    """The fixed play at one decision: `play`, float64[actions, hands of the player]; a column of NaN is free.

    `board` is the number of a board of the node's street; None locks the decision on all boards.
    """

    node: int
    play: NDArray[np.float64]
    board: int | None = None


class LockTables(NamedTuple):
    """Locks as kernels take them: see `engines.holdem.kernels.Tables`."""

    at: NDArray[np.int64]
    locked: NDArray[np.bool_]
    probability: NDArray[np.float64]


def lock_tables(game: HoldemGame, locks: Sequence[NodeLock]) -> LockTables:
    """Lay locks out by board and slot; refused where probabilities do not sum to 1 or suits would differ."""
    tree = game.tree
    at = np.full(len(tree.child), -1, dtype=np.int64)
    locked: list[NDArray[np.bool_]] = []
    probability: list[NDArray[np.float64]] = []
    used = 0
    for lock in locks:
        _check(game, lock)
        player, street = tree.player[lock.node], game.streets[tree.street[lock.node]]
        side, boards = street.sides[player], street.boards
        held = side.hand >= 0
        if lock.board is not None:
            held = held & (np.arange(len(boards)) == lock.board)[:, None]
        first = tree.first_edge[lock.node]
        for action, row in enumerate(lock.play):
            by_slot = np.where(held, row[side.hand], np.nan)
            if at[first + action] < 0:
                at[first + action], used = used, used + by_slot.size
                locked.append(np.isfinite(by_slot).ravel())
                probability.append(np.nan_to_num(by_slot).ravel())
            else:  # a second lock of this decision, for other boards or hands, or in place of the first
                ends = np.cumsum([each.size for each in locked])
                which = int(np.searchsorted(ends, at[first + action], side="right"))
                new = np.isfinite(by_slot).ravel()
                locked[which] = locked[which] | new
                probability[which] = np.where(new, np.nan_to_num(by_slot).ravel(), probability[which])
    none = np.zeros(0)
    return LockTables(
        at,
        np.concatenate([none.astype(np.bool_), *locked]),
        np.concatenate([none, *probability]),
    )


def _check(game: HoldemGame, lock: NodeLock) -> None:
    tree = game.tree
    if not 0 <= lock.node < len(tree.kind) or tree.kind[lock.node] != DECISION:
        raise InputError(f"node {lock.node} of {game.name} is no decision, so nothing can be locked there")
    line = tree.betting[lock.node].history or "the first decision"
    actions = tree.betting[lock.node].actions
    hands = game.hands[tree.player[lock.node]]
    if lock.play.shape != (len(actions), len(hands)):
        raise InputError(
            f"a lock of {line!r} is {len(actions)} x {len(hands)} probabilities, an action in each row and a hand "
            f"in each column, not {' x '.join(map(str, lock.play.shape))}"
        )
    given = np.isfinite(lock.play).all(axis=0)
    if np.isfinite(lock.play[:, ~given]).any():
        raise InputError(f"a hand locked at {line!r} needs a probability for every action, or for none")
    play = lock.play[:, given]
    if (play < 0).any() or (np.abs(play.sum(axis=0) - 1) > SUM_TOLERANCE).any():
        raise InputError(f"the probabilities of each hand locked at {line!r} are at least 0 and sum to 1")
    if not given.any():
        raise InputError(f"the lock of {line!r} names no hand that can be held there")
    if game.isomorphism and not _symmetric(game, lock, hands):
        raise InputError(
            f"the lock of {line!r} treats suits differently, which boards that stand for others by their suits do "
            f"not allow; solve with isomorphism off"
        )


def _symmetric(game: HoldemGame, lock: NodeLock, hands: NDArray[np.int64]) -> bool:
    """Return whether renaming suits as the root board allows leaves the lock as it is."""
    if lock.board is not None:
        board = lock.board
        for street in game.streets[game.tree.street[lock.node] : 0 : -1]:
            if street.boards.multiplicity[board] != 1:
                return False
            board = int(street.boards.parent[board])
    place = np.full(1326, -1)
    place[hands] = np.arange(len(hands))
    for suits in game.streets[0].boards.groups[0]:
        moved = place[renamed_hands(suits)[hands]]
        if not np.array_equal(lock.play[:, moved], lock.play, equal_nan=True):
            return False
    return True
